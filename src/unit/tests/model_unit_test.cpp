// Tests that need a native test model: number of calls, inputs of every type, names in failures.
#include "unit/model_unit.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../models/bad.hpp"
#include "../../../models/feedthrough.hpp"
#include "unit/tests/adapted_units.hpp"

namespace consort::unit {
namespace {

using ::testing::HasSubstr;

// ẋ = u - x, y = x u; a switch turns the input off. Counts evaluations and events.
struct Counted {
  static inline int evaluations = 0;
  static inline int events = 0;
  static inline double spoilt_from = std::numeric_limits<double>::infinity();
  double u = 0;
  bool off = false;
  double x = 0, der_x = 0;
  double y = 0;
  std::int32_t edges = 0;
  bool was_off = false;

  static constexpr auto describe() {
    using M = Counted;
    using namespace consort::model;
    return declare({.description = "Counts", .stop_time = 1, .step = 0.1}, input<&M::u>("input"),
                   input<&M::off>("switch"), state<&M::x, &M::der_x>("state"), output<&M::y>("product"),
                   output<&M::edges>("times it was switched off").exact(),
                   local<&M::was_off>("memory of the switch").exact());
  }
  void derivatives(double t) {
    ++evaluations;
    der_x = t >= spoilt_from ? std::numeric_limits<double>::quiet_NaN() : (off ? 0 : u) - x;
  }
  void outputs() { y = x * u; }
  void event(consort::model::Event&) {
    ++events;
    if (off && !was_off) ++edges;
    was_off = off;
  }
};

Adapted make_counted() {
  Counted::spoilt_from = std::numeric_limits<double>::infinity();
  auto a = adapt_model<Counted>("Counted");
  a.initialize(0, 1e-6);
  return a;
}

struct Cost {
  int evaluations;
  int events;
};

Cost cost_of(const Adapted& a, const std::function<void(int)>& set_inputs) {
  Counted::evaluations = Counted::events = 0;
  for (int i = 0; i < 100; ++i) {
    set_inputs(i);
    a.unit->step({0.01 * i, 0.01});
  }
  return {Counted::evaluations, Counted::events};
}

TEST(ModelUnit, GoesOnWithoutANewStartWhenThePolynomialGoesOnSmoothly) {
  const auto smooth = make_counted();
  const auto gone_on = cost_of(smooth, [&](int i) {
    smooth.set_value("u", std::sin(0.01 * i));
    smooth.set_derivatives("u", {std::cos(0.01 * i), -std::sin(0.01 * i), -std::cos(0.01 * i)});
  });
  EXPECT_EQ(gone_on.events, 0);
  const auto held = make_counted();
  const auto jumping = cost_of(held, [&](int i) { held.set_value("u", std::sin(0.01 * i)); });
  EXPECT_EQ(jumping.events, 99) << "the first value is the start value";
  EXPECT_LT(2 * gone_on.evaluations, jumping.evaluations);
  EXPECT_NEAR(smooth.value("x"), (std::exp(-1) + std::sin(1) - std::cos(1)) / 2, 1e-6);
}

TEST(ModelUnit, NeedsNoEventForAnInputThatStaysAsItIs) {
  const auto a = make_counted();
  const auto cost = cost_of(a, [&](int) {
    a.set_value("u", 2.0);
    a.set_value("off", Bool(false));
  });
  EXPECT_EQ(cost.events, 1) << "the first jump only";
}

TEST(ModelUnit, ChangesDiscreteInputsInEventModeOnce) {
  const auto a = make_counted();
  a.set_value("u", 1.0);
  a.unit->step({0, 0.5});
  const double x = a.value("x");
  a.set_value("off", Bool(true));
  EXPECT_EQ(a.value<std::int32_t>("edges"), 1) << "read without a step";
  a.set_value("off", Bool(true));
  a.unit->step({0.5, 0.5});
  EXPECT_EQ(a.value<std::int32_t>("edges"), 1);
  EXPECT_NEAR(a.value("x"), x * std::exp(-0.5), 1e-6);
}

TEST(ModelUnit, SeesInputsMoveInTheDerivativesOfItsOutputs) {
  const auto a = make_counted();
  a.set_value("u", 1.0);
  a.set_derivatives("u", {2.0, 6.0});
  a.unit->step({0, 0.5});
  const double u = 1 + 2 * 0.5 + 3 * 0.25;
  const double x = a.value("x");
  const std::array<ValueReference, 1> y{a.reference("y")};
  const std::array<std::int32_t, 1> order{1};
  std::array<double, 1> value{};
  a.unit->get_output_derivatives(y, order, value);
  EXPECT_NEAR(value[0], (u - x) * u + x * (2 + 6 * 0.5), 1e-6);
  EXPECT_NEAR(a.value("y"), x * u, 1e-12);
}

TEST(ModelUnit, HasTheDerivativesOfOutputsWithFeedThrough) {
  const auto a = make_counted();
  a.set_value("u", 3.0);
  a.unit->step({0, 0.5});
  const std::array<ValueReference, 1> y{a.reference("y")};
  const std::array<ValueReference, 1> u{a.reference("u")};
  const std::array<double, 1> seed{1};
  std::array<double, 1> result{};
  a.unit->derivatives()->directional(y, u, seed, result);
  EXPECT_NEAR(result[0], a.value("x"), 1e-8);
  // At the end of a step, the state depends on the input as well.
  a.unit->step_derivatives()->step_directional(y, u, seed, result);
  EXPECT_NEAR(result[0], a.value("x") + 3 * (1 - std::exp(-0.5)), 1e-5);  // ten times the tolerance
}

TEST(ModelUnit, NamesUnitVariableAndTimeOfWhatIsNotANumber) {
  const auto a = make_counted();
  a.set_value("u", 1.0);
  a.unit->step({0, 0.5});
  Counted::spoilt_from = 0.75;
  try {
    a.unit->step({0.5, 0.5});
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::run);
    EXPECT_THAT(error.what(), HasSubstr("unit 'adapted'"));
    EXPECT_THAT(error.what(), HasSubstr("'x'"));
    EXPECT_THAT(error.what(), HasSubstr("t = 0.7"));
    EXPECT_EQ(error.unit(), "adapted");
    ASSERT_TRUE(error.time().has_value());
    EXPECT_GE(*error.time(), 0.5);
    EXPECT_LE(*error.time(), 0.75);
  }
  Counted::spoilt_from = std::numeric_limits<double>::infinity();
}

TEST(ModelUnit, NamesUnitFunctionAndTimeOfAFailure) {
  const auto a = adapt_model<Bad>("Bad");
  a.set_value("deed", EnumValue(4));  // returns an error
  a.set_value("when", 0.25);
  a.initialize();
  try {
    for (int i = 0; i < 10; ++i) a.unit->step({0.125 * i, 0.125});
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::run);
    EXPECT_THAT(error.what(), HasSubstr("unit 'adapted' (native model): completed failed at t = 0.2"));
    EXPECT_THAT(error.what(), HasSubstr("an error, as demanded"));
    EXPECT_EQ(error.unit(), "adapted");
    EXPECT_EQ(error.call(), "completed");
    ASSERT_TRUE(error.time().has_value());
    EXPECT_NEAR(*error.time(), 0.25, 0.125);  // in the step that contains this time
  }
}

