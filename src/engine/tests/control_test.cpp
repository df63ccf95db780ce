// Variable communication steps: step counts of the quarter car, orders of estimates, and missing capabilities of units.
#include <algorithm>
#include <cmath>
#include <memory>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "quarter_car.hpp"
#include "record/result.hpp"
#include "systems.hpp"
#include "unit/linear_unit.hpp"

namespace consort::engine {
namespace {

using namespace testing;
using unit::LinearSystem;
using unit::LinearUnit;

struct Counts {
  std::uint64_t accepted, rejected;
};

report::SystemReport run(const SimulationOptions& o, record::Result* result = nullptr) {
  Simulation s(car(), o, parts(chassis(), wheel()));
  record::Result unused;
  record::MemorySink memory(result != nullptr ? *result : unused);
  record::Sink* const sinks[] = {&memory};
  return s.run(sinks);
}

class QuarterCar : public ::testing::TestWithParam<std::pair<int, Counts>> {};

TEST_P(QuarterCar, TakesTheStepsOfTheReferenceScheme) {
  const auto [order, expected] = GetParam();
  auto o = controlled("richardson", order, 1e-4);
  o.run.control.divisor = graph::StepControl::Divisor::equal_steps;
  const auto report = run(o);
  EXPECT_NEAR(static_cast<double>(report.steps), static_cast<double>(expected.accepted),
              0.05 * static_cast<double>(expected.accepted));
  EXPECT_NEAR(static_cast<double>(report.rejected), static_cast<double>(expected.rejected),
              0.05 * static_cast<double>(expected.rejected));
}
INSTANTIATE_TEST_SUITE_P(Orders, QuarterCar,
                         ::testing::Values(std::pair(0, Counts{363, 14}), std::pair(1, Counts{98, 12}),
                                           std::pair(2, Counts{59, 7})));

class Controllers : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(Controllers, KeepTheErrorWithinAHundredTolerances) {
  const auto& [controller, order] = GetParam();
  double last = 1;
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    if (order == 0 && tolerance < 1e-4) continue;
    record::Result result;
    const auto report = run(controlled(controller, order, tolerance), &result);
    const double error = error_at_end(result);
    EXPECT_LT(error, 100 * tolerance) << tolerance;
    EXPECT_LT(error, last);
    EXPECT_EQ(report.reached, 1);
    last = error;
  }
}
INSTANTIATE_TEST_SUITE_P(All, Controllers,
                         ::testing::Combine(::testing::Values("richardson", "modified"),
                                            ::testing::Values(0, 1, 2, 3)));

TEST_P(Controllers, KeepTheErrorOfTheRunWhereTheToleranceIsForTheRun) {
  const auto& [controller, order] = GetParam();
  std::vector<double> errors;
  const double first = order == 0 ? 1e-2 : 1e-3;  // held inputs need many steps
  for (const double tolerance : {first, 1e-1 * first, 1e-2 * first}) {
    auto o = controlled(controller, order, tolerance);
    o.run.control.tolerance_for = graph::StepControl::ToleranceFor::run;
    record::Result result;
    run(o, &result);
    errors.push_back(error_at_end(result));
    EXPECT_LT(errors.back(), tolerance);
  }
  // With held inputs, too, the error is proportional to the tolerance, not to a root of it.
  EXPECT_GT(std::log10(errors.front() / errors.back()) / 2, 0.85);
}

TEST(Control, WritesNoRowOfARejectedStep) {
  record::Result result;
  const auto report = run(controlled("richardson", 1, 1e-4), &result);
  ASSERT_GT(report.rejected, 0U);
  EXPECT_EQ(result.rows(), report.steps + 1);
  for (std::size_t i = 1; i < result.rows(); ++i) {
    EXPECT_GT(result.time[i], result.time[i - 1]);
    EXPECT_NEAR(result["trust.step"].numbers[i], result.time[i] - result.time[i - 1], 1e-14);
    EXPECT_LE(result["trust.error"].numbers[i], 1);
  }
  EXPECT_EQ(result["trust.rejected"].numbers.back(), static_cast<double>(report.rejected));
}

TEST(Control, RecordsWhichUnitLimitsEachStepAndPutsTheReportIntoTheResult) {
  record::Result result;
  const auto report = run(controlled("richardson", 1, 1e-4), &result);
  const auto& limits = result["trust.limits"].numbers;
  EXPECT_EQ(limits.front(), 0);
  const auto wheel_steps = std::count(limits.begin() + 1, limits.end(), 2.0);
  // All but the last step, which ends at the stop time.
  EXPECT_EQ(wheel_steps + std::count(limits.begin() + 1, limits.end(), 1.0), static_cast<long>(report.steps) - 1);
  EXPECT_EQ(limits.back(), 0);
  EXPECT_LE(static_cast<std::uint64_t>(wheel_steps), report.units[1].limited);  // which includes rejected steps
  const auto units = std::find_if(result.facts.begin(), result.facts.end(), [](auto& f) { return f.name == "units"; });
  ASSERT_NE(units, result.facts.end());
  EXPECT_EQ(units->value, "chassis\nwheel");
  ASSERT_EQ(result.tables.size(), 4U);
  EXPECT_EQ(result.tables[0].name, "steps");
  EXPECT_EQ(result.tables[0].columns[1].numbers[0], static_cast<double>(report.steps));
  EXPECT_EQ(result.tables[1].name, "connections");
  EXPECT_EQ(result.tables[1].rows(), 4U);
}

TEST(Control, LandsOnOutputPointsAndScenarioActions) {
  auto o = controlled("richardson", 1, 1e-3);
  o.run.output_interval = 0.1;
  graph::ScenarioAction jump;
  jump.at = 0.333;
  jump.target = "chassis.v_w";
  jump.value = "0.5";
  o.run.scenario.push_back(jump);
  record::Result result;
  const auto report = run(o, &result);
  ASSERT_EQ(result.rows(), 11U);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_NEAR(result.time[i], 0.1 * static_cast<double>(i), 1e-9);
  EXPECT_GT(report.steps, 10U);
  o.run.output_interval.reset();
  for (const char* const controller : {"richardson", "modified"}) {
    o.run.control.controller = controller;
    record::Result all;
    run(o, &all);
    EXPECT_NE(std::find(all.time.begin(), all.time.end(), 0.333), all.time.end()) << controller;
    EXPECT_EQ(all.time.back(), 1) << controller;
  }
}

TEST(Control, GoesBackExactly) {
  // A first step that is far too large is rejected repeatedly; the rest equals a run that begins with the step finally
  // accepted.
  auto o = controlled("richardson", 2, 1e-5);
  o.run.control.initial = 0.5;
  Simulation first(car(), o, parts(chassis(), wheel()));
  first.initialize();
  first.step();
  ASSERT_GT(first.report().rejected, 1U);
  auto same = o;
  same.run.control.initial = first.time();
  Simulation second(car(), same, parts(chassis(), wheel()));
  second.initialize();
  second.step();
  EXPECT_EQ(second.report().rejected, 0U);
  for (int i = 0; i < 5; ++i) {
    for (const char* const path : {"chassis.z", "chassis.v", "wheel.z", "wheel.v"})
      EXPECT_EQ(testing::number(first, path), testing::number(second, path)) << path << i;
    EXPECT_EQ(first.time(), second.time());
    first.step();
    second.step();
  }
}

TEST(Control, RefusesUnitsThatCannotRollBackAndOffersOthers) {
  auto stubborn = wheel();
  stubborn.can_roll_back = false;
  const auto made = [&](const std::string& controller) {
    Simulation s(car(), controlled(controller, 0, 1e-4), parts(chassis(), stubborn));
  };
  try {
    made("richardson");
    FAIL() << "a unit without rollback was accepted";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("'wheel'"), ::testing::HasSubstr("ecco"),
                                           ::testing::HasSubstr("fixed")));
  }
  EXPECT_NO_THROW(made("fixed"));
}

