// Compares right-hand sides with values computed by hand, whole systems with their coupled parts, and analytic
// derivatives with differences.
#include <array>
#include <cmath>
#include <cstddef>
#include <random>

#include <gtest/gtest.h>

#include "models/coupled_mass.hpp"
#include "models/coupled_mass_relative.hpp"
#include "models/cubic_mass.hpp"
#include "models/linear_unit.hpp"
#include "models/one_mass.hpp"
#include "models/pendulum.hpp"
#include "models/pendulum_cartesian.hpp"
#include "models/quadratic_mass.hpp"
#include "models/quarter_car.hpp"
#include "models/quarter_car_chassis.hpp"
#include "models/quarter_car_wheel.hpp"
#include "models/quarter_car_wheel_force.hpp"
#include "models/two_mass.hpp"
#include "models/van_der_pol.hpp"
#include "models/vehicle.hpp"
#include "models/vehicle_chassis.hpp"
#include "models/vehicle_wheel.hpp"

namespace consort::models_test {
namespace {

// --- the quarter car: masses 400 and 40 kg, springs 15 and 150 kN/m, damper 1000 N s/m

TEST(Equations, OfTheQuarterCarAtAPointComputedByHand) {
  QuarterCar car;
  car.z_chassis = 0.02, car.v_chassis = 0.5, car.z_wheel = 0.05, car.v_wheel = -0.1;
  car.derivatives();
  // 15000 * 0.03 + 1000 * (-0.6) = -150 N lifts the chassis; the tyre pushes with 150000 * 0.05 = 7500 N.
  EXPECT_DOUBLE_EQ(car.der_z_chassis, 0.5);
  EXPECT_NEAR(car.der_v_chassis, -0.375, 1e-14);
  EXPECT_DOUBLE_EQ(car.der_z_wheel, -0.1);
  EXPECT_NEAR(car.der_v_wheel, 191.25, 1e-11);
}

TEST(Equations, OfTheQuarterCarAreThoseOfItsParts) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> some(-1, 1);
  for (int i = 0; i < 20; ++i) {
    QuarterCar car;
    car.road = some(random);
    car.z_chassis = some(random), car.v_chassis = some(random), car.z_wheel = some(random), car.v_wheel = some(random);
    car.derivatives();

    QuarterCarChassis chassis;
    chassis.z = car.z_chassis, chassis.v = car.v_chassis, chassis.z_wheel = car.z_wheel, chassis.v_wheel = car.v_wheel;
    chassis.derivatives();
    chassis.outputs();
    EXPECT_DOUBLE_EQ(chassis.der_z, car.der_z_chassis);
    EXPECT_NEAR(chassis.der_v, car.der_v_chassis, 1e-12);

    QuarterCarWheel wheel;
    wheel.road = car.road, wheel.z = car.z_wheel, wheel.v = car.v_wheel;
    wheel.z_chassis = car.z_chassis, wheel.v_chassis = car.v_chassis;
    wheel.derivatives();
    EXPECT_NEAR(wheel.der_v, car.der_v_wheel, 1e-9);  // values of up to 1e4

    QuarterCarWheelForce driven;
    driven.road = car.road, driven.z = car.z_wheel, driven.v = car.v_wheel, driven.force = chassis.force;
    driven.derivatives();
    EXPECT_DOUBLE_EQ(driven.der_z, car.der_z_wheel);
    EXPECT_NEAR(driven.der_v, car.der_v_wheel, 1e-9);
  }
}

TEST(Equations, OfTheQuarterCarGiveTheKnownSolution) {
  QuarterCar car;
  const auto at = [&](const std::array<double, 4>& x) {
    car.z_chassis = x[0], car.v_chassis = x[1], car.z_wheel = x[2], car.v_wheel = x[3];
    car.derivatives();
    return std::array{car.der_z_chassis, car.der_v_chassis, car.der_z_wheel, car.der_v_wheel};
  };
  const auto along = [](std::array<double, 4> x, double h, const std::array<double, 4>& k) {
    for (std::size_t i = 0; i < 4; ++i) x[i] += h * k[i];
    return x;
  };
  std::array<double, 4> x{};
  constexpr double h = 1e-4;  // h^4 (150000/40)^2 is far below the tolerance
  for (int n = 0; n < 10000; ++n) {
    const auto k1 = at(x), k2 = at(along(x, h / 2, k1)), k3 = at(along(x, h / 2, k2)), k4 = at(along(x, h, k3));
    for (std::size_t i = 0; i < 4; ++i) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  // Reference values at t = 1 with eight digits, computed with another program.
  EXPECT_NEAR(x[0], 0.06528944, 5e-9);
  EXPECT_NEAR(x[1], -0.03060215, 5e-9);
  EXPECT_NEAR(x[2], 0.09660651, 5e-9);
  EXPECT_NEAR(x[3], 0.00429470, 5e-9);
}

// --- the vehicle: one body, four wheels

TEST(Equations, OfTheVehicleAtAPointComputedByHand) {
  VehicleChassis body;
  body.force = {100, 200, 300, 600};
  body.z = 0.1, body.pitch = 0.01, body.roll = -0.02, body.v = 1, body.pitch_rate = 0.1, body.roll_rate = 0.2;
  body.derivatives();
  body.outputs();
  EXPECT_DOUBLE_EQ(body.der_v, 1.0);                                        // 1200 N on 1200 kg
  EXPECT_NEAR(body.der_pitch_rate, (1.4 * 900 - 1.2 * 300) / 2000, 1e-15);  // 0.45: the rear lifts, the front sinks
  EXPECT_NEAR(body.der_roll_rate, 0.75 * (400 - 800) / 500, 1e-15);         // -0.6: the right lifts, the left sinks
  EXPECT_NEAR(body.z_corner[0], 0.1 - 0.012 - 0.015, 1e-15);                // front left
  EXPECT_NEAR(body.z_corner[3], 0.1 + 0.014 + 0.015, 1e-15);                // rear right
  EXPECT_NEAR(body.v_corner[1], 1 - 0.12 - 0.15, 1e-15);                    // front right

  VehicleWheel wheel;
  wheel.z_corner = 0.02, wheel.v_corner = 0.1, wheel.road = 0.03, wheel.z = 0.01, wheel.v = 0.2;
  wheel.derivatives();
  wheel.outputs();
  EXPECT_NEAR(wheel.force, 20000 * -0.01 + 1500 * 0.1, 1e-11);  // -50 N
  EXPECT_NEAR(wheel.der_v, (180000 * 0.02 + 50) / 40, 1e-11);
  EXPECT_DOUBLE_EQ(wheel.der_z, 0.2);
}

TEST(Equations, OfTheVehicleAreThoseOfItsFiveParts) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> some(-0.1, 0.1);
  for (int n = 0; n < 20; ++n) {
    Vehicle whole;
    VehicleChassis body;
    whole.z = body.z = some(random), whole.v = body.v = some(random);
    whole.pitch = body.pitch = some(random), whole.pitch_rate = body.pitch_rate = some(random);
    whole.roll = body.roll = some(random), whole.roll_rate = body.roll_rate = some(random);
    for (std::size_t i = 0; i < 4; ++i) {
      whole.z_wheel[i] = some(random), whole.v_wheel[i] = some(random), whole.road[i] = some(random);
    }
    whole.derivatives();
    body.outputs();
    for (std::size_t i = 0; i < 4; ++i) {
      VehicleWheel wheel;
      wheel.z_corner = body.z_corner[i], wheel.v_corner = body.v_corner[i], wheel.road = whole.road[i];
      wheel.z = whole.z_wheel[i], wheel.v = whole.v_wheel[i];
      wheel.derivatives();
      wheel.outputs();
      body.force[i] = wheel.force;
      EXPECT_NEAR(wheel.der_v, whole.der_v_wheel[i], 1e-9);  // values of up to 1e3
    }
    body.derivatives();
    EXPECT_NEAR(body.der_v, whole.der_v, 1e-12);
    EXPECT_NEAR(body.der_pitch_rate, whole.der_pitch_rate, 1e-12);
    EXPECT_NEAR(body.der_roll_rate, whole.der_roll_rate, 1e-12);
  }
}

// Detects moments whose signs do not match those of the corners: energy would grow.
TEST(Equations, OfTheVehicleLoseEnergy) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> some(-0.1, 0.1);
  for (int n = 0; n < 50; ++n) {
    Vehicle car;
    car.z = some(random), car.v = some(random), car.pitch = some(random), car.pitch_rate = some(random);
    car.roll = some(random), car.roll_rate = some(random);
    for (std::size_t i = 0; i < 4; ++i) car.z_wheel[i] = some(random), car.v_wheel[i] = some(random);
    car.derivatives();
    // Only the dampers change the energy.
    double rate = car.m * car.v * car.der_v + car.pitch_inertia * car.pitch_rate * car.der_pitch_rate +
                  car.roll_inertia * car.roll_rate * car.der_roll_rate;
    double taken = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double ahead = i < 2 ? car.front : -car.rear, left = i % 2 == 0 ? car.half_track : -car.half_track;
      const double stretch = car.z_wheel[i] - (car.z - ahead * car.pitch + left * car.roll);
      const double speed = car.v_wheel[i] - (car.v - ahead * car.pitch_rate + left * car.roll_rate);
      rate += car.m_wheel * car.v_wheel[i] * car.der_v_wheel[i] + car.k * stretch * speed +
              car.k_tyre * car.z_wheel[i] * car.v_wheel[i];
      taken += car.d * speed * speed;
    }
    EXPECT_NEAR(rate, -taken, 1e-9 * (1 + taken));
  }
}

