#include "unit/set_back.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"

namespace consort::unit {

using describe::Causality;
using describe::Variability;
using solve::ConstVector;

std::string declared_memory(const describe::Description& d) {
  // All other native models can copy their memory.
  if (d.version == describe::FmiVersion::native && !d.interfaces.empty() && !d.interfaces.front().can_save_state)
    return "it has memory of its own that cannot be copied";
  if (d.event_indicators > 0) return "it has event indicators";
  for (const auto& v : d.variables) {
    if (v.type == Type::Clock) return fmt::format("it has clocks ('{}')", v.name);
    // A discrete input is set by the importer and is no memory as long as it does not change: see require_return().
    if (v.variability == Variability::discrete && v.causality != Causality::input)
      return fmt::format("its variable '{}' is discrete", v.name);
  }
  return {};
}

// --- layout ----------------------------------------------------------------------------------------------------------

void SetBack::begin(Time start, std::optional<Time> stop, double rtol) {
  states_ = instance_.continuous_states();
  duration_ = stop && *stop > start && std::isfinite(*stop) ? *stop - start : 1;
  stop_ = stop.value_or(std::numeric_limits<double>::infinity());
  rtol_ = rtol;
  probed_ = false;
  refusal_.reset();
}

void SetBack::find_outputs() {
  outputs_.clear();
  output_variables_.clear();
  std::vector<double> value;
  for (describe::VariableId id = 0; id < description_.variables.size(); ++id) {
    const auto& v = description_[id];
    if (v.causality != Causality::output || v.type != Type::Float64) continue;
    value.resize(element_count(description_, v, structural_));
    try {
      instance_.get<double>(std::span(&v.reference, 1), value);
    } catch (const Error&) {  // an output that cannot be read cannot be compared
      continue;
    }
    outputs_.push_back(v.reference);
    output_variables_.insert(output_variables_.end(), value.size(), id);
  }
}

void SetBack::find_limits() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  limits_.assign(states_, {1, -infinity, infinity});
  for (std::size_t i = 0; i < states_; ++i) limits_[i].nominal = problem_.ode().components.nominals[i];
  derivatives_.clear();
  for (const auto& unknown : description_.structure.derivatives) {
    if (description_[unknown.variable].is_array()) return derivatives_.clear();
    derivatives_.push_back(unknown.variable);
  }
  if (derivatives_.size() != states_) return derivatives_.clear();  // FMI 1.0 does not tell
  for (std::size_t i = 0; i < states_; ++i) {
    const auto state = description_[derivatives_[i]].derivative_of;
    if (state == describe::no_variable) continue;
    limits_[i].min = description_[state].min;
    limits_[i].max = description_[state].max;
  }
}

// --- values ----------------------------------------------------------------------------------------------------------

void SetBack::evaluate(Time t, std::vector<double>& values) {
  values.resize(2 * states_ + output_variables_.size());
  const std::span all(values);
  if (states_ > 0) {
    instance_.get_derivatives(all.subspan(states_, states_));
    instance_.get_states(all.first(states_));
    instance_.set_time(t);  // see MeProblem::evaluate()
  }
  if (!outputs_.empty()) instance_.get<double>(outputs_, all.subspan(2 * states_));
}

double SetBack::allowed(std::size_t i, double expected, ConstVector y) const {
  const double share = 1e-3 * rtol_;
  // As in the solver, a hundredth of the nominal value counts even if the value is smaller.
  if (i >= 2 * states_) {
    const auto& v = description_[output_variables_[i - 2 * states_]];
    return share * (std::abs(expected) + std::abs(v.nominal) / 100);
  }
  const std::size_t state = i % states_;
  const double size = share * (std::abs(y[state]) + limits_[state].nominal / 100);
  return i < states_ ? size : std::max(share * std::abs(expected), size / duration_);
}

std::string SetBack::name_of(std::size_t i) const {
  if (i >= 2 * states_) return fmt::format("'{}'", description_[output_variables_[i - 2 * states_]].name);
  const std::size_t state = i % states_;
  if (derivatives_.empty()) return fmt::format("{} {}", i < states_ ? "state" : "derivative", state + 1);
  const auto& derivative = description_[derivatives_[state]];
  if (i >= states_ || derivative.derivative_of == describe::no_variable) return fmt::format("'{}'", derivative.name);
  return fmt::format("'{}'", description_[derivative.derivative_of].name);
}

void SetBack::compare(Time t, ConstVector y, const std::vector<double>& expected, std::string_view when) {
  problem_.set_point(t, y);
  evaluate(t, now_);
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const bool same = now_[i] == expected[i] || (std::isnan(now_[i]) && std::isnan(expected[i]));
    if (same || std::abs(now_[i] - expected[i]) <= allowed(i, expected[i], y)) continue;
    refuse(t, fmt::format("{}, {} is {:.10g} instead of {:.10g}; so the FMU remembers earlier evaluations, for example "
                          "in iteration variables of an inner equation system",
                          when, name_of(i), now_[i], expected[i]));
  }
}

