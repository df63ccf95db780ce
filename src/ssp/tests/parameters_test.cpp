#include <filesystem>
#include <fstream>

#include "os/archive.hpp"
#include "ssp/tests/workshop.hpp"

namespace consort::ssp {
namespace {

using ::testing::HasSubstr;
using W = Workshop;

// --- precedence (SSP 2.0, 5.2.3) -------------------------------------------------------------------------------------

// The root contains the system s, which contains the FMU p; each of the three has bindings.
struct Levels {
  const char* name;
  std::string on_component, on_system, on_root;
  const char* expected;  // of k in p
};
struct Precedence : ::testing::TestWithParam<Levels> {};

TEST_P(Precedence, IsThatOfTheStandard) {
  const auto& p = GetParam();
  W w;
  w.fmu("p.fmu").parameter("k");
  w.structure(
      W::ssd(W::bindings(p.on_root) +
             W::elements("<ssd:System name=\"s\">" + W::bindings(p.on_system) +
                         W::elements(W::component("p", "p.fmu", W::bindings(p.on_component))) + "</ssd:System>")));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.start("s.p.k"), p.expected);
}

INSTANTIATE_TEST_SUITE_P(
    Ssp, Precedence,
    ::testing::Values(
        Levels{"nothing", "", "", "", "-"},  //
        Levels{"component", W::binding(W::real("k", 1)), "", "", "1"},
        Levels{"later_beats_earlier", W::binding(W::real("k", 1)) + W::binding(W::real("k", 2)), "", "", "2"},
        Levels{"later_without_it_does_not", W::binding(W::real("k", 1)) + W::binding(W::real("j", 2)), "", "", "1"},
        Levels{"system_beats_component", W::binding(W::real("k", 1)), W::binding(W::real("p.k", 2)), "", "2"},
        Levels{"root_beats_both", W::binding(W::real("k", 1)), W::binding(W::real("p.k", 2)),
               W::binding(W::real("s.p.k", 3)), "3"},
        Levels{"root_beats_component", W::binding(W::real("k", 1)), "", W::binding(W::real("s.p.k", 3)), "3"},
        Levels{"names_are_those_of_the_level", "", W::binding(W::real("k", 2)), W::binding(W::real("p.k", 3)), "-"},
        Levels{"component_may_name_itself", W::binding(W::real("p.k", 1)), "", "", "1"},  // as OMSimulator does
        Levels{"unknown_names_are_ignored", W::binding(W::real("nothing", 1)), W::binding(W::real("q.k", 1)),
               W::binding(W::real("s.p.j", 3)), "-"},
        Levels{"prefix", "", "", W::binding(W::real("k", 4), "prefix=\"s.p.\""), "4"},
        Levels{"prefix_on_the_way", "", W::binding(W::real("k", 5), "prefix=\"p.\""), "", "5"}),
    [](const auto& one) { return one.param.name; });

// --- mappings (SSP 2.0, 7.1) -----------------------------------------------------------------------------------------

std::string mapping(std::string_view entries) {
  return fmt::format(
      R"(<ssd:ParameterMapping><ssm:ParameterMapping version="2.0" )"
      R"(xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping">{}</ssm:ParameterMapping></ssd:ParameterMapping>)",
      entries);
}
std::string entry(std::string_view source, std::string_view target, std::string_view attributes = {},
                  std::string_view inside = {}) {
  return fmt::format(R"(<ssm:MappingEntry source="{}" target="{}" {}>{}</ssm:MappingEntry>)", source, target,
                     attributes, inside);
}

TEST(Mappings, ApplyOnlyWhatTheyName) {
  W w;
  w.fmu("p.fmu").parameter("k").parameter("j").parameter("x").parameter("y");
  w.structure(W::ssd(W::elements(
      W::component("p", "p.fmu",
                   W::bindings(W::binding(W::real("k", 1) + W::real("j", 2) + W::real("x", 3), "",
                                          mapping(entry("k", "x") + entry("k", "y") + entry("no", "j"))))))));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.start("p.x"), "1");  // k, not x
  EXPECT_EQ(w.start("p.y"), "1");  // one source, two targets
  EXPECT_EQ(w.start("p.k"), "-");
  EXPECT_EQ(w.start("p.j"), "-");
}

