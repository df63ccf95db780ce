#include "graph/outline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/compile.hpp"

namespace consort::graph {
namespace {

System two_units() {
  System s("two");
  auto& a = s.add("a", "nowhere/a.fmu");
  a.connectors.push_back({"y", describe::Causality::output, Type::Int32, "bar"});
  a.connectors.push_back({"v", describe::Causality::output, {}, {}, {}, {3}});
  a.set("k", "not a number");
  s.add("b", "nowhere/b.fmu");
  s.connect("a.y", "b.u", {2, 0});
  s.connect("a.v[2]", "b.w");
  s.connect("b.out", "a.in");
  return s;
}

TEST(Outlines, HaveTheConnectorsThatAreDeclaredOrConnected) {
  const auto system = two_units();
  Outlines outlines(system);
  const auto& a = outlines(system.components[0]);
  EXPECT_EQ(a.variables.size(), 3U);
  EXPECT_EQ(a[a.find("in")].causality, describe::Causality::input);
  EXPECT_EQ(a.element_count(a[a.find("v")]), 3U);
  const auto& b = outlines(system.components[1]);
  EXPECT_EQ(b[b.find("out")].causality, describe::Causality::output);
  EXPECT_FALSE(outlines.has(Component{}));
}

TEST(Outlines, MakeASystemThatCompilesWithoutItsUnits) {
  const auto system = two_units();
  Outlines outlines(system);
  const auto plan =
      compile(outlines.system(), [&](const Component& c) -> const describe::Description& { return outlines(c); });
  EXPECT_EQ(plan.units.size(), 2U);
  EXPECT_EQ(plan.connections.size(), 3U);
  EXPECT_TRUE(plan.loops.empty()) << "an outline has no dependencies";
}

}  // namespace
}  // namespace consort::graph
