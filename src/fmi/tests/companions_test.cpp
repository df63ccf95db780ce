#include "fmi/companions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmi/tests/description_text.hpp"

namespace consort::fmi {
namespace {

using namespace describe;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Read with_terminals(const std::string& text) {
  Read read = variables_v3("<Float64 name='v' valueReference='1'/><Float64 name='i' valueReference='2'/>");
  read_terminals(XmlDocument::parse(text, "terminals.xml"), read.d, read.diagnostics);
  return read;
}

TEST(Terminals, AreReadWithMembersGraphicsAndThoseInside) {
  const auto read = with_terminals(
      "<fmiTerminalsAndIcons fmiVersion='3.0'><GraphicalRepresentation><Icon x1='-100' y1='-50' x2='100' y2='50'/>"
      "</GraphicalRepresentation><Terminals><Terminal name='pin' matchingRule='plug' terminalKind='electrical' "
      "description='d'><TerminalMemberVariable variableName='v' memberName='voltage' variableKind='signal'/>"
      "<TerminalStreamMemberVariable inStreamMemberName='a' outStreamMemberName='b' inStreamVariableName='v' "
      "outStreamVariableName='i'/><Terminal name='inner' matchingRule='bus'/><TerminalGraphicalRepresentation "
      "defaultConnectionColor='1 2 3' x1='1' y1='2' x2='3' y2='4' iconBaseName='pin'/><Annotations/></Terminal>"
      "</Terminals></fmiTerminalsAndIcons>");
  EXPECT_THAT(read.findings(), IsEmpty());
  const auto& t = read.d.terminals.terminals.at(0);
  EXPECT_EQ(t.name, "pin");
  EXPECT_EQ(t.matching_rule, "plug");
  EXPECT_EQ(t.kind, "electrical");
  EXPECT_EQ(t.members.at(0).variable, "v");
  EXPECT_EQ(t.members.at(0).member, "voltage");
  EXPECT_EQ(t.members.at(0).kind, "signal");
  EXPECT_EQ(t.stream_members.at(0).out_stream_variable, "i");
  EXPECT_EQ(t.terminals.at(0).name, "inner");
  EXPECT_EQ(t.graphics->y2, 4);
  EXPECT_EQ(t.graphics->icon_base_name, "pin");
  EXPECT_EQ(t.graphics->connection_color, "1 2 3");
  ASSERT_TRUE(read.d.terminals.icon.has_value());
  EXPECT_EQ(read.d.terminals.icon->x1, -100);
}

TEST(Terminals, ReportVariablesThatAreNotThere) {
  const auto read = with_terminals(
      "<fmiTerminalsAndIcons><Terminals>\n<Terminal name='pin'>\n<TerminalMemberVariable variableName='gone'/>\n"
      "<Other/>\n<TerminalGraphicalRepresentation x1='left'/></Terminal></Terminals></fmiTerminalsAndIcons>");
  EXPECT_THAT(read.findings(),
              ElementsAre(":2: warning: <Terminal> lacks the attribute 'matchingRule' [FMI 3.0, 2.4.9: terminals]",
                          StartsWith(":3: warning: 'gone' is not a variable of the model"),
                          StartsWith(":4: warning: <Other> is not known below <Terminal>"),
                          StartsWith(":5: warning: x1=\"left\"")));
  EXPECT_EQ(read.diagnostics.all().at(0).file, "terminals.xml");
}

TEST(Terminals, OfAnotherRootAreNone) { EXPECT_THAT(with_terminals("<something/>").d.terminals.terminals, IsEmpty()); }

TEST(BuildDescription, IsReadWithSetsDefinitionsAndLibraries) {
  Read read = variables_v3("");
  read_build_description(
      XmlDocument::parse(
          "<fmiBuildDescription fmiVersion='3.0'><BuildConfiguration modelIdentifier='m' platform='x86_64-linux' "
          "description='d'><SourceFileSet name='core' language='C99' compiler='gcc' compilerOptions='-O3'>"
          "<SourceFile name='a.c'/><PreprocessorDefinition name='N' value='3' optional='true'/>"
          "<PreprocessorDefinition name='FLAG'/><IncludeDirectory name='inc'/><Annotations/></SourceFileSet>"
          "<Library name='m' version='1' external='true' description='maths'/></BuildConfiguration>\n"
          "<BuildConfiguration><SourceFileSet><Other/></SourceFileSet></BuildConfiguration></fmiBuildDescription>",
          "buildDescription.xml"),
      read.d, read.diagnostics);
  EXPECT_THAT(read.findings(), ElementsAre(HasSubstr("<BuildConfiguration> lacks the attribute 'modelIdentifier'"),
                                           HasSubstr("<Other> is not known below <SourceFileSet>")));
  ASSERT_EQ(read.d.build_configurations.size(), 2U);
  const auto& c = read.d.build_configurations[0];
  EXPECT_EQ(c.platform, "x86_64-linux");
  EXPECT_EQ(c.description, "d");
  const auto& set = c.source_file_sets.at(0);
  EXPECT_EQ(set.name, "core");
  EXPECT_EQ(set.language, "C99");
  EXPECT_EQ(set.compiler, "gcc");
  EXPECT_EQ(set.compiler_options, "-O3");
  EXPECT_THAT(set.files, ElementsAre("a.c"));
  EXPECT_THAT(set.include_directories, ElementsAre("inc"));
  EXPECT_EQ(set.definitions.at(0).value, "3");
  EXPECT_TRUE(set.definitions.at(0).optional);
  EXPECT_FALSE(set.definitions.at(1).optional);
  EXPECT_EQ(c.libraries.at(0).name, "m");
  EXPECT_TRUE(c.libraries.at(0).external);
}

}  // namespace
}  // namespace consort::fmi
