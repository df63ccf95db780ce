// A mass on a cubic spring with a cubic damper and a periodic force of its own: the first of a nonlinear pair whose
// coupling has a known local error.
#pragma once

#include <cmath>

#include <consort/model.hpp>

struct CubicMass {
  double force = 0;
  double x = 0, der_x = 0;
  double v = 0, der_v = 0;
  double a = 0;
  double m = 1, k = 100, d = 10, amplitude = 200, frequency = 24;

  static constexpr auto describe() {
    using M = CubicMass;
    using namespace consort::model;
    return declare({.description = "Mass with cubic spring and damper", .stop_time = 1, .step = 1e-3},
                   input<&M::force>("N", "force of the neighbour on the mass"),
                   state<&M::x, &M::der_x>("m", "displacement").output().depends_on<&M::v>(),
                   state<&M::v, &M::der_v>("m/s", "velocity").output().depends_on<&M::force, &M::x, &M::v>(),
                   output<&M::a>("m/s2", "acceleration").depends_on<&M::force, &M::x, &M::v>(),
                   parameter<&M::m>("kg", "mass"), parameter<&M::k>("N/m3", "its force is k x^3"),
                   parameter<&M::d>("N.s3/m3", "its force is d v^3"), parameter<&M::amplitude>("N", "of the own force"),
                   parameter<&M::frequency>("rad/s", "of the own force, which is a cosine"));
  }

  [[nodiscard]] double acceleration(double t) const {
    return (amplitude * std::cos(frequency * t) + force - k * x * x * x - d * v * v * v) / m;
  }
  void derivatives(double t) {
    der_x = v;
    der_v = acceleration(t);
  }
  void outputs(double t) { a = acceleration(t); }
  void directional(const CubicMass& seed, CubicMass& to, const consort::model::Context&) const {
    to.der_x = seed.v;
    to.der_v = (seed.force - 3 * k * x * x * seed.x - 3 * d * v * v * seed.v) / m;
    to.a = to.der_v;
  }
};
