// A mass on a spring and a damper with an external force: half of a two-mass oscillator.
#pragma once

#include <consort/model.hpp>

struct OneMass {
  double force = 0;
  double x = 1, der_x = 0;
  double v = 0, der_v = 0;
  double m = 1, k = 10, d = 0.1;

  static constexpr auto describe() {
    using M = OneMass;
    using namespace consort::model;
    return declare({.description = "One-mass oscillator", .stop_time = 10, .step = 1e-2},
                   input<&M::force>("N", "force on the mass"),
                   state<&M::x, &M::der_x>("m", "displacement").output().depends_on<&M::v>(),
                   state<&M::v, &M::der_v>("m/s", "velocity").output().depends_on<&M::force, &M::x, &M::v>(),
                   parameter<&M::m>("kg", "mass"), parameter<&M::k>("N/m", "stiffness").tunable(),
                   parameter<&M::d>("N.s/m", "damping").tunable());
  }

  void derivatives() {
    der_x = v;
    der_v = (force - k * x - d * v) / m;
  }
  void directional(const OneMass& seed, OneMass& to, const consort::model::Context&) const {
    to.der_x = seed.v;
    to.der_v = (seed.force - k * seed.x - d * seed.v) / m;
  }
};
