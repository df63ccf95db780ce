// Iterated coupling: the numbers of the implicit scheme, by every method; and the units that are iterated.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "couple/accelerator.hpp"
#include "spy_unit.hpp"
#include "systems.hpp"

namespace consort::engine {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// a' = -400 b, b' = 100 a: steps of 0.1 are far beyond the stability limit of explicit coupling.
constexpr double to_a = -400;
constexpr double to_b = 100;

graph::System oscillator(std::uint32_t substeps = 1) {
  graph::System s("oscillator");
  s.add("a", "model:integrator").set("y", "1");
  s.add("b", "model:integrator").substeps = substeps;
  s.connect("b.y", "a.u", graph::Linear{to_a, 0});
  s.connect("a.y", "b.u", graph::Linear{to_b, 0});
  return s;
}

struct Point {
  double a = 1;
  double b = 0;
};

// (I - θ h A) next = (I + (1 - θ) h A) now, solved directly: θ = 1 is the implicit Euler method, 1/2 the trapezoidal
// rule.
Point direct(Point now, double h, double theta) {
  const double p = theta * h * to_a, q = theta * h * to_b;
  const double ra = now.a + (1 - theta) * h * to_a * now.b;
  const double rb = now.b + (1 - theta) * h * to_b * now.a;
  const double determinant = 1 - p * q;
  return {(ra + p * rb) / determinant, (rb + q * ra) / determinant};
}

SimulationOptions iterated(double stop, double step, std::string method, int order = 0) {
  auto o = options(stop, step, "iterated");
  o.run.iteration.method = std::move(method);
  o.run.iteration.tolerance = 1e-11;
  o.run.extrapolation = std::to_string(order);
  return o;
}

class Iterated : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, Iterated, ::testing::Values("iqn-ils", "anderson", "broyden", "newton"),
                         [](const auto& method) {
                           std::string name = method.param;
                           return name.substr(0, name.find('-'));
                         });

TEST_P(Iterated, ReproducesTheImplicitSchemeToItsTolerance) {
  using Sweep = graph::IterationSettings::Sweep;
  for (const int order : {0, 1}) {
    for (const auto& [substeps, sweep] : {std::pair(1U, Sweep::serial), std::pair(3U, Sweep::serial),
                                          std::pair(1U, Sweep::parallel), std::pair(3U, Sweep::parallel)}) {
      auto o = iterated(1, 0.1, GetParam(), order);
      o.run.iteration.sweep = sweep;
      Simulation s(oscillator(substeps), o, library());
      s.initialize();
      Point expected;
      while (!s.done()) {
        s.step();
        expected = direct(expected, 0.1, order == 0 ? 1 : 0.5);
        // Errors of 1e-11 relative to inputs of at most 400, through gains of 0.1 and ten steps.
        EXPECT_NEAR(number(s, "a.y"), expected.a, 1e-7) << order << ' ' << substeps << " at " << s.time();
        EXPECT_NEAR(number(s, "b.y"), expected.b, 1e-7) << order << ' ' << substeps << " at " << s.time();
      }
    }
  }
}

TEST(IteratedCoupling, ReproducesTheImplicitSchemeByRelaxationWhereThatConverges) {
  // With steps of 1 ms the loop's gain is |h² · 400 · 100| = 0.04.
  for (const char* method : {"fixed-point", "relaxation", "aitken"}) {
    Simulation s(oscillator(), iterated(0.01, 1e-3, method), library());
    s.initialize();
    Point expected;
    while (!s.done()) {
      s.step();
      expected = direct(expected, 1e-3, 1);
    }
    EXPECT_NEAR(number(s, "a.y"), expected.a, 1e-9) << method;
    EXPECT_NEAR(number(s, "b.y"), expected.b, 1e-9) << method;
  }
}

TEST(IteratedCoupling, ConvergesWhereJacobiAndGaussSeidelDiverge) {
  for (const char* stepper : {"jacobi", "gauss-seidel"}) {
    auto o = iterated(1, 0.1, "iqn-ils");
    o.run.stepper = stepper;
    Simulation s(oscillator(), o, library());
    s.initialize();
    while (!s.done()) s.step();
    EXPECT_GT(std::abs(number(s, "a.y")), 1e6) << stepper;
  }
  Simulation s(oscillator(), iterated(1, 0.1, "iqn-ils"), library());
  s.initialize();
  while (!s.done()) s.step();
  EXPECT_LT(std::abs(number(s, "a.y")), 1e-6);  // damped by the implicit Euler method
}

