#include "unit/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "unit/fmu_unit.hpp"

namespace consort::unit {

namespace {

constexpr auto real = static_cast<std::size_t>(Type::Float64);
constexpr int highest_order = 3;

const describe::SignalSet::Group* reals_of(const describe::SignalSet& set) {
  for (const auto& group : set.groups())
    if (group.type == Type::Float64) return &group;
  return nullptr;
}

// Rounding of sums of times: what is nearer than this to the end of a step is its end.
Duration slack(Time a, Time b) { return 1e-9 * (b - a) + 1e-14 * std::max(std::abs(a), std::abs(b)); }

// Puts a unit's block of inputs back, whatever happens.
class Restored {
 public:
  Restored(std::vector<double>& column, std::size_t first, std::vector<double>& base)
      : at_(column.begin() + static_cast<std::ptrdiff_t>(first)), base_(base) {
    std::copy_n(at_, base_.size(), base_.begin());
  }
  ~Restored() { std::copy(base_.begin(), base_.end(), at_); }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

 private:
  std::vector<double>::iterator at_;
  std::vector<double>& base_;
};

}  // namespace

Exchange::Exchange(Unit& unit, UnitId id, const Ports& ports)
    : first_real_input_(ports.first_input[static_cast<std::size_t>(Type::Float64)]),
      first_real_output_(ports.first_output[static_cast<std::size_t>(Type::Float64)]),
      unit_(unit),
      id_(id),
      ports_(ports),
      simple_(ports.substeps == 1 && unit.events() == nullptr),
      has_inputs_(!ports.inputs->empty()) {
  find_short_cut();
  if (ports.keep_parts && ports.substeps > 1) parts_.assign(ports.substeps - 1, ports.outputs->make_columns());
  if (unit.events() != nullptr) find_discrete_inputs();
  const auto* const reals = reals_of(*ports.inputs);
  if (reals == nullptr) return;
  base_.resize(reals->elements());
  const auto& d = unit.description();
  for (std::size_t i = 0; i < reals->variables.size(); ++i) {
    const auto& v = d[reals->variables[i]];
    if (v.variability != describe::Variability::continuous) continue;
    // FMI 1.0 and 2.0 have derivatives of scalars; arrays of FMI 3.0 have none.
    const int takes = v.is_array() ? 0 : std::min(unit.input_order(), highest_order);
    const auto first = static_cast<std::uint32_t>(references_.size());
    for (auto e = reals->offsets[i]; e < reals->offsets[i + 1]; ++e) elements_.push_back({e, first, takes});
    for (int order = 1; order <= takes; ++order) {
      references_.push_back(v.reference);
      orders_.push_back(order);
    }
  }
  values_.resize(references_.size());
}

void Exchange::find_short_cut() {
  const auto fits = [](const describe::SignalSet& set) {
    const auto& groups = set.groups();
    return groups.empty() || (groups.size() == 1 && groups[0].type == Type::Float64 && groups[0].negated.empty());
  };
  if (!simple_ || !fits(*ports_.inputs) || !fits(*ports_.outputs)) return;
  if (const auto* in = reals_of(*ports_.inputs)) {
    reals_.inputs = in->references;
    reals_.input_elements = in->elements();
  }
  if (const auto* out = reals_of(*ports_.outputs)) {
    reals_.outputs = out->references;
    reals_.output_elements = out->elements();
  }
  direct_ = unit_.instance();
}

StepOutcome Exchange::finish_reals(const StepRequest& request, Signals& signals) {
  const StepOutcome outcome = outcome_of(direct_->last_report());
  direct_ = nullptr;  // it may have to go back before its next step
  return finish(outcome, request, signals);
}

void Exchange::evaluate(Signals& signals) {
  if (!discrete_.places.empty()) take_discrete_inputs(signals);
  if (has_inputs_) unit_.set_part(*ports_.inputs, signals.inputs, ports_.first_input);
  read(signals);
}

// --- inputs

void Exchange::Chosen::copy(const Ports& ports, const Columns& inputs) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto from = ports.inputs->place(places[i]);
    const auto to = set.place(i);
    with_type(from.type, [&]<class T>() {
      const auto first = ports.first_input[static_cast<std::size_t>(from.type)] + from.first;
      std::copy_n(inputs.column<T>().begin() + first, from.count, values.column<T>().begin() + to.first);
    });
  }
}

