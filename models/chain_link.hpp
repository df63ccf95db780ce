// A mass with a spring and a damper to its left neighbour; several of them form a chain.
#pragma once

#include <consort/model.hpp>

struct ChainLink {
  double x_left = 0, v_left = 0, f_right = 0;
  double x = 0, der_x = 0;
  double v = 0, der_v = 0;
  double f_left = 0;
  double m = 1, k = 100, d = 1;

  static constexpr auto describe() {
    using M = ChainLink;
    using namespace consort::model;
    return declare(
        {.description = "Mass, spring and damper: a link of a chain", .stop_time = 10, .step = 1e-3},
        input<&M::x_left>("m", "displacement of the left neighbour"),
        input<&M::v_left>("m/s", "velocity of the left neighbour"),
        input<&M::f_right>("N", "force from the right neighbour"),
        state<&M::x, &M::der_x>("m", "displacement").output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "velocity")
            .output()
            .depends_on<&M::x_left, &M::v_left, &M::f_right, &M::x, &M::v>(),
        output<&M::f_left>("N", "force on the left neighbour").depends_on<&M::x_left, &M::v_left, &M::x, &M::v>(),
        parameter<&M::m>("kg", "mass"), parameter<&M::k>("N/m", "stiffness"), parameter<&M::d>("N.s/m", "damping"));
  }

  [[nodiscard]] double pull() const { return k * (x - x_left) + d * (v - v_left); }
  void derivatives() {
    der_x = v;
    der_v = (f_right - pull()) / m;
  }
  void outputs() { f_left = pull(); }
};
