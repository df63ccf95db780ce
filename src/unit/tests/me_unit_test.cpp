// One suite for all Model Exchange units: an FMU and the native model must behave identically.
#include <array>
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "solve/integrate.hpp"
#include "solve/tests/allocations.hpp"
#include "unit/settle.hpp"
#include "unit/tests/adapted_units.hpp"

namespace consort::unit {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class AdaptedUnit : public ::testing::TestWithParam<const char*> {
 protected:
  template <class M>
  [[nodiscard]] static Adapted make(const std::string& model, MeUnitOptions options = {}) {
    return adapt<M>(GetParam(), model, std::move(options));
  }
  [[nodiscard]] static bool is_fmi1() { return std::string_view(GetParam()) == "fmi1/me"; }
};
INSTANTIATE_TEST_SUITE_P(Shapes, AdaptedUnit, ::testing::Values("fmi1/me", "fmi2", "fmi3", "native"),
                         [](const auto& shape) { return std::string(shape.param).substr(0, 4); });

// Displacement and velocity of m ẍ + d ẋ + k x = f(t) at t, computed with a method and tolerance far more accurate than
// the tested units.
std::array<double, 2> oscillation(double t, const std::function<double(double)>& force) {
  const solve::Ode ode{.y0 = {1, 0}, .rhs = [&](double s, solve::ConstVector y, solve::Vector dy) {
                         dy[0] = y[1];
                         dy[1] = force(s) - 10 * y[0] - 0.1 * y[1];
                       }};
  const auto end = solve::integrate(ode, "dopri5", {.rtol = 1e-13, .atol = {1e-14}}, {.stop = t});
  return {end.y[0], end.y[1]};
}

// --- steps -----------------------------------------------------------------------------------------------------------

TEST_P(AdaptedUnit, FollowsVanDerPolToItsTolerance) {
  const auto a = make<VanDerPol>("VanDerPol");
  a.initialize();
  for (int i = 0; i < 200; ++i) {
    const auto outcome = a.unit->step({0.05 * i, 0.05});
    ASSERT_TRUE(outcome.completed());
    ASSERT_DOUBLE_EQ(outcome.reached, 0.05 * (i + 1));
  }
  const solve::Ode ode{.y0 = {2, 0}, .rhs = [](double, solve::ConstVector y, solve::Vector dy) {
                         dy[0] = y[1];
                         dy[1] = (1 - y[0] * y[0]) * y[1] - y[0];
                       }};
  const auto exact = solve::integrate(ode, "dopri5", {.rtol = 1e-12, .atol = {1e-13}}, {.stop = 10});
  // 100 times the tolerance: errors of many steps accumulate, and the limit cycle does not damp the phase error.
  EXPECT_NEAR(a.value("x0"), exact.y[0], 1e-6);
  EXPECT_NEAR(a.value("x1"), exact.y[1], 1e-6);
}

TEST_P(AdaptedUnit, HandlesStateEventsInsideOfItsSteps) {
  const auto a = make<BouncingBall>("BouncingBall");
  a.initialize();
  // Falls for sqrt(2 / 9.81) s, then flies for 2 · 0.7 times that; the top is in the middle of the flight.
  const double fall = std::sqrt(2 / 9.81);
  std::vector<std::uint32_t> events;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(a.unit->step({i * 1.7 * fall / 4, 1.7 * fall / 4}).completed());
    events.push_back(a.unit->events_in_step().count);
    if (events.back() > 0) {
      EXPECT_NEAR(a.unit->events_in_step().first, fall, 1e-6);
    }
  }
  EXPECT_NEAR(a.value("h"), 0.49, 1e-6);
  EXPECT_NEAR(a.value("v"), 0, 1e-5);
  EXPECT_THAT(events, testing::ElementsAre(0, 0, 1, 0));
}

