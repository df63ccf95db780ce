#include "solve/integrate.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solve/solvers.hpp"
#include "solve/tests/problems.hpp"

namespace consort::solve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = OutputRow::Kind;

struct Row {
  Time t;
  double y;
  Kind kind;
};

// Runs and returns the output rows.
std::vector<Row> rows_of(const Ode& ode, RunOptions run, RunReport* report = nullptr) {
  std::vector<Row> rows;
  run.output = [&rows](const OutputRow& row) { rows.push_back({row.t, row.y.empty() ? 0 : row.y[0], row.kind}); };
  const auto result = integrate(ode, "dopri5", {.rtol = 1e-8, .atol = {1e-8}}, run);
  if (report != nullptr) *report = result;
  return rows;
}

Ode clock_problem() {
  return {.y0 = {0}, .rhs = [](Time, ConstVector, Vector dy) { dy[0] = 1; }};
}

Events threshold(double at, std::function<void(const EventInfo&, EventState&)> handle) {
  return {
      .root_count = 1, .roots = [at](Time, ConstVector y, Vector g) { g[0] = y[0] - at; }, .handle = std::move(handle)};
}

// --- output

TEST(Integrate, PutsOutRowsOnACountedGrid) {
  const auto rows = rows_of(oscillator(), {.stop = 1, .interval = 0.1});
  ASSERT_EQ(rows.size(), 11U);
  EXPECT_EQ(rows.front().kind, Kind::start);
  EXPECT_EQ(rows.back().kind, Kind::stop);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    EXPECT_EQ(rows[n].t, n == 10 ? 1.0 : static_cast<double>(n) * 0.1);
    EXPECT_NEAR(rows[n].y, std::cos(rows[n].t), 1e-6);
  }
}

TEST(Integrate, EndsOnTheStopTimeWhenTheIntervalDoesNotDivideTheRun) {
  const auto rows = rows_of(oscillator(), {.stop = 1, .interval = 0.3});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[3].t, 3 * 0.3);
  EXPECT_EQ(rows[4].t, 1);
}

TEST(Integrate, PutsOutEveryStepWithoutAnInterval) {
  RunReport report;
  const auto rows = rows_of(oscillator(), {.stop = 5}, &report);
  EXPECT_EQ(rows.size(), report.statistics.steps + 1);
  for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_GT(rows[k].t, rows[k - 1].t);
  EXPECT_EQ(rows.back().t, 5);
}

TEST(Integrate, PutsOutNothingWhenStartAndStopAreTheSame) {
  const auto rows = rows_of(oscillator(), {.stop = 0, .interval = 0.1});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].kind, Kind::start);
}

TEST(Integrate, ContinuesTheGridWhenItIsAdvancedInPieces) {
  const Ode ode = oscillator();
  const auto solver = make_solver("bdf", ode, {});
  std::vector<Time> times;
  Integration run(*solver, ode.events,
                  {.interval = 0.25, .output = [&times](const OutputRow& row) { times.push_back(row.t); }});
  run.advance(0.6);
  run.advance(1);
  EXPECT_THAT(times, ElementsAre(0, 0.25, 0.5, 0.6, 0.75, 1));
  EXPECT_EQ(run.report().reached, 1);
}

TEST(Integrate, RefusesAStopBeforeItsTimeAndABadInterval) {
  const Ode ode = oscillator();
  EXPECT_THAT(error_of([&] { integrate(ode, "dopri5", {}, {.stop = -1}); }), HasSubstr("stop"));
  EXPECT_THAT(error_of([&] { integrate(ode, "dopri5", {}, {.stop = std::nan("")}); }), HasSubstr("stop"));
  EXPECT_THAT(error_of([&] { integrate(ode, "dopri5", {}, {.stop = 1, .interval = -1}); }), HasSubstr("interval"));
}

// --- state events

