// Models that a program writes itself: from structs, from functions, from classes; by name.
#include "consort/native.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../models/impulse_ball.hpp"
#include "../../../models/one_mass.hpp"
#include "api/tests/common.hpp"
#include "consort/system.hpp"

namespace consort::api_tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x'' = (F - k x - d v) / m, as models/one_mass.hpp.
Lambdas mass(bool analytic = false) {
  Lambdas l{.name = "Mass",
            .states = {{.name = "x", .start = 1, .unit = "m", .depends_on = {{"v"}}}, {.name = "v", .unit = "m/s"}},
            .inputs = {{.name = "force"}},
            .outputs = {{.name = "energy", .unit = "J", .depends_on = {{"x", "v"}}}},
            .parameters = {{.name = "m", .start = 1, .unit = "kg"},
                           {.name = "k", .start = 10, .unit = "N/m"},
                           {.name = "d", .start = 0.1}},
            .f =
                [](const NativePoint& at, std::span<double> dx) {
                  dx[0] = at.x[1];
                  dx[1] = (at.u[0] - at.p[1] * at.x[0] - at.p[2] * at.x[1]) / at.p[0];
                },
            .g = [](const NativePoint& at,
                    std::span<double> y) { y[0] = (at.p[0] * at.x[1] * at.x[1] + at.p[1] * at.x[0] * at.x[0]) / 2; }};
  if (analytic)
    l.directional = [](const NativePoint& at, const NativeDirection& d) {
      d.f[0] = d.x[1];
      d.f[1] = (d.u[0] - at.p[1] * d.x[0] - at.p[2] * d.x[1]) / at.p[0];
      d.g[0] = at.p[0] * at.x[1] * d.x[1] + at.p[1] * at.x[0] * d.x[0];
    };
  return l;
}

// A ball on the floor h = 0; impacts are counted.
Lambdas ball() {
  return {.name = "Ball",
          .states = {{.name = "h", .start = 1, .unit = "m"}, {.name = "v", .unit = "m/s"}},
          .outputs = {{.name = "count", .type = NativeType::integer}},
          .parameters = {{.name = "e", .start = 1}},
          .memory = {{.name = "impacts", .type = NativeType::integer}},
          .indicators = 1,
          .stop_time = 3,
          .f =
              [](const NativePoint& at, std::span<double> dx) {
                dx[0] = at.x[1];
                dx[1] = -9.81;
              },
          .g = [](const NativePoint& at, std::span<double> y) { y[0] = at.memory[0]; },
          .z = [](const NativePoint& at, std::span<double> z) { z[0] = at.x[0]; },
          .event =
              [](NativeEvent& e) {
                if (e.x[0] > 0 || e.x[1] >= 0) return;
                e.x[0] = std::numeric_limits<double>::min();
                e.x[1] *= -e.p[0];
                ++e.memory[0];
              }};
}

TEST(NativeUnits, OfLambdasAndOfAStructGiveTheNumbersOfTheFmu) {
  const RunOptions options{.stop = 2, .step = 0.1};
  const auto run = [&](auto&& source) { return System().add("m", source).run(options); };
  const Result from_fmu = System().add("m", fmu("fmi3/OneMass"), {.interface_type = "me"}).run(options);
  const Result from_struct = run(native<OneMass>());
  const Result from_lambdas = run(mass());
  ASSERT_EQ(from_fmu.time().size(), 21u);
  for (std::size_t i = 0; i < 21; ++i) {
    EXPECT_EQ(from_struct["m.x"][i], from_fmu["m.x"][i]);
    EXPECT_NEAR(from_lambdas["m.x"][i], from_fmu["m.x"][i], 1e-4);  // Jacobian by differences: other steps
  }
  // x(t) of the free oscillation: exp(-0.05 t) (cos w t + 0.05 / w sin w t), w = sqrt(10 - 0.05^2); tolerance 1e-4.
  const double w = std::sqrt(10 - 0.0025);
  EXPECT_NEAR(from_lambdas["m.x"][20], std::exp(-0.1) * (std::cos(2 * w) + 0.05 / w * std::sin(2 * w)), 1e-2);
  EXPECT_EQ(from_lambdas.unit("m.x"), "m");
  EXPECT_EQ(from_lambdas["m.energy"][0], 5);
}