// FMI 3.0, 4.2.1.3: with event mode, discrete inputs and tunable parameters are set there, and continuous inputs alone
// in step mode.
void Exchange::find_discrete_inputs() {
  const auto& d = unit_.description();
  std::vector<describe::VariableId> ids[2];
  std::vector<std::uint64_t> sizes[2];
  for (std::uint32_t i = 0; i < ports_.inputs->choice().size(); ++i) {
    const auto id = ports_.inputs->choice()[i];
    const bool moves = d[id].variability == describe::Variability::continuous;
    (moves ? continuous_ : discrete_).places.push_back(i);
    ids[moves ? 1 : 0].push_back(id);
    sizes[moves ? 1 : 0].push_back(ports_.inputs->place(i).count);
  }
  discrete_.set = describe::SignalSet(d, ids[0], sizes[0]);
  continuous_.set = describe::SignalSet(d, ids[1], sizes[1]);
  discrete_.values = discrete_.set.make_columns();
  continuous_.values = continuous_.set.make_columns();
  discrete_before_ = discrete_.values;
  for (std::size_t i = 0; i < ids[0].size(); ++i) {
    const Value* const start = d.start(d[ids[0][i]]);
    const auto place = discrete_.set.place(i);
    if (start == nullptr || start->type() != place.type || start->size() != place.count) continue;
    with_type(place.type, [&]<class T>() {
      std::copy_n(start->elements<T>().begin(), place.count, discrete_before_.column<T>().begin() + place.first);
    });
  }
}

// Whether they are others than those that the unit was given last, which these are from now on.
bool Exchange::take_discrete_inputs(const Signals& signals) {
  discrete_.copy(ports_, signals.inputs);
  bool same = true;
  for (const auto& group : discrete_.set.groups()) {
    with_type(group.type, [&]<class T>() {
      auto& before = discrete_before_.column<T>();
      const auto& now = discrete_.values.column<T>();
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i] == before[i]) continue;
        before[i] = now[i];
        same = false;
      }
    });
  }
  return !same;
}

// The inputs for a step of h that begins `since_start` after the beginning of the communication step. False when the
// unit wants the run to end.
bool Exchange::set_inputs(Duration since_start, Duration h, const StepRequest& request, Signals& signals) {
  if (!has_inputs_) return true;
  if (discrete_.places.empty()) {
    if (signals.order > 0) approximate(since_start, h, signals);
    unit_.set_part(*ports_.inputs, signals.inputs, ports_.first_input);
  } else {
    if (take_discrete_inputs(signals) && !handle_events(request.t + since_start, request, signals)) return false;
    if (signals.order > 0) approximate(since_start, h, signals);
    continuous_.copy(ports_, signals.inputs);
    if (!continuous_.places.empty()) unit_.set(continuous_.set, continuous_.values);
  }
  if (signals.order > 0 && !references_.empty()) unit_.set_input_derivatives(references_, orders_, values_);
  return true;
}

void Exchange::approximate(Duration since_start, Duration h, Signals& signals) {
  auto& column = signals.inputs.column<double>();
  const std::size_t width = column.size();
  const int order = std::min(signals.order, highest_order);
  for (const auto& element : elements_) {
    const std::size_t at = ports_.first_input[real] + element.place;
    double derivative[highest_order + 1] = {base_[element.place]};
    for (int m = 1; m <= order; ++m) derivative[m] = signals.derivatives[static_cast<std::size_t>(m - 1) * width + at];
    // From the beginning of the communication step to that of this one; lower ones need the higher ones as they were.
    for (int m = 0; m <= order; ++m) {
      double term = 1;
      for (int n = m + 1; n <= order; ++n) derivative[m] += derivative[n] * (term *= since_start / (n - m));
    }
    for (int m = 1; m <= element.takes; ++m) values_[element.first + static_cast<std::size_t>(m - 1)] = derivative[m];
    double term = 1;
    for (int m = 1; m <= order; ++m) {
      term *= h / (m + 1);
      if (m > element.takes) derivative[0] += derivative[m] * term;
    }
    column[at] = derivative[0];
  }
}

// --- steps

StepOutcome Exchange::step_in_parts(const StepRequest& request, Signals& signals) {
  StepOutcome outcome{request.t, Why::completed};
  {
    const Restored restored(signals.inputs.column<double>(), ports_.first_input[real], base_);
    if (signals.order == 0 && !set_inputs(0, request.h, request, signals)) outcome.why = Why::terminate;
    const Time end = request.t + request.h;
    const double parts = ports_.substeps;
    for (std::uint32_t s = 0; s < ports_.substeps && outcome.completed(); ++s) {
      const Time from = request.t + request.h * (s / parts);
      const Time to = s + 1 == ports_.substeps ? end : request.t + request.h * ((s + 1) / parts);
      outcome = reach(from, to, request, signals);
      if (s < parts_.size()) unit_.get_part(*ports_.outputs, parts_[s], {});
    }
    if (outcome.completed()) outcome.reached = end;
  }
  read(signals);
  return outcome;
}

// What is left of a step that began on the short way and did not simply complete.
StepOutcome Exchange::finish(StepOutcome outcome, const StepRequest& request, Signals& signals) {
  const Time end = request.t + request.h;
  if (outcome.why == Why::discarded) outcome = retry(outcome, request.t, end, request, signals);
  if (outcome.why != Why::terminate) {
    check(outcome, request.t, end);
    if (outcome.reached < end - slack(request.t, end)) {
      ++counts_.early_returns;
      note_progress(request.t, outcome.reached);
      outcome = reach(outcome.reached, end, request, signals);
    } else {
      outcome = {end, Why::completed};
    }
  }
  read(signals);
  return outcome;
}

