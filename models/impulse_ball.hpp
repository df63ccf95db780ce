// A ball that bounces on a floor and takes impulses: state events, and a discrete input that makes the velocity jump.
//
// An impulse acts once, in the event in which J becomes another value than 0. The same impulse again needs J = 0 in
// between, so that an importer may call event() as often as it likes at one time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <consort/model.hpp>

struct ImpulseBall {
  double J = 0;
  double h = 1, der_h = 0;
  double v = 0, der_v = 0;
  std::int32_t bounces = 0;
  bool resting = false;
  double taken = 0;
  double gap = 0;
  double m = 1, g = 9.81, e = 1, v_min = 1e-3, floor = 0;

  static constexpr auto describe() {
    using M = ImpulseBall;
    using namespace consort::model;
    return declare({.description = "Bouncing ball that takes impulses", .stop_time = 3, .step = 1e-2},
                   input<&M::J>("N.s", "impulse, upwards").discrete(),
                   state<&M::h, &M::der_h>("m", "height").output().depends_on<&M::v>(),
                   state<&M::v, &M::der_v>("m/s", "velocity, upwards").output().depends_on_nothing(),
                   output<&M::bounces>("number of bounces on the floor").exact().depends_on_nothing(),
                   local<&M::resting>("the ball lies on the floor").exact(),
                   local<&M::taken>("N.s", "the input J at the last event").discrete().exact(),
                   indicator<&M::gap>("m", "between ball and floor"), parameter<&M::m>("kg", "mass").at_least(0),
                   parameter<&M::g>("m/s2", "acceleration of gravity, downwards"),
                   parameter<&M::e>("speed after a bounce as a part of the speed before").between(0, 1).tunable(),
                   parameter<&M::v_min>("m/s", "speed after a bounce below which the ball comes to rest").at_least(0),
                   parameter<&M::floor>("m", "height of the floor"));
  }

  void derivatives() {
    der_h = v;
    der_v = resting ? 0 : -g;
  }
  void indicators() { gap = resting ? 1 : h - floor; }
  void event(consort::model::Event&) {
    if (J != taken) {
      taken = J;
      v += J / m;
      if (resting) v = std::max(v, 0.0);
      resting = resting && v == 0;
    }
    if (resting || h > floor || v >= 0) return;
    ++bounces;
    // Slightly above the floor, so that the next impact is an event again.
    h = std::max(floor + std::numeric_limits<double>::min(),
                 std::nextafter(floor, floor == 0 ? 0 : std::numeric_limits<double>::infinity()));
    v = -e * v;
    if (v < v_min) {
      v = 0;
      resting = true;
    }
  }
  void directional(const ImpulseBall& seed, ImpulseBall& to, const consort::model::Context&) const {
    to.der_h = seed.v;
  }
};