void SetBack::refuse(Time t, const std::string& reason) const {
  const auto& name = instance_.name();
  throw run_error(
      "unit '{}' ({}) cannot save its state, and setting back its time, continuous states and inputs is not enough: {} "
      "(at t = {} s); choose a stepper and a controller that repeat no steps ('jacobi' or 'gauss-seidel' "
      "with 'fixed' or 'ecco'), or export the FMU so that it can save its state (FMI 2.0 and 3.0)",
      name, describe::name_of(description_.version), reason, t)
      .in_unit(name)
      .at(t);
}

// --- the probe -------------------------------------------------------------------------------------------------------

namespace {

// Returns the value moved by a distance in the direction of the sign, or in the other direction if the first leads
// beyond the limits or through zero, where the domain of a model may end; or unchanged.
double moved(double value, double distance, double sign, double min, double max) {
  for (const double s : {sign, -sign}) {
    const double to = value + s * distance;
    if (to >= min && to <= max && (value == 0 ? to > 0 : to * value > 0)) return to;
  }
  return value;
}

}  // namespace

Time SetBack::move(Time t, ConstVector y, double fraction, double sign) {
  const Time then = std::max(t, std::min(t + 1e-2 * fraction * duration_, stop_));
  instance_.set_time(then);
  inputs_.for_each_continuous([&](const describe::Variable& v, std::size_t first, std::size_t count) {
    for (std::size_t e = first; e < first + count; ++e) {
      const double u = inputs_.values()[e];
      const double distance = fraction * std::max(std::abs(u), std::abs(v.nominal));
      direction_[e] = moved(u, distance, sign, v.min, v.max) - u;
    }
  });
  inputs_.set_present(direction_, 1);
  if (states_ == 0) return then;
  for (std::size_t i = 0; i < states_; ++i) {
    const auto& limits = limits_[i];
    x_[i] = moved(y[i], fraction * std::max(std::abs(y[i]), limits.nominal), sign, limits.min, limits.max);
  }
  instance_.set_states(x_);
  return then;
}

void SetBack::probe(Time t, ConstVector y) {
  find_outputs();
  find_limits();
  x_.resize(states_);
  direction_.resize(inputs_.elements());
  problem_.set_point(t, y);
  std::vector<double> expected;
  evaluate(t, expected);
  compare(t, y, expected, "when it was evaluated twice at the same point");
  for (const double fraction : {1e-4, 1e-2}) {
    for (const double sign : {1.0, -1.0}) {
      try {
        evaluate(move(t, y, fraction, sign), now_);
      } catch (const fmi::Discarded&) {  // the model does not exist there
      }
      compare(t, y, expected, "when it was moved to a trial point nearby and back");
    }
  }
}

// --- save and return -------------------------------------------------------------------------------------------------

void SetBack::require_no_events(Time t) const {
  const auto& sign = problem_.sign_of_events();
  switch (sign.kind) {
    case MeProblem::Sign::Kind::none: return;
    case MeProblem::Sign::Kind::time_event:
      refuse(t, fmt::format("it has announced a time event for t = {} s", sign.t));
    case MeProblem::Sign::Kind::step_event:
      refuse(t, fmt::format("it requested an event after the step to t = {} s", sign.t));
    case MeProblem::Sign::Kind::end: refuse(t, fmt::format("it requested to end the run, at an event at {} s", sign.t));
  }
}

void SetBack::save(Time t, ConstVector y, Memory& to) {
  if (problem_.ode().events.root_count > 0) refuse(t, "it has event indicators");
  require_no_events(t);
  if (refusal_) throw Error(*refusal_);
  to.t = t;
  to.held_passed = inputs_.held_passed();
  to.values.clear();
  if (problem_.memory().ended) return;
  if (!probed_) {
    try {
      probe(t, y);
    } catch (const Error& error) {
      refusal_ = error;
      throw;
    }
    probed_ = true;
  }
  problem_.set_point(t, y);
  evaluate(t, to.values);
}

void SetBack::require_return(const Memory& to) const {
  require_no_events(to.t);
  // Whether an event of a discrete input has changed a hidden discrete state is not known.
  if (to.held_passed != inputs_.held_passed()) refuse(to.t, "its discrete inputs or its parameters have changed since");
}

void SetBack::check_return(ConstVector y, const Memory& saved) {
  if (!saved.values.empty()) compare(saved.t, y, saved.values, "after a return");
}

}  // namespace consort::unit