TEST(Control, RefusesTolerancesThatAreNotPositive) {
  EXPECT_THROW(run(controlled("richardson", 0, 0)), Error);
  EXPECT_THROW(run(controlled("modified", 0, -1e-4)), Error);
  EXPECT_THROW(run(controlled("richardsen", 0, 1e-4)), Error);
}

TEST(Control, NamesTheVariableThatForcesAStepBelowTheMinimumAndKeepsTheRows) {
  auto o = controlled("richardson", 0, 1e-8);
  o.run.control.minimum = 1e-4;
  o.run.control.initial = 2e-4;
  Simulation s(car(), o, parts(chassis(), wheel()));
  record::Result result;
  record::MemorySink memory(result);
  record::Sink* const sinks[] = {&memory};
  try {
    s.run(sinks);
    FAIL() << "a step below the minimum was taken";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("smallest step (0.0001 s)"),
                                           ::testing::HasSubstr("'chassis.v'"), ::testing::HasSubstr("newest first")));
  }
  EXPECT_GE(result.rows(), 1U);
  ASSERT_FALSE(result.tables.empty());  // the errors known so far
  EXPECT_EQ(result.tables[1].name, "connections");
}

TEST(Control, SaysHowLargeTheErrorIsAndWhoLimitsTheStep) {
  const auto report = run(controlled("richardson", 1, 1e-4));
  ASSERT_EQ(report.trust.size(), 4U);
  std::uint64_t limited = 0;
  for (const auto& t : report.trust) {
    EXPECT_GT(t.local, 0) << t.source;
    EXPECT_GE(t.accumulated, t.local) << t.source;
    EXPECT_LT(t.rms, t.local) << t.source;
    EXPECT_GE(t.rms, t.accumulated / static_cast<double>(report.steps)) << t.source;  // no mean is larger
    EXPECT_EQ(t.targets.size(), 1U);
    EXPECT_GT(t.range, 0.01) << t.source;
    limited += t.limited;
  }
  EXPECT_EQ(limited + report.cut + report.at_maximum, report.steps + report.rejected);
  EXPECT_EQ(report.cut, 1U) << "the last step ends at the stop time";
  EXPECT_EQ(report.units[0].limited + report.units[1].limited, limited);
  EXPECT_THAT(
      report.text(),
      ::testing::AllOf(::testing::HasSubstr("the coupling error of chassis.v in a step is at most"),
                       ::testing::HasSubstr("wheel limits the step"), ::testing::HasSubstr("wheel.v → chassis.v_w")));
  EXPECT_THAT(report.json(), ::testing::HasSubstr("\"from\": \"wheel.v\""));
}

