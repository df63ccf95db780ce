#include "fleet/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "fmi/instance.hpp"
#include "unit/fmu_unit.hpp"
#include "unit/settle.hpp"

namespace consort::fleet {

namespace {

// Restores the input block of a unit at the end of the scope, also after an exception.
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

Exchange::Exchange(unit::Unit& unit, UnitId id, const Blocks& blocks, int output_order)
    : first_real_input_(blocks.first_input[float64]),
      first_real_output_(blocks.first_output[float64]),
      unit_(unit),
      id_(id),
      blocks_(blocks),
      events_(unit.handles_events_inside() ? nullptr : unit.events()),
      simple_(blocks.substeps == 1 && events_ == nullptr && output_order == 0),
      has_inputs_(!blocks.inputs->empty()),
      has_inner_events_(unit.handles_events_inside()) {
  find_short_cut();
  if (blocks.keep_parts && blocks.substeps > 1) parts_.assign(blocks.substeps - 1, blocks.outputs->make_columns());
  if (has_event_mode()) find_discrete_inputs();
  find_continuous_inputs();
  find_output_derivatives(output_order);
}

void Exchange::find_continuous_inputs() {
  const auto* const reals = blocks_.inputs->reals();
  if (reals == nullptr) return;
  base_.resize(reals->elements());
  const auto& d = unit_.description();
  for (std::size_t i = 0; i < reals->variables.size(); ++i) {
    const auto& v = d[reals->variables[i]];
    if (v.variability != describe::Variability::continuous) continue;
    // Only scalars have input derivatives; FMI 3.0 arrays have no derivatives.
    const int takes = v.is_array() ? 0 : std::min(unit_.input_order(), highest_order);
    const auto scalar = static_cast<std::uint32_t>(references_.size());
    for (auto e = reals->offsets[i]; e < reals->offsets[i + 1]; ++e)
      elements_.push_back({e, scalar, takes, v.negated ? -1.0 : 1.0});
    if (takes > 0) references_.push_back(v.reference);
  }
  // Sort by order, so that only the lowest orders can be passed: FMUs may reject orders that they do not support.
  scalars_ = references_.size();
  const std::vector<ValueReference> scalars = references_;
  accepted_ = std::min(unit_.input_order(), highest_order);
  for (int order = 1; order <= accepted_; ++order) {
    orders_.insert(orders_.end(), scalars_, order);
    if (order > 1) references_.insert(references_.end(), scalars.begin(), scalars.end());
  }
  values_.resize(references_.size());
}

// Only scalars, as for inputs.
void Exchange::find_output_derivatives(int order) {
  const auto* const reals = blocks_.outputs->reals();
  if (reals == nullptr || order == 0) return;
  const auto& d = unit_.description();
  for (int m = 1; m <= order; ++m) {
    for (std::size_t i = 0; i < reals->variables.size(); ++i) {
      const auto& v = d[reals->variables[i]];
      if (v.is_array() || v.causality != describe::Causality::output) continue;
      output_references_.push_back(v.reference);
      output_orders_.push_back(m);
      output_places_.push_back(first_real_output_ + reals->offsets[i]);
      const auto& negated = reals->negated;
      output_signs_.push_back(std::find(negated.begin(), negated.end(), reals->offsets[i]) == negated.end() ? 1 : -1);
    }
  }
  output_values_.resize(output_references_.size());
}

void Exchange::read_derivatives(Signals& signals) {
  unit_.get_output_derivatives(output_references_, output_orders_, output_values_);
  const std::size_t width = signals.outputs.column<double>().size();
  for (std::size_t i = 0; i < output_values_.size(); ++i) {
    const auto order = static_cast<std::size_t>(output_orders_[i]);
    signals.output_derivatives[(order - 1) * width + output_places_[i]] = output_signs_[i] * output_values_[i];
  }
}

void Exchange::find_short_cut() {
  const auto fits = [](const describe::SignalSet& set) {
    const auto& groups = set.groups();
    return groups.empty() || (groups.size() == 1 && groups[0].type == Type::Float64 && groups[0].negated.empty());
  };
  if (!simple_ || !fits(*blocks_.inputs) || !fits(*blocks_.outputs)) return;
  if (const auto* in = blocks_.inputs->reals()) {
    reals_.inputs = in->references;
    reals_.input_elements = in->elements();
  }
  if (const auto* out = blocks_.outputs->reals()) {
    reals_.outputs = out->references;
    reals_.output_elements = out->elements();
  }
  direct_ = unit_.instance();
}

bool Exchange::finish_reals(const StepRequest& request, Signals& signals, Reply& reply) {
  const StepOutcome outcome = unit::outcome_of(direct_->last_report());
  direct_ = nullptr;  // a retry may have to restore a state, which direct_ cannot
  return finish(outcome, request, signals, reply);
}

void Exchange::give(Signals& signals) {
  if (!discrete_.places.empty()) take_discrete_inputs(signals);
  if (has_inputs_) unit_.set_part(*blocks_.inputs, signals.inputs, blocks_.first_input);
}

bool Exchange::update(Signals& signals, Reply& reply) {
  give(signals);
  const EventOutcome outcome = unit_.events()->update();
  const Time announced = outcome.next_event.value_or(never);
  const bool moved = signals.next_event[id_] != announced;
  read_outputs(signals);
  signals.next_event[id_] = announced;
  if (!moved && !outcome.repeat && !outcome.terminate) return true;
  reply = {};
  reply.outcome.why = outcome.terminate ? Why::terminate : Why::completed;
  reply.next_event_moved = moved;
  reply.repeat = outcome.repeat;
  return false;
}

// --- inputs

void Exchange::Chosen::copy(const Blocks& blocks, const Columns& inputs) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto from = blocks.inputs->place(places[i]);
    const auto to = set.place(i);
    with_type(from.type, [&]<class T>() {
      const auto first = blocks.first_input[static_cast<std::size_t>(from.type)] + from.first;
      std::copy_n(inputs.column<T>().begin() + first, from.count, values.column<T>().begin() + to.first);
    });
  }
}

