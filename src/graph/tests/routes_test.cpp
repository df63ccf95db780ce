#include <gmock/gmock.h>

#include "plant.hpp"

namespace consort::graph {
namespace {

using testing::HasSubstr;

// --- units of measure

struct UnitCase {
  const char* name;
  describe::BaseUnit from, to;
  double value, expected;
};

class UnitConversion : public testing::TestWithParam<UnitCase> {};

TEST_P(UnitConversion, HasFactorAndOffset) {
  const auto& c = GetParam();
  Shelf shelf;
  shelf.add("a.fmu").output("y", Type::Float64, "from").define("from", c.from);
  shelf.add("b.fmu").input("u", Type::Float64, "to").define("to", c.to);
  System s;
  s.add("a", "a.fmu");
  s.add("b", "b.fmu");
  s.connect("a.y", "b.u");
  const auto plan = shelf.compile(s);
  const auto route = route_of(plan, "b.u");
  ASSERT_TRUE(route.has_value());
  // Rounding occurs in the factor, the offset and the product.
  EXPECT_NEAR(route->factor * c.value + route->offset, c.expected, 1e-12 * std::max(1.0, std::abs(c.expected)));
}

INSTANTIATE_TEST_SUITE_P(
    Graph, UnitConversion,
    testing::Values(UnitCase{"same", kelvin, kelvin, 3, 3}, UnitCase{"degC_K", celsius, kelvin, 20, 293.15},
                    UnitCase{"K_degC", kelvin, celsius, 293.15, 20},
                    UnitCase{"degF_degC", fahrenheit, celsius, 212, 100}, UnitCase{"bar_Pa", bar, pascal, 1.5, 1.5e5},
                    UnitCase{"Pa_bar", pascal, bar, 1e5, 1},
                    UnitCase{"deg_rad", degree, radian, 180, 3.141592653589793},
                    UnitCase{"rad_deg", radian, degree, 3.141592653589793, 180}, UnitCase{"rad_1", radian, {}, 2, 2},
                    UnitCase{"deg_1", degree, {}, 180, 3.141592653589793}),
    [](const auto& test) { return std::string(test.param.name); });

struct Temperatures : testing::Test {
  Temperatures() {
    shelf.add("a.fmu").output("y", Type::Float64, "degC").define("degC", celsius);
    shelf.add("b.fmu").input("u", Type::Float64, "K").define("K", kelvin);
    shelf.add("p.fmu").input("u", Type::Float64, "Pa").define("Pa", pascal);
    shelf.add("plain.fmu").input("u").output("y").depends_on({"u"});
    s.add("a", "a.fmu");
    s.add("b", "b.fmu");
  }
  Shelf shelf;
  System s;
};

TEST_F(Temperatures, SuppressedConversionTakesTheNumber) {
  s.connect("a.y", "b.u").suppress_unit_conversion = true;
  const auto route = route_of(shelf.compile(s), "b.u");
  EXPECT_EQ(route->factor, 1);
  EXPECT_EQ(route->offset, 0);
}

TEST_F(Temperatures, TransformationComesAfterTheConversion) {
  s.connect("a.y", "b.u", {2, 1});
  const auto route = route_of(shelf.compile(s), "b.u");
  EXPECT_DOUBLE_EQ(route->factor * 20 + route->offset, 2 * 293.15 + 1);
}

TEST_F(Temperatures, RelativeQuantitiesConvertWithoutTheOffset) {
  auto& difference = shelf.add("d.fmu");
  difference.output("y", Type::Float64, "degF").define("degF", fahrenheit);
  difference.last().relative_quantity = true;
  s.add("d", "d.fmu");
  s.connect("d.y", "b.u");
  const auto route = route_of(shelf.compile(s), "b.u");
  EXPECT_DOUBLE_EQ(route->factor, 5.0 / 9);
  EXPECT_EQ(route->offset, 0);
}

TEST_F(Temperatures, DifferentQuantitiesClashAndBothUnitsAreNamed) {
  s.add("p", "p.fmu");
  s.connect("a.y", "p.u").where = "s.yaml:7:2";
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("'degC'"), HasSubstr("'Pa'"), HasSubstr("s.yaml:7:2")));
}

