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

TEST(DescriptionV3, HasTheCapabilitiesOfAllInterfaces) {
  const auto read = read_text(
      "<fmiModelDescription fmiVersion='3.0' modelName='m' instantiationToken='g'>"
      "<ModelExchange modelIdentifier='me' needsCompletedIntegratorStep='true' providesEvaluateDiscreteStates='true'/>"
      "<CoSimulation modelIdentifier='cs' needsExecutionTool='true' canBeInstantiatedOnlyOncePerProcess='true' "
      "canGetAndSetFMUState='true' canSerializeFMUState='true' providesDirectionalDerivatives='true' "
      "providesAdjointDerivatives='true' providesPerElementDependencies='true' "
      "canHandleVariableCommunicationStepSize='true' fixedInternalStepSize='0.01' maxOutputDerivativeOrder='2' "
      "recommendedIntermediateInputSmoothness='1' providesIntermediateUpdate='true' mightReturnEarlyFromDoStep='true' "
      "canReturnEarlyAfterIntermediateUpdate='true' hasEventMode='true' providesEvaluateDiscreteStates='true'/>"
      "<ScheduledExecution modelIdentifier='se'/><ModelStructure/></fmiModelDescription>");
  EXPECT_THAT(read.findings(), IsEmpty());
  ASSERT_EQ(read.d.interfaces.size(), 3U);
  const auto& cs = read.d.interfaces[0];
  EXPECT_EQ(cs.model_identifier, "cs");
  EXPECT_TRUE(cs.needs_execution_tool && cs.only_once_per_process && cs.can_save_state && cs.can_serialize_state &&
              cs.directional_derivatives && cs.adjoint_derivatives && cs.per_element_dependencies && cs.variable_step &&
              cs.intermediate_update && cs.might_return_early && cs.can_return_early_after_intermediate_update &&
              cs.event_mode && cs.evaluates_discrete_states);
  EXPECT_EQ(cs.fixed_internal_step, 0.01);
  EXPECT_EQ(cs.max_output_derivative_order, 2U);
  EXPECT_EQ(cs.recommended_input_smoothness, 1U);
  EXPECT_FALSE(cs.needs_completed_integrator_step);
  EXPECT_EQ(read.d.interfaces[1].type, InterfaceType::model_exchange);
  EXPECT_TRUE(read.d.interfaces[1].needs_completed_integrator_step && read.d.interfaces[1].event_mode);
  EXPECT_EQ(read.d.interfaces[2].type, InterfaceType::scheduled_execution);
  EXPECT_FALSE(read.d.interfaces[2].event_mode);
}

TEST(DescriptionV3, ReportsCapabilitiesThatCannotBeRead) {
  const auto read = read_text(
      "<fmiModelDescription fmiVersion='3.0' modelName='m' instantiationToken='g'>\n<CoSimulation modelIdentifier='m' "
      "fixedInternalStepSize='small' recommendedIntermediateInputSmoothness='1e99' canGetAndSetFMUstate='true'/>\n"
      "<ModelStructure/></fmiModelDescription>");
  EXPECT_THAT(
      read.findings(),
      ElementsAre(StartsWith(":2: warning: fixedInternalStepSize=\"small\" of <CoSimulation> is not a number"),
                  StartsWith(":2: warning: recommendedIntermediateInputSmoothness=\"1e99\""),
                  // The spelling of FMI 2.0.
                  StartsWith(":2: warning: <CoSimulation> has no attribute 'canGetAndSetFMUstate' in FMI 3.0")));
  EXPECT_EQ(read.d.interfaces[0].fixed_internal_step, std::nullopt);
  EXPECT_FALSE(read.d.interfaces[0].can_save_state);
  const auto none = read_text(
      "<fmiModelDescription fmiVersion='3.0' modelName='m' instantiationToken='g'><CoSimulation modelIdentifier='m' "
      "recommendedIntermediateInputSmoothness='-1'/><ModelStructure/></fmiModelDescription>");
  EXPECT_EQ(none.d.interfaces[0].recommended_input_smoothness, 0U);
  EXPECT_THAT(none.findings(), IsEmpty());
}

