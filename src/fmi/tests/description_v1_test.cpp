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

TEST(DescriptionV1, IsForModelExchangeUnlessItHasAnImplementation) {
  const auto me = read_v1("", "");
  ASSERT_EQ(me.d.interfaces.size(), 1U);
  EXPECT_EQ(me.d.interfaces[0].type, InterfaceType::model_exchange);
  EXPECT_EQ(me.d.interfaces[0].model_identifier, "m");
  EXPECT_TRUE(me.d.interfaces[0].event_mode);
  EXPECT_TRUE(me.d.interfaces[0].needs_completed_integrator_step);
  const auto cs = read_v1(
      "<Implementation><CoSimulation_StandAlone><Capabilities/></CoSimulation_StandAlone>"
      "</Implementation>");
  ASSERT_EQ(cs.d.interfaces.size(), 1U);
  EXPECT_EQ(cs.d.interfaces[0].type, InterfaceType::co_simulation);
  EXPECT_FALSE(cs.d.interfaces[0].variable_step);
  EXPECT_FALSE(cs.d.interfaces[0].needs_execution_tool);
  EXPECT_THAT(cs.findings(), IsEmpty());
}

TEST(DescriptionV1, HasTheCapabilitiesOfCoSimulation) {
  const auto read = read_v1(
      "<Implementation><CoSimulation_StandAlone><Capabilities canHandleVariableCommunicationStepSize='true' "
      "canHandleEvents='true' canRejectSteps='1' canInterpolateInputs='true' maxOutputDerivativeOrder='2' "
      "canRunAsynchronuously='true' canSignalEvents='true' canBeInstantiatedOnlyOncePerProcess='true' "
      "canNotUseMemoryManagementFunctions='true'/></CoSimulation_StandAlone></Implementation>");
  const auto& i = read.d.interfaces.at(0);
  EXPECT_TRUE(i.variable_step);
  EXPECT_TRUE(i.can_reject_steps);
  EXPECT_TRUE(i.interpolates_inputs);
  EXPECT_EQ(i.max_output_derivative_order, 2U);
  EXPECT_TRUE(i.runs_asynchronously);
  EXPECT_TRUE(i.can_signal_events);
  EXPECT_TRUE(i.only_once_per_process);
  EXPECT_TRUE(i.no_memory_management);
  EXPECT_FALSE(i.can_save_state);
  EXPECT_THAT(read.findings(), IsEmpty());
}

TEST(DescriptionV1, ReportsCapabilitiesThatCannotBeRead) {
  const auto read = read_v1(
      "<Implementation><CoSimulation_StandAlone>\n<Capabilities canRejectSteps='yes' maxOutputDerivativeOrder='-1' "
      "canFly='true'/></CoSimulation_StandAlone></Implementation>");
  EXPECT_THAT(
      read.findings(),
      ElementsAre(":3: warning: canRejectSteps=\"yes\" of <Capabilities> is neither true nor false; it is taken "
                  "as false [schema]",
                  HasSubstr(":3: warning: maxOutputDerivativeOrder=\"-1\""),
                  ":3: warning: <Capabilities> has no attribute 'canFly' in FMI 1.0; it is ignored [schema]"));
}

TEST(DescriptionV1, KnowsAToolCoupling) {
  const auto read = read_v1(
      "<Implementation><CoSimulation_Tool><Capabilities canHandleEvents='true'/>"
      "<Model entryPoint='fmu://resources/a.mdl' manualStart='false' type='application/x-t'/>"
      "</CoSimulation_Tool></Implementation>");
  EXPECT_TRUE(read.d.interfaces.at(0).needs_execution_tool);
  EXPECT_EQ(read.d.interfaces.at(0).entry_point, "fmu://resources/a.mdl");
  EXPECT_EQ(read.d.interfaces.at(0).mime_type, "application/x-t");
  EXPECT_THAT(read_v1("<Implementation/>").findings(), ElementsAre(HasSubstr("neither StandAlone nor Tool")));
}

TEST(DescriptionV1, CountsStatesAndIndicators) {
  const auto read = read_text(
      "<fmiModelDescription fmiVersion='1.0' modelName='m' modelIdentifier='m' guid='g' numberOfContinuousStates='3' "
      "numberOfEventIndicators='-2'/>");
  EXPECT_EQ(read.d.continuous_states, 3U);
  EXPECT_EQ(read.d.event_indicators, 0U);
  EXPECT_THAT(read.findings(), ElementsAre(HasSubstr("numberOfEventIndicators=\"-2\"")));
}