TEST(Integrate, ReportsRowsBeforeAndAfterAnEvent) {
  Ode ode = clock_problem();
  ode.events = threshold(0.5, [](const EventInfo& info, EventState& state) {
    EXPECT_TRUE(info.state_event());
    state.y[0] = 10;
  });
  RunReport report;
  const auto rows = rows_of(ode, {.stop = 1, .interval = 1}, &report);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].kind, Kind::before_event);
  EXPECT_NEAR(rows[1].y, 0.5, 1e-9);
  EXPECT_EQ(rows[2].kind, Kind::after_event);
  EXPECT_EQ(rows[2].y, 10);
  EXPECT_EQ(rows[1].t, rows[2].t);
  EXPECT_NEAR(rows[3].y, 10.5, 1e-9);
  EXPECT_EQ(report.state_events, 1U);
}

// Time events at multiples of 0.5, and a state event at 0.2.
Ode with_events() {
  Ode ode = clock_problem();
  ode.events = threshold(0.2, [](const EventInfo&, EventState& state) { state.y[0] += 1; });
  ode.events.next_time_event = [](Time t, ConstVector) { return 0.5 * (std::floor(t / 0.5) + 1); };
  return ode;
}

TEST(Integrate, HasTwoRowsAtAnEventOnTheGridAndAtTheStop) {
  const auto rows = rows_of(with_events(), {.stop = 1, .interval = 0.25});
  std::vector<Time> times;
  for (const auto& row : rows) times.push_back(row.t);
  const Time impact = rows[1].t;
  EXPECT_NEAR(impact, 0.2, 1e-9);
  EXPECT_THAT(times, ElementsAre(0, impact, impact, 0.25, 0.5, 0.5, 0.75, 1, 1));
  EXPECT_EQ(rows[4].kind, Kind::before_event);
  EXPECT_EQ(rows[5].kind, Kind::after_event);
  const auto plain = rows_of(with_events(), {.stop = 1, .interval = 0.25, .output_at_events = false});
  EXPECT_EQ(plain.size(), 5U) << "one row per time of the grid";
}

TEST(Integrate, HasTwoRowsAtAStepEventOfARow) {
  Ode ode = clock_problem();
  ode.events.step_event = [](Time t, ConstVector y) { return t == 0.5 && y[0] < 1; };
  ode.events.handle = [](const EventInfo&, EventState& state) { state.y[0] += 1; };
  const auto rows = rows_of(ode, {.stop = 1, .interval = 0.5, .rows_end_steps = true});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].kind, Kind::before_event);
  EXPECT_EQ(rows[2].kind, Kind::after_event);
}

// Rows and states are those of a run without pauses, bit for bit.
TEST(Integration, PausesBeforeEveryEvent) {
  for (const bool queried : {false, true}) {
    Ode ode = with_events();
    ode.rhs = [](Time t, ConstVector, Vector dy) { dy[0] = 1 + 0.1 * std::sin(t); };
    ode.events.step_event = [](Time t, ConstVector y) { return t == 12 * 0.1 && y[0] < 5; };
    const RunOptions options{.stop = 2, .interval = 0.1, .rows_end_steps = queried};
    const auto expected = rows_of(ode, options);
    const auto solver = make_solver("dopri5", ode, {.rtol = 1e-8, .atol = {1e-8}});
    std::vector<Row> rows{{0, ode.y0[0], Kind::start}};
    RunOptions told = options;
    told.output = [&](const OutputRow& row) { rows.push_back({row.t, row.y[0], row.kind}); };
    Integration run(*solver, ode.events, told);
    while (run.advance(2, AtEvent::pause) == RunEnd::event) {
      rows.push_back({run.time(), run.state()[0], Kind::before_event});
      EXPECT_TRUE(run.handle_event());
      rows.push_back({run.time(), run.state()[0], Kind::after_event});
    }
    EXPECT_EQ(run.time(), 2);
    ASSERT_EQ(rows.size(), expected.size()) << queried;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].t, expected[i].t) << i;
      EXPECT_EQ(rows[i].y, expected[i].y) << i;
      EXPECT_EQ(rows[i].kind, expected[i].kind) << i;
    }
    EXPECT_EQ(run.report().time_events, 4U);
    EXPECT_EQ(run.report().step_events, queried ? 1U : 0U);
  }
}

