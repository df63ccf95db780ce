// Van der Pol's oscillator, with analytic directional derivatives.
#pragma once

#include <consort/model.hpp>

struct VanDerPol {
  double x0 = 2, der_x0 = 0;
  double x1 = 0, der_x1 = 0;
  double mu = 1;

  static constexpr auto describe() {
    using M = VanDerPol;
    using namespace consort::model;
    return declare({.description = "Van der Pol's oscillator", .stop_time = 20, .step = 1e-2},
                   state<&M::x0, &M::der_x0>("displacement").output().depends_on<&M::x1>(),
                   state<&M::x1, &M::der_x1>("velocity").output().depends_on<&M::x0, &M::x1>(),
                   parameter<&M::mu>("damping"));
  }

  void derivatives() {
    der_x0 = x1;
    der_x1 = mu * (1 - x0 * x0) * x1 - x0;
  }
  void directional(const VanDerPol& seed, VanDerPol& to, const consort::model::Context&) const {
    to.der_x0 = seed.x1;
    to.der_x1 = (-2 * mu * x0 * x1 - 1) * seed.x0 + mu * (1 - x0 * x0) * seed.x1;
  }
};
