// A dropped ball that bounces until it rests: state events and jumps of states.
#pragma once

#include <limits>

#include <consort/model.hpp>

struct BouncingBall {
  double h = 1, der_h = 0;
  double v = 0, der_v = 0;
  double g = -9.81;
  double e = 0.7;
  double v_min = 0.1;
  double gap = 0;
  bool resting = false;

  static constexpr auto describe() {
    using M = BouncingBall;
    using namespace consort::model;
    return declare({.description = "A ball that bounces on the ground", .stop_time = 3, .step = 1e-2},
                   state<&M::h, &M::der_h>("m", "height").output().depends_on<&M::v>(),
                   state<&M::v, &M::der_v>("m/s", "velocity").output().depends_on_nothing(),
                   parameter<&M::g>("m/s2", "acceleration of gravity"),
                   parameter<&M::e>("speed after a bounce as a part of the speed before").between(0, 1).tunable(),
                   parameter<&M::v_min>("m/s", "speed below which the ball comes to rest").at_least(0),
                   local<&M::resting>("the ball lies on the ground").exact(),
                   indicator<&M::gap>("m", "between ball and ground"));
  }

  void derivatives() {
    der_h = v;
    der_v = resting ? 0 : g;
  }
  void indicators() { gap = resting ? 1 : h; }
  void event(consort::model::Event&) {
    if (resting || h > 0 || v >= 0) return;
    // Slightly above the ground, so that the next impact is an event again.
    h = std::numeric_limits<double>::min();
    v = -e * v;
    if (v < v_min) {
      v = 0;
      resting = true;
    }
  }
};