TEST(Integrate, TakesTheEarliestOfSeveralRootsInOneStep) {
  Ode ode = clock_problem();
  std::vector<std::vector<int>> fired;
  ode.events = {.root_count = 4,
                .roots =
                    [](Time t, ConstVector, Vector g) {
                      g[0] = t - 0.7;
                      g[1] = 0.3 - t;
                      g[2] = 0.6 - 2 * t;                   // simultaneous with the previous one
                      g[3] = (t - 0.5) * (t - 0.5) - 1e-4;  // dips below zero for a moment
                    },
                .handle = [&fired](const EventInfo& info,
                                   EventState&) { fired.emplace_back(info.roots.begin(), info.roots.end()); }};
  const auto report = integrate(ode, "rk4", {.initial_step = 1}, {.stop = 1});
  ASSERT_EQ(report.log.size(), 4U);
  EXPECT_THAT(fired[0], ElementsAre(0, -1, -1, 0));
  EXPECT_NEAR(report.log[0].t, 0.3, 1e-12);
  EXPECT_THAT(fired[1], ElementsAre(0, 0, 0, -1));
  EXPECT_NEAR(report.log[1].t, 0.49, 1e-12);
  EXPECT_THAT(fired[2], ElementsAre(0, 0, 0, 1));
  EXPECT_NEAR(report.log[2].t, 0.51, 1e-12);
  EXPECT_THAT(fired[3], ElementsAre(1, 0, 0, 0));
  EXPECT_NEAR(report.log[3].t, 0.7, 1e-12);
}

