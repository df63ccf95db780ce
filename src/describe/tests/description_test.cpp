#include "describe/description.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "describe/tests/builder.hpp"

namespace consort::describe {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Description, FindsEveryOneOfManyVariablesByNameAndReference) {
  // Enough for long probe sequences in the hash tables.
  Builder b;
  constexpr std::uint32_t many = 5000;
  for (std::uint32_t i = 0; i < many; ++i) b.add("x[" + std::to_string(i) + "]", i * 4096);
  const Description d = b.finish();
  for (std::uint32_t i = 0; i < many; ++i) {
    ASSERT_EQ(d.find("x[" + std::to_string(i) + "]"), i);
    ASSERT_EQ(d.find(i * 4096, Type::Float64), i);
  }
  EXPECT_EQ(d.find("x[5000]"), no_variable);
  EXPECT_EQ(d.find(1, Type::Float64), no_variable);
}

TEST(Description, FindsNothingInADescriptionWithoutVariablesOrBeforeItIsFinished) {
  Builder b;
  EXPECT_EQ(b.raw().find("x"), no_variable);
  EXPECT_EQ(b.raw().find(0, Type::Float64), no_variable);
  const Description d = b.finish();
  EXPECT_EQ(d.find("x"), no_variable);
  EXPECT_EQ(d.find(""), no_variable);
  EXPECT_EQ(d.find(0, Type::Float64), no_variable);
}

TEST(Description, FindsTheFirstOfTwoVariablesWithOneName) {
  Builder b;
  b.add("x", 1);
  b.add("y", 2);
  b.add("x", 3);
  EXPECT_EQ(b.finish().find("x"), 0U);
}

TEST(Description, FindsAVariableByItsAliasUnlessAVariableHasThatName) {
  Builder b;
  b.add("x", 1);
  b.add("y", 2);
  b.alias(1, "speed");
  b.alias(1, "x");  // hidden by the variable
  const Description d = b.finish();
  EXPECT_EQ(d.find("speed"), 1U);
  EXPECT_EQ(d.find("x"), 0U);
}

TEST(Description, GivesEachTypeItsOwnReferencesInFmi1And2) {
  for (const auto version : {FmiVersion::v1, FmiVersion::v2}) {
    Builder b(version);
    b.add("real", 7, Type::Float64);
    b.add("integer", 7, Type::Int32);
    b.add("flag", 7, Type::Boolean);
    b.add("text", 7, Type::String);
    b.add("choice", 8, Type::Enumeration);
    const Description d = b.finish();
    EXPECT_EQ(d.find(7, Type::Float64), 0U);
    EXPECT_EQ(d.find(7, Type::Int32), 1U);
    EXPECT_EQ(d.find(7, Type::Boolean), 2U);
    EXPECT_EQ(d.find(7, Type::String), 3U);
    EXPECT_EQ(d.find(8, Type::Float64), no_variable);
    // Enumerations are read and written as integers there.
    EXPECT_EQ(d.find(8, Type::Int32), 4U);
    EXPECT_EQ(d.find(7, Type::Enumeration), 1U);
  }
}

TEST(Description, HasOneSpaceOfReferencesInFmi3) {
  Builder b(FmiVersion::v3);
  b.add("n", 7, Type::UInt64);
  EXPECT_EQ(b.finish().find(7, Type::Float64), 0U);
}

TEST(Description, FindsTheFirstOfTheAliasesThatShareAReference) {
  Builder b(FmiVersion::v2);
  b.add("a", 5);
  b.add("b", 5);
  EXPECT_EQ(b.finish().find(5, Type::Float64), 0U);
}

TEST(Description, KeepsItsTextsWhenItIsMoved) {
  Builder b;
  b.add("a name that is longer than what std::string keeps inside", 5);
  Description first = b.finish();
  const Description second = std::move(first);
  EXPECT_EQ(second[0].name, "a name that is longer than what std::string keeps inside");
  EXPECT_EQ(second.find("a name that is longer than what std::string keeps inside"), 0U);
}

TEST(Description, SuggestsTheNamesThatWereMeant) {
  Builder b;
  b.add("velocity", 1);
  b.add("height", 2);
  const Description d = b.finish();
  EXPECT_EQ(d.require_variable("height"), 1U);
  EXPECT_THAT(error_text([&] { (void)d.require_variable("velocty"); }),
              AllOf(HasSubstr("'plant' has no variable 'velocty'"), HasSubstr("did you mean 'velocity'"),
                    HasSubstr("consort info")));
  EXPECT_THAT(error_text([&] { (void)d.require_variable("qqqqqqqqqqqq"); }), Not(HasSubstr("did you mean")));
}

