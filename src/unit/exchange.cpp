#include "unit/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace consort::unit {

namespace {

constexpr auto real = static_cast<std::size_t>(Type::Float64);

const describe::SignalSet::Group* reals_of(const describe::SignalSet& set) {
  for (const auto& group : set.groups())
    if (group.type == Type::Float64) return &group;
  return nullptr;
}

// Rounding of sums of times: what is nearer than this to the end of a step is its end.
Duration slack(Time a, Time b) { return 1e-9 * (b - a) + 1e-14 * std::max(std::abs(a), std::abs(b)); }

}  // namespace

Exchange::Exchange(Unit& unit, UnitId id, const Ports& ports)
    : unit_(unit),
      id_(id),
      ports_(ports),
      simple_(ports.substeps == 1 && unit.events() == nullptr),
      has_inputs_(!ports.inputs->empty()),
      input_order_(unit.input_order()) {
  const auto* const reals = reals_of(*ports.inputs);
  if (reals == nullptr) return;
  base_.resize(reals->elements());
  const auto& d = unit.description();
  for (std::size_t i = 0; i < reals->variables.size(); ++i) {
    const auto& v = d[reals->variables[i]];
    if (v.variability != describe::Variability::continuous) continue;
    for (auto e = reals->offsets[i]; e < reals->offsets[i + 1]; ++e) elements_.push_back(e);
    // FMI 1.0 and 2.0 have derivatives of scalars; arrays of FMI 3.0 have none.
    if (input_order_ == 0) continue;
    for (int order = 1; order <= input_order_; ++order) {
      references_.push_back(v.reference);
      orders_.push_back(order);
    }
  }
  values_.resize(references_.size());
}

void Exchange::evaluate(Signals& signals) {
  if (has_inputs_) unit_.set_part(*ports_.inputs, signals.inputs, ports_.first_input);
  read(signals);
}

// --- inputs

// The inputs at `since_start` after the beginning of the communication step: values and derivatives for units that take
// them; for others the constant that has the right mean over the next `h`.
void Exchange::set_inputs(Time since_start, Duration h, Signals& signals) {
  if (!has_inputs_) return;
  auto& column = signals.inputs.column<double>();
  const int order = signals.order;
  if (order > 0 && !elements_.empty()) {
    const std::size_t width = column.size();
    const auto first = ports_.first_input[real];
    const double from = since_start;
    const double to = since_start + h;
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      const std::size_t at = first + elements_[i];
      double derivative[4] = {base_[elements_[i]], 0, 0, 0};
      for (int m = 1; m <= order; ++m)
        derivative[m] = signals.derivatives[static_cast<std::size_t>(m - 1) * width + at];
      if (input_order_ > 0) {
        const auto shifted = [&](int m) {
          double sum = 0;
          double term = 1;
          for (int n = m; n <= order; ++n) {
            sum += derivative[n] * term;
            term *= from / (n - m + 1);
          }
          return sum;
        };
        column[at] = shifted(0);
        for (int m = 1; m <= input_order_; ++m)
          values_[i * static_cast<std::size_t>(input_order_) + static_cast<std::size_t>(m - 1)] =
              m <= order ? shifted(m) : 0.0;
      } else {
        double mean = 0;
        double a = from;
        double b = to;
        double factorial = 1;
        for (int m = 0; m <= order; ++m) {
          factorial *= m + 1;
          mean += derivative[m] * (b - a) / factorial;
          a *= from;
          b *= to;
        }
        column[at] = mean / h;
      }
    }
  }
  unit_.set_part(*ports_.inputs, signals.inputs, ports_.first_input);
  if (order > 0 && input_order_ > 0 && !references_.empty()) unit_.set_input_derivatives(references_, orders_, values_);
}

// --- steps

StepOutcome Exchange::step_in_parts(const StepRequest& request, Signals& signals) {
  auto& column = signals.inputs.column<double>();
  const auto first = column.begin() + ports_.first_input[real];
  std::copy_n(first, base_.size(), base_.begin());
  StepOutcome outcome{request.t, Why::completed};
  for (std::uint32_t s = 0; s < ports_.substeps && outcome.completed(); ++s) {
    const double parts = ports_.substeps;
    const Time from = request.t + request.h * (s / parts);
    const Time to = s + 1 == ports_.substeps ? request.t + request.h : request.t + request.h * ((s + 1) / parts);
    set_inputs(from - request.t, to - from, signals);
    outcome = reach(from, to, request, signals);
  }
  std::copy_n(base_.begin(), base_.size(), first);
  if (outcome.completed()) outcome.reached = request.t + request.h;
  read(signals);
  return outcome;
}

