#include <chrono>

#include <gmock/gmock.h>

#include "plant.hpp"

namespace consort::graph {
namespace {

using describe::Causality;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> unit_names(const Plan& plan) {
  std::vector<std::string> names;
  for (const auto& u : plan.units) names.push_back(u.name);
  return names;
}

// One gain inside `levels` nested systems, each with the connectors u and y.
System nested_gain(int levels) {
  System s("level" + std::to_string(levels));
  s.connectors.push_back({"u", Causality::input, {}, {}, {}});
  s.connectors.push_back({"y", Causality::output, {}, {}, {}});
  if (levels == 0) {
    s.add("gain", "gain.fmu");
  } else {
    auto inner = nested_gain(levels - 1);
    inner.name = "gain";
    s.add_system(std::move(inner));
  }
  s.connect("u", "gain.u");
  s.connect("gain.y", "y");
  return s;
}

struct Flattening : testing::Test {
  Flattening() {
    shelf.add("gain.fmu").input("u").parameter("k").output("y").depends_on({"u"});
    shelf.add("source.fmu").output("y").depends_on({}).output("z").depends_on({});
  }
  Shelf shelf;
};

TEST_F(Flattening, FollowsConnectorsOverThreeLevels) {
  System s("top");
  s.add("source", "source.fmu");
  s.add("sink", "gain.fmu");
  auto inner = nested_gain(3);
  inner.name = "deep";
  s.add_system(std::move(inner));
  s.connect("source.y", "deep.u");
  s.connect("deep.y", "sink.u");
  const auto plan = shelf.compile(s);
  EXPECT_THAT(unit_names(plan), ElementsAre("source", "sink", "deep.gain.gain.gain.gain"));
  EXPECT_TRUE(comes_from(plan, "deep.gain.gain.gain.gain.u", "source.y"));
  EXPECT_TRUE(comes_from(plan, "sink.u", "deep.gain.gain.gain.gain.y"));
  EXPECT_EQ(plan.connections.size(), 2U);
}

TEST_F(Flattening, TwoUnitsOfOnePathAreRefused) {
  System s("top");
  s.add("front.gain", "gain.fmu");
  System front("front");
  front.add("gain", "gain.fmu");
  s.add_system(std::move(front));
  try {
    (void)shelf.compile(s);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("front.gain"));
  }
}

TEST_F(Flattening, ConnectionsOfManyNestedSystemsTakeLinearTime) {
  constexpr int count = 10'000;
  System s("top");
  for (int i = 0; i < count; ++i) {
    auto inner = nested_gain(0);
    inner.name = "s" + std::to_string(i);
    s.add_system(std::move(inner));
  }
  for (int i = 0; i < count; ++i)
    s.connect("s" + std::to_string(i) + ".y", "s" + std::to_string((i + 1) % count) + ".u");
  const auto begun = std::chrono::steady_clock::now();
  const auto plan = shelf.compile(s);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
  EXPECT_EQ(plan.find_unit("s9999.gain"), 9999U);
  EXPECT_EQ(plan.find_unit("s9999.gains"), no_unit);
  EXPECT_LT(taken.count(), 10) << "much longer if each connection searches the names of all elements";
}

TEST_F(Flattening, OneConnectorDrivesManyInputsOfSeveralLevels) {
  System s("top");
  s.add("source", "source.fmu");
  auto inner = nested_gain(0);
  inner.add("other", "gain.fmu");
  inner.connect("u", "other.u");
  inner.name = "deep";
  s.add_system(std::move(inner));
  s.add("beside", "gain.fmu");
  s.connect("source.y", "deep.u");
  s.connect("source.y", "beside.u");
  const auto plan = shelf.compile(s);
  for (const auto* to : {"deep.gain.u", "deep.other.u", "beside.u"})
    EXPECT_TRUE(comes_from(plan, to, "source.y")) << to;
}

TEST_F(Flattening, ComposesTransformationsAlongTheWay) {
  // y = 2 x + 1 outside, then 10 y - 3, then 0.5 z: 10 x + 3.5.
  System s("top");
  s.add("source", "source.fmu");
  System middle("middle");
  middle.connectors.push_back({"u", Causality::input, {}, {}, {}});
  auto inner = nested_gain(0);
  inner.connections.front().transformation = Linear{0.5, 0};
  inner.name = "deep";
  middle.add_system(std::move(inner));
  middle.connect("u", "deep.u", {10, -3});
  s.add_system(std::move(middle));
  s.connect("source.y", "middle.u", {2, 1});
  const auto plan = shelf.compile(s);
  const auto route = route_of(plan, "middle.deep.gain.u");
  ASSERT_TRUE(route.has_value());
  EXPECT_DOUBLE_EQ(route->factor, 10);
  EXPECT_DOUBLE_EQ(route->offset, 3.5);
}

TEST_F(Flattening, ConnectorsOfTheRootAreExternalSignalsAndNamedOutputs) {
  System s("top");
  s.add("gain", "gain.fmu");
  s.connectors.push_back({"speed", Causality::input, {}, "m/s", {}});
  s.connectors.push_back({"result", Causality::output, {}, {}, {}});
  s.connect("speed", "gain.u", {2, 0});
  s.connect("gain.y", "result", {3, 1});
  const auto plan = shelf.compile(s);
  ASSERT_EQ(plan.externals.size(), 1U);
  EXPECT_EQ(plan.externals[0].name, "speed");
  EXPECT_EQ(plan.externals[0].unit, "m/s");
  EXPECT_EQ(plan.output_count[static_cast<std::size_t>(Type::Float64)], 2U) << "after the outputs of the units";
  const auto route = route_of(plan, "gain.u");
  ASSERT_TRUE(route.has_value());
  EXPECT_EQ(route->source.element, plan.externals[0].element);
  EXPECT_EQ(route->factor, 2);
  ASSERT_EQ(plan.connectors.size(), 1U);
  EXPECT_EQ(plan.connectors[0].name, "result");
  EXPECT_EQ(plan.connectors[0].element, place_of(plan, "gain.y", false).element);
  EXPECT_EQ(plan.connectors[0].factor, 3);
  EXPECT_EQ(plan.connectors[0].offset, 1);
}

TEST_F(Flattening, AConnectorThatNothingDrivesLeavesTheStartValueAndSaysSo) {
  System s("top");
  auto inner = nested_gain(0);
  inner.name = "deep";
  s.add_system(std::move(inner));
  const auto plan = shelf.compile(s);
  EXPECT_TRUE(plan.connections.empty());
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("deep.u")));
}

