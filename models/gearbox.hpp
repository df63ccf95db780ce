// A gearbox without inertia: all outputs have feed-through, with the ratio of the selected gear.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <consort/model.hpp>

struct Gearbox {
  std::int32_t gear = 1;
  double t_in = 0, w_out = 0;
  double w_in = 0, t_out = 0;
  std::array<double, 6> ratios{6.0, 3.5, 2.2, 1.5, 1.0, 0.8};
  double efficiency = 0.97;

  static constexpr auto describe() {
    using M = Gearbox;
    using namespace consort::model;
    return declare({.description = "Gearbox", .stop_time = 20, .step = 1e-2},
                   input<&M::gear>("1 to 6, 0 for neutral").between(0, 6),
                   input<&M::t_in>("N.m", "torque of the clutch"),
                   input<&M::w_out>("rad/s", "speed of the axle's side"),
                   output<&M::w_in>("rad/s", "speed of the clutch's side").depends_on<&M::gear, &M::w_out>(),
                   output<&M::t_out>("N.m", "torque on the axle").depends_on<&M::gear, &M::t_in>(),
                   parameter<&M::ratios>("of the gears"), parameter<&M::efficiency>("of all gears").between(0, 1));
  }

  [[nodiscard]] double ratio() const {
    return gear < 1 ? 0.0 : ratios[static_cast<std::size_t>(std::min(gear, 6) - 1)];
  }
  void outputs() {
    w_in = ratio() * w_out;
    t_out = ratio() * t_in * efficiency;
  }
};
