// A wheel of a vehicle with its suspension. The force has feed-through from the motion of the body's corner above it.
#pragma once

#include <consort/model.hpp>

struct VehicleWheel {
  double z_corner = 0, v_corner = 0, road = 0;
  double z = 0, der_z = 0;
  double v = 0, der_v = 0;
  double force = 0;
  double m = 40, k = 20000, d = 1500, k_tyre = 180000;

  static constexpr auto describe() {
    using M = VehicleWheel;
    using namespace consort::model;
    return declare(
        {.description = "Wheel of a vehicle with its suspension", .stop_time = 5, .step = 1e-3},
        input<&M::z_corner>("m", "displacement of the body above"),
        input<&M::v_corner>("m/s", "velocity of the body above"), input<&M::road>("m", "height of the road"),
        state<&M::z, &M::der_z>("m", "displacement").output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "velocity"),
        output<&M::force>("N", "on the body, upwards").depends_on<&M::z_corner, &M::v_corner, &M::z, &M::v>(),
        parameter<&M::m>("kg", "mass"), parameter<&M::k>("N/m", "stiffness of the suspension"),
        parameter<&M::d>("N.s/m", "damping of the suspension"), parameter<&M::k_tyre>("N/m", "stiffness of the tyre"));
  }

  [[nodiscard]] double suspension() const { return k * (z - z_corner) + d * (v - v_corner); }
  void derivatives() {
    der_z = v;
    der_v = (k_tyre * (road - z) - suspension()) / m;
  }
  void outputs() { force = suspension(); }
};
