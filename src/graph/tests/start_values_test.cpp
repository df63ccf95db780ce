#include <gmock/gmock.h>

#include "plant.hpp"

namespace consort::graph {
namespace {

using describe::Causality;
using testing::HasSubstr;

struct Settings : testing::Test {
  Settings() {
    auto& plant = shelf.add("p.fmu");
    plant.parameter("k")
        .parameter("x0", Type::Float64, "m")
        .parameter("T", Type::Float64, "K")
        .parameter("n", Type::Int32);
    plant.parameter("v").sized({3}).parameter("label", Type::String).input("u").output("y");
    plant.define("m", metre).define("K", kelvin);
  }
  // top.inner.p with a setting of k on each requested level.
  System nested(bool own, bool inside, bool outside) {
    System inner("inner");
    auto& p = inner.add("p", "p.fmu");
    if (own) p.set("k", "1");
    if (inside) inner.settings.push_back({"p.k", "2", {}, {}});
    System s("top");
    s.add_system(std::move(inner));
    if (outside) s.settings.push_back({"inner.p.k", "3", {}, {}});
    return s;
  }
  Shelf shelf;
};

TEST_F(Settings, OuterBeatsInnerAndTheCommandLineBeatsAll) {
  EXPECT_EQ(start(shelf.compile(nested(false, false, false)), "inner.p.k"), "-");
  EXPECT_EQ(start(shelf.compile(nested(true, false, false)), "inner.p.k"), "1");
  EXPECT_EQ(start(shelf.compile(nested(true, true, false)), "inner.p.k"), "2");
  EXPECT_EQ(start(shelf.compile(nested(true, true, true)), "inner.p.k"), "3");
  EXPECT_EQ(start(shelf.compile(nested(true, false, true)), "inner.p.k"), "3");
  const std::vector<Setting> last{{"inner.p.k", "4", {}, {}}};
  EXPECT_EQ(start(shelf.compile(nested(true, true, true), {.settings = last, .targets = {}}), "inner.p.k"), "4");
}

TEST_F(Settings, LaterBeatsEarlierOnOneLevel) {
  auto s = nested(false, false, true);
  s.settings.push_back({"inner.p.k", "5", {}, {}});
  EXPECT_EQ(start(shelf.compile(s), "inner.p.k"), "5");
}

TEST_F(Settings, ValuesAreConvertedFromTheirUnit) {
  System s;
  s.add("p", "p.fmu").set("x0", "3", "cm").set("T", "20", "degC");
  const auto plan = shelf.compile(s);
  EXPECT_EQ(start(plan, "p.x0"), "0.03");
  EXPECT_EQ(start(plan, "p.T"), "293.15");
}

TEST_F(Settings, RefuseUnitsThatDoNotFit) {
  for (const auto& [name, unit] :
       std::vector<std::pair<std::string, std::string>>{{"x0", "K"}, {"x0", "furlong"}, {"k", "m"}, {"n", "m"}}) {
    System s;
    s.add("p", "p.fmu").set(name, "3", unit);
    EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("'" + name + "'"), HasSubstr("'" + unit + "'")))
        << name << unit;
  }
}

TEST_F(Settings, ReadArraysTextsAndIntegers) {
  System s;
  s.add("p", "p.fmu").set("v", "1 2 3").set("label", "two words").set("n", "-7");
  const auto plan = shelf.compile(s);
  EXPECT_EQ(start(plan, "p.v"), "1 2 3");
  EXPECT_EQ(start(plan, "p.label"), "two words");
  EXPECT_EQ(start(plan, "p.n"), "-7");
}

TEST_F(Settings, RefuseTextsThatAreNoValueAndNameThePlace) {
  System s;
  s.add("p", "p.fmu").settings.push_back({"k", "soft", {}, "s.yaml:4:9"});
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("'p'"), HasSubstr("soft"), HasSubstr("s.yaml:4:9")));
}

