// The upper mass of a quarter car, driven by the wheel's displacement and velocity. Outputs: its own displacement and
// velocity (for displacement-displacement coupling) and the force of the suspension (for force-displacement coupling,
// with feed-through).
#pragma once

#include <consort/model.hpp>

struct QuarterCarChassis {
  double z_wheel = 0, v_wheel = 0;
  double z = 0, der_z = 0;
  double v = 0, der_v = 0;
  double force = 0;
  double m = 400, k = 15000, d = 1000;

  static constexpr auto describe() {
    using M = QuarterCarChassis;
    using namespace consort::model;
    return declare(
        {.description = "Chassis of a quarter car", .stop_time = 3, .step = 1e-3},
        input<&M::z_wheel>("m", "displacement of the wheel"), input<&M::v_wheel>("m/s", "velocity of the wheel"),
        state<&M::z, &M::der_z>("m", "displacement").output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "velocity").output().depends_on<&M::z_wheel, &M::v_wheel, &M::z, &M::v>(),
        output<&M::force>("N", "of the suspension on the wheel, upwards")
            .depends_on<&M::z_wheel, &M::v_wheel, &M::z, &M::v>(),
        parameter<&M::m>("kg", "mass"), parameter<&M::k>("N/m", "stiffness of the suspension"),
        parameter<&M::d>("N.s/m", "damping of the suspension"));
  }

  [[nodiscard]] double suspension() const { return k * (z - z_wheel) + d * (v - v_wheel); }
  void derivatives() {
    der_z = v;
    der_v = -suspension() / m;
  }
  void outputs() { force = suspension(); }
};
