#include "fleet/return_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "base/error.hpp"

namespace consort::fleet {

using describe::Causality;
using describe::SignalSet;
using describe::Variability;

namespace {

constexpr std::size_t most_discrete = 1000;     // variables
constexpr std::uint64_t all_events_until = 16;  // then each sixteenth step with events is repeated

constexpr std::string_view advice =
    "choose a stepper and a controller that repeat no steps ('jacobi' or 'gauss-seidel' with 'fixed' or 'ecco'), or "
    "ask "
    "the maker of the FMU for one that restores its state; 'consort probe' shows whether it does";

// Clocks are not values, and texts would be allocated.
constexpr bool is_compared(Type type) { return type != Type::Clock && type != Type::String && type != Type::Binary; }

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
    return fmt::format("{:.10g}", value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    return fmt::format("{}", value);
  } else if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value.value)>>) {
    return fmt::format("{}", static_cast<std::int64_t>(value.value));
  }
}

bool is_power_of_two(std::uint64_t n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace

ReturnCheck::ReturnCheck(unit::Unit& unit, const SignalSet& outputs) : unit_(unit), outputs_(outputs) {}

// --- values ----------------------------------------------------------------------------------------------------------

void ReturnCheck::find_discrete() {
  has_found_discrete_ = true;
  const auto& d = unit_.description();
  std::vector<describe::VariableId> ids;
  for (describe::VariableId id = 0; id < d.variables.size() && ids.size() < most_discrete; ++id) {
    const auto& v = d[id];
    const bool is_own = v.causality == Causality::local || v.causality == Causality::output;
    if (!is_own || v.variability != Variability::discrete || v.is_array() || !is_compared(v.type)) continue;
    const auto& others = outputs_.choice();
    if (std::find(others.begin(), others.end(), id) == others.end()) ids.push_back(id);
  }
  const SignalSet found(d, ids);
  Columns values = found.make_columns();
  // An FMU may refuse to tell variables that are no outputs.
  if (!ids.empty() && unit_.try_get(found, values).empty()) discrete_ = found;
}

void ReturnCheck::read(Memory& to) {
  if (!to.known) {
    to.outputs = outputs_.make_columns();
    to.discrete = discrete_.make_columns();
    to.known = true;
  }
  if (!outputs_.empty()) unit_.get(outputs_, to.outputs);
  if (!discrete_.empty()) unit_.get(discrete_, to.discrete);
}

template <class Allowed, class Differs>
bool ReturnCheck::find(const Memory& a, const Memory& b, Allowed&& allowed, Differs&& differs) const {
  const auto& d = unit_.description();
  const auto look = [&](const SignalSet& set, const Columns& first, const Columns& second, bool is_output) {
    for (std::size_t i = 0; i < set.choice().size(); ++i) {
      const auto place = set.place(i);
      if (!is_compared(place.type)) continue;
      const auto& v = d[set.choice()[i]];
      const bool found = with_type(place.type, [&]<class T>() {
        if constexpr (is_compared(type_of<T>)) {
          for (std::uint32_t e = place.first; e < place.first + place.count; ++e) {
            const auto& x = first.column<T>()[e];
            const auto& y = second.column<T>()[e];
            if (x == y) continue;
            if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
              const auto p = static_cast<double>(x);
              const auto q = static_cast<double>(y);
              if ((std::isnan(p) && std::isnan(q)) || std::abs(p - q) <= allowed(v, p, q, e, is_output)) continue;
            }
            differs(v, text_of(x), text_of(y));
            return true;
          }
        }
        return false;
      });
      if (found) return true;
    }
    return false;
  };
  return look(outputs_, a.outputs, b.outputs, true) || look(discrete_, a.discrete, b.discrete, false);
}

// --- save and return -------------------------------------------------------------------------------------------------

void ReturnCheck::save(Memory& to, Time t) {
  to.t = t;
  if (armed_)
    read(to);
  else
    to.known = false;
}

void ReturnCheck::refuse(const std::string& text, Time t) {
  refusal_ = run_error("{}; {}", text, advice).in_unit(unit_.name()).at(t);
  throw Error(*refusal_);
}

void ReturnCheck::returned(const Memory& saved) {
  if (refusal_) throw Error(*refusal_);
  armed_ = true;
  if (!has_found_discrete_) find_discrete();
  if (!saved.known) return;
  read(now_);
  const auto nearly = [](const describe::Variable& v, double p, double, std::uint32_t, bool) {
    return 1e-6 * (std::abs(p) + std::abs(v.nominal) / 100);
  };
  find(saved, now_, nearly, [&](const auto& v, const std::string& then, const std::string& now) {
    refuse(
        fmt::format("unit '{}' ({}) does not restore its saved state: after a return to t = {} s, '{}' is {} instead "
                    "of {}; all that it computes from there on would be wrong",
                    unit_.name(), describe::name_of(unit_.description().version), saved.t, v.name, now, then),
        saved.t);
  });
}

// --- steps that are taken twice --------------------------------------------------------------------------------------

// Co-Simulation does not tell of its events, but of what they change.
bool ReturnCheck::crossed_event(const Memory& saved) const {
  if (unit_.handles_events_inside()) return unit_.events_in_step().count > 0;
  constexpr double any = std::numeric_limits<double>::infinity();
  const auto only_discrete = [](const describe::Variable& v, double, double, std::uint32_t, bool) {
    return v.variability == Variability::discrete ? 0 : any;
  };
  return find(saved, once_, only_discrete, [](const auto&...) {});
}

bool ReturnCheck::wants_repetition(const Memory& saved) {
  if (!armed_ || !saved.known) return false;
  read(once_);
  ++steps_;
  if (crossed_event(saved)) {
    ++with_events_;
    return with_events_ <= all_events_until || with_events_ % all_events_until == 0;
  }
  return is_power_of_two(steps_);
}

std::string ReturnCheck::compare(const Memory& saved, Time t) {
  read(now_);
  const auto roughly = [&](const describe::Variable& v, double p, double q, std::uint32_t e, bool is_output) {
    const Columns& before = is_output ? saved.outputs : saved.discrete;
    const double change = v.type == Type::Float64 ? std::abs(p - before.column<double>()[e])
                                                  : std::abs(p - static_cast<double>(before.column<float>()[e]));
    return 0.1 * (std::isfinite(change) ? change : 0) + 1e-2 * std::max(std::abs(p), std::abs(q)) +
           1e-6 * std::abs(v.nominal);
  };
  std::string problem;
  find(once_, now_, roughly, [&](const auto& v, const std::string& once, const std::string& now) {
    problem = fmt::format(
        "unit '{}' ({}) does not repeat its steps after a return to a saved state: in a step from {} s to {} s, '{}' "
        "became {} and then, in the same step again, {}",
        unit_.name(), describe::name_of(unit_.description().version), saved.t, t, v.name, once, now);
  });
  if (problem.empty()) return {};
  if (++different_ > 1)
    refuse(problem + ", and an earlier step was not repeated either; results of repeated steps would be wrong",
           saved.t);
  return fmt::format("{}; so results may be wrong from there on: compare with a run with the controller 'fixed'",
                     problem);
}

}  // namespace consort::fleet