TEST_F(Temperatures, AUnitWithoutDefinitionIsTakenAsItIsAndNoted) {
  shelf.add("x.fmu").input("u", Type::Float64, "furlong");
  s.add("x", "x.fmu");
  s.connect("a.y", "x.u");
  const auto plan = shelf.compile(s);
  EXPECT_EQ(route_of(plan, "x.u")->factor, 1);
  EXPECT_THAT(plan.notes, testing::Contains(HasSubstr("furlong")));
}

TEST_F(Temperatures, AVariableWithoutUnitTakesTheNumber) {
  s.add("plain", "plain.fmu");
  s.connect("a.y", "plain.u");
  EXPECT_EQ(route_of(shelf.compile(s), "plain.u")->offset, 0);
}

TEST_F(Temperatures, ConvertsAtEveryConnectorThatSaysItsUnit) {
  // °C → connector in °F → K: the detour does not change the value.
  System inner("inner");
  inner.add("b", "b.fmu");
  inner.connectors.push_back({"t", describe::Causality::input, {}, "degF", {}});
  inner.connect("t", "b.u");
  s.add_system(std::move(inner));
  s.connect("a.y", "inner.t");
  const auto route = route_of(shelf.compile(s), "inner.b.u");
  EXPECT_NEAR(route->factor * 20 + route->offset, 293.15, 1e-9);
}

TEST_F(Temperatures, ASystemMayDefineItsOwnUnits) {
  System inner("inner");
  inner.add("b", "b.fmu");
  inner.units.push_back({"half-kelvin", describe::BaseUnit{kelvin.exponents, 0.5, 0}});
  inner.connectors.push_back({"t", describe::Causality::input, {}, "half-kelvin", {}});
  inner.connect("t", "b.u", {1, 0});
  s.add_system(std::move(inner));
  s.add("plain", "plain.fmu");
  s.connect("plain.y", "inner.t");
  EXPECT_DOUBLE_EQ(route_of(shelf.compile(s), "inner.b.u")->factor, 0.5);
}

TEST_F(Temperatures, ADeclaredConnectorOfAComponentSaysWhatAVariableWithoutUnitIsMeasuredIn) {
  auto& plain = s.add("plain", "plain.fmu");
  plain.connectors.push_back({"y", describe::Causality::output, {}, "degC", {}});
  s.connect("plain.y", "b.u");
  EXPECT_DOUBLE_EQ(route_of(shelf.compile(s), "b.u")->offset, 273.15);
}

// --- types

constexpr Type all_types[] = {Type::Float32, Type::Float64, Type::Int8,   Type::UInt8,      Type::Int16,
                              Type::UInt16,  Type::Int32,   Type::UInt32, Type::Int64,      Type::UInt64,
                              Type::Boolean, Type::String,  Type::Binary, Type::Enumeration};

struct Typed {
  Typed(Type from, Type to) {
    shelf.add("a.fmu").output("y", from);
    shelf.add("b.fmu").input("u", to);
    s.add("a", "a.fmu");
    s.add("b", "b.fmu");
    s.connect("a.y", "b.u").where = "s.yaml:1:1";
  }
  Shelf shelf;
  System s;
};

TEST(Types, EveryTypeIsRoutedToItself) {
  for (const Type type : all_types) {
    Typed t(type, type);
    const auto plan = t.shelf.compile(t.s);
    EXPECT_TRUE(comes_from(plan, "b.u", "a.y")) << name_of(type);
    EXPECT_TRUE(plan.conversions.empty()) << name_of(type);
  }
}