TEST(DescriptionV1, HasUnitsWithDisplayUnits) {
  const auto read = read_v1(
      "<UnitDefinitions><BaseUnit unit='K'><DisplayUnitDefinition displayUnit='degC' gain='1' offset='-273.15'/>"
      "</BaseUnit><BaseUnit unit='rad'><DisplayUnitDefinition displayUnit='deg' gain='57.3'/></BaseUnit>"
      "</UnitDefinitions><ModelVariables><ScalarVariable name='T' valueReference='0'><Real unit='K' "
      "displayUnit='degC'/></ScalarVariable><ScalarVariable name='p' valueReference='1'><Real unit='Pa'/>"
      "</ScalarVariable></ModelVariables>");
  EXPECT_THAT(read.findings(), IsEmpty());
  ASSERT_NE(read.d.display_unit(read["T"]), nullptr);
  EXPECT_NEAR(read.d.display_unit(read["T"])->from_unit(300), 26.85, 1e-12);
  EXPECT_DOUBLE_EQ(read.d.units[1].display_units[0].factor, 57.3);
  EXPECT_EQ(read.d.unit_name(read["p"]), "Pa");  // units without display units need no definition
}

TEST(DescriptionV1, TakesOverWhatADeclaredTypeSays) {
  const auto read = read_v1(
      "<TypeDefinitions><Type name='Angle' description='d'><RealType unit='rad' quantity='Angle' min='-3' max='3' "
      "nominal='2' relativeQuantity='true'/></Type><Type name='Choice'><EnumerationType min='1' max='2'><Item "
      "name='a' description='first'/><Item name='b'/></EnumerationType></Type></TypeDefinitions>"
      "<ModelVariables><ScalarVariable name='phi' valueReference='0'><Real declaredType='Angle' max='1'/>"
      "</ScalarVariable><ScalarVariable name='c' valueReference='1'><Enumeration declaredType='Choice' start='2'/>"
      "</ScalarVariable></ModelVariables>");
  EXPECT_THAT(read.findings(), IsEmpty());
  const auto& phi = read["phi"];
  EXPECT_EQ(phi.quantity, "Angle");
  EXPECT_EQ(read.d.unit_name(phi), "rad");
  EXPECT_EQ(phi.min, -3);
  EXPECT_EQ(phi.max, 1);
  EXPECT_EQ(phi.nominal, 2);
  EXPECT_TRUE(phi.has_nominal);
  EXPECT_TRUE(phi.relative_quantity);
  const auto& choice = read.d.types.at(1);
  ASSERT_EQ(choice.items.size(), 2U);
  EXPECT_EQ(choice.items[0].description, "first");
  EXPECT_EQ(choice.items[1].value, 2);  // items count from 1
  EXPECT_EQ(read.d.start(read["c"])->elements<EnumValue>()[0].value, 2);
}

TEST(DescriptionV1, ReportsTypesThatAreNotKnown) {
  EXPECT_THAT(read_v1("<TypeDefinitions><Type name='T'>\n<ComplexType/></Type></TypeDefinitions>").findings(),
              ElementsAre(StartsWith(":3: warning: <ComplexType> is not known below <Type>")));
  EXPECT_THAT(
      variables_v1("<ScalarVariable name='x' valueReference='0'><Real declaredType='No'/></ScalarVariable>").findings(),
      ElementsAre(HasSubstr("declaredType 'No' is not defined in <TypeDefinitions>")));
}