TEST(Mappings, OfMissingParametersAreReportedOncePerSource) {
  W w;
  w.fmu("p.fmu").parameter("k").parameter("j").parameter("x").parameter("y");
  w.structure(
      W::ssd(W::elements(W::component("p", "p.fmu",
                                      W::bindings(W::binding(W::real("z", 1), "",
                                                             mapping(entry("", "k") + entry("", "j") + entry("", "x") +
                                                                     entry("", "y") + entry("no", "k"))))))));
  EXPECT_THAT(w.problems(), AllOf(HasSubstr("'' is mapped to 'k', 'j', 'x' and 1 more, but no parameter"),
                                  HasSubstr("'no' is mapped to 'k', but no parameter")));
}

TEST(Mappings, SeeNamesWithTheirPrefix) {
  W w;
  w.fmu("p.fmu").parameter("k");
  w.structure(W::ssd(
      W::bindings(W::binding(W::real("k", 1), "prefix=\"in.\"", mapping(entry("in.k", "p.k") + entry("k", "p.k")))) +
      W::elements(W::component("p", "p.fmu"))));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.start("p.k"), "1");
}

// --- units and transformations ---------------------------------------------------------------------------------------

constexpr std::string_view units_of_sets =
    R"(<ssv:Units><ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit>)"
    R"(<ssc:Unit name="K"><ssc:BaseUnit K="1"/></ssc:Unit>)"
    R"(<ssc:Unit name="mine"><ssc:BaseUnit kg="1" m="-1" s="-2" factor="1e5"/></ssc:Unit>)"
    R"(<ssc:Unit name="bar"><ssc:BaseUnit kg="1" m="-1" s="-2" factor="2e5"/></ssc:Unit>)"
    R"(<ssc:Unit name="deg"><ssc:BaseUnit rad="1" factor="0.017453292519943295"/></ssc:Unit></ssv:Units>)";

struct Converted {
  const char* name;
  const char* variable;  // T in K, p in Pa, phi in rad, alpha in deg, free without a unit
  double value;
  const char* unit;
  std::string mapping;
  const char* expected;
};
struct Values : ::testing::TestWithParam<Converted> {};

TEST_P(Values, AreConvertedThenTransformed) {
  const auto& p = GetParam();
  W w;
  auto& plant = w.fmu("p.fmu");
  plant.parameter("T", Type::Float64, "K").parameter("p", Type::Float64, "Pa").parameter("phi", Type::Float64, "rad");
  plant.parameter("alpha", Type::Float64, "deg").parameter("free").parameter("n", Type::Int32);
  plant.define("K", graph::kelvin).define("Pa", graph::pascal).define("rad", graph::radian);
  plant.define("deg", graph::degree);
  w.structure(W::ssd(W::elements(
      W::component("c", "p.fmu",
                   W::bindings(W::binding(W::real(p.mapping.empty() ? p.variable : "value", p.value, p.unit), "",
                                          p.mapping, units_of_sets))))));
  static_cast<void>(w.plan());
  const auto text = w.start(std::string("c.") + p.variable);
  ASSERT_NE(text, "-");
  EXPECT_NEAR(std::stod(text), std::stod(p.expected), 1e-12 * std::abs(std::stod(p.expected))) << p.name;
}

INSTANTIATE_TEST_SUITE_P(
    Ssp, Values,
    ::testing::Values(
        Converted{"as_it_is", "T", 300, "", "", "300"},  //
        Converted{"celsius_to_kelvin", "T", 20, "degC", "", "293.15"},
        Converted{"kelvin_to_kelvin", "T", 20, "K", "", "20"},
        Converted{"bar_of_the_file_to_pascal", "p", 3, "mine", "", "300000"},
        Converted{"the_definition_of_the_file_counts", "p", 3, "bar", "", "600000"},
        Converted{"degrees_to_radians", "phi", 180, "deg", "", "3.141592653589793"},
        Converted{"a_variable_without_a_unit_takes_the_number", "free", 3, "mine", "", "3"},
        Converted{"an_undefined_unit_takes_the_number", "T", 3, "nobodys", "", "3"},
        Converted{"a_real_for_an_integer", "n", 3, "", "", "3"},
        // SSP 2.0, 7.1.1: conversion first, then transformation
        Converted{"conversion_then_transformation", "T", 20, "degC",
                  mapping(entry("value", "T", "", R"(<ssc:LinearTransformation factor="2" offset="1"/>)")), "587.3"},
        Converted{"suppressed_conversion", "T", 20, "degC",
                  mapping(entry("value", "T", "suppressUnitConversion=\"true\"")), "20"},
        Converted{"transformation_instead_of_conversion", "T", 20, "degC",
                  mapping(entry("value", "T", "suppressUnitConversion=\"true\"",
                                R"(<ssc:LinearTransformation factor="2" offset="1"/>)")),
                  "41"}),
    [](const auto& one) { return one.param.name; });

