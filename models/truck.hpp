// A truck as a point mass, with the resistances of air, rolling and slope.
#pragma once

#include <cmath>

#include <consort/model.hpp>

struct Truck {
  double force = 10000, slope = 0;
  double x = 0, der_x = 0;
  double v = 0, der_v = 0;
  double resistance = 0;
  double m = 20000, air = 4.5, rolling = 0.006, g = 9.81;

  static constexpr auto describe() {
    using M = Truck;
    using namespace consort::model;
    return declare(
        {.description = "Truck as a point mass", .stop_time = 60, .step = 1e-2}, input<&M::force>("N", "of the wheels"),
        input<&M::slope>("rad", "of the road").display("deg"),
        state<&M::x, &M::der_x>("m", "distance").output().depends_on<&M::v>(),
        state<&M::v, &M::der_v>("m/s", "speed").display("km/h").output().depends_on<&M::force, &M::slope, &M::v>(),
        output<&M::resistance>("N", "of air, rolling and slope").depends_on<&M::slope, &M::v>(),
        parameter<&M::m>("kg", "mass").display("t"), parameter<&M::air>("kg/m", "air resistance"),
        parameter<&M::rolling>("rolling resistance"), parameter<&M::g>("m/s2", "acceleration of gravity"));
  }

  // Rolling resistance is zero at zero speed, so that the truck can stand still.
  [[nodiscard]] double drag() const {
    return air * v * std::abs(v) + m * g * (rolling * std::tanh(10 * v) * std::cos(slope) + std::sin(slope));
  }
  void derivatives() {
    der_x = v;
    der_v = (force - drag()) / m;
  }
  void outputs() { resistance = drag(); }
};
