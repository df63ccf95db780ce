// The quarter car as two linear units that are solved exactly, so that only the coupling causes errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "record/result.hpp"
#include "systems.hpp"
#include "unit/linear_unit.hpp"

namespace consort::engine::testing {

using unit::LinearSystem;
using unit::LinearUnit;

// C. Andersson, A Software Framework …, 5.3: chassis and wheel, coupled by displacements and velocities.
inline LinearSystem chassis() {
  const double m = 400, k = 15000, d = 1000;
  return {{"z_w", "v_w"}, {"z", "v"}, {0, 0}, {0, 1, -k / m, -d / m}, {0, 0, k / m, d / m}, {1, 0, 0, 1}};
}
inline LinearSystem wheel() {
  const double m = 40, k = 15000, d = 1000, tyre = 150000, road = 0.1;
  return {{"z_c", "v_c"},       {"z", "v"},   {0, 0}, {0, 1, -(k + tyre) / m, -d / m},
          {0, 0, k / m, d / m}, {1, 0, 0, 1}, {},     {0, tyre * road / m}};
}

inline std::shared_ptr<Library> parts(LinearSystem first, LinearSystem second) {
  auto all = std::make_shared<Library>();
  all->add("first", [first](const std::string& name) { return std::make_unique<LinearUnit>(name, first); });
  all->add("second", [second](const std::string& name) { return std::make_unique<LinearUnit>(name, second); });
  return all;
}

inline graph::System car() {
  graph::System s;
  s.name = "quarter car";
  s.add("chassis", "model:first");
  s.add("wheel", "model:second");
  s.connect("wheel.z", "chassis.z_w");
  s.connect("wheel.v", "chassis.v_w");
  s.connect("chassis.z", "wheel.z_c");
  s.connect("chassis.v", "wheel.v_c");
  return s;
}

inline SimulationOptions controlled(const std::string& controller, int order, double tolerance) {
  auto o = options(1, 1e-3);
  o.run.extrapolation = std::to_string(order);
  o.run.control.controller = controller;
  o.run.control.tolerance = tolerance;
  return o;
}

// Compares with x_c, v_c, x_w, v_w of the whole system at t = 1 s.
inline double error_at_end(const record::Result& r) {
  return std::max(
      {std::abs(r["chassis.z"].numbers.back() - 0.06528944), std::abs(r["chassis.v"].numbers.back() + 0.03060215),
       std::abs(r["wheel.z"].numbers.back() - 0.09660651), std::abs(r["wheel.v"].numbers.back() - 0.00429470)});
}

}  // namespace consort::engine::testing