TEST(NativeUnits, TakeStartValuesUnitsOfMeasureAndConnections) {
  System s;
  s.add("a", mass()).add("b", mass(true), {.solver = "rk4", .start_values = {{"x", "2"}}});
  s.set("a.m", "2000", "g").set("a.k", "1", "N/cm").connect("F", "a.force").connect("a.x", "b.force", 3);
  Simulation simulation(s, {.stop = 1, .step = 0.01});
  simulation.initialize();
  EXPECT_EQ(simulation.value("a.m"), 2);
  EXPECT_EQ(simulation.value("a.k"), 100);
  EXPECT_EQ(simulation.value("b.x"), 2);
  EXPECT_EQ(simulation.value("b.force"), 3);
  EXPECT_EQ(simulation.value("b.der(v)"), 3 - 20);
  simulation.set("F", 7);
  simulation.step();
  EXPECT_NEAR(simulation.value("a.der(v)"), (7 - 100 * simulation.value("a.x") - 0.1 * simulation.value("a.v")) / 2,
              1e-12);
}

TEST(NativeUnits, HandleEvents) {
  const Result r = System().add("ball", ball()).run({.stop = 2, .step = 0.25});
  const double fall = std::sqrt(2 / 9.81);  // impacts at fall, 3 fall: 0.4515, 1.3545
  EXPECT_EQ(r["ball.count"][1], 0);
  EXPECT_EQ(r["ball.count"][2], 1);
  EXPECT_EQ(r["ball.count"][5], 1);
  EXPECT_EQ(r["ball.count"][6], 2);
  EXPECT_NEAR(r["ball.h"][8], 1 - 9.81 / 2 * std::pow(2 - 4 * fall, 2), 1e-2);
}

TEST(NativeUnits, HaveTimeEventsAndEndTheRun) {
  Lambdas clock{.name = "Clock",
                .outputs = {{.name = "n", .type = NativeType::integer}},
                .memory = {{.name = "ticks", .type = NativeType::integer}},
                .g = [](const NativePoint& at, std::span<double> y) { y[0] = at.memory[0]; },
                .event =
                    [](NativeEvent& e) {
                      if (e.time >= 0.3 * (e.memory[0] + 1)) ++e.memory[0];
                      e.next_time = 0.3 * (e.memory[0] + 1);
                      e.terminate = e.memory[0] == 3;
                    }};
  const Result r = System().add("c", clock).run({.stop = 5, .step = 0.1});
  EXPECT_NEAR(r.time().back(), 0.9, 1e-9);
  EXPECT_EQ(r["c.n"][r.time().size() - 1], 3);
}

// Discrete outputs change at events only, also if they are computed from states.
TEST(NativeUnits, HoldDiscreteOutputsBetweenEvents) {
  Lambdas l{.name = "Held",
            .states = {{.name = "x"}},
            .outputs = {{.name = "y"}, {.name = "held", .discrete = true}},
            .f = [](const NativePoint&, std::span<double> dx) { dx[0] = 1; },
            .g = [](const NativePoint& at, std::span<double> y) { y[0] = y[1] = at.x[0]; },
            .event = [](NativeEvent& e) { e.next_time = std::floor(e.time + 1e-9) + 1; }};
  const Result r = System().add("h", l).run({.stop = 2, .step = 0.5});
  EXPECT_NEAR(r["h.y"][3], 1.5, 1e-9);
  EXPECT_NEAR(r["h.held"][1], 0, 1e-9);
  EXPECT_NEAR(r["h.held"][3], 1, 1e-9);
}

