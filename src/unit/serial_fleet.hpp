// All units in the caller's thread, one after another.
#pragma once

#include <memory>
#include <vector>

#include "unit/exchange.hpp"
#include "unit/fleet.hpp"

namespace consort::unit {

class SerialFleet final : public Fleet {
 public:
  // The units and what the ports point at must outlive the fleet.
  SerialFleet(std::span<const std::unique_ptr<Unit>> units, std::span<const Ports> ports);

  [[nodiscard]] std::size_t size() const override { return exchanges_.size(); }
  [[nodiscard]] Unit& unit(UnitId id) override { return exchanges_[id].unit(); }
  void submit(std::span<const UnitId> units, Verb verb, const StepRequest& request, Signals& signals) override;
  bool wait() override { return all_completed_; }
  [[nodiscard]] std::span<const StepOutcome> outcomes() const override { return outcomes_; }
  void save(std::span<const UnitId> units, FleetSnapshot& snapshot) override;
  void restore(const FleetSnapshot& snapshot) override;
  [[nodiscard]] ExchangeCounts counts(UnitId id) const override { return exchanges_[id].counts(); }
  [[nodiscard]] double cost(UnitId id) const override { return costs_[id]; }

 private:
  static constexpr std::uint32_t sample_every = 64;  // steps: reading the clock must not show

  void step(std::span<const UnitId> units, const StepRequest& request, Signals& signals);
  void step_and_measure(std::span<const UnitId> units, const StepRequest& request, Signals& signals);

  std::vector<Exchange> exchanges_;
  std::vector<StepOutcome> outcomes_;
  std::vector<double> costs_;
  std::uint32_t submitted_ = 0;
  bool all_completed_ = true;
};

// What every fleet of this process does to save and restore.
void save_units(std::span<Exchange> exchanges, std::span<const UnitId> units, FleetSnapshot& snapshot);
void restore_units(std::span<Exchange> exchanges, const FleetSnapshot& snapshot);

}  // namespace consort::unit
