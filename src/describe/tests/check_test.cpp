#include "describe/check.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe/tests/builder.hpp"

namespace consort::describe {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// The texts of all diagnostics, without the name of the file.
std::vector<std::string> findings(const Description& d) {
  Diagnostics diagnostics;
  check(d, diagnostics);
  std::vector<std::string> texts;
  for (const auto& diagnostic : diagnostics.all()) {
    EXPECT_EQ(diagnostic.severity, Severity::warning);
    EXPECT_EQ(diagnostic.file, "modelDescription.xml");
    texts.push_back(diagnostic.text().substr(std::string("modelDescription.xml").size()));
  }
  return texts;
}
std::vector<std::string> findings(Builder& b) { return findings(b.finish()); }

Variable& add(Builder& b, std::string_view name, Causality causality, Variability variability) {
  Variable& v = b.add(name, static_cast<ValueReference>(b.raw().variables.size()));
  v.causality = causality;
  v.variability = variability;
  v.initial = Initial::none;
  return v;
}

TEST(Check, FindsNothingWrongWithAGoodDescription) {
  for (const auto version : {FmiVersion::v1, FmiVersion::v2, FmiVersion::v3}) {
    Builder b(version);
    b.raw().default_experiment = {0.0, 1.0, 1e-4, 0.1};
    b.add_input("u", 1);
    b.add("x", 2);
    Variable& n = b.add("n", 3, Type::Int32);
    n.min = 0;
    n.max = 5;
    EXPECT_THAT(findings(b), IsEmpty()) << name_of(version);
  }
}

// --- the model

TEST(Check, WantsTheStopTimeAfterTheStartTime) {
  Builder b;
  b.raw().default_experiment = {2.0, 1.0, {}, {}};
  EXPECT_THAT(findings(b), ElementsAre(": warning: the stop time 1 lies before the start time 2 [FMI 3.0, "
                                       "DefaultExperiment]"));
}

TEST(Check, WantsToleranceAndStepSizeToBePositive) {
  Builder b;
  b.raw().default_experiment = {{}, {}, 0.0, -1.0};
  EXPECT_THAT(findings(b),
              ElementsAre(HasSubstr("the tolerance 0 is not positive"), HasSubstr("the step size -1 is not positive")));
}

TEST(Check, WantsAToken) {
  Builder b;
  b.raw().instantiation_token.clear();
  EXPECT_THAT(findings(b), ElementsAre(HasSubstr("token is empty")));
}

TEST(Check, WantsModelIdentifiersThatAreCIdentifiers) {
  for (const char* identifier : {"", "1a", "a-b", "a b", "ä", "a/b", "../a"}) {
    Builder b;
    b.raw().interfaces[0].model_identifier = identifier;
    EXPECT_THAT(findings(b), ElementsAre(HasSubstr("is not a valid C identifier"))) << identifier;
  }
  Builder good;
  good.raw().interfaces[0].model_identifier = "_a1";
  EXPECT_THAT(findings(good), IsEmpty());
}

TEST(Check, WantsCapabilitiesThatGoTogether) {
  Builder b;
  b.raw().interfaces[0].can_serialize_state = true;
  b.raw().interfaces[0].fixed_internal_step = 0.0;
  EXPECT_THAT(findings(b), ElementsAre(HasSubstr("can be serialised but not saved"),
                                       HasSubstr("fixedInternalStepSize 0 is not positive")));
}

// --- types

TEST(Check, WantsTypesWithNamesOfTheirOwnRangesAndItems) {
  Builder b;
  TypeDefinition t;
  t.name = "T";
  t.line = 4;
  b.raw().types.push_back(t);
  t.line = 5;
  t.min = 1;
  t.max = 0;
  b.raw().types.push_back(t);
  TypeDefinition e;
  e.name = "E";
  e.type = Type::Enumeration;
  e.line = 6;
  b.raw().types.push_back(e);
  e.name = "F";
  e.line = 7;
  e.items = {{"one", "", 1}, {"two", "", 1}};
  b.raw().types.push_back(e);
  EXPECT_THAT(findings(b), ElementsAre(StartsWith(":5: warning: type 'T' is defined twice"),
                                       StartsWith(":5: warning: min 1 of type 'T' is larger than max 0"),
                                       StartsWith(":6: warning: enumeration 'E' has no items"),
                                       StartsWith(":7: warning: items of enumeration 'F' share the value 1")));
}

// --- names

TEST(Check, WantsNamesThatAreUniqueAmongVariablesAndAliases) {
  Builder b;
  b.add("x", 1);
  b.add("x", 2);
  b.add("y", 3);
  b.alias(2, "x");
  EXPECT_THAT(findings(b),
              ElementsAre(AllOf(StartsWith(":2: warning: two variables have the name 'x' (first in line 1)"),
                                HasSubstr("[FMI 3.0, unique names]")),
                          StartsWith(":3: warning: two variables have the name 'x'")));
}

TEST(Check, WantsStructuredNamesOnlyWhereTheyArePromised) {
  for (const bool promised : {false, true}) {
    Builder b(FmiVersion::v2);
    b.raw().structured_names = promised;
    b.add("a b", 1);
    if (promised)
      EXPECT_THAT(findings(b), ElementsAre(AllOf(HasSubstr("'a b'"), HasSubstr("[FMI 2.0, 2.2.9: structured names]"))));
    else
      EXPECT_THAT(findings(b), IsEmpty());
  }
}

// --- causality, variability, initial

TEST(Check, WantsCausalityAndVariabilityThatGoTogether) {
  using C = Causality;
  using V = Variability;
  const auto allowed = [](C c, V v) {
    switch (c) {
      case C::parameter:
      case C::structural_parameter:
      case C::calculated_parameter: return v == V::fixed || v == V::tunable;
      case C::input: return v == V::discrete || v == V::continuous;
      case C::output: return v != V::fixed && v != V::tunable;
      case C::independent: return v == V::continuous;
      case C::local:
      case C::dependent: break;
    }
    return true;
  };
  for (int c = 0; c <= static_cast<int>(C::dependent); ++c) {
    for (int v = 0; v <= static_cast<int>(V::continuous); ++v) {
      Builder b(FmiVersion::v2);
      Variable& variable = add(b, "x", static_cast<C>(c), static_cast<V>(v));
      if (variable.causality == C::input) b.start(variable, Value::scalar(0.0));
      const auto found = findings(b);
      const bool complains = std::any_of(found.begin(), found.end(), [](const std::string& text) {
        return text.find("which cannot be combined [FMI 2.0, 2.2.7: combinations]") != std::string::npos;
      });
      EXPECT_EQ(complains, !allowed(static_cast<C>(c), static_cast<V>(v)))
          << name_of(static_cast<C>(c)) << ' ' << name_of(static_cast<V>(v));
    }
  }
}

TEST(Check, WantsAnInitialThatGoesWithTheRest) {
  struct Row {
    Causality causality;
    Variability variability;
    Initial initial;
    bool good;
  };
  for (const Row& row : {Row{Causality::parameter, Variability::fixed, Initial::exact, true},
                         Row{Causality::parameter, Variability::fixed, Initial::calculated, false},
                         Row{Causality::structural_parameter, Variability::tunable, Initial::approx, false},
                         Row{Causality::calculated_parameter, Variability::fixed, Initial::exact, false},
                         Row{Causality::calculated_parameter, Variability::fixed, Initial::approx, true},
                         Row{Causality::independent, Variability::continuous, Initial::exact, false},
                         Row{Causality::output, Variability::constant, Initial::exact, true},
                         Row{Causality::output, Variability::constant, Initial::calculated, false},
                         Row{Causality::local, Variability::fixed, Initial::exact, false},
                         Row{Causality::local, Variability::continuous, Initial::approx, true}}) {
    Builder b(FmiVersion::v2);
    Variable& v = add(b, "x", row.causality, row.variability);
    v.initial = row.initial;
    v.declares_initial = true;
    const auto found = findings(b);
    const bool complains = std::any_of(found.begin(), found.end(), [](const std::string& text) {
      return text.find("cannot have initial=") != std::string::npos;
    });
    EXPECT_EQ(complains, !row.good) << name_of(row.causality) << ' ' << name_of(row.variability) << ' '
                                    << name_of(row.initial);
  }
}

TEST(Check, AllowsAnInitialOfInputsInFmi3Only) {
  for (const auto version : {FmiVersion::v2, FmiVersion::v3}) {
    Builder b(version);
    Variable& v = b.add_input("u", 1);
    v.initial = Initial::exact;
    v.declares_initial = true;
    EXPECT_EQ(findings(b).size(), version == FmiVersion::v2 ? 1U : 0U);
  }
}

TEST(Check, LeavesTheCombinationsOfFmi1Alone) {
  Builder b(FmiVersion::v1);
  Variable& v = b.add_input("u", 1);
  v.variability = Variability::fixed;
  EXPECT_THAT(findings(b), IsEmpty());
}

TEST(Check, AllowsOnlyFloatsToBeContinuous) {
  Builder b(FmiVersion::v2);
  b.add("i", 1, Type::Int32).variability = Variability::continuous;
  b.add("b", 2, Type::Boolean).variability = Variability::continuous;
  EXPECT_THAT(findings(b), ElementsAre(AllOf(StartsWith(":1: warning: 'i' is continuous"), HasSubstr("Int32")),
                                       StartsWith(":2: warning: 'b' is continuous")));
}

// --- start values

TEST(Check, WantsStartValuesWhereTheyAreNeeded) {
  Builder b(FmiVersion::v2);
  b.add("u", 1).causality = Causality::input;
  Variable& p = b.add("p", 2);
  p.causality = Causality::parameter;
  p.variability = Variability::fixed;
  p.initial = Initial::exact;
  b.add("x", 3).initial = Initial::approx;
  EXPECT_THAT(findings(b), ElementsAre(StartsWith(":1: warning: 'u' (input, initial calculated) needs a start value"),
                                       StartsWith(":2: warning: 'p'"), StartsWith(":3: warning: 'x'")));
}

TEST(Check, WantsStartValuesOfInputsInFmi1UnlessTheyAreAliases) {
  Builder b(FmiVersion::v1);
  b.add("u", 1).causality = Causality::input;
  Variable& alias = b.add("w", 1);
  alias.causality = Causality::input;
  alias.alias = true;
  EXPECT_THAT(findings(b), ElementsAre(HasSubstr("the input 'u' has no start value")));
}

TEST(Check, RefusesStartValuesOfWhatIsCalculated) {
  Builder b(FmiVersion::v2);
  b.start(b.add("x", 1), Value::scalar(1.0));
  Variable& time = b.add("time", 2);
  time.causality = Causality::independent;
  time.initial = Initial::none;
  b.start(time, Value::scalar(0.0));
  EXPECT_THAT(findings(b), ElementsAre(HasSubstr("'x' (local, initial calculated) must not have a start value"),
                                       HasSubstr("'time' (independent, initial none) must not")));
}

TEST(Check, WantsAsManyStartValuesAsElementsOrOneForAll) {
  Builder b;
  b.dimensions(b.add_input("good", 1, Value(std::vector<double>{1, 2, 3})), {fixed_size(3)});
  b.dimensions(b.add_input("one", 2), {fixed_size(3)});
  b.dimensions(b.add_input("bad", 3, Value(std::vector<double>{1, 2})), {fixed_size(3)});
  b.add_input("scalar", 4, Value(std::vector<double>{1, 2}));
  EXPECT_THAT(findings(b), ElementsAre(HasSubstr("'bad' has 3 elements but 2 start values"),
                                       HasSubstr("'scalar' has 1 elements but 2 start values")));
}

TEST(Check, WantsStartValuesInsideTheRange) {
  Builder b;
  Variable& low = b.add_input("low", 1, Value::scalar(-1.0));
  low.min = 0;
  Variable& high = b.add_input("high", 2, Value::scalar(std::int32_t{11}));
  high.max = 10;
  Variable& choice = b.add_input("choice", 3, Value::scalar(EnumValue{9}));
  choice.max = 3;
  choice.declared_type = 0;
  TypeDefinition t;
  t.name = "T";
  t.type = Type::Enumeration;
  t.items = {{"a", "", 1}};
  b.raw().types.push_back(t);
  Variable& text = b.add_input("text", 4, Value::scalar(std::string("5")));
  text.max = 3;
  EXPECT_THAT(findings(b),
              ElementsAre(HasSubstr("the start value -1 of 'low' lies outside its range [0, inf]"),
                          HasSubstr("the start value 11 of 'high'"), HasSubstr("the start value 9 of 'choice'")));
}

// --- ranges, types, dimensions, clocks

TEST(Check, WantsRangesAndNominalsThatMakeSense) {
  Builder b;
  Variable& v = b.add("x", 1);
  v.min = 2;
  v.max = 1;
  v.has_nominal = true;
  v.nominal = 0;
  Variable& nan = b.add("y", 2);
  nan.has_nominal = true;
  nan.nominal = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(findings(b),
              ElementsAre(HasSubstr("min 2 of 'x' is larger than max 1"), HasSubstr("nominal 0 of 'x' is not positive"),
                          HasSubstr("nominal nan of 'y' is not positive")));
}

TEST(Check, WantsDeclaredTypesOfTheSameType) {
  Builder b(FmiVersion::v2);
  TypeDefinition t;
  t.name = "Speed";
  b.raw().types.push_back(t);
  b.add("i", 1, Type::Int32).declared_type = 0;
  b.add("e", 2, Type::Enumeration);
  EXPECT_THAT(findings(b), ElementsAre(HasSubstr("'i' is of type Int32, but its declared type 'Speed' is for Float64"),
                                       HasSubstr("the enumeration 'e' has no declared type")));
}

TEST(Check, WantsDimensionsThatAreSizes) {
  Builder b;
  b.add_size("n", 1, 2);
  b.add("m", 2, Type::UInt64);
  b.dimensions(b.add("good", 3), {sized_by(1), fixed_size(1)});
  b.dimensions(b.add("zero", 4), {fixed_size(0)});
  b.dimensions(b.add("none", 5), {sized_by(99)});
  b.dimensions(b.add("local", 6), {sized_by(2)});
  EXPECT_THAT(findings(b),
              ElementsAre(HasSubstr("a dimension of 'zero' is 0"),
                          HasSubstr("a dimension of 'none' refers to 99, which is not a structural parameter"),
                          HasSubstr("a dimension of 'local' refers to 2")));
}

TEST(Check, WantsClocksThatAreClocks) {
  Builder b;
  b.add("tick", 1, Type::Clock);
  b.add("x", 2);
  b.raw().clocks = {1, 2, 3};
  b.raw().variables[1].clocks = {0, 3};
  EXPECT_THAT(findings(b),
              ElementsAre(HasSubstr("'x' belongs to clock 2, which is not a clock"), HasSubstr("clock 3")));
}

// --- references and structure

TEST(Check, WantsOneVariablePerReferenceInFmi3) {
  Builder b;
  b.add("x", 1);
  b.add("n", 1, Type::Int32);
  EXPECT_THAT(findings(b), ElementsAre(AllOf(HasSubstr("'x' and 'n' share the value reference 1"),
                                             HasSubstr("[FMI 3.0, 2.4.7.3: value references]"))));
}

TEST(Check, AllowsAliasesInFmi2ButNotTwoInputsOrOneConstant) {
  Builder b(FmiVersion::v2);
  b.add("x", 1);
  b.add("y", 1);
  b.add("n", 1, Type::Int32);
  b.add_input("u", 2);
  b.add_input("w", 2);
  Variable& constant = b.add("c", 3);
  constant.variability = Variability::constant;
  constant.initial = Initial::exact;
  b.start(constant, Value::scalar(1.0));
  b.add("d", 3);
  EXPECT_THAT(findings(b), ElementsAre(HasSubstr("the inputs 'u' and 'w' are aliases of each other"),
                                       HasSubstr("'c' and 'd' are aliases, but only one of them is constant")));
}

TEST(Check, WantsDerivativesThatSayOfWhatAndOnce) {
  Builder b(FmiVersion::v2);
  b.add("x", 1);
  b.add("der(x)", 2).derivative_of = 0;
  b.add("y", 3);
  auto& structure = b.raw().structure;
  structure.derivatives = {{1, false, {}}, {2, false, {}}, {1, false, {}}};
  structure.outputs = {{0, false, {}}};
  structure.initial_unknowns = {{0, false, {}}, {1, false, {}}, {2, false, {}}};
  EXPECT_THAT(findings(b), ElementsAre(HasSubstr("'y' is listed as the derivative of a state, but does not name"),
                                       HasSubstr("the derivative 'der(x)' is listed twice"),
                                       HasSubstr("'x' is listed as an output, but its causality is local")));
}

TEST(Check, WantsInitialUnknownsToBeListedOnceUnderAnyName) {
  Builder b(FmiVersion::v2);
  b.add("y", 1).causality = Causality::output;
  b.add("same as y", 1);
  Variable& exact = b.add("z", 2);
  exact.causality = Causality::output;
  exact.initial = Initial::exact;
  b.start(exact, Value::scalar(0.0));
  Variable& parameter = b.add("p", 3);
  parameter.causality = Causality::calculated_parameter;
  parameter.variability = Variability::fixed;
  b.raw().structure.initial_unknowns = {{1, false, {}}};
  EXPECT_THAT(findings(b), ElementsAre(AllOf(StartsWith(":4: warning: 'p' is computed at initialization, but missing"),
                                             HasSubstr("[FMI 2.0, 2.2.8: ModelStructure]"))));
}

TEST(Check, DoesNotWantClocksAmongTheInitialUnknowns) {
  Builder b;
  b.add("tick", 1, Type::Clock).causality = Causality::output;
  Variable& clocked = b.add("y", 2);
  clocked.causality = Causality::output;
  clocked.variability = Variability::discrete;
  b.raw().clocks = {1};
  clocked.clocks = {0, 1};
  EXPECT_THAT(findings(b), IsEmpty());
}

TEST(Check, TakesTimeLinearInTheSizeOfTheDescription) {
  // A hundred thousand of each kind of item that is compared; quadratic work would take minutes.
  constexpr std::uint32_t many = 100'000;
  for (const bool listed : {false, true}) {
    Builder b(FmiVersion::v2);
    for (std::uint32_t i = 0; i < many; ++i) {
      b.add("y" + std::to_string(i), i).causality = Causality::output;
      b.raw().structure.outputs.push_back({i, false, {}});
      if (listed) b.raw().structure.initial_unknowns.push_back({i, false, {}});
    }
    EXPECT_EQ(findings(b).size(), listed ? 0U : many);
  }
}

}  // namespace
}  // namespace consort::describe