TEST(Types, EveryPairEitherConvertsOrIsAnErrorThatNamesBoth) {
  const auto number = [](Type t) { return is_float(t) || is_integer(t) || t == Type::Enumeration; };
  for (const Type from : all_types) {
    for (const Type to : all_types) {
      if (from == to) continue;
      Typed t(from, to);
      const bool expected = (number(from) || from == Type::Boolean) && number(to) && (!is_float(from) || is_float(to));
      if (expected) {
        const auto plan = t.shelf.compile(t.s);
        ASSERT_EQ(plan.conversions.size(), 1U) << name_of(from) << " to " << name_of(to);
        EXPECT_EQ(plan.conversions[0].from, from);
        EXPECT_EQ(plan.conversions[0].to, to);
        EXPECT_TRUE(comes_from(plan, "b.u", "a.y"));
        continue;
      }
      const auto error = t.shelf.error(t.s);
      EXPECT_THAT(error, HasSubstr(std::string(name_of(from)))) << name_of(from) << " to " << name_of(to);
      EXPECT_THAT(error, HasSubstr(std::string(name_of(to))));
      EXPECT_THAT(error, testing::AllOf(HasSubstr("a.y"), HasSubstr("b.u"), HasSubstr("s.yaml:1:1")));
    }
  }
}

TEST(Types, ATransformationSaysHowFloatsBecomeIntegers) {
  Typed t(Type::Float64, Type::Int32);
  t.s.connections[0].transformation = Linear{10, 1};
  const auto plan = t.shelf.compile(t.s);
  ASSERT_EQ(plan.conversions.size(), 1U);
  EXPECT_EQ(plan.conversions[0].factor, 10);
  EXPECT_EQ(plan.conversions[0].offset, 1);
}

TEST(Types, TextsCannotBeScaled) {
  for (const Type type : {Type::String, Type::Binary}) {
    Typed t(type, type);
    t.s.connections[0].transformation = Linear{2, 0};
    EXPECT_THAT(t.shelf.error(t.s), HasSubstr("cannot be scaled"));
  }
}

TEST(Types, AMappingIsReadByTheTypesOfItsEnds) {
  Typed t(Type::Int32, Type::Boolean);
  t.s.connections[0].transformation = Mapping{{{"3", "true"}, {"4", "false"}}};
  const auto plan = t.shelf.compile(t.s);
  ASSERT_EQ(plan.conversions.size(), 1U);
  const auto& mapping = plan.conversions[0].mapping;
  ASSERT_EQ(mapping.size(), 2U);
  EXPECT_EQ(mapping[0].first, Value::scalar(std::int32_t{3}));
  EXPECT_EQ(mapping[0].second, Value::scalar(Bool(true)));
  t.s.connections[0].transformation = Mapping{{{"three", "true"}}};
  EXPECT_THAT(t.shelf.error(t.s), testing::AllOf(HasSubstr("a.y"), HasSubstr("three")));
}

TEST(Types, AfterAMappingItsTargetsAreTransformed) {
  Shelf shelf;
  shelf.add("a.fmu").output("y", Type::Int32);
  shelf.add("b.fmu").input("u");
  System inner("inner");
  inner.add("b", "b.fmu");
  inner.connect("u", "b.u", {10, 1});
  System s;
  s.add("a", "a.fmu");
  s.add_system(std::move(inner));
  s.connect("a.y", "inner.u").transformation = Mapping{{{"1", "2"}, {"2", "0.5"}}};
  const auto plan = shelf.compile(s);
  ASSERT_EQ(plan.conversions.size(), 1U);
  EXPECT_EQ(plan.conversions[0].mapping[0].second, Value::scalar(21.0));
  EXPECT_EQ(plan.conversions[0].mapping[1].second, Value::scalar(6.0));
}

// --- arrays

struct Arrays : testing::Test {
  Arrays() {
    shelf.add("a.fmu").output("x").sized({2, 3}).output("y").output("t", Type::String).sized({2});
    shelf.add("b.fmu").input("x").sized({2, 3}).input("y").input("z").sized({6}).input("t", Type::String).sized({2});
    s.add("a", "a.fmu");
    s.add("b", "b.fmu");
  }
  Shelf shelf;
  System s;
};

