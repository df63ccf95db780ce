// An engine whose torque depends on throttle and speed, with its own inertia.
#pragma once

#include <consort/model.hpp>

struct Engine {
  double throttle = 0.5, t_load = 0;
  double w = 100, der_w = 0;
  double torque = 0;
  double inertia = 2.5, t_max = 1200, w_peak = 150, w_max = 250, drag = 0.6;

  static constexpr auto describe() {
    using M = Engine;
    using namespace consort::model;
    return declare({.description = "Combustion engine", .stop_time = 20, .step = 1e-2},
                   input<&M::throttle>("0 to 1").between(0, 1), input<&M::t_load>("N.m", "torque of the clutch on it"),
                   state<&M::w, &M::der_w>("rad/s", "speed")
                       .display("rpm")
                       .nominally(100)
                       .output()
                       .depends_on<&M::throttle, &M::t_load, &M::w>(),
                   output<&M::torque>("N.m", "at the crankshaft").depends_on<&M::throttle, &M::w>(),
                   parameter<&M::inertia>("kg.m2", "inertia"), parameter<&M::t_max>("N.m", "highest torque"),
                   parameter<&M::w_peak>("rad/s", "speed of the highest torque"),
                   parameter<&M::w_max>("rad/s", "speed above which there is no torque"),
                   parameter<&M::drag>("N.m.s/rad", "friction"));
  }

  [[nodiscard]] double crank_torque() const {
    const double off_peak = (w - w_peak) / (w_max - w_peak);
    const double full = w > w_max ? 0 : t_max * (1 - off_peak * off_peak);
    return throttle * full - drag * w;
  }
  void derivatives() { der_w = (crank_torque() + t_load) / inertia; }
  void outputs() { torque = crank_torque(); }
};