// From one time to another in as many steps as the unit needs.
StepOutcome Exchange::reach(Time from, Time end, const StepRequest& request, Signals& signals) {
  const Duration near = slack(from, end);
  for (Time t = from;;) {
    const Time event = unit_.events() != nullptr ? signals.next_event[id_] : never;
    const bool to_event = event < end - near && event > t + near && unit_.variable_step();
    const Time goal = to_event ? event : end;
    const StepOutcome outcome = step_once(t, goal, request, signals);
    if (outcome.why == Why::terminate) return outcome;
    check(outcome, t, goal);
    const bool whole = outcome.reached >= goal - near;
    const Time reached = whole ? goal : outcome.reached;
    if (!whole) ++counts_.early_returns;
    const bool at_event = outcome.why == Why::event || event <= reached + near;
    if (unit_.events() != nullptr && at_event && !handle_events(reached, request, signals))
      return {reached, Why::terminate};
    if (whole && goal == end) return {end, Why::completed};
    note_progress(t, reached);
    t = reached;
  }
}

// Inputs that do not move have been set at the beginning of the communication step.
StepOutcome Exchange::step_once(Time t, Time goal, const StepRequest& request, Signals& signals) {
  if (signals.order > 0 && !set_inputs(t - request.t, goal - t, request, signals)) return {t, Why::terminate};
  if (states_ != nullptr) before_ = states_->save(std::move(before_));
  const StepOutcome outcome = unit_.step({t, goal - t, request.may_roll_back});
  return outcome.why == Why::discarded ? retry(outcome, t, goal, request, signals) : outcome;
}

// A unit that discards a step gets shorter ones, as far as it takes them.
StepOutcome Exchange::retry(StepOutcome outcome, Time t, Time goal, const StepRequest& request, Signals& signals) {
  Duration h = goal - t;
  for (int attempt = 0; outcome.why == Why::discarded; ++attempt) {
    ++counts_.discarded;
    const Duration done = outcome.reached - t;
    const bool part = done > 0 && done < h;
    if (part && !before_) {
      outcome.why = Why::early;
      break;
    }
    if (!unit_.variable_step() || attempt == 10) {
      throw run_error("unit '{}' discarded the step of {} s at t = {} s; try a smaller step", unit_.name(), goal - t,
                      t);
    }
    // What it says it can do comes first.
    h = part && attempt == 0 ? done : h / 2;
    if (before_) {
      states_->restore(*before_);
    } else if (!unit_.can_reject_steps()) {
      ++counts_.repeated_as_is;
    }
    if (!set_inputs(t - request.t, h, request, signals)) return {t, Why::terminate};
    outcome = unit_.step({t, h, request.may_roll_back});
    if (outcome.why == Why::completed) outcome.why = Why::early;
  }
  expect_discards();
  return outcome;
}

// From now on the state is saved before every step, where that is what it takes to try another one.
void Exchange::expect_discards() {
  if (!unit_.can_reject_steps()) states_ = unit_.rollback();
  simple_ = simple_ && states_ == nullptr;
  direct_ = nullptr;
}

void Exchange::check(const StepOutcome& outcome, Time t, Time goal) const {
  if (outcome.reached >= t && outcome.reached <= goal + slack(t, goal)) return;
  throw run_error(
      "unit '{}' was asked to step from {} s to {} s and says that it came to {} s; report it to the maker of the FMU",
      unit_.name(), t, goal, outcome.reached);
}

void Exchange::note_progress(Time from, Time to) {
  constexpr int most = 1000;
  without_progress_ = to > from ? 0 : without_progress_ + 1;
  if (without_progress_ < most) return;
  throw run_error("unit '{}' returns from its steps at t = {} s without getting any further; do not allow early return",
                  unit_.name(), from);
}

// False when the unit wants the run to end.
bool Exchange::handle_events(Time t, const StepRequest& request, Signals& signals) {
  auto& events = *unit_.events();
  ++counts_.events;
  events.enter_event_mode();
  if (has_inputs_) {
    if (signals.order > 0) approximate(t - request.t, 0, signals);
    if (!discrete_.places.empty()) take_discrete_inputs(signals);
    unit_.set_part(*ports_.inputs, signals.inputs, ports_.first_input);
  }
  constexpr int most = 1000;
  for (int i = 0; i < most; ++i) {
    const auto outcome = events.update();
    if (outcome.terminate) return false;
    signals.next_event[id_] = outcome.next_event.value_or(never);
    if (outcome.repeat) continue;
    events.leave_event_mode();
    return true;
  }
  throw run_error(
      "unit '{}' asks for another event iteration at t = {} s after {} of them; its events do not settle: report it to "
      "the maker of the FMU",
      unit_.name(), t, most);
}

}  // namespace consort::unit