TEST_P(AdaptedUnit, CountsTheStepsOfAStairAndEndsWhereItAsksTo) {
  const auto a = make<Stair>("Stair");
  a.initialize();
  for (int i = 0; i < 38; ++i) {
    ASSERT_TRUE(a.unit->step({0.25 * i, 0.25}).completed());
    // An event at the end of a step belongs to that step.
    EXPECT_EQ(a.value<std::int32_t>("counter"), 1 + (i + 1) / 4) << i;
  }
  ASSERT_TRUE(a.unit->step({9.5, 0.25}).completed());
  const auto last = a.unit->step({9.75, 1});
  EXPECT_EQ(last.why, Why::terminate);
  EXPECT_NEAR(last.reached, 10, 1e-9);
  EXPECT_EQ(a.value<std::int32_t>("counter"), 11);
  EXPECT_EQ(a.unit->step({last.reached, 1}).why, Why::terminate);
  a.unit->terminate();
}

TEST_P(AdaptedUnit, TakesItsStartValues) {
  const auto a = make<OneMass>("OneMass");
  a.set_value("x", 0.0);
  a.set_value("k", 0.0);
  a.set_value("d", 0.0);
  a.set_value("v", 2.0);
  a.initialize(5);
  EXPECT_TRUE(a.unit->step({5, 0.5}).completed());
  EXPECT_NEAR(a.value("x"), 1, 1e-8);
}

TEST_P(AdaptedUnit, RefusesToStepFromAnywhereElse) {
  const auto a = make<OneMass>("OneMass");
  a.initialize();
  a.unit->step({0, 0.1});
  const Error error = thrown_error([&] { a.unit->step({0.2, 0.1}); });
  EXPECT_EQ(error.fields(), (ErrorFields{"adapted", "", 0.1, ""}));
  EXPECT_THROW(a.unit->step({0, 0.1}), Error);
  EXPECT_THROW(a.unit->step({0.1, 0}), Error);
  EXPECT_TRUE(a.unit->step({0.1, 0.1}).completed()) << "the rejected call had no effect";
}

// Errors of the solver get the name of the unit once; errors of the instance already contain it.
TEST_P(AdaptedUnit, NamesItselfOnceInWhateverFails) {
  const auto a = make<OneMass>("OneMass", {.solver = "dopri5", .solver_options = {.step_limit = 2}});
  a.initialize();
  const Error of_solver = thrown_error([&] { a.unit->step({0, 100}); }, Fault::run);
  EXPECT_THAT(of_solver.what(), StartsWith("unit 'adapted': solver 'dopri5' stopped at t = "));
  EXPECT_EQ(of_solver.unit(), "adapted");
  EXPECT_TRUE(of_solver.time().has_value());
  const Error of_inputs = thrown_error([&] { a.set_value("m", 1.0); });
  EXPECT_THAT(of_inputs.what(), StartsWith("unit 'adapted': 'm' cannot be set"));
  EXPECT_EQ(of_inputs.unit(), "adapted");
}

TEST_P(AdaptedUnit, RunsWithAnySolver) {
  for (const char* const solver : {"cvode-bdf", "cvode-adams", "dopri5", "rk34"}) {
    const auto a = make<OneMass>("OneMass", {.solver = solver});
    a.initialize();
    for (int i = 0; i < 10; ++i) a.unit->step({0.1 * i, 0.1});
    EXPECT_NEAR(a.value("x"), oscillation(1, [](double) { return 0.0; })[0], 1e-5) << solver;
  }
}

TEST_P(AdaptedUnit, ListsTheSolversWhenThereIsNoneOfTheName) {
  try {
    static_cast<void>(make<OneMass>("OneMass", {.solver = "magic"}));
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_THAT(error.what(), HasSubstr("magic"));
    EXPECT_THAT(error.what(), HasSubstr("bdf"));
    EXPECT_THAT(error.what(), HasSubstr("dopri5"));
    EXPECT_EQ(error.setting(), "solver");
  }
}

