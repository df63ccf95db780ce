// A pendulum described by Cartesian coordinates: the constraint is differentiated twice and stabilised (Baumgarte).
#pragma once

#include <consort/model.hpp>

struct PendulumCartesian {
  double fx = 0, fy = 0;
  double x = 0.479425538604203, der_x = 0, y = -0.8775825618903728, der_y = 0;
  double vx = 0, der_vx = 0, vy = 0, der_vy = 0;
  double tension = 0, violation = 0;
  double m = 1, l = 1, g = 9.81, alpha = 10;

  static constexpr auto describe() {
    using M = PendulumCartesian;
    using namespace consort::model;
    return declare({.description = "Pendulum, by its coordinates", .stop_time = 10, .step = 1e-3},
                   input<&M::fx>("N", "force to the right"), input<&M::fy>("N", "force upwards"),
                   state<&M::x, &M::der_x>("m", "to the right").output().depends_on<&M::vx>(),
                   state<&M::y, &M::der_y>("m", "upwards").output().depends_on<&M::vy>(),
                   state<&M::vx, &M::der_vx>("m/s", "to the right").output(),
                   state<&M::vy, &M::der_vy>("m/s", "upwards").output(), output<&M::tension>("N", "of the rod"),
                   output<&M::violation>("m2", "of the constraint").depends_on<&M::x, &M::y>(),
                   parameter<&M::m>("kg", "mass"), parameter<&M::l>("m", "length"),
                   parameter<&M::g>("m/s2", "acceleration of gravity"),
                   parameter<&M::alpha>("1/s", "rate at which violations of the constraint decay"));
  }

  // Force per length that keeps the mass on the circle.
  [[nodiscard]] double pull() const {
    const double c = x * x + y * y - l * l;
    const double c_dot = 2 * (x * vx + y * vy);
    const double wanted = -2 * alpha * c_dot - alpha * alpha * c;
    const double free = 2 * (vx * vx + vy * vy) + 2 * (x * fx + y * (fy - m * g)) / m;
    return m * (free - wanted) / (2 * (x * x + y * y));
  }
  void derivatives() {
    const double p = pull();
    der_x = vx;
    der_y = vy;
    der_vx = (fx - p * x) / m;
    der_vy = (fy - p * y) / m - g;
  }
  void outputs() {
    tension = pull() * l;
    violation = x * x + y * y - l * l;
  }
};