// Steps are repeated from saved states; with a controller, every third step is taken twice.
TEST(NativeUnits, RollBackAndContinueFromCheckpointsBitForBit) {
  System s;
  s.add("a", mass()).add("b", mass()).add("ball", ball()).connect("a.x", "b.force").connect("b.x", "a.force");
  s.settings().control.controller = "richardson";
  s.settings().control.tolerance = 1e-6;
  const Result whole = s.run({.stop = 2, .step = 0.01});
  EXPECT_THAT(whole.report(), HasSubstr("coupling error"));
  s.settings().control = {};
  const auto file = fs::path(places::scratch()) / "native_units.checkpoint";
  Simulation first(s, {.stop = 2, .step = 0.125});
  first.initialize();
  while (first.time() < 1) first.step();
  first.save(file);
  while (!first.done()) first.step();
  Simulation second(s, {.stop = 2, .step = 0.125});
  second.load(file);
  EXPECT_EQ(second.time(), 1);
  while (!second.done()) second.step();
  for (const auto* const name : {"a.x", "b.v", "ball.h", "ball.count"})
    EXPECT_EQ(first.value(name), second.value(name)) << name;
}

TEST(NativeUnits, OfAClassHaveTheirOwnMemory) {
  struct Sum final : NativeUnit {
    double sum = 0;
    void event(NativeEvent& e) override {
      sum += e.u[0];
      e.next_time = e.time + 1;
    }
    void outputs(const NativePoint&, std::span<double> to) override { to[0] = sum; }
    std::shared_ptr<const void> save() override { return std::make_shared<double>(sum); }
    void restore(const std::shared_ptr<const void>& from) override { sum = *static_cast<const double*>(from.get()); }
    std::string serialize(const std::shared_ptr<const void>& from) override {
      return std::to_string(*static_cast<const double*>(from.get()));
    }
    std::shared_ptr<const void> deserialize(std::string_view bytes) override {
      return std::make_shared<double>(std::stod(std::string(bytes)));
    }
  };
  const NativeModel model({.name = "Sum",
                           .inputs = {{.name = "u", .start = 2, .discrete = true}},
                           .outputs = {{.name = "y", .discrete = true, .depends_on = std::vector<std::string>{}}}},
                          [] { return std::make_unique<Sum>(); });
  const Result r =
      System().add("a", model).add("b", model, {.start_values = {{"u", "3"}}}).run({.stop = 2.5, .step = 0.5});
  EXPECT_EQ(r["a.y"][5], 6);
  EXPECT_EQ(r["b.y"][5], 9);
}

TEST(NativeUnits, AreFoundByNameInSystemFiles) {
  const auto file = fs::path(places::scratch()) / "native_units.yaml";
  std::ofstream(file) << "consort: 1\n"
                         "units: {p: {model: pendulum, start: {theta: 90 deg}}, m: {model: my mass, solver: rk4}}\n"
                         "experiment: {stop: 0.5, step: 0.1}\n";
  auto s = System::load(file);
  EXPECT_THAT(s.undefined_models(), ElementsAre("my mass"));
  EXPECT_THAT(error_of([&] { (void)s.run(); }), AllOf(HasSubstr("my mass"), HasSubstr("'m'"), HasSubstr("pendulum")));
  s.define("my mass", mass());
  const Result r = s.run();
  EXPECT_EQ(r["m.x"][0], 1);
  EXPECT_NEAR(r["p.x"][0], 1, 1e-15);
  EXPECT_LT(r["p.y"][5], -0.5);
}

TEST(NativeUnits, InPythonNeedAProgramInPython) {
  const auto file = fs::path(places::scratch()) / "native_python.yaml";
  std::ofstream(file) << "consort: 1\nunits: {pid: {python: 'pid.py:Pid'}}\n";
  const auto s = System::load(file);
  EXPECT_THAT(s.undefined_models(), ElementsAre("python:" + (fs::path(places::scratch()) / "pid.py:Pid").string()));
  EXPECT_THAT(error_of([&] { (void)s.run({.stop = 1}); }),
              AllOf(HasSubstr("'pid'"), HasSubstr("'Pid'"), HasSubstr("pid.py"), HasSubstr("python3 -m consort run")));
}

// Two models of one name in two systems stay two models.
TEST(NativeUnits, OfOneNameAreKeptApartInNestedSystems) {
  auto slow = mass();
  slow.parameters[1].start = 1;
  System inner("inner");
  inner.add("m", slow);
  System outer;
  outer.add("m", mass()).add("inner", inner).add("again", slow);
  Simulation simulation(outer, {.stop = 1, .step = 0.1});
  simulation.initialize();
  EXPECT_EQ(simulation.value("m.k"), 10);
  EXPECT_EQ(simulation.value("inner.m.k"), 1);
  EXPECT_EQ(simulation.value("again.k"), 1);
}