// --- two feed-throughs in series

// x' = -x + u, y = x + d u.
LinearSystem direct(double start, double d, bool tells) {
  LinearSystem s{{"u"}, {"y"}, {start}, {-1}, {1}, {1}, {d}};
  s.differentiates = tells;
  return s;
}

// The estimate of a's output in the first step from consistent values, relative to its error.
double estimate_of_first_step(bool tells, double h) {
  constexpr double d1 = 0.5, d2 = 0.6;
  graph::System system("loop");
  system.add("a", "model:first");
  system.add("b", "model:second");
  system.connect("b.y", "a.u");
  system.connect("a.y", "b.u");
  auto o = options(1, 1e-3);
  o.run.consistent = graph::Consistency::never;
  o.run.control.controller = "richardson";
  o.run.control.tolerance = 1e9;
  o.run.control.initial = 2 * h;
  o.run.record.variables = {"*"};
  o.run.stop = 2 * h;
  Simulation s(system, o, parts(direct(1, d1, tells), direct(0, d2, tells)));
  record::Result result;
  record::MemorySink memory(result);
  record::Sink* const sinks[] = {&memory};
  s.run(sinks);
  // As one system: u1 = y2, u2 = y1, so that y1 = (x1 + d1 x2) / (1 - d1 d2), y2 likewise.
  const double n = 1 / (1 - d1 * d2);
  unit::LinearUnit whole("whole", {{}, {"y1"}, {1, 0}, {-1 + n * d2, n, n, -1 + n * d1}, {}, {n, n * d1}});
  whole.step({0, 2 * h, false});
  const describe::VariableId y1 = 0;
  const describe::SignalSet set(whole.description(), std::span(&y1, 1));
  Columns columns = set.make_columns();
  whole.get(set, columns);
  EXPECT_NEAR(result["a.y"].numbers.front(), n, 1e-6);
  return result["trust.a.y"].numbers.back() / (columns.column<double>().front() - result["a.y"].numbers.back());
}

TEST(Control, KnowsTwoFeedThroughsInSeriesByTheirDerivatives) {
  EXPECT_NEAR(estimate_of_first_step(true, 1e-4), 1, 0.01);
  EXPECT_GT(std::abs(estimate_of_first_step(false, 1e-4) - 1), 0.1);
}

