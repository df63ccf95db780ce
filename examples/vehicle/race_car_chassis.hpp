// The body of a race car with its suspension and its driver. It has no feed-through: every output depends only on
// states.
//
// Each of the four wheels gets 37 numbers: the frame of the hub, that of the road below it, and a torque; it returns
// six numbers. The driver steers alternately to the left and to the right with increasing speed. Order of the wheels:
// front left, front right, rear left, rear right.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <consort/model.hpp>

#include "vectors.hpp"

struct RaceCarChassis {
  static constexpr double gravity = 9.81;
  template <std::size_t N>
  using PerWheel = std::array<double, 4 * N>;  // wheel by wheel

  static constexpr PerWheel<9> level() {
    PerWheel<9> all{};
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 3; ++k) all[9 * i + 4 * k] = 1;
    return all;
  }

  PerWheel<3> force{}, torque{};
  race_car::Vector r{0, 0, 0.5}, der_r{}, v{10, 0, 0}, der_v{};
  race_car::Vector attitude{}, der_attitude{}, w{}, der_w{};  // roll, pitch, yaw; in the body's axes
  PerWheel<1> travel{}, der_travel{}, travel_rate{}, der_travel_rate{};
  double steer = 0, der_steer = 0, lack = 0, der_lack = 0;
  PerWheel<3> hub_r{}, hub_v{}, hub_w{}, road_r{}, road_v{}, road_w{};
  PerWheel<9> hub_t = level(), road_t = level();
  PerWheel<1> drive{};
  double m = 600, m_hub = 20, front = 1.4, rear = 1.2, half_track = 0.8, height = 0.2;
  race_car::Vector inertia{150, 600, 700};
  double k = 4e4, d = 3e3, steer_most = 0.05, steer_period = 5, steer_lag = 0.1;
  double speed_start = 10, speed_gain = 1, kp = 150, ki = 50, wave = 0.01, wave_length = 6;

  static constexpr auto describe() {
    using M = RaceCarChassis;
    using namespace consort::model;
    return declare(
        {.description = "Body, suspension and driver of a race car", .stop_time = 5, .step = 1e-3},
        input<&M::force>("N", "on the hubs, in the world's axes"), input<&M::torque>("N.m", "on the hubs"),
        state<&M::r, &M::der_r>("m", "position").output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "velocity").output(),
        state<&M::attitude, &M::der_attitude>("rad", "roll, pitch, yaw").output().depends_on<&M::attitude, &M::w>(),
        state<&M::w, &M::der_w>("rad/s", "angular velocity, in the body's axes").output(),
        state<&M::travel, &M::der_travel>("m", "of the suspensions, upwards").output().depends_on<&M::travel_rate>(),
        state<&M::travel_rate, &M::der_travel_rate>("m/s", "velocity of the suspensions"),
        state<&M::steer, &M::der_steer>("rad", "angle of the front wheels").output().depends_on<&M::steer>(),
        state<&M::lack, &M::der_lack>("m", "integral of the speed error").depends_on<&M::v, &M::attitude>(),
        from_states<&M::hub_r>("m", "positions of the hubs"), from_states<&M::hub_t>("1", "axes of the hubs"),
        from_states<&M::hub_v>("m/s", "velocities of the hubs"),
        from_states<&M::hub_w>("rad/s", "rotation of the hubs"), from_states<&M::road_r>("m", "road below the hubs"),
        from_states<&M::road_t>("1", "axes of the road"), from_states<&M::road_v>("m/s", "velocity of the road"),
        from_states<&M::road_w>("rad/s", "rotation of the road"),
        from_states<&M::drive>("N.m", "torque for the wheels"), parameter<&M::m>("kg", "mass of the body"),
        parameter<&M::m_hub>("kg", "mass of a hub and its wheel, as far as it moves against the body"),
        parameter<&M::front>("m", "to the front axle"), parameter<&M::rear>("m", "to the rear axle"),
        parameter<&M::half_track>("m", "to the wheels of one side"), parameter<&M::height>("m", "above the hubs"),
        parameter<&M::inertia>("kg.m2", "roll, pitch, yaw"), parameter<&M::k>("N/m", "stiffness of a suspension"),
        parameter<&M::d>("N.s/m", "damping of a suspension"), parameter<&M::steer_most>("rad", "largest angle"),
        parameter<&M::steer_period>("s", "of weaving once"), parameter<&M::steer_lag>("s", "of the driver"),
        parameter<&M::speed_start>("m/s", "wanted at the start"), parameter<&M::speed_gain>("m/s2", "wanted"),
        parameter<&M::kp>("N.s", "torque per lacking speed"), parameter<&M::ki>("N", "torque per its integral"),
        parameter<&M::wave>("m", "amplitude of the road"), parameter<&M::wave_length>("m", "of the road"));
  }

  // An output that depends only on these states.
  template <auto Member>
  static constexpr consort::model::Variable from_states(const char* unit, const char* text) {
    using M = RaceCarChassis;
    return consort::model::output<Member>(unit, text)
        .template depends_on<&M::r, &M::v, &M::attitude, &M::w, &M::travel, &M::travel_rate, &M::steer, &M::lack>();
  }

  [[nodiscard]] race_car::Rotation axes() const { return race_car::from_angles(attitude[0], attitude[1], attitude[2]); }
  [[nodiscard]] race_car::Vector hub(std::size_t i) const {  // in the body's axes
    return {i < 2 ? front : -rear, i % 2 == 0 ? half_track : -half_track, travel[i] - height};
  }
  // The force that carries the body at rest, so that the suspensions are in their middle position.
  [[nodiscard]] double preload(std::size_t i) const {
    return m * gravity * (i < 2 ? rear : front) / (2 * (front + rear));
  }
  static race_car::Vector of(const PerWheel<3>& all, std::size_t i) {
    return {all[3 * i], all[3 * i + 1], all[3 * i + 2]};
  }

  void derivatives(double t) {
    using namespace race_car;
    const Rotation body = axes();
    Vector pull{0, 0, 0};  // in the body's axes, like the moment
    Vector moment{0, 0, 0};
    for (std::size_t i = 0; i < 4; ++i) {
      const Vector f = from_world(body, of(force, i));
      const double spring = preload(i) + k * travel[i] + d * travel_rate[i];
      der_travel[i] = travel_rate[i];
      der_travel_rate[i] = (f[2] - spring) / m_hub - gravity;
      const Vector felt{f[0], f[1], spring};
      pull = pull + felt;
      moment = moment + cross(hub(i), felt) + from_world(body, of(torque, i));
    }
    der_r = v;
    der_v = (1 / m) * to_world(body, pull) - Vector{0, 0, gravity};
    const Vector momentum{inertia[0] * w[0], inertia[1] * w[1], inertia[2] * w[2]};
    const Vector turn = moment - cross(w, momentum);
    for (std::size_t i = 0; i < 3; ++i) der_w[i] = turn[i] / inertia[i];
    const double sr = std::sin(attitude[0]), cr = std::cos(attitude[0]);
    const double around = w[1] * sr + w[2] * cr;
    der_attitude = {w[0] + around * std::tan(attitude[1]), w[1] * cr - w[2] * sr, around / std::cos(attitude[1])};
    drive_on(t, body);
  }
  void outputs(double t) {
    using namespace race_car;
    const Rotation body = axes();
    const Vector spin = to_world(body, w);
    for (std::size_t i = 0; i < 4; ++i) {
      const Vector at = r + to_world(body, hub(i));
      const Vector speed = v + to_world(body, cross(w, hub(i)) + Vector{0, 0, travel_rate[i]});
      Vector turning = spin;
      if (i < 2) turning = turning + der_steer_at(t) * axis(body, 2);
      put(hub_r, i, at);
      put(hub_v, i, speed);
      put(hub_w, i, turning);
      put(hub_t, i, i < 2 ? steered(body) : body);
      put_road(i, at);
      drive[i] = i < 2 ? 0 : torque_of_driver(t, body);
    }
  }

 private:
  [[nodiscard]] double der_steer_at(double t) const {
    constexpr double full_turn = 6.283185307179586;
    return (steer_most * std::sin(full_turn * t / steer_period) - steer) / steer_lag;
  }
  [[nodiscard]] double lacking(double t, const race_car::Rotation& body) const {
    return speed_start + speed_gain * t - race_car::dot(race_car::axis(body, 0), v);
  }
  [[nodiscard]] double torque_of_driver(double t, const race_car::Rotation& body) const {
    return kp * lacking(t, body) + ki * lack;
  }
  void drive_on(double t, const race_car::Rotation& body) {
    der_steer = der_steer_at(t);
    der_lack = lacking(t, body);
  }
  [[nodiscard]] race_car::Rotation steered(const race_car::Rotation& body) const {
    using namespace race_car;
    const double c = std::cos(steer), s = std::sin(steer);
    return with_axes(to_world(body, {c, s, 0}), to_world(body, {-s, c, 0}), axis(body, 2));
  }
  // A washboard across the world's x axis.
  void put_road(std::size_t i, const race_car::Vector& at) {
    using namespace race_car;
    const double q = 6.283185307179586 / wave_length;
    const double slope = wave * q * std::cos(q * at[0]);
    const Vector along = unit({1, 0, slope});
    put(road_r, i, Vector{at[0], at[1], wave * std::sin(q * at[0])});
    put(road_t, i, with_axes(along, {0, 1, 0}, cross(along, {0, 1, 0})));
    put(road_v, i, Vector{0, 0, 0});
    put(road_w, i, Vector{0, 0, 0});
  }
  template <std::size_t N>
  static void put(PerWheel<N>& all, std::size_t i, const std::array<double, N>& one) {
    for (std::size_t k = 0; k < N; ++k) all[N * i + k] = one[k];
  }
};
