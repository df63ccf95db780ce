// A mass between a wall and a neighbour, driven by the neighbour's displacement relative to the mass (see CoupledMass).
#pragma once

#include <consort/model.hpp>

struct CoupledMassRelative {
  double dx_other = 0, dv_other = 0;
  double x = 1, der_x = 0;
  double v = 0, der_v = 0;
  double m = 1, k_wall = 10, d_wall = 1, k = 25, d = 0.1;

  static constexpr auto describe() {
    using M = CoupledMassRelative;
    using namespace consort::model;
    return declare(
        {.description = "Mass between a wall and a neighbour, driven by differences", .stop_time = 1, .step = 1e-3},
        input<&M::dx_other>("m", "displacement of the neighbour against this"),
        input<&M::dv_other>("m/s", "velocity of the neighbour against this"),
        state<&M::x, &M::der_x>("m", "displacement").output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "velocity").output().depends_on<&M::dx_other, &M::dv_other, &M::x, &M::v>(),
        parameter<&M::m>("kg", "mass"), parameter<&M::k_wall>("N/m", "stiffness to the wall"),
        parameter<&M::d_wall>("N.s/m", "damping to the wall"), parameter<&M::k>("N/m", "stiffness to the neighbour"),
        parameter<&M::d>("N.s/m", "damping to the neighbour"));
  }

  void derivatives() {
    der_x = v;
    der_v = (k * dx_other + d * dv_other - k_wall * x - d_wall * v) / m;
  }
};
