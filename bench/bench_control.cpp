// Cost of step size control in addition to the units' own work, if no step is rejected.
//
// A controlled step is compared with its parts: fixed steps of the same sizes (two halves, and the whole step or the
// second half again), and the bare saving and restoring of the units. callgrind counts the instructions.
// `bench_control NAME` measures only one of the cases below.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "callgrind.hpp"
#include "engine/library.hpp"
#include "engine/simulation.hpp"
#include "unit/linear_unit.hpp"

namespace consort::bench {
namespace {

namespace fs = std::filesystem;
constexpr double half = 5e-4;

struct Case {
  const char* name;
  const char* what;
  double limit = 1.05;  // of the ratio
};
// The part of control that does not depend on the number of units, and the jump watch, show in the cheapest steps.
constexpr Case cases[] = {{"car", "quarter car, two linear units"},
                          {"held", "8 nodes (FMI 2.0), held inputs", 1.13},
                          {"nodes", "8 nodes (FMI 2.0)"},
                          {"nodes100", "100 nodes (FMI 2.0)"},
                          {"costly", "8 nodes of about 10 µs (FMI 2.0)"},
                          {"me", "quarter car, Model Exchange"}};

std::shared_ptr<engine::Library> library() {
  auto all = std::make_shared<engine::Library>();
  const double k = 15000, d = 1000, tyre = 150000, m = 400, n = 40;
  const unit::LinearSystem chassis{{"z_wheel", "v_wheel"}, {"z", "v"},           {0, 0},
                                   {0, 1, -k / m, -d / m}, {0, 0, k / m, d / m}, {1, 0, 0, 1}};
  const unit::LinearSystem wheel{{"z_chassis", "v_chassis"}, {"z", "v"},   {0, 0}, {0, 1, -(k + tyre) / n, -d / n},
                                 {0, 0, k / n, d / n},       {1, 0, 0, 1}, {},     {0, tyre * 0.1 / n}};
  all->add("chassis", [chassis](const std::string& name) { return std::make_unique<unit::LinearUnit>(name, chassis); });
  all->add("wheel", [wheel](const std::string& name) { return std::make_unique<unit::LinearUnit>(name, wheel); });
  return all;
}

fs::path fmu(const std::string& model) { return fs::path(CONSORT_FMU_DIR) / "fmi2" / (model + ".fmu"); }

graph::System car(bool me) {
  graph::System s("car");
  auto& chassis = s.add("chassis", me ? fmu("QuarterCarChassis") : fs::path("model:chassis"));
  if (me) chassis.interface = describe::InterfaceType::model_exchange;
  auto& wheel = s.add("wheel", me ? fmu("QuarterCarWheel") : fs::path("model:wheel"));
  if (me) wheel.interface = describe::InterfaceType::model_exchange;
  s.connect("wheel.z", "chassis.z_wheel");
  s.connect("wheel.v", "chassis.v_wheel");
  s.connect("chassis.z", "wheel.z_chassis");
  s.connect("chassis.v", "wheel.v_chassis");
  return s;
}

graph::System ring(long units, bool costly) {
  graph::System s("ring");
  for (long i = 0; i < units; ++i) {
    auto& unit = s.add(fmt::format("n{}", i), fmu(costly ? "CostlyNode" : "Node"));
    if (costly) unit.set("load", "2000");
  }
  for (long i = 0; i < units; ++i)
    s.connect(fmt::format("n{}.{}", i, costly ? "y" : "y1"),
              fmt::format("n{}.{}", (i + 1) % units, costly ? "u" : "u1"));
  return s;
}

graph::System system_of(const std::string& name) {
  if (name == "car") return car(false);
  if (name == "me") return car(true);
  return ring(name == "nodes100" ? 100 : 8, name == "costly");
}

engine::SimulationOptions options(const std::string& name, const std::string& controller, double step) {
  engine::SimulationOptions o;
  o.run.stop = 1e6;
  o.run.step = step;
  o.run.tolerance = 1e-4;
  o.run.stepper = "jacobi";
  o.run.threads = 1;
  o.run.extrapolation = name == "held" ? "0" : "1";
  o.run.control.controller = controller;
  o.run.control.tolerance = 1e9;
  if (controller != "fixed") o.run.control.minimum = o.run.control.maximum = step;
  return o;
}

void run(const std::string& name, const std::string& controller, double step, long steps) {
  engine::Simulation simulation(system_of(name), options(name, controller, step), library());
  simulation.initialize();
  for (long i = 0; i < steps; ++i) simulation.step();
}

// `saves` saves of every unit and one restore per step, as bare calls, on units that have already made some steps.
void save_and_restore(const std::string& name, int saves, long steps) {
  const auto all = library();
  const engine::Simulation simulation(system_of(name), options(name, "fixed", half), all);
  std::vector<std::unique_ptr<unit::Unit>> units;
  for (const auto& spec : all->specs(simulation.plan(), half)) units.push_back(all->factory()(spec));
  std::vector<std::unique_ptr<unit::Snapshot>> first(units.size()), second(units.size());
  for (const auto& unit : units) {
    unit->enter_initialization({0, 1e6, 1e-4});
    unit->exit_initialization();
    for (int i = 0; i < 20; ++i) unit->step({i * half, half, true});
  }
  for (long i = 0; i < steps; ++i) {
    for (std::size_t u = 0; u < units.size(); ++u) first[u] = units[u]->rollback()->save(std::move(first[u]));
    if (saves == 2)
      for (std::size_t u = 0; u < units.size(); ++u) second[u] = units[u]->rollback()->save(std::move(second[u]));
    for (std::size_t u = 0; u < units.size(); ++u) units[u]->rollback()->restore(*first[u]);
  }
}

// Instructions per step, without start-up.
double counted(const std::string& program, const std::string& arguments, long steps) {
  const auto count = [&](long n) {
    const auto c = count_instructions(fmt::format("'{}' {} {}", program, arguments, n));
    return c.inside + c.outside;
  };
  return (count(2 * steps) - count(steps)) / static_cast<double>(steps);
}

// Returns the largest ratio over all controllers.
double compare(const std::string& program, const Case& c) {
  const std::string name = c.name;
  // The cost of start-up varies a little, so cheap cases use many steps.
  const long steps = name == "nodes100" || name == "costly" ? 100 : 1000;
  const double short_step = counted(program, fmt::format("--run {} fixed {}", c.name, half), steps);
  const double long_step = counted(program, fmt::format("--run {} fixed {}", c.name, 2 * half), steps);
  double largest = 0;
  for (const std::string controller : {"richardson", "modified"}) {
    const bool whole = controller == "richardson";
    const double ours = counted(program, fmt::format("--run {} {} {}", c.name, controller, 2 * half), steps);
    // `modified` saves twice, at the beginning and in the middle, and restores once.
    const double states = counted(program, fmt::format("--states {} - {}", c.name, whole ? 1 : 2), steps);
    const double fixed = whole ? 2 * short_step + long_step : 3 * short_step;
    const double ratio = ours / (fixed + states);
    fmt::print("{:<34} {:<11} {:>12.0f} {:>12.0f} {:>12.0f} {:>7.3f} {:>7.3f}\n", c.what, controller, fixed, states,
               ours, ratio, ours / fixed);
    std::fflush(stdout);
    largest = std::max(largest, ratio);
  }
  return largest;
}

int main_of(int argc, char** argv) {
  if (argc == 6) {
    const long steps = std::strtol(argv[5], nullptr, 10);
    if (std::string(argv[1]) == "--run") run(argv[2], argv[3], std::strtod(argv[4], nullptr), steps);
    if (std::string(argv[1]) == "--states") save_and_restore(argv[2], std::atoi(argv[4]), steps);
    return 0;
  }
  if (!has_callgrind()) {
    fmt::print("valgrind is not installed, so instructions cannot be counted\n");
    return 0;
  }
  fmt::print("{:<34} {:<11} {:>12} {:>12} {:>12} {:>7} {:>7}\n", "instructions per step", "controller", "fixed steps",
             "unit states", "controlled", "ratio", "to steps");
  int status = 0;
  for (const auto& c : cases) {
    if (argc > 1 && std::string(argv[1]) != c.name) continue;
    const double largest = compare(argv[0], c);
    if (largest <= c.limit + 5e-4) continue;
    fmt::print("{}: a controlled step costs {:.3f} times its parts, more than {}\n", c.name, largest, c.limit);
    status = 1;
  }
  return status;
}

}  // namespace
}  // namespace consort::bench

int main(int argc, char** argv) { return consort::bench::main_of(argc, argv); }
