// Work and precision of coupling methods: the error of a coupled run over its processor time, for all steppers, orders
// and step size controllers.
//
//   bench_work_precision [FOLDER]      folder for coupling.csv and .svg; default: build/bench/results
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench_solve_plot.hpp"
#include "engine/simulation.hpp"
#include "measure.hpp"
#include "step/controller.hpp"
#include "step/stepper.hpp"

namespace consort::bench {
namespace {

namespace fs = std::filesystem;

// A system of two units, its reference, and the compared outputs.
struct Subject {
  std::string name;
  graph::System units;
  graph::System whole;
  std::vector<std::pair<std::string, std::string>> outputs;  // name in the units, name in the reference
  std::vector<double> steps;
  std::vector<double> tolerances;
};

graph::Component& add(graph::System& system, const char* name, const char* fmu) {
  auto& unit = system.add(name, fs::path(CONSORT_FMU_DIR) / "fmi2" / fmu);
  unit.interface = describe::InterfaceType::model_exchange;
  unit.solver = "dopri5";
  return unit;
}

Subject quarter_car() {
  Subject s{"quarter car", graph::System("units"), graph::System("whole"), {}, {}, {}};
  add(s.units, "chassis", "QuarterCarChassis.fmu");
  add(s.units, "wheel", "QuarterCarWheel.fmu").set("road", "0.1");
  s.units.connect("wheel.z", "chassis.z_wheel");
  s.units.connect("wheel.v", "chassis.v_wheel");
  s.units.connect("chassis.z", "wheel.z_chassis");
  s.units.connect("chassis.v", "wheel.v_chassis");
  add(s.whole, "car", "QuarterCar.fmu").set("road", "0.1");
  s.outputs = {{"chassis.z", "car.z_chassis"}, {"wheel.z", "car.z_wheel"}};
  s.steps = {1e-2, 5e-3, 2e-3, 1e-3, 5e-4};
  s.tolerances = {1e-2, 1e-3, 1e-4, 1e-5};
  return s;
}

Subject two_masses() {
  Subject s{"two masses", graph::System("units"), graph::System("whole"), {}, {}, {}};
  add(s.units, "one", "CoupledMass.fmu");
  add(s.units, "two", "CoupledMass.fmu").set("x", "-0.5");
  for (const auto& [from, to] : {std::pair("one", "two"), std::pair("two", "one")}) {
    s.units.connect(fmt::format("{}.x", from), fmt::format("{}.x_other", to));
    s.units.connect(fmt::format("{}.v", from), fmt::format("{}.v_other", to));
  }
  auto& whole = add(s.whole, "both", "TwoMass.fmu");
  for (const auto& [name, value] :
       {std::pair("x1", "1"), std::pair("x2", "-0.5"), std::pair("k1", "10"), std::pair("k2", "10"),
        std::pair("d1", "1"), std::pair("d2", "1"), std::pair("k", "25"), std::pair("d", "0.1")})
    whole.set(name, value);
  s.outputs = {{"one.x", "both.x1"}, {"two.x", "both.x2"}};
  s.steps = {5e-2, 2e-2, 1e-2, 5e-3, 2e-3};
  s.tolerances = {1e-2, 1e-3, 1e-4, 1e-5};
  return s;
}

struct End {
  std::vector<double> values{};
  std::uint64_t steps = 0;
  double seconds = 0;  // of the steps, without opening FMUs
};

End end_of(const graph::System& system, const graph::RunSettings& run, const std::vector<std::string>& outputs) {
  engine::SimulationOptions o;
  o.run = run;
  engine::Simulation simulation(system, o);
  simulation.initialize();
  const double begun = cpu_seconds();
  while (!simulation.done()) simulation.step();
  End end;
  end.seconds = cpu_seconds() - begun;
  end.steps = simulation.report().steps;
  for (const auto& path : outputs) end.values.push_back(simulation.value(path).elements<double>().front());
  return end;
}

graph::RunSettings usual() {
  graph::RunSettings run;
  run.stop = 1;
  run.tolerance = 1e-9;  // small, so that the coupling dominates the error
  run.threads = 1;
  return run;
}

struct Way {
  std::string name;
  std::string controller;  // empty: equal steps
  graph::RunSettings run;
};

std::vector<Way> ways() {
  std::vector<Way> all;
  for (const auto& stepper : step::steppers()) {
    if (stepper.name == "scheduled") continue;  // equal to another stepper for two units
    for (const int order : {0, 1, 2}) {
      Way way{fmt::format("{} {}", stepper.name, order), {}, usual()};
      way.run.stepper = std::string(stepper.name);
      way.run.extrapolation = std::to_string(order);
      way.run.iteration.tolerance = 1e-9;
      all.push_back(way);
    }
  }
  for (const auto& controller : step::controllers()) {
    // The other controllers need power bonds, which units that exchange displacements do not have.
    if (!controller.estimates) continue;
    for (const auto& stepper : step::steppers()) {
      const bool compares_extrapolations = controller.name == "modified";
      if (stepper.name == "scheduled" || (compares_extrapolations && stepper.name != "jacobi")) continue;
      for (const int order : {0, 2}) {
        Way way{fmt::format("{}, {} {}", controller.name, stepper.name, order), std::string(controller.name), usual()};
        way.run.stepper = std::string(stepper.name);
        way.run.extrapolation = std::to_string(order);
        way.run.iteration.tolerance = 1e-9;
        all.push_back(way);
      }
    }
  }
  return all;
}

Panel measure(const Subject& subject, std::ofstream& csv) {
  Panel panel{subject.name, {}};
  std::vector<std::string> in_units, in_whole;
  for (const auto& [units, whole] : subject.outputs) {
    in_units.push_back(units);
    in_whole.push_back(whole);
  }
  auto exact = usual();
  exact.step = 1e-2;
  exact.tolerance = 1e-12;
  const auto expected = end_of(subject.whole, exact, in_whole).values;
  fmt::print("{}\n  {:<26} {:>9} {:>8} {:>10} {:>10}\n", subject.name, "", "step, tol", "steps", "error", "ms");
  for (auto way : ways()) {
    Curve curve{way.name, {}};
    for (const double setting : way.controller.empty() ? subject.steps : subject.tolerances) {
      way.run.step = way.controller.empty() ? setting : 1e-3;
      way.run.control.controller = way.controller;
      if (!way.controller.empty()) way.run.control.tolerance = setting;
      End end = end_of(subject.units, way.run, in_units);
      const auto& found = end.values;
      for (int again = 0; again < 2; ++again)
        end.seconds = std::min(end.seconds, end_of(subject.units, way.run, in_units).seconds);
      double error = 0;
      for (std::size_t i = 0; i < found.size(); ++i) error = std::max(error, std::abs(found[i] - expected[i]));
      if (!std::isfinite(error) || error > 10) continue;  // unstable: not plotted
      curve.points.emplace_back(error, 1e3 * end.seconds);
      fmt::print("  {:<26} {:>9} {:>8} {:>10.2e} {:>10.2f}\n", way.name, setting, end.steps, error, 1e3 * end.seconds);
      csv << fmt::format("\"{}\",\"{}\",{},{},{},{}\n", subject.name, way.name, setting, end.steps, error,
                         1e3 * end.seconds);
    }
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

void report(const fs::path& folder) {
  fs::create_directories(folder);
  std::ofstream csv(folder / "coupling.csv");
  csv << "\"system\",\"method\",\"step or tolerance\",\"steps\",\"error\",\"ms\"\n";
  std::vector<Panel> panels;
  for (const auto& subject : {quarter_car(), two_masses()}) panels.push_back(measure(subject, csv));
  std::ofstream(folder / "coupling.svg") << log_log_svg(panels, "error at t = 1 s", "ms");
  fmt::print("{0}/coupling.csv and .svg\n", folder.string());
}

}  // namespace
}  // namespace consort::bench

int main(int argc, char** argv) {
  try {
    consort::bench::report(argc > 1 ? argv[1] : "build/bench/results");
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
