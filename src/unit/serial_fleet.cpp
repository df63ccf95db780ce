#include "unit/serial_fleet.hpp"

#include <chrono>

#include "base/error.hpp"

namespace consort::unit {

SerialFleet::SerialFleet(std::span<const std::unique_ptr<Unit>> units, std::span<const Ports> ports)
    : outcomes_(units.size()), costs_(units.size(), 0.0) {
  CONSORT_ASSERT(units.size() == ports.size());
  exchanges_.reserve(units.size());
  for (UnitId id = 0; id < units.size(); ++id) exchanges_.emplace_back(*units[id], id, ports[id]);
}

void SerialFleet::submit(std::span<const UnitId> units, Verb verb, const StepRequest& request, Signals& signals) {
  all_completed_ = true;
  switch (verb) {
    case Verb::step:
      if (submitted_++ % sample_every == 0) return step_and_measure(units, request, signals);
      return step(units, request, signals);
    case Verb::evaluate:
      for (const auto id : units) exchanges_[id].evaluate(signals);
      return;
    case Verb::read:
      for (const auto id : units) exchanges_[id].read(signals);
      return;
  }
}

void SerialFleet::step(std::span<const UnitId> units, const StepRequest& request, Signals& signals) {
  for (const auto id : units) {
    const auto outcome = exchanges_[id].step(request, signals);
    outcomes_[id] = outcome;
    if (!outcome.completed()) [[unlikely]]
      all_completed_ = false;
  }
}

void SerialFleet::step_and_measure(std::span<const UnitId> units, const StepRequest& request, Signals& signals) {
  using Clock = std::chrono::steady_clock;
  auto before = Clock::now();
  for (const auto id : units) {
    step(std::span(&id, 1), request, signals);
    const auto after = Clock::now();
    const double seconds = std::chrono::duration<double>(after - before).count();
    costs_[id] = costs_[id] == 0.0 ? seconds : costs_[id] + 0.25 * (seconds - costs_[id]);
    before = after;
  }
}

void save_units(std::span<Exchange> exchanges, std::span<const UnitId> units, FleetSnapshot& snapshot) {
  snapshot.units.resize(exchanges.size());
  for (const auto id : units) {
    auto* const rollback = exchanges[id].unit().rollback();
    if (rollback == nullptr) throw run_error("unit '{}' cannot save its state", exchanges[id].unit().name());
    snapshot.units[id] = rollback->save(std::move(snapshot.units[id]));
  }
}

void restore_units(std::span<Exchange> exchanges, const FleetSnapshot& snapshot) {
  for (UnitId id = 0; id < snapshot.units.size(); ++id)
    if (snapshot.units[id]) exchanges[id].unit().rollback()->restore(*snapshot.units[id]);
}

void SerialFleet::save(std::span<const UnitId> units, FleetSnapshot& snapshot) {
  save_units(exchanges_, units, snapshot);
}
void SerialFleet::restore(const FleetSnapshot& snapshot) { restore_units(exchanges_, snapshot); }

}  // namespace consort::unit
