// A wheel with its tyre: 37 inputs (two frames and a torque), 6 outputs (force and torque on the hub), 3 states.
//
// The force has feed-through: the tyre's load depends directly on the height of the hub above the road.
#pragma once

#include <algorithm>
#include <cmath>

#include <consort/model.hpp>

#include "vectors.hpp"

struct RaceCarWheel {
  // The hub, whose y axis is the spin axis of the wheel, and the road below it: position, axes, velocity, angular
  // velocity, all in the world's frame.
  race_car::Vector hub_r{}, hub_v{}, hub_w{};
  race_car::Rotation hub_t{1, 0, 0, 0, 1, 0, 0, 0, 1};
  race_car::Vector road_r{}, road_v{}, road_w{};
  race_car::Rotation road_t{1, 0, 0, 0, 1, 0, 0, 0, 1};
  double drive = 0;
  race_car::Vector force{}, torque{};
  double spin = 0, der_spin = 0;
  double slip = 0, der_slip = 0;    // longitudinal, with the tyre's lag
  double angle = 0, der_angle = 0;  // lateral
  double radius = 0.3, inertia = 1.2, stiffness = 2e5, damping = 500, grip = 1.1, slope = 12, lag = 0.03;

  static constexpr auto describe() {
    using M = RaceCarWheel;
    using namespace consort::model;
    return declare({.description = "Wheel and tyre of a race car", .stop_time = 5, .step = 1e-3},
                   input<&M::hub_r>("m", "position of the hub"), input<&M::hub_t>("1", "axes of the hub"),
                   input<&M::hub_v>("m/s", "velocity of the hub"), input<&M::hub_w>("rad/s", "rotation of the hub"),
                   input<&M::road_r>("m", "position of the road"), input<&M::road_t>("1", "axes of the road"),
                   input<&M::road_v>("m/s", "velocity of the road"), input<&M::road_w>("rad/s", "rotation of the road"),
                   input<&M::drive>("N.m", "torque of the engine and the brakes"),
                   output<&M::force>("N", "on the hub, in the world's axes"),
                   output<&M::torque>("N.m", "on the hub, in the world's axes"),
                   state<&M::spin, &M::der_spin>("rad/s", "of the wheel against the hub").output(),
                   state<&M::slip, &M::der_slip>("1", "longitudinal slip of the tyre"),
                   state<&M::angle, &M::der_angle>("1", "lateral slip of the tyre"),
                   parameter<&M::radius>("m", "of the unloaded tyre"), parameter<&M::inertia>("kg.m2", "of the spin"),
                   parameter<&M::stiffness>("N/m", "of the tyre"), parameter<&M::damping>("N.s/m", "of the tyre"),
                   parameter<&M::grip>("1", "largest force per load"),
                   parameter<&M::slope>("1", "force per slip and load"), parameter<&M::lag>("s", "of the slip"));
  }

  struct Contact {
    race_car::Vector arm;  // from the hub
    race_car::Vector along, across, normal;
    double load = 0, speed = 0, drift = 0, loaded_radius = 0;
  };

  [[nodiscard]] Contact contact() const {
    using namespace race_car;
    Contact c;
    c.normal = axis(road_t, 2);
    const Vector spin_axis = axis(hub_t, 1);
    c.along = unit(cross(spin_axis, c.normal));
    c.across = cross(c.normal, c.along);
    const Vector up = cross(c.along, spin_axis);
    const double squeeze = radius - dot(hub_r - road_r, c.normal) / dot(up, c.normal);
    const double rate = -dot(hub_v - road_v, c.normal);
    c.load = squeeze > 0 ? std::max(0.0, stiffness * squeeze + damping * rate) : 0.0;
    c.loaded_radius = radius - std::max(0.0, squeeze);
    c.arm = -c.loaded_radius * up;
    const Vector road_there = road_v + cross(road_w, hub_r + c.arm - road_r);
    const Vector v = hub_v + cross(hub_w, c.arm) - road_there;
    c.speed = dot(v, c.along);
    c.drift = dot(v, c.across);
    return c;
  }
  [[nodiscard]] race_car::Vector force_of(const Contact& c) const {
    using namespace race_car;
    const double all = std::sqrt(slip * slip + angle * angle + 1e-12);
    const double pull = grip * c.load * std::tanh(slope / grip * all) / all;
    return c.load * c.normal + (pull * slip) * c.along + (pull * angle) * c.across;
  }
  void derivatives() {
    using namespace race_car;
    const Contact c = contact();
    const Vector f = force_of(c);
    der_spin = (drive + dot(cross(c.arm, f), axis(hub_t, 1))) / inertia;
    const double pace = std::sqrt(c.speed * c.speed + 1);
    der_slip = ((spin * c.loaded_radius - c.speed) / pace - slip) / lag;
    der_angle = (-c.drift / pace - angle) / lag;
  }
  void outputs() {
    using namespace race_car;
    const Contact c = contact();
    force = force_of(c);
    const Vector moment = cross(c.arm, force);
    const Vector spin_axis = axis(hub_t, 1);
    torque = moment - dot(moment, spin_axis) * spin_axis;  // the part about the spin axis turns the wheel
  }
};
