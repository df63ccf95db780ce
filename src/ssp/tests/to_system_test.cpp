#include <filesystem>
#include <fstream>

#include "ssp/tests/workshop.hpp"

namespace consort::ssp {
namespace {

using graph::comes_from;
using graph::route_of;
using ::testing::HasSubstr;

// Two FMUs: a with an output y, and b with an input u.
struct Systems : ::testing::Test {
  Systems() {
    w.fmu("resources/a.fmu").parameter("k").input("u").output("y").output("z");
    w.fmu("resources/b.fmu").parameter("k").input("u").input("v").output("y");
  }
  static std::string a(std::string_view inside = {}) {
    return Workshop::component(
        "a", "resources/a.fmu",
        inside.empty() ? Workshop::connectors({{"u", "input"}, {"y", "output"}, {"z", "output"}}) : inside);
  }
  static std::string b(std::string_view inside = {}) {
    return Workshop::component(
        "b", "resources/b.fmu",
        inside.empty() ? Workshop::connectors({{"u", "input"}, {"v", "input"}, {"y", "output"}}) : inside);
  }
  Workshop w;
};

TEST_F(Systems, AreReadFromArchivesFoldersAndFiles) {
  w.structure(Workshop::ssd(Workshop::elements(a() + b()) + Workshop::connections(Workshop::connection("a.y", "b.u")),
                            R"(<ssd:DefaultExperiment startTime="1" stopTime="5"/>)"));
  for (const auto& path : {w.folder(), w.folder() / "SystemStructure.ssd", w.packed()}) {
    const auto& plan = w.plan(path);
    EXPECT_EQ(plan.name, "plan");
    ASSERT_EQ(plan.units.size(), 2U) << path;
    EXPECT_TRUE(comes_from(plan, "b.u", "a.y"));
    EXPECT_EQ(plan.experiment.start, 1);
    EXPECT_EQ(plan.experiment.stop, 5);
  }
}

TEST_F(Systems, TheFolderOfAnArchiveLivesAsLongAsTheSystem) {
  w.structure(Workshop::ssd(Workshop::elements(a())));
  std::filesystem::path unpacked;
  {
    const graph::System system = read_system(w.packed()).system;
    const graph::System copy = system;
    unpacked = copy.components.at(0).source;
    EXPECT_TRUE(std::filesystem::exists(unpacked));
  }
  EXPECT_FALSE(std::filesystem::exists(unpacked));
}

// SSP 2.0, 5.3.2: the kinds of the connectors give the direction of a connection, not start and end.
TEST_F(Systems, KindsDecideTheDirectionOfConnections) {
  w.structure(
      Workshop::ssd(Workshop::connectors({{"in", "input"}, {"out", "output"}}) + Workshop::elements(a() + b()) +
                    Workshop::connections(Workshop::connection("b.u", "a.y") + Workshop::connection("b.v", "in") +
                                          Workshop::connection("out", "a.z"))));
  const auto& plan = w.plan();
  EXPECT_TRUE(comes_from(plan, "b.u", "a.y"));
  ASSERT_EQ(plan.externals.size(), 1U);
  EXPECT_EQ(plan.externals[0].name, "in");
  ASSERT_EQ(plan.connectors.size(), 1U);
  EXPECT_EQ(plan.connectors[0].name, "out");
}

TEST_F(Systems, ConnectorsThatCanBeEitherTakeTheDirectionOfTheOtherEnd) {
  w.structure(
      Workshop::ssd(Workshop::elements(a(Workshop::connectors({{"y", "unspecified"}})) + b()) +
                    Workshop::connections(Workshop::connection("b.u", "a.y") + Workshop::connection("a.z", "b.v"))));
  const auto& plan = w.plan();
  EXPECT_TRUE(comes_from(plan, "b.u", "a.y"));
  EXPECT_TRUE(comes_from(plan, "b.v", "a.z"));  // kinds not declared: the start is the source
}

TEST_F(Systems, NestedSystemsPassSignalsThroughTheirConnectors) {
  const std::string inner =
      "<ssd:System name=\"inner\">" + Workshop::connectors({{"in", "input"}, {"out", "output"}}) +
      Workshop::elements(b()) +
      Workshop::connections(Workshop::connection("in", "b.u") + Workshop::connection("b.y", "out")) + "</ssd:System>";
  w.structure(
      Workshop::ssd(Workshop::elements(a() + inner) + Workshop::connections(Workshop::connection("a.y", "inner.in") +
                                                                            Workshop::connection("inner.out", "a.u"))));
  const auto& plan = w.plan();
  EXPECT_TRUE(comes_from(plan, "inner.b.u", "a.y"));
  EXPECT_TRUE(comes_from(plan, "a.u", "inner.b.y"));
}

TEST_F(Systems, ASystemWithAnIdCanBeUsedAgain) {
  const std::string inner = "<ssd:System name=\"first\" id=\"twin\">" + Workshop::connectors({{"in", "input"}}) +
                            Workshop::elements(b()) + Workshop::connections(Workshop::connection("in", "b.u")) +
                            "</ssd:System>";
  w.structure(Workshop::ssd(
      Workshop::elements(a() + inner +
                         R"(<ssd:Component name="second" type="application/x-ssp-definition" source="#twin">)" +
                         Workshop::connectors({{"in", "input"}}) + "</ssd:Component>") +
      Workshop::connections(Workshop::connection("a.y", "first.in") + Workshop::connection("a.z", "second.in"))));
  const auto& plan = w.plan();
  EXPECT_TRUE(comes_from(plan, "first.b.u", "a.y"));
  EXPECT_TRUE(comes_from(plan, "second.b.u", "a.z"));
}

TEST_F(Systems, ComponentsCanBeOtherStructuresAndPackages) {
  const auto sub =
      Workshop::ssd(Workshop::connectors({{"in", "input"}}) + Workshop::elements(Workshop::component("b", "b.fmu")) +
                    Workshop::connections(Workshop::connection("in", "b.u")));
  w.file("resources/sub.ssd", sub);
  Workshop inner;
  static_cast<void>(inner.fmu("b.fmu"));
  inner.structure(sub);
  inner.file("VarB.ssd", Workshop::ssd(Workshop::connectors({{"in", "input"}}) +
                                       Workshop::elements(Workshop::component("b", "b.fmu")) +
                                       Workshop::connections(Workshop::connection("in", "b.v"))));
  std::filesystem::copy_file(inner.packed(), w.folder() / "resources/sub.ssp");
  const auto part = [](std::string_view name, std::string_view type, std::string_view source) {
    return fmt::format(R"(<ssd:Component name="{}" type="application/x-ssp-{}" source="{}">{}</ssd:Component>)", name,
                       type, source, Workshop::connectors({{"in", "input"}}));
  };
  w.structure(Workshop::ssd(Workshop::elements(a() + part("file", "definition", "resources/sub.ssd") +
                                               part("package", "package", "resources/sub.ssp") +
                                               part("variant", "package", "resources/sub.ssp#VarB.ssd")) +
                            Workshop::connections(Workshop::connection("a.y", "file.in") +
                                                  Workshop::connection("a.y", "package.in") +
                                                  Workshop::connection("a.z", "variant.in"))));
  for (const auto& path : {w.folder(), w.packed()}) {
    const auto& plan = w.plan(path);
    EXPECT_TRUE(comes_from(plan, "file.b.u", "a.y"));
    EXPECT_TRUE(comes_from(plan, "package.b.u", "a.y"));
    EXPECT_TRUE(comes_from(plan, "variant.b.v", "a.z"));
  }
}

TEST_F(Systems, APackageThatContainsItselfIsAnError) {
  w.structure(Workshop::ssd(Workshop::elements(
      R"(<ssd:Component name="again" type="application/x-ssp-definition" source="SystemStructure.ssd"/>)")));
  EXPECT_THAT(w.error(), HasSubstr("contains itself"));
  w.structure(Workshop::ssd(Workshop::elements(
      R"(<ssd:System name="s" id="me"><ssd:Elements><ssd:Component name="again" type="application/x-ssp-definition" source="#me"/></ssd:Elements></ssd:System>)")));
  EXPECT_THAT(w.error(), HasSubstr("contains itself"));
}

TEST_F(Systems, VariantsAreChosenByFileOrName) {
  const auto with = [&](std::string_view unit, std::string_view name) {
    auto text = Workshop::ssd(Workshop::elements(Workshop::component(unit, "resources/a.fmu")));
    text.replace(text.find("name=\"plan\""), 11, fmt::format("name=\"{}\"", name));
    return text;
  };
  w.structure(with("standard", "the usual")).file("VarA.ssd", with("fast", "quick one"));
  EXPECT_EQ(w.plan().units.at(0).name, "standard");
  for (const auto* variant : {"VarA", "VarA.ssd", "quick one"})
    EXPECT_EQ(w.plan(w.packed(), {variant}).units.at(0).name, "fast") << variant;
  EXPECT_THAT(w.error({"slow"}), HasSubstr("there is no variant 'slow'; there are 'the usual' (SystemStructure.ssd), "
                                           "'quick one' (VarA.ssd)"));
}

TEST_F(Systems, ComponentsWithoutASourceAreDesignedAndEmpty) {
  w.structure(Workshop::ssd(
      Workshop::elements(a() + "<ssd:Component name=\"later\">" +
                         Workshop::connectors({{"in", "input"}, {"out", "output"}}) + "</ssd:Component>") +
      Workshop::connections(Workshop::connection("a.y", "later.in") + Workshop::connection("later.out", "a.u"))));
  const auto& plan = w.plan();
  EXPECT_EQ(plan.units.size(), 1U);
  EXPECT_EQ(plan.connections.size(), 0U);
  EXPECT_THAT(plan.notes, ::testing::Contains(HasSubstr("the component 'later' has no implementation")));
}

TEST_F(Systems, TheImplementationChoosesTheInterface) {
  w.structure(Workshop::ssd(
      Workshop::elements(R"(<ssd:Component name="any" source="resources/a.fmu"/>)"
                         R"(<ssd:Component name="me" source="resources/a.fmu" implementation="ModelExchange"/>)"
                         R"(<ssd:Component name="cs" source="resources/a.fmu" implementation="CoSimulation"/>)")));
  const auto& plan = w.plan();
  EXPECT_FALSE(plan.units[0].component.interface.has_value());
  EXPECT_EQ(plan.units[1].component.interface, describe::InterfaceType::model_exchange);
  EXPECT_EQ(plan.units[2].component.interface, describe::InterfaceType::co_simulation);
}

// --- arrays, transformations -----------------------------------------------------------------------------------------

TEST(Arrays, WholeArraysAndElementsAreConnected) {
  Workshop w;
  w.fmu("a.fmu").output("y").sized({2, 2});
  w.fmu("b.fmu").input("u").sized({2, 2}).input("v").input("x");
  w.structure(Workshop::ssd(Workshop::elements(Workshop::component("a", "a.fmu") + Workshop::component("b", "b.fmu")) +
                            Workshop::connections(Workshop::connection("a.y", "b.u") +
                                                  Workshop::connection("a.y", "b.v", "startIndices=\"2 1\"") +
                                                  Workshop::connection("a.y", "b.x", "startIndices=\"1 2\""))));
  const auto& plan = w.plan();
  for (std::uint32_t e = 0; e < 4; ++e) EXPECT_TRUE(comes_from(plan, "b.u", "a.y", e, e));
  EXPECT_TRUE(comes_from(plan, "b.v", "a.y", 0, 2));
  EXPECT_TRUE(comes_from(plan, "b.x", "a.y", 0, 1));
}

TEST(Arrays, ElementsPassThroughConnectorsOfSystems) {
  Workshop w;
  w.fmu("a.fmu").output("y").sized({2}).output("z");
  w.fmu("b.fmu").input("u").sized({2}).input("v");
  const std::string inner =
      Workshop::connectors({{"in", "input"}, {"out", "output"}}, R"(<ssc:Float64/><ssd:Dimension size="2"/>)") +
      Workshop::elements(Workshop::component("a", "a.fmu") + Workshop::component("b", "b.fmu")) +
      Workshop::connections(Workshop::connection("in", "b.u") + Workshop::connection("a.y", "out"));
  w.structure(Workshop::ssd(
      Workshop::elements(Workshop::component("a", "a.fmu") + Workshop::component("b", "b.fmu") +
                         "<ssd:System name=\"inner\">" + inner + "</ssd:System>") +
      Workshop::connections(Workshop::connection("a.z", "inner.in", "endIndices=\"2\"") +
                            Workshop::connection("inner.out", "b.v", "startIndices=\"2\"") +
                            Workshop::connection("inner.out", "b.u", "startIndices=\"1\" endIndices=\"2\""))));
  const auto& plan = w.plan();
  EXPECT_TRUE(comes_from(plan, "inner.b.u", "a.z", 1, 0));
  EXPECT_TRUE(comes_from(plan, "b.v", "inner.a.y", 0, 1));
  EXPECT_TRUE(comes_from(plan, "b.u", "inner.a.y", 1, 0));
}

struct Transformed {
  const char* name;
  Type from, to;
  const char* inside;
  double factor, offset;
  std::vector<std::pair<std::string, std::string>> mapping;
};
struct Transformations : ::testing::TestWithParam<Transformed> {};

TEST_P(Transformations, AreThoseOfTheConnection) {
  const auto& p = GetParam();
  Workshop w;
  w.fmu("a.fmu").output("y", p.from);
  w.fmu("b.fmu").input("u", p.to);
  w.structure(Workshop::ssd(Workshop::elements(Workshop::component("a", "a.fmu") + Workshop::component("b", "b.fmu")) +
                            Workshop::connections(Workshop::connection("a.y", "b.u", "", p.inside))));
  const auto& plan = w.plan();
  EXPECT_TRUE(comes_from(plan, "b.u", "a.y"));
  const auto route = route_of(plan, "b.u");
  EXPECT_EQ(route->factor, p.factor);
  EXPECT_EQ(route->offset, p.offset);
  if (p.mapping.empty()) return;
  ASSERT_NE(route->conversion, nullptr);
  EXPECT_TRUE(route->conversion->partial);
  ASSERT_EQ(route->conversion->mapping.size(), p.mapping.size());
  for (std::size_t i = 0; i < p.mapping.size(); ++i) {
    EXPECT_EQ(route->conversion->mapping[i].first.text(), p.mapping[i].first);
    EXPECT_EQ(route->conversion->mapping[i].second.text(), p.mapping[i].second);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ssp, Transformations,
    ::testing::Values(
        Transformed{
            "linear", Type::Float64, Type::Float64, R"(<ssc:LinearTransformation factor="3" offset="-1"/>)", 3, -1, {}},
        Transformed{"defaults", Type::Float64, Type::Float64, R"(<ssc:LinearTransformation/>)", 1, 0, {}},
        Transformed{
            "booleans",
            Type::Boolean,
            Type::Boolean,
            R"(<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="0"/><ssc:MapEntry source="0" target="1"/></ssc:BooleanMappingTransformation>)",
            1,
            0,
            {{"true", "false"}, {"false", "true"}}},
        Transformed{
            "integers",
            Type::Int32,
            Type::Int8,
            R"(<ssc:IntegerMappingTransformation><ssc:MapEntry source="1000" target="1"/></ssc:IntegerMappingTransformation>)",
            1,
            0,
            {{"1000", "1"}}},
        // Source values that the connector's type cannot hold are ignored.
        Transformed{
            "too_large",
            Type::Int8,
            Type::Int32,
            R"(<ssc:IntegerMappingTransformation><ssc:MapEntry source="1000" target="1"/><ssc:MapEntry source="2" target="2000"/></ssc:IntegerMappingTransformation>)",
            1,
            0,
            {{"2", "2000"}}}),
    [](const auto& one) { return one.param.name; });

TEST(Enumerations, ItemsAreMappedByTheNamesThatTheFileDefines) {
  Workshop w;
  w.fmu("a.fmu").output("mode", Type::Enumeration);
  w.fmu("b.fmu").input("gear", Type::Enumeration);
  const auto typed = [](std::string_view name, std::string_view kind, std::string_view type) {
    return fmt::format(
        R"(<ssd:Connectors><ssd:Connector name="{}" kind="{}"><ssc:Enumeration name="{}"/></ssd:Connector></ssd:Connectors>)",
        name, kind, type);
  };
  w.structure(Workshop::ssd(
      Workshop::elements(Workshop::component("a", "a.fmu", typed("mode", "output", "Mode")) +
                         Workshop::component("b", "b.fmu", typed("gear", "input", "Gear"))) +
          Workshop::connections(Workshop::connection(
              "a.mode", "b.gear", "",
              R"(<ssc:EnumerationMappingTransformation><ssc:MapEntry source="off" target="neutral"/><ssc:MapEntry source="on" target="first"/></ssc:EnumerationMappingTransformation>)")),
      R"(<ssd:Enumerations><ssc:Enumeration name="Mode"><ssc:Item name="off" value="1"/><ssc:Item name="on" value="2"/></ssc:Enumeration>)"
      R"(<ssc:Enumeration name="Gear"><ssc:Item name="neutral" value="0"/><ssc:Item name="first" value="11"/></ssc:Enumeration></ssd:Enumerations>)"));
  const auto route = route_of(w.plan(), "b.gear");
  ASSERT_TRUE(route && route->conversion != nullptr);
  EXPECT_EQ(route->conversion->mapping.at(0).first.text(), "1");
  EXPECT_EQ(route->conversion->mapping.at(0).second.text(), "0");
  EXPECT_EQ(route->conversion->mapping.at(1).first.text(), "2");
  EXPECT_EQ(route->conversion->mapping.at(1).second.text(), "11");
}

// --- errors ----------------------------------------------------------------------------------------------------------

TEST_F(Systems, AMissingFmuSaysWhichComponentWantedIt) {
  w.structure(Workshop::ssd(Workshop::elements(a() + "\n" + Workshop::component("wheel", "resources/wheel.fmu"))));
  EXPECT_THAT(w.error(),
              HasSubstr("package/SystemStructure.ssd:3: error: the component 'wheel' needs "
                        "'package/resources/wheel.fmu', which does not exist; put the FMU into the package"));
}

struct Escapes : ::testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(Escapes, AreRefused) {
  Workshop w;
  w.structure(Workshop::ssd(Workshop::elements(Workshop::component("c", GetParam().first))));
  EXPECT_THAT(w.error(), HasSubstr(GetParam().second));
}
INSTANTIATE_TEST_SUITE_P(Ssp, Escapes,
                         ::testing::Values(std::pair("../outside.fmu", "leads out of the package"),
                                           std::pair("resources/../../outside.fmu", "leads out of the package"),
                                           std::pair("resources%2F..%2F..%2Foutside.fmu", "leads out of the package"),
                                           std::pair("..\\outside.fmu", "leads out of the package"),
                                           std::pair("/etc/outside.fmu", "is a path of the machine"),
                                           std::pair("C:/outside.fmu", "is a path of the machine"),
                                           std::pair("file:///etc/outside.fmu", "is a path of the machine"),
                                           std::pair("file:///C:/outside.fmu", "is a path of the machine"),
                                           std::pair("ftp://example.org/a.fmu", "is not fetched"),
                                           std::pair("http://example.org/a.fmu", "is not fetched"),
                                           std::pair("https://example.org/a.fmu", "download the file")));

TEST_F(Systems, LinksThatLeadOutOfAFolderAreRefused) {
  std::filesystem::create_symlink("/etc", w.folder() / "link");
  w.structure(Workshop::ssd(Workshop::elements(Workshop::component("c", "link/hostname"))));
  EXPECT_THAT(w.error(), HasSubstr("leads out of the package"));
}

TEST_F(Systems, NamesOfFilesMayBeEscaped) {
  static_cast<void>(w.fmu("resources/a b.fmu"));
  w.structure(Workshop::ssd(Workshop::elements(Workshop::component("c", "resources/a%20b.fmu"))));
  EXPECT_EQ(w.plan().units.size(), 1U);
}

struct Problem {
  const char* name;
  std::string text;
  const char* said;
};
struct Problems : Systems, ::testing::WithParamInterface<Problem> {};
TEST_P(Problems, AreToldWithTheirLine) {
  w.structure(GetParam().text);
  EXPECT_THAT(w.problems(), HasSubstr(GetParam().said));
}
INSTANTIATE_TEST_SUITE_P(
    Ssp, Problems,
    ::testing::Values(
        Problem{"two_elements", Workshop::ssd(Workshop::elements(Systems::a() + "\n" + Systems::a())),
                "SystemStructure.ssd:3: error: the system 'root' has two elements 'a'; rename one"},
        Problem{"two_connectors", Workshop::ssd(Workshop::connectors({{"x", "input"}, {"x", "output"}})),
                "SystemStructure.ssd:2: error: the system 'root' has two connectors 'x'"},
        Problem{"no_element",
                Workshop::ssd(Workshop::elements(Systems::a()) + "\n" +
                              Workshop::connections(Workshop::connection("a.y", "bee.u"))),
                "SystemStructure.ssd:3: error: the connection names the element 'bee'"},
        Problem{"no_connector",
                Workshop::ssd(Workshop::elements(Systems::a() + Systems::b()) +
                              Workshop::connections(Workshop::connection("a.yy", "b.u"))),
                "'a' has no connector 'yy'; did you mean 'y'"},
        Problem{"two_sources",
                Workshop::ssd(Workshop::elements(Systems::a() + Systems::b()) +
                              Workshop::connections(Workshop::connection("a.y", "b.y"))),
                "error: 'a.y' (output) and 'b.y' (output) cannot be connected: both are sources"},
        Problem{"no_source",
                Workshop::ssd(Workshop::elements(Systems::a() + Systems::b()) +
                              Workshop::connections(Workshop::connection("a.u", "b.u"))),
                "neither is a source"},
        Problem{
            "modelica",
            Workshop::ssd(
                Workshop::elements(R"(<ssd:Component name="m" type="text/x-modelica; path=A.B" source="A.mo"/>)")),
            "the component 'm' is of type 'text/x-modelica; path=A.B', which is not supported; export it as an FMU"},
        Problem{"no_values", Workshop::ssd(Workshop::bindings(R"(<ssd:ParameterBinding source="none.ssv"/>)")),
                "there is no file 'package/none.ssv'; put it into the package"},
        Problem{
            "no_dictionary",
            Workshop::ssd(Workshop::elements(R"(<ssd:SignalDictionaryReference name="r" dictionary="d"/>)")),
            "'r' refers to the signal dictionary 'd', but neither the system 'root' nor an enclosing system has it"}),
    [](const auto& one) { return one.param.name; });

TEST(Packages, WithoutAStructureAreRefused) {
  Workshop w;
  w.file("plan/SystemStructure.ssd", Workshop::ssd(""));
  EXPECT_THAT(w.error(), HasSubstr("has no 'SystemStructure.ssd' at its root; pack the files themselves"));
}

}  // namespace
}  // namespace consort::ssp