// --- two masses between walls, whole and in halves

TEST(Equations, OfTwoMassesAreThoseOfItsHalves) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> some(-1, 1);
  for (int n = 0; n < 20; ++n) {
    TwoMass whole;
    whole.k1 = 10, whole.d1 = 1, whole.k2 = 50, whole.d2 = 2, whole.k = 25, whole.d = 0.1;
    whole.x1 = some(random), whole.v1 = some(random), whole.x2 = some(random), whole.v2 = some(random);
    whole.derivatives();

    CoupledMass first, second;
    second.k_wall = 50, second.d_wall = 2;
    first.x = second.x_other = whole.x1, first.v = second.v_other = whole.v1;
    second.x = first.x_other = whole.x2, second.v = first.v_other = whole.v2;
    first.derivatives();
    second.derivatives();
    second.outputs();
    EXPECT_NEAR(first.der_v, whole.der_v1, 1e-12);
    EXPECT_NEAR(second.der_v, whole.der_v2, 1e-12);

    CoupledMassRelative relative;
    relative.x = whole.x1, relative.v = whole.v1, relative.dx_other = second.dx, relative.dv_other = second.dv;
    relative.derivatives();
    EXPECT_NEAR(relative.der_v, whole.der_v1, 1e-12);
  }
}

TEST(Equations, OfACoupledMassAtAPointComputedByHand) {
  CoupledMass mass;
  mass.x = 0.2, mass.v = -1, mass.x_other = 0.5, mass.v_other = 2;
  mass.derivatives();
  mass.outputs();
  EXPECT_NEAR(mass.der_v, 25 * 0.3 + 0.1 * 3 - 10 * 0.2 + 1, 1e-14);  // 6.8
  EXPECT_NEAR(mass.dx, -0.3, 1e-16);
  EXPECT_DOUBLE_EQ(mass.dv, -3);
}

