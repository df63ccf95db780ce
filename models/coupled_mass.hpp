// A mass between a wall and a neighbour, with springs and dampers to both, driven by the neighbour's displacement. Two
// of them are equivalent to a TwoMass, coupled by displacements (no feed-through). With a CoupledMassRelative, the
// coupling is by differences (feed-through).
#pragma once

#include <consort/model.hpp>

struct CoupledMass {
  double x_other = 0, v_other = 0;
  double x = 1, der_x = 0;
  double v = 0, der_v = 0;
  double dx = 0, dv = 0;
  double m = 1, k_wall = 10, d_wall = 1, k = 25, d = 0.1;

  static constexpr auto describe() {
    using M = CoupledMass;
    using namespace consort::model;
    return declare(
        {.description = "Mass between a wall and a neighbour", .stop_time = 1, .step = 1e-3},
        input<&M::x_other>("m", "displacement of the neighbour"),
        input<&M::v_other>("m/s", "velocity of the neighbour"),
        state<&M::x, &M::der_x>("m", "displacement").output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "velocity").output().depends_on<&M::x_other, &M::v_other, &M::x, &M::v>(),
        output<&M::dx>("m", "displacement against the neighbour").depends_on<&M::x_other, &M::x>(),
        output<&M::dv>("m/s", "velocity against the neighbour").depends_on<&M::v_other, &M::v>(),
        parameter<&M::m>("kg", "mass"), parameter<&M::k_wall>("N/m", "stiffness to the wall"),
        parameter<&M::d_wall>("N.s/m", "damping to the wall"), parameter<&M::k>("N/m", "stiffness to the neighbour"),
        parameter<&M::d>("N.s/m", "damping to the neighbour"));
  }

  void derivatives() {
    der_x = v;
    der_v = (k * (x_other - x) + d * (v_other - v) - k_wall * x - d_wall * v) / m;
  }
  void outputs() {
    dx = x - x_other;
    dv = v - v_other;
  }
  void directional(const CoupledMass& seed, CoupledMass& to, const consort::model::Context&) const {
    to.der_x = seed.v;
    to.der_v = (k * (seed.x_other - seed.x) + d * (seed.v_other - seed.v) - k_wall * seed.x - d_wall * seed.v) / m;
    to.dx = seed.x - seed.x_other;
    to.dv = seed.v - seed.v_other;
  }
};
