// Two masses between walls with a spring and a damper between them: the reference for coupled one-mass oscillators.
#pragma once

#include <consort/model.hpp>

struct TwoMass {
  double x1 = 1, der_x1 = 0, v1 = 0, der_v1 = 0;
  double x2 = 0, der_x2 = 0, v2 = 0, der_v2 = 0;
  double energy = 0;
  double m1 = 1, k1 = 10, d1 = 0.1;
  double m2 = 1, k2 = 10, d2 = 0.1;
  double k = 5, d = 0.1;

  static constexpr auto describe() {
    using M = TwoMass;
    using namespace consort::model;
    return declare({.description = "Two-mass oscillator", .stop_time = 10, .step = 1e-2},
                   state<&M::x1, &M::der_x1>("m", "displacement of the first mass").output().depends_on<&M::v1>(),
                   state<&M::v1, &M::der_v1>("m/s", "velocity of the first mass")
                       .output()
                       .depends_on<&M::x1, &M::v1, &M::x2, &M::v2>(),
                   state<&M::x2, &M::der_x2>("m", "displacement of the second mass").output().depends_on<&M::v2>(),
                   state<&M::v2, &M::der_v2>("m/s", "velocity of the second mass")
                       .output()
                       .depends_on<&M::x1, &M::v1, &M::x2, &M::v2>(),
                   output<&M::energy>("J", "kinetic and potential energy").depends_on<&M::x1, &M::v1, &M::x2, &M::v2>(),
                   parameter<&M::m1>("kg", "first mass"), parameter<&M::k1>("N/m", "of the first wall spring"),
                   parameter<&M::d1>("N.s/m", "of the first wall damper"), parameter<&M::m2>("kg", "second mass"),
                   parameter<&M::k2>("N/m", "of the second wall spring"),
                   parameter<&M::d2>("N.s/m", "of the second wall damper"),
                   parameter<&M::k>("N/m", "of the spring between the masses"),
                   parameter<&M::d>("N.s/m", "of the damper between the masses"));
  }

  void derivatives() {
    const double between = k * (x2 - x1) + d * (v2 - v1);
    der_x1 = v1;
    der_v1 = (between - k1 * x1 - d1 * v1) / m1;
    der_x2 = v2;
    der_v2 = (-between - k2 * x2 - d2 * v2) / m2;
  }
  void outputs() {
    const double stretch = x2 - x1;
    energy = 0.5 * (m1 * v1 * v1 + m2 * v2 * v2 + k1 * x1 * x1 + k2 * x2 * x2 + k * stretch * stretch);
  }
};
