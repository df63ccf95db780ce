// The lower mass of a quarter car, driven by the displacement and velocity of the chassis.
#pragma once

#include <consort/model.hpp>

struct QuarterCarWheel {
  double z_chassis = 0, v_chassis = 0;
  double road = 0.1;
  double z = 0, der_z = 0;
  double v = 0, der_v = 0;
  double m = 40, k = 15000, d = 1000, k_tyre = 150000;

  static constexpr auto describe() {
    using M = QuarterCarWheel;
    using namespace consort::model;
    return declare({.description = "Wheel of a quarter car, driven by displacements", .stop_time = 3, .step = 1e-3},
                   input<&M::z_chassis>("m", "displacement of the chassis"),
                   input<&M::v_chassis>("m/s", "velocity of the chassis"),
                   input<&M::road>("m", "height of the road, a step at the start"),
                   state<&M::z, &M::der_z>("m", "displacement").output().depends_on<&M::v>(),
                   state<&M::v, &M::der_v>("m/s", "velocity")
                       .output()
                       .depends_on<&M::z_chassis, &M::v_chassis, &M::road, &M::z, &M::v>(),
                   parameter<&M::m>("kg", "mass"), parameter<&M::k>("N/m", "stiffness of the suspension"),
                   parameter<&M::d>("N.s/m", "damping of the suspension"),
                   parameter<&M::k_tyre>("N/m", "stiffness of the tyre"));
  }

  void derivatives() {
    der_z = v;
    der_v = (k * (z_chassis - z) + d * (v_chassis - v) + k_tyre * (road - z)) / m;
  }
};
