// One half of the linear stability example: a first-order lag with an adjustable feed-through.
#pragma once

#include <consort/model.hpp>

struct LinearUnit {
  double u = 0;
  double x = 1, der_x = 0;
  double y = 0;
  double d = 0.5;

  static constexpr auto describe() {
    using M = LinearUnit;
    using namespace consort::model;
    return declare({.description = "Linear unit with feed-through", .stop_time = 1, .step = 1e-2},
                   input<&M::u>("output of the other unit"),
                   state<&M::x, &M::der_x>("state").output().depends_on<&M::u, &M::x>(),
                   output<&M::y>("x + d u").depends_on<&M::u, &M::x>(),
                   parameter<&M::d>("feed-through; none when it is zero").tunable());
  }

  void derivatives() { der_x = -x + u; }
  void outputs() { y = x + d * u; }
  void directional(const LinearUnit& seed, LinearUnit& to, const consort::model::Context&) const {
    to.der_x = -seed.x + seed.u;
    to.y = seed.x + d * seed.u;
  }
};
