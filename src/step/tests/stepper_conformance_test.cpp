// Requirements for every stepper, with one thread and with several, with every approximation up to order 2. New rows of
// the table are included automatically.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "solve/tests/allocations.hpp"
#include "step/tests/coupled_system.hpp"

namespace consort::step {
namespace {

using ::testing::HasSubstr;

const StepperRow& row_of(std::string_view name) {
  const auto rows = steppers();
  return *std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
}

class StepperConformance : public testing::TestWithParam<Choice> {
 protected:
  static int order() { return couple::find_approximation(GetParam().approximation).order(); }
};
INSTANTIATE_TEST_SUITE_P(Every, StepperConformance, testing::ValuesIn(stepper_choices()), [](const auto& choice) {
  const auto& c = choice.param;
  return test_name(std::string(c.stepper) + "_" + std::string(c.approximation) + "_" +
                   (c.threads > 1 ? "threads" : "serial"));
});

constexpr Duration h = 0.1;

// --- one step

TEST_P(StepperConformance, ReachesTheEndOfTheInterval) {
  Coupled s(two_masses(), GetParam());
  // The end differs from the sum t + h.
  const Time end = 0.3;
  ASSERT_NE(0.1 + 0.2, end);
  s.step(0.1);
  const auto outcome = s.stepper->step(*s.fleet, s.state, {0.1, 0.2, end});
  EXPECT_TRUE(outcome.completed());
  EXPECT_EQ(outcome.reached, end);
  EXPECT_EQ(s.state.t, end);
  EXPECT_EQ(s.state.steps, 2U);
  EXPECT_FALSE(s.state.stop.asked);
  EXPECT_EQ(s.state.control.accepted, 0U) << "steps are counted by controllers";
}

TEST_P(StepperConformance, StepsEveryUnitOnceOrAsOftenAsItSays) {
  Coupled s(two_masses(), GetParam());
  constexpr std::uint64_t steps = 7;
  for (std::uint64_t i = 0; i < steps; ++i) s.step(h);
  std::vector<std::uint64_t> expected(s.plan.units.size(), steps);
  const auto parts = s.stepper->iterated();
  ASSERT_EQ(parts.size(), s.state.tallies.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    EXPECT_EQ(s.state.tallies[p].steps, steps);
    EXPECT_EQ(s.state.tallies[p].for_jacobian, 0U);
    for (const auto& unit : parts[p].units) expected[s.plan.require_unit(unit)] = s.state.tallies[p].iterations;
  }
  for (std::size_t u = 0; u < expected.size(); ++u) EXPECT_EQ(s.probe(s.plan.units[u].name).steps, expected[u]);
}

TEST_P(StepperConformance, TellsUnitsWhenAndHowFarAndWhetherTheyMayGoBack) {
  for (const bool may_roll_back : {false, true}) {
    Coupled s(two_masses(), GetParam());
    s.step(h);
    s.step(2 * h, may_roll_back);
    // Iterated units roll back in any case.
    const auto parts = s.stepper->iterated();
    for (const auto& unit : s.plan.units) {
      const bool repeats = std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
        return std::find(part.units.begin(), part.units.end(), unit.name) != part.units.end();
      });
      const auto& last = s.probe(unit.name).last;
      EXPECT_EQ(last.t, h);
      EXPECT_DOUBLE_EQ(last.h, 2 * h);
      EXPECT_EQ(last.may_roll_back, may_roll_back || repeats) << unit.name;
    }
  }
}

TEST_P(StepperConformance, GivesTheNumbersOfOneThread) {
  auto alone = GetParam();
  alone.threads = 1;
  Coupled s(two_masses(), GetParam());
  Coupled reference(two_masses(), alone);
  for (int i = 0; i < 20; ++i) {
    s.step(h);
    reference.step(h);
    ASSERT_EQ(s.memory(), reference.memory()) << i;
  }
}

TEST_P(StepperConformance, OfASingleUnitIsThatUnitsStep) {
  Model model = two_masses();
  model.units.erase(model.units.begin() + 1, model.units.end());
  model.connections.clear();
  Coupled s(model, GetParam());
  unit::LinearUnit plain("left", with_clock(model.units.front().system));
  const describe::SignalSet outputs(plain.description(), s.plan.units[0].outputs.choice());
  Columns columns = outputs.make_columns();
  for (int i = 0; i < 10; ++i) {
    plain.step({s.state.t, h, false});
    plain.get(outputs, columns);
    s.step(h);
    // With input polynomials (order > 0) the unit computes differently, so results may differ by rounding.
    for (std::size_t k = 0; k < s.outputs().size(); ++k)
      ASSERT_NEAR(s.outputs()[k], columns.column<double>()[k], order() == 0 ? 0 : 1e-14);
  }
}