TEST(DescriptionV1, HasVariablesOfEveryType) {
  const auto read = variables_v1(
      "<ScalarVariable name='r' valueReference='0'><Real start='1.5'/></ScalarVariable>"
      "<ScalarVariable name='i' valueReference='0'><Integer start='-3'/></ScalarVariable>"
      "<ScalarVariable name='b' valueReference='0'><Boolean start='true'/></ScalarVariable>"
      "<ScalarVariable name='s' valueReference='0'><String start=' two words '/></ScalarVariable>"
      "<ScalarVariable name='e' valueReference='1'><Enumeration start='1'/></ScalarVariable>");
  EXPECT_THAT(read.findings(), IsEmpty());
  EXPECT_EQ(read.d.start(read["r"])->elements<double>()[0], 1.5);
  EXPECT_EQ(read.d.start(read["i"])->elements<std::int32_t>()[0], -3);
  EXPECT_TRUE(read.d.start(read["b"])->elements<Bool>()[0]);
  EXPECT_EQ(read.d.start(read["s"])->elements<std::string>()[0], " two words ");
  EXPECT_EQ(read["e"].type, Type::Enumeration);
  // Variables with equal references and different types are distinct.
  EXPECT_EQ(read.d.find(0, Type::Int32), 1U);
  EXPECT_EQ(read["r"].variability, Variability::continuous);
  EXPECT_EQ(read["i"].variability, Variability::discrete);
}

TEST(DescriptionV1, MapsItsWordsToThoseOfFmi3) {
  const auto read = variables_v1(
      "<ScalarVariable name='p' valueReference='0' variability='parameter'><Real start='1'/></ScalarVariable>"
      "<ScalarVariable name='q' valueReference='1' variability='parameter'><Real/></ScalarVariable>"
      "<ScalarVariable name='c' valueReference='2' variability='constant'><Real start='1'/></ScalarVariable>"
      "<ScalarVariable name='u' valueReference='3' causality='input'><Real start='1'/></ScalarVariable>"
      "<ScalarVariable name='y' valueReference='4' causality='output' variability='discrete'><Real/></ScalarVariable>"
      "<ScalarVariable name='n' valueReference='5' causality='none'><Real start='1' fixed='false'/></ScalarVariable>"
      "<ScalarVariable name='x' valueReference='6' causality='internal'><Real start='1' fixed='true'/></ScalarVariable>"
      "<ScalarVariable name='w' valueReference='7' causality='output' "
      "variability='parameter'><Real/></ScalarVariable>");
  EXPECT_THAT(read.findings(), IsEmpty());
  EXPECT_EQ(read["p"].causality, Causality::parameter);
  EXPECT_EQ(read["p"].variability, Variability::fixed);
  EXPECT_EQ(read["p"].initial, Initial::exact);
  EXPECT_EQ(read["q"].causality, Causality::calculated_parameter);
  EXPECT_EQ(read["q"].initial, Initial::calculated);
  EXPECT_EQ(read["c"].variability, Variability::constant);
  EXPECT_EQ(read["u"].causality, Causality::input);
  EXPECT_EQ(read["u"].initial, Initial::none);
  EXPECT_EQ(read["y"].variability, Variability::discrete);
  EXPECT_EQ(read["y"].initial, Initial::calculated);
  EXPECT_EQ(read["n"].causality, Causality::local);
  EXPECT_EQ(read["n"].initial, Initial::approx);
  EXPECT_EQ(read["x"].initial, Initial::exact);
  EXPECT_EQ(read["w"].causality, Causality::output);
}

TEST(DescriptionV1, KnowsAliasesAndNegatedAliases) {
  const auto read = variables_v1(
      "<ScalarVariable name='x' valueReference='0'><Real/></ScalarVariable>\n"
      "<ScalarVariable name='y' valueReference='0' alias='alias'><Real/></ScalarVariable>\n"
      "<ScalarVariable name='z' valueReference='0' alias='negatedAlias'><Real/></ScalarVariable>\n"
      "<ScalarVariable name='n' valueReference='1' alias='noAlias'><Real/></ScalarVariable>\n"
      "<ScalarVariable name='q' valueReference='2' alias='twin'><Real/></ScalarVariable>\n");
  EXPECT_FALSE(read["x"].alias);
  EXPECT_TRUE(read["y"].alias);
  EXPECT_FALSE(read["y"].negated);
  EXPECT_TRUE(read["z"].alias);
  EXPECT_TRUE(read["z"].negated);
  EXPECT_FALSE(read["n"].alias);
  EXPECT_FALSE(read["q"].alias);
  EXPECT_THAT(read.findings(), ElementsAre(StartsWith(":7: warning: alias=\"twin\" is not known")));
}

