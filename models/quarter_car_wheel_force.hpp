// The lower mass of a quarter car, driven by the force of the suspension.
#pragma once

#include <consort/model.hpp>

struct QuarterCarWheelForce {
  double force = 0;
  double road = 0.1;
  double z = 0, der_z = 0;
  double v = 0, der_v = 0;
  double m = 40, k_tyre = 150000;

  static constexpr auto describe() {
    using M = QuarterCarWheelForce;
    using namespace consort::model;
    return declare({.description = "Wheel of a quarter car, driven by a force", .stop_time = 3, .step = 1e-3},
                   input<&M::force>("N", "of the suspension, upwards"),
                   input<&M::road>("m", "height of the road, a step at the start"),
                   state<&M::z, &M::der_z>("m", "displacement").output().depends_on<&M::v>(),
                   state<&M::v, &M::der_v>("m/s", "velocity").output().depends_on<&M::force, &M::road, &M::z>(),
                   parameter<&M::m>("kg", "mass"), parameter<&M::k_tyre>("N/m", "stiffness of the tyre"));
  }

  void derivatives() {
    der_z = v;
    der_v = (force + k_tyre * (road - z)) / m;
  }
};
