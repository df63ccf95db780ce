// Requirements of unit.hpp for derivatives of inputs and outputs of every unit. Rows are in every_unit.hpp.
#include <algorithm>
#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/tests/every_unit.hpp"

namespace consort::unit {
namespace {

using ::testing::HasSubstr;

class UnitDerivativesConformance : public UnitConformance {};

INSTANTIATE_TEST_SUITE_P(Every, UnitDerivativesConformance, ::testing::ValuesIn(unit_kinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

// --- derivatives of inputs -------------------------------------------------------------------------------------------

TEST_P(UnitDerivativesConformance, FollowsPolynomialsOfEveryOrderItTakes) {
  const std::array<double, 4> u{1, 2, -3, 4};
  const int highest = make().unit->input_order();
  if (highest == 0) GTEST_SKIP() << "takes values only";
  for (int order = 0; order <= std::min(highest, 3); ++order) {
    const auto a = make_started();
    a.set_value("u", u[0]);
    a.set_derivatives("u", {u.begin() + 1, u.begin() + 1 + order});
    ASSERT_TRUE(a.unit->step({0, 0.1}).completed());
    const auto given = std::span(u).first(static_cast<std::size_t>(order) + 1);
    // The input has magnitude 10.
    EXPECT_NEAR(a.value("x"), exact_lag(1, given, 0.1), 10 * accuracy()) << order;
    double end = 0;
    for (int k = order; k >= 0; --k) end = u.at(static_cast<std::size_t>(k)) + end * 0.1 / (k + 1);
    EXPECT_NEAR(a.value("u"), end, 1e-14) << "at the end of the step, the input equals the end value of the polynomial";
  }
}

TEST_P(UnitDerivativesConformance, ForgetsDerivativesOfInputsAfterOneStep) {
  const auto a = make_started();
  if (a.unit->input_order() == 0) GTEST_SKIP() << "takes values only";
  a.set_value("u", 1.0);
  a.set_derivatives("u", {5.0});
  a.unit->step({0, 0.1});
  const double x = a.value("x");
  a.set_value("u", 1.0);
  a.unit->step({0.1, 0.1});
  EXPECT_NEAR(a.value("x"), exact_lag(x, std::array{1.0}, 0.1), 2 * accuracy());
}

TEST_P(UnitDerivativesConformance, GivesNoDerivativesToInputsThatAreNotNamed) {
  const auto both = make_started("CoupledMass");
  if (!both.unit || both.unit->input_order() == 0) GTEST_SKIP() << "takes values only";
  const auto one = make_started("CoupledMass");
  for (const auto* const a : {&both, &one}) {
    a->set_value("x_other", 1.0);
    a->set_value("v_other", 2.0);
  }
  const std::array references{both.reference("x_other"), both.reference("v_other")};
  const std::array<std::int32_t, 2> orders{1, 1};
  both.unit->set_input_derivatives(references, orders, std::array{3.0, 4.0});
  both.unit->step({0, 0.1});
  both.unit->set_input_derivatives(std::span(references).first(1), std::span(orders).first(1), std::array{3.0});
  both.unit->step({0.1, 0.1});
  // 2 + 0.1 · 4 after the first step, unchanged after the second; tolerance for rounding.
  EXPECT_NEAR(both.value("v_other"), 2.4, 1e-14);
  EXPECT_NEAR(both.value("x_other"), 1.6, 1e-14);
}

TEST_P(UnitDerivativesConformance, RefusesDerivativesOfWhatIsNoInputAndOfOtherOrders) {
  const int highest = make().unit->input_order();
  if (highest == 0) GTEST_SKIP() << "takes values only";
  const auto refused = [&](ValueReference reference, std::int32_t order) {
    const auto a = make_started();
    const auto error =
        caught([&] { a.unit->set_input_derivatives(std::array{reference}, std::array{order}, std::array{1.0}); });
    EXPECT_THAT(error.text, HasSubstr("'adapted'"));
  };
  const ValueReference u = make().reference("u");
  refused(make().reference("x"), 1);
  refused(123456, 1);
  refused(u, highest + 1);
  refused(u, 0);
  refused(u, -1);
}

// --- derivatives of outputs ------------------------------------------------------------------------------------------

TEST_P(UnitDerivativesConformance, TellsTheSlopesOfItsOutputs) {
  const auto a = make_started();
  if (a.unit->output_order() == 0) GTEST_SKIP() << "tells no derivatives of outputs";
  a.set_value("u", 3.0);
  a.unit->step({0, 0.1});
  const double x = a.value("x");
  std::array<double, 2> slopes{};
  a.unit->get_output_derivatives(std::array{a.reference("x"), a.reference("y")}, std::array<std::int32_t, 2>{1, 1},
                                 slopes);
  // Differences, the least accurate method, have an error of the square root of the precision.
  EXPECT_NEAR(slopes[0], 3 - x, 1e-7);
  EXPECT_NEAR(slopes[1], 3 - x, 1e-7);
  EXPECT_EQ(a.value("x"), x) << "the unit has not moved";
}

TEST_P(UnitDerivativesConformance, RefusesSlopesOfAnOrderThatItDoesNotTell) {
  const int highest = make().unit->output_order();
  if (highest == 0) GTEST_SKIP() << "tells no derivatives of outputs";
  const auto a = make_started();
  a.unit->step({0, 0.1});
  std::array<double, 1> slope{};
  const auto error = caught([&] {
    a.unit->get_output_derivatives(std::array{a.reference("x")}, std::array<std::int32_t, 1>{highest + 1}, slope);
  });
  EXPECT_THAT(error.text, HasSubstr("'adapted'"));
}

TEST_P(UnitDerivativesConformance, TellsHowOutputsFollowInputsAtOnce) {
  const auto a = make_started();
  auto* const derivatives = a.unit->derivatives();
  if (derivatives == nullptr) GTEST_SKIP() << "no directional derivatives";
  run_lag(a, 0, 3);
  std::array<double, 2> result{};
  derivatives->directional(std::array{a.reference("y"), a.reference("x")}, std::array{a.reference("u")},
                           std::array{3.0}, result);
  EXPECT_NEAR(result[0], 1.5, 1e-8);  // accuracy of finite differences
  EXPECT_NEAR(result[1], 0, 1e-8);
}

TEST_P(UnitDerivativesConformance, TellsHowOutputsFollowInputsInInitializationMode) {
  const auto a = make();
  auto* const derivatives = a.unit->derivatives();
  if (derivatives == nullptr) GTEST_SKIP() << "no directional derivatives";
  a.unit->enter_initialization({0, {}, 1e-8});
  std::array<double, 1> result{};
  const auto ask = [&] {
    derivatives->directional(std::array{a.reference("y")}, std::array{a.reference("u")}, std::array{3.0}, result);
  };
  if (a.unit->description().version == describe::FmiVersion::v1) {
    EXPECT_THAT(caught(ask).text, HasSubstr("'adapted'")) << "FMI 1.0 has no initialization mode";
    return;
  }
  ask();
  EXPECT_NEAR(result[0], 1.5, 1e-8);  // accuracy of finite differences
}

TEST_P(UnitDerivativesConformance, AddsUpTheDirectionsOfSeveralInputs) {
  const auto a = make_started("CoupledMass");
  if (!a.unit || a.unit->derivatives() == nullptr) GTEST_SKIP() << "no directional derivatives, or one input only";
  std::array<double, 2> result{};
  a.unit->derivatives()->directional(std::array{a.reference("dv"), a.reference("dx")},
                                     std::array{a.reference("x_other"), a.reference("v_other")}, std::array{2.0, 3.0},
                                     result);
  EXPECT_NEAR(result[0], -3, 1e-8);  // accuracy of finite differences
  EXPECT_NEAR(result[1], -2, 1e-8);
}

TEST_P(UnitDerivativesConformance, RefusesDirectionsOfVariablesThatDoNotExist) {
  if (make().unit->derivatives() == nullptr) GTEST_SKIP() << "no directional derivatives";
  const ValueReference u = make().reference("u");
  const ValueReference y = make().reference("y");
  for (const auto& [unknown, known] : {std::pair<ValueReference, ValueReference>{123456, u}, {y, 123456}}) {
    const auto a = make_started();
    std::array<double, 1> result{};
    const auto error = caught([&, from = known, to = unknown] {
      a.unit->derivatives()->directional(std::array{to}, std::array{from}, std::array{1.0}, result);
    });
    EXPECT_THAT(error.text, HasSubstr("'adapted'"));
  }
}

TEST_P(UnitDerivativesConformance, TellsHowTheEndOfAStepFollowsItsInputs) {
  const auto a = make_started();
  auto* const derivatives = a.unit->step_derivatives();
  if (derivatives == nullptr) GTEST_SKIP() << "no derivatives of steps";
  const auto ask = [&] {
    std::array<double, 2> result{};
    derivatives->step_directional(std::array{a.reference("x"), a.reference("y")}, std::array{a.reference("u")},
                                  std::array{2.0}, result);
    return result;
  };
  const auto before = caught(ask);
  EXPECT_EQ(before.fault, Fault::run);
  EXPECT_THAT(before.text, HasSubstr("'adapted'"));
  run_lag(a, 0, 3);
  const double x = a.value("x");
  const auto result = ask();
  const double follows = 2 * (1 - std::exp(-0.1));
  EXPECT_NEAR(result[0], follows, 1e-6);  // integrated with a tolerance of 1e-8 and finite differences
  EXPECT_NEAR(result[1], follows + 1, 1e-6);
  EXPECT_EQ(a.value("x"), x) << "the unit has not moved";
}

TEST_P(UnitDerivativesConformance, GoesOnAsIfItHadNotBeenAskedForDerivatives) {
  const auto quiet = make_started();
  const auto asked = make_started();
  auto& unit = *asked.unit;
  const std::array y{asked.reference("y")};
  const std::array u{asked.reference("u")};
  std::array<double, 1> result{};
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(run_lag(asked, i, i + 1), run_lag(quiet, i, i + 1)) << i;
    if (unit.derivatives() != nullptr) unit.derivatives()->directional(y, u, std::array{1.0}, result);
    if (unit.step_derivatives() != nullptr && i % 5 != 0)
      unit.step_derivatives()->step_directional(y, u, std::array{1.0}, result);
    if (unit.output_order() > 0) unit.get_output_derivatives(y, std::array<std::int32_t, 1>{1}, result);
  }
}

}  // namespace
}  // namespace consort::unit