TEST(Description, CountsElementsWithStructuralParametersAtTheirStart) {
  Builder b;
  b.add("scalar", 1);
  b.add_size("n", 2, 4);
  b.dimensions(b.add("vector", 3), {sized_by(2)});
  b.dimensions(b.add("matrix", 4), {fixed_size(3), sized_by(2)});
  b.dimensions(b.add("of nothing", 5), {sized_by(99)});
  b.dimensions(b.add("of a number", 6), {sized_by(1)});
  b.dimensions(b.add("empty", 7), {fixed_size(0), fixed_size(1U << 31)});
  const Description d = b.finish();
  const auto count = [&](std::string_view name) { return d.element_count(d[d.find(name)]); };
  EXPECT_EQ(count("scalar"), 1U);
  EXPECT_EQ(count("vector"), 4U);
  EXPECT_EQ(count("matrix"), 12U);
  EXPECT_EQ(count("of nothing"), 0U);
  EXPECT_EQ(count("of a number"), 0U);
  EXPECT_EQ(count("empty"), 0U);
}

TEST(Description, SaturatesWhenTheNumberOfElementsDoesNotFit) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  Builder b;
  b.dimensions(b.add("just", 1), {fixed_size(most)});
  b.dimensions(b.add("over", 2), {fixed_size(std::uint64_t{1} << 33), fixed_size(std::uint64_t{1} << 33)});
  b.dimensions(b.add("far over", 3), {fixed_size(most), fixed_size(most), fixed_size(2)});
  const Description d = b.finish();
  for (const auto& v : d.variables) EXPECT_EQ(d.element_count(v), most) << v.name;
}

TEST(Description, FindsAnInterfaceByItsType) {
  const Description d = Builder().finish();
  ASSERT_NE(d.interface(InterfaceType::co_simulation), nullptr);
  EXPECT_EQ(d.interface(InterfaceType::co_simulation)->model_identifier, "plant");
  EXPECT_EQ(d.interface(InterfaceType::model_exchange), nullptr);
}

TEST(Description, NamesUnitsAndDisplayUnits) {
  Builder b;
  b.add("plain", 1);
  Variable& v = b.add("temperature", 2);
  v.unit = 0;
  v.display_unit = 0;
  b.raw().units.push_back({"K", BaseUnit{}, {{"degC", 1.0, -273.15, false}}, 1});
  const Description d = b.finish();
  EXPECT_EQ(d.unit_name(d[0]), "");
  EXPECT_EQ(d.display_unit(d[0]), nullptr);
  EXPECT_EQ(d.unit_name(d[1]), "K");
  ASSERT_NE(d.display_unit(d[1]), nullptr);
  EXPECT_EQ(d.display_unit(d[1])->name, "degC");
}

TEST(Names, AreThoseOfTheStandards) {
  EXPECT_EQ(name_of(FmiVersion::v1), "FMI 1.0");
  EXPECT_EQ(name_of(FmiVersion::native), "native model");
  EXPECT_EQ(name_of(InterfaceType::scheduled_execution), "Scheduled Execution");
  EXPECT_EQ(name_of(Causality::calculated_parameter), "calculatedParameter");
  EXPECT_EQ(name_of(Causality::structural_parameter), "structuralParameter");
  EXPECT_EQ(name_of(Causality::dependent), "dependent");
  EXPECT_EQ(name_of(Variability::tunable), "tunable");
  EXPECT_EQ(name_of(Initial::approx), "approx");
  EXPECT_EQ(name_of(IntervalVariability::countdown), "countdown");
}

TEST(Variable, SaysWhenItMayBeSet) {
  Variable v;
  v.causality = Causality::input;
  EXPECT_TRUE(v.is_settable_at_run_time());
  EXPECT_TRUE(v.is_settable_before_run());
  v.causality = Causality::parameter;
  v.initial = Initial::exact;
  v.variability = Variability::fixed;
  EXPECT_FALSE(v.is_settable_at_run_time());
  EXPECT_TRUE(v.is_settable_before_run());
  v.variability = Variability::tunable;
  EXPECT_TRUE(v.is_settable_at_run_time());
  v.causality = Causality::output;
  v.variability = Variability::constant;
  EXPECT_FALSE(v.is_settable_before_run());
  v.variability = Variability::continuous;
  v.initial = Initial::approx;
  EXPECT_TRUE(v.is_settable_before_run());
  v.initial = Initial::calculated;
  EXPECT_FALSE(v.is_settable_before_run());
  v.causality = Causality::independent;
  v.initial = Initial::exact;
  EXPECT_FALSE(v.is_settable_before_run());
}

}  // namespace
}  // namespace consort::describe
