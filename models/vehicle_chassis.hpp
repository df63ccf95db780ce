// The body of a vehicle on four wheels: heave, pitch and roll. With four VehicleWheels, it forms a system of five
// units.
#pragma once

#include <array>

#include <consort/model.hpp>

struct VehicleChassis {
  std::array<double, 4> force{};
  double z = 0, der_z = 0, v = 0, der_v = 0;
  double pitch = 0, der_pitch = 0, pitch_rate = 0, der_pitch_rate = 0;
  double roll = 0, der_roll = 0, roll_rate = 0, der_roll_rate = 0;
  std::array<double, 4> z_corner{}, v_corner{};
  double m = 1200, pitch_inertia = 2000, roll_inertia = 500, front = 1.2, rear = 1.4, half_track = 0.75;

  static constexpr auto describe() {
    using M = VehicleChassis;
    using namespace consort::model;
    return declare(
        {.description = "Body of a vehicle on four wheels", .stop_time = 5, .step = 1e-3},
        input<&M::force>("N", "of the suspensions, upwards: front left, front right, rear left, rear right"),
        state<&M::z, &M::der_z>("m", "heave").output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "velocity of the heave").depends_on<&M::force>(),
        state<&M::pitch, &M::der_pitch>("rad", "pitch, front down").output().depends_on<&M::pitch_rate>(),
        state<&M::pitch_rate, &M::der_pitch_rate>("rad/s", "rate of the pitch").depends_on<&M::force>(),
        state<&M::roll, &M::der_roll>("rad", "roll, right down").output().depends_on<&M::roll_rate>(),
        state<&M::roll_rate, &M::der_roll_rate>("rad/s", "rate of the roll").depends_on<&M::force>(),
        output<&M::z_corner>("m", "displacement above the wheels").depends_on<&M::z, &M::pitch, &M::roll>(),
        output<&M::v_corner>("m/s", "velocity above the wheels").depends_on<&M::v, &M::pitch_rate, &M::roll_rate>(),
        parameter<&M::m>("kg", "mass"), parameter<&M::pitch_inertia>("kg.m2", "inertia of the pitch"),
        parameter<&M::roll_inertia>("kg.m2", "inertia of the roll"), parameter<&M::front>("m", "to the front axle"),
        parameter<&M::rear>("m", "to the rear axle"), parameter<&M::half_track>("m", "to the wheels of one side"));
  }

  void derivatives() {
    der_z = v;
    der_v = (force[0] + force[1] + force[2] + force[3]) / m;
    der_pitch = pitch_rate;
    der_pitch_rate = (rear * (force[2] + force[3]) - front * (force[0] + force[1])) / pitch_inertia;
    der_roll = roll_rate;
    der_roll_rate = half_track * (force[0] + force[2] - force[1] - force[3]) / roll_inertia;
  }
  void outputs() {
    for (std::size_t i = 0; i < 4; ++i) {
      const double forward = i < 2 ? front : -rear;
      const double side = i % 2 == 0 ? half_track : -half_track;
      z_corner[i] = z - forward * pitch + side * roll;
      v_corner[i] = v - forward * pitch_rate + side * roll_rate;
    }
  }
};