TEST_F(Flattening, TellsUnitsWhoseNamesContainDotsApart) {
  System s("top");
  s.add("a", "source.fmu");
  s.add("a.b", "gain.fmu");
  s.connect("a.y", "a.b.u");
  EXPECT_TRUE(comes_from(shelf.compile(s), "a.b.u", "a.y"));
}

// --- errors

TEST_F(Flattening, NamesBothEndsAndTheNearestNameOfWhatDoesNotExist) {
  System s("top");
  s.add("source", "source.fmu");
  s.add("gain", "gain.fmu");
  s.connections.push_back({{"source", "y"}, {"gian", "u"}, {}, false, "s.yaml:3:1"});
  const auto error = shelf.error(s);
  EXPECT_THAT(error, HasSubstr("source.y → gian.u"));
  EXPECT_THAT(error, HasSubstr("s.yaml:3:1"));
  EXPECT_THAT(error, HasSubstr("did you mean 'gain'"));
}

TEST_F(Flattening, SuggestsVariablesOfTheUnit) {
  System s("top");
  auto& plant = shelf.add("wheel.fmu");
  plant.input("force").input("speed").output("position");
  s.add("source", "source.fmu");
  s.add("wheel", "wheel.fmu");
  s.connect("source.y", "wheel.forse");
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("'wheel'"), HasSubstr("did you mean 'force'")));
  s.connections.clear();
  s.connect("source.y", "wheel.force").where = "here:1:1";
  s.connect("wheel.positoin", "wheel.speed");
  EXPECT_THAT(shelf.error(s), HasSubstr("did you mean 'position'"));
}

TEST_F(Flattening, SuggestsConnectorsOfANestedSystem) {
  System s("top");
  s.add("source", "source.fmu");
  System inner("inner");
  inner.add("gain", "gain.fmu");
  inner.connectors.push_back({"velocity", Causality::input, {}, {}, {}});
  inner.connect("velocity", "gain.u");
  s.add_system(std::move(inner));
  s.connect("source.y", "inner.velocty");
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("'inner'"), HasSubstr("did you mean 'velocity'")));
}

