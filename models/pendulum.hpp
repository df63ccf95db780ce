// A pendulum described by its angle and driven by a torque.
#pragma once

#include <cmath>

#include <consort/model.hpp>

struct Pendulum {
  double torque = 0;
  double phi = 0.5, der_phi = 0;
  double omega = 0, der_omega = 0;
  double x = 0, y = 0;
  double m = 1, l = 1, g = 9.81, d = 0;

  static constexpr auto describe() {
    using M = Pendulum;
    using namespace consort::model;
    return declare({.description = "Pendulum, by its angle", .stop_time = 10, .step = 1e-2},
                   input<&M::torque>("N.m", "torque at the hinge"),
                   state<&M::phi, &M::der_phi>("rad", "angle").display("deg").output().depends_on<&M::omega>(),
                   state<&M::omega, &M::der_omega>("rad/s", "angular velocity")
                       .display("rpm")
                       .output()
                       .depends_on<&M::torque, &M::phi, &M::omega>(),
                   output<&M::x>("m", "of the mass, to the right").depends_on<&M::phi>(),
                   output<&M::y>("m", "of the mass, upwards").depends_on<&M::phi>(),
                   parameter<&M::m>("kg", "mass").at_least(0), parameter<&M::l>("m", "length").at_least(0),
                   parameter<&M::g>("m/s2", "acceleration of gravity"),
                   parameter<&M::d>("N.m.s/rad", "friction of the hinge"));
  }

  void derivatives() {
    der_phi = omega;
    der_omega = (torque - d * omega - m * g * l * std::sin(phi)) / (m * l * l);
  }
  void outputs() {
    x = l * std::sin(phi);
    y = -l * std::cos(phi);
  }
};
