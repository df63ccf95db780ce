// The whole vehicle on four wheels: the reference for a VehicleChassis with four VehicleWheels.
#pragma once

#include <array>
#include <cstddef>

#include <consort/model.hpp>

struct Vehicle {
  using Corners = std::array<double, 4>;  // front left, front right, rear left, rear right

  Corners road{};
  double z = 0, der_z = 0, v = 0, der_v = 0;
  double pitch = 0, der_pitch = 0, pitch_rate = 0, der_pitch_rate = 0;
  double roll = 0, der_roll = 0, roll_rate = 0, der_roll_rate = 0;
  Corners z_wheel{}, der_z_wheel{}, v_wheel{}, der_v_wheel{};
  double m = 1200, pitch_inertia = 2000, roll_inertia = 500, front = 1.2, rear = 1.4, half_track = 0.75;
  double m_wheel = 40, k = 20000, d = 1500, k_tyre = 180000;

  static constexpr auto describe() {
    using M = Vehicle;
    using namespace consort::model;
    return declare(
        {.description = "Vehicle on four wheels", .stop_time = 5, .step = 1e-3},
        input<&M::road>("m", "height of the road: front left, front right, rear left, rear right"),
        state<&M::z, &M::der_z>("m", "heave").output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "velocity of the heave").output(),
        state<&M::pitch, &M::der_pitch>("rad", "pitch, front down").output().depends_on<&M::pitch_rate>(),
        state<&M::pitch_rate, &M::der_pitch_rate>("rad/s", "rate of the pitch").output(),
        state<&M::roll, &M::der_roll>("rad", "roll, right down").output().depends_on<&M::roll_rate>(),
        state<&M::roll_rate, &M::der_roll_rate>("rad/s", "rate of the roll").output(),
        state<&M::z_wheel, &M::der_z_wheel>("m", "displacements of the wheels").output().depends_on<&M::v_wheel>(),
        state<&M::v_wheel, &M::der_v_wheel>("m/s", "velocities of the wheels").output(),
        parameter<&M::m>("kg", "mass of the body"), parameter<&M::pitch_inertia>("kg.m2", "inertia of the pitch"),
        parameter<&M::roll_inertia>("kg.m2", "inertia of the roll"), parameter<&M::front>("m", "to the front axle"),
        parameter<&M::rear>("m", "to the rear axle"), parameter<&M::half_track>("m", "to the wheels of one side"),
        parameter<&M::m_wheel>("kg", "mass of a wheel"), parameter<&M::k>("N/m", "stiffness of a suspension"),
        parameter<&M::d>("N.s/m", "damping of a suspension"), parameter<&M::k_tyre>("N/m", "stiffness of a tyre"));
  }

  void derivatives() {
    double lift = 0, pitch_moment = 0, roll_moment = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double ahead = i < 2 ? front : -rear;
      const double left = i % 2 == 0 ? half_track : -half_track;
      const double stretch = z_wheel[i] - (z - ahead * pitch + left * roll);
      const double stretch_rate = v_wheel[i] - (v - ahead * pitch_rate + left * roll_rate);
      const double force = k * stretch + d * stretch_rate;
      lift += force;
      pitch_moment -= ahead * force;
      roll_moment += left * force;
      der_z_wheel[i] = v_wheel[i];
      der_v_wheel[i] = (k_tyre * (road[i] - z_wheel[i]) - force) / m_wheel;
    }
    der_z = v;
    der_v = lift / m;
    der_pitch = pitch_rate;
    der_pitch_rate = pitch_moment / pitch_inertia;
    der_roll = roll_rate;
    der_roll_rate = roll_moment / roll_inertia;
  }
};