TEST(IteratedCoupling, AgreesOnAScalarInterfaceWhateverTheQuasiNewtonForm) {
  // One unit whose output drives its own input, nonlinear: one unknown.
  const auto library = std::make_shared<Library>();
  library->add("curve", [](const std::string& name) {
    auto unit = std::make_unique<unit::LambdaUnit>(name);
    const auto u = unit->input("u", 0.0);
    const auto y = unit->output("y", 0.5);
    unit->on_step([u, y](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
      v[y] += r.h * (1 - std::exp(3 * v[u]));
      return unit::completed(r);
    });
    return unit;
  });
  graph::System system("curve");
  system.add("c", "model:curve");
  system.connect("c.y", "c.u");
  std::vector<std::uint64_t> iterations;
  std::vector<double> values;
  for (const char* method : {"aitken", "anderson", "iqn-ils", "broyden"}) {
    auto o = iterated(1, 0.25, method);
    o.run.iteration.depth = 1;
    Simulation s(system, o, library);
    s.initialize();
    while (!s.done()) s.step();
    ASSERT_EQ(s.report().iterations.size(), 1U);
    iterations.push_back(s.report().iterations[0].iterations);
    values.push_back(number(s, "c.y"));
  }
  for (std::size_t i = 1; i < values.size(); ++i) {
    EXPECT_EQ(iterations[i], iterations[0]) << i;
    EXPECT_NEAR(values[i], values[0], 1e-10) << i;
  }
}

TEST(IteratedCoupling, TellsHowEachInterfaceVariableConverged) {
  // a' = -400 b converges slowly, c' = -c/10 fast.
  auto system = oscillator();
  system.add("c", "model:integrator").set("y", "1");
  system.add("d", "model:integrator").set("y", "1");
  system.connect("d.y", "c.u", graph::Linear{-0.1, 0});
  system.connect("c.y", "d.u", graph::Linear{0.1, 0});
  auto o = iterated(0.1, 1e-3, "fixed-point");
  o.run.iteration.scope = graph::IterationSettings::Scope::whole;
  o.run.iteration.sweep = graph::IterationSettings::Sweep::parallel;
  Simulation s(system, o, library());
  s.initialize();
  while (!s.done()) s.step();
  const auto report = s.report();
  ASSERT_EQ(report.iterations.size(), 1U);
  const auto& i = report.iterations[0];
  EXPECT_EQ(i.variables, (std::vector<std::string>{"a.u", "b.u", "c.u", "d.u"}));
  EXPECT_EQ(i.steps, 100U);
  EXPECT_EQ(i.last_to_agree[0] + i.last_to_agree[1], i.steps) << "one of the stiff pair is always the last";
  EXPECT_EQ(i.last_to_agree[2] + i.last_to_agree[3], 0U);
  double largest = 0;
  for (const double r : i.residuals) {
    EXPECT_LE(r, o.run.iteration.tolerance);
    largest = std::max(largest, r);
  }
  EXPECT_EQ(largest, i.largest);
  EXPECT_GT(largest, 0);
  EXPECT_THAT(report.text(),
              ContainsRegex("of 4 interface variables, [ab]\\.u is the last to agree in .* of the steps"));
  const auto tables = report.tables();
  const auto table = std::find_if(tables.begin(), tables.end(), [](const auto& t) { return t.name == "interface"; });
  ASSERT_NE(table, tables.end());
  EXPECT_EQ(table->columns[0].texts, i.variables);
}

TEST(IteratedCoupling, SeeksFewValuesWhereUnitsGoOneAfterAnother) {
  // A hub; three other units drive it with one value each, and it drives each of them with two values.
  const auto library = std::make_shared<Library>();
  library->add("node", [](const std::string& name) {
    auto unit = std::make_unique<unit::LambdaUnit>(name);
    std::vector<unit::LambdaUnit::Handle<double>> u;
    for (const char* input : {"u1", "u2", "u3"}) u.push_back(unit->input(input, 0.0));
    const auto y = unit->output("y", 1.0);
    unit->on_step([u, y](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
      v[y] += r.h * (1 - v[u[0]] - v[u[1]] - v[u[2]]);
      return unit::completed(r);
    });
    return unit;
  });
  graph::System system("star");
  for (const char* name : {"one", "two", "three", "hub"}) system.add(name, "model:node");
  int input = 1;
  for (const std::string name : {"one", "two", "three"}) {
    system.connect(name + ".y", "hub.u" + std::to_string(input++));
    system.connect("hub.y", name + ".u1");
    system.connect("hub.y", name + ".u2");
  }
  std::vector<double> values;
  for (const auto sweep : {graph::IterationSettings::Sweep::serial, graph::IterationSettings::Sweep::parallel}) {
    auto o = iterated(1, 0.1, "iqn-ils");
    o.run.iteration.sweep = sweep;
    Simulation s(system, o, library);
    s.initialize();
    while (!s.done()) s.step();
    const bool serial = sweep == graph::IterationSettings::Sweep::serial;
    EXPECT_EQ(s.report().iterations.at(0).variables.size(), serial ? 3U : 9U);
    values.push_back(number(s, "hub.y"));
  }
  EXPECT_NEAR(values[0], values[1], 1e-9);
}