TEST_F(Arrays, AreConnectedWhole) {
  s.connect("a.x", "b.x", {2, 0});
  s.connect("a.t", "b.t");
  const auto plan = shelf.compile(s);
  for (std::uint32_t e = 0; e < 6; ++e) {
    EXPECT_TRUE(comes_from(plan, "b.x", "a.x", e, e));
    EXPECT_EQ(route_of(plan, "b.x", e)->factor, 2);
  }
  EXPECT_TRUE(comes_from(plan, "b.t", "a.t", 1, 1));
  EXPECT_EQ(plan.connections[0].count, 6U);
}

TEST_F(Arrays, AreConnectedByElementRowByRow) {
  s.connect("a.x[2,1]", "b.x[1,3]");
  s.connect("a.y", "b.x[2,3]");
  s.connect("a.x[1,2]", "b.y");
  s.connect("a.x[ 2 , 3 ]", "b.z[1]");
  const auto plan = shelf.compile(s);
  EXPECT_TRUE(comes_from(plan, "b.x", "a.x", 2, 3));
  EXPECT_TRUE(comes_from(plan, "b.x", "a.y", 5, 0));
  EXPECT_TRUE(comes_from(plan, "b.y", "a.x", 0, 1));
  EXPECT_TRUE(comes_from(plan, "b.z", "a.x", 0, 5));
  EXPECT_FALSE(route_of(plan, "b.x", 0).has_value()) << "unconnected elements keep their start values";
}

TEST_F(Arrays, RefusesElementsThatDoNotExist) {
  for (const auto* end : {"b.x[0,1]", "b.x[3,1]", "b.x[1,4]", "b.x[1]", "b.x[1,1,1]", "b.z[7]"}) {
    s.connections.clear();
    s.connect("a.y", end);
    EXPECT_THAT(shelf.error(s), HasSubstr(end)) << end;
  }
  for (const auto* end : {"b.x[a]", "b.x[]", "b.x[1,", "b.x[-1,1]", "b.x[99999999999999999999]"}) {
    s.connections.clear();
    s.connect("a.y", end);
    EXPECT_THAT(shelf.error(s), HasSubstr(end)) << end;
  }
}

// --- elements of connectors of systems

// `inner` exposes the arrays of its units: in → b.x, a.x → out.
System showing_arrays() {
  System inner("inner");
  inner.connectors = {{"in", describe::Causality::input}, {"out", describe::Causality::output}};
  inner.add("a", "a.fmu");
  inner.add("b", "b.fmu");
  inner.connect("in", "b.x");
  inner.connect("a.x", "out");
  return inner;
}

TEST_F(Arrays, ElementsGoOutOfASystemThroughAConnectorThatIsDrivenWhole) {
  s.add_system(showing_arrays());
  s.connect("inner.out[2,3]", "b.y");
  s.connect("inner.out[1,2]", "b.x[2,1]");
  const auto plan = shelf.compile(s);
  EXPECT_TRUE(comes_from(plan, "b.y", "inner.a.x", 0, 5));
  EXPECT_TRUE(comes_from(plan, "b.x", "inner.a.x", 3, 1));
}

TEST_F(Arrays, ElementsGoIntoASystemThroughAConnectorThatLeadsOnWhole) {
  s.add_system(showing_arrays());
  s.connect("a.y", "inner.in[1,3]", {2, 1});
  s.connect("a.x[2,2]", "inner.in[2,1]");
  const auto plan = shelf.compile(s);
  EXPECT_TRUE(comes_from(plan, "inner.b.x", "a.y", 2, 0));
  EXPECT_EQ(route_of(plan, "inner.b.x", 2)->factor, 2);
  EXPECT_EQ(route_of(plan, "inner.b.x", 2)->offset, 1);
  EXPECT_TRUE(comes_from(plan, "inner.b.x", "a.x", 3, 4));
  EXPECT_FALSE(route_of(plan, "inner.b.x", 0).has_value());
}

