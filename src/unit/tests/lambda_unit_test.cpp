#include "unit/lambda_unit.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace consort::unit {
namespace {

using ::testing::HasSubstr;

describe::SignalSet all_signals(const Unit& unit) {
  std::vector<describe::VariableId> choice(unit.description().variables.size());
  for (std::size_t i = 0; i < choice.size(); ++i) choice[i] = static_cast<describe::VariableId>(i);
  return {unit.description(), choice};
}

// Two values of every type, one of them at the limit of the range.
template <class T>
std::pair<T, T> samples() {
  if constexpr (std::is_same_v<T, std::string>) {
    return {"", std::string("a\0b and ü", 10)};
  } else if constexpr (std::is_same_v<T, Binary>) {
    return {Binary{}, Binary{0, 255, 10}};
  } else if constexpr (std::is_same_v<T, Bool> || std::is_same_v<T, Tick>) {
    return {T(false), T(true)};
  } else if constexpr (std::is_same_v<T, EnumValue>) {
    return {EnumValue(1), EnumValue(std::numeric_limits<std::int64_t>::min())};
  } else {
    return {T{3}, std::numeric_limits<T>::lowest()};
  }
}

template <class T>
class LambdaUnitOfType : public ::testing::Test {};
using Elements =
    ::testing::Types<float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                     std::int64_t, std::uint64_t, Bool, std::string, Binary, EnumValue, Tick>;
TYPED_TEST_SUITE(LambdaUnitOfType, Elements);

TYPED_TEST(LambdaUnitOfType, HandsOutWhatWasSetAndWhatItsStepMadeOfIt) {
  const auto [before, after] = samples<TypeParam>();
  LambdaUnit unit("copy");
  const auto u = unit.input<TypeParam>("u", before);
  const auto y = unit.output<TypeParam>("y", before);
  unit.on_step([=](LambdaUnit::Values& v, const StepRequest& r) {
    v[y] = v[u];
    return completed(r);
  });
  const auto signals = all_signals(unit);
  Columns values = signals.make_columns();
  unit.get(signals, values);
  EXPECT_EQ(values.column<TypeParam>()[1], before);

  values.column<TypeParam>()[0] = after;
  unit.set(signals, values);
  EXPECT_TRUE(unit.step({0, 0.1}).completed());
  unit.get(signals, values);
  EXPECT_EQ(values.column<TypeParam>()[1], after);
}

TYPED_TEST(LambdaUnitOfType, DescribesItsVariablesWithTypeAndStart) {
  const auto [before, after] = samples<TypeParam>();
  LambdaUnit unit("one");
  static_cast<void>(unit.parameter<TypeParam>("p", after));
  const auto& d = unit.description();
  const auto& v = d[d.require_variable("p")];
  EXPECT_EQ(v.type, type_of<TypeParam>);
  EXPECT_EQ(v.causality, describe::Causality::parameter);
  EXPECT_EQ(v.variability, describe::Variability::fixed);
  ASSERT_NE(d.start(v), nullptr);
  EXPECT_EQ(*d.start(v), Value::scalar<TypeParam>(after));
}

TYPED_TEST(LambdaUnitOfType, RollsBackExactly) {
  const auto [before, after] = samples<TypeParam>();
  LambdaUnit unit("state");
  const auto x = unit.local<TypeParam>("x", before);
  const TypeParam changed = after;
  unit.on_step([x, changed](LambdaUnit::Values& v, const StepRequest& r) {
    v[x] = changed;
    return completed(r);
  });
  const auto signals = all_signals(unit);
  Columns values = signals.make_columns();
  auto saved = unit.rollback()->save();
  unit.step({0, 1});
  unit.rollback()->restore(*saved);
  unit.get(signals, values);
  EXPECT_EQ(values.column<TypeParam>()[0], before);

  unit.step({0, 1});
  const auto* const kept = saved.get();
  saved = unit.rollback()->save(std::move(saved));
  EXPECT_EQ(saved.get(), kept) << "a snapshot passed as `reuse` is reused";
  unit.rollback()->restore(*saved);
  unit.get(signals, values);
  EXPECT_EQ(values.column<TypeParam>()[0], after);
}

TEST(LambdaUnit, RepeatsTheSameBitsAfterARollback) {
  LambdaUnit unit("chaos");
  const auto x = unit.output("x", 0.1234);
  unit.on_step([=](LambdaUnit::Values& v, const StepRequest& r) {
    v[x] = 3.99 * v[x] * (1 - v[x]) + 1e-3 * std::sin(r.t);
    return completed(r);
  });
  const auto run = [&] {
    for (int i = 0; i < 200; ++i) unit.step({0.1 * i, 0.1});
    const auto signals = all_signals(unit);
    Columns values = signals.make_columns();
    unit.get(signals, values);
    return values.column<double>()[0];
  };
  const auto saved = unit.rollback()->save();
  const double first = run();
  unit.rollback()->restore(*saved);
  EXPECT_EQ(run(), first);  // bit for bit: the logistic map amplifies a difference in the last bit
}

TEST(LambdaUnit, KeepsSeveralSnapshotsApart) {
  LambdaUnit unit("counter");
  const auto n = unit.local("n", std::int32_t{0});
  unit.on_step([=](LambdaUnit::Values& v, const StepRequest& r) {
    ++v[n];
    return completed(r);
  });
  const auto signals = all_signals(unit);
  Columns values = signals.make_columns();
  const auto at_0 = unit.rollback()->save();
  unit.step({0, 1});
  const auto at_1 = unit.rollback()->save();
  unit.step({1, 1});
  unit.rollback()->restore(*at_0);
  unit.rollback()->restore(*at_1);
  unit.get(signals, values);
  EXPECT_EQ(values.column<std::int32_t>()[0], 1);
}

TEST(LambdaUnit, InitializesAfterStartValuesAreSet) {
  LambdaUnit unit("sum");
  const auto p = unit.parameter("p", 1.0);
  const auto y = unit.output("y", 0.0);
  unit.on_initialize([=](LambdaUnit::Values& v) { v[y] = 10 * v[p]; });
  const auto signals = all_signals(unit);
  Columns values = signals.make_columns();
  values.column<double>()[0] = 4;
  unit.set(signals, values);
  unit.enter_initialization({0, 1.0, 1e-4});
  unit.exit_initialization();
  unit.get(signals, values);
  EXPECT_EQ(values.column<double>()[1], 40);
}

TEST(LambdaUnit, GoesOnFromItsStateAsBytes) {
  LambdaUnit unit("gain"), other("gain");
  for (auto* const u : {&unit, &other}) {
    const auto sum = u->output("sum", 0.0);
    const auto text = u->output("text", std::string("start"));
    u->on_step([=](LambdaUnit::Values& v, const StepRequest& r) {
      v[sum] += r.h;
      v[text] += '.';
      return completed(r);
    });
  }
  unit.step({0, 0.3, false});
  ASSERT_TRUE(unit.rollback()->can_serialize());
  const auto bytes = unit.rollback()->serialize(*unit.rollback()->save());
  other.rollback()->restore(*other.rollback()->deserialize(bytes));
  const auto signals = all_signals(other);
  Columns values = signals.make_columns();
  other.get(signals, values);
  EXPECT_EQ(values.column<double>()[0], 0.3);
  EXPECT_EQ(values.column<std::string>()[0], "start.");
  EXPECT_THROW(static_cast<void>(other.rollback()->deserialize({})), Error);
  EXPECT_THROW(static_cast<void>(other.rollback()->deserialize(std::span(bytes).first(bytes.size() - 1))), Error);
}

TEST(LambdaUnit, MixesTypesInOneSignalSetInTheOrderOfTheChoice) {
  LambdaUnit unit("mixed");
  static_cast<void>(unit.output("a", 1.5));
  static_cast<void>(unit.output("b", std::int32_t{7}));
  static_cast<void>(unit.output("c", 2.5));
  const auto& d = unit.description();
  const describe::VariableId choice[] = {d.require_variable("c"), d.require_variable("b"), d.require_variable("a")};
  const describe::SignalSet signals(d, choice);
  Columns values = signals.make_columns();
  unit.get(signals, values);
  EXPECT_THAT(values.column<double>(), ::testing::ElementsAre(2.5, 1.5));
  EXPECT_THAT(values.column<std::int32_t>(), ::testing::ElementsAre(7));
}

}  // namespace
}  // namespace consort::unit