TEST(DescriptionV3, HasVariablesOfEveryTypeWithTheirStarts) {
  const auto read = variables_v3(
      "<Float32 name='f' valueReference='1' start='1.5'/><Float64 name='d' valueReference='2' start='2.5'/>"
      "<Int8 name='i8' valueReference='3' start='-128'/><UInt8 name='u8' valueReference='4' start='255'/>"
      "<Int16 name='i16' valueReference='5' start='-32768'/><UInt16 name='u16' valueReference='6' start='65535'/>"
      "<Int32 name='i32' valueReference='7' start='-2147483648'/>"
      "<UInt32 name='u32' valueReference='8' start='4294967295'/>"
      "<Int64 name='i64' valueReference='9' start='-9223372036854775808'/>"
      "<UInt64 name='u64' valueReference='10' start='18446744073709551615'/>"
      "<Boolean name='b' valueReference='11' start='true'/>"
      "<String name='s' valueReference='12'><Start value='a &amp; b'/></String>"
      "<Binary name='x' valueReference='13' mimeType='image/png' maxSize='9'><Start value='00fF'/></Binary>"
      "<Enumeration name='e' valueReference='14' start='3' declaredType='E'/>"
      "<Clock name='c' valueReference='15' intervalVariability='triggered'/>");
  ASSERT_EQ(read.d.variables.size(), 15U);
  for (std::size_t i = 0; i < type_count; ++i) EXPECT_EQ(read.d.variables[i].type, static_cast<Type>(i));
  const auto start = [&](std::string_view name) -> const Value& { return *read.d.start(read[name]); };
  EXPECT_EQ(start("f").elements<float>()[0], 1.5F);
  EXPECT_EQ(start("i8").elements<std::int8_t>()[0], -128);
  EXPECT_EQ(start("u16").elements<std::uint16_t>()[0], 65535);
  EXPECT_EQ(start("i64").elements<std::int64_t>()[0], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(start("u64").elements<std::uint64_t>()[0], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(start("s").elements<std::string>()[0], "a & b");
  EXPECT_THAT(start("x").elements<Binary>()[0], ElementsAre(0x00, 0xFF));
  EXPECT_EQ(read["x"].mime_type, "image/png");
  EXPECT_EQ(read["x"].max_size, 9U);
  EXPECT_EQ(start("e").elements<EnumValue>()[0].value, 3);
  EXPECT_EQ(read["f"].variability, Variability::continuous);
  EXPECT_EQ(read["i8"].variability, Variability::discrete);
  EXPECT_THAT(read.findings(), ElementsAre(HasSubstr("declaredType 'E' is not defined")));
}

TEST(DescriptionV3, HasArraysOfFixedAndOfChosenSize) {
  const auto read = variables_v3(
      "<UInt64 name='n' valueReference='1' causality='structuralParameter' start='2'/>"
      "<Float64 name='a' valueReference='2' start='1 2  3\n4 5 6'><Dimension start='3'/><Dimension valueReference='1'/>"
      "</Float64><String name='s' valueReference='3'><Dimension start='2'/><Start value='one'/><Start value=''/>"
      "</String>");
  EXPECT_THAT(read.findings(), IsEmpty());
  EXPECT_EQ(read["n"].variability, Variability::fixed);
  EXPECT_EQ(read["n"].initial, Initial::exact);
  EXPECT_EQ(read.d.element_count(read["a"]), 6U);
  EXPECT_THAT(read.d.start(read["a"])->elements<double>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(read.d.start(read["s"])->elements<std::string>(), ElementsAre("one", ""));
}

TEST(DescriptionV3, ReportsDimensionsThatAreNone) {
  const auto read = variables_v3(
      "<Float64 name='a' valueReference='2'>\n<Dimension/>\n<Dimension start='1' valueReference='2'/>\n"
      "<Dimension start='-1'/></Float64>");
  EXPECT_THAT(read.findings(),
              ElementsAre(StartsWith(":4: warning: a dimension of 'a' needs either start or valueReference"),
                          StartsWith(":5: warning: a dimension of 'a' needs either start or valueReference"),
                          StartsWith(":6: warning: start=\"-1\" of <Dimension> is not a natural number")));
}

TEST(DescriptionV3, HasAliasesAndAnnotationsOfVariables) {
  const auto read = read_v3(
      "<UnitDefinitions><Unit name='m'><DisplayUnit name='mm' factor='1000'/></Unit></UnitDefinitions><ModelVariables>"
      "<Float64 name='x' valueReference='1' unit='m'><Alias name='length' description='other' displayUnit='mm'/>"
      "<Alias name='L'/><Annotations><Annotation type='t'><a/></Annotation></Annotations></Float64>"
      "</ModelVariables><ModelStructure/>");
  EXPECT_THAT(read.findings(), IsEmpty());
  EXPECT_EQ(read.d.find("length"), 0U);
  EXPECT_EQ(read.d.find("L"), 0U);
  EXPECT_EQ(read.d.aliases.at(0).description, "other");
  EXPECT_EQ(read.d.aliases.at(0).display_unit, 0);
  EXPECT_EQ(read.d.aliases.at(1).display_unit, no_display_unit);
  EXPECT_EQ(read.d.variable_annotations.at(0).type, "t");
  EXPECT_EQ(read.d.variable_annotations.at(0).xml, "<Annotation type=\"t\"><a/></Annotation>");
}

TEST(DescriptionV3, HasClocksFromTheVariableAndItsType) {
  const auto read = read_v3(
      "<TypeDefinitions><ClockType name='Slow' intervalVariability='constant' intervalDecimal='0.5' priority='3'/>"
      "</TypeDefinitions><ModelVariables><Clock name='a' valueReference='1' declaredType='Slow' priority='1'/>"
      "<Clock name='b' valueReference='2' causality='input' intervalVariability='countdown' canBeDeactivated='true' "
      "shiftDecimal='0.1' supportsFraction='true' resolution='1000' intervalCounter='7' shiftCounter='2'/>"
      "<Int32 name='n' valueReference='3' clocks='1 2'/><Int32 name='p' valueReference='4' previous='3' clocks='1'/>"
      "</ModelVariables><ModelStructure><ClockedState valueReference='4'/></ModelStructure>");
  EXPECT_THAT(read.findings(), IsEmpty());
  const auto& a = read.d.clock_properties.at(read["a"].clock);
  EXPECT_EQ(a.interval_variability, IntervalVariability::constant);
  EXPECT_EQ(a.interval, 0.5);
  EXPECT_EQ(a.priority, 1U);  // the variable's own attribute has precedence
  EXPECT_TRUE(a.has_priority);
  const auto& b = read.d.clock_properties.at(read["b"].clock);
  EXPECT_EQ(b.interval_variability, IntervalVariability::countdown);
  EXPECT_TRUE(b.can_be_deactivated && b.supports_fraction);
  EXPECT_EQ(b.shift, 0.1);
  EXPECT_EQ(b.resolution, 1000U);
  EXPECT_EQ(b.interval_counter, 7U);
  EXPECT_EQ(b.shift_counter, 2U);
  EXPECT_FALSE(b.has_priority);
  EXPECT_THAT(read.d.clocks_of(read["n"]), ElementsAre(1, 2));
  EXPECT_EQ(read["p"].previous, 2U);
  EXPECT_EQ(read.d.structure.clocked_states.size(), 1U);
}

TEST(DescriptionV3, ReportsReferencesThatLeadNowhere) {
  const auto read = variables_v3(
      "<Float64 name='a' valueReference='1' derivative='9'/>\n<Int32 name='b' valueReference='2' previous='8' "
      "clocks='1 x'/>\n<Float64 name='c' valueReference='3' derivative='none'/>");
  EXPECT_THAT(read.findings(), ElementsAre(StartsWith(":4: warning: clocks=\"1 x\": 'x' is not a value reference"),
                                           StartsWith(":5: warning: derivative=\"none\""),
                                           HasSubstr("'a' (line 3) has derivative=\"9\", which is not a variable"),
                                           HasSubstr("'b' (line 4) has previous=\"8\", which is not a variable")));
  EXPECT_EQ(read["a"].derivative_of, no_variable);
  EXPECT_EQ(read["b"].previous, no_variable);
  EXPECT_EQ(read["c"].derivative_of, no_variable);
  EXPECT_THAT(read.d.clocks_of(read["b"]), ElementsAre(1));
}

TEST(DescriptionV3, HasAStructureByReference) {
  const auto read = variables_v3(
      "<Float64 name='u' valueReference='30' causality='input' start='0'/>"
      "<Float64 name='x' valueReference='20' start='0 0' initial='exact'><Dimension start='2'/></Float64>"
      "<Float64 name='dx' valueReference='10' derivative='20'><Dimension start='2'/></Float64>"
      "<Float64 name='y' valueReference='40' causality='output'/>"
      "<Float64 name='z' valueReference='50'/>",
      "<Output valueReference='40' dependencies='30 20' dependenciesKind='dependent fixed'/>"
      "<ContinuousStateDerivative valueReference='10' dependencies=''/>"
      "<InitialUnknown valueReference='40' dependencies='20'/><InitialUnknown valueReference='10'/>"
      "<EventIndicator valueReference='50'/>");
  EXPECT_THAT(read.findings(), IsEmpty());
  const auto& s = read.d.structure;
  EXPECT_THAT(dependencies_of(read.d, s.outputs.at(0)), ElementsAre("u", "x"));
  EXPECT_EQ(s.of(s.outputs[0])[1].kind, DependencyKind::fixed);
  EXPECT_THAT(dependencies_of(read.d, s.derivatives.at(0)), IsEmpty());
  EXPECT_EQ(read["dx"].derivative_of, 1U);
  EXPECT_EQ(s.initial_unknowns.size(), 2U);
  EXPECT_EQ(read.d.continuous_states, 2U);  // elements, not variables
  EXPECT_EQ(read.d.event_indicators, 1U);
}

TEST(DescriptionV3, ReportsAStructureThatDoesNotFit) {
  const auto read = variables_v3(
      "<Float64 name='y' valueReference='1' causality='output'/>\n<Clock name='c' valueReference='2' "
      "causality='output' intervalVariability='triggered'/>\n<Float64 name='w' valueReference='3' "
      "causality='output'/>\n",
      "\n<Output valueReference='7'/>\n<Output/>\n<Output valueReference='y'/>\n"
      "<Output valueReference='1' dependencies='9'/>\n<Outputs/>");
  EXPECT_THAT(read.findings(),
              ElementsAre(StartsWith(":7: warning: valueReference \"7\" is not a variable; the entry is ignored"),
                          StartsWith(":8: warning: valueReference \"\" is not a variable"),
                          StartsWith(":9: warning: valueReference=\"y\" of <Output> is not a natural number"),
                          StartsWith(":9: warning: valueReference \"y\" is not a variable"),
                          StartsWith(":10: warning: dependency '9' is not a variable"),
                          StartsWith(":11: warning: <Outputs> is not known below <ModelStructure>"),
                          HasSubstr("output 'w' (line 5) has no <Output>")));
  EXPECT_EQ(read.d.structure.outputs.size(), 2U);  // clocks are never listed
}

TEST(DescriptionV3, AddsTheOutputsWhenTheStructureIsMissing) {
  const auto read =
      read_v3("<ModelVariables><Float64 name='y' valueReference='1' causality='output'/></ModelVariables>");
  EXPECT_THAT(read.findings(), ElementsAre(HasSubstr("<ModelStructure> is missing")));
  EXPECT_THAT(dependencies_of(read.d, read.d.structure.outputs.at(0)), ElementsAre("*"));
}

TEST(DescriptionV3, HasTypesOfEveryKind) {
  const auto read = read_v3(
      "<TypeDefinitions><Float64Type name='F' quantity='q' min='0' max='1' nominal='0.5' unbounded='true' "
      "relativeQuantity='true' description='d'/><Int32Type name='I' min='-1'/><BooleanType name='B'/>"
      "<BinaryType name='X' mimeType='a/b' maxSize='7'/><EnumerationType name='E'><Item name='big' "
      "value='9223372036854775807'/>\n<Item name='bad' value='1.5'/></EnumerationType><ComplexType name='C'/>"
      "</TypeDefinitions><ModelVariables><Float64 name='x' valueReference='1' declaredType='F'/>"
      "<Binary name='b' valueReference='2' declaredType='X'/></ModelVariables><ModelStructure/>");
  EXPECT_THAT(read.findings(),
              ElementsAre(StartsWith(":3: warning: value=\"1.5\" of an enumeration item is not an integer"),
                          StartsWith(":3: warning: <ComplexType> is not known below <TypeDefinitions>")));
  ASSERT_EQ(read.d.types.size(), 5U);
  EXPECT_EQ(read.d.types[4].items.at(0).value, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read["x"].max, 1);
  EXPECT_TRUE(read["x"].unbounded);
  EXPECT_EQ(read["x"].nominal, 0.5);
  // FMI 3.0, 2.4.4: attributes that a Binary inherits from its type.
  EXPECT_EQ(read["b"].mime_type, "a/b");
  EXPECT_EQ(read["b"].max_size, 7U);
}

TEST(DescriptionV3, ReportsEverythingThatIsWrongWithAVariable) {
  const auto read = variables_v3(
      "<Float64/>\n<Float64 name='b' valueReference='1' causality='in'/>\n"
      "<Float64 name='c' valueReference='2' variability='always'/>\n"
      "<Float64 name='d' valueReference='3' initial='none' wide='1'/>\n"
      "<Float64 name='e' valueReference='4' start='1 two'/>\n<Float64 name='f' valueReference='5'><Start value='1'/>"
      "</Float64>\n<Binary name='g' valueReference='6'><Start value='xyz'/></Binary>\n<Real name='h'/>\n"
      "<UInt8 name='i' valueReference='7' start='256' maxSize='-1'/>\n<Float64 name='j' valueReference='8'><Item/>"
      "</Float64>");
  EXPECT_THAT(read.findings(),
              ElementsAre(StartsWith(":3: warning: a variable has no name"),
                          StartsWith(":3: error: variable '' has no valueReference"),
                          StartsWith(":4: warning: causality=\"in\" is not known; it is taken as 'local'"),
                          StartsWith(":5: warning: variability=\"always\" is not known; it is taken as 'discrete'"),
                          StartsWith(":6: warning: initial=\"none\" is not known; it is taken as 'calculated'"),
                          StartsWith(":6: warning: <Float64> has no attribute 'wide'"),
                          StartsWith(":7: warning: start=\"1 two\" of 'e'"),
                          AllOf(StartsWith(":8: warning: <Start> is for strings and binaries"),
                                HasSubstr("[FMI 3.0, 2.4.7: ModelVariables]")),
                          StartsWith(":9: warning: the start value of 'g' is not hexadecimal"),
                          StartsWith(":10: warning: <Real> is not known below <ModelVariables>"),
                          StartsWith(":11: warning: maxSize=\"-1\""),
                          StartsWith(":11: warning: start=\"256\" of 'i' is not a value of type UInt8"),
                          StartsWith(":12: warning: <Item> is not known below <Float64>")));
}

TEST(DescriptionV3, KeepsTheFlagsOfVariables) {
  const auto read = variables_v3(
      "<Float64 name='x' valueReference='1' canHandleMultipleSetPerTimeInstant='false' intermediateUpdate='true' "
      "reinit='true' description='d'/>");
  EXPECT_FALSE(read["x"].multiple_set_per_instant);
  EXPECT_TRUE(read["x"].intermediate_update && read["x"].reinit);
  EXPECT_EQ(read["x"].description, "d");
}

}  // namespace
}  // namespace consort::fmi
