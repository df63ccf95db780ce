// Linear systems in two halves, each solved exactly, and the same systems as a whole, for experiments with the coupling
// error.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "coupled.hpp"
#include "unit/linear_unit.hpp"

namespace consort::example {

// Two masses, each on its own spring and damper, with a spring and a damper between them. The ground of the second mass
// is at `ground`.
struct TwoMasses {
  double m1 = 1, k1 = 0, d1 = 0;
  double m2 = 1, k2 = 0, d2 = 0;
  double k = 1, d = 0;  // between them
  double ground = 0;
  std::array<double, 4> start{};  // x1, v1, x2, v2

  // Displacement coupling: each half has the position and velocity of the other one as inputs.
  [[nodiscard]] unit::LinearSystem first() const {
    return {
        {"x", "v"},  {"x1", "v1"}, {start[0], start[1]}, {0, 1, -(k1 + k) / m1, -(d1 + d) / m1}, {0, 0, k / m1, d / m1},
        {1, 0, 0, 1}};
  }
  [[nodiscard]] unit::LinearSystem second() const {
    return {{"x", "v"},
            {"x2", "v2"},
            {start[2], start[3]},
            {0, 1, -(k2 + k) / m2, -(d2 + d) / m2},
            {0, 0, k / m2, d / m2},
            {1, 0, 0, 1},
            {},
            {0, k2 * ground / m2}};
  }
  // Force coupling: the second half computes the force on the first one, with feed-through.
  [[nodiscard]] unit::LinearSystem first_by_force() const {
    return {{"F"}, {"x1", "v1"}, {start[0], start[1]}, {0, 1, -k1 / m1, -d1 / m1}, {0, 1 / m1}, {1, 0, 0, 1}};
  }
  [[nodiscard]] unit::LinearSystem second_with_force() const {
    auto s = second();
    s.outputs = {"F", "x2", "v2"};
    s.c = {k, d, 1, 0, 0, 1};
    s.d = {-k, -d, 0, 0, 0, 0};
    return s;
  }
  // The exact solution of the whole system after time h, from any state.
  [[nodiscard]] std::array<double, 4> after(const std::array<double, 4>& x, Duration h) const {
    unit::LinearUnit whole("whole", {{},
                                     {"x1", "v1", "x2", "v2"},
                                     {x.begin(), x.end()},
                                     {0, 1, 0, 0, -(k1 + k) / m1, -(d1 + d) / m1, k / m1, d / m1, 0, 0, 0, 1, k / m2,
                                      d / m2, -(k2 + k) / m2, -(d2 + d) / m2},
                                     {},
                                     {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                                     {},
                                     {0, 0, 0, k2 * ground / m2}});
    whole.step({0, h, false});
    const std::array<describe::VariableId, 4> all{0, 1, 2, 3};
    const describe::SignalSet set(whole.description(), all);
    Columns columns = set.make_columns();
    whole.get(set, columns);
    std::array<double, 4> y{};
    std::copy_n(columns.column<double>().begin(), 4, y.begin());
    return y;
  }
};

// The quarter car of A 5.3 and E 5: the chassis is first, the wheel second; the road has a step of 10 cm.
inline TwoMasses quarter_car() {
  TwoMasses car;
  car.m1 = 400;
  car.m2 = 40;
  car.k2 = 150000;
  car.k = 15000;
  car.d = 1000;
  car.ground = 0.1;
  return car;
}

inline Outcome run(const TwoMasses& masses, bool by_force, const graph::RunSettings& settings) {
  auto library = std::make_shared<engine::Library>();
  const auto add = [&](const char* name, const unit::LinearSystem& s) {
    library->add(name, [s](const std::string& unit) { return std::make_unique<unit::LinearUnit>(unit, s); });
  };
  add("first", by_force ? masses.first_by_force() : masses.first());
  add("second", by_force ? masses.second_with_force() : masses.second());
  graph::System system("two masses");
  system.add("a", "model:first");
  system.add("b", "model:second");
  system.connect("a.x1", "b.x");
  system.connect("a.v1", "b.v");
  if (by_force) {
    system.connect("b.F", "a.F");
  } else {
    system.connect("b.x2", "a.x");
    system.connect("b.v2", "a.v");
  }
  Outcome outcome;
  engine::SimulationOptions options;
  options.run = settings;
  options.run.stepper = "jacobi";
  engine::Simulation simulation(system, options, library);
  record::MemorySink memory(outcome.result);
  record::Sink* const sinks[] = {&memory};
  outcome.report = simulation.run(sinks);
  return outcome;
}

inline std::array<double, 4> row(const record::Result& r, std::size_t i) {
  return {r["a.x1"].numbers[i], r["a.v1"].numbers[i], r["b.x2"].numbers[i], r["b.v2"].numbers[i]};
}

}  // namespace consort::example