TEST_F(Arrays, ElementsArePutTogetherAndTakenApartOnTheirWay) {
  System inner("inner");
  inner.connectors = {{"in", describe::Causality::input}, {"out", describe::Causality::output}};
  inner.add("a", "a.fmu");
  inner.add("b", "b.fmu");
  inner.connect("a.x[1,1]", "out[1]");
  inner.connect("a.y", "out[2]");
  inner.connect("in[2]", "b.y");
  System outer("outer");
  outer.connectors = {{"out", describe::Causality::output}};
  outer.add_system(std::move(inner));
  outer.connect("inner.out", "out");
  outer.connect("inner.out[2]", "inner.in[2]");
  s.add_system(std::move(outer));
  s.connect("outer.out[2]", "b.y");
  s.connect("outer.out[1]", "b.z[4]");
  const auto plan = shelf.compile(s);
  EXPECT_TRUE(comes_from(plan, "b.y", "outer.inner.a.y"));
  EXPECT_TRUE(comes_from(plan, "b.z", "outer.inner.a.x", 3, 0));
  EXPECT_TRUE(comes_from(plan, "outer.inner.b.y", "outer.inner.a.y"));
}

TEST_F(Arrays, ElementsOfTheOutermostConnectors) {
  s.connectors = {{"in", describe::Causality::input}, {"out", describe::Causality::output}};
  s.connect("in[3]", "b.y");
  s.connect("in[1]", "b.z[6]");
  s.connect("a.y", "out[2]");
  const auto plan = shelf.compile(s);
  ASSERT_EQ(plan.externals.size(), 1U);
  EXPECT_EQ(plan.externals[0].count, 3U);
  EXPECT_EQ(route_of(plan, "b.y")->source.element, plan.externals[0].element + 2);
  EXPECT_EQ(route_of(plan, "b.z", 5)->source.element, plan.externals[0].element);
  ASSERT_EQ(plan.connectors.size(), 1U);
  EXPECT_EQ(plan.connectors[0].name, "out[2]");
}

TEST_F(Arrays, ElementsOfASystemsConnectorHaveOneSource) {
  s.add_system(showing_arrays());
  s.connect("a.y", "inner.in[1,3]");
  s.connect("a.x[1,1]", "inner.in[1,3]");
  EXPECT_THAT(shelf.error(s), HasSubstr("'inner.in[1,3]' is driven twice: from a.y and from a.x[1,1]"));
  s.connections.pop_back();
  s.connect("a.x", "inner.in");
  EXPECT_THAT(shelf.error(s), HasSubstr("driven twice"));
}

TEST_F(Arrays, ElementsThatASystemDoesNotHaveAreErrors) {
  s.add_system(showing_arrays());
  s.connect("inner.out[3,1]", "b.y");
  EXPECT_THAT(shelf.error(s), HasSubstr("'x' of unit 'inner.a' has no element 'x[3,1]'"));
  s.connections.clear();
  s.connect("inner.nothing[1]", "b.y");
  EXPECT_THAT(shelf.error(s), HasSubstr("no connector 'nothing[1]'"));
}

TEST_F(Arrays, RefusesDifferentSizes) {
  s.connect("a.t", "b.t");
  s.connect("a.x", "b.y");
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("6 elements"), HasSubstr("a.x"), HasSubstr("b.y")));
}

TEST_F(Arrays, FindsTwoSourcesOfOneElement) {
  s.connect("a.x", "b.x");
  s.connect("a.y", "b.x[2,2]");
  EXPECT_THAT(shelf.error(s), HasSubstr("two sources"));
}

