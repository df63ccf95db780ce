// A pendulum described by its angle. Forces act on its mass, a torque on its hinge, and its pivot may be accelerated.
//
// Positions and velocities are those relative to the pivot's motion: the place of a moving pivot, w(t), is added by the
// system that contains the pendulum, which gives u_pivot = -w''(t).
#pragma once

#include <cmath>

#include <consort/model.hpp>

struct Pendulum {
  double F_x = 0, F_y = 0, u_pivot = 0, torque = 0;
  double theta = 0.5, der_theta = 0;
  double omega = 0, der_omega = 0;
  double x = 0, y = 0, v_x = 0, v_y = 0;
  double m = 1, l = 1, g = 9.81, d = 0, x_pivot = 0, y_pivot = 0;

  static constexpr auto describe() {
    using M = Pendulum;
    using namespace consort::model;
    return declare(
        {.description = "Pendulum, by its angle", .stop_time = 10, .step = 1e-2},
        input<&M::F_x>("N", "force on the mass, to the right"), input<&M::F_y>("N", "force on the mass, upwards"),
        input<&M::u_pivot>("m/s2", "acceleration of the pivot to the left"),
        input<&M::torque>("N.m", "torque at the hinge"),
        state<&M::theta, &M::der_theta>("rad", "angle, 0 if it hangs, positive to the right")
            .display("deg")
            .output()
            .depends_on<&M::omega>(),
        state<&M::omega, &M::der_omega>("rad/s", "angular velocity")
            .display("rpm")
            .output()
            .depends_on<&M::F_x, &M::F_y, &M::u_pivot, &M::torque, &M::theta, &M::omega>(),
        output<&M::x>("m", "of the mass, to the right").depends_on<&M::theta>(),
        output<&M::y>("m", "of the mass, upwards").depends_on<&M::theta>(),
        output<&M::v_x>("m/s", "of the mass, to the right").depends_on<&M::theta, &M::omega>(),
        output<&M::v_y>("m/s", "of the mass, upwards").depends_on<&M::theta, &M::omega>(),
        parameter<&M::m>("kg", "mass").at_least(0), parameter<&M::l>("m", "length").at_least(0),
        parameter<&M::g>("m/s2", "acceleration of gravity"), parameter<&M::d>("N.m.s/rad", "friction of the hinge"),
        parameter<&M::x_pivot>("m", "place of the pivot, to the right"),
        parameter<&M::y_pivot>("m", "place of the pivot, upwards"));
  }

  void derivatives() {
    der_theta = omega;
    const double along = (F_x + m * u_pivot) * std::cos(theta) + (F_y - m * g) * std::sin(theta);
    der_omega = (torque - d * omega + l * along) / (m * l * l);
  }
  void outputs() {
    x = x_pivot + l * std::sin(theta);
    y = y_pivot - l * std::cos(theta);
    v_x = l * omega * std::cos(theta);
    v_y = l * omega * std::sin(theta);
  }
  void directional(const Pendulum& seed, Pendulum& to, const consort::model::Context&) const {
    const double s = std::sin(theta);
    const double c = std::cos(theta);
    const double along =
        (seed.F_x + m * seed.u_pivot) * c + seed.F_y * s + ((F_y - m * g) * c - (F_x + m * u_pivot) * s) * seed.theta;
    to.der_theta = seed.omega;
    to.der_omega = (seed.torque - d * seed.omega + l * along) / (m * l * l);
    to.x = l * c * seed.theta;
    to.y = l * s * seed.theta;
    to.v_x = l * (c * seed.omega - omega * s * seed.theta);
    to.v_y = l * (s * seed.omega + omega * c * seed.theta);
  }
};