// --- inputs ----------------------------------------------------------------------------------------------------------

// Returns the error at t = 2 if the force cos(3 t) is replaced by its Taylor polynomial of this order in every step.
double polynomial_error(const Adapted& a, int order, int steps) {
  a.initialize(0, 1e-11);
  const double h = 2.0 / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = h * i;
    a.set_value("force", std::cos(3 * t));
    const std::vector<double> all{-3 * std::sin(3 * t), -9 * std::cos(3 * t), 27 * std::sin(3 * t)};
    a.set_derivatives("force", {all.begin(), all.begin() + order});
    EXPECT_TRUE(a.unit->step({t, h}).completed());
  }
  const auto exact = oscillation(2, [](double t) { return std::cos(3 * t); });
  // Measured as energy: the errors of x and v alone change sign with the phase.
  return std::hypot(std::sqrt(10.0) * (a.value("x") - exact[0]), a.value("v") - exact[1]);
}

TEST_P(AdaptedUnit, IsOneOrderBetterThanTheInputPolynomial) {
  ASSERT_GE(make<OneMass>("OneMass").unit->input_order(), 3);
  for (const int order : {0, 1, 2, 3}) {
    const double coarse = polynomial_error(make<OneMass>("OneMass"), order, 40);
    const double fine = polynomial_error(make<OneMass>("OneMass"), order, 80);
    // The leading error term alone would give exactly order + 1.
    EXPECT_NEAR(std::log2(coarse / fine), order + 1, 0.25) << coarse << " " << fine;
  }
}

TEST_P(AdaptedUnit, AnswersToNewInputsWithoutAStep) {
  const auto a = make<OneMass>("OneMass");
  EXPECT_TRUE(a.unit->responds_without_step());
  a.initialize();
  a.unit->step({0, 0.5});
  const double rest = a.value("der(v)");
  const double x = a.value("x");
  a.set_value("force", 3.0);
  EXPECT_NEAR(a.value("der(v)"), rest + 3, 1e-12);
  EXPECT_EQ(a.value("x"), x);
  a.set_value("force", 0.0);
  EXPECT_EQ(a.value("der(v)"), rest);
}

TEST_P(AdaptedUnit, TakesTunableParametersDuringTheRun) {
  const auto a = make<OneMass>("OneMass");
  a.initialize();
  a.unit->step({0, 0.1});
  const double x = a.value("x");
  if (is_fmi1()) {
    EXPECT_THROW(a.set_value("k", 0.0), Error) << "FMI 1.0 has no tunable parameters";
    return;
  }
  a.set_value("k", 0.0);
  a.set_value("d", 0.0);
  EXPECT_EQ(a.value("der(v)"), 0);
  const double v = a.value("v");
  a.unit->step({0.1, 1});
  EXPECT_NEAR(a.value("x"), x + v, 1e-8);
}

// FMI 1.0 does not say which variables are states.
TEST_P(AdaptedUnit, GoesOnFromAStateThatIsSet) {
  const auto a = make<OneMass>("OneMass");
  a.initialize();
  if (a.unit->description().version == describe::FmiVersion::v1) {
    EXPECT_THROW(a.set_value("x", 1.0), Error);
    return;
  }
  a.unit->step({0, 0.1});
  a.set_value("x", 7.0);
  EXPECT_EQ(a.value("x"), 7);
  const double v = a.value("v");
  a.unit->step({0.1, 1e-3});
  EXPECT_NEAR(a.value("x"), 7 + 1e-3 * v, 1e-2);
}

TEST_P(AdaptedUnit, RefusesToSetWhatTheSolverHas) {
  const auto a = make<OneMass>("OneMass");
  a.initialize();
  EXPECT_THROW(a.set_value("m", 1.0), Error);
  EXPECT_THROW(a.set_derivatives("x", {1.0}), Error);
  EXPECT_THROW(a.set_derivatives("force", {1, 2, 3, 4}), Error);
}

