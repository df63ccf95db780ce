// A pendulum described by Cartesian coordinates: the constraint is differentiated twice and stabilised (Baumgarte). The
// same inputs and outputs as those of the pendulum by its angle, except for the torque and the angle.
#pragma once

#include <consort/model.hpp>

struct PendulumCartesian {
  double F_x = 0, F_y = 0, u_pivot = 0;
  double x = 0.479425538604203, der_x = 0, y = -0.8775825618903728, der_y = 0;
  double v_x = 0, der_v_x = 0, v_y = 0, der_v_y = 0;
  double tension = 0, violation = 0;
  double m = 1, l = 1, g = 9.81, alpha = 10, x_pivot = 0, y_pivot = 0;

  static constexpr auto describe() {
    using M = PendulumCartesian;
    using namespace consort::model;
    return declare(
        {.description = "Pendulum, by its coordinates", .stop_time = 10, .step = 1e-3},
        input<&M::F_x>("N", "force on the mass, to the right"), input<&M::F_y>("N", "force on the mass, upwards"),
        input<&M::u_pivot>("m/s2", "acceleration of the pivot to the left"),
        state<&M::x, &M::der_x>("m", "to the right; starts on the circle around the pivot")
            .output()
            .depends_on<&M::v_x>(),
        state<&M::y, &M::der_y>("m", "upwards; starts on the circle").output().depends_on<&M::v_y>(),
        state<&M::v_x, &M::der_v_x>("m/s", "to the right").output(),
        state<&M::v_y, &M::der_v_y>("m/s", "upwards").output(), output<&M::tension>("N", "of the rod"),
        output<&M::violation>("m2", "of the constraint").depends_on<&M::x, &M::y>(), parameter<&M::m>("kg", "mass"),
        parameter<&M::l>("m", "length"), parameter<&M::g>("m/s2", "acceleration of gravity"),
        parameter<&M::alpha>("1/s", "rate at which violations of the constraint decay"),
        parameter<&M::x_pivot>("m", "place of the pivot, to the right"),
        parameter<&M::y_pivot>("m", "place of the pivot, upwards"));
  }

  // Force per length that keeps the mass on the circle.
  [[nodiscard]] double pull() const {
    const double dx = x - x_pivot;
    const double dy = y - y_pivot;
    const double c = dx * dx + dy * dy - l * l;
    const double c_dot = 2 * (dx * v_x + dy * v_y);
    const double wanted = -2 * alpha * c_dot - alpha * alpha * c;
    const double free = 2 * (v_x * v_x + v_y * v_y) + 2 * (dx * (F_x / m + u_pivot) + dy * (F_y / m - g));
    return m * (free - wanted) / (2 * (dx * dx + dy * dy));
  }
  void derivatives() {
    const double p = pull();
    der_x = v_x;
    der_y = v_y;
    der_v_x = (F_x - p * (x - x_pivot)) / m + u_pivot;
    der_v_y = (F_y - p * (y - y_pivot)) / m - g;
  }
  void outputs() {
    const double dx = x - x_pivot;
    const double dy = y - y_pivot;
    tension = pull() * l;
    violation = dx * dx + dy * dy - l * l;
  }

  // The derivative of pull() in the direction of the seed.
  [[nodiscard]] double pull_along(const PendulumCartesian& seed) const {
    const double dx = x - x_pivot;
    const double dy = y - y_pivot;
    const double below = 2 * (dx * dx + dy * dy);
    const double c = 2 * (dx * seed.x + dy * seed.y);
    const double c_dot = 2 * (seed.x * v_x + dx * seed.v_x + seed.y * v_y + dy * seed.v_y);
    const double wanted = -2 * alpha * c_dot - alpha * alpha * c;
    const double free =
        4 * (v_x * seed.v_x + v_y * seed.v_y) + 2 * (seed.x * (F_x / m + u_pivot) + dx * (seed.F_x / m + seed.u_pivot) +
                                                     seed.y * (F_y / m - g) + dy * seed.F_y / m);
    return (m * (free - wanted) - pull() * 2 * c) / below;
  }
  void directional(const PendulumCartesian& seed, PendulumCartesian& to, const consort::model::Context&) const {
    const double p = pull();
    const double p_along = pull_along(seed);
    const double dx = x - x_pivot;
    const double dy = y - y_pivot;
    to.der_x = seed.v_x;
    to.der_y = seed.v_y;
    to.der_v_x = (seed.F_x - p_along * dx - p * seed.x) / m + seed.u_pivot;
    to.der_v_y = (seed.F_y - p_along * dy - p * seed.y) / m;
    to.tension = p_along * l;
    to.violation = 2 * (dx * seed.x + dy * seed.y);
  }
};