// FMI 3.0, 4.2.1.3: with event mode, discrete inputs and tunable parameters are set in event mode, and only continuous
// inputs are set in step mode.
void Exchange::find_discrete_inputs() {
  const auto& d = unit_.description();
  std::vector<describe::VariableId> ids[2];
  std::vector<std::uint64_t> sizes[2];
  for (std::uint32_t i = 0; i < blocks_.inputs->choice().size(); ++i) {
    const auto id = blocks_.inputs->choice()[i];
    const bool moves = d[id].variability == describe::Variability::continuous;
    (moves ? continuous_ : discrete_).places.push_back(i);
    ids[moves ? 1 : 0].push_back(id);
    sizes[moves ? 1 : 0].push_back(blocks_.inputs->place(i).count);
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

// Returns true if the discrete inputs differ from those last passed to the unit. Stores them as the last ones.
bool Exchange::take_discrete_inputs(const Signals& signals) {
  discrete_.copy(blocks_, signals.inputs);
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

// Sets the inputs for a step of length h that begins `since_start` after the beginning of the communication step.
// Returns false if the unit requests to end the run.
bool Exchange::set_inputs(Duration since_start, Duration h, const StepRequest& request, Signals& signals) {
  if (!has_inputs_) return true;
  const bool events = !discrete_.places.empty() && take_discrete_inputs(signals);
  if (events && !handle_events(request.t + since_start, request, signals)) return false;
  do set_continuous(since_start, h, signals);
  while (!pass_derivatives(signals));
  return true;
}

// Sets the continuous inputs; without discrete_, all inputs.
void Exchange::set_continuous(Duration since_start, Duration h, Signals& signals) {
  if (signals.order[id_] > 0) approximate(since_start, h, signals);
  if (discrete_.places.empty()) return unit_.set_part(*blocks_.inputs, signals.inputs, blocks_.first_input);
  continuous_.copy(blocks_, signals.inputs);
  if (!continuous_.places.empty()) unit_.set(continuous_.set, continuous_.values);
}

// Returns false if the unit refuses the highest order. The inputs then have to be set again without it.
bool Exchange::pass_derivatives(Signals& signals) {
  const int order = std::min<int>(signals.order[id_], accepted_);
  const std::size_t n = scalars_ * static_cast<std::size_t>(order);
  if (n == 0) return true;
  try {
    unit_.set_input_derivatives(std::span(references_).first(n), std::span(orders_).first(n),
                                std::span(values_).first(n));
    return true;
  } catch (const fmi::Refused& refusal) {
    accepted_ = order - 1;
    told_.warning = fmt::format("{}; {}", refusal.what(),
                                accepted_ == 0 ? "its inputs are held at their mean over each step instead"
                                               : "it gets input derivatives of lower order instead");
    return false;
  }
}

void Exchange::approximate(Duration since_start, Duration h, Signals& signals) {
  auto& column = signals.inputs.column<double>();
  const std::size_t width = column.size();
  const int order = std::min<int>(signals.order[id_], highest_order);
  for (const auto& element : elements_) {
    const std::size_t at = blocks_.first_input[float64] + element.place;
    double derivative[highest_order + 1] = {base_[element.place]};
    for (int m = 1; m <= order; ++m) derivative[m] = signals.derivatives[static_cast<std::size_t>(m - 1) * width + at];
    // Shift from the beginning of the communication step to that of this step. Ascending order, because lower
    // derivatives need the unshifted higher ones.
    for (int m = 0; m <= order; ++m) {
      double term = 1;
      for (int n = m + 1; n <= order; ++n) derivative[m] += derivative[n] * (term *= since_start / (n - m));
    }
    const int takes = std::min(element.takes, accepted_);
    for (int m = 1; m <= std::min(takes, order); ++m)
      values_[static_cast<std::size_t>(m - 1) * scalars_ + element.scalar] = element.sign * derivative[m];
    double term = 1;
    for (int m = 1; m <= order; ++m) {
      term *= h / (m + 1);
      if (m > takes) derivative[0] += derivative[m] * term;
    }
    column[at] = derivative[0];
  }
}

// --- steps

void Exchange::begin(const Signals& signals) {
  told_ = {};
  next_event_before_ = signals.next_event[id_];
}

bool Exchange::step_in_parts(const StepRequest& request, Signals& signals, Reply& reply) {
  StepOutcome outcome{request.t, Why::completed};
  begin(signals);
  begin_run();
  {
    const Restored restored(signals.inputs.column<double>(), blocks_.first_input[float64], base_);
    if (signals.order[id_] == 0 && !set_inputs(0, request.h, request, signals)) outcome.why = Why::terminate;
    const Time end = request.t + request.h;
    const double parts = blocks_.substeps;
    for (std::uint32_t s = 0; s < blocks_.substeps && outcome.completed(); ++s) {
      const Time from = request.t + request.h * (s / parts);
      const Time to = s + 1 == blocks_.substeps ? end : request.t + request.h * ((s + 1) / parts);
      outcome = reach(from, to, request, signals);
      if (s < parts_.size()) unit_.get_part(*blocks_.outputs, parts_[s], {});
    }
    if (outcome.completed()) outcome.reached = end;
  }
  if (outcome.why != Why::discarded) read(signals);
  return tell(outcome, signals, reply);
}

// Finishes a step of the fast path that did not simply complete or may have had inner events.
bool Exchange::finish(StepOutcome outcome, const StepRequest& request, Signals& signals, Reply& reply) {
  const Time end = request.t + request.h;
  begin(signals);
  if (has_inner_events_) note_inner_events();
  if (outcome.why == Why::discarded) outcome = retry(outcome, request.t, end, request, signals);
  if (outcome.why == Why::discarded) return tell(outcome, signals, reply);
  if (outcome.why != Why::terminate && !stops(outcome, request)) {
    check(outcome, request.t, end);
    if (outcome.reached < end - slack(request.t, end)) {
      ++told_.counts.early_returns;
      note_progress(request.t, outcome.reached);
      outcome = reach(outcome.reached, end, request, signals);
    } else {
      outcome = {end, Why::completed};
    }
  }
  read(signals);
  return tell(outcome, signals, reply);
}

// Writes counts, outcome and a changed next event to the reply. Returns true if there is nothing to report.
bool Exchange::tell(const StepOutcome& outcome, Signals& signals, Reply& reply) {
  const auto& c = told_.counts;
  told_.next_event_moved = signals.next_event[id_] != next_event_before_;
  const bool quiet = outcome.completed() && c.events == 0 && c.early_returns == 0 && c.discarded == 0 &&
                     !told_.next_event_moved && told_.warning.empty();
  if (quiet) [[likely]]
    return true;
  told_.outcome = outcome;
  reply = std::exchange(told_, {});
  return false;
}

void Exchange::note_inner_events() {
  const auto events = unit_.events_in_step();
  told_.counts.events += events.count;
  told_.first_event = std::min(told_.first_event, events.first);
}

StepOutcome Exchange::step_unit(const StepRequest& request) {
  const StepOutcome outcome = unit_.step(request);
  if (has_inner_events_) note_inner_events();
  return outcome;
}

// Steps from `from` to `end` in as many steps as the unit needs.
StepOutcome Exchange::reach(Time from, Time end, const StepRequest& request, Signals& signals) {
  const Duration near = slack(from, end);
  for (Time t = from;;) {
    Time event = never;
    if (has_event_mode()) event = signals.next_event[id_];
    const bool to_event = event < end - near && event > t + near && unit_.variable_step();
    const Time goal = to_event ? event : end;
    const StepOutcome outcome = step_once(t, goal, request, signals);
    if (outcome.why == Why::terminate || outcome.why == Why::discarded) return outcome;
    check(outcome, t, goal);
    const bool whole = outcome.reached >= goal - near;
    const Time reached = whole ? goal : outcome.reached;
    if (stops(outcome, request) || (request.stop_at_event && has_event_mode() && event <= reached + near))
      return {reached, Why::event};
    if (!whole) ++told_.counts.early_returns;
    const bool at_event = outcome.why == Why::event || event <= reached + near;
    if (has_event_mode() && at_event && !handle_events(reached, request, signals)) return {reached, Why::terminate};
    if (whole && goal == end) return {end, Why::completed};
    note_progress(t, reached);
    t = reached;
  }
}

// Held inputs were already set at the beginning of the communication step.
StepOutcome Exchange::step_once(Time t, Time goal, const StepRequest& request, Signals& signals) {
  // A whole step uses exactly the requested length, not the rounded difference of its ends.
  const Duration h = t == request.t && goal == request.t + request.h ? request.h : goal - t;
  if (signals.order[id_] > 0 && !set_inputs(t - request.t, h, request, signals)) return {t, Why::terminate};
  if (states_ != nullptr && !request.may_discard) save_before();
  const StepOutcome outcome = step_unit({t, h, request.may_roll_back, request.stop_at_event});
  return outcome.why == Why::discarded ? retry(outcome, t, goal, request, signals) : outcome;
}

// If saving fails although the unit offers rollback, the run continues as if the unit had no rollback.
void Exchange::save_before() {
  try {
    before_ = states_->save(std::move(before_));
  } catch (const Error&) {
    before_ = nullptr;
    states_ = nullptr;
    cannot_save_ = true;
  }
}

// Retries a discarded step with shorter steps, unless the caller does.
StepOutcome Exchange::retry(StepOutcome outcome, Time t, Time goal, const StepRequest& request, Signals& signals) {
  if (request.may_discard) {
    ++told_.counts.discarded;
    return outcome;
  }
  Duration h = goal - t;
  for (int attempt = 0; outcome.why == Why::discarded; ++attempt) {
    ++told_.counts.discarded;
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
    // First try the part that the unit reports as reached.
    h = part && attempt == 0 ? done : h / 2;
    if (before_) {
      states_->restore(*before_);
    } else if (!unit_.can_reject_steps()) {
      ++told_.counts.repeated_as_is;
    }
    if (!set_inputs(t - request.t, h, request, signals)) return {t, Why::terminate};
    outcome = step_unit({t, h, request.may_roll_back, request.stop_at_event});
    if (outcome.why == Why::completed) outcome.why = Why::early;
  }
  expect_discards();
  return outcome;
}

// Saves the state before every step from now on, if a retry requires a restore.
void Exchange::expect_discards() {
  if (!unit_.can_reject_steps() && !cannot_save_) states_ = unit_.rollback();
  simple_ = simple_ && states_ == nullptr;
  direct_ = nullptr;
}

void Exchange::check(const StepOutcome& outcome, Time t, Time goal) const {
  if (outcome.reached >= t && outcome.reached <= goal + slack(t, goal)) return;
  throw run_error("unit '{}' was asked to step from {} s to {} s but reports {} s; report it to the maker of the FMU",
                  unit_.name(), t, goal, outcome.reached);
}

void Exchange::note_progress(Time from, Time to) {
  constexpr int most = 1000;
  without_progress_ = to > from ? 0 : without_progress_ + 1;
  if (without_progress_ < most) return;
  throw run_error("unit '{}' returns from its steps at t = {} s without progress; do not allow early return",
                  unit_.name(), from);
}

// Returns false if the unit requests to end the run.
bool Exchange::handle_events(Time t, const StepRequest& request, Signals& signals) {
  ++told_.counts.events;
  told_.first_event = std::min(told_.first_event, t);
  events_->enter_event_mode();
  if (has_inputs_) {
    if (signals.order[id_] > 0) approximate(t - request.t, 0, signals);
    if (!discrete_.places.empty()) take_discrete_inputs(signals);
    unit_.set_part(*blocks_.inputs, signals.inputs, blocks_.first_input);
  }
  const auto settled = unit::settle(*events_, unit_.name(), t);
  if (settled.terminate) return false;
  signals.next_event[id_] = settled.next_event.value_or(never);
  return true;
}

}  // namespace consort::fleet