TEST_F(Arrays, HaveTheSizesThatStructuralParametersGive) {
  auto& plant = shelf.add("n.fmu");
  const auto size = plant.add("n", describe::Causality::structural_parameter, Type::UInt64);
  plant.d.variables[size].variability = describe::Variability::fixed;
  plant.d.variables[size].start = 0;
  plant.d.starts.push_back(Value::scalar(std::uint64_t{2}));
  plant.input("u");
  plant.last().dimensions = {static_cast<std::uint32_t>(plant.d.dimensions.size()), 1};
  plant.d.dimensions.push_back({0, plant.d.variables[size].reference, true});
  s.add("n", "n.fmu").set("n", "6");
  s.connect("a.x", "n.u");
  const auto plan = shelf.compile(s);
  EXPECT_TRUE(comes_from(plan, "n.u", "a.x", 5, 5));
  s.components.back().settings.clear();
  EXPECT_THAT(shelf.error(s), HasSubstr("has 2"));
}

TEST(Layout, UnitsHaveBlocksThatDoNotOverlap) {
  Shelf shelf;
  shelf.add("m.fmu").input("a").input("i", Type::Int32).output("x").sized({3}).output("y").output("j", Type::Int32);
  System s;
  for (int i = 0; i < 5; ++i) s.add("u" + std::to_string(i), "m.fmu");
  for (int i = 0; i < 5; ++i) {
    const auto from = "u" + std::to_string(i), to = "u" + std::to_string((i + 1) % 5);
    s.connect(from + ".x[2]", to + ".a");
    s.connect(from + ".j", to + ".i");
  }
  const auto plan = shelf.compile(s);
  EXPECT_EQ(plan.make_outputs().column<double>().size(), 20U);
  EXPECT_EQ(plan.make_outputs().column<std::int32_t>().size(), 5U);
  EXPECT_EQ(plan.make_inputs().column<double>().size(), 5U);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(plan.units[i].first_output[static_cast<std::size_t>(Type::Float64)], 4 * i);
    EXPECT_TRUE(comes_from(plan, "u" + std::to_string((i + 1) % 5) + ".a", "u" + std::to_string(i) + ".x", 0, 1));
  }
}

// --- parameters that are connected (SSP 2.0, 5.3.2)

struct Parameters : testing::Test {
  Parameters() {
    auto& a = shelf.add("a.fmu");
    a.define("m", metre).define("km", {{0, 1, 0, 0, 0, 0, 0, 0}, 1000, 0});
    a.output("c", Type::Float64, "km");
    give(a, describe::Variability::constant, Value(std::vector<double>{1.5}));
    a.output("n", Type::Int32);
    give(a, describe::Variability::constant, Value(std::vector<std::int32_t>{3}));
    a.output("many").sized({3});
    give(a, describe::Variability::constant, Value(std::vector<double>{1, 2, 3}));
    a.add("calculated", describe::Causality::calculated_parameter);
    a.last().variability = describe::Variability::fixed;
    a.last().initial = describe::Initial::calculated;
    a.output("y");
    auto& b = shelf.add("b.fmu");
    b.define("m", metre).parameter("p", Type::Float64, "m").parameter("plain").parameter("n", Type::Int32);
    b.parameter("many").sized({3}).input("u").parameter("tunable");
    b.last().variability = describe::Variability::tunable;
    s.add("a", "a.fmu");
    s.add("b", "b.fmu");
  }
  static void give(Plant& plant, describe::Variability variability, Value value) {
    plant.last().variability = variability;
    plant.last().initial = describe::Initial::exact;
    plant.last().start = static_cast<std::uint32_t>(plant.d.starts.size());
    plant.d.starts.push_back(std::move(value));
  }
  Shelf shelf;
  System s;
};