TEST(DescriptionV1, TellsNoDependencyFromNoStatement) {
  const auto read = variables_v1(
      "<ScalarVariable name='u' valueReference='0' causality='input'><Real start='0'/></ScalarVariable>\n"
      "<ScalarVariable name='a' valueReference='1' causality='output'><Real/></ScalarVariable>\n"
      "<ScalarVariable name='b' valueReference='2' causality='output'><Real/><DirectDependency/></ScalarVariable>\n"
      "<ScalarVariable name='c' valueReference='3' causality='output'><Real/><DirectDependency><Name>u</Name>"
      "</DirectDependency></ScalarVariable>\n"
      "<ScalarVariable name='l' valueReference='4'><Real/><DirectDependency><Name>u</Name></DirectDependency>"
      "</ScalarVariable>\n"
      "<ScalarVariable name='d' valueReference='5' causality='output'><Real/><DirectDependency><Name>u</Name>\n"
      "<Name>gone</Name></DirectDependency></ScalarVariable>\n");
  const auto& outputs = read.d.structure.outputs;
  ASSERT_EQ(outputs.size(), 4U);
  EXPECT_THAT(dependencies_of(read.d, outputs[0]), ElementsAre("*"));
  EXPECT_THAT(dependencies_of(read.d, outputs[1]), IsEmpty());
  EXPECT_THAT(dependencies_of(read.d, outputs[2]), ElementsAre("u"));
  EXPECT_THAT(dependencies_of(read.d, outputs[3]), ElementsAre("*"));
  EXPECT_THAT(read.findings(),
              ElementsAre(AllOf(StartsWith(":9: warning: 'd' depends on 'gone', which is not a variable"),
                                HasSubstr("[FMI 1.0, 3.4: DirectDependency]"))));
}

TEST(DescriptionV1, ReportsEverythingThatIsWrongWithAVariable) {
  const auto read = variables_v1(
      "<ScalarVariable valueReference='0'><Real/></ScalarVariable>\n"
      "<ScalarVariable name='b'><Real/></ScalarVariable>\n"
      "<ScalarVariable name='c' valueReference='1'/>\n"
      "<ScalarVariable name='d' valueReference='x'><Real/></ScalarVariable>\n"
      "<ScalarVariable name='e' valueReference='2' causality='in'><Real/></ScalarVariable>\n"
      "<ScalarVariable name='f' valueReference='3' variability='often'><Real/></ScalarVariable>\n"
      "<ScalarVariable name='g' valueReference='4' colour='red'><Real size='3'/></ScalarVariable>\n"
      "<ScalarVariable name='h' valueReference='5'><Real fixed='true'/></ScalarVariable>\n"
      "<ScalarVariable name='i' valueReference='6'><Integer start='1.5' min='low'/></ScalarVariable>\n"
      "<ScalarVariable name='j' valueReference='7'><Real/><Real/></ScalarVariable>\n"
      "<ScalarVariable name='k' valueReference='4294967296'><Boolean start='maybe'/></ScalarVariable>\n");
  EXPECT_THAT(
      read.findings(),
      ElementsAre(
          StartsWith(":3: warning: a variable has no name"),
          StartsWith(":4: error: variable 'b' has no valueReference; 0 is used"),
          StartsWith(":5: error: variable 'c' has no type; Real is used"),
          StartsWith(":6: warning: valueReference=\"x\" of <ScalarVariable> is not a natural number below 2^32"),
          StartsWith(":7: warning: causality=\"in\" is not known; it is taken as internal"),
          StartsWith(":8: warning: variability=\"often\" is not known; it is taken as continuous"),
          StartsWith(":9: warning: <ScalarVariable> has no attribute 'colour'"),
          StartsWith(":9: warning: <Real> has no attribute 'size'"),
          StartsWith(":10: warning: 'h' has fixed=true but no start value"),
          StartsWith(":11: warning: min=\"low\" of <Integer> is not a number"),
          StartsWith(":11: warning: start=\"1.5\" of 'i' is not a value of type Int32; it is ignored"),
          StartsWith(":12: warning: <Real> is not known below <ScalarVariable>"),
          StartsWith(":13: warning: valueReference=\"4294967296\""),
          StartsWith(":13: warning: start=\"maybe\" of 'k'")));
  EXPECT_EQ(read.d.start(read["i"]), nullptr);
}

}  // namespace
}  // namespace consort::fmi
