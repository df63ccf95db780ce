// Special cases of step size control: ends of chains, failures and ends inside a trial, events inside units, errors
// that do not decrease with the step, tables with a known future, and reasons that limit step sizes.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "os/temp_folder.hpp"
#include "quarter_car.hpp"
#include "record/result.hpp"
#include "systems.hpp"

namespace consort::engine::control_limits_test {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path fmus = places::fmus();

struct Run {
  report::SystemReport report;
  record::Result result;
};

Run run(const graph::System& system, const SimulationOptions& o, const std::shared_ptr<Library>& library = nullptr) {
  Run r;
  Simulation s(system, o, library);
  record::MemorySink memory(r.result);
  record::Sink* const sinks[] = {&memory};
  r.report = s.run(sinks);
  return r;
}

// x' = v, v' = -25 x; x drives y' = 10 (x - y), which drives no unit.
std::shared_ptr<Library> swing_and_follower() {
  return parts({{}, {"x", "v"}, {1, 0}, {0, 1, -25, 0}, {}, {1, 0, 0, 1}}, {{"u"}, {"y"}, {0}, {-10}, {10}, {1}});
}
graph::System chain() {
  graph::System s("chain");
  s.add("swing", "model:first");
  s.add("follower", "model:second");
  s.connect("swing.x", "follower.u");
  return s;
}

class OneWay : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Controllers, OneWay, ::testing::Values("richardson", "modified"));

TEST_P(OneWay, CouplingIsControlledAtTheEndOfTheChain) {
  // The source does not depend on the coupling, so it has no error; its follower has one.
  const auto fine = run(chain(), options(3, 1e-5), swing_and_follower());
  double last = 1;
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    const auto r = run(
        chain(),
        [&] {
          auto o = controlled(GetParam(), 1, tolerance);
          o.run.stop = 3;
          o.run.stepper = "jacobi";
          return o;
        }(),
        swing_and_follower());
    const double error = std::abs(r.result["follower.y"].numbers.back() - fine.result["follower.y"].numbers.back());
    EXPECT_LT(error, 20 * tolerance) << tolerance;
    EXPECT_LT(error, last);
    last = error;
    const auto& end = r.report.trust.back();
    EXPECT_EQ(end.source, "follower.y");
    EXPECT_TRUE(end.targets.empty());
    EXPECT_GT(end.accumulated, 0);
    EXPECT_THAT(r.report.text(), HasSubstr("follower limits the step"));
  }
}

TEST(Trials, ThatFailAreRepeatedWithShorterSteps) {
  // A unit that fails in steps longer than 0.02 s.
  const auto all = library();
  all->add("timid", [](const std::string& name) {
    auto unit = std::make_unique<unit::LambdaUnit>(name);
    const auto u = unit->input("u", 0.0);
    const auto y = unit->output("y", 1.0);
    unit->on_step([u, y, name](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
      if (r.h > 0.02) throw run_error("unit '{}' does not take a step of {} s", name, r.h);
      v[y] += r.h * (v[u] - v[y]);
      return unit::completed(r);
    });
    return unit;
  });
  graph::System system("timid");
  system.add("a", "model:timid");
  system.add("b", "model:timid");
  system.connect("a.y", "b.u");
  system.connect("b.y", "a.u");
  auto o = controlled("richardson", 0, 1e-2);
  o.run.control.initial = 0.5;
  const auto r = run(system, o, all);
  EXPECT_EQ(r.report.reached, 1);
  EXPECT_GT(r.report.rejected, 0U);
  // If no step is short enough, the run ends with the unit's message.
  o.run.control.minimum = 0.1;
  EXPECT_THAT([&] { run(system, o, all); }, ::testing::ThrowsMessage<Error>(HasSubstr("does not take a step of")));
}

graph::System stairs(describe::InterfaceType interface, const char* version) {
  graph::System s("stairs");
  for (const auto& [name, model] : {std::pair("stair", "Stair.fmu"), std::pair("node", "Node.fmu")})
    s.add(name, fmus / version / model).interface = interface;
  s.connect("stair.counter", "node.u1");
  s.components.front().set("last", "3");
  return s;
}

TEST(Trials, EndWhereAUnitEndsTheRun) {
  for (const char* const controller : {"richardson", "modified"}) {
    for (const char* const version : {"fmi2", "fmi3"}) {
      for (const auto interface : {describe::InterfaceType::co_simulation, describe::InterfaceType::model_exchange}) {
        auto o = controlled(controller, 0, 1e-3);
        o.run.stop = 10;
        o.run.step = 0.0173;
        const auto r = run(stairs(interface, version), o);
        EXPECT_NEAR(r.report.reached, 3, 1e-9) << controller << version;
        EXPECT_NEAR(r.result.time.back(), 3, 1e-9) << controller << version;
        EXPECT_THAT(r.report.ended_early, HasSubstr("at t = 3 s"));
      }
    }
  }
}