TEST(ModelUnit, PassesEveryTypeThrough) {
  const auto a = adapt_model<Feedthrough>("Feedthrough");
  a.initialize();
  a.set_value("float64_in", 1.5);
  a.set_value("int8_in", std::int8_t{-5});
  a.set_value("uint64_in", std::uint64_t{1} << 60);
  a.set_value("boolean_in", Bool(true));
  a.set_value("string_in", std::string("two words"));
  a.set_value("binary_in", Binary{1, 0, 255});
  EXPECT_EQ(a.value("float64_out"), 1.5);
  EXPECT_EQ(a.value<std::int8_t>("int8_out"), -5);
  EXPECT_EQ(a.value<std::uint64_t>("uint64_out"), std::uint64_t{1} << 60);
  EXPECT_EQ(a.value<Bool>("boolean_out"), true);
  EXPECT_EQ(a.value<std::string>("string_out"), "two words");
  EXPECT_EQ(a.value<Binary>("binary_out"), (Binary{1, 0, 255}));
  a.set_value("string_in", std::string(1000, 'x'));
  EXPECT_THROW(static_cast<void>(a.value<std::string>("string_out")), Error) << "longer than the variable allows";
}

TEST(ModelUnit, ChangesSizesBeforeItIsInitialised) {
  const auto a = adapt_model<Feedthrough>("Feedthrough");
  const auto n = a.signals({"n"});
  Columns size = n.make_columns();
  size.column<std::uint64_t>().at(0) = 5;
  ASSERT_TRUE(a.unit->configure(n, size));
  a.initialize();
  const auto& d = a.unit->description();
  const std::array<std::uint64_t, 1> sizes{5};
  const std::array<describe::VariableId, 1> in{d.require_variable("sized_in")};
  const std::array<describe::VariableId, 1> out{d.require_variable("sized_out")};
  const describe::SignalSet to(d, in, sizes);
  const describe::SignalSet from(d, out, sizes);
  Columns values = to.make_columns();
  Columns result = from.make_columns();
  for (std::size_t i = 0; i < 5; ++i) values.column<double>()[i] = 10.0 + static_cast<double>(i);
  a.unit->set(to, values);
  a.unit->get(from, result);
  EXPECT_THAT(result.column<double>(), ::testing::ElementsAre(10, 11, 12, 13, 14));
}

}  // namespace
}  // namespace consort::unit