// --- orders

// Two masses as Model Exchange units whose inputs follow the polynomials exactly; the global error has order k + 1.
double error_of(int order, double step) {
  graph::System s("masses");
  const auto file = std::filesystem::path(places::fmus()) / "fmi2/CoupledMass.fmu";
  for (const char* name : {"one", "two"}) {
    auto& unit = s.add(name, file);
    unit.interface = describe::InterfaceType::model_exchange;
  }
  s.components[1].set("x", "-0.5");
  for (const auto& [from, to] : {std::pair("one", "two"), std::pair("two", "one")}) {
    s.connect(std::string(from) + ".x", std::string(to) + ".x_other");
    s.connect(std::string(from) + ".v", std::string(to) + ".v_other");
  }
  auto o = iterated(1, step, "iqn-ils", order);
  o.run.tolerance = 1e-11;
  Simulation simulation(s, o);
  simulation.initialize();
  while (!simulation.done()) simulation.step();
  // m = 1, d_wall = 1, k_wall = 10, k = 25, d = 0.1: the sum and the difference of the masses are independent
  // oscillators.
  const auto free = [](double x0, double k, double d) {
    const double decay = d / 2, omega = std::sqrt(k - decay * decay);
    return std::exp(-decay) * x0 * (std::cos(omega) + decay / omega * std::sin(omega));
  };
  const double sum = free(0.5, 10, 1), difference = free(1.5, 60, 1.2);
  return std::abs(number(simulation, "one.x") - (sum + difference) / 2);
}

TEST(IteratedCoupling, HasTheOrderOfItsPolynomials) {
  for (const int order : {0, 1, 2}) {
    const double coarse = error_of(order, 0.02), fine = error_of(order, 0.01);
    EXPECT_NEAR(std::log2(coarse / fine), order + 1, 0.25) << coarse << ' ' << fine;
  }
}

TEST(IteratedCoupling, TakesTheSameJacobianFromDerivativesAsFromDifferences) {
  graph::System s("pair");
  const auto file = std::filesystem::path(places::fmus()) / "fmi2/LinearUnit.fmu";
  for (const char* name : {"a", "b"}) s.add(name, file).interface = describe::InterfaceType::model_exchange;
  s.components[0].set("d", "3");
  s.components[1].set("d", "-2");
  s.connect("a.y", "b.u");
  s.connect("b.y", "a.u");
  using Jacobian = graph::IterationSettings::Jacobian;
  std::vector<double> values;
  for (const auto jacobian : {Jacobian::derivatives, Jacobian::differences}) {
    auto o = iterated(1, 0.1, "newton");
    o.run.tolerance = 1e-9;
    o.run.iteration.tolerance = 1e-9;
    o.run.iteration.jacobian = jacobian;
    o.run.consistent = graph::Consistency::never;
    Simulation simulation(s, o);
    simulation.initialize();
    while (!simulation.done()) simulation.step();
    values.push_back(number(simulation, "a.y"));
    const auto report = simulation.report().iterations.at(0);
    EXPECT_EQ(report.for_jacobian > 0, jacobian == Jacobian::differences);
    // Linear, so one matrix serves all steps: a guess, a correction, and perhaps another one for the tolerance of the
    // solver.
    EXPECT_LE(report.iterations, 3 * report.steps + 2);
  }
  EXPECT_NEAR(values[0], values[1], 1e-7);
}

std::unique_ptr<SpyUnit> integrating_spy(const std::string& name) {
  auto unit = std::make_unique<SpyUnit>(name);
  const auto u = unit->lambdas.input("u", 0.0);
  const auto y = unit->lambdas.output("y", 1.0);
  unit->lambdas.on_step([u, y](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
    v[y] += r.h * v[u];
    return unit::completed(r);
  });
  return unit;
}