// --- saving ----------------------------------------------------------------------------------------------------------

// Continues with forces that depend only on the step number. Returns all values for bitwise comparison.
std::vector<double> run_on(const Adapted& a, int from, int to) {
  std::vector<double> seen;
  for (int i = from; i < to; ++i) {
    a.set_value("force", i % 5 == 0 ? 10.0 : std::sin(0.1 * i));  // a jump every fifth step
    a.set_derivatives("force", {std::cos(0.1 * i)});
    a.unit->step({0.1 * i, 0.1, true});
    seen.push_back(a.value("x"));
    seen.push_back(a.value("v"));
  }
  return seen;
}

TEST_P(AdaptedUnit, RepeatsExactlyWhatItDidAfterARestore) {
  const auto a = make<OneMass>("OneMass");
  a.initialize();
  auto* const rollback = a.unit->rollback();
  ASSERT_NE(rollback, nullptr);
  run_on(a, 0, 13);
  auto saved = rollback->save();
  const auto first = run_on(a, 13, 40);
  for (int repetition = 0; repetition < 3; ++repetition) {
    rollback->restore(*saved);
    EXPECT_EQ(run_on(a, 13, 40), first);
  }
  // Compare with a run without saving: saving must have no side effects.
  const auto b = make<OneMass>("OneMass");
  b.initialize();
  run_on(b, 0, 13);
  EXPECT_EQ(run_on(b, 13, 40), first);
}

TEST_P(AdaptedUnit, RepeatsABounceExactlyWhereverItWasSaved) {
  if (is_fmi1()) GTEST_SKIP() << "FMI 1.0 cannot save the states of an instance";
  const auto a = make<BouncingBall>("BouncingBall");
  a.initialize();
  auto& rollback = *a.unit->rollback();
  const auto on = [&](int from, int to) {
    std::vector<double> seen;
    for (int i = from; i < to; ++i) {
      a.unit->step({0.03 * i, 0.03, true});
      seen.push_back(a.value("h"));
      seen.push_back(a.value("v"));
    }
    return seen;
  };
  std::unique_ptr<Snapshot> saved;
  for (int i = 0; i < 60; ++i) {
    saved = rollback.save(std::move(saved));
    const auto first = on(i, i + 20);
    rollback.restore(*saved);
    ASSERT_EQ(on(i, i + 20), first) << "saved after step " << i;
    rollback.restore(*saved);
    on(i, i + 1);
  }
}

TEST_P(AdaptedUnit, SavesInputsThatHaveNotBeenUsedYet) {
  if (is_fmi1()) GTEST_SKIP() << "FMI 1.0 cannot save the states of an instance";
  const auto a = make<OneMass>("OneMass");
  a.initialize();
  a.unit->step({0, 0.1});
  a.set_value("force", 7.0);
  a.set_value("k", 2.0);
  a.set_derivatives("force", {1, 2, 3});
  const auto saved = a.unit->rollback()->save();
  a.unit->step({0.1, 0.1, true});
  const double x = a.value("x");
  a.set_value("force", 0.0);
  a.unit->step({0.2, 0.1, true});
  a.unit->rollback()->restore(*saved);
  EXPECT_NEAR(a.value("der(v)"), 7 - 2 * a.value("x") - 0.1 * a.value("v"), 1e-12);
  a.unit->step({0.1, 0.1, true});
  EXPECT_NEAR(a.value("x"), x, 1e-15) << "reading values handled the event caused by the new stiffness";
}

