// Scenarios and tables with times between and near the points of the grid.
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "engine/simulation.hpp"
#include "record/result.hpp"
#include "systems.hpp"

namespace consort::engine::scenario_test {

namespace {

using namespace testing;
using Kind = graph::ScenarioAction::Kind;

record::Result run(Simulation& simulation) {
  record::Result result;
  record::MemorySink sink(result);
  record::Sink* const sinks[] = {&sink};
  static_cast<void>(simulation.run(sinks));
  return result;
}

double at(const record::Result& r, const std::string& name, double t) {
  for (std::size_t i = 0; i < r.rows(); ++i)
    if (std::abs(r.time[i] - t) < 1e-9) return r[name].numbers[i];
  return std::nan("");
}

// p.y = t drives i.u, which i integrates.
graph::System ramp_into_integrator() {
  graph::System system("s");
  system.add("p", "model:source");
  system.add("i", "model:integrator");
  system.connect("p.y", "i.u");
  return system;
}

std::shared_ptr<Library> units() {
  auto all = library();
  all->add("source", source([](double t) { return t; }));
  return all;
}

// 3 · 0.3 is a little less than 0.9: there must be no step between the two.
TEST(Scenario, ActionsThatRoundingPutsBesideAPointOfTheGridAreAtIt) {
  for (const double step : {0.3, 0.15, 0.1, 0.7}) {
    auto o = options(12 * step, step);
    for (int n = 1; n < 12; ++n)
      o.run.scenario.push_back({Kind::set, std::round(n * step * 100) / 100, "i.u", std::to_string(n), 0, {}});
    o.run.record.variables = {"i.*"};
    Simulation s(ramp_into_integrator(), o, units());
    const auto r = run(s);
    ASSERT_EQ(r.rows(), 13U) << step;
    for (std::size_t n = 1; n < 12; ++n) EXPECT_EQ(r["i.u"].numbers[n + 1], static_cast<double>(n)) << step;
  }
}

TEST(Scenario, WhatIsHeldIsTheValueOfThatMoment) {
  auto o = options(4, 0.5);
  o.run.scenario = {{Kind::hold, 2, "i.u", {}, 0, {}}};
  o.run.record.variables = {"i.*"};
  Simulation s(ramp_into_integrator(), o, units());
  const auto r = run(s);
  EXPECT_EQ(at(r, "i.u", 2), 1.5) << "as it was at the beginning of the step";
  EXPECT_EQ(at(r, "i.u", 3), 2);
  EXPECT_EQ(at(r, "i.u", 4), 2);
}

TEST(Scenario, ARampThatIsHeldStopsWhereItIs) {
  auto o = options(8, 1);
  o.run.scenario = {{Kind::ramp, 2, "i.u", "12", 10, {}}, {Kind::hold, 5, "i.u", {}, 0, {}}};
  o.run.record.variables = {"i.*"};
  Simulation s(ramp_into_integrator(), o, units());
  const auto r = run(s);
  EXPECT_EQ(at(r, "i.u", 3), 2.5) << "from 2, which the source has at 2";
  EXPECT_EQ(at(r, "i.u", 8), 5) << "not the mean of the last step";
}

// The step after a shortened one ends at the next grid point, and the mean is that of this step.
TEST(Scenario, ARampThatBeginsBetweenPointsOfTheGridHasTheRightIntegral) {
  auto o = options(3, 1);
  o.run.scenario = {{Kind::set, 0, "i.u", "0", 0, {}}, {Kind::ramp, 0.75, "i.u", "2", 2, {}}};
  Simulation s(ramp_into_integrator(), o, units());
  const auto r = run(s);
  EXPECT_NEAR(at(r, "i.y", 1), 0.25 * 0.25 / 2, 1e-12);
  EXPECT_NEAR(at(r, "i.y", 2), 1.25 * 1.25 / 2, 1e-12);
  EXPECT_NEAR(at(r, "i.y", 3), 2 + 0.25 * 2, 1e-12);
}

TEST(Tables, AfterACutStepTheMeanIsThatOfTheStepThatIsMade) {
  graph::System system("s");
  system.add("i", "model:integrator");
  system.connect("u", "i.u");
  const std::string file = places::scratch() + "/cut_steps.csv";
  std::ofstream(file) << "\"time\",\"u\"\n0,0\n0.25,1\n0.25,5\n3,16\n";
  auto o = options(3, 1);
  o.run.input_file = file;
  Simulation s(system, o, library());
  const auto r = run(s);
  EXPECT_NEAR(at(r, "i.y", 0.25), 0.125, 1e-12);
  EXPECT_NEAR(at(r, "i.y", 1), 0.125 + 0.75 * (5 + 8) / 2, 1e-12);
  EXPECT_NEAR(at(r, "i.y", 3), 0.125 + 2.75 * (5 + 16) / 2, 1e-12);
}

// 3 · 0.3 < 0.9 and 3 · 0.1 > 0.3.
TEST(Tables, EventsThatRoundingPutsBesideAPointOfTheGridAreAtIt) {
  for (const double step : {0.3, 0.1}) {
    graph::System system("s");
    system.add("i", "model:integrator");
    system.connect("u", "i.u");
    const std::string file = places::scratch() + "/beside.csv";
    const double jump = std::round(3 * step * 100) / 100;
    std::ofstream(file) << "\"time\",\"u\"\n0,1\n" << jump << ",1\n" << jump << ",10\n100,10\n";
    auto o = options(6 * step, step);
    o.run.input_file = file;
    Simulation s(system, o, library());
    const auto r = run(s);
    ASSERT_EQ(r.rows(), 7U) << step;
    EXPECT_NEAR(r["i.y"].numbers[3], 3 * step, 1e-12);
    EXPECT_EQ(r["u"].numbers[3], 10);
    EXPECT_NEAR(r["i.y"].numbers[6], 33 * step, 1e-12);
  }
}

// y = x + 2 u, x' = -x + u: outputs depend on inputs without a step.
TEST(ConsistentOutputs, FollowWhatAScenarioPutsInPlaceOfAConnection) {
  graph::System system("s");
  system.add("p", "model:source");
  auto& unit = system.add("f", std::filesystem::path(places::fmus()) / "fmi2" / "LinearUnit.fmu");
  unit.interface = describe::InterfaceType::model_exchange;
  unit.set("d", "2");
  system.connect("p.y", "f.u");
  auto o = options(2, 0.25);
  o.run.scenario = {{Kind::set, 0, "f.u", "1", 0, {}}};  // x stays 1
  Simulation s(system, o, units());
  const auto r = run(s);
  for (std::size_t i = 1; i < r.rows(); ++i) EXPECT_NEAR(r["f.y"].numbers[i], 3, 1e-5) << r.time[i];
}

TEST(Reports, CountTheEventsOfUnitsWithASolverOfTheirOwn) {
  graph::System system("s");
  auto& ball = system.add("ball", std::filesystem::path(places::fmus()) / "fmi2" / "BouncingBall.fmu");
  ball.interface = describe::InterfaceType::model_exchange;
  Simulation s(system, options(1, 0.1));
  EXPECT_GE(s.run({}).units[0].events, 1U);
}

TEST(Reports, CountNoWaitingForTheClockAsWork) {
  graph::System system("s");
  system.add("i", "model:integrator");
  auto o = options(0.2, 0.05);
  o.run.real_time = 1;
  Simulation s(system, o, library());
  const auto report = s.run({});
  EXPECT_GE(report.run_seconds, 0.19);
  EXPECT_LT(report.engine_seconds, 0.1);
}

TEST(Reports, SayThatCheapUnitsRanInOneThreadAndNeverMoreThanThereWasTime) {
  graph::System system("s");
  for (const char* name : {"a", "b", "c"}) system.add(name, "model:integrator");
  auto o = options(1, 0.5);
  o.run.threads = 4;
  Simulation s(system, o, library());
  const auto report = s.run({});
  EXPECT_EQ(report.threads, 1U);
  double all = report.engine_seconds;
  for (const auto& u : report.units) all += u.seconds;
  EXPECT_LE(all, report.run_seconds * 1.001);
}

TEST(Simulation, RefusesToRecordEveryZerothRow) {
  graph::System system("s");
  system.add("i", "model:integrator");
  auto o = options(1, 0.5);
  o.run.record.every = 0;
  EXPECT_THROW(Simulation(system, o, library()), Error);
}

// A time event inside a step is handled at its time, not at the step's end: FMI 3.0 FMUs may return early for it.
TEST(EventMode, IsEnteredWhereTheEventIs) {
  graph::System system("s");
  auto& ball = system.add("ball", std::filesystem::path(places::fmus()) / "fmi3" / "BouncingBall.fmu");
  ball.interface = describe::InterfaceType::co_simulation;
  Simulation coarse(system, options(1, 0.25));
  Simulation fine(system, options(1, 0.001));
  const auto a = run(coarse);
  const auto b = run(fine);
  EXPECT_NEAR(at(a, "ball.h", 1), at(b, "ball.h", 1), 1e-3);
}

}  // namespace

}  // namespace consort::engine::scenario_test
