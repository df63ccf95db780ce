// Accesses name, description and values of a unit of a fleet.
#pragma once

#include "fleet/fleet.hpp"
#include "graph/plan.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

class UnitView final : public unit::Variables {
 public:
  // Both arguments must outlive this object.
  UnitView(const graph::Plan& plan, fleet::Fleet& fleet, graph::UnitId unit)
      : planned_(plan.units[unit]), fleet_(fleet), unit_(unit) {}

  [[nodiscard]] const std::string& name() const override { return planned_.name; }
  [[nodiscard]] const describe::Description& description() const override { return *planned_.description; }
  void get(const describe::SignalSet& signals, Columns& values) override { fleet_.get(unit_, signals, values); }
  void set(const describe::SignalSet& signals, Columns& values) override { fleet_.set(unit_, signals, values); }
  [[nodiscard]] std::string try_get(const describe::SignalSet& signals, Columns& values) override {
    return fleet_.try_get(unit_, signals, values);
  }
  [[nodiscard]] bool reset() override { return fleet_.reset(unit_); }
  bool configure(const describe::SignalSet& signals, Columns& values) override {
    return fleet_.configure(unit_, signals, values);
  }

 private:
  const graph::PlannedUnit& planned_;
  fleet::Fleet& fleet_;
  graph::UnitId unit_;
};

}  // namespace consort::engine
