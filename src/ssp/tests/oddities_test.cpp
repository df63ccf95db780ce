// Files of tools that deviate from the standard or that the standard does not define. They are accepted, with a
// diagnostic, if they can have only one meaning.
#include <fstream>

#include "ssp/tests/workshop.hpp"

namespace consort::ssp {
namespace {

using W = Workshop;
using graph::comes_from;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

// Two connected units.
std::string pair_of(std::string_view first = "resources/a.fmu", std::string_view second = "resources/b.fmu") {
  return W::elements(W::component("a", first, W::connectors({{"y", "output"}})) +
                     W::component("b", second, W::connectors({{"u", "input"}}))) +
         W::connections(W::connection("a.y", "b.u"));
}

struct Oddities : ::testing::Test {
  Oddities() {
    w.fmu("resources/a.fmu").output("y");
    w.fmu("resources/b.fmu").input("u").parameter("k");
  }
  void expect_connected() { EXPECT_TRUE(comes_from(w.plan(), "b.u", "a.y")); }
  W w;
};

// --- paths of files

struct Spelling {
  const char* name;
  const char* source;
  const char* said;  // diagnostic of the check; empty: none expected
};
struct Spellings : Oddities, ::testing::WithParamInterface<Spelling> {};
TEST_P(Spellings, OfSourcesAreUnderstood) {
  w.structure(W::ssd(pair_of(GetParam().source)));
  expect_connected();
  EXPECT_THAT(w.problems(), HasSubstr(GetParam().said));
}
INSTANTIATE_TEST_SUITE_P(Ssp, Spellings,
                         ::testing::Values(Spelling{"backslashes", R"(resources\a.fmu)", ""},
                                           Spelling{"here", "./resources/a.fmu", ""},
                                           Spelling{"file", "file:resources/a.fmu", ""},
                                           Spelling{"file_here", "file://./resources/a.fmu", ""},
                                           Spelling{"letter_case", "Resources/A.fmu",
                                                    "'Resources/A.fmu' is spelled 'resources/a.fmu' in the package"}),
                         [](const auto& one) { return one.param.name; });

TEST_F(Oddities, AFolderAroundTheFilesOfAnArchiveIsEntered) {
  W outer;
  for (const char* const file : {"resources/a.fmu", "resources/b.fmu"}) outer.file(std::string("top/") + file, "FMU");
  outer.file("top/SystemStructure.ssd", W::ssd(pair_of()));
  outer.file("__MACOSX/._top", "");
  EXPECT_TRUE(comes_from(w.plan(outer.packed()), "b.u", "a.y"));
  EXPECT_THAT(w.document().system.notes, Contains(HasSubstr("breaks 1 rule")));
}

TEST_F(Oddities, AnotherNameOfTheStructureWillDo) {
  w.file("Plant.SSD", W::ssd(pair_of()));
  expect_connected();
}

TEST_F(Oddities, FmusMayBeFolders) {
  static_cast<void>(w.file("units/a/modelDescription.xml", "<x/>"));
  w.structure(
      W::ssd(W::elements(R"(<ssd:Component name="a" source="units/a" type="application/x-fmu-sharedlibrary"/>)")));
  EXPECT_EQ(w.document().system.components.size(), 0U);
  const auto document = read_system(w.folder());
  EXPECT_EQ(document.system.components.at(0).source.filename(), "a");
}

TEST_F(Oddities, AbsolutePathsOfOnesOwnFilesCanBeAllowed) {
  const auto absolute = (w.folder() / "resources/a.fmu").string();
  w.structure(W::ssd(pair_of(absolute)));
  EXPECT_THAT(w.error(), HasSubstr("or allow it with --allow-outside"));
  EXPECT_TRUE(comes_from(w.plan(w.folder(), {.allow_outside = true}), "b.u", "a.y"));
}

// --- XML

TEST_F(Oddities, PrefixesAreFreeAndByteOrderMarksAndLineEndsDoNotMatter) {
  w.structure(
      "\xEF\xBB\xBF<?xml version=\"1.0\"?>\r\n<!DOCTYPE x>\r\n"
      "<SystemStructureDescription xmlns=\"http://ssp-standard.org/SSP1/SystemStructureDescription\" "
      "xmlns:common=\"http://ssp-standard.org/SSP1/SystemStructureCommon\" version=\"1.0\" name=\"p\">\r\n"
      "<System name=\"root\"><Elements><Component name=\"a\" source=\"resources/a.fmu\"><Connectors>"
      "<Connector name=\"y\" kind=\"output\"><common:Real/></Connector></Connectors></Component>\r\n"
      "<Component name=\"b\" source=\"resources/b.fmu\"><Connectors><Connector name=\"u\" kind=\"input\"/>"
      "</Connectors></Component></Elements><Connections><Connection startElement=\"a\" startConnector=\"y\" "
      "endElement=\"b\" endConnector=\"u\"/></Connections></System></SystemStructureDescription>\r\n");
  expect_connected();
}

TEST_F(Oddities, Utf16IsRead) {
  std::string wide = "\xFF\xFE";
  for (const char c : "<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + W::ssd(pair_of())) wide += {c, '\0'};
  w.structure(wide);
  expect_connected();
}

struct Versions : Oddities, ::testing::WithParamInterface<const char*> {};
TEST_P(Versions, OfDraftsAreReadAsTheStandard) {
  w.structure(W::ssd(pair_of(), "", GetParam()));
  expect_connected();
}
INSTANTIATE_TEST_SUITE_P(Ssp, Versions, ::testing::Values("1.0-RC1", "2.0-beta", "1.0.1", "Draft20180219", "3.0"));

// --- systems

TEST_F(Oddities, ConnectorsThatAreNotListedAreThoseOfTheFmu) {
  w.structure(W::ssd(W::elements(W::component("a", "resources/a.fmu") + W::component("b", "resources/b.fmu")) +
                     W::connections(W::connection("a.y", "b.u"))));
  expect_connected();
}

TEST_F(Oddities, AnEmptySourceIsNone) {
  w.structure(W::ssd(pair_of("")));
  static_cast<void>(w.plan());
  EXPECT_THAT(w.document().system.notes, Contains(HasSubstr("the component 'a' has no implementation")));
}

TEST_F(Oddities, BuiltInComponentsOfOtherToolsAreNamed) {
  w.structure(W::ssd(W::elements(R"(<ssd:Component name="c" source="" type="application/avl-mcx-constant"/>)")));
  EXPECT_THAT(w.error(), AllOf(HasSubstr("the component 'c' is of type 'application/avl-mcx-constant'"),
                               HasSubstr("export it as an FMU")));
}

TEST_F(Oddities, BindingsWithoutAnythingAreLeftOut) {
  w.structure(W::ssd(pair_of() + W::bindings("") + W::bindings("<ssd:ParameterBinding/>")));
  expect_connected();
  EXPECT_THAT(w.problems(), HasSubstr("neither a source nor parameter values"));
}

TEST_F(Oddities, UnitsNeedNoSectionOfUnits) {
  w.structure(W::ssd(W::elements(
      W::component("a", "resources/a.fmu", W::connectors({{"y", "output"}}, R"(<ssc:Real unit="furlong"/>)")) +
      W::component("b", "resources/b.fmu", W::bindings(W::binding(W::real("k", 2, "furlong")))))));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.start("b.k"), "2");
}

TEST_F(Oddities, TheBoundaryOfASystemCanBeConnectedToItself) {
  const std::string through = "<ssd:System name=\"through\">" + W::connectors({{"in", "input"}, {"out", "output"}}) +
                              W::connections(W::connection("in", "out")) + "</ssd:System>";
  w.structure(
      W::ssd(W::elements(W::component("a", "resources/a.fmu") + W::component("b", "resources/b.fmu") + through) +
             W::connections(W::connection("a.y", "through.in") + W::connection("through.out", "b.u"))));
  expect_connected();
}

TEST_F(Oddities, AConnectionThatIsGivenTwiceCountsOnce) {
  w.structure(W::ssd(W::elements(W::component("a", "resources/a.fmu", W::connectors({{"y", "output"}})) +
                                 W::component("b", "resources/b.fmu", W::connectors({{"u", "input"}}))) +
                     W::connections(W::connection("a.y", "b.u") + "\n" + W::connection("b.u", "a.y"))));
  expect_connected();
  EXPECT_THAT(w.problems(), HasSubstr("SystemStructure.ssd:3: warning: the connection a.y → b.u occurs twice"));
}

TEST_F(Oddities, LongNamesAreNames) {
  const std::string name(5000, 'n');
  w.structure(W::ssd(W::elements(W::component(name, "resources/a.fmu") + W::component("b", "resources/b.fmu")) +
                     W::connections(W::connection(name + ".y", "b.u"))));
  EXPECT_TRUE(comes_from(w.plan(), "b.u", name + ".y"));
}

TEST_F(Oddities, PortsAndTasksOfOpenMcxAreUnderstood) {
  const auto port = [](std::string_view name, std::string_view kind, std::string_view inside) {
    return fmt::format(
        R"(<ssd:Connectors><ssd:Connector name="{}" kind="{}"><ssc:Real/><ssd:Annotations><ssc:Annotation )"
        R"(type="com.avl.model.connect.ssp.port" xmlns:mc="p">{}</ssc:Annotation></ssd:Annotations></ssd:Connector>)"
        R"(</ssd:Connectors>)",
        name, kind, inside);
  };
  w.structure(W::ssd(
      W::elements(W::component("a", "resources/a.fmu",
                               port("out", "output", R"(<mc:Port nameInModel="y"><mc:Real/></mc:Port>)")) +
                  W::component("b", "resources/b.fmu",
                               port("in", "input", R"(<mc:Port nameInModel="u"><mc:Real default="8.0"/></mc:Port>)"))) +
          W::connections(W::connection("a.out", "b.in")),
      R"(<ssd:DefaultExperiment stopTime="1"><ssd:Annotations><ssc:Annotation type="com.avl.model.connect.ssp.task" )"
      R"(xmlns:mc="t"><mc:Task stepType="sequential" deltaTime="0.001"/></ssc:Annotation></ssd:Annotations>)"
      R"(</ssd:DefaultExperiment>)"));
  expect_connected();
  EXPECT_EQ(w.start("b.u"), "8");
  EXPECT_EQ(w.document().system.experiment.step, 0.001);
  EXPECT_EQ(w.document().run.stepper, "gauss-seidel");
}

TEST_F(Oddities, VectorPortsOfOpenMcxAreAnErrorThatSaysWhatToDo) {
  w.structure(W::ssd(W::elements(W::component(
      "a", "resources/a.fmu",
      R"(<ssd:Connectors><ssd:Connector name="y" kind="output"><ssd:Annotations><ssc:Annotation )"
      R"(type="com.avl.model.connect.ssp.port" xmlns:mc="p"><mc:Port><mc:RealVector startIndex="1" endIndex="3"/>)"
      R"(</mc:Port></ssc:Annotation></ssd:Annotations></ssd:Connector></ssd:Connectors>)"))));
  EXPECT_THAT(w.error(), AllOf(HasSubstr("the connector 'y' of 'a' stands for several variables"),
                               HasSubstr("connect them one by one")));
}

// --- packages that cannot be run can be looked at

TEST_F(Oddities, WhatCannotBeRunCanBeLookedAt) {
  w.structure(W::ssd(pair_of("resources/gone.fmu", "http://example.org/b.fmu")));
  EXPECT_THAT(w.error(), HasSubstr("gone.fmu"));
  const auto document = read_system(w.folder(), {.look = true});
  ASSERT_EQ(document.system.components.size(), 2U);
  EXPECT_EQ(document.system.components[1].connectors.at(0).name, "u");
  EXPECT_THAT(document.system.notes, Contains(AllOf(HasSubstr("cannot be run"), HasSubstr("gone.fmu"))));
}

}  // namespace
}  // namespace consort::ssp
