// A mass whose spring grows with the square of the displacement and whose damper grows with the fourth power of the
// velocity: the second of a nonlinear pair whose coupling has a known local error. Both forces always
// act to the left.
#pragma once

#include <consort/model.hpp>

struct QuadraticMass {
  double force = 0;
  double x = 0, der_x = 0;
  double v = 0, der_v = 0;
  double a = 0;
  double m = 1, k = 200, d = 5;

  static constexpr auto describe() {
    using M = QuadraticMass;
    using namespace consort::model;
    return declare(
        {.description = "Mass with quadratic spring and damper of fourth order", .stop_time = 1, .step = 1e-3},
        input<&M::force>("N", "force of the neighbour on the mass"),
        state<&M::x, &M::der_x>("m", "displacement").output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "velocity").output().depends_on<&M::force, &M::x, &M::v>(),
        output<&M::a>("m/s2", "acceleration").depends_on<&M::force, &M::x, &M::v>(), parameter<&M::m>("kg", "mass"),
        parameter<&M::k>("N/m2", "its force is k x^2"), parameter<&M::d>("N.s4/m4", "its force is d v^4"));
  }

  [[nodiscard]] double acceleration() const { return (force - k * x * x - d * v * v * v * v) / m; }
  void derivatives() {
    der_x = v;
    der_v = acceleration();
  }
  void outputs() { a = acceleration(); }
  void directional(const QuadraticMass& seed, QuadraticMass& to, const consort::model::Context&) const {
    to.der_x = seed.v;
    to.der_v = (seed.force - 2 * k * x * seed.x - 4 * d * v * v * v * seed.v) / m;
    to.a = to.der_v;
  }
};