TEST(Equations, OfTheLinearUnitAtAPointComputedByHand) {
  LinearUnit unit;
  unit.x = 2, unit.u = 3, unit.d = 0.25;
  unit.derivatives();
  unit.outputs();
  EXPECT_DOUBLE_EQ(unit.der_x, 1);
  EXPECT_DOUBLE_EQ(unit.y, 2.75);
}

// --- the pendula and the nonlinear pair

TEST(Equations, OfThePendulumAtAPointComputedByHand) {
  Pendulum p;
  p.m = 2, p.l = 3, p.g = 10, p.d = 0.5, p.x_pivot = -1, p.y_pivot = 4;
  p.theta = std::acos(0.6), p.omega = -2;  // sin = 0.8, cos = 0.6
  p.F_x = 7, p.F_y = 5, p.u_pivot = 1.5, p.torque = 11;
  p.derivatives();
  p.outputs();
  // Along the circle: (7 + 2 * 1.5) * 0.6 + (5 - 20) * 0.8 = -6 N. Torques: 11 + 0.5 * 2 - 3 * 6 = -6 N m on 18 kg m2.
  EXPECT_DOUBLE_EQ(p.der_theta, -2);
  EXPECT_NEAR(p.der_omega, -6.0 / 18, 1e-15);
  EXPECT_NEAR(p.x, -1 + 3 * 0.8, 1e-15);
  EXPECT_NEAR(p.y, 4 - 3 * 0.6, 1e-15);
  EXPECT_NEAR(p.v_x, -2 * 3 * 0.6, 1e-15);
  EXPECT_NEAR(p.v_y, -2 * 3 * 0.8, 1e-15);
}

