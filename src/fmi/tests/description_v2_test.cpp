#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmi/tests/description_text.hpp"

namespace consort::fmi {
namespace {

using namespace describe;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string scalar(const std::string& name, int reference, const std::string& attributes, const std::string& type) {
  return "<ScalarVariable name='" + name + "' valueReference='" + std::to_string(reference) + "' " + attributes + "><" +
         type + "/></ScalarVariable>\n";
}

TEST(DescriptionV2, HasTheCapabilitiesOfBothInterfaces) {
  const auto read = read_text(
      "<fmiModelDescription fmiVersion='2.0' modelName='m' guid='g'><ModelExchange modelIdentifier='me' "
      "completedIntegratorStepNotNeeded='true' canGetAndSetFMUstate='true' canSerializeFMUstate='true' "
      "providesDirectionalDerivative='true'/><CoSimulation modelIdentifier='cs' needsExecutionTool='true' "
      "canHandleVariableCommunicationStepSize='true' canInterpolateInputs='true' maxOutputDerivativeOrder='3' "
      "canRunAsynchronuously='true' canBeInstantiatedOnlyOncePerProcess='true' "
      "canNotUseMemoryManagementFunctions='true'/><ModelStructure/></fmiModelDescription>");
  EXPECT_THAT(read.findings(), IsEmpty());
  ASSERT_EQ(read.d.interfaces.size(), 2U);
  const auto& cs = read.d.interfaces[0];
  EXPECT_EQ(cs.type, InterfaceType::co_simulation);
  EXPECT_EQ(cs.model_identifier, "cs");
  EXPECT_TRUE(cs.needs_execution_tool && cs.variable_step && cs.interpolates_inputs && cs.runs_asynchronously &&
              cs.only_once_per_process && cs.no_memory_management);
  EXPECT_EQ(cs.max_output_derivative_order, 3U);
  EXPECT_FALSE(cs.can_save_state || cs.event_mode || cs.needs_completed_integrator_step);
  const auto& me = read.d.interfaces[1];
  EXPECT_EQ(me.type, InterfaceType::model_exchange);
  EXPECT_TRUE(me.can_save_state && me.can_serialize_state && me.directional_derivatives && me.event_mode);
  EXPECT_FALSE(me.needs_completed_integrator_step);
}

TEST(DescriptionV2, NeedsCompletedStepsOfModelExchangeUnlessItSaysOtherwise) {
  const auto read = read_text(
      "<fmiModelDescription fmiVersion='2.0' modelName='m' guid='g'><ModelExchange modelIdentifier='m'/>"
      "<ModelStructure/></fmiModelDescription>");
  EXPECT_TRUE(read.d.interfaces.at(0).needs_completed_integrator_step);
}

TEST(DescriptionV2, TurnsItsSourceFilesIntoABuildConfiguration) {
  const auto read = read_text(
      "<fmiModelDescription fmiVersion='2.0' modelName='m' guid='g'><CoSimulation modelIdentifier='cs'><SourceFiles>"
      "<File name='a.c'/><File name='sub/b.c'/></SourceFiles></CoSimulation><ModelExchange modelIdentifier='me'>"
      "<SourceFiles/></ModelExchange><ModelStructure/></fmiModelDescription>");
  ASSERT_EQ(read.d.build_configurations.size(), 1U);
  EXPECT_EQ(read.d.build_configurations[0].model_identifier, "cs");
  EXPECT_THAT(read.d.build_configurations[0].source_file_sets.at(0).files, ElementsAre("a.c", "sub/b.c"));
}

TEST(DescriptionV2, HasSimpleTypes) {
  const auto read = read_v2(
      "<UnitDefinitions><Unit name='m'><BaseUnit m='1'/><DisplayUnit name='mm' factor='1000'/></Unit></UnitDefinitions>"
      "<TypeDefinitions><SimpleType name='L' description='d'><Real quantity='Length' unit='m' displayUnit='mm' "
      "min='0' max='10' nominal='0.1' relativeQuantity='true' unbounded='true'/></SimpleType>"
      "<SimpleType name='E'><Enumeration quantity='q'><Item name='a' value='-5' description='five below'/>"
      "<Item name='b' value='7'/></Enumeration></SimpleType><SimpleType name='I'><Integer min='1' max='2'/>"
      "</SimpleType><SimpleType name='B'><Boolean/></SimpleType><SimpleType name='S'><String/></SimpleType>"
      "</TypeDefinitions><ModelVariables>" +
      scalar("x", 0, "", "Real declaredType='L'") + scalar("y", 1, "", "Real declaredType='L' unit='m' min='-1'") +
      "</ModelVariables><ModelStructure/>");
  EXPECT_THAT(read.findings(), IsEmpty());
  ASSERT_EQ(read.d.types.size(), 5U);
  EXPECT_EQ(read.d.types[1].items.at(0).value, -5);
  EXPECT_EQ(read.d.types[1].items.at(1).name, "b");
  EXPECT_EQ(read.d.types[2].type, Type::Int32);
  const auto& x = read["x"];
  EXPECT_EQ(x.quantity, "Length");
  EXPECT_TRUE(x.relative_quantity && x.unbounded && x.has_nominal);
  EXPECT_EQ(x.max, 10);
  ASSERT_NE(read.d.display_unit(x), nullptr);
  EXPECT_EQ(read.d.display_unit(x)->name, "mm");
  EXPECT_EQ(read["y"].min, -1);
  ASSERT_NE(read.d.display_unit(read["y"]), nullptr);  // the same unit, so the type's display unit fits
}

TEST(DescriptionV2, ReportsItemsThatAreNoIntegers) {
  const auto read = read_v2(
      "<TypeDefinitions><SimpleType name='E'><Enumeration>\n<Item name='a' value='1e30'/>\n<Item name='b' "
      "value='nan'/>\n"
      "<Item name='c'/></Enumeration></SimpleType></TypeDefinitions><ModelStructure/>");
  EXPECT_THAT(read.findings(),
              ElementsAre(StartsWith(":3: warning: value=\"1e30\" of <Item> is not an integer"),
                          StartsWith(":4: warning: value=\"nan\" of <Item>"), StartsWith(":5: warning: ")));
  EXPECT_EQ(read.d.types[0].items.at(0).value, 0);
}

TEST(DescriptionV2, FillsInCausalityVariabilityAndInitial) {
  struct Row {
    const char* attributes;
    const char* type;
    Causality causality;
    Variability variability;
    Initial initial;
  };
  for (const Row& row :
       {Row{"", "Real", Causality::local, Variability::continuous, Initial::calculated},
        Row{"", "Integer", Causality::local, Variability::discrete, Initial::calculated},
        Row{"causality='parameter' variability='fixed'", "Real start='0'", Causality::parameter, Variability::fixed,
            Initial::exact},
        Row{"causality='calculatedParameter' variability='tunable'", "Real", Causality::calculated_parameter,
            Variability::tunable, Initial::calculated},
        Row{"causality='input'", "Real start='0'", Causality::input, Variability::continuous, Initial::none},
        Row{"causality='output'", "Boolean", Causality::output, Variability::discrete, Initial::calculated},
        Row{"causality='output' variability='constant'", "Real start='0'", Causality::output, Variability::constant,
            Initial::exact},
        Row{"causality='independent'", "Real", Causality::independent, Variability::continuous, Initial::none},
        Row{"initial='approx'", "Real start='0'", Causality::local, Variability::continuous, Initial::approx}}) {
    const auto read = variables_v2(scalar("x", 0, row.attributes, row.type));
    EXPECT_EQ(read["x"].causality, row.causality) << row.attributes;
    EXPECT_EQ(read["x"].variability, row.variability) << row.attributes;
    EXPECT_EQ(read["x"].initial, row.initial) << row.attributes;
  }
  EXPECT_TRUE(variables_v2(scalar("x", 0, "initial='exact'", "Real start='1'"))["x"].declares_initial);
}

TEST(DescriptionV2, KeepsWhatAVariableSaysOfItself) {
  const auto read = variables_v2(
      "<ScalarVariable name='x' valueReference='4294967295' description='d' canHandleMultipleSetPerTimeInstant='false'>"
      "<Real start='INF' reinit='true' min='-1e400' nominal='3'/><Annotations><Tool name='T'><a/></Tool></Annotations>"
      "</ScalarVariable>");
  EXPECT_THAT(read.findings(), IsEmpty());
  const auto& x = read["x"];
  EXPECT_EQ(x.reference, 4294967295U);
  EXPECT_EQ(x.description, "d");
  EXPECT_FALSE(x.multiple_set_per_instant);
  EXPECT_TRUE(x.reinit);
  EXPECT_EQ(x.min, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(x.nominal, 3);
  EXPECT_EQ(read.d.start(x)->elements<double>()[0], std::numeric_limits<double>::infinity());
  ASSERT_EQ(read.d.variable_annotations.size(), 1U);
  EXPECT_EQ(read.d.variable_annotations[0].xml, "<Tool name=\"T\"><a/></Tool>");
}

TEST(DescriptionV2, FindsStatesByTheIndexOfTheirDerivatives) {
  const auto read = variables_v2(
      scalar("x", 5, "initial='exact'", "Real start='0'") + scalar("der(x)", 6, "", "Real derivative='1'") +
          scalar("bad", 7, "", "Real derivative='9'") + scalar("zero", 8, "", "Real derivative='0'"),
      "<Derivatives><Unknown index='2'/></Derivatives>");
  EXPECT_EQ(read["der(x)"].derivative_of, 0U);
  EXPECT_EQ(read["bad"].derivative_of, no_variable);
  EXPECT_EQ(read["zero"].derivative_of, no_variable);
  EXPECT_EQ(read.d.continuous_states, 1U);
  EXPECT_THAT(read.findings(),
              ElementsAre(StartsWith(":6: warning: 'zero' is the derivative of variable \"0\", which does not exist"),
                          HasSubstr("'bad' (line 5) is the derivative of variable 9, which does not exist")));
}

TEST(DescriptionV2, HasDependenciesByIndexWithTheirKinds) {
  const auto read = variables_v2(
      scalar("u", 3, "causality='input'", "Real start='0'") + scalar("v", 4, "causality='input'", "Real start='0'") +
          scalar("y", 5, "causality='output'", "Real") + scalar("z", 6, "causality='output'", "Real") +
          scalar("w", 7, "causality='output'", "Real"),
      "<Outputs><Unknown index='3' dependencies='1 2' dependenciesKind='fixed constant'/>"
      "<Unknown index='4' dependencies='' dependenciesKind=''/><Unknown index='5'/></Outputs>"
      "<InitialUnknowns><Unknown index='4' dependencies='2 1 1' dependenciesKind='tunable discrete dependent'/>"
      "</InitialUnknowns>");
  EXPECT_THAT(read.findings(), IsEmpty());
  const auto& s = read.d.structure;
  ASSERT_EQ(s.outputs.size(), 3U);
  EXPECT_THAT(dependencies_of(read.d, s.outputs[0]), ElementsAre("u", "v"));
  EXPECT_EQ(s.of(s.outputs[0])[0].kind, DependencyKind::fixed);
  EXPECT_EQ(s.of(s.outputs[0])[1].kind, DependencyKind::constant);
  EXPECT_THAT(dependencies_of(read.d, s.outputs[1]), IsEmpty());
  EXPECT_THAT(dependencies_of(read.d, s.outputs[2]), ElementsAre("*"));
  ASSERT_EQ(s.initial_unknowns.size(), 1U);
  EXPECT_EQ(s.of(s.initial_unknowns[0])[0].kind, DependencyKind::tunable);
  EXPECT_EQ(s.of(s.initial_unknowns[0])[1].kind, DependencyKind::discrete);
}

TEST(DescriptionV2, ReportsAStructureThatDoesNotFit) {
  const auto read = variables_v2(
      scalar("u", 3, "causality='input'", "Real start='0'") + scalar("y", 5, "causality='output'", "Real"),
      "\n<Outputs><Unknown index='0'/>\n<Unknown index='9'/>\n<Unknown/>\n<Unknown index='2' dependencies='1 7'/>\n"
      "<Other/></Outputs>\n<InitialUnknowns><Unknown index='2' dependencies='1' dependenciesKind='new'/>\n"
      "<Unknown index='2' dependencies='1' dependenciesKind=''/>\n<Unknown index='2' dependenciesKind='fixed'/>\n"
      "<Unknown index='2' dependencies='1 x'/></InitialUnknowns>");
  EXPECT_THAT(
      read.findings(),
      ElementsAre(
          StartsWith(":6: warning: index \"0\" is not a variable (they count from 1 to 2); the entry is ignored"),
          StartsWith(":7: warning: index \"9\" is not a variable"),
          StartsWith(":8: warning: index \"\" is not a variable"),
          AllOf(
              StartsWith(":9: warning: dependency '7' is not a variable; the unknown is taken to depend on everything"),
              HasSubstr("[FMI 2.0, 2.2.8: ModelStructure]")),
          StartsWith(":10: warning: <Other> is not known below <Outputs>"),
          StartsWith(":11: warning: 'new' is not a kind of dependency"),
          StartsWith(":12: warning: 1 dependencies but 0 kinds"),
          StartsWith(":13: warning: dependenciesKind is given without dependencies"),
          StartsWith(":14: warning: dependency 'x' is not a variable")));
  ASSERT_EQ(read.d.structure.outputs.size(), 1U);
  EXPECT_THAT(dependencies_of(read.d, read.d.structure.outputs[0]), ElementsAre("*"));
  EXPECT_THAT(dependencies_of(read.d, read.d.structure.initial_unknowns[0]), ElementsAre("u"));
}

TEST(DescriptionV2, AddsOutputsThatAreMissingFromTheStructure) {
  const auto read = variables_v2(scalar("y", 5, "causality='output'", "Real"));
  EXPECT_THAT(
      read.findings(),
      ElementsAre(HasSubstr("output 'y' (line 3) is missing from <Outputs>; it is taken to depend on every input")));
  ASSERT_EQ(read.d.structure.outputs.size(), 1U);
  EXPECT_FALSE(read.d.structure.outputs[0].declared);
  const auto without = read_v2("<ModelVariables>" + scalar("y", 5, "causality='output'", "Real") + "</ModelVariables>");
  EXPECT_THAT(without.findings(), ElementsAre(HasSubstr("<ModelStructure> is missing")));
  EXPECT_EQ(without.d.structure.outputs.size(), 1U);
}

TEST(DescriptionV2, CountsEventIndicators) {
  EXPECT_EQ(read_v2("<ModelStructure/>", "numberOfEventIndicators='4'").d.event_indicators, 4U);
}

TEST(DescriptionV2, ReportsEverythingThatIsWrongWithAVariable) {
  const auto read = variables_v2(
      "<ScalarVariable><Real/></ScalarVariable>\n" + scalar("b", 1, "causality='In'", "Real") +
      scalar("c", 2, "variability='always'", "Real") + scalar("d", 3, "initial='perhaps'", "Real") +
      scalar("e", 4, "alias='x'", "Real wide='1'") + scalar("f", 5, "", "Decimal") +
      scalar("g", 6, "", "Real declaredType='T' start='one'") + scalar("h", 7, "", "Integer start='3000000000'") +
      scalar("i", 8, "", "Real reinit='perhaps' max='1,5'") + "<Float64/>");
  EXPECT_THAT(read.findings(),
              ElementsAre(StartsWith(":3: warning: a variable has no name"), StartsWith(":3: error: variable ''"),
                          StartsWith(":4: warning: causality=\"In\" is not known; it is taken as 'local'"),
                          StartsWith(":5: warning: variability=\"always\" is not known; it is taken as 'continuous'"),
                          StartsWith(":6: warning: initial=\"perhaps\" is not known; it is taken as 'calculated'"),
                          StartsWith(":7: warning: <ScalarVariable> has no attribute 'alias' in FMI 2.0"),
                          StartsWith(":7: warning: <Real> has no attribute 'wide'"),
                          StartsWith(":8: warning: <Decimal> is not known below <ScalarVariable>"),
                          StartsWith(":8: error: variable 'f' has no type; Real is used"),
                          StartsWith(":9: warning: declaredType 'T' is not defined"),
                          StartsWith(":9: warning: start=\"one\" of 'g' is not a value of type Float64"),
                          StartsWith(":10: warning: start=\"3000000000\" of 'h' is not a value of type Int32"),
                          StartsWith(":11: warning: reinit=\"perhaps\""), StartsWith(":11: warning: max=\"1,5\""),
                          StartsWith(":12: warning: <Float64> is not known below <ModelVariables> in FMI 2.0")));
}

TEST(DescriptionV2, SharesReferencesAmongAliases) {
  const auto read = variables_v2(scalar("x", 5, "", "Real") + scalar("y", 5, "", "Real"));
  EXPECT_THAT(read.findings(), IsEmpty());
  EXPECT_EQ(read.d.find(5, Type::Float64), 0U);
  EXPECT_EQ(read.d.find("y"), 1U);
}

}  // namespace
}  // namespace consort::fmi