// Two such units in a loop, and between them a third one whose output follows its state: estimates of its output, by
// step.
std::vector<double> estimates_of_the_state(bool tells) {
  const auto all = std::make_shared<Library>();
  LinearSystem first{{"u", "w"}, {"y"}, {1}, {-1}, {1, 1}, {1}, {0.5, 0}};
  first.differentiates = tells;
  all->add("first", [first](const std::string& name) { return std::make_unique<LinearUnit>(name, first); });
  const auto second = direct(0, 0.6, tells);
  all->add("second", [second](const std::string& name) { return std::make_unique<LinearUnit>(name, second); });
  const LinearSystem state{{"u"}, {"y"}, {1}, {-1}, {1}, {1}};
  all->add("state", [state](const std::string& name) { return std::make_unique<LinearUnit>(name, state); });
  graph::System system("loop");
  system.add("a", "model:first");
  system.add("b", "model:second");
  system.add("c", "model:state");
  system.connect("b.y", "a.u");
  system.connect("a.y", "b.u");
  system.connect("a.y", "c.u");
  system.connect("c.y", "a.w");
  auto o = options(1, 1e-3, "jacobi");
  o.run.consistent = graph::Consistency::never;
  o.run.extrapolation = "1";
  o.run.control.controller = "richardson";
  o.run.control.tolerance = 1e9;  // so that steps grow by the same factor for any error
  o.run.control.grow = 1.5;
  o.run.record.variables = {"trust.*"};
  Simulation s(system, o, all);
  record::Result result;
  record::MemorySink memory(result);
  record::Sink* const sinks[] = {&memory};
  s.run(sinks);
  return result["trust.c.y"].numbers;
}

TEST(Control, LeavesEstimatesOfStatesAloneWhereItCorrectsFeedThrough) {
  const auto corrected = estimates_of_the_state(true);
  const auto plain = estimates_of_the_state(false);
  ASSERT_GT(plain.size(), 10U);
  ASSERT_EQ(corrected.size(), plain.size());
  // Loops at the start are solved to 1e-8, with or without derivatives.
  for (std::size_t i = 1; i < plain.size(); ++i) EXPECT_NEAR(corrected[i] / plain[i], 1, 1e-5) << i;
}

TEST(Control, TakesIteratedFeedThroughForWhatItIs) {
  // Inputs agree with outputs at the end of the step, so outputs are not late and no order is lost.
  graph::System system("loop");
  system.add("a", "model:first");
  system.add("b", "model:second");
  system.connect("b.y", "a.u");
  system.connect("a.y", "b.u");
  for (const char* const stepper : {"jacobi", "iterated"}) {
    auto o = options(1, 1e-3, stepper);
    o.run.consistent = graph::Consistency::never;
    o.run.control.controller = "richardson";
    o.run.control.tolerance = 1e-3;
    Simulation s(system, o, parts(direct(1, 0.5, true), direct(0, 0.6, true)));
    const auto text = s.run({}).text();
    EXPECT_EQ(text.find("directly: the error falls with order 1") == std::string::npos, o.run.stepper == "iterated")
        << text;
  }
}

// --- energy: two masses, one of which carries the spring between them

// A mass on a spring to the ground, driven by a force; and another mass that exerts it through a spring and damper.
LinearSystem mass() { return {{"F"}, {"x", "v"}, {1, 0}, {0, 1, -10, 0}, {0, 1}, {1, 0, 0, 1}}; }
LinearSystem partner() {
  const double k = 4, d = 0.5;
  return {{"x", "v"}, {"F"}, {0, 0}, {0, 1, -k - 10, -d}, {0, 0, k, d}, {k, d}, {-k, -d}};
}

graph::System bonded() {
  graph::System s;
  s.name = "two masses";
  s.add("mass", "model:first");
  s.add("partner", "model:second");
  s.connect("mass.x", "partner.x");
  s.connect("mass.v", "partner.v");
  s.connect("partner.F", "mass.F");
  return s;
}

report::SystemReport run_bonded(const std::string& controller, double tolerance, double step = 1e-3, int order = 0) {
  auto o = options(5, step, "jacobi");
  o.run.extrapolation = std::to_string(order);
  o.run.control.controller = controller;
  o.run.control.tolerance = tolerance;
  o.run.bonds = {{"partner.F", "mass.v", "test"}};
  Simulation s(bonded(), o, parts(mass(), partner()));
  return s.run({});
}

TEST(PowerBonds, SeeEnergyThatTheCouplingMadeFallWithTheStep) {
  const auto coarse = run_bonded("fixed", 1e-4, 2e-3);
  const auto fine = run_bonded("fixed", 1e-4, 1e-3);
  ASSERT_EQ(fine.bonds.size(), 1U);
  EXPECT_GT(fine.bonds[0].carried, 0.1);
  // Inputs are held: residual power is of first order in the step.
  EXPECT_NEAR(coarse.bonds[0].lost_or_made / fine.bonds[0].lost_or_made, 2, 0.05);
  EXPECT_NEAR(coarse.bonds[0].largest / fine.bonds[0].largest, 2, 0.05);
}