// The error of adapted units after an event in the step.
TEST(Newton, TakesDifferencesWhereAStepHasNoDerivatives) {
  class None : public unit::StepDerivatives {
   public:
    int asked = 0;
    void step_directional(std::span<const ValueReference>, std::span<const ValueReference>, std::span<const double>,
                          std::span<double>) override {
      ++asked;
      throw run_error("there was an event in it");
    }
  };
  None none;
  const auto library = std::make_shared<Library>();
  library->add("spy", [&](const std::string& name) {
    auto unit = integrating_spy(name);
    unit->differentiates = &none;
    return unit;
  });
  graph::System circle("circle");
  for (const char* name : {"a", "b"}) circle.add(name, "model:spy");
  circle.connect("a.y", "b.u");
  circle.connect("b.y", "a.u", graph::Linear{-1, 0});
  Simulation s(circle, iterated(1, 0.5, "newton"), library);
  s.initialize();
  s.step();
  EXPECT_GT(none.asked, 0);
  EXPECT_GT(s.report().iterations.at(0).for_jacobian, 0U);
  // Implicit Euler: a = 1 - b/2, b = 1 + a/2.
  EXPECT_NEAR(number(s, "a.y"), 0.4, 1e-6);
  EXPECT_NEAR(number(s, "b.y"), 1.2, 1e-6);
}

// --- iterated units

TEST(IteratedCoupling, RepeatsOnlyUnitsThatDependOnEachOtherInACircle) {
  const auto library = std::make_shared<Library>();
  std::vector<SpyUnit*> spies;
  const auto spy = [&spies](const std::string& name) {
    auto unit = integrating_spy(name);
    spies.push_back(unit.get());
    return unit;
  };
  library->add("spy", spy);
  graph::System system("chain");
  for (const char* name : {"last", "right", "left", "first"}) system.add(name, "model:spy");
  system.connect("first.y", "left.u");
  system.connect("left.y", "right.u");
  system.connect("right.y", "last.u");
  auto o = iterated(1, 0.1, "iqn-ils");
  {
    Simulation s(system, o, library);
    s.initialize();
    s.step();
    EXPECT_TRUE(s.report().iterations.empty());
    // Each unit uses the new value of the unit before it.
    EXPECT_NEAR(number(s, "left.y"), 1.1, 1e-14);
    EXPECT_NEAR(number(s, "right.y"), 1.11, 1e-14);
    EXPECT_NEAR(number(s, "last.y"), 1.111, 1e-14);
  }
  spies.clear();
  graph::System circle("circle");
  for (const char* name : {"last", "right", "left"}) circle.add(name, "model:spy");
  circle.connect("left.y", "right.u");
  circle.connect("right.y", "left.u");
  circle.connect("right.y", "last.u");
  Simulation s(circle, o, library);
  spies.erase(spies.begin(), spies.end() - 3);
  spies[0]->can_roll_back = false;  // it is not in the cycle
  s.initialize();
  s.step();
  const auto report = s.report();
  ASSERT_EQ(report.iterations.size(), 1U);
  EXPECT_EQ(report.iterations[0].units, (std::vector<std::string>{"right", "left"}));
  EXPECT_EQ(spies[0]->steps.size(), 1U);
  EXPECT_EQ(spies[1]->steps.size(), report.iterations[0].iterations);
  EXPECT_GT(spies[1]->steps.size(), 1U);
  EXPECT_TRUE(spies[1]->steps[0].may_roll_back);
  EXPECT_FALSE(spies[0]->steps[0].may_roll_back);
  EXPECT_NEAR(number(s, "last.y"), 1 + 0.1 / 0.9, 1e-10);  // y = 1 + 0.1 y in the cycle
}

TEST(IteratedCoupling, SaysBeforeTheRunWhoCannotGoBackAndWhatToDo) {
  graph::System system("pair");
  const auto folder = std::filesystem::path(places::fmus());
  system.add("a", folder / "fmi1/cs/LinearUnit.fmu");
  system.add("b", folder / "fmi2/LinearUnit.fmu");
  system.connect("a.y", "b.u");
  system.connect("b.y", "a.u");
  try {
    Simulation s(system, iterated(1, 0.1, "iqn-ils"));
    FAIL() << "no error was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("unit 'a' (FMI 1.0) cannot save its state"), HasSubstr("gauss-seidel")));
  }
}