// On the circle, the second derivative of (sin, -cos) must be that of both forms.
TEST(Equations, OfThePendulumByItsCoordinatesAreThoseByItsAngle) {
  Pendulum p;
  p.m = 2, p.l = 3, p.theta = 0.7, p.omega = -2, p.F_x = 7, p.F_y = 5, p.u_pivot = 1.5, p.x_pivot = -1, p.y_pivot = 4;
  p.derivatives();
  p.outputs();
  PendulumCartesian c;
  c.m = 2, c.l = 3, c.F_x = 7, c.F_y = 5, c.u_pivot = 1.5, c.x_pivot = -1, c.y_pivot = 4;
  c.x = p.x, c.y = p.y, c.v_x = p.v_x, c.v_y = p.v_y;
  c.derivatives();
  c.outputs();
  EXPECT_NEAR(c.der_v_x, p.l * (p.der_omega * std::cos(0.7) - 4 * std::sin(0.7)), 1e-12);
  EXPECT_NEAR(c.der_v_y, p.l * (p.der_omega * std::sin(0.7) + 4 * std::cos(0.7)), 1e-12);
  EXPECT_NEAR(c.violation, 0, 1e-14);
  // The rod carries the centripetal force and what the other forces have along it.
  const double outwards = (7 + 2 * 1.5) * std::sin(0.7) - (5 - 2 * 9.81) * std::cos(0.7);
  EXPECT_NEAR(c.tension, 2 * 3 * 4 + outwards, 1e-12);
}

// Two pendula with pivots at -2 and 2 m, coupled by a spring of 1 N/m without length. Solutions at t = 5 s of an
// independent program.
struct TwoPendula {
  std::array<Pendulum, 2> p;
  double sign = 1;  // -1: the pivots move towards each other