TEST_P(StepperConformance, AllocatesNothing) {
  Coupled s(two_masses(), GetParam());
  for (int i = 0; i < 10; ++i) s.step(h, true);
  const auto before = allocations();
  for (int i = 0; i < 20; ++i) s.step(h, true);
  EXPECT_EQ(allocations() - before, 0U);
}

// --- accuracy

// The largest error of x at t = 2.
double error_with(const Choice& choice, int steps) {
  Coupled s(two_masses(), choice);
  for (int i = 0; i < steps; ++i) s.step(2.0 / steps);
  unit::LinearUnit whole("whole", two_masses_as_one());
  for (int i = 0; i < 20; ++i) whole.step({0.1 * i, 0.1, false});
  const describe::SignalSet all(whole.description(), std::vector<describe::VariableId>{0, 1, 2, 3, 4});
  Columns exact = all.make_columns();
  whole.get(all, exact);
  double error = 0;
  for (std::size_t i = 0; i < exact.column<double>().size(); ++i)
    error = std::max(
        error, std::abs(s.output(std::string(whole.description()[all.choice()[i]].name)) - exact.column<double>()[i]));
  return error;
}

// Inputs of order k have errors proportional to power k + 1 of the step at any time, and so has the result.
TEST_P(StepperConformance, ConvergesWithTheOrderOfItsInputs) {
  const double coarse = error_with(GetParam(), 40), fine = error_with(GetParam(), 80),
               finest = error_with(GetParam(), 160);
  EXPECT_LT(coarse, 0.2);
  EXPECT_GT(std::log2(coarse / fine), order() + 1 - 0.25);
  EXPECT_GT(std::log2(fine / finest), order() + 1 - 0.15);
}

// With the same order of units (or no order), the order in which they are listed has no effect; iterations end within
// their tolerance.
TEST_P(StepperConformance, DoesNotDependOnHowUnitsAreListed) {
  Model turned = two_masses();
  std::rotate(turned.units.begin(), turned.units.begin() + 1, turned.units.end());
  const auto settings = settings_for(GetParam(), two_masses());
  Coupled a(two_masses(), settings, GetParam().threads);
  Coupled b(turned, settings, GetParam().threads);
  const double tolerance = row_of(GetParam().stepper).reads.iteration ? 1e-8 : 0;
  for (int i = 0; i < 20; ++i) {
    a.step(h);
    b.step(h);
    for (const char* const output : {"left.x", "left.v", "right.x", "watch.y"})
      ASSERT_NEAR(a.output(output), b.output(output), tolerance) << output << " after step " << i;
  }
}

// --- failures

TEST_P(StepperConformance, EndsTheStepOfAllWhenAUnitAsksToEndTheRun) {
  Coupled s(two_masses(), GetParam());
  const auto right = s.plan.require_unit("right");
  s.probe("right").on_step = [&](const auto& r) { return r.t > 0.15 ? unit::Why::terminate : unit::Why::completed; };
  EXPECT_TRUE(s.step(h).completed());
  EXPECT_TRUE(s.step(h).completed());
  EXPECT_EQ(s.step(h).why, unit::Why::terminate);
  EXPECT_TRUE(s.state.stop.asked);
  EXPECT_EQ(s.state.stop.unit, right);
  EXPECT_EQ(s.state.stop.at, s.state.t);
  EXPECT_EQ(s.state.steps, 3U);
  for (const auto& unit : s.plan.units) EXPECT_EQ(s.probe(unit.name).last.t + h, s.state.t) << unit.name;
}

TEST_P(StepperConformance, NamesAUnitThatFails) {
  Coupled s(two_masses(), GetParam());
  s.step(h);
  s.probe("right").on_step = [](const auto& r) -> unit::Why {
    throw run_error("unit 'right': out of oil").in_unit("right").at(r.t);
  };
  try {
    s.step(h);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::run);
    EXPECT_EQ(e.unit(), "right");
    EXPECT_EQ(e.time(), h);
    EXPECT_THAT(e.what(), HasSubstr("out of oil"));
  }
  EXPECT_EQ(s.state.t, h);
  EXPECT_EQ(s.state.steps, 1U);
}

// Units that discard long steps are given shorter ones; units that are solved exactly have the same result.
TEST_P(StepperConformance, GoesOnWhereAUnitDiscardsSteps) {
  Coupled s(two_masses(), GetParam());
  Coupled undisturbed(two_masses(), GetParam());
  s.probe("right").on_step = [](const auto& r) { return r.h > 0.06 ? unit::Why::discarded : unit::Why::completed; };
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(s.step(h).completed());
    undisturbed.step(h);
    for (std::size_t k = 0; k < s.outputs().size(); ++k)
      ASSERT_NEAR(s.outputs()[k], undisturbed.outputs()[k], 1e-9) << "rounding and iteration errors";
  }
  EXPECT_GT(s.fleet->counts(s.plan.require_unit("right")).discarded, 0U);
  EXPECT_EQ(s.state.steps, 10U);
}

}  // namespace
}  // namespace consort::step