TEST(Integrate, FindsAllRootsOfAStepWhenHandlersChangeNothing) {
  Ode ode = clock_problem();
  ode.events = {.root_count = 1,
                .roots = [](Time t, ConstVector, Vector g) { g[0] = std::sin(2 * std::numbers::pi * t); },
                .handle = [](const EventInfo&, EventState& state) { state.restart = false; }};
  const auto report = integrate(ode, "dopri5", {.max_step = 0.4}, {.stop = 2.2});
  ASSERT_EQ(report.log.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(report.log[k].t, 0.5 * static_cast<double>(k + 1), 1e-10);
  EXPECT_EQ(report.statistics.restarts, 0U);
}

TEST(Integrate, FindsTheRootsBetweenTheRowsOfALongStep) {
  // The state is constant, so steps grow to the length of the run.
  for (const auto direction : {Direction::both, Direction::rising}) {
    Ode ode{.y0 = {0}, .rhs = [](Time, ConstVector, Vector dy) { dy[0] = 0; }};
    ode.events = {.root_count = 1,
                  .roots = [](Time t, ConstVector, Vector g) { g[0] = std::cos(2 * std::numbers::pi * t); },
                  .directions = {direction},
                  .handle = [](const EventInfo&, EventState&) {}};
    RunReport report;
    rows_of(ode, {.stop = 10.1, .interval = 0.1}, &report);
    ASSERT_EQ(report.log.size(), direction == Direction::both ? 20U : 10U);
    for (std::size_t k = 0; k < report.log.size(); ++k) {
      const auto n = static_cast<double>(k);
      EXPECT_NEAR(report.log[k].t, direction == Direction::both ? 0.25 + 0.5 * n : 0.75 + n, 1e-10);
    }
  }
}

TEST(Integrate, SeesACrossingRightAfterAnEventIfTheModelKeepsItsFunctionsFromZero) {
  // A ball whose function has a hysteresis that is as narrow as the tolerance of event times.
  Ode ode{.y0 = {1, 0}, .rhs = [](Time, ConstVector y, Vector dy) { dy[0] = y[1], dy[1] = -9.81; }};
  bool below = false;
  ode.events = {.root_count = 1,
                .roots = [&below](Time, ConstVector y, Vector g) { g[0] = y[0] + (below ? -1e-13 : 1e-13); },
                .apart_after_events = true,
                .handle =
                    [&below](const EventInfo&, EventState& state) {
                      below = state.y[0] <= 0;
                      if (below) state.y[1] *= -0.7;
                    }};
  const auto report = integrate(ode, "dopri5", {.rtol = 1e-8, .atol = {1e-8}}, {.stop = 2});
  EXPECT_EQ(report.state_events, 8U);  // four impacts, and each time the ball leaves the ground
  EXPECT_GT(report.y[0], 0);
}

TEST(Integrate, PassesASignThatChangesAfterEachEvent) {
  Ode ode = clock_problem();
  double sign = 1;
  Time switched = 0.5;
  ode.events = {.root_count = 1,
                .roots = [&](Time t, ConstVector, Vector g) { g[0] = (t > switched ? -1e-9 : 1e-9) * sign; },
                .apart_after_events = true,
                .handle =
                    [&](const EventInfo& info, EventState&) {
                      sign = -sign;
                      switched = info.t;
                    }};
  EXPECT_EQ(integrate(ode, "dopri5", {}, {.stop = 1}).state_events, 2U);
}

TEST(Integrate, HeedsTheDirectionOfRoots) {
  for (const auto direction : {Direction::rising, Direction::falling}) {
    Ode ode = oscillator();
    ode.events = {.root_count = 1,
                  .roots = [](Time, ConstVector y, Vector g) { g[0] = y[0]; },
                  .directions = {direction},
                  .handle = [](const EventInfo&, EventState&) {}};
    const auto report = integrate(ode, "dopri5", {.rtol = 1e-10, .atol = {1e-10}}, {.stop = 10});
    const double first = direction == Direction::falling ? 0.5 : 1.5;
    ASSERT_EQ(report.log.size(), direction == Direction::falling ? 2U : 1U);
    EXPECT_NEAR(report.log[0].t, first * std::numbers::pi, 1e-7);
    EXPECT_EQ(report.log[0].roots[0], direction == Direction::falling ? -1 : 1);
  }
}

TEST(Integrate, DoesNotTakeAStartAtZeroForAnEvent) {
  Ode ode = oscillator();  // sin: starts at zero, comes back at pi
  ode.y0 = {0, 1};
  ode.events = {.root_count = 1,
                .roots = [](Time, ConstVector y, Vector g) { g[0] = y[0]; },
                .handle = [](const EventInfo&, EventState&) {}};
  const auto report = integrate(ode, "dopri5", {.rtol = 1e-10, .atol = {1e-10}}, {.stop = 4});
  ASSERT_EQ(report.log.size(), 1U);
  EXPECT_NEAR(report.log[0].t, std::numbers::pi, 1e-7);
}

TEST(Integrate, LosesNoRootThatIsZeroWhereAnotherHasItsEvent) {
  // At exactly t = 0.25 the first function is no longer positive and the second is not yet positive.
  Ode ode = clock_problem();
  ode.events = {.root_count = 2,
                .roots =
                    [](Time t, ConstVector, Vector g) {
                      g[0] = 0.25 - t;
                      g[1] = t - 0.25;
                    },
                .handle = [](const EventInfo&, EventState&) {}};
  for (const Time limit : {0.25, 1.0}) {
    const auto solver = make_solver("dopri5", ode, {});
    Integration run(*solver, ode.events, {});
    run.advance(limit);
    run.advance(1);
    int falling = 0;
    int rising = 0;
    for (const auto& event : run.report().log) {
      EXPECT_NEAR(event.t, 0.25, 1e-12);
      falling += event.roots[0] == -1 ? 1 : 0;
      rising += event.roots[1] == 1 ? 1 : 0;
    }
    EXPECT_EQ(falling, 1);
    EXPECT_EQ(rising, 1);
  }
}

TEST(Integrate, SeesAFunctionLeaveZero) {
  Ode ode = clock_problem();
  ode.events = {.root_count = 1,
                .roots = [](Time t, ConstVector, Vector g) { g[0] = std::max(0.0, t - 0.5); },
                .handle = [](const EventInfo&, EventState&) {}};
  const auto report = integrate(ode, "dopri5", {.max_step = 0.1}, {.stop = 1, .time_tolerance = 1e-9});
  ASSERT_EQ(report.log.size(), 1U);
  EXPECT_NEAR(report.log[0].t, 0.5, 1e-8);
  EXPECT_EQ(report.log[0].roots[0], 1);
}

TEST(Integrate, TakesTouchingWithoutCrossingForNoEvent) {
  Ode ode = clock_problem();
  ode.events = {.root_count = 1,
                .roots = [](Time t, ConstVector, Vector g) { g[0] = (t - 0.5) * (t - 0.5) + 1e-9; },
                .handle = [](const EventInfo&, EventState&) {}};
  const auto report = integrate(ode, "dopri5", {}, {.stop = 1});
  EXPECT_TRUE(report.log.empty());
}

TEST(Integrate, KeepsTheTimeToleranceThatItIsGiven) {
  Ode ode = clock_problem();
  ode.events = {.root_count = 1,
                .roots = [](Time t, ConstVector, Vector g) { g[0] = std::pow(t - 0.437, 3); },  // flat: bad for secants
                .handle = [](const EventInfo&, EventState&) {}};
  for (const Duration tolerance : {1e-3, 1e-6, 1e-12}) {
    const auto report = integrate(ode, "dopri5", {}, {.stop = 1, .time_tolerance = tolerance});
    ASSERT_EQ(report.log.size(), 1U);
    EXPECT_NEAR(report.log[0].t, 0.437, tolerance);
    EXPECT_GT(report.log[0].t, 0.437);  // where the sign has changed
    EXPECT_LT(report.root_evaluations, 300U);
  }
}

TEST(Integrate, NamesARootFunctionThatIsNotANumber) {
  Ode ode = clock_problem();
  ode.events = {.root_count = 1,
                .roots = [](Time t, ConstVector, Vector g) { g[0] = t > 0.5 ? std::nan("") : 1; },
                .names = {"contact"},
                .handle = [](const EventInfo&, EventState&) {}};
  EXPECT_THAT(error_of([&] { integrate(ode, "dopri5", {}, {.stop = 1}); }), HasSubstr("'contact'"));
}

// --- switches, time events, step events

TEST(Integrate, HandsSwitchesToEveryFunctionAndChangesThemOnlyAtEvents) {
  // A heater with hysteresis between 19 and 21 degrees.
  Ode ode{.y0 = {20},
          .rhs = [](Time, ConstVector y, Vector dy, const Switches& on) { dy[0] = (on[0] ? 5 : 0) - 0.1 * (y[0] - 5); },
          .events = {
              .root_count = 1,
              .roots = [](Time, ConstVector y, Vector g, const Switches& on) { g[0] = on[0] ? 21 - y[0] : y[0] - 19; },
              .directions = {Direction::falling},
              .switches = {true},
              .handle = [](const EventInfo&, EventState& state) { state.switches.flip(); }}};
  double lowest = 20;
  double highest = 20;
  const auto report =
      integrate(ode, "bdf", {.rtol = 1e-8}, {.stop = 50, .interval = 0.01, .output = [&](const OutputRow& row) {
                                               lowest = std::min(lowest, row.y[0]);
                                               highest = std::max(highest, row.y[0]);
                                             }});
  EXPECT_GT(report.state_events, 20U);
  EXPECT_NEAR(lowest, 19, 1e-6);
  EXPECT_NEAR(highest, 21, 1e-6);
  EXPECT_EQ(report.statistics.restarts, report.state_events);
}

TEST(Integrate, EndsStepsOnTimeEvents) {
  Ode ode = clock_problem();
  std::vector<Time> times;
  ode.events = {
      .next_time_event = [](Time t, ConstVector) { return t < 2.05 ? (std::floor(t / 0.7 + 1e-9) + 1) * 0.7 : never; },
      .handle =
          [&times](const EventInfo& info, EventState& state) {
            EXPECT_TRUE(info.time_event);
            EXPECT_FALSE(info.state_event());
            times.push_back(info.t);
            state.y[0] += 1;
          }};
  const auto report = integrate(ode, "dopri5", {}, {.stop = 5});
  EXPECT_THAT(times, ElementsAre(0.7, 1.4, 3 * 0.7));
  EXPECT_EQ(report.time_events, 3U);
  EXPECT_NEAR(report.y[0], 8, 1e-9);
}

TEST(Integrate, HandlesATimeEventAtTheStartAndOneAtTheStop) {
  Ode ode = clock_problem();
  bool first = true;
  ode.events = {.next_time_event = [&first](Time, ConstVector) { return std::exchange(first, false) ? 0.0 : 1.0; },
                .handle = [](const EventInfo&, EventState& state) { state.y[0] += 100; }};
  const auto count = [&] {
    int events = 0;
    first = true;
    ode.events.handle = [&events](const EventInfo&, EventState& state) { state.terminate = ++events == 2; };
    const auto report = integrate(ode, "dopri5", {}, {.stop = 1});
    EXPECT_EQ(report.reached, 1);
    return report.time_events;
  };
  EXPECT_EQ(count(), 2U);
}

TEST(Integrate, AsksForStepEventsAfterEachStep) {
  Ode ode = oscillator();
  int asked = 0;
  int handled = 0;
  ode.events = {.step_event = [&asked](Time, ConstVector) { return ++asked % 4 == 0; },
                .handle =
                    [&handled](const EventInfo& info, EventState& state) {
                      EXPECT_TRUE(info.step_event);
                      ++handled;
                      state.restart = false;
                    }};
  const auto report = integrate(ode, "dopri5", {.rtol = 1e-9}, {.stop = 5});
  EXPECT_EQ(static_cast<std::uint64_t>(asked), report.statistics.steps);
  EXPECT_EQ(handled, asked / 4);
  EXPECT_EQ(report.step_events, static_cast<std::uint64_t>(handled));
}

TEST(Integrate, IteratesAnEventUntilItSettles) {
  Ode ode = clock_problem();
  std::vector<std::uint32_t> iterations;
  ode.events = threshold(0.5, [&iterations](const EventInfo& info, EventState& state) {
    iterations.push_back(info.iteration);
    state.y[0] += 1;
    state.again = info.iteration < 3;
  });
  const auto report = integrate(ode, "rk4", {.initial_step = 0.1}, {.stop = 1});
  EXPECT_THAT(iterations, ElementsAre(0, 1, 2, 3));
  ASSERT_EQ(report.log.size(), 1U);
  EXPECT_EQ(report.log[0].iterations, 4U);
  EXPECT_NEAR(report.y[0], 5, 1e-9);
}

TEST(Integrate, GivesUpOnEventsThatDoNotSettleOrPileUp) {
  Ode ode = clock_problem();
  ode.events = threshold(0.5, [](const EventInfo&, EventState& state) { state.again = true; });
  EXPECT_THAT(error_of([&] { integrate(ode, "dopri5", {}, {.stop = 1}); }), HasSubstr("not settled"));
  ode.events = {.next_time_event = [](Time t, ConstVector) { return t; },
                .handle = [](const EventInfo&, EventState&) {}};
  EXPECT_THAT(error_of([&] { integrate(ode, "dopri5", {}, {.stop = 1}); }), HasSubstr("without advance of time"));
  ode.events.next_time_event = [](Time, ConstVector) { return std::nan(""); };
  EXPECT_THAT(error_of([&] { integrate(ode, "dopri5", {}, {.stop = 1}); }), HasSubstr("not a number"));
}

TEST(Integrate, StopsWhereAHandlerTerminates) {
  Ode ode = clock_problem();
  ode.events = threshold(0.5, [](const EventInfo&, EventState& state) { state.terminate = true; });
  const auto solver = make_solver("bdf", ode, {.max_step = 0.2});
  const auto report = integrate(*solver, ode.events, {.stop = 1});
  EXPECT_EQ(report.end, RunEnd::terminated);
  EXPECT_NEAR(report.reached, 0.5, 1e-6);
  EXPECT_NEAR(solver->state()[0], 0.5, 1e-6);
}

TEST(Integration, StopsBeforeAnEventAndGoesOnAfterIt) {
  for (const auto* const name : {"dopri5", "bdf"}) {
    auto ode = clock_problem();
    int handled = 0;
    ode.events = threshold(0.3, [&](const EventInfo&, EventState&) { ++handled; });
    Time time_event = 0.7;
    ode.events.next_time_event = [&](Time, ConstVector, const Switches&) { return time_event; };
    const auto solver = make_solver(name, ode, {.rtol = 1e-8, .atol = {1e-8}});
    Integration run(*solver, ode.events, {.stop = 1});
    const auto go_on = [&](double y) {
      const std::vector<double> state{y};
      solver->reinitialise({.t = solver->time(), .y = state});
      run.go_on();
    };
    EXPECT_EQ(run.advance(1, AtEvent::stop), RunEnd::event);
    EXPECT_NEAR(solver->time(), 0.3, 1e-12);
    EXPECT_NEAR(solver->state()[0], 0.3, 1e-12);
    go_on(-0.2);
    EXPECT_EQ(run.advance(0.5, AtEvent::stop), RunEnd::stop) << "a handled event does not occur again";
    EXPECT_EQ(run.advance(1, AtEvent::stop), RunEnd::event);
    EXPECT_EQ(solver->time(), 0.7);
    EXPECT_EQ(run.advance(1, AtEvent::stop), RunEnd::event) << "an event is due until it is handled";
    time_event = never;
    go_on(solver->state()[0]);
    EXPECT_EQ(run.advance(1, AtEvent::stop), RunEnd::event);
    EXPECT_NEAR(solver->time(), 0.8, 1e-9);
    go_on(solver->state()[0]);
    EXPECT_EQ(run.advance(1, AtEvent::stop), RunEnd::stop);
    EXPECT_EQ(handled, 0);
    EXPECT_NEAR(solver->state()[0], 0.5, 1e-9);
  }
}

TEST(Integration, GivesUpOnEventsThatItsCallerDoesNotGetRidOf) {
  auto ode = clock_problem();
  ode.events.next_time_event = [](Time t, ConstVector, const Switches&) { return t; };
  ode.events.handle = [](const EventInfo&, EventState&) {};
  const auto solver = make_solver("dopri5", ode, {});
  Integration run(*solver, ode.events, {.stop = 1});
  EXPECT_THAT(
      [&] {
        for (int i = 0; i < 1100; ++i) {
          EXPECT_EQ(run.advance(1, AtEvent::stop), RunEnd::event);
          run.go_on();
        }
      },
      testing::ThrowsMessage<Error>(HasSubstr("without advance of time")));
}

TEST(Integrate, NamesAStateThatAHandlerSpoils) {
  Ode ode = clock_problem();
  ode.components.names = {"level"};
  ode.events = threshold(0.5, [](const EventInfo&, EventState& state) { state.y[0] = std::nan(""); });
  EXPECT_THAT(error_of([&] { integrate(ode, "dopri5", {}, {.stop = 1}); }), HasSubstr("'level'"));
}

TEST(Integrate, LetsAHandlerChangeTolerances) {
  Ode ode = clock_problem();
  ode.events = threshold(0.5, [](const EventInfo&, EventState& state) { state.absolute_tolerances[0] = 0.125; });
  const auto solver = make_solver("dopri5", ode, {});
  integrate(*solver, ode.events, {.stop = 1});
  EXPECT_EQ(solver->absolute_tolerances()[0], 0.125);
}

TEST(Integrate, RepeatsARunWithEventsFromASavedPoint) {
  const Ode ode = bouncing_ball(Direction::both);
  const auto solver = make_solver("bdf", ode, {.rtol = 1e-7});
  Integration run(*solver, ode.events, {});
  run.advance(0.7);
  const auto saved = solver->snapshot();
  const auto memory = run.memory();
  run.advance(2);
  const auto first = run.report();
  solver->restore(*saved);
  run.restore(memory);
  run.advance(2);
  const auto second = run.report();
  EXPECT_EQ(first.y, second.y);
  EXPECT_EQ(first.statistics, second.statistics);
  ASSERT_EQ(second.log.size(), 2 * first.log.size() - 1);  // one impact before the point
  for (std::size_t k = 1; k < first.log.size(); ++k) {
    EXPECT_EQ(second.log[first.log.size() + k - 1].t, first.log[k].t);
  }
}

TEST(Integrate, RunsADae) {
  // A pendulum's energy as an algebraic component: 0 = e - (v^2 / 2 - cos x).
  const Dae dae{.y0 = {1, 0, -std::cos(1.0)},
                .ydot0 = {0, -std::sin(1.0), 0},
                .residual =
                    [](Time, ConstVector y, ConstVector yd, Vector r) {
                      r[0] = yd[0] - y[1];
                      r[1] = yd[1] + std::sin(y[0]);
                      r[2] = y[2] - y[1] * y[1] / 2 + std::cos(y[0]);
                    },
                .differential = {true, true, false},
                .events = {.root_count = 1,
                           .roots = [](Time, ConstVector y, Vector g) { g[0] = y[0]; },
                           .handle = [](const EventInfo&, EventState& state) { EXPECT_EQ(state.ydot.size(), 3U); }}};
  const auto report = integrate(dae, "ida", {.rtol = 1e-8, .atol = {1e-8}}, {.stop = 6});
  EXPECT_NEAR(report.y[2], -std::cos(1.0), 1e-5);
  ASSERT_EQ(report.log.size(), 2U);
  EXPECT_NEAR(report.log[1].t, 3 * report.log[0].t, 1e-4);  // a quarter and three quarters of a period
}

TEST(Integration, LeavesATimeEventThatRoundingPutsAfterTheStopToTheNextPart) {
  // The handler compares times exactly, as models do, and the stop is one rounding error before the event.
  double next = 3.0;
  int handled = 0;
  Ode ode{.y0 = {0}, .rhs = [](double, ConstVector, Vector dy) { dy[0] = 1; }};
  ode.events.next_time_event = [&](double, ConstVector) { return next; };
  ode.events.handle = [&](const EventInfo& info, EventState&) {
    if (info.t < next) return;
    ++handled;
    next += 1;
  };
  const auto solver = make_solver("dopri5", ode, {});
  Integration run(*solver, ode.events, {});
  const double stop = std::nextafter(3.0, 0.0);
  EXPECT_EQ(run.advance(stop), RunEnd::stop);
  EXPECT_EQ(solver->time(), stop);
  EXPECT_EQ(handled, 0);
  EXPECT_EQ(run.advance(3.5), RunEnd::stop);
  EXPECT_EQ(handled, 1);
  EXPECT_NEAR(solver->state()[0], 3.5, 1e-12);
}

}  // namespace
}  // namespace consort::solve
