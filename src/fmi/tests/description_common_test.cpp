// Common to the descriptions of all versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "fmi/tests/description_text.hpp"

namespace consort::fmi {
namespace {

using namespace describe;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string refusal(std::string text) {
  return error_text([&] { (void)read_text(std::move(text)); });
}

TEST(AnyDescription, IsRefusedWhenItsRootIsAnother) {
  EXPECT_THAT(refusal("<!-- an SSP -->\n<ssd:SystemStructureDescription/>"),
              AllOf(StartsWith("modelDescription.xml:2: the root element is <ssd:SystemStructureDescription>"),
                    HasSubstr("this is not an FMU")));
}

TEST(AnyDescription, IsRefusedWhenItsVersionIsNotKnown) {
  EXPECT_THAT(refusal("<fmiModelDescription fmiVersion='4.0'/>"),
              AllOf(StartsWith("modelDescription.xml:1: fmiVersion=\"4.0\" is not known"), HasSubstr("3.0")));
  EXPECT_THAT(refusal("<fmiModelDescription/>"), HasSubstr("fmiVersion=\"\""));
  EXPECT_THAT(refusal("<fmiModelDescription fmiVersion='20'/>"), HasSubstr("fmiVersion=\"20\""));
}

TEST(AnyDescription, TellsTheVersionAndKeepsHowItIsWritten) {
  EXPECT_EQ(read_v1("").d.version, FmiVersion::v1);
  EXPECT_EQ(read_v2("").d.version, FmiVersion::v2);
  const auto beta = read_text("<fmiModelDescription fmiVersion='3.0-beta.2'><CoSimulation/></fmiModelDescription>");
  EXPECT_EQ(beta.d.version, FmiVersion::v3);
  EXPECT_EQ(beta.d.fmi_version, "3.0-beta.2");
}

TEST(AnyDescription, SaysThatADocumentTypeIsNotFollowed) {
  const auto read = read_text(
      "<!DOCTYPE x [<!ENTITY e 'text'>]><fmiModelDescription fmiVersion='1.0' modelName='&e;' modelIdentifier='m' "
      "guid='g'/>");
  EXPECT_THAT(read.findings(), ElementsAre(HasSubstr("document type declaration is not followed")));
  EXPECT_EQ(read.d.model_name, "&e;");
}

TEST(AnyDescription, HasTheAttributesOfTheModel) {
  const std::string attributes =
      "description='what' author='who' version='1.2' copyright='c' license='l' generationTool='tool' "
      "generationDateAndTime='2024-01-01T00:00:00Z' variableNamingConvention='structured'";
  for (const auto& read :
       {read_v1("", attributes), read_v2("<ModelStructure/>", attributes), read_v3("<ModelStructure/>", attributes)}) {
    EXPECT_EQ(read.d.model_name, "m");
    EXPECT_EQ(read.d.instantiation_token, "g");
    EXPECT_EQ(read.d.description, "what");
    EXPECT_EQ(read.d.author, "who");
    EXPECT_EQ(read.d.model_version, "1.2");
    EXPECT_EQ(read.d.copyright, "c");
    EXPECT_EQ(read.d.license, "l");
    EXPECT_EQ(read.d.generation_tool, "tool");
    EXPECT_EQ(read.d.generation_date, "2024-01-01T00:00:00Z");
    EXPECT_TRUE(read.d.structured_names);
    EXPECT_THAT(read.findings(), IsEmpty());
  }
}

TEST(AnyDescription, ReportsAttributesThatAreMissing) {
  EXPECT_THAT(read_text("<fmiModelDescription fmiVersion='1.0'/>").findings(),
              ElementsAre(":1: warning: <fmiModelDescription> lacks the attribute 'modelName' [schema]",
                          ":1: warning: <fmiModelDescription> lacks the attribute 'guid' [FMI 1.0, 3.1: guid]",
                          ":1: warning: <fmiModelDescription> lacks the attribute 'modelIdentifier' [schema]"));
  EXPECT_THAT(read_text("<fmiModelDescription fmiVersion='2.0' modelName='m' guid='g'><ModelStructure/>"
                        "</fmiModelDescription>")
                  .findings(),
              ElementsAre(HasSubstr(":1: error: the FMU has neither <CoSimulation> nor <ModelExchange>")));
  EXPECT_THAT(
      read_text("<fmiModelDescription fmiVersion='3.0' modelName='m'><ModelStructure/></fmiModelDescription>")
          .findings(),
      ElementsAre(HasSubstr("lacks the attribute 'instantiationToken'"),
                  HasSubstr("error: the FMU has none of <CoSimulation>, <ModelExchange>, <ScheduledExecution>")));
}

TEST(AnyDescription, ReportsANamingConventionThatIsNotKnown) {
  const auto read = read_v2("<ModelStructure/>", "variableNamingConvention='camel'");
  EXPECT_THAT(read.findings(), ElementsAre(HasSubstr("variableNamingConvention=\"camel\" is neither")));
  EXPECT_FALSE(read.d.structured_names);
}

TEST(AnyDescription, HasADefaultExperimentOfWhatIsGiven) {
  const std::string element = "<DefaultExperiment startTime='1' stopTime=' 2.5 ' tolerance='1e-6' stepSize='0.1'/>";
  for (const auto& read :
       {read_v1(element), read_v2(element + "<ModelStructure/>"), read_v3(element + "<ModelStructure/>")}) {
    EXPECT_EQ(read.d.default_experiment.start_time, 1.0);
    EXPECT_EQ(read.d.default_experiment.stop_time, 2.5);
    EXPECT_EQ(read.d.default_experiment.tolerance, 1e-6);
    EXPECT_EQ(read.d.default_experiment.step_size, 0.1);
    EXPECT_THAT(read.findings(), IsEmpty());
  }
  const auto broken = read_v2("<DefaultExperiment stopTime='ten'/><ModelStructure/>");
  EXPECT_EQ(broken.d.default_experiment.stop_time, std::nullopt);
  EXPECT_EQ(broken.d.default_experiment.start_time, std::nullopt);
  EXPECT_THAT(
      broken.findings(),
      ElementsAre(":2: warning: stopTime=\"ten\" of <DefaultExperiment> is not a number; it is ignored [schema]"));
}

// --- units of FMI 2.0 and 3.0

const char* const units =
    "<UnitDefinitions><Unit name='bar'><BaseUnit kg='1' m='-1' s='-2' factor='1e5'/></Unit>"
    "<Unit name='K'><BaseUnit K='1'/><DisplayUnit name='degC' offset='-273.15'/>"
    "<DisplayUnit name='degF' factor='1.8' offset='-459.67'/></Unit>"
    "<Unit name='rad/s'><BaseUnit s='-1' rad='1'/><DisplayUnit name='s/rev' factor='6.28' inverse='true'/></Unit>"
    "<Unit name='widget'/></UnitDefinitions><ModelStructure/>";

TEST(AnyDescription, HasUnitsWithFactorsOffsetsAndRadian) {
  for (const auto& read : {read_v2(units), read_v3(units)}) {
    EXPECT_THAT(read.findings(), IsEmpty());
    ASSERT_EQ(read.d.units.size(), 4U);
    const auto& bar = read.d.units[0];
    EXPECT_EQ(bar.base->factor, 1e5);
    EXPECT_EQ(bar.base->exponents, (std::array<std::int8_t, 8>{1, -1, -2}));
    const auto& kelvin = read.d.units[1];
    ASSERT_EQ(kelvin.display_units.size(), 2U);
    EXPECT_DOUBLE_EQ(kelvin.display_units[0].from_unit(273.15), 0);
    EXPECT_NEAR(kelvin.display_units[1].from_unit(373.15), 212, 1e-9);
    EXPECT_EQ(read.d.units[2].base->exponents[7], 1);
    EXPECT_TRUE(read.d.units[2].display_units[0].inverse);
    EXPECT_FALSE(read.d.units[3].base.has_value());
  }
}

TEST(AnyDescription, ReportsUnitsThatCannotBeMeant) {
  const auto read = read_v3(
      "<UnitDefinitions>\n<Unit name='a'><BaseUnit factor='0'/></Unit>\n<Unit name='a'/>\n"
      "<Unit name='b'><BaseUnit m='1000' s='x' kg='nan'/></Unit>\n</UnitDefinitions><ModelStructure/>");
  EXPECT_THAT(read.findings(),
              ElementsAre(StartsWith(":3: warning: the factor of unit 'a' is 0; it is taken as 1"),
                          StartsWith(":4: warning: unit 'a' is defined twice; the first definition is used"),
                          HasSubstr(":5: warning: kg=\"nan\" of <BaseUnit> is not"),
                          HasSubstr(":5: warning: m=\"1000\" of <BaseUnit> is not"),
                          HasSubstr(":5: warning: s=\"x\" of <BaseUnit> is not")));
  EXPECT_EQ(read.d.units[0].base->factor, 1);
  EXPECT_EQ(read.d.units[2].base->exponents, (std::array<std::int8_t, 8>{}));
}

TEST(AnyDescription, ReportsUnitsAndDisplayUnitsThatAreNotDefined) {
  const auto read = variables_v3(
      "<Float64 name='a' valueReference='1' unit='parsec'/>\n"
      "<Float64 name='b' valueReference='2' unit='parsec' displayUnit='ly'/>\n"
      "<Float64 name='c' valueReference='3' displayUnit='ly'/>\n"
      "<Float64 name='d' valueReference='4' unit='parsec' displayUnit='parsec'/>\n");
  EXPECT_THAT(read.findings(), ElementsAre(StartsWith(":3: warning: unit 'parsec' is not defined in <UnitDefinitions>"),
                                           StartsWith(":4: warning: displayUnit 'ly' is not defined for unit 'parsec'"),
                                           StartsWith(":5: warning: displayUnit 'ly' is given without a unit")));
  EXPECT_EQ(read.d.unit_name(read["a"]), "parsec");
  EXPECT_EQ(read["a"].unit, read["b"].unit);
  EXPECT_EQ(read.d.display_unit(read["b"]), nullptr);
  ASSERT_NE(read.d.display_unit(read["d"]), nullptr);
  EXPECT_EQ(read.d.display_unit(read["d"])->name, "parsec");
}

TEST(AnyDescription, HasLogCategories) {
  const std::string element = "<LogCategories><Category name='logEvents' description='events'/></LogCategories>";
  for (const auto& read : {read_v2(element), read_v3(element)}) {
    ASSERT_EQ(read.d.log_categories.size(), 1U);
    EXPECT_EQ(read.d.log_categories[0].name, "logEvents");
    EXPECT_EQ(read.d.log_categories[0].description, "events");
  }
}

TEST(AnyDescription, KeepsAnnotationsAsText) {
  const auto v2 = read_v2("<VendorAnnotations>\n<Tool name='T'><x y='1'/></Tool><!-- c --></VendorAnnotations>");
  ASSERT_EQ(v2.d.annotations.size(), 1U);
  EXPECT_EQ(v2.d.annotations[0].type, "T");
  EXPECT_EQ(v2.d.annotations[0].xml, "<Tool name=\"T\"><x y=\"1\"/></Tool>");
  const auto v3 = read_v3("<Annotations><Annotation type='org.x'>text</Annotation></Annotations>");
  ASSERT_EQ(v3.d.annotations.size(), 1U);
  EXPECT_EQ(v3.d.annotations[0].type, "org.x");
  EXPECT_EQ(read_v1("<VendorAnnotations><Tool name='T'/></VendorAnnotations>").d.annotations.size(), 1U);
}

TEST(AnyDescription, TellsWhichInputDerivativesFmusOfConsortAccept) {
  const std::string with_order =
      "<VendorAnnotations><Tool name='Consort'><InputDerivatives highestOrder='3'/></Tool></VendorAnnotations>";
  EXPECT_EQ(read_v1(with_order).d.input_derivative_order, 3U);
  EXPECT_EQ(read_v2(with_order).d.input_derivative_order, 3U);
  EXPECT_EQ(read_v2("<VendorAnnotations><Tool name='Other'><InputDerivatives highestOrder='3'/></Tool>"
                    "</VendorAnnotations>")
                .d.input_derivative_order,
            1U);
}

TEST(AnyDescription, IgnoresCommentsAndForeignNames) {
  const auto read =
      variables_v3("<!-- c --><Float64 name='a' valueReference='1' xmlns:v='urn:v' v:x='1'><!-- c --></Float64>\n");
  EXPECT_THAT(read.findings(), IsEmpty());
}

TEST(AnyDescription, IsReadBehindAByteOrderMarkWithLinesOfWindowsInLatin1) {
  const auto read = read_text(
      "<?xml version='1.0' encoding='ISO-8859-1'?>\r\n<fmiModelDescription fmiVersion='1.0' modelName='Tr\xE4ger' "
      "modelIdentifier='m' guid='g'>\r\n<ModelVariables>\r\n<Nonsense/></ModelVariables></fmiModelDescription>");
  EXPECT_EQ(read.d.model_name, "Träger");
  EXPECT_THAT(read.findings(), ElementsAre(StartsWith(":4: warning: <Nonsense> is not known below <ModelVariables>")));
  EXPECT_EQ(read_text("\xEF\xBB\xBF<fmiModelDescription fmiVersion='1.0' modelName='é' modelIdentifier='m' guid='g'/>")
                .d.model_name,
            "é");
}

}  // namespace
}  // namespace consort::fmi