TEST(Steps, EndOnTimeEventsInsideOfModelExchangeUnits) {
  auto o = controlled("richardson", 0, 1e-3);
  o.run.stop = 10;
  o.run.step = 0.0173;
  const auto r = run(stairs(describe::InterfaceType::model_exchange, "fmi3"), o);
  for (const double event : {1.0, 2.0}) {
    EXPECT_TRUE(std::any_of(r.result.time.begin(), r.result.time.end(), [&](double t) {
      return std::abs(t - event) < 1e-9;
    })) << event;
  }
}

TEST(Errors, ThatNoStepMakesSmallerDoNotEndTheRun) {
  // Force and displacement, with a unit in between that passes the velocity on a step late: two feed-throughs in
  // series.
  graph::System s("series");
  s.add("chassis", fmus / "fmi2/QuarterCarChassis.fmu");
  s.add("line", fmus / "fmi2/Feedthrough.fmu");
  s.add("wheel", fmus / "fmi2/QuarterCarWheelForce.fmu");
  s.connect("wheel.z", "chassis.z_wheel");
  s.connect("wheel.v", "line.float64_in");
  s.connect("line.float64_out", "chassis.v_wheel");
  s.connect("chassis.force", "wheel.force");
  for (const char* const controller : {"richardson", "modified"}) {
    auto o = controlled(controller, 0, 1e-2);
    o.run.stepper = "jacobi";
    const auto r = run(s, o);
    EXPECT_EQ(r.report.reached, 1) << controller;
    EXPECT_THAT(r.report.warnings, Contains(HasSubstr("are known a step late"))) << controller;
  }
}

TEST(Errors, OfStepsThatAreTooLongAreNotTakenForSuch) {
  // Force and displacement again, with a first step longer than the period: errors there are meaningless.
  graph::System s("force");
  s.add("chassis", fmus / "fmi2/QuarterCarChassis.fmu");
  s.add("wheel", fmus / "fmi2/QuarterCarWheelForce.fmu");
  s.connect("wheel.z", "chassis.z_wheel");
  s.connect("wheel.v", "chassis.v_wheel");
  s.connect("chassis.force", "wheel.force");
  s.components.back().set("road", "0.1");
  for (const char* const controller : {"richardson", "modified"}) {
    for (const double first : {0.1, 0.5, 1.0}) {
      auto o = controlled(controller, 1, 1e-4);
      o.run.stepper = "jacobi";
      o.run.control.initial = first;
      const auto r = run(s, o);
      EXPECT_NEAR(r.result["chassis.z"].numbers.back(), 0.06528944, 1e-2) << controller << first;
    }
  }
}

TEST(Steps, EndWhereTablesBend) {
  const os::TempFolder folder;
  const auto table = folder.path() / "u.csv";
  std::ofstream(table) << "time,u\n0,0\n0.31,1\n0.62,-1\n1,0\n";
  graph::System s("table");
  s.add("i", "model:second");
  s.connect("u", "i.u");
  for (const char* const controller : {"richardson", "modified"}) {
    auto o = controlled(controller, 1, 1e-3);
    o.run.stepper = "jacobi";
    o.run.input_file = table.string();
    const auto r = run(s, o, swing_and_follower());
    for (const double corner : {0.31, 0.62})
      EXPECT_NE(std::find(r.result.time.begin(), r.result.time.end(), corner), r.result.time.end()) << controller;
  }
  // A table with many rows on a smooth curve needs no short steps.
  {
    std::ofstream out(table);
    out << "time,u\n";
    for (int i = 0; i <= 1000; ++i) out << 1e-3 * i << ',' << std::sin(3e-3 * i) << '\n';
  }
  auto o = controlled("richardson", 1, 1e-3);
  o.run.stepper = "jacobi";
  o.run.input_file = table.string();
  EXPECT_LT(run(s, o, swing_and_follower()).report.steps, 100U);
}

