// The whole car as one model: the equations of a RaceCarChassis and four RaceCarWheels without a coupling.
#pragma once

#include <array>
#include <cstddef>

#include <consort/model.hpp>

#include "race_car_chassis.hpp"
#include "race_car_wheel.hpp"

struct RaceCar {
  using Chassis = RaceCarChassis;
  race_car::Vector r = Chassis{}.r, der_r{}, v = Chassis{}.v, der_v{}, attitude{}, der_attitude{}, w{}, der_w{};
  std::array<double, 4> travel{}, der_travel{}, travel_rate{}, der_travel_rate{};
  double steer = 0, der_steer = 0, lack = 0, der_lack = 0;
  std::array<double, 4> spin{}, der_spin{}, slip{}, der_slip{}, angle{}, der_angle{};

  static constexpr auto describe() {
    using M = RaceCar;
    using namespace consort::model;
    return declare({.description = "Race car in one piece", .stop_time = 5, .step = 1e-3},
                   state<&M::r, &M::der_r>("m", "position").output(),
                   state<&M::v, &M::der_v>("m/s", "velocity").output(),
                   state<&M::attitude, &M::der_attitude>("rad", "roll, pitch, yaw").output(),
                   state<&M::w, &M::der_w>("rad/s", "angular velocity").output(),
                   state<&M::travel, &M::der_travel>("m", "of the suspensions").output(),
                   state<&M::travel_rate, &M::der_travel_rate>("m/s", "velocity of the suspensions"),
                   state<&M::steer, &M::der_steer>("rad", "angle of the front wheels").output(),
                   state<&M::lack, &M::der_lack>("m", "integral of the speed error"),
                   state<&M::spin, &M::der_spin>("rad/s", "of the wheels").output(),
                   state<&M::slip, &M::der_slip>("1", "longitudinal slips"),
                   state<&M::angle, &M::der_angle>("1", "lateral slips"));
  }

  void derivatives(double t) {
    Chassis c;
    c.r = r, c.v = v, c.attitude = attitude, c.w = w, c.travel = travel, c.travel_rate = travel_rate;
    c.steer = steer, c.lack = lack;
    c.outputs(t);
    for (std::size_t i = 0; i < 4; ++i) {
      RaceCarWheel wheel;
      wheel.hub_r = Chassis::of(c.hub_r, i), wheel.hub_v = Chassis::of(c.hub_v, i);
      wheel.hub_w = Chassis::of(c.hub_w, i), wheel.road_r = Chassis::of(c.road_r, i);
      wheel.road_v = Chassis::of(c.road_v, i), wheel.road_w = Chassis::of(c.road_w, i);
      for (std::size_t k = 0; k < 9; ++k) wheel.hub_t[k] = c.hub_t[9 * i + k], wheel.road_t[k] = c.road_t[9 * i + k];
      wheel.drive = c.drive[i], wheel.spin = spin[i], wheel.slip = slip[i], wheel.angle = angle[i];
      wheel.outputs();
      wheel.derivatives();
      der_spin[i] = wheel.der_spin, der_slip[i] = wheel.der_slip, der_angle[i] = wheel.der_angle;
      for (std::size_t k = 0; k < 3; ++k) c.force[3 * i + k] = wheel.force[k], c.torque[3 * i + k] = wheel.torque[k];
    }
    c.derivatives(t);
    der_r = c.der_r, der_v = c.der_v, der_attitude = c.der_attitude, der_w = c.der_w;
    der_travel = c.der_travel, der_travel_rate = c.der_travel_rate, der_steer = c.der_steer, der_lack = c.der_lack;
  }
};
