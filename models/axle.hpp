// An axle with a final drive: the shafts twist, and the wheels push the vehicle.
#pragma once

#include <consort/model.hpp>

struct Axle {
  double t_in = 0, speed = 0;
  double w = 0, der_w = 0;
  double twist = 0, der_twist = 0;
  double w_in = 0, force = 0;
  double ratio = 3.7, radius = 0.5, inertia = 4, k = 40000, d = 800;

  static constexpr auto describe() {
    using M = Axle;
    using namespace consort::model;
    return declare({.description = "Driven axle", .stop_time = 20, .step = 1e-3},
                   input<&M::t_in>("N.m", "torque of the gearbox"), input<&M::speed>("m/s", "of the vehicle"),
                   state<&M::w, &M::der_w>("rad/s", "speed of the final drive")
                       .depends_on<&M::t_in, &M::speed, &M::w, &M::twist>(),
                   state<&M::twist, &M::der_twist>("rad", "of the shafts").depends_on<&M::speed, &M::w>(),
                   output<&M::w_in>("rad/s", "speed of the gearbox's side").depends_on<&M::w>(),
                   output<&M::force>("N", "on the vehicle").depends_on<&M::speed, &M::w, &M::twist>(),
                   parameter<&M::ratio>("of the final drive"), parameter<&M::radius>("m", "of the wheels"),
                   parameter<&M::inertia>("kg.m2", "of the final drive"), parameter<&M::k>("N.m/rad", "of the shafts"),
                   parameter<&M::d>("N.m.s/rad", "of the shafts"));
  }

  [[nodiscard]] double shaft_torque() const { return k * twist + d * (w - speed / radius); }
  void derivatives() {
    der_w = (ratio * t_in - shaft_torque()) / inertia;
    der_twist = w - speed / radius;
  }
  void outputs() {
    w_in = ratio * w;
    force = shaft_torque() / radius;
  }
};
