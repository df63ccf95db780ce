// The whole quarter car: the reference for coupled chassis and wheel.
#pragma once

#include <consort/model.hpp>

struct QuarterCar {
  double road = 0.1;
  double z_chassis = 0, der_z_chassis = 0, v_chassis = 0, der_v_chassis = 0;
  double z_wheel = 0, der_z_wheel = 0, v_wheel = 0, der_v_wheel = 0;
  double m_chassis = 400, m_wheel = 40, k = 15000, d = 1000, k_tyre = 150000;

  static constexpr auto describe() {
    using M = QuarterCar;
    using namespace consort::model;
    return declare(
        {.description = "Quarter car", .stop_time = 3, .step = 1e-3},
        input<&M::road>("m", "height of the road, a step at the start"),
        state<&M::z_chassis, &M::der_z_chassis>("m", "displacement of the chassis")
            .output()
            .depends_on<&M::v_chassis>(),
        state<&M::v_chassis, &M::der_v_chassis>("m/s", "velocity of the chassis")
            .output()
            .depends_on<&M::z_chassis, &M::v_chassis, &M::z_wheel, &M::v_wheel>(),
        state<&M::z_wheel, &M::der_z_wheel>("m", "displacement of the wheel").output().depends_on<&M::v_wheel>(),
        state<&M::v_wheel, &M::der_v_wheel>("m/s", "velocity of the wheel")
            .output()
            .depends_on<&M::road, &M::z_chassis, &M::v_chassis, &M::z_wheel, &M::v_wheel>(),
        parameter<&M::m_chassis>("kg", "mass of the chassis"), parameter<&M::m_wheel>("kg", "mass of the wheel"),
        parameter<&M::k>("N/m", "stiffness of the suspension"), parameter<&M::d>("N.s/m", "damping of the suspension"),
        parameter<&M::k_tyre>("N/m", "stiffness of the tyre"));
  }

  void derivatives() {
    const double lift = k * (z_wheel - z_chassis) + d * (v_wheel - v_chassis);
    der_z_chassis = v_chassis;
    der_v_chassis = lift / m_chassis;
    der_z_wheel = v_wheel;
    der_v_wheel = (k_tyre * (road - z_wheel) - lift) / m_wheel;
  }
};