TEST_P(AdaptedUnit, GoesOnInAnotherUnitFromItsSerialisedState) {
  if (is_fmi1()) GTEST_SKIP() << "FMI 1.0 cannot save the states of an instance";
  const auto a = make<OneMass>("OneMass");
  a.initialize();
  run_on(a, 0, 13);
  ASSERT_TRUE(a.unit->rollback()->can_serialize());
  const auto saved = a.unit->rollback()->save();
  const auto bytes = a.unit->rollback()->serialize(*saved);
  const auto first = run_on(a, 13, 30);
  EXPECT_EQ(a.unit->rollback()->serialize(*saved), bytes) << "a snapshot does not change";

  const auto initialised = make<OneMass>("OneMass");
  initialised.initialize(0, 1e-8);
  initialised.unit->rollback()->restore(*initialised.unit->rollback()->deserialize(bytes));
  EXPECT_EQ(run_on(initialised, 13, 30), first);

  const auto fresh = make<OneMass>("OneMass");
  const auto read = fresh.unit->rollback()->deserialize(bytes);
  fresh.unit->rollback()->restore(*read);
  EXPECT_EQ(run_on(fresh, 13, 30), first);
}

TEST_P(AdaptedUnit, RefusesDamagedStatesAndThoseOfOtherSolvers) {
  if (is_fmi1()) GTEST_SKIP() << "FMI 1.0 cannot save the states of an instance";
  const auto a = make<OneMass>("OneMass");
  a.initialize();
  a.unit->step({0, 0.1});
  const auto bytes = a.unit->rollback()->serialize(*a.unit->rollback()->save());
  const auto take = [&](const Adapted& by, std::span<const std::uint8_t> from) {
    by.unit->rollback()->restore(*by.unit->rollback()->deserialize(from));
  };
  EXPECT_THROW(take(a, {}), Error);
  EXPECT_THROW(take(a, std::span(bytes).first(20)), Error);
  EXPECT_THROW(take(a, std::span(bytes).first(bytes.size() - 1)), Error);
  const auto other = make<OneMass>("OneMass", {.solver = "dopri5"});
  other.initialize();
  EXPECT_THROW(take(other, bytes), Error);
}

// --- derivatives -----------------------------------------------------------------------------------------------------

TEST_P(AdaptedUnit, TellsTheDerivativesOfItsOutputs) {
  const auto a = make<OneMass>("OneMass");
  ASSERT_EQ(a.unit->output_order(), 1);
  a.initialize();
  a.set_value("force", 1.0);
  a.set_derivatives("force", {2, 3, 4});
  a.unit->step({0, 0.25});
  const std::array<ValueReference, 2> outputs{a.reference("x"), a.reference("v")};
  const std::array<std::int32_t, 2> orders{1, 1};
  std::array<double, 2> values{};
  a.unit->get_output_derivatives(outputs, orders, values);
  EXPECT_NEAR(values[0], a.value("v"), 1e-8);
  EXPECT_NEAR(values[1], a.value("der(v)"), 1e-8);
  const std::array<std::int32_t, 2> second{1, 2};
  EXPECT_THROW(a.unit->get_output_derivatives(outputs, second, values), Error);
}

TEST_P(AdaptedUnit, TellsHowTheEndOfAStepFollowsItsInputs) {
  const auto a = make<OneMass>("OneMass");
  a.initialize();
  ASSERT_NE(a.unit->step_derivatives(), nullptr);
  const std::array<ValueReference, 2> unknowns{a.reference("x"), a.reference("v")};
  const std::array<ValueReference, 1> knowns{a.reference("force")};
  const std::array<double, 1> seed{2};
  std::array<double, 2> sensitivity{};
  EXPECT_THROW(a.unit->step_derivatives()->step_directional(unknowns, knowns, seed, sensitivity), Error);
  // Linear: the response to a force of 2 from rest.
  const double h = 0.3;
  const auto moved = oscillation(h, [](double) { return 2.0; });
  const auto still = oscillation(h, [](double) { return 0.0; });
  for (int i = 0; i < 3; ++i) {
    a.set_value("force", std::cos(h * i));
    a.set_derivatives("force", {1, 2, 3});
    a.unit->step({h * i, h});
    const double x = a.value("x");
    a.unit->step_derivatives()->step_directional(unknowns, knowns, seed, sensitivity);
    EXPECT_NEAR(sensitivity[0], moved[0] - still[0], 1e-6);
    EXPECT_NEAR(sensitivity[1], moved[1] - still[1], 1e-6);
    EXPECT_EQ(a.value("x"), x) << "the unit has not moved";
  }
}

