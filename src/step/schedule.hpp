// Which units see whose new values within a step, and which may run at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/plan.hpp"
#include "graph/run_settings.hpp"

namespace consort::step {

// Waves run one after another, the units of a wave at the same time. A unit sees the new values
// of the units that come before it in a serial group.
class Schedule {
 public:
  // All at once: nobody sees anything new.
  static Schedule parallel(const graph::Plan& plan);
  // One after another.
  static Schedule serial(const graph::Plan& plan, const std::vector<graph::UnitId>& order);
  // As the user says; units that are not named come first, in parallel. Throws Error (input): unknown units,
  // units named twice.
  static Schedule given(const graph::Plan& plan, const graph::ScheduleEntry& root);

  [[nodiscard]] const std::vector<std::vector<graph::UnitId>>& waves() const { return waves_; }
  // Whether `unit` takes what `source` computed in the same step.
  [[nodiscard]] bool sees_new(graph::UnitId unit, graph::UnitId source) const;

 private:
  // The way from the root of the groups to a unit: at each level which group, whether it is serial, and the place in
  // it.
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
