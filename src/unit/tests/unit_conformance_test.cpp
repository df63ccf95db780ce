// Requirements of unit.hpp for every unit; add a row in every_unit.hpp for a new unit. Capabilities decide which tests
// apply. Saved states and derivatives are tested in unit_states_conformance_test.cpp and
// unit_derivatives_conformance_test.cpp.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/tests/every_unit.hpp"

namespace consort::unit {
namespace {

using ::testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(Every, UnitConformance, ::testing::ValuesIn(unit_kinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

// --- life ------------------------------------------------------------------------------------------------------------

TEST_P(UnitConformance, HasANameAndOneDescriptionForLife) {
  const auto a = make();
  EXPECT_EQ(a.unit->name(), "adapted");
  const auto* const description = &a.unit->description();
  const auto causality = [&](const char* name) {
    return (*description)[description->require_variable(name)].causality;
  };
  EXPECT_EQ(causality("u"), describe::Causality::input);
  EXPECT_EQ(causality("x"), describe::Causality::output);
  EXPECT_EQ(causality("y"), describe::Causality::output);
  start(a);
  run_lag(a, 0, 3);
  EXPECT_EQ(&a.unit->description(), description);
}

TEST_P(UnitConformance, TakesParametersBeforeItIsInitialised) {
  const auto a = make();
  if (a.unit->description().find("d") == describe::no_variable) GTEST_SKIP() << "no parameters";
  a.set_value("d", 0.25);
  a.set_value("u", 2.0);
  start(a);
  EXPECT_EQ(a.value("y"), 1.5);
}

TEST_P(UnitConformance, TakesInputsInInitializationMode) {
  const auto a = make();
  a.unit->enter_initialization({0, {}, 1e-8});
  a.set_value("u", 2.0);
  finish_initialization(a);
  EXPECT_EQ(a.value("u"), 2);
  EXPECT_EQ(a.value("x"), 1);
  EXPECT_EQ(a.value("y"), 2) << "y has direct feed-through";
}

TEST_P(UnitConformance, StartsAtAnyTime) {
  const auto a = make();
  start(a, 5);
  a.set_value("u", 0.0);
  const auto outcome = a.unit->step({5, 0.1});
  EXPECT_TRUE(outcome.completed());
  EXPECT_EQ(outcome.reached, 5.1);
  EXPECT_NEAR(a.value("x"), std::exp(-0.1), accuracy());
}

TEST_P(UnitConformance, TerminatesWithAndWithoutSteps) {
  const auto still = make_started();
  still.unit->terminate();
  const auto moved = make_started();
  run_lag(moved, 0, 3);
  const double x = moved.value("x");
  moved.unit->terminate();
  EXPECT_EQ(moved.value("x"), x) << "values can be read after the end";
}

TEST_P(UnitConformance, CanWhatItCanAllItsLife) {
  const auto a = make();
  const auto abilities = [&] {
    auto& u = *a.unit;
    return std::vector{u.rollback() != nullptr,         u.events() != nullptr, u.derivatives() != nullptr,
                       u.step_derivatives() != nullptr, u.variable_step(),     u.can_reject_steps(),
                       u.responds_without_step(),       u.input_order() > 0,   u.output_order() > 0};
  };
  const auto made = abilities();
  start(a);
  EXPECT_EQ(abilities(), made);
  run_lag(a, 0, 2);
  EXPECT_EQ(abilities(), made);
}

// --- values ----------------------------------------------------------------------------------------------------------

// Returns a value that differs for every element and is in the range of the type; enumerations have three items.
template <class T>
T sample(std::size_t i) {
  if constexpr (std::is_same_v<T, std::string>) return "text " + std::to_string(i);
  if constexpr (std::is_same_v<T, Binary>) return {1, 0, static_cast<std::uint8_t>(i)};
  if constexpr (std::is_same_v<T, Bool>) return Bool(i % 2 == 0);
  if constexpr (std::is_same_v<T, EnumValue>) return EnumValue(static_cast<std::int64_t>(i % 3 + 1));
  if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(i + 1);
  return T{};
}

describe::SignalSet inputs_of(const Unit& unit) {
  std::vector<describe::VariableId> choice;
  const auto& variables = unit.description().variables;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].causality == describe::Causality::input) choice.push_back(static_cast<describe::VariableId>(i));
  }
  return {unit.description(), choice};
}

Columns samples_for(const describe::SignalSet& signals, std::size_t margin = 0) {
  Columns values = signals.make_columns();
  for_each_type([&]<class T>() {
    auto& column = values.column<T>();
    column.resize(column.size() + 2 * margin);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = sample<T>(i);
  });
  return values;
}

// Returns the elements of the signals from larger columns; every type begins at `first`.
Columns part_of(const Columns& values, const describe::SignalSet& signals, std::size_t first) {
  Columns part;
  for (const auto& group : signals.groups()) {
    with_type(group.type, [&]<class T>() {
      const auto begin = values.column<T>().begin() + static_cast<std::ptrdiff_t>(first);
      part.column<T>().assign(begin, begin + static_cast<std::ptrdiff_t>(group.elements()));
    });
  }
  return part;
}

void expect_equal(const Columns& a, const Columns& b) {
  for_each_type([&]<class T>() { EXPECT_EQ(a.column<T>(), b.column<T>()) << name_of(type_of<T>); });
}

// Makes Feedthrough (all types) if the row supports it, otherwise LinearUnit; in initialization mode, in which all
// variables may be set.
Adapted widest(const UnitKind& kind) {
  auto a = kind.make("Feedthrough");
  if (!a.unit) a = kind.make("LinearUnit");
  a.unit->enter_initialization({0, {}, 1e-8});
  return a;
}

TEST_P(UnitConformance, HandsOutTheInputsThatWereSet) {
  const auto a = widest(GetParam());
  const auto signals = inputs_of(*a.unit);
  Columns values = samples_for(signals);
  const Columns given = values;
  a.unit->set(signals, values);
  expect_equal(values, given);
  finish_initialization(a);
  Columns read = signals.make_columns();
  a.unit->get(signals, read);
  expect_equal(read, given);
  ASSERT_TRUE(a.unit->step({0, 0.1}).completed());
  a.unit->get(signals, read);
  expect_equal(read, given);
}

TEST_P(UnitConformance, SetsAPartAsItSetsTheWhole) {
  constexpr std::uint32_t margin = 3;
  describe::Offsets at;
  at.fill(margin);
  const auto a = widest(GetParam());
  const auto signals = inputs_of(*a.unit);
  Columns large = samples_for(signals, margin);
  const Columns given = large;
  a.unit->set_part(signals, large, at);
  expect_equal(large, given);
  finish_initialization(a);
  Columns read = signals.make_columns();
  a.unit->get(signals, read);
  expect_equal(read, part_of(given, signals, margin));
}

TEST_P(UnitConformance, GetsAPartAndLeavesWhatIsAroundItAlone) {
  constexpr std::uint32_t margin = 2;
  describe::Offsets at;
  at.fill(margin);
  const auto a = widest(GetParam());
  const auto signals = inputs_of(*a.unit);
  Columns values = signals.make_columns();
  a.unit->set(signals, values);
  finish_initialization(a);
  a.unit->get(signals, values);
  Columns large = samples_for(signals, margin);
  Columns expected = large;
  for (const auto& group : signals.groups()) {
    with_type(group.type, [&]<class T>() {
      std::copy_n(values.column<T>().begin(), group.elements(), expected.column<T>().begin() + margin);
    });
  }
  a.unit->get_part(signals, large, at);
  expect_equal(large, expected);
}

TEST_P(UnitConformance, ReadsAndWritesNothingWhenNothingIsChosen) {
  const auto a = make_started();
  Columns none;
  a.unit->get({}, none);
  a.unit->set({}, none);
  a.unit->get_part({}, none, {});
  a.unit->set_part({}, none, {});
  EXPECT_EQ(a.value("x"), 1);
}

TEST_P(UnitConformance, AnswersWithoutAStepWhenItSaysSo) {
  const auto a = make_started();
  if (!a.unit->responds_without_step()) GTEST_SKIP() << "outputs belong to the end of the last step";
  run_lag(a, 0, 3);
  const double x = a.value("x");
  a.set_value("u", 7.0);
  EXPECT_NEAR(a.value("y"), x + 3.5, 1e-14);  // rounding
  EXPECT_EQ(a.value("x"), x);
  a.set_value("u", -1.0);
  EXPECT_NEAR(a.value("y"), x - 0.5, 1e-14);
}

// --- steps -----------------------------------------------------------------------------------------------------------

TEST_P(UnitConformance, CompletesStepsAndReportsWhereTheyEnd) {
  const auto a = make_started();
  double x = 1;
  for (int i = 0; i < 20; ++i) {
    const double u = i % 4 == 0 ? 1.5 : -0.5;
    a.set_value("u", u);
    const auto outcome = a.unit->step({0.1 * i, 0.1});
    ASSERT_EQ(outcome.why, Why::completed);
    EXPECT_EQ(outcome.reached, 0.1 * i + 0.1);
    x = exact_lag(x, std::array{u}, 0.1);
    EXPECT_NEAR(a.value("x"), x, accuracy());
    EXPECT_NEAR(a.value("y"), x + 0.5 * u, accuracy());
  }
}

TEST_P(UnitConformance, HoldsItsInputsUntilTheyAreSetAnew) {
  const auto a = make_started();
  a.set_value("u", 3.0);
  for (int i = 0; i < 5; ++i) a.unit->step({0.1 * i, 0.1});
  EXPECT_EQ(a.value("u"), 3);
  EXPECT_NEAR(a.value("x"), exact_lag(1, std::array{3.0}, 0.5), 3 * accuracy());  // the input has magnitude 3
}

TEST_P(UnitConformance, ComesToTheSameInTwoHalfSteps) {
  const auto whole = make_started();
  const auto halves = make_started();
  if (!whole.unit->variable_step()) GTEST_SKIP() << "takes steps of one length only";
  for (const auto* const a : {&whole, &halves}) a->set_value("u", 2.0);
  whole.unit->step({0, 0.1});
  halves.unit->step({0, 0.04});
  halves.unit->step({0.04, 0.06});
  EXPECT_NEAR(whole.value("x"), halves.value("x"), 2 * accuracy());
  EXPECT_NEAR(whole.value("y"), halves.value("y"), 2 * accuracy());
}

TEST_P(UnitConformance, SharesNothingWithAnotherUnitOfTheSameKind) {
  const auto a = make_started();
  const auto b = make_started();
  const auto alone = run_lag(a, 0, 10);
  run_lag(b, 0, 3);
  EXPECT_EQ(a.value("x"), alone[alone.size() - 2]);
}

TEST_P(UnitConformance, RepeatsTheSameNumbersInAnotherUnit) {
  EXPECT_EQ(run_lag(make_started(), 0, 30), run_lag(make_started(), 0, 30));
}

TEST_P(UnitConformance, EndsWhereTheModelAsksTo) {
  const auto a = make("Stair");
  if (!a.unit) GTEST_SKIP() << "no model that ends";
  if (needs_event_mode(a)) GTEST_SKIP() << "ends in event mode";
  a.set_value("last", std::int32_t{3});
  start(a);
  StepOutcome outcome;
  for (int i = 0; i < 20 && outcome.completed(); ++i) outcome = a.unit->step({0.25 * i, 0.25});
  // An FMI 1.0 co-simulation FMU can only discard the step.
  const bool is_told = !is_co_simulation() || a.unit->description().version != describe::FmiVersion::v1;
  EXPECT_EQ(outcome.why, is_told ? Why::terminate : Why::discarded);
  EXPECT_NEAR(outcome.reached, 3, 1e-9);  // accuracy of event location
  EXPECT_EQ(a.value<std::int32_t>("counter"), 4);
  a.unit->terminate();
}

TEST_P(UnitConformance, TriesADiscardedStepAgainWhenItSaysSo) {
  const auto a = make("Bad");
  if (!a.unit || !a.unit->can_reject_steps()) GTEST_SKIP() << "a discarded step is not taken back";
  const auto b = make("Bad");
  for (const auto* const unit : {&a, &b}) {
    unit->set_value("deed", EnumValue(6));  // discards steps that are too long
    unit->set_value("when", 0.0);
    unit->set_value("longest_step", 0.01);
    start(*unit);
    unit->set_value("u", 2.0);
  }
  EXPECT_TRUE(a.unit->step({0, 0.01, true}).completed());
  EXPECT_TRUE(b.unit->step({0, 0.01, true}).completed());
  const auto outcome = a.unit->step({0.01, 0.5, true});
  EXPECT_EQ(outcome.why, Why::discarded);
  EXPECT_LE(outcome.reached, 0.51);
  EXPECT_TRUE(a.unit->step({0.01, 0.01, true}).completed());
  EXPECT_TRUE(b.unit->step({0.01, 0.01, true}).completed());
  EXPECT_EQ(a.value("y"), b.value("y")) << "as if the rejected step had not been tried";
}

// --- events ----------------------------------------------------------------------------------------------------------

TEST_P(UnitConformance, SettlesInEventModeAndGoesOn) {
  const auto a = make("Stair");
  if (!a.unit || a.unit->events() == nullptr) GTEST_SKIP() << "no event mode";
  auto& events = *a.unit->events();
  start(a);
  EXPECT_TRUE(a.unit->step({0, 0.5, false, true}).completed());
  const auto stopped = a.unit->step({0.5, 0.5, false, true});
  EXPECT_EQ(stopped.why, Why::event);
  EXPECT_EQ(stopped.reached, 1);
  EXPECT_EQ(a.value<std::int32_t>("counter"), 1) << "the event has not been handled yet";
  events.enter_event_mode();
  const auto outcome = settle(events);
  EXPECT_FALSE(outcome.terminate);
  EXPECT_EQ(outcome.next_event, std::optional<Time>(2));
  EXPECT_EQ(a.value<std::int32_t>("counter"), 2);
  EXPECT_TRUE(a.unit->step({1, 0.5, false, true}).completed());
}

TEST_P(UnitConformance, AsksForTheEndInEventMode) {
  const auto a = make("Stair");
  if (!a.unit || a.unit->events() == nullptr) GTEST_SKIP() << "no event mode";
  a.set_value("last", std::int32_t{1});
  start(a);
  ASSERT_EQ(a.unit->step({0, 1, false, true}).why, Why::event);
  a.unit->events()->enter_event_mode();
  EXPECT_TRUE(a.unit->events()->update().terminate);
  a.unit->terminate();
}

TEST_P(UnitConformance, ChangesNothingInAnEventWithoutReason) {
  const auto a = make_started();
  if (a.unit->events() == nullptr) GTEST_SKIP() << "no event mode";
  const auto b = make_started();
  run_lag(a, 0, 3);
  run_lag(b, 0, 3);
  a.unit->events()->enter_event_mode();
  settle(*a.unit->events());
  const auto seen = run_lag(a, 3, 6);
  const auto expected = run_lag(b, 3, 6);
  // A solver restarts with different steps.
  const double near = needs_event_mode(a) ? 0 : 1e-6;
  EXPECT_THAT(seen, testing::Pointwise(testing::DoubleNear(near), expected));
}

TEST_P(UnitConformance, RefusesWhatBelongsToAnotherMode) {
  if (make().unit->events() == nullptr) GTEST_SKIP() << "no event mode";
  const auto updating = make_started();
  EXPECT_THAT(caught([&] { updating.unit->events()->update(); }).text, HasSubstr("'adapted'"));
  const auto leaving = make_started();
  EXPECT_THAT(caught([&] { leaving.unit->events()->leave_event_mode(); }).text, HasSubstr("'adapted'"));
  const auto stepping = make_started();
  stepping.unit->events()->enter_event_mode();
  EXPECT_THAT(caught([&] { stepping.unit->step({0, 0.1}); }).text, HasSubstr("'adapted'"));
}

// --- mistakes --------------------------------------------------------------------------------------------------------

TEST_P(UnitConformance, NamesItselfWhenTheModelFails) {
  const auto a = make("Bad");
  if (!a.unit) GTEST_SKIP() << "no model that fails";
  a.set_value("deed", EnumValue(4));  // returns an error
  a.set_value("when", 0.25);
  start(a);
  const auto error = caught([&] {
    for (int i = 0; i < 10; ++i) a.unit->step({0.125 * i, 0.125});
  });
  EXPECT_EQ(error.fault, Fault::run);
  EXPECT_THAT(error.text, HasSubstr("'adapted'"));
  EXPECT_THAT(error.text, HasSubstr("an error, as demanded"));
}

TEST_P(UnitConformance, RefusesStepsThatLeadNowhere) {
  for (const Duration h : {0.0, -0.1, std::numeric_limits<double>::quiet_NaN()}) {
    const auto a = make_started();
    EXPECT_THAT(caught([&] { a.unit->step({0, h}); }).text, HasSubstr("'adapted'")) << h;
  }
}

TEST_P(UnitConformance, RefusesToSetAnOutputOnceItRuns) {
  const auto a = make_started();
  if (dynamic_cast<LambdaUnit*>(a.unit.get()) != nullptr) GTEST_SKIP() << "all variables are the test's own";
  EXPECT_THAT(caught([&] { a.set_value("y", 1.0); }).text, HasSubstr("'adapted'"));
}

TEST_P(UnitConformance, RefusesToRunBeforeItIsInitialised) {
  if (dynamic_cast<LambdaUnit*>(make().unit.get()) != nullptr) GTEST_SKIP() << "has no initialization";
  if (dynamic_cast<LinearUnit*>(make().unit.get()) != nullptr) GTEST_SKIP() << "has no initialization";
  const auto step = [](const Adapted& a) { a.unit->step({0, 0.1}); };
  const auto name_inputs = [](const Adapted& a) { a.set_derivatives("u", {1.0}); };
  const auto ask_slopes = [](const Adapted& a) {
    std::array<double, 1> slope{};
    a.unit->get_output_derivatives(std::array{a.reference("x")}, std::array<std::int32_t, 1>{1}, slope);
  };
  const auto refuses = [](const char* what, const auto& body) {
    const auto a = make();
    EXPECT_THAT(caught([&] { body(a); }).text, HasSubstr("'adapted'")) << what;
  };
  refuses("step", step);
  if (make().unit->input_order() > 0 && !is_co_simulation()) refuses("input derivatives", name_inputs);
  if (make().unit->output_order() > 0) refuses("output derivatives", ask_slopes);
}

}  // namespace
}  // namespace consort::unit