// A smooth bump that a long step would pass over. Another input of the system must not hide it.
TEST(Steps, PassOverNoBumpOfATableBesideOtherInputs) {
  const os::TempFolder folder;
  const auto table = folder.path() / "u.csv";
  {
    std::ofstream out(table);
    out << "time,u\n";
    for (int i = 0; i <= 1000; ++i) {
      const double x = (1e-3 * i - 0.55) / 0.05;
      out << 1e-3 * i << ',' << (std::abs(x) < 1 ? std::pow(1 - x * x, 2) : 0) << '\n';
    }
  }
  graph::System s("table");
  s.add("f", fmus / "fmi3/Feedthrough.fmu");
  s.connect("w", "f.float64_discrete_in");
  s.add("i", "model:first");
  s.connect("u", "i.u");
  auto o = controlled("richardson", 1, 1e-3);
  o.run.stepper = "jacobi";
  o.run.control.initial = 0.5;
  o.run.control.maximum = 1;
  o.run.input_file = table.string();
  const auto r = run(s, o, parts({{"u"}, {"y"}, {0}, {0}, {1}, {1}}, {}));
  EXPECT_NEAR(r.result["i.y"].numbers.back(), 0.05 * 16 / 15, 5e-3);  // the area of the bump
}

TEST(Tables, AreFollowedExactlyWhereInputsArePolynomials) {
  const os::TempFolder folder;
  const auto table = folder.path() / "u.csv";
  std::ofstream(table) << "time,u\n0,0\n0.5,1\n0.75,-1\n1,0\n";
  graph::System s("table");
  s.add("i", "model:first");
  s.connect("u", "i.u");
  const auto all = parts({{"u"}, {"y"}, {0}, {0}, {1}, {1}}, {});
  for (const char* const stepper : {"jacobi", "gauss-seidel", "iterated"}) {
    for (const int order : {1, 2, 3}) {
      auto o = options(1, 0.05, stepper);
      o.run.extrapolation = std::to_string(order);
      o.run.input_file = table.string();
      const auto r = run(s, o, all);
      // The areas of the table: 1/4, then 0, then -1/8; linear pieces, integrated exactly.
      EXPECT_NEAR(r.result["i.y"].numbers[10], 0.25, 1e-12) << stepper << order;
      EXPECT_NEAR(r.result["i.y"].numbers.back(), 0.125, 1e-12) << stepper << order;
    }
  }
}

TEST(Ramps, AreFollowedExactlyWhereInputsArePolynomials) {
  graph::System s("ramp");
  s.add("i", "model:first");
  const auto all = parts({{"u"}, {"y"}, {0}, {0}, {1}, {1}}, {});
  for (const int order : {0, 1, 2}) {
    auto o = options(1, 0.25);
    o.run.extrapolation = std::to_string(order);
    o.run.scenario = {{graph::ScenarioAction::Kind::ramp, 0.25, "i.u", "2", 0.5, {}}};
    const auto r = run(s, o, all);
    const auto& y = r.result["i.y"].numbers;
    EXPECT_NEAR(y[2], 0.125, 1e-12) << order;    // 2 s²/2 of the first half of the ramp
    EXPECT_NEAR(y.back(), 1.0, 1e-12) << order;  // its area of 1/2, and 2 for a quarter of a second
  }
}

TEST(Report, SaysWhatBesideErrorsDecidedOnSteps) {
  auto o = controlled("richardson", 1, 1e-2);
  o.run.output_interval = 1e-3;
  const auto library = parts(chassis(), wheel());
  auto r = run(car(), o, library);
  EXPECT_GT(r.report.cut, r.report.steps / 2);
  EXPECT_THAT(r.report.text(), HasSubstr("a longer output interval may need fewer steps"));
  o.run.output_interval.reset();
  o.run.control.maximum = 1e-3;
  r = run(car(), o, library);
  EXPECT_GT(r.report.at_maximum, r.report.steps / 2);
  EXPECT_THAT(r.report.text(), HasSubstr("a larger 'maximum' may need fewer steps"));
}

TEST(Report, WarnsOfCouplingThatExplodes) {
  // a' = -400 b, b' = 100 a, with steps far beyond the stability limit of explicit coupling
  graph::System stiff("stiff");
  stiff.add("a", "model:integrator").set("y", "1");
  stiff.add("b", "model:integrator");
  stiff.connect("b.y", "a.u", graph::Linear{-400, 0});
  stiff.connect("a.y", "b.u", graph::Linear{100, 0});
  auto o = options(2, 0.1);
  const auto r = run(stiff, o, library());
  EXPECT_THAT(r.report.warnings, Contains(AllOf(HasSubstr("grows without end"), HasSubstr("'iterated'"))));
  o = options(1, 1e-3);
  EXPECT_TRUE(run(car(), o, parts(chassis(), wheel())).report.warnings.empty());
}

}  // namespace
}  // namespace consort::engine::control_limits_test