TEST(NativeUnits, FailWithTheNamesOfUnitFunctionAndTime) {
  auto throwing = mass();
  throwing.f = [](const NativePoint& at, std::span<double>) {
    if (at.time > 0.5) throw std::runtime_error("out of fuel");
  };
  EXPECT_THAT(error_of([&] { (void)System().add("m", throwing).run({.stop = 1, .step = 0.1}); }),
              AllOf(HasSubstr("'m'"), HasSubstr("derivatives"), HasSubstr("t = 0."), HasSubstr("out of fuel")));
  auto nan = mass();
  nan.f = [](const NativePoint& at, std::span<double> dx) {
    dx[0] = 0;
    dx[1] = at.time > 0.5 ? std::nan("") : 0;
  };
  EXPECT_THAT(error_of([&] { (void)System().add("m", nan).run({.stop = 1, .step = 0.1}); }),
              AllOf(HasSubstr("'m'"), HasSubstr("derivative of 'v'")));
  auto past = mass();
  past.event = [](NativeEvent& e) { e.next_time = e.time; };
  EXPECT_THAT(error_of([&] { (void)System().add("m", past).run({.stop = 1, .step = 0.1}); }),
              AllOf(HasSubstr("'m'"), HasSubstr("event failed at t = 0 s"), HasSubstr("not after")));
  auto half = ball();
  half.g = [](const NativePoint&, std::span<double> y) { y[0] = 0.5; };
  EXPECT_THAT(error_of([&] { (void)System().add("m", half).run({.stop = 1, .step = 0.1}); }),
              AllOf(HasSubstr("'count'"), HasSubstr("Int32"), HasSubstr("0.5")));
}

TEST(NativeUnits, DeclareThemselvesCompletely) {
  const auto error = [](auto change) {
    auto l = mass();
    change(l);
    return error_of([&] { (void)NativeModel(l); });
  };
  EXPECT_THAT(error([](Lambdas& l) { l.f = nullptr; }), HasSubstr("has no function 'f'"));
  EXPECT_THAT(error([](Lambdas& l) { l.indicators = 1; }), HasSubstr("'z'"));
  EXPECT_THAT(error([](Lambdas& l) { l.inputs[0].name = "x"; }), HasSubstr("'x' is declared twice"));
  EXPECT_THAT(error([](Lambdas& l) { l.inputs[0].unit = "furlong"; }), HasSubstr("furlong"));
  EXPECT_THAT(error([](Lambdas& l) { l.states[0].discrete = true; }), HasSubstr("state"));
  EXPECT_THAT(error([](Lambdas& l) { l.states[0].depends_on = {{"k"}}; }), HasSubstr("'k'"));
  EXPECT_THAT(error([](Lambdas& l) { l.parameters[0] = {.name = "n", .start = 0.5, .type = NativeType::integer}; }),
              HasSubstr("0.5"));
}

TEST(NativeUnits, RunInTheProcessOfTheProgramOnly) {
  auto s = System().add("m", mass());
  s.settings().host = "process";
  EXPECT_THAT(error_of([&] { (void)s.run({.stop = 1, .step = 0.1}); }), AllOf(HasSubstr("'m'"), HasSubstr("process")));
  const auto cs = System().add("m", mass(), {.interface_type = "cs"});
  EXPECT_THAT(error_of([&] { (void)cs.run({.stop = 1}); }), HasSubstr("interface"));
}

TEST(NativeUnits, AreListedWithTheModelsThatAreBuiltIn) {
  bool found = false;
  for (const auto& model : built_in_models()) {
    found = found || model.name == "pendulum";
    EXPECT_FALSE(model.description.empty()) << model.name;
    EXPECT_NO_THROW(Simulation(System().add("m", "model:" + model.name), {.stop = 1, .step = 0.1}).initialize())
        << model.name;
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace consort::api_tests