StepOutcome Exchange::finish(StepOutcome outcome, const StepRequest& request, Signals& signals) {
  const Time end = request.t + request.h;
  if (outcome.why == Why::discarded && outcome.reached <= request.t) outcome = discarded(request.t, end, request);
  if (outcome.why != Why::terminate && outcome.reached < end - slack(request.t, end)) {
    ++counts_.early_returns;
    outcome = reach(outcome.reached, end, request, signals);
  } else if (outcome.why != Why::terminate) {
    outcome.why = Why::completed;
  }
  if (outcome.completed()) outcome.reached = end;
  read(signals);
  return outcome;
}

// From one time to another in as many steps as the unit needs, with its inputs as they are.
StepOutcome Exchange::reach(Time from, Time end, const StepRequest& request, Signals& signals) {
  const Duration near = slack(from, end);
  for (Time t = from;;) {
    const Time event = unit_.events() != nullptr ? signals.next_event[id_] : never;
    const bool to_event = event < end - near && event > t + near && unit_.variable_step();
    const Time goal = to_event ? event : end;
    StepOutcome outcome = unit_.step({t, goal - t, request.may_roll_back});
    if (outcome.why == Why::discarded && outcome.reached <= t) outcome = discarded(t, goal, request);
    if (outcome.why == Why::terminate) return outcome;
    if (!(outcome.reached >= t && outcome.reached <= goal + near)) {
      throw run_error(
          "unit '{}' was asked to step from {} s to {} s and says that it came to {} s; report it to the maker of the "
          "FMU",
          unit_.name(), t, goal, outcome.reached);
    }
    const bool whole = outcome.reached >= goal - near;
    if (!whole) ++counts_.early_returns;
    const bool at_event = outcome.why == Why::event || (whole && event <= goal + near);
    if (unit_.events() != nullptr && at_event && !handle_events(whole ? goal : outcome.reached, signals))
      return {outcome.reached, Why::terminate};
    if (whole && goal == end) return {end, Why::completed};
    constexpr int most = 1000;
    without_progress_ = outcome.reached > t ? 0 : without_progress_ + 1;
    if (without_progress_ == most) {
      throw run_error(
          "unit '{}' returns from its steps at t = {} s without getting any further; do not allow early return",
          unit_.name(), t);
    }
    t = whole ? goal : outcome.reached;
  }
}

// A unit that discards a step gets shorter ones, as far as it takes them.
StepOutcome Exchange::discarded(Time t, Time end, const StepRequest& request) {
  Duration h = end - t;
  for (int attempt = 0; attempt < 10 && unit_.variable_step(); ++attempt) {
    ++counts_.discarded;
    h /= 2;
    auto outcome = unit_.step({t, h, request.may_roll_back});
    if (outcome.why == Why::completed) outcome.why = Why::early;
    if (outcome.why != Why::discarded || outcome.reached > t) return outcome;
  }
  throw run_error("unit '{}' discarded the step of {} s at t = {} s; try a smaller step", unit_.name(), end - t, t);
}

// False when the unit wants the run to end.
bool Exchange::handle_events(Time t, Signals& signals) {
  auto& events = *unit_.events();
  ++counts_.events;
  events.enter_event_mode();
  if (has_inputs_) unit_.set_part(*ports_.inputs, signals.inputs, ports_.first_input);
  constexpr int most = 1000;
  for (int i = 0; i < most; ++i) {
    const auto outcome = events.update();
    if (outcome.terminate) return false;
    signals.next_event[id_] = outcome.next_event.value_or(never);
    if (outcome.repeat) continue;
    events.leave_event_mode();
    return true;
  }
  throw run_error("unit '{}' asks for another event iteration at t = {} s after {} of them; its events do not settle",
                  unit_.name(), t, most);
}

}  // namespace consort::unit
