// Dahlquist's test equation.
#pragma once

#include <consort/model.hpp>

struct Dahlquist {
  double x = 1, der_x = 0;
  double k = 1;

  static constexpr auto describe() {
    using M = Dahlquist;
    using namespace consort::model;
    return declare({.description = "der(x) = -k x", .stop_time = 10, .step = 0.1},
                   state<&M::x, &M::der_x>("the solution").output().depends_on<&M::x>(),
                   parameter<&M::k>("1/s", "rate of decay"));
  }

  void derivatives() { der_x = -k * x; }
  void directional(const Dahlquist& seed, Dahlquist& to, const consort::model::Context&) const {
    to.der_x = -k * seed.x;
  }
};