// The flight of a ball, with events handled inside steps or by the caller after stop_at_event.
struct Flight {
  std::vector<Time> events{};
  std::vector<double> heights{};
};
Flight fly(const Adapted& a, bool stops) {
  a.initialize();
  Flight flight;
  for (int i = 0; i < 20; ++i) {
    const Time end = 0.1 * (i + 1);
    for (Time t = 0.1 * i; t < end - 1e-12;) {
      const auto outcome = a.unit->step({t, end - t, false, stops});
      t = outcome.reached;
      if (a.unit->events_in_step().count > 0) flight.events.push_back(a.unit->events_in_step().first);
      if (outcome.why != Why::event) continue;
      EXPECT_TRUE(stops);
      flight.events.push_back(t);
      EXPECT_NEAR(a.value("h"), 0, 1e-9) << "before the event is handled";
      EXPECT_LT(a.value("v"), 0);
      a.unit->events()->enter_event_mode();
      EXPECT_FALSE(settle(*a.unit->events(), a.unit->name(), t).terminate);
      EXPECT_GE(a.value("v"), 0);
    }
    flight.heights.push_back(a.value("h"));
  }
  return flight;
}

TEST_P(AdaptedUnit, FliesAsFarWhereItStopsAtEventsAsWhereItHandlesThem) {
  const auto inside = fly(make<BouncingBall>("BouncingBall"), false);
  const auto stopped = fly(make<BouncingBall>("BouncingBall"), true);
  const double fall = std::sqrt(2 / 9.81);
  EXPECT_NEAR(stopped.events.at(0), fall, 1e-7);
  EXPECT_NEAR(stopped.events.at(1), fall * (1 + 2 * 0.7), 1e-6);
  // The solver steps differ because the rest of a step after an event is a separate step.
  EXPECT_THAT(stopped.events, testing::Pointwise(testing::DoubleNear(1e-6), inside.events));
  EXPECT_THAT(stopped.heights, testing::Pointwise(testing::DoubleNear(1e-6), inside.heights));
}

TEST_P(AdaptedUnit, HandsOutAndTakesValuesInEventMode) {
  const auto a = make<BouncingBall>("BouncingBall");
  a.initialize();
  if (a.unit->description().version == describe::FmiVersion::v1) GTEST_SKIP() << "no parameter can be set then";
  const auto outcome = a.unit->step({0, 1, true, true});
  ASSERT_EQ(outcome.why, Why::event);
  a.unit->events()->enter_event_mode();
  a.set_value("e", 0.5);
  const double v = a.value("v");
  EXPECT_LT(v, 0);
  const auto update = a.unit->events()->update();
  EXPECT_FALSE(update.repeat);
  EXPECT_NEAR(a.value("v"), -0.5 * v, 1e-12) << "with the parameter set in event mode";
  a.unit->events()->leave_event_mode();
  EXPECT_NEAR(a.value("v"), -0.5 * v, 1e-12);
  EXPECT_TRUE(a.unit->step({outcome.reached, 0.1}).completed());
  EXPECT_EQ(a.unit->events_in_step().count, 0U) << "the parameter does not count as an event of the next step";
}