TEST(SetValues, ThatMeasureSomethingElseAreAnError) {
  W w;
  w.fmu("p.fmu").parameter("T", Type::Float64, "K").define("K", graph::kelvin);
  w.structure(W::ssd(
      W::elements(W::component("c", "p.fmu", W::bindings(W::binding(W::real("T", 1, "bar"), "", "", units_of_sets))))));
  EXPECT_THAT(w.error(), HasSubstr("'T' has the unit 'K', but its value is in 'bar', which cannot be converted"));
}

TEST(SetValues, OfEveryTypeAreSet) {
  W w;
  auto& plant = w.fmu("p.fmu");
  plant.parameter("i", Type::Int64).parameter("u", Type::UInt8).parameter("b", Type::Boolean);
  plant.parameter("s", Type::String).parameter("x", Type::Binary).parameter("v").sized({2, 2});
  plant.parameter("e", Type::Enumeration).parameter("en", Type::Int32);
  const auto value = [](std::string_view name, std::string_view type) {
    return fmt::format(R"(<ssv:Parameter name="{}"><ssv:{}/></ssv:Parameter>)", name, type);
  };
  w.structure(W::ssd(W::elements(W::component(
      "c", "p.fmu",
      W::bindings(W::binding(
          value("i", R"(Int64 value="-9223372036854775808")") + value("u", R"(UInt8 value="255")") +
              value("b", R"(Boolean value="true")") + value("s", R"(String value="two  words")") +
              value("x", R"(Binary value="0aFF")") + value("v", R"(Float64 value="1 2 3 4")") +
              value("e", R"(Enumeration value="2")") + value("en", R"(Enumeration value="fast" name="Mode")"),
          "", "",
          R"(<ssv:Enumerations><ssc:Enumeration name="Mode"><ssc:Item name="fast" value="7"/></ssc:Enumeration></ssv:Enumerations>)"))))));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.start("c.i"), "-9223372036854775808");
  EXPECT_EQ(w.start("c.u"), "255");
  EXPECT_EQ(w.start("c.b"), "true");
  EXPECT_EQ(w.start("c.s"), "two  words");
  EXPECT_THAT(w.start("c.x"), ::testing::StrCaseEq("0aff"));
  EXPECT_EQ(w.start("c.v"), "1 2 3 4");
  EXPECT_EQ(w.start("c.e"), "2");
  EXPECT_EQ(w.start("c.en"), "7");  // the item's number, since the variable has no items
}

TEST(SetValues, AreMappedByTables) {
  W w;
  w.fmu("p.fmu").parameter("b", Type::Boolean).parameter("n", Type::Int32).parameter("m", Type::Int32);
  const std::string set = R"(<ssv:Parameter name="b"><ssv:Boolean value="1"/></ssv:Parameter>)"
                          R"(<ssv:Parameter name="n"><ssv:Integer value="3"/></ssv:Parameter>)";
  w.structure(W::ssd(W::elements(W::component(
      "c", "p.fmu",
      W::bindings(W::binding(
          set, "",
          mapping(
              entry(
                  "b", "b", "",
                  R"(<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/></ssc:BooleanMappingTransformation>)") +
              entry(
                  "n", "n", "",
                  R"(<ssc:IntegerMappingTransformation><ssc:MapEntry source="3" target="30"/></ssc:IntegerMappingTransformation>)") +
              // partial: values that are not listed stay unchanged
              entry(
                  "n", "m", "",
                  R"(<ssc:IntegerMappingTransformation><ssc:MapEntry source="4" target="40"/></ssc:IntegerMappingTransformation>)"))))))));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.start("c.b"), "false");
  EXPECT_EQ(w.start("c.n"), "30");
  EXPECT_EQ(w.start("c.m"), "3");
}

// --- sources and targets of values -----------------------------------------------------------------------------------