TEST_F(Flattening, RefusesTwoSourcesAndNamesBoth) {
  System s("top");
  s.add("source", "source.fmu");
  s.add("gain", "gain.fmu");
  s.connect("source.y", "gain.u").where = "s.yaml:3:1";
  s.connect("source.z", "gain.u").where = "s.yaml:4:1";
  const auto error = shelf.error(s);
  for (const auto* part : {"gain.u", "source.y", "source.z", "s.yaml:3:1", "s.yaml:4:1"})
    EXPECT_THAT(error, HasSubstr(part));
}

TEST_F(Flattening, RefusesTwoSourcesOfAConnector) {
  System s("top");
  s.add("source", "source.fmu");
  auto inner = nested_gain(0);
  inner.name = "deep";
  s.add_system(std::move(inner));
  s.connect("source.y", "deep.u");
  s.connect("source.z", "deep.u");
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("deep.u"), HasSubstr("source.y"), HasSubstr("source.z")));
}

TEST_F(Flattening, RefusesToDriveWhatIsNoInput) {
  System s("top");
  s.add("source", "source.fmu");
  s.add("gain", "gain.fmu");
  s.connect("source.y", "gain.k");
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("gain.k"), HasSubstr("cannot be driven")));
  s.connections.clear();
  s.connect("source.y", "gain.y");
  EXPECT_THAT(shelf.error(s), HasSubstr("cannot be driven"));
}

TEST_F(Flattening, RefusesConnectorsThatGoInACircle) {
  System s("top");
  for (const auto* name : {"a", "b"}) {
    System inner(name);
    inner.connectors.push_back({"u", Causality::input, {}, {}, {}});
    inner.connectors.push_back({"y", Causality::output, {}, {}, {}});
    inner.connect("u", "y");
    s.add_system(std::move(inner));
  }
  s.add("gain", "gain.fmu");
  s.connect("a.y", "b.u");
  s.connect("b.y", "a.u");
  s.connect("a.y", "gain.u");
  EXPECT_THAT(shelf.error(s), HasSubstr("connected to itself"));
}

TEST_F(Flattening, RefusesElementsAndConnectorsOfOneName) {
  System s("top");
  s.add("a", "gain.fmu");
  EXPECT_THROW(s.add("a", "gain.fmu"), Error);
  s.components.push_back(s.components.front());
  EXPECT_THAT(shelf.error(s), HasSubstr("two elements named 'a'"));
  s.components.pop_back();
  s.connectors.assign(2, {"x", Causality::input, {}, {}, {}});
  EXPECT_THAT(shelf.error(s), HasSubstr("two connectors named 'x'"));
}

TEST_F(Flattening, RefusesSystemsNestedWithoutEnd) {
  EXPECT_THAT(shelf.error(nested_gain(80)), HasSubstr("levels deep"));
  EXPECT_EQ(shelf.compile(nested_gain(60)).units.size(), 1U);
}

TEST_F(Flattening, ConnectRefusesElementsThatDoNotExist) {
  System s("top");
  s.add("gain", "gain.fmu");
  try {
    s.connect("gain.y", "gein.u");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'gain'"));
  }
}

TEST_F(Flattening, TargetsOfAScenarioAreDrivenInputs) {
  System s("top");
  s.add("gain", "gain.fmu");
  const std::vector<std::string> targets{"gain.u"};
  const auto plan = shelf.compile(s, {.settings = {}, .targets = targets});
  EXPECT_EQ(plan.units[0].inputs.choice().size(), 1U);
  EXPECT_FALSE(route_of(plan, "gain.u").has_value());
  for (const auto& [target, text] : std::vector<std::pair<std::string, std::string>>{
           {"gain.y", "cannot be driven"}, {"gain.uu", "did you mean"}, {"u", "UNIT.VARIABLE"}}) {
    const std::vector<std::string> wrong{target};
    EXPECT_THAT(shelf.error(s, {.settings = {}, .targets = wrong}), HasSubstr(text)) << target;
  }
}

}  // namespace
}  // namespace consort::graph