TEST_P(AdaptedUnit, GoesBackFromAnEventThatItStoppedAt) {
  const auto a = make<BouncingBall>("BouncingBall");
  a.initialize();
  if (a.unit->rollback() == nullptr) GTEST_SKIP() << "cannot go back";
  a.unit->step({0, 0.3, true});
  const auto before = a.unit->rollback()->save();
  const auto first = a.unit->step({0.3, 0.3, true, true});
  ASSERT_EQ(first.why, Why::event);
  const auto at_event = a.unit->rollback()->save();
  a.unit->events()->enter_event_mode();
  EXPECT_THROW(a.unit->rollback()->save(), Error);
  a.unit->rollback()->restore(*before);
  const auto second = a.unit->step({0.3, 0.3, true, true});
  EXPECT_EQ(second.reached, first.reached);
  EXPECT_EQ(second.why, Why::event);
  a.unit->rollback()->restore(*at_event);
  a.unit->events()->enter_event_mode();
  settle(*a.unit->events(), a.unit->name(), first.reached);
  EXPECT_TRUE(a.unit->step({first.reached, 0.3, false, true}).completed());
  EXPECT_GT(a.value("h"), 0.5 * 0.3 * 0.3);
}

TEST_P(AdaptedUnit, SaysThatAStepWithAnEventHasNoDerivatives) {
  const auto a = make<BouncingBall>("BouncingBall");
  a.initialize();
  a.unit->step({0, 1});
  const std::array<ValueReference, 1> unknowns{a.reference("h")};
  std::array<double, 1> sensitivity{};
  EXPECT_THROW(a.unit->step_derivatives()->step_directional(unknowns, {}, {}, sensitivity), Error);
}

TEST_P(AdaptedUnit, ComputesDerivativesWithoutDisturbingTheRun) {
  const auto quiet = make<OneMass>("OneMass");
  const auto asked = make<OneMass>("OneMass");
  for (const auto* a : {&quiet, &asked}) a->initialize();
  const std::array<ValueReference, 1> unknowns{asked.reference("v")};
  const std::array<ValueReference, 1> knowns{asked.reference("force")};
  const std::array<double, 1> seed{1};
  const std::array<std::int32_t, 1> orders{1};
  std::array<double, 1> result{};
  for (int i = 0; i < 20; ++i) {
    const auto expected = run_on(quiet, i, i + 1);
    EXPECT_EQ(run_on(asked, i, i + 1), expected);
    asked.unit->get_output_derivatives(unknowns, orders, result);
    asked.unit->derivatives()->directional(unknowns, knowns, seed, result);
    EXPECT_NEAR(result[0], 0, 1e-12) << "a velocity does not respond to a force without a step";
    if (i % 5 != 0) asked.unit->step_derivatives()->step_directional(unknowns, knowns, seed, result);
  }
}

// --- the hot path ----------------------------------------------------------------------------------------------------

TEST_P(AdaptedUnit, AllocatesNothingInItsSteps) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "under a sanitizer FMUs are not bound deeply, so that what they allocate themselves counts, too";
#endif
  const auto a = make<OneMass>("OneMass");
  a.initialize(0, 1e-6);
  auto* const rollback = a.unit->rollback();
  std::unique_ptr<Snapshot> saved;
  const auto in = a.signals({"force"});
  const auto out = a.signals({"x", "v"});
  Columns force = in.make_columns();
  Columns result = out.make_columns();
  const std::array<ValueReference, 1> references{a.reference("force")};
  const std::array<std::int32_t, 1> orders{1};
  const auto on = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      force.column<double>()[0] = i % 7 == 0 ? 5.0 : std::sin(0.1 * i);
      const std::array<double, 1> slopes{std::cos(0.1 * i)};
      a.unit->set(in, force);
      a.unit->set_input_derivatives(references, orders, slopes);
      if (rollback != nullptr) saved = rollback->save(std::move(saved));
      a.unit->step({0.1 * i, 0.1, true});
      if (rollback != nullptr && i % 3 == 0) {
        rollback->restore(*saved);
        a.unit->step({0.1 * i, 0.1, true});
      }
      a.unit->get(out, result);
    }
  };
  on(0, 50);
  const auto before = allocations();
  on(50, 150);
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace consort::unit