TEST(Bindings, ReadFilesBesideTheStructureAndInsideOfComponents) {
  W w;
  w.fmu("p.fmu").parameter("k").parameter("j");
  // An FMU that contains a parameter file and a mapping.
  W inside;
  inside.file("resources/values.ssv", W::ssv(W::real("a", 7)));
  inside.file("resources/map.ssm",
              R"(<ssm:ParameterMapping version="1.0">)" + entry("a", "j") + "</ssm:ParameterMapping>");
  os::pack(inside.folder(), w.folder() / "p.fmu");
  w.file("resources/values.ssv", W::ssv(W::real("k", 5)));
  w.structure(W::ssd(W::elements(W::component(
      "c", "p.fmu",
      W::bindings(
          R"(<ssd:ParameterBinding source="resources/values.ssv"/>)"
          R"(<ssd:ParameterBinding source="resources/values.ssv" sourceBase="component">)"
          R"(<ssd:ParameterMapping source="resources/map.ssm" sourceBase="component"/></ssd:ParameterBinding>)")))));
  static_cast<void>(w.plan(w.packed()));
  EXPECT_EQ(w.start("c.k"), "5");
  EXPECT_EQ(w.start("c.j"), "7");
}

TEST(Bindings, OfANestedPackageComeAfterThoseOfItsSystem) {
  W inner;
  inner.fmu("p.fmu").parameter("k");
  inner.structure(W::ssd(W::bindings(W::binding(W::real("p.k", 2))) +
                         W::elements(W::component("p", "p.fmu", W::bindings(W::binding(W::real("k", 1)))))));
  W w;
  w.fmu("unused.fmu").parameter("k");
  w.fmu("p.fmu").parameter("k");
  std::filesystem::copy_file(inner.packed(), w.folder() / "inner.ssp");
  const auto part = [](std::string_view inside) {
    return R"(<ssd:Component name="part" type="application/x-ssp-package" source="inner.ssp">)" + std::string(inside) +
           "</ssd:Component>";
  };
  w.structure(W::ssd(W::elements(part(""))));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.start("part.p.k"), "2");
  w.structure(W::ssd(W::elements(part(W::bindings(W::binding(W::real("p.k", 3)))))));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.start("part.p.k"), "3");
}

// A value for a parameter of a system is converted and passed to the parameters connected to it.
TEST(Bindings, OfSystemConnectorsReachWhatTheyAreConnectedTo) {
  W w;
  w.fmu("p.fmu").parameter("T", Type::Float64, "K").define("K", graph::kelvin);
  const auto connectors =
      R"(<ssd:Connectors><ssd:Connector name="warm" kind="parameter"><ssc:Real unit="degC"/></ssd:Connector></ssd:Connectors>)";
  w.structure(
      W::ssd(W::bindings(W::binding(W::real("s.warm", 10))) +
                 W::elements("<ssd:System name=\"s\">" + std::string(connectors) +
                             W::elements(W::component("c", "p.fmu", W::connectors({{"T", "parameter"}}))) +
                             W::connections(W::connection("warm", "c.T")) + "</ssd:System>"),
             R"(<ssd:Units><ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit></ssd:Units>)"));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.start("s.c.T"), "283.15");
}

// SSP 2.0, 5.2.3: names need not be unique; a value applies to every parameter with that name.
TEST(Bindings, ApplyToAllThatHaveTheName) {
  W w;
  w.fmu("p.fmu").parameter("k");
  w.structure(
      W::ssd(W::bindings(W::binding(W::real("a.b.k", 6))) +
             W::elements(W::component("a.b", "p.fmu") + "<ssd:System name=\"a\">" +
                         W::elements(W::component("c", "p.fmu") + "<ssd:System name=\"b\">" +
                                     W::connectors({{"k", "parameter"}}) + W::elements(W::component("d", "p.fmu")) +
                                     W::connections(W::connection("k", "d.k")) + "</ssd:System>") +
                         "</ssd:System>")));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.start("a.b.k"), "6");
  EXPECT_EQ(w.start("a.b.d.k"), "6");
  EXPECT_EQ(w.start("a.c.k"), "-");
}

TEST(Bindings, TellWhatWasLeftOut) {
  W w;
  w.fmu("p.fmu").parameter("k").output("y");
  w.structure(W::ssd(W::bindings(W::binding(W::real("p.none", 1) + W::real("p.y", 1))) +
                     W::elements(W::component("p", "p.fmu"))));
  const auto& plan = w.plan();
  EXPECT_THAT(plan.notes,
              ::testing::Contains(HasSubstr("1 parameter value ignored because no variable has that name: 'p.none'")));
  EXPECT_THAT(plan.notes, ::testing::Contains(HasSubstr("'p.y' is output")));
}

// --- units of connections --------------------------------------------------------------------------------------------