TEST_F(Settings, SuggestTheNearestNames) {
  System s;
  s.add("piston", "p.fmu");
  const std::vector<Setting> variable{{"piston.lable", "x", {}, {}}};
  EXPECT_THAT(shelf.error(s, {.settings = variable, .targets = {}}), HasSubstr("did you mean 'label'"));
  const std::vector<Setting> unit{{"pistn.k", "1", {}, {}}};
  EXPECT_THAT(shelf.error(s, {.settings = unit, .targets = {}}), HasSubstr("did you mean 'piston'"));
}

TEST_F(Settings, GoThroughConnectorsWithTheirUnitsAndTransformations) {
  // 50 (cm at the connector) → 0.5 m → doubled and raised by 1 in the inner connection.
  System inner("inner");
  inner.add("p", "p.fmu");
  inner.connectors.push_back({"height", Causality::parameter, {}, "cm", {}});
  inner.connect("height", "p.x0", {2, 1});
  System s("top");
  s.add_system(std::move(inner));
  s.settings.push_back({"inner.height", "50", {}, {}});
  EXPECT_EQ(start(shelf.compile(s), "inner.p.x0"), "2");
  s.settings.back() = {"inner.height", "500", "mm", {}};
  EXPECT_EQ(start(shelf.compile(s), "inner.p.x0"), "2");
  s.settings.back() = {"inner.height", "500", "K", {}};
  EXPECT_THAT(shelf.error(s), HasSubstr("'K'"));
}

TEST_F(Settings, GoThroughConnectorsOfSeveralLevelsToEveryEnd) {
  System inner("inner");
  inner.add("p", "p.fmu");
  inner.add("q", "p.fmu");
  inner.connectors.push_back({"k", Causality::parameter, {}, {}, {}});
  inner.connect("k", "p.k");
  inner.connect("k", "q.k", {-1, 0});
  System s("top");
  s.add_system(std::move(inner));
  s.connectors.push_back({"stiffness", Causality::parameter, {}, {}, {}});
  s.connect("stiffness", "inner.k", {10, 0});
  s.settings.push_back({"stiffness", "3", {}, {}});
  const auto plan = shelf.compile(s);
  EXPECT_EQ(start(plan, "inner.p.k"), "30");
  EXPECT_EQ(start(plan, "inner.q.k"), "-30");
  EXPECT_TRUE(plan.connections.empty()) << "a parameter is not a signal";
  EXPECT_TRUE(plan.externals.empty());
}

TEST_F(Settings, GoThroughMappings) {
  System inner("inner");
  inner.add("p", "p.fmu");
  inner.connectors.push_back({"mode", Causality::parameter, {}, {}, {}});
  inner.connect("mode", "p.n").transformation = Mapping{{{"off", "0"}, {"on", "1"}}};
  System s("top");
  s.add_system(std::move(inner));
  s.settings.push_back({"inner.mode", "on", {}, {}});
  EXPECT_EQ(start(shelf.compile(s), "inner.p.n"), "1");
  s.settings.back().value = "half";
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("half"), HasSubstr("mode")));
}

TEST_F(Settings, OfConnectorsThatLeadNowhereAreErrors) {
  System s("top");
  s.connectors.push_back({"k", Causality::parameter, {}, {}, {}});
  s.settings.push_back({"k", "3", {}, "s.yaml:1:1"});
  EXPECT_THAT(shelf.error(s), testing::AllOf(HasSubstr("'k'"), HasSubstr("s.yaml:1:1")));
}

TEST_F(Settings, RefuseOutputs) {
  System s;
  s.add("p", "p.fmu").set("y", "1");
  EXPECT_THAT(shelf.error(s), HasSubstr("'y'"));
}

TEST_F(Settings, RefuseUnitsWithoutSubsteps) {
  System s;
  s.add("p", "p.fmu").substeps = 0;
  EXPECT_THAT(shelf.error(s), HasSubstr("sub-steps"));
}

}  // namespace
}  // namespace consort::graph
