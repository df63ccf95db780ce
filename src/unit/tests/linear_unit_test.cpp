#include "unit/linear_unit.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace consort::unit {
namespace {

LinearUnit oscillator(double w) {
  return {"oscillator", {{"f"}, {"x", "v"}, {1, 0}, {0, 1, -w * w, 0}, {0, 1}, {1, 0, 0, 1}}};
}

double value(LinearUnit& unit, describe::VariableId id) {
  const describe::SignalSet set(unit.description(), std::span(&id, 1));
  Columns columns = set.make_columns();
  unit.get(set, columns);
  return columns.column<double>().front();
}

TEST(LinearUnit, SolvesToMachinePrecisionWhateverTheStep) {
  auto unit = oscillator(40);
  unit.step({0, 3, false});
  // 120 rad: about 120 intervals, each with a rounding error.
  EXPECT_NEAR(value(unit, 1), std::cos(120), 1e-12);
  EXPECT_NEAR(value(unit, 2), -40 * std::sin(120), 1e-10);
}

TEST(LinearUnit, FollowsCubicInputsExactly) {
  LinearUnit unit("integrator", {{"u"}, {"y"}, {0}, {0}, {1}, {1}});
  const std::array<ValueReference, 3> u{0, 0, 0};
  const std::array<std::int32_t, 3> orders{1, 2, 3};
  const std::array<double, 3> derivatives{1, 2, 6};  // t + t² + t³
  unit.set_input_derivatives(u, orders, derivatives);
  unit.step({0, 2, false});
  EXPECT_NEAR(value(unit, 1), 2 + 8.0 / 3 + 4, 1e-13);
  EXPECT_NEAR(value(unit, 0), 2 + 4 + 8, 1e-13);
}

TEST(LinearUnit, GoesBackExactly) {
  auto unit = oscillator(7);
  unit.step({0, 0.3, false});
  const auto saved = unit.save(nullptr);
  unit.step({0.3, 0.1, true});
  const double once = value(unit, 1);
  unit.restore(*unit.deserialize(unit.serialize(*saved)));
  unit.step({0.3, 0.1, true});
  EXPECT_EQ(value(unit, 1), once);
}

TEST(LinearUnit, RefusesMatricesThatDoNotGoTogether) {
  EXPECT_THROW(LinearUnit("wrong", {{"u"}, {"y"}, {0}, {0}, {1, 2}, {1}}), Error);
}

}  // namespace
}  // namespace consort::unit