constexpr std::string_view units_of_files =
    R"(<ssd:Units><ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit>)"
    R"(<ssc:Unit name="K"><ssc:BaseUnit K="1"/></ssc:Unit>)"
    R"(<ssc:Unit name="bar"><ssc:BaseUnit kg="1" m="-1" s="-2" factor="100000"/></ssc:Unit>)"
    R"(<ssc:Unit name="Pa"><ssc:BaseUnit kg="1" m="-1" s="-2"/></ssc:Unit>)"
    R"(<ssc:Unit name="rad"><ssc:BaseUnit rad="1"/></ssc:Unit>)"
    R"(<ssc:Unit name="deg"><ssc:BaseUnit rad="1" factor="0.017453292519943295"/></ssc:Unit></ssd:Units>)";

struct Wired {
  const char* name;
  const char *from, *to, *attributes, *inside;
  double factor, offset;
};
struct ConnectionUnits : ::testing::TestWithParam<Wired> {};

TEST_P(ConnectionUnits, AreConvertedBeforeTheTransformation) {
  const auto& p = GetParam();
  W w;
  w.fmu("a.fmu").output("y");
  w.fmu("b.fmu").input("u");
  const auto measured = [](std::string_view unit) { return fmt::format(R"(<ssc:Real unit="{}"/>)", unit); };
  w.structure(W::ssd(W::elements(W::component("a", "a.fmu", W::connectors({{"y", "output"}}, measured(p.from))) +
                                 W::component("b", "b.fmu", W::connectors({{"u", "input"}}, measured(p.to)))) +
                         W::connections(W::connection("a.y", "b.u", p.attributes, p.inside)),
                     units_of_files));
  const auto route = graph::route_of(w.plan(), "b.u");
  ASSERT_TRUE(route.has_value());
  EXPECT_NEAR(route->factor, p.factor, 1e-14 * p.factor);
  EXPECT_NEAR(route->offset, p.offset, 1e-12);
}

constexpr const char* twice_plus_one = R"(<ssc:LinearTransformation factor="2" offset="1"/>)";
constexpr const char* suppressed = "suppressUnitConversion=\"true\"";
INSTANTIATE_TEST_SUITE_P(Ssp, ConnectionUnits,
                         ::testing::Values(Wired{"celsius_to_kelvin", "degC", "K", "", "", 1, 273.15},
                                           Wired{"kelvin_to_celsius", "K", "degC", "", "", 1, -273.15},
                                           Wired{"bar_to_pascal", "bar", "Pa", "", "", 1e5, 0},
                                           Wired{"pascal_to_bar", "Pa", "bar", "", "", 1e-5, 0},
                                           Wired{"degrees_to_radians", "deg", "rad", "", "", 0.017453292519943295, 0},
                                           Wired{"radians_to_degrees", "rad", "deg", "", "", 57.29577951308232, 0},
                                           Wired{"same", "Pa", "Pa", "", "", 1, 0},
                                           Wired{"suppressed", "bar", "Pa", suppressed, "", 1, 0},
                                           Wired{"and_transformed", "degC", "K", "", twice_plus_one, 2, 547.3},
                                           Wired{"transformed_instead", "degC", "K", suppressed, twice_plus_one, 2, 1}),
                         [](const auto& one) { return one.param.name; });

// --- signal dictionaries ---------------------------------------------------------------------------------------------

std::string dictionary(std::string_view name, std::string_view entries, std::string_view units = {}) {
  return fmt::format(
      R"(<ssd:SignalDictionary name="{}"><ssb:SignalDictionary version="2.0">{}{}</ssb:SignalDictionary>)"
      R"(</ssd:SignalDictionary>)",
      name, entries, units);
}
std::string reference(std::string_view name, std::string_view of, std::string_view connectors) {
  return fmt::format(R"(<ssd:SignalDictionaryReference name="{}" dictionary="{}">{}</ssd:SignalDictionaryReference>)",
                     name, of, connectors);
}

struct Dictionaries : ::testing::Test {
  Dictionaries() {
    w.fmu("a.fmu").output("y");
    w.fmu("b.fmu").input("u");
  }
  static std::string writer(std::string_view name, std::string_view inside) {
    return fmt::format("<ssd:System name=\"{}\">{}</ssd:System>", name,
                       W::elements(W::component("a", "a.fmu", W::connectors({{"y", "output"}})) + std::string(inside)) +
                           W::connections(W::connection("a.y", "bus.sig")));
  }
  static std::string reader(std::string_view name, std::string_view inside) {
    return fmt::format("<ssd:System name=\"{}\">{}</ssd:System>", name,
                       W::elements(W::component("b", "b.fmu", W::connectors({{"u", "input"}})) + std::string(inside)) +
                           W::connections(W::connection("bus.sig", "b.u")));
  }
  const std::string signal = R"(<ssb:DictionaryEntry name="sig"><ssc:Real/></ssb:DictionaryEntry>)";
  const std::string bus = reference("bus", "signals", W::connectors({{"sig", "inout"}}));
  W w;
};

