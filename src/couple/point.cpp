#include "couple/point.hpp"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.hpp"

namespace consort::couple {

using graph::UnitId;

namespace {

bool is_continuous(const graph::PlannedUnit& unit, describe::VariableId id) {
  return (*unit.description)[id].variability == describe::Variability::continuous;
}

bool is_continuous(const graph::Plan& plan, const graph::ConnectionInfo& c) {
  const auto& to = plan.units[c.to];
  if (to.inputs.place(c.input).type != Type::Float64 || !is_continuous(to, to.inputs.choice()[c.input])) return false;
  if (c.from == graph::no_unit) return !plan.externals[c.output].discrete;
  return is_continuous(plan.units[c.from], plan.units[c.from].outputs.choice()[c.output]);
}

bool any(UnitId, UnitId) { return true; }
bool is_external(UnitId source, UnitId) { return source == graph::no_unit; }

}  // namespace

std::vector<bool> continuous_inputs(const graph::Plan& plan) {
  std::vector<bool> continuous(plan.input_count[float64], false);
  for (const auto& c : plan.connections) {
    if (!is_continuous(plan, c)) continue;
    const auto& to = plan.units[c.to];
    const auto place = to.inputs.place(c.input);
    for (std::uint32_t e = 0; e < place.count; ++e) continuous[to.first_input[float64] + place.first + e] = true;
  }
  return continuous;
}

// --- before the run -------------------------------------------------------------------------------------------------

Point::Point(PointSetup setup)
    : plan_(setup.plan),
      fleet_(setup.fleet),
      approximation_(setup.approximation),
      order_(setup.approximation.order()),
      each_(setup.approximation.each()),
      sources_(std::move(setup.sources)),
      bonds_(setup.bonds),
      slack_(setup.slack),
      timeline_(setup.timeline),
      owners_(plan_),
      continuous_(continuous_inputs(plan_)) {
  const auto all = plan_.all_units();
  everything_ = Gather(plan_, owners_, all, any);
  const Gather external(plan_, owners_, all, is_external);
  for (const auto input : external.real_inputs())
    if (continuous_[input]) external_.push_back(input);
  has_overrides_ = std::any_of(sources_.begin(), sources_.end(), [](auto* s) { return s->overrides_inputs(); });
  if (has_overrides_) {
    is_overridden_ = [this](std::uint32_t input) {
      return std::any_of(sources_.begin(), sources_.end(),
                         [&](const auto* s) { return s->overrides(input, *looked_at_); });
    };
  }
  if (approximation_.derivatives > 0) declare_derivatives();
  if (timeline_ == nullptr) return;
  routing_ = timeline_->activity("routing");
  agreeing_ = timeline_->activity("outputs made consistent");
}

void Point::declare_derivatives() {
  for (const auto input : external_) continuous_[input] = false;
  external_.clear();
  std::vector<bool> asked(plan_.units.size(), false);
  for (const auto& c : plan_.connections) {
    if (c.from == graph::no_unit || !is_continuous(plan_, c) ||
        plan_.units[c.from].outputs.place(c.output).type != Type::Float64)
      continue;
    require_derivatives(c);
    if (!asked[c.from]) fleet_.declare_derivatives(c.from, approximation_.derivatives);
    asked[c.from] = true;
  }
}

void Point::require_derivatives(const graph::ConnectionInfo& c) const {
  const auto& unit = plan_.units[c.from];
  const auto& output = (*unit.description)[unit.outputs.choice()[c.output]];
  const bool is_told = !output.is_array() && output.causality == describe::Causality::output;
  if (is_told && fleet_.traits(c.from).output_order >= approximation_.derivatives) return;
  std::vector<std::string_view> others;
  for (const auto& row : approximations())
    if (row.derivatives == 0) others.push_back(row.name);
  const bool could = is_told && unit.description->interface(describe::InterfaceType::model_exchange) != nullptr;
  throw input_error(
      "the extrapolation '{}' needs derivatives of outputs, but unit '{}' does not provide them{}; choose one that "
      "needs values only ({}){}",
      approximation_.name, unit.name, is_told ? "" : fmt::format(" for '{}'", output.name), fmt::join(others, ", "),
      could ? ", or run the unit as Model Exchange (interface: me)" : "")
      .in_unit(unit.name)
      .of_setting("extrapolation");
}

std::uint32_t Point::declare_part(std::span<const UnitId> units, const SeesNew& sees_new) {
  const auto is_new = [&](UnitId source, UnitId u) { return source != graph::no_unit && sees_new(u, source); };
  const auto is_old = [&](UnitId source, UnitId u) { return !is_new(source, u); };
  parts_.push_back({Gather(plan_, owners_, units, is_old), Gather(plan_, owners_, units, is_new, true),
                    Gather(plan_, owners_, units, is_external), Gather(plan_, owners_, units, any), false,
                    parts_.empty()});
  parts_.back().has_routes = !parts_.back().all.empty();
  looks_back_ = looks_back_ || (parts_.size() > 1 && !parts_.back().from_old.empty());
  has_new_ = has_new_ || !parts_.back().from_new.empty();
  return static_cast<std::uint32_t>(parts_.size() - 1);
}

void Point::set_consistency(std::unique_ptr<Consistency> consistency) {
  consistency_ = std::move(consistency);
  if (!consistency_ || !has_overrides_) return;
  consistency_->set_overrides([this](RunState& state) {
    for (const auto* const source : sources_) source->apply_at_point(state);
  });
}

void Point::prepare(RunState& state) {
  const std::size_t width = continuous_.size();
  const int derivatives = approximation_.derivatives;
  history_ = History(state.memory, "history of inputs", width, derivatives);
  coarse_ = History(state.memory, "history of inputs at accepted steps", width, derivatives);
  const auto orders = static_cast<std::size_t>(derivatives);
  slopes_.assign(orders * width, 0.0);
  state.signals.output_derivatives.assign(orders * state.signals.outputs.column<double>().size(), 0.0);
  held_ = state.memory.stays.reserve<double>("inputs of the step that is kept", width);
  past_ = &history_;
  for (auto* const source : sources_) source->prepare(state);
  is_plain_ = order_ == 0 && sources_.empty() && !guesses_ && !looks_back_;
  ends_plainly_ = is_plain_ && bonds_ == nullptr && !consistency_;
}

// --- a step ---------------------------------------------------------------------------------------------------------

void Point::begin_course(RunState& state) {
  past_ = interval_.past == Past::coarse ? &coarse_ : &history_;
  for (auto* const source : sources_) source->begin_step(interval_, state);
  next_jump_ = order_ > 0 && !sources_.empty() ? next_event(state) : fleet::never;
  state.signals.set_order(order_);
  if (order_ > 0 || guesses_) {
    if (!is_blind()) remember(state);
    find_weights(state);
  } else if (is_blind()) {
    // Held inputs are the same as in the step with Past::kept.
    const auto kept = state.memory.stays[held_];
    std::copy(kept.begin(), kept.end(), state.signals.inputs.column<double>().begin());
  }
  if (guesses_ && order_ > 0) extrapolate(state, external_);
  if (looks_back_) previous_ = state.signals.outputs;
}

// Adds all inputs at the beginning of the step to the past.
void Point::remember(RunState& state) {
  auto& signals = state.signals;
  everything_(signals.outputs, signals.inputs, interval_.t);
  for (std::size_t m = 0; m < static_cast<std::size_t>(approximation_.derivatives); ++m)
    everything_.derivatives(signals.outputs,
                            signals.output_derivatives.data() + m * signals.outputs.column<double>().size(),
                            slopes_.data() + m * continuous_.size(), interval_.t, static_cast<int>(m) + 1);
  past_->push(state.memory, interval_.t, signals.inputs.column<double>(), slopes_);
  if (order_ > 0) signals.derivatives.resize(static_cast<std::size_t>(order_) * signals.inputs.column<double>().size());
}

void Point::find_weights(const RunState& state) {
  const int data = past_->points(state.memory) * each_;
  known_ = std::min(std::max(order_, guesses_ ? 1 : 0) + 1, data);
  behind_ = std::min(order_, data);
  std::array<Time, most_points + 1> times{interval_.end};
  for (int k = 0; k < known_; ++k) {
    times[static_cast<std::size_t>(k) + 1] = past_->time(state.memory, k / each_);
    data_[static_cast<std::size_t>(k)] = past_->data(state.memory, k / each_, k % each_).data();
  }
  const auto known = std::span(times).subspan(1, static_cast<std::size_t>(known_));
  if (guesses_) approximation_.weights(known, interval_.end, ahead_);
  if (order_ == 0) return;
  approximation_.weights(known, interval_.t, from_here_);
  if (guesses_ || has_new_)
    approximation_.weights(std::span(times).first(static_cast<std::size_t>(behind_) + 1), interval_.t, through_end_);
}

void Point::give_course(RunState& state, const Part& part) const {
  if (order_ == 0) {
    hold(state, part);
  } else {
    const auto& outputs = part.first || !looks_back_ ? state.signals.outputs : previous_;
    part.from_old(outputs, state.signals.inputs, interval_.t);
    if (is_blind()) go_on(state, part);
    extrapolate(state, part.from_old.real_inputs());
    interpolate(state, part);
  }
  override_inputs(state);
}

void Point::hold(RunState& state, const Part& part) const {
  const auto& outputs = part.first || !looks_back_ ? state.signals.outputs : previous_;
  const auto& gather = is_blind() ? part.external : part.from_old;
  gather(outputs, state.signals.inputs, interval_.t);
  part.from_new(state.signals.outputs, state.signals.inputs, interval_.end);
}

double Point::past(const std::array<double, most_points>& weights, std::size_t first, int data, std::uint32_t input,
                   double sum) const {
  for (std::size_t k = 0; k < static_cast<std::size_t>(data); ++k) sum += weights[first + k] * data_[k][input];
  return sum;
}

// Inputs begin on the polynomials of the past; future values that are known are used.
void Point::go_on(RunState& state, const Part& part) const {
  auto& inputs = state.signals.inputs.column<double>();
  for (const auto input : part.from_old.real_inputs())
    inputs[input] = continuous_[input] ? past(from_here_[0], 0, known_, input) : past_->values(state.memory, 0)[input];
}

void Point::extrapolate(RunState& state, std::span<const std::uint32_t> some) const {
  const std::size_t width = continuous_.size();
  for (int m = 1; m <= order_; ++m) {
    double* const to = state.signals.derivatives.data() + static_cast<std::size_t>(m - 1) * width;
    const auto& w = from_here_[static_cast<std::size_t>(m)];
    for (const auto input : some) to[input] = m < known_ && continuous_[input] ? past(w, 0, known_, input) : 0.0;
  }
}

// Through the past and the new value at the end of the step; the value at the beginning is unchanged.
void Point::interpolate(RunState& state, const Part& part) const {
  if (part.from_new.empty()) return;
  auto& inputs = state.signals.inputs.column<double>();
  part.from_new(state.signals.outputs, state.signals.inputs, interval_.end);
  for (const auto input : part.from_new.real_inputs()) {
    const double end = inputs[input];
    if (continuous_[input]) {
      end_at(state, input, end);
      if (is_blind()) inputs[input] = past(through_end_[0], 1, behind_, input, through_end_[0][0] * end);
      continue;
    }
    for (int m = 1; m <= order_; ++m)
      state.signals.derivatives[static_cast<std::size_t>(m - 1) * inputs.size() + input] = 0;
  }
}

void Point::end_at(RunState& state, std::uint32_t input, double end) const {
  auto& signals = state.signals;
  auto& inputs = signals.inputs.column<double>();
  if (order_ == 0) {
    inputs[input] = end;
    return;
  }
  for (int m = 1; m <= order_; ++m) {
    const auto& w = through_end_[static_cast<std::size_t>(m)];
    const double sum = m <= behind_ ? past(w, 1, behind_, input, w[0] * end) : 0.0;
    signals.derivatives[static_cast<std::size_t>(m - 1) * inputs.size() + input] = sum;
  }
  inputs[input] = past_->values(state.memory, 0)[input];
}

double Point::guess(std::uint32_t input) const { return past(ahead_[0], 0, known_, input); }

void Point::override_inputs(RunState& state) const {
  if (!has_overrides_) return;
  for (const auto* const source : sources_) source->apply(state);
}

void Point::end_course(RunState& state, const Interval& interval, std::uint64_t events) {
  if (order_ == 0 && interval.past == Past::kept) {
    const auto& inputs = state.signals.inputs.column<double>();
    std::copy(inputs.begin(), inputs.end(), state.memory.stays[held_].begin());
  }
  if (bonds_ != nullptr) {
    looked_at_ = &state;
    bonds_->observe(state, interval.h, is_overridden_);
  }
  // Polynomials must not pass discontinuities, so an event drops the past.
  if (order_ > 0 && (next_jump_ <= state.t + slack_ || state.events != events)) past_->drop(state.memory);
  look_up(state);
  make_consistent(state);
}

void Point::agree(RunState& state) {
  const fleet::Timeline::Span span(timeline_, agreeing_);
  (*consistency_)(fleet_, state);
}

// --- between steps --------------------------------------------------------------------------------------------------

void Point::give_all(RunState& state) const {
  everything_(state.signals.outputs, state.signals.inputs, state.t);
  if (!has_overrides_) return;
  for (const auto* const source : sources_) source->apply_at_point(state);
}

void Point::end_events(RunState& state) {
  history_.drop(state.memory);
  coarse_.drop(state.memory);
  make_consistent(state);
}

void Point::begin_due_of_sources(RunState& state) {
  bool changed = false;
  for (auto* const source : sources_) changed = source->begin_due(state) || changed;
  if (changed && consistency_) (*consistency_)(fleet_, state);
}

void Point::look_up(RunState& state) const {
  for (auto* const source : sources_) source->at_point(state);
}

void Point::route(std::span<const UnitId> units, const Columns& outputs, Columns& inputs, Time t) const {
  Gather(plan_, owners_, units, any)(outputs, inputs, t);
}

void Point::tick(const RunState& state) const {
  for (auto* const source : sources_) source->tick(state, fleet_);
}

Time Point::next_event_of_sources(const RunState& state) const {
  Time next = fleet::never;
  for (const auto* const source : sources_) next = std::min(next, source->next_event(state));
  return next;
}

Time Point::next_corner_of_sources(const RunState& state) const {
  Time next = fleet::never;
  for (const auto* const source : sources_) next = std::min(next, source->next_corner(state));
  return next;
}

}  // namespace consort::couple
