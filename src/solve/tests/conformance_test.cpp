// The suite for all solvers of the table; a new solver joins with its row.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solve/integrate.hpp"
#include "solve/solvers.hpp"
#include "solve/tests/problems.hpp"

namespace consort::solve {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class EverySolver : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] const SolverRow& row() const { return solvers()[GetParam()]; }
  [[nodiscard]] bool adaptive() const { return row().capabilities.adaptive; }
  // The tolerance, or for fixed-step solvers a step of similar accuracy.
  [[nodiscard]] SolverOptions options(double tolerance, Duration step) const {
    SolverOptions result{.rtol = tolerance, .atol = {tolerance}};
    if (!adaptive()) result.initial_step = step;
    return result;
  }
  [[nodiscard]] std::unique_ptr<Solver> make(const Ode& ode, const SolverOptions& with) const {
    return row().for_ode(row(), ode, with);
  }
};

std::string row_name(const testing::TestParamInfo<std::size_t>& info) {
  std::string name(solvers()[info.param].name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, EverySolver, testing::Range(std::size_t{0}, solvers().size()), row_name);

// --- accuracy

// Halving a fixed step divides the error by 2^order. The problem is linear with an exact Jacobian, so Newton's
// iteration adds no error. Methods of variable order are tested by their tolerance instead.
TEST_P(EverySolver, HasItsOrder) {
  const auto& capabilities = row().capabilities;
  if (capabilities.min_order != capabilities.max_order) GTEST_SKIP() << "variable order";
  const Ode ode = forced_oscillator();
  const int order = capabilities.max_order;
  const auto error = [&](Duration h) {
    const auto solver = make(ode, {.rtol = 0.1, .atol = {1e3}, .initial_step = h, .max_step = h});
    double largest = 0;
    while (solver->time() < 4) {
      solver->step(4);
      const Time t = solver->time();
      largest = std::max(largest, std::abs(solver->state()[0] - forced_solution(t)));
      largest = std::max(largest, std::abs(solver->state()[1] - forced_derivative(t)));
    }
    return largest;
  };
  const Duration h = order <= 2 ? 0.01 : order <= 5 ? 0.05 : 0.2;
  const double observed = std::log2(error(h) / error(h / 2));
  EXPECT_GT(observed, order - 0.35);
  EXPECT_LT(observed, order + 0.9);  // some methods gain an order on linear problems
}

TEST_P(EverySolver, IsMoreAccurateWithATighterTolerance) {
  if (!adaptive()) GTEST_SKIP() << "no step size control";
  const Ode ode = forced_oscillator();
  const auto error = [&](double tolerance) {
    const auto solver = make(ode, {.rtol = tolerance, .atol = {tolerance}});
    run_to(*solver, 10);
    return std::abs(solver->state()[0] - forced_solution(10));
  };
  // Global errors follow the tolerance within a factor that depends on the problem, here about 100.
  const double loose = error(1e-4);
  const double tight = error(1e-8);
  EXPECT_LT(loose, 1e-2);
  EXPECT_LT(tight, 1e-6);
  EXPECT_LT(tight, loose / 100);
}

TEST_P(EverySolver, NeverUsesMoreThanTheHighestOrderAskedFor) {
  const auto& capabilities = row().capabilities;
  if (capabilities.min_order == capabilities.max_order) GTEST_SKIP() << "one order only";
  const Ode ode = oscillator();
  for (const int most : {1, 2, 3}) {
    auto with = options(1e-5, 0);
    with.max_order = most;
    const auto solver = make(ode, with);
    int highest = 0;
    while (solver->time() < 5) highest = std::max(highest, solver->step(5).order);
    EXPECT_EQ(highest, most);
  }
}

TEST_P(EverySolver, SolvesStiffProblemsWhenItSaysSo) {
  const auto& capabilities = row().capabilities;
  if (!capabilities.stiff) GTEST_SKIP() << "not for stiff problems";
  const Ode chemistry = robertson();
  auto with = options(1e-6, 0.02);
  with.atol = {1e-8, 1e-12, 1e-8};
  const auto kinetics = make(chemistry, with);
  run_to(*kinetics, 40);
  // Implicit Euler with steps of 0.02 s: first order in h times y'', of size 1e-3 here.
  const double tolerance = adaptive() ? 1e-4 : 1e-2;
  EXPECT_NEAR(kinetics->state()[0], 0.7158270688, tolerance);
  EXPECT_NEAR(kinetics->state()[1] / 9.185534765e-6, 1, 10 * tolerance);
  EXPECT_NEAR(kinetics->state()[0] + kinetics->state()[1] + kinetics->state()[2], 1, 1e-6);

  // Jumps between branches take microseconds: fixed-step solvers run only the slow part.
  const Ode relaxation = stiff_van_der_pol();
  const auto circuit = make(relaxation, options(1e-6, 1e-4));
  run_to(*circuit, adaptive() ? 2 : 0.7);
  EXPECT_NEAR(circuit->state()[0], adaptive() ? 1.706167732 : slow_van_der_pol(0.7), 1e-3);
  if (adaptive()) {
    EXPECT_NEAR(circuit->state()[1], -0.892809701, 1e-3);
  }
}

// --- dense output

TEST_P(EverySolver, InterpolatesAsWellAsItSteps) {
  const Ode ode = oscillator();
  const auto solver = make(ode, options(1e-6, row().capabilities.max_order == 1 ? 1e-3 : 0.01));
  std::vector<double> y(2);
  std::vector<double> before(ode.y0);
  double at_steps = 1e-6;
  double between = 0;
  double jump = 0;
  double slope = 0;
  while (solver->time() < 5) {
    const auto step = solver->step(5);
    solver->interpolate(step.from, y);
    jump = std::max({jump, std::abs(y[0] - before[0]), std::abs(y[1] - before[1])});
    for (const double part : {0.1, 0.3, 0.5, 0.8, 0.95}) {
      const Time t = step.from + part * (step.to - step.from);
      solver->interpolate(t, y);
      between = std::max({between, std::abs(y[0] - std::cos(t)), std::abs(y[1] + std::sin(t))});
      solver->interpolate_derivative(t, y);
      slope = std::max(slope, std::abs(y[0] + std::sin(t)));
    }
    solver->interpolate(step.to, y);
    EXPECT_EQ(y[0], solver->state()[0]);
    before.assign(solver->state().begin(), solver->state().end());
    at_steps = std::max(at_steps, std::abs(before[0] - std::cos(step.to)));
  }
  // 100 tolerances: interpolants may have a lower order than their methods, and multistep methods correct earlier
  // points.
  EXPECT_LT(between, 20 * at_steps + 1e-4);
  EXPECT_LT(jump, 1e-4);
  EXPECT_LT(slope, 1e-2);
}

// --- limits

TEST_P(EverySolver, EndsStepsExactlyOnTheLimitAndLooksNotBeyond) {
  Time furthest = 0;
  Ode ode = oscillator();
  ode.rhs = [&furthest](Time t, ConstVector y, Vector dy) {
    furthest = std::max(furthest, t);
    dy[0] = y[1];
    dy[1] = -y[0];
  };
  const auto solver = make(ode, options(1e-5, 0.03));
  for (const Time limit : {0.1, 0.1000001, 0.25, 1.0, 1.7}) {
    while (solver->time() < limit) {
      const auto step = solver->step(limit);
      ASSERT_GT(step.to, step.from);
      ASSERT_LE(step.to, limit);
      ASSERT_EQ(step.to, solver->time());
    }
    EXPECT_EQ(solver->time(), limit);
    EXPECT_LE(furthest, limit * (1 + 1e-15));
  }
}

TEST_P(EverySolver, RespectsTheLargestStep) {
  const Ode ode = oscillator();
  auto with = options(1e-3, 0.01);
  with.max_step = 0.02;
  const auto solver = make(ode, with);
  while (solver->time() < 1) {
    const auto step = solver->step(1);
    ASSERT_LE(step.to - step.from, 0.02 * 1.011);
  }
}

TEST_P(EverySolver, StopsAtTheStepLimit) {
  const Ode ode = oscillator();
  auto with = options(1e-6, 0.01);
  with.step_limit = 7;
  const auto solver = make(ode, with);
  const auto text = error_of([&] { run_to(*solver, 10); });
  EXPECT_THAT(text, HasSubstr("limit"));
  EXPECT_THAT(text, HasSubstr(std::string(row().name)));
  EXPECT_EQ(solver->statistics().steps, 7U);
}

// --- statistics

TEST_P(EverySolver, CountsWhatItDid) {
  std::uint64_t calls = 0;
  Ode ode = van_der_pol(5);
  ode.rhs = [&calls, rhs = ode.rhs](Time t, ConstVector y, Vector dy, const Switches& switches) {
    ++calls;
    rhs(t, y, dy, switches);
  };
  const auto solver = make(ode, options(1e-5, 1e-3));
  std::uint64_t steps = 0;
  for (; solver->time() < 10; ++steps) solver->step(10);
  const auto& statistics = solver->statistics();
  EXPECT_EQ(statistics.steps, steps);
  EXPECT_GE(calls, statistics.evaluations);
  EXPECT_LE(calls, statistics.evaluations + 2);  // an Ode solved as a Dae needs its first derivative
  EXPECT_LE(statistics.jacobian_evaluations, statistics.evaluations);
  EXPECT_EQ(statistics.jacobians > 0, row().capabilities.stiff);
  EXPECT_GE(statistics.factorisations, statistics.jacobians);
  EXPECT_EQ(statistics.restarts, 0U);
}

// --- saving and restoring

struct Trace {
  std::vector<double> numbers;
  Statistics statistics;
};

Trace trace(Solver& solver, int steps) {
  Trace result;
  for (int k = 0; k < steps; ++k) {
    const auto step = solver.step(1e9);
    result.numbers.insert(result.numbers.end(), {step.to, static_cast<double>(step.order), step.next});
    result.numbers.insert(result.numbers.end(), solver.state().begin(), solver.state().end());
    std::vector<double> y(solver.size());
    solver.interpolate(step.from + 0.4 * (step.to - step.from), y);
    result.numbers.insert(result.numbers.end(), y.begin(), y.end());
  }
  result.statistics = solver.statistics();
  return result;
}

TEST_P(EverySolver, ContinuesFromASnapshotBitForBitWhenItSaysSo) {
  const Ode ode = van_der_pol(10);
  const auto with = options(1e-5, 1e-3);
  const auto solver = make(ode, with);
  // At many times: between changes of order and Jacobians, after failures, in the middle of a growing step.
  for (int moment = 0; moment < 12; ++moment) {
    trace(*solver, 17 + moment);
    const auto saved = solver->snapshot();
    const auto bytes = solver->serialise();
    const Time at = solver->time();
    const auto continued = trace(*solver, 60);

    const auto other = make(ode, with);
    if (moment % 2 == 0) trace(*other, 5);
    for (int way = 0; way < 3; ++way) {
      Solver& again = way == 0 ? *solver : *other;
      if (way < 2) {
        again.restore(*saved);
      } else {
        again.deserialise(bytes);
      }
      EXPECT_EQ(again.time(), at);
      const auto restored = trace(again, 60);
      if (row().capabilities.exact_restart) {
        ASSERT_EQ(restored.numbers, continued.numbers) << "moment " << moment << ", way " << way;
        ASSERT_EQ(restored.statistics, continued.statistics);
      } else {
        EXPECT_GT(restored.statistics.restarts, 0U);
      }
    }
    solver->restore(*saved);
  }
}

TEST_P(EverySolver, RestoresStateAndSwitchesInAnyCase) {
  Ode ode = oscillator();
  ode.events.switches = {false, true};
  const auto solver = make(ode, options(1e-7, 1e-3));
  run_to(*solver, 1);
  const auto saved = solver->snapshot();
  const std::vector<double> y(solver->state().begin(), solver->state().end());
  const Switches changed{true, true};
  solver->reinitialise({.t = 1, .y = std::vector<double>{5, 5}, .switches = &changed});
  EXPECT_EQ(solver->switches(), changed);
  run_to(*solver, 2);
  solver->restore(*saved);
  EXPECT_EQ(solver->time(), 1);
  EXPECT_TRUE(std::equal(y.begin(), y.end(), solver->state().begin()));
  EXPECT_EQ(solver->switches(), (Switches{false, true}));
  run_to(*solver, 2);
  EXPECT_NEAR(solver->state()[0], std::cos(2), 2e-3);
}

TEST_P(EverySolver, RefusesTheStateOfAnotherSolverOrProblemAndDamagedOnes) {
  const Ode ode = oscillator();
  const Ode larger = robertson();
  const auto with = options(1e-5, 0.01);
  const auto solver = make(ode, with);
  run_to(*solver, 1);
  const auto bytes = solver->serialise();
  const auto other = make(larger, with);
  EXPECT_NE(error_of([&] { other->deserialise(bytes); }), "no error");
  const auto& neighbour = solvers()[(GetParam() + 1) % solvers().size()];
  const auto different = neighbour.for_ode(neighbour, ode, {.initial_step = 0.01});
  EXPECT_NE(error_of([&] { different->deserialise(bytes); }), "no error");
  for (std::size_t size = 0; size < bytes.size(); size += 3) {
    ASSERT_NE(error_of([&] { solver->deserialise(std::span(bytes).first(size)); }), "no error") << size;
  }
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_NE(error_of([&] { solver->deserialise(longer); }), "no error");
  EXPECT_EQ(solver->time(), 1);  // unchanged
  solver->deserialise(bytes);
  run_to(*solver, 2);
}

TEST_P(EverySolver, StartsAnewWhereItIsTold) {
  const Ode ode = oscillator();
  const auto solver = make(ode, options(1e-8, 1e-4));
  run_to(*solver, 1);
  const std::vector<double> start{0, 1};
  solver->reinitialise({.t = 3, .y = start});
  EXPECT_EQ(solver->time(), 3);
  EXPECT_EQ(solver->statistics().restarts, 1U);
  std::vector<double> y(2);
  solver->interpolate(3, y);
  EXPECT_EQ(y, start);
  run_to(*solver, 4);
  EXPECT_NEAR(solver->state()[0], std::sin(1), 1e-3);
}

// --- failures

TEST_P(EverySolver, NamesTheComponentThatIsNotFinite) {
  Ode ode = oscillator();
  ode.rhs = [](Time t, ConstVector y, Vector dy) {
    dy[0] = y[1];
    dy[1] = t > 0.5 ? std::nan("") : -y[0];
  };
  const auto solver = make(ode, options(1e-5, 0.01));
  const auto text = error_of([&] { run_to(*solver, 1); });
  EXPECT_THAT(text, HasSubstr("'v'"));
  EXPECT_THAT(text, HasSubstr("0.5"));
  EXPECT_LE(solver->time(), 0.5 + 1e-12);
  EXPECT_TRUE(std::isfinite(solver->state()[0]) && std::isfinite(solver->state()[1]));
}

TEST_P(EverySolver, FailsAtASingularityInsteadOfRunningForEver) {
  Ode ode{.y0 = {0, 1},
          .rhs =
              [](Time, ConstVector y, Vector dy) {
                dy[0] = 1;
                dy[1] = y[1] * y[1];
              },
          .components = {.names = {"clock", "burst"}}};
  const auto solver = make(ode, options(1e-6, 1e-3));
  const auto text = error_of([&] { run_to(*solver, 2); });
  EXPECT_THAT(text, HasSubstr(std::string(row().name)));
  EXPECT_THAT(text, HasSubstr("'burst'"));
  EXPECT_THAT(text, AnyOf(HasSubstr("step size fell below"), HasSubstr("not a finite number")));
  // A method without step size control may go at most one step too far.
  EXPECT_LT(solver->time(), adaptive() ? 1.001 : 1.1);
}

TEST_P(EverySolver, SaysThatAProblemIsTooStiffForIt) {
  if (row().capabilities.stiff || !adaptive()) GTEST_SKIP() << "does not apply";
  const Ode ode = stiff_van_der_pol();
  const auto solver = make(ode, options(1e-4, 0));
  const auto text = error_of([&] { run_to(*solver, 2); });
  EXPECT_THAT(text, HasSubstr("stiff"));
  EXPECT_THAT(text, HasSubstr("bdf"));
  EXPECT_LT(solver->statistics().evaluations, 200'000U);
}

TEST_P(EverySolver, PassesOnWhatTheProblemThrowsAndStaysWhereItWas) {
  bool broken = false;
  Ode ode = oscillator();
  ode.rhs = [&broken](Time t, ConstVector y, Vector dy) {
    if (broken && t > 0.55) throw run_error("the model has had enough at t = {} s", t);
    dy[0] = y[1];
    dy[1] = -y[0];
  };
  const auto solver = make(ode, options(1e-6, 0.01));
  run_to(*solver, 0.5);
  broken = true;
  EXPECT_THAT(error_of([&] { run_to(*solver, 1); }), HasSubstr("the model has had enough"));
  EXPECT_GE(solver->time(), 0.5);
  EXPECT_LE(solver->time(), 0.55);
  broken = false;
  run_to(*solver, 1);
  EXPECT_NEAR(solver->state()[0], std::cos(1), row().capabilities.max_order == 1 ? 1e-2 : 1e-4);
}

TEST_P(EverySolver, SolvesAProblemWithoutStates) {
  const Ode ode{.rhs = [](Time, ConstVector, Vector) {}};
  const auto solver = make(ode, options(1e-6, 0.25));
  run_to(*solver, 1);
  EXPECT_EQ(solver->time(), 1);
}

// --- events, through the driver

TEST_P(EverySolver, FindsImpactsOfABallWithinTheTimeTolerance) {
  // Methods of order 2 and more integrate parabolas exactly; the remaining error is that of the driver.
  if (row().capabilities.max_order < 2) GTEST_SKIP() << "order 1 does not follow a parabola";
  const Duration tolerance = 1e-7;
  for (const auto direction : {Direction::falling, Direction::both}) {
    const Ode ode = bouncing_ball(direction);
    const auto solver = make(ode, options(row().capabilities.max_order == 2 ? 1e-8 : 1e-11, 0.01));
    const auto report = integrate(*solver, ode.events, {.stop = 2.3, .time_tolerance = tolerance});
    const auto expected = impact_times(6);
    ASSERT_EQ(report.log.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(report.log[k].t, expected[k], 10 * tolerance) << "impact " << k;
      EXPECT_EQ(report.log[k].roots[0], -1);
    }
    EXPECT_GE(report.y[0], -10 * tolerance);
  }
}

TEST_P(EverySolver, FindsGrazingRootsInsideOneStep) {
  const Duration tolerance = 1e-8;
  Ode ode{.y0 = {0}, .rhs = [](Time, ConstVector, Vector dy) { dy[0] = 1e-3; }};
  // Below zero for 2 ms, within steps that may be longer.
  ode.events = {.root_count = 1,
                .roots = [](Time t, ConstVector, Vector g) { g[0] = (t - 1.3) * (t - 1.3) - 1e-6; },
                .handle = [](const EventInfo&, EventState&) {}};
  const auto solver = make(ode, options(1e-6, 0.4));
  const auto report = integrate(*solver, ode.events, {.stop = 3, .time_tolerance = tolerance});
  ASSERT_EQ(report.log.size(), 2U);
  EXPECT_NEAR(report.log[0].t, 1.299, 10 * tolerance);
  EXPECT_NEAR(report.log[1].t, 1.301, 10 * tolerance);
  EXPECT_EQ(report.log[0].roots[0], -1);
  EXPECT_EQ(report.log[1].roots[0], 1);
}

TEST_P(EverySolver, FindsWhereASolutionGrazesAThreshold) {
  if (!adaptive()) GTEST_SKIP() << "the error of its solution would hide that of the event";
  const Duration tolerance = 1e-5;
  Ode ode = oscillator();
  ode.events = {.root_count = 1,
                .roots = [](Time, ConstVector y, Vector g) { g[0] = y[0] + 0.9999; },
                .handle = [](const EventInfo&, EventState&) {}};
  const auto solver = make(ode, options(row().capabilities.max_order <= 2 ? 1e-8 : 1e-10, 0));
  const auto report = integrate(*solver, ode.events, {.stop = 6, .time_tolerance = tolerance});
  ASSERT_EQ(report.log.size(), 2U);
  EXPECT_NEAR(report.log[0].t, std::acos(-0.9999), 10 * tolerance);
  EXPECT_NEAR(report.log[1].t, 2 * std::acos(-1.0) - std::acos(-0.9999), 10 * tolerance);
}

TEST_P(EverySolver, IsCancelledBetweenStepsAndCanGoOn) {
  const Ode ode = oscillator();
  const auto solver = make(ode, options(1e-6, 0.01));
  std::atomic<bool> cancel = false;
  int steps = 0;
  Integration run(*solver, ode.events, {.cancel = &cancel, .progress = [&](const Progress& progress) {
                                          EXPECT_GT(progress.step, 0);
                                          if (++steps == 5) cancel = true;
                                        }});
  EXPECT_EQ(run.advance(5), RunEnd::cancelled);
  EXPECT_EQ(steps, 5);
  EXPECT_LT(solver->time(), 5);
  cancel = false;
  EXPECT_EQ(run.advance(5), RunEnd::stop);
  EXPECT_EQ(solver->time(), 5);
}

// --- the table

TEST(Solvers, AreFoundByNameAndAnUnknownNameListsThem) {
  EXPECT_EQ(find_solver("dopri5").name, "dopri5");
  const auto text = error_of([] { (void)find_solver("dopri6"); });
  EXPECT_THAT(text, HasSubstr("'dopri6'"));
  for (const auto& row : solvers()) EXPECT_THAT(text, HasSubstr(std::string(row.name)));
}

TEST(Solvers, HaveDifferentNames) {
  for (const auto& row : solvers()) {
    EXPECT_EQ(&find_solver(row.name), &row);
    EXPECT_FALSE(row.description.empty());
    EXPECT_EQ(row.capabilities.dae, row.for_dae != nullptr);
  }
}

TEST(Solvers, RefuseADaeThatTheyCannotSolve) {
  const Dae dae{
      .y0 = {1}, .ydot0 = {-1}, .residual = [](Time, ConstVector y, ConstVector yd, Vector r) { r[0] = yd[0] + y[0]; }};
  EXPECT_THAT(error_of([&] { (void)make_solver("dopri5", dae, {}); }), HasSubstr("explicit"));
}

TEST(Solvers, RefuseOptionsThatMakeNoSense) {
  const Ode ode = oscillator();
  const auto refused = [&](std::string_view name, const SolverOptions& options) {
    return error_of([&] { (void)make_solver(name, ode, options); });
  };
  EXPECT_THAT(refused("rk4", {}), HasSubstr("initial_step"));
  EXPECT_THAT(refused("bdf", {.rtol = 0}), HasSubstr("relative tolerance"));
  EXPECT_THAT(refused("bdf", {.rtol = std::nan("")}), HasSubstr("relative tolerance"));
  EXPECT_THAT(refused("bdf", {.atol = {1e-6, 1e-6, 1e-6}}), HasSubstr("absolute tolerances"));
  EXPECT_THAT(refused("bdf", {.atol = {1e-6, 0}}), HasSubstr("'v'"));
  EXPECT_THAT(refused("bdf", {.min_step = 2, .max_step = 1}), HasSubstr("smallest"));
  EXPECT_THAT(refused("bdf", {.initial_step = 2, .max_step = 1}), HasSubstr("initial step"));
  EXPECT_THAT(refused("dopri5", {.max_order = 3}), HasSubstr("order 5"));
  EXPECT_THAT(refused("bdf", {.linear = LinearSolver::sparse}), HasSubstr("pattern"));
  EXPECT_THAT(refused("bdf", {.linear = LinearSolver::krylov}), HasSubstr("cvode"));
}

}  // namespace
}  // namespace consort::solve