TEST_F(Dictionaries, ConnectWithinASystem) {
  w.structure(W::ssd(W::elements(W::component("a", "a.fmu", W::connectors({{"y", "output"}})) +
                                 W::component("b", "b.fmu", W::connectors({{"u", "input"}})) +
                                 reference("one", "signals", W::connectors({{"sig", "inout"}})) +
                                 reference("two", "signals", W::connectors({{"sig", "inout"}}))) +
                     W::connections(W::connection("a.y", "one.sig") + W::connection("b.u", "two.sig")) +
                     "<ssd:SignalDictionaries>" + dictionary("signals", signal) + "</ssd:SignalDictionaries>"));
  EXPECT_TRUE(graph::comes_from(w.plan(), "b.u", "a.y"));
}

TEST_F(Dictionaries, ConnectAcrossLevels) {
  const std::string deep = "<ssd:System name=\"deep\">" + W::elements(reader("er", bus)) + "</ssd:System>";
  w.structure(W::ssd(W::elements(writer("left", bus) + reader("right", bus) + deep) + "<ssd:SignalDictionaries>" +
                     dictionary("signals", signal) + "</ssd:SignalDictionaries>"));
  const auto& plan = w.plan();
  EXPECT_TRUE(graph::comes_from(plan, "right.b.u", "left.a.y"));
  EXPECT_TRUE(graph::comes_from(plan, "deep.er.b.u", "left.a.y"));
}

TEST_F(Dictionaries, OfTheNearestSystemCount) {
  const std::string own = "<ssd:System name=\"island\">" + W::elements(reader("r", bus) + writer("w", bus)) +
                          "<ssd:SignalDictionaries>" + dictionary("signals", signal) +
                          "</ssd:SignalDictionaries></ssd:System>";
  w.structure(W::ssd(W::elements(writer("left", bus) + own) + "<ssd:SignalDictionaries>" +
                     dictionary("signals", signal) + "</ssd:SignalDictionaries>"));
  EXPECT_TRUE(graph::comes_from(w.plan(), "island.r.b.u", "island.w.a.y"));
}

TEST_F(Dictionaries, InFilesConvertTheirUnits) {
  w.file(
      "resources/signals.ssb",
      R"(<ssb:SignalDictionary version="1.0"><ssb:DictionaryEntry name="sig"><ssc:Real unit="K"/></ssb:DictionaryEntry>)"
      R"(<ssb:Units><ssc:Unit name="K"><ssc:BaseUnit K="1"/></ssc:Unit></ssb:Units></ssb:SignalDictionary>)");
  const auto typed = [](std::string_view name, std::string_view kind) {
    return W::connectors({{std::string(name), std::string(kind)}}, R"(<ssc:Real unit="degC"/>)");
  };
  w.structure(W::ssd(
      W::elements(W::component("a", "a.fmu", typed("y", "output")) + W::component("b", "b.fmu", typed("u", "input")) +
                  reference("bus", "signals", W::connectors({{"sig", "inout"}}))) +
          W::connections(W::connection("a.y", "bus.sig") +
                         W::connection("bus.sig", "b.u", "suppressUnitConversion=\"true\"")) +
          R"(<ssd:SignalDictionaries><ssd:SignalDictionary name="signals" source="resources/signals.ssb"/></ssd:SignalDictionaries>)",
      units_of_files));
  const auto route = graph::route_of(w.plan(), "b.u");
  ASSERT_TRUE(route.has_value());
  EXPECT_EQ(route->factor, 1);
}

TEST_F(Dictionaries, WithoutTheEntryAreAnError) {
  w.structure(W::ssd(W::elements(writer("left", reference("bus", "signals", W::connectors({{"other", "inout"}})))) +
                     "<ssd:SignalDictionaries>" + dictionary("signals", signal) + "</ssd:SignalDictionaries>"));
  EXPECT_THAT(w.problems(), HasSubstr("the signal dictionary 'signals' has no entry 'other'"));
}

}  // namespace
}  // namespace consort::ssp
