#include "unit/local_units.hpp"

#include <utility>

#include "base/error.hpp"

namespace consort::unit {

void Served::fail(UnitId id, std::exception_ptr why) noexcept {
  all_completed = false;
  if (error && failed < id) return;
  failed = id;
  error = std::move(why);
}

void Served::add(Served& other) noexcept {
  all_completed = all_completed && other.all_completed;
  if (other.error) [[unlikely]]
    fail(other.failed, std::exchange(other.error, nullptr));
  other.all_completed = true;
}

void Served::rethrow() {
  all_completed = true;
  std::rethrow_exception(std::exchange(error, nullptr));
}

LocalUnits::LocalUnits(std::span<const std::unique_ptr<Unit>> units, std::span<const Ports> ports)
    : outcomes_(units.size()), times_(units.size(), 0.0), costs_(units.size()) {
  CONSORT_ASSERT(units.size() == ports.size());
  exchanges_.reserve(units.size());
  for (UnitId id = 0; id < units.size(); ++id) {
    exchanges_.emplace_back(*units[id], id, ports[id]);
    rollbacks_.push_back(units[id]->rollback());
    keeps_inputs_ = keeps_inputs_ || exchanges_.back().keeps_inputs();
  }
}

void LocalUnits::serve_one(UnitId id, const Work& work, Served& served) {
  switch (work.verb) {
    case Verb::step: {
      const auto outcome = exchanges_[id].step(*work.request, *work.signals);
      outcomes_[id] = outcome;
      if (!outcome.completed()) [[unlikely]]
        served.all_completed = false;
      return;
    }
    case Verb::evaluate: return exchanges_[id].evaluate(*work.signals);
    case Verb::read: return exchanges_[id].read(*work.signals);
  }
}

// The step loop where inputs are held: nothing but the units' own work, as far as that can be.
void LocalUnits::step_held(std::span<const UnitId> units, const Work& work, Served& served, std::size_t& i) {
  const StepRequest& request = *work.request;
  Signals& signals = *work.signals;
  const double* const inputs = signals.inputs.column<double>().data();
  double* const outputs = signals.outputs.column<double>().data();
  const Time end = request.t + request.h;
  bool completed = true;
  for (std::size_t k = i; k < units.size(); i = ++k) {
    const UnitId id = units[k];
    Exchange& exchange = exchanges_[id];
    StepOutcome& outcome = outcomes_[id];
    if (exchange.is_direct()) [[likely]] {
      if (exchange.exchange_reals(request, inputs, outputs)) [[likely]] {
        outcome.reached = end;  // by member: as a whole it would go over the stack
        outcome.why = Why::completed;
        continue;
      }
      outcome = exchange.finish_reals(request, signals);
    } else {
      outcome = exchange.step(request, signals);
    }
    completed = completed && outcome.completed();
  }
  if (!completed) served.all_completed = false;
}

void LocalUnits::serve(std::span<const UnitId> units, const Work& work, Served& served) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    try {
      if (work.verb == Verb::step && work.signals->order == 0) step_held(units, work, served, i);
      for (; i < units.size(); ++i) serve_one(units[i], work, served);
    } catch (...) {
      served.fail(units[i], std::current_exception());
    }
  }
}

void LocalUnits::measure(std::span<const UnitId> units, const Work& work, Served& served, Timeline* timeline,
                         unsigned track) {
  using Clock = Timeline::Clock;
  auto before = Clock::now();
  for (const auto id : units) {
    serve(std::span(&id, 1), work, served);
    const auto after = Clock::now();
    const double seconds = std::chrono::duration<double>(after - before).count();
    times_[id] = seconds;
    if (work.verb == Verb::step) {
      costs_[id].seconds += seconds;
      ++costs_[id].samples;
    }
    if (timeline != nullptr) timeline->unit(track, id, before, after, work.request->t);
    before = after;
  }
}

void LocalUnits::save(std::span<const UnitId> units, FleetSnapshot& snapshot) {
  snapshot.units.resize(exchanges_.size());
  snapshot.given.resize(exchanges_.size());
  for (const auto id : units) {
    auto* const rollback = rollbacks_[id];
    if (rollback == nullptr) throw run_error("unit '{}' cannot save its state", exchanges_[id].unit().name());
    auto& state = snapshot.units[id];
    state = rollback->save(std::move(state));
  }
  if (keeps_inputs_)
    for (const auto id : units) exchanges_[id].save_inputs(snapshot.given[id]);
}

void LocalUnits::restore(const FleetSnapshot& snapshot) {
  for (UnitId id = 0; id < snapshot.units.size(); ++id) {
    if (!snapshot.units[id]) continue;
    rollbacks_[id]->restore(*snapshot.units[id]);
    if (keeps_inputs_) exchanges_[id].restore_inputs(snapshot.given[id]);
  }
}

}  // namespace consort::unit