TEST_F(Parameters, TakeTheValueOfAConstantBeforeTheRun) {
  s.connect("a.c", "b.p");
  s.connect("a.n", "b.n");
  s.connect("a.n", "b.plain", {2, 1});
  s.connect("a.many", "b.many");
  const auto plan = shelf.compile(s);
  EXPECT_EQ(start(plan, "b.p"), "1500") << "km to m";
  EXPECT_EQ(start(plan, "b.n"), "3");
  EXPECT_EQ(start(plan, "b.plain"), "7");
  EXPECT_EQ(start(plan, "b.many"), "1 2 3");
  EXPECT_TRUE(plan.connections.empty()) << "nothing is left to do in a step";
}

TEST_F(Parameters, TakeElementsOfConstants) {
  s.connect("a.many[2]", "b.plain");
  EXPECT_EQ(start(shelf.compile(s), "b.plain"), "2");
}

TEST_F(Parameters, AreReachedThroughConnectorsOfSystems) {
  System inner("inner");
  inner.connectors = {{"k", describe::Causality::parameter}};
  inner.add("b", "b.fmu");
  inner.connect("k", "b.plain");
  s.add_system(std::move(inner));
  s.connect("a.n", "inner.k");
  EXPECT_EQ(start(shelf.compile(s), "inner.b.plain"), "3");
  s.connections.clear();
  s.settings.push_back({"inner.k", "4"});
  EXPECT_EQ(start(shelf.compile(s), "inner.b.plain"), "4");
}

TEST_F(Parameters, ThatAreTunableFollowSignals) {
  s.connect("a.calculated", "b.tunable");
  EXPECT_TRUE(comes_from(shelf.compile(s), "b.tunable", "a.calculated"));
}

TEST_F(Parameters, TakeWhatIsCalculatedInInitializationMode) {
  s.connect("a.calculated", "b.p", {2, 1});
  const auto plan = shelf.compile(s);
  ASSERT_EQ(plan.parameters.size(), 1U);
  const auto& route = plan.parameters.front();
  EXPECT_EQ((*plan.units[route.from.unit].description)[route.from.variable].name, "calculated");
  EXPECT_EQ((*plan.units[route.to.unit].description)[route.to.variable].name, "p");
  EXPECT_EQ(route.factor, 2);
  EXPECT_EQ(route.offset, 1);
  EXPECT_TRUE(plan.connections.empty()) << "nothing is left to do in a step";
}

TEST_F(Parameters, ThatAreArraysTakeSingleElements) {
  s.components[1].set("many", "7 8 9");
  s.connect("a.c", "b.many[2]");
  EXPECT_EQ(start(shelf.compile(s), "b.many"), "7 1.5 9");
}

TEST_F(Parameters, HaveOneSource) {
  s.connect("a.c", "b.p");
  s.connect("a.calculated", "b.p");
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("b.p"), HasSubstr("has two sources")));
}

TEST_F(Parameters, ThatAreSizesCannotWaitForTheInitialization) {
  auto& n = shelf.add("n.fmu");
  n.add("size", describe::Causality::structural_parameter, Type::UInt64);
  n.last().variability = describe::Variability::fixed;
  auto& c = shelf.add("c.fmu");
  c.add("count", describe::Causality::calculated_parameter, Type::UInt64);
  c.last().variability = describe::Variability::fixed;
  s.add("c", "c.fmu");
  s.add("n", "n.fmu");
  s.connect("c.count", "n.size");
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("n.size"), HasSubstr("connect a constant")));
}

TEST_F(Parameters, CannotTakeWhatIsNotKnownBeforeTheRun) {
  s.connect("a.y", "b.p");
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("'a.y'"), HasSubstr("'b.p'"), HasSubstr("output (continuous)"),
                                             HasSubstr("--set b.p=VALUE")));
  s.connections.clear();
  s.connect("a.y", "a.c");
  EXPECT_THAT(shelf.error(s), HasSubstr("cannot be driven"));
  s.connections.clear();
  s.connect("a.calculated", "b.n");
  EXPECT_THAT(shelf.error(s), HasSubstr("Float64 cannot be taken as Int32"));
}

}  // namespace
}  // namespace consort::graph