TEST(PowerBonds, KnowWhetherEnergyIsMadeOrLost) {
  // Two masses on springs with another spring between them, undamped: additional energy at the end was made by the
  // coupling. `sign`: 1 if the force is given as it acts on the mass, -1 if it is the reaction, negated by the
  // connection.
  for (const double sign : {1.0, -1.0}) {
    const double k = 4 * sign;
    const LinearSystem partner{{"x", "v"},         {"F", "p", "w"},    {0, 0}, {0, 1, -14, 0}, {0, 0, 4, 0},
                               {k, 0, 1, 0, 0, 1}, {-k, 0, 0, 0, 0, 0}};
    graph::System system("two masses");
    system.add("mass", "model:first");
    system.add("partner", "model:second");
    system.connect("mass.x", "partner.x");
    system.connect("mass.v", "partner.v");
    system.connect("partner.F", "mass.F", graph::Linear{sign, 0});
    auto o = options(5, 1e-3, "jacobi");
    o.run.bonds = {{"partner.F", "mass.v", "test"}};
    Simulation s(system, o, parts(mass(), partner));
    record::Result result;
    record::MemorySink memory(result);
    record::Sink* const sinks[] = {&memory};
    const auto report = s.run(sinks);
    const auto energy = [&](std::size_t row) {
      const auto at = [&](const char* name) { return result[name].numbers[row]; };
      return (std::pow(at("mass.v"), 2) + std::pow(at("partner.w"), 2) + 10 * std::pow(at("mass.x"), 2) +
              10 * std::pow(at("partner.p"), 2) + 4 * std::pow(at("mass.x") - at("partner.p"), 2)) /
             2;
    };
    const double more = energy(result.rows() - 1) - energy(0);
    EXPECT_GT(more, 1e-3);
    // The power at the ends of steps does not show everything within them, but sign and magnitude agree.
    EXPECT_GT(report.bonds[0].made / more, 0.5) << sign;
    EXPECT_LT(report.bonds[0].made / more, 2) << sign;
    EXPECT_THAT(report.text(), ::testing::HasSubstr("the coupling made"));
  }
}

TEST(PowerBonds, LetEccoChooseStepsByTheTolerance) {
  const auto loose = run_bonded("ecco", 3e-3);
  const auto tight = run_bonded("ecco", 3e-4);
  EXPECT_NEAR(static_cast<double>(tight.steps) / static_cast<double>(loose.steps), 10, 3);  // first order
  EXPECT_LT(tight.bonds[0].lost_or_made, 0.2 * loose.bonds[0].lost_or_made);
  // No step is repeated, so the residual varies around the allowed value, here over 5 s: 1.5 times the allowed value is
  // far less than with a fixed step of the loose run.
  EXPECT_LT(tight.bonds[0].lost_or_made, 1.5 * 5 * 3e-4 * (1 + tight.bonds[0].peak));
}

TEST(PowerBonds, SayNothingToEccoWhereStepsAreIterated) {
  auto o = options(1, 1e-3, "iterated");
  o.run.control.controller = "ecco";
  o.run.bonds = {{"partner.F", "mass.v", {}}};
  EXPECT_THAT([&] { Simulation(bonded(), o, parts(mass(), partner())); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("'iterated'")));
}

TEST(PowerBonds, RefuseWhatCarriesNoPower) {
  const auto refused = [](graph::PowerBond bond) {
    auto o = options(1, 1e-3);
    o.run.bonds = {std::move(bond)};
    try {
      Simulation s(bonded(), o, parts(mass(), partner()));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused({"partner.F", "mass.w", "x.yaml:3:1"}), ::testing::HasSubstr("no variable 'w'"));
  EXPECT_THAT(refused({"mass.x", "mass.v", "x.yaml:3:1"}), ::testing::HasSubstr("one unit"));
  EXPECT_THAT(refused({"partner.F", "mass.F", "x.yaml:3:1"}), ::testing::HasSubstr("not an output"));
  EXPECT_EQ(refused({"partner.F", "mass.v", "x.yaml:3:1"}), "accepted");
  EXPECT_THROW(run(controlled("ecco", 0, 1e-4)), Error);  // no bonds
}

}  // namespace
}  // namespace consort::engine
