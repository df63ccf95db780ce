// All units in the caller's thread, one after another.
#pragma once

#include <memory>
#include <span>

#include "unit/fleet.hpp"
#include "unit/local_units.hpp"

namespace consort::unit {

class SerialFleet final : public Fleet {
 public:
  // The units and what the ports point at must outlive the fleet.
  SerialFleet(std::span<const std::unique_ptr<Unit>> units, std::span<const Ports> ports) : units_(units, ports) {}

  [[nodiscard]] std::size_t size() const override { return units_.size(); }
  [[nodiscard]] Unit& unit(UnitId id) override { return units_[id].unit(); }
  void submit(std::span<const UnitId> units, Verb verb, const StepRequest& request, Signals& signals) override;
  bool wait() override { return served_.settle(); }
  [[nodiscard]] std::span<const StepOutcome> outcomes() const override { return units_.outcomes(); }
  void save(std::span<const UnitId> units, FleetSnapshot& snapshot) override { units_.save(units, snapshot); }
  void restore(const FleetSnapshot& snapshot) override { units_.restore(snapshot); }
  [[nodiscard]] std::span<const Columns> parts(UnitId id) const override { return units_[id].parts(); }
  [[nodiscard]] ExchangeCounts counts(UnitId id) const override { return units_[id].counts(); }
  void go_on_from(UnitId id, const ExchangeCounts& counts) override { units_[id].go_on_from(counts); }
  [[nodiscard]] double cost(UnitId id) const override { return units_.cost(id); }
  void trace(Timeline* timeline) override { timeline_ = timeline; }

 private:
  LocalUnits units_;
  Served served_;
  Sampling sampling_;
  Timeline* timeline_ = nullptr;
};

}  // namespace consort::unit