  using State = std::array<double, 4>;
  State rates(double t, const State& z) {
    std::array<double, 2> x{}, y{};
    for (std::size_t i = 0; i < 2; ++i) {
      p[i].theta = z[2 * i], p[i].omega = z[2 * i + 1];
      p[i].x_pivot = i == 0 ? -2 : 2;
      p[i].outputs();
      x[i] = p[i].x + (i == 0 ? 1 : sign) * std::sin(t);
      y[i] = p[i].y;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      p[i].F_x = x[1 - i] - x[i];
      p[i].F_y = y[1 - i] - y[i];
      p[i].u_pivot = (i == 0 ? 1 : sign) * std::sin(t);
      p[i].derivatives();
    }
    return {p[0].der_theta, p[0].der_omega, p[1].der_theta, p[1].der_omega};
  }
  State at_five() {
    constexpr double half_pi = 1.5707963267948966;
    State z{half_pi, 0, -half_pi, 0};
    constexpr int steps = 20000;
    constexpr double h = 5.0 / steps;
    const auto shifted = [&](const State& k, double by) {
      State s = z;
      for (std::size_t i = 0; i < 4; ++i) s[i] += by * k[i];
      return s;
    };
    for (int i = 0; i < steps; ++i) {
      const double t = i * h;
      const auto k1 = rates(t, z);
      const auto k2 = rates(t + h / 2, shifted(k1, h / 2));
      const auto k3 = rates(t + h / 2, shifted(k2, h / 2));
      const auto k4 = rates(t + h, shifted(k3, h));
      for (std::size_t j = 0; j < 4; ++j) z[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    return z;
  }
};

// The published figures have eight digits; RK4 with 0.25 ms has an error below 1e-11.
TEST(Equations, OfTwoCoupledPendulaLeadToThePublishedSolution) {
  const auto same = TwoPendula{}.at_five();
  EXPECT_NEAR(same[0], -0.91921176, 1e-8);
  EXPECT_NEAR(same[1], -1.31423156, 1e-8);
  EXPECT_NEAR(same[2], 0.6057906, 1e-8);
  EXPECT_NEAR(same[3], 1.32913196, 1e-8);
  const auto mirrored = TwoPendula{.p = {}, .sign = -1}.at_five();
  EXPECT_NEAR(std::abs(mirrored[0]), 0.63276769, 1e-8);
  EXPECT_NEAR(std::abs(mirrored[1]), 1.61895287, 1e-8);
  EXPECT_NEAR(mirrored[2], -mirrored[0], 1e-8);
  EXPECT_NEAR(mirrored[3], -mirrored[1], 1e-8);
}

TEST(Equations, OfTheNonlinearPairAtAPointComputedByHand) {
  CubicMass a;
  a.x = 0.5, a.v = -2, a.force = 3, a.m = 2;
  a.derivatives(0);
  a.outputs(0);
  EXPECT_DOUBLE_EQ(a.der_x, -2);
  EXPECT_DOUBLE_EQ(a.der_v, (200 + 3 - 12.5 + 80) / 2);  // 100 / 8; 10 * -8
  EXPECT_DOUBLE_EQ(a.a, a.der_v);
  a.derivatives(1);
  EXPECT_NEAR(a.der_v, (200 * std::cos(24.0) + 70.5) / 2, 1e-12);
  QuadraticMass b;
  b.x = -0.5, b.v = -2, b.force = 3, b.m = 2;
  b.derivatives();
  b.outputs();
  EXPECT_DOUBLE_EQ(b.der_v, (3 - 50 - 80) / 2.0);  // 200 / 4; 5 * 16
  EXPECT_DOUBLE_EQ(b.a, b.der_v);
}

// --- analytic derivatives

// Compares every column of the Jacobian with central differences, whose rounding errors are 1e-10 of the values.
template <class M, std::size_t K, std::size_t U>
void expect_derivatives(M at, double M::*const (&knowns)[K], double M::*const (&unknowns)[U]) {
  const auto evaluate = [](M& model) {
    if constexpr (requires { model.derivatives(); }) model.derivatives();
    if constexpr (requires { model.derivatives(0.0); }) model.derivatives(0.0);
    if constexpr (requires { model.outputs(); }) model.outputs();
    if constexpr (requires { model.outputs(0.0); }) model.outputs(0.0);
  };
  constexpr double h = 1e-5;
  for (const auto known : knowns) {
    M seed = at, to = at, above = at, below = at;
    for (const auto other : knowns) seed.*other = 0;
    seed.*known = 1;
    above.*known += h;
    below.*known -= h;
    evaluate(above);
    evaluate(below);
    at.directional(seed, to, {});
    for (const auto unknown : unknowns) {
      EXPECT_NEAR(to.*unknown, (above.*unknown - below.*unknown) / (2 * h), 1e-7);
    }
  }
}

TEST(AnalyticDerivatives, AreThoseOfTheEquations) {
  using L = LinearUnit;
  expect_derivatives<L>({.x = 2, .d = 0.25}, {&L::u, &L::x}, {&L::der_x, &L::y});
  using C = CoupledMass;
  expect_derivatives<C>({.m = 2}, {&C::x_other, &C::v_other, &C::x, &C::v}, {&C::der_x, &C::der_v, &C::dx, &C::dv});
  using O = OneMass;
  expect_derivatives<O>({.m = 3}, {&O::force, &O::x, &O::v}, {&O::der_x, &O::der_v});
  using N = CubicMass;
  expect_derivatives<N>({.force = 1, .x = 0.5, .v = -0.7, .m = 3}, {&N::force, &N::x, &N::v},
                        {&N::der_x, &N::der_v, &N::a});
  using Q = QuadraticMass;
  expect_derivatives<Q>({.force = 1, .x = 0.5, .v = -0.7, .m = 3}, {&Q::force, &Q::x, &Q::v},
                        {&Q::der_x, &Q::der_v, &Q::a});
  using P = Pendulum;
  expect_derivatives<P>(
      {.F_x = 1, .F_y = 2, .u_pivot = 3, .torque = 4, .theta = 0.7, .omega = -0.4, .m = 2, .l = 1.5, .d = 0.3},
      {&P::F_x, &P::F_y, &P::u_pivot, &P::torque, &P::theta, &P::omega},
      {&P::der_theta, &P::der_omega, &P::x, &P::y, &P::v_x, &P::v_y});
  using D = PendulumCartesian;
  expect_derivatives<D>({.F_x = 1, .F_y = 2, .u_pivot = 3, .x = 0.7, .y = -0.8, .v_x = 0.3, .v_y = 0.2, .m = 2},
                        {&D::F_x, &D::F_y, &D::u_pivot, &D::x, &D::y, &D::v_x, &D::v_y},
                        {&D::der_x, &D::der_y, &D::der_v_x, &D::der_v_y, &D::tension, &D::violation});
  using V = VanDerPol;
  expect_derivatives<V>({.x0 = 1.5, .x1 = -0.5, .mu = 2}, {&V::x0, &V::x1}, {&V::der_x0, &V::der_x1});
}

}  // namespace
}  // namespace consort::models_test
