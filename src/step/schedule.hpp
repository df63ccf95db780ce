// Which units use each other's new values within a step, and which units may run in parallel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/document.hpp"
#include "graph/plan.hpp"

namespace consort::step {

// Waves run one after another, the units of a wave in parallel. A unit uses the new values of units that come before it
// in a serial group.
class Schedule {
 public:
  // All units in parallel: no unit uses new values.
  static Schedule parallel(const graph::Plan& plan);
  // One unit after another.
  static Schedule serial(const graph::Plan& plan, const std::vector<graph::UnitId>& order);
  // As given by the user; units that are not named come first, in parallel. Throws Error (input) if a unit is unknown
  // or named twice.
  static Schedule given(const graph::Plan& plan, const graph::ScheduleEntry& root);

  [[nodiscard]] const std::vector<std::vector<graph::UnitId>>& waves() const { return waves_; }
  // True if `unit` uses values that `source` computed in the same step.
  [[nodiscard]] bool sees_new(graph::UnitId unit, graph::UnitId source) const;

 private:
  // One level of the path from the root group to a unit: the group, whether it is serial, and the position in it.
  struct Place {
    std::uint32_t group = 0;
    std::uint32_t index = 0;
    bool serial = false;
  };
  void find_waves(const graph::Plan& plan);
  void place(const graph::Plan& plan, const graph::ScheduleEntry& group, std::vector<Place>& way,
             std::uint32_t& groups);

  std::vector<std::vector<Place>> ways_;
  std::vector<std::vector<graph::UnitId>> waves_;
};

}  // namespace consort::step