TEST(IteratedCoupling, GivesTheSameNumbersForTheWholeAsForItsParts) {
  auto o = iterated(1, 0.1, "newton");
  o.run.iteration.scope = graph::IterationSettings::Scope::whole;
  auto system = oscillator();
  system.add("c", "model:integrator");
  system.connect("a.y", "c.u");
  Simulation whole(system, o, library());
  o.run.iteration.scope = graph::IterationSettings::Scope::components;
  Simulation parts(system, o, library());
  for (auto* const s : {&whole, &parts}) {
    s->initialize();
    while (!s->done()) s->step();
  }
  for (const char* path : {"a.y", "b.y", "c.y"}) EXPECT_NEAR(number(whole, path), number(parts, path), 1e-8) << path;
  EXPECT_EQ(whole.report().iterations.at(0).variables.size(), 3U);
  EXPECT_EQ(parts.report().iterations.at(0).variables.size(), 2U);
}

TEST(IteratedCoupling, LeavesInputsToAScenario) {
  auto o = iterated(0.3, 0.1, "iqn-ils");
  o.run.scenario = {{graph::ScenarioAction::Kind::set, 0, "b.u", "5"}};
  Simulation s(oscillator(), o, library());
  s.initialize();
  while (!s.done()) s.step();
  EXPECT_NEAR(number(s, "b.y"), 1.5, 1e-12);
  // b = 0.5, 1, 1.5 at the ends of the steps.
  EXPECT_NEAR(number(s, "a.y"), 1 + 0.1 * to_a * 3, 1e-8);
}

TEST(IteratedCoupling, WorksUnderStepSizeControlWhichShortensStepsThatDoNotConverge) {
  auto o = iterated(0.2, 0.05, "fixed-point", 1);
  o.run.iteration.max_iterations = 8;
  o.run.iteration.tolerance = 1e-9;
  o.run.control.controller = "richardson";
  o.run.control.tolerance = 1e-5;
  Simulation s(oscillator(), o, library());
  s.initialize();
  while (!s.done()) s.step();
  const auto report = s.report();
  EXPECT_GT(report.iterations.at(0).failures, 0U);
  EXPECT_GT(report.rejected, 0U);
  // a' = -400 b, b' = 100 a: a = cos 200 t. The error accumulates over some 6 periods.
  EXPECT_NEAR(number(s, "a.y"), std::cos(200 * 0.2), 0.02);
}

// --- failures to converge

TEST(IteratedCoupling, NamesTheInputsThatDoNotConverge) {
  auto o = iterated(1, 0.1, "fixed-point");
  Simulation s(oscillator(), o, library());
  s.initialize();
  try {
    s.step();
    FAIL() << "it converged";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::run);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("inputs of a, b do not converge"), HasSubstr("t = 0 s to 0.1 s"),
                                HasSubstr("a.u "), HasSubstr("smaller step")));
  }
}

TEST(IteratedCoupling, GoesOnWhenToldAndCountsIt) {
  auto o = iterated(0.3, 0.1, "fixed-point");
  o.run.iteration.if_not_converged = IterationSettings::IfNotConverged::go_on;
  o.run.iteration.max_iterations = 4;
  Simulation s(oscillator(), o, library());
  s.initialize();
  while (!s.done()) s.step();
  const auto report = s.report().iterations.at(0);
  EXPECT_EQ(report.failures, 3U);
  EXPECT_EQ(report.most, 4U);
  EXPECT_GT(report.largest, 1);
}

TEST(IteratedCoupling, RefusesSettingsOutOfRange) {
  using Change = void (*)(graph::IterationSettings&);
  for (const Change change :
       {Change([](auto& i) { i.tolerance = 0; }), Change([](auto& i) { i.tolerance = std::nan(""); }),
        Change([](auto& i) { i.max_iterations = 0; }), Change([](auto& i) { i.relaxation = -1; }),
        Change([](auto& i) { i.depth = 0; }), Change([](auto& i) { i.reuse = -1; }),
        Change([](auto& i) { i.filter = 1; }), Change([](auto& i) { i.method = "magic"; }),
        Change([](auto& i) { i.jacobian = graph::IterationSettings::Jacobian::derivatives; })}) {
    auto o = iterated(1, 0.1, "newton");
    change(o.run.iteration);
    EXPECT_THROW(Simulation(oscillator(), o, library()), Error);
  }
}

}  // namespace
}  // namespace consort::engine
