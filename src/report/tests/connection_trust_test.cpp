#include "report/connection_trust.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "graph/tests/plant.hpp"

namespace consort::report {
namespace {

using couple::ControlState;
using graph::Shelf;
using graph::System;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Four accepted steps; the error of signal n (from 1) is n times 1e-3 per step, over a range of 2.
ControlState four_steps(std::size_t signals) {
  ControlState control;
  control.accepted = 4;
  for (std::size_t i = 0; i < signals; ++i) {
    const double error = 1e-3 * static_cast<double>(i + 1);
    couple::SignalTrust s;
    s.largest = error;
    s.accumulated = 4 * error;
    s.squares = 4 * error * error;
    s.low = -1;
    s.high = 1;
    s.limited = i + 1;
    control.signals.push_back(s);
  }
  return control;
}

std::vector<TrustReport> trust_of(const graph::Plan& plan) {
  const auto estimated = couple::estimated_outputs(plan, std::vector<bool>(plan.units.size(), false));
  return connection_trust(plan, estimated, four_steps(estimated.size()));
}

TEST(ConnectionTrust, IsThatOfTheInputsAfterTheConversionOfUnits) {
  Shelf shelf;
  shelf.add("a.fmu").output("p", Type::Float64, "bar").define("bar", graph::bar);
  shelf.add("b.fmu").input("p", Type::Float64, "Pa").define("Pa", graph::pascal);
  System s;
  s.add("a", "a.fmu");
  s.add("b", "b.fmu");
  s.add("c", "b.fmu");
  s.connect("a.p", "b.p");
  s.connect("a.p", "c.p");
  const auto trust = trust_of(shelf.compile(s));
  ASSERT_EQ(trust.size(), 1U);
  EXPECT_EQ(trust[0].source, "a.p");
  EXPECT_THAT(trust[0].targets, ElementsAre("b.p", "c.p"));
  EXPECT_EQ(trust[0].unit, "Pa");
  // 1e-3 bar are 100 Pa; tolerance for rounding of the factor.
  EXPECT_NEAR(trust[0].local, 100, 1e-9);
  EXPECT_NEAR(trust[0].rms, 100, 1e-9);
  EXPECT_NEAR(trust[0].accumulated, 400, 1e-9);
  EXPECT_NEAR(trust[0].range, 2e5, 1e-6);
  EXPECT_NEAR(trust[0].relative(), 2e-3, 1e-12);
}

TEST(ConnectionTrust, KeepsInputsThatGetSomethingElseApart) {
  Shelf shelf;
  shelf.add("a.fmu").output("y").input("u");
  System s;
  for (const char* const name : {"a", "b", "c"}) s.add(name, "a.fmu");
  s.connect("a.y", "b.u");
  s.connect("a.y", "c.u", graph::Linear{-10, 3});
  s.connect("b.y", "a.u");
  const auto trust = trust_of(shelf.compile(s));
  ASSERT_EQ(trust.size(), 4U);
  EXPECT_DOUBLE_EQ(trust[0].local, 1e-3);
  EXPECT_THAT(trust[1].targets, ElementsAre("c.u"));
  EXPECT_DOUBLE_EQ(trust[1].local, 1e-2);  // errors are absolute values
  EXPECT_DOUBLE_EQ(trust[1].range, 20);
  EXPECT_EQ(trust[2].source, "b.y");
  // Outputs at the end of a chain have no target, but are listed.
  EXPECT_EQ(trust[3].source, "c.y");
  EXPECT_TRUE(trust[3].targets.empty());
}

TEST(ConnectionTrust, ShowsArraysAsOneWithTheirWorstElement) {
  Shelf shelf;
  shelf.add("a.fmu").output("y").sized({3});
  shelf.add("b.fmu").input("u").sized({3});
  System s;
  s.add("a", "a.fmu");
  s.add("b", "b.fmu");
  s.connect("a.y", "b.u");
  const auto trust = trust_of(shelf.compile(s));
  ASSERT_EQ(trust.size(), 1U);
  EXPECT_EQ(trust[0].source, "a.y");
  EXPECT_EQ(trust[0].elements, 3U);
  EXPECT_EQ(trust[0].element, "a.y[3]");
  EXPECT_DOUBLE_EQ(trust[0].local, 3e-3);
  EXPECT_EQ(trust[0].limited, 6U);
}

TEST(ConnectionTrust, PutsElementsThatGoSideBySideTogether) {
  Shelf shelf;
  shelf.add("a.fmu").output("y").sized({4});
  shelf.add("b.fmu").input("u").sized({3}).input("v");
  System s;
  s.add("a", "a.fmu");
  s.add("b", "b.fmu");
  s.connect("a.y[2]", "b.u[1]");
  s.connect("a.y[3]", "b.u[2]");
  s.connect("a.y[4]", "b.v");
  const auto trust = trust_of(shelf.compile(s));
  ASSERT_EQ(trust.size(), 2U);
  EXPECT_EQ(trust[0].source, "a.y[2] … a.y[3]");
  EXPECT_THAT(trust[0].targets, ElementsAre("b.u[1] … b.u[2]"));
  EXPECT_EQ(trust[1].source, "a.y[4]");
  EXPECT_THAT(trust[1].targets, ElementsAre("b.v"));
  EXPECT_DOUBLE_EQ(trust[1].local, 4e-3);
}

TEST(ConnectionTrust, ShowsTheLargestInATerminalAndAllOfThemInTables) {
  SystemReport report;
  for (int i = 0; i < 20; ++i) {
    TrustReport t;
    t.source = fmt::format("a.y{}", i);
    t.targets = {fmt::format("b.u{}", i)};
    t.local = 0.001 * i;
    t.accumulated = 10;
    t.range = 1;
    report.trust.push_back(t);
  }
  const auto text = report.text();
  EXPECT_THAT(text, ::testing::AllOf(HasSubstr("a.y19 → b.u19"), HasSubstr("a.y12 → b.u12"),
                                     HasSubstr("and 12 with smaller errors"), HasSubstr("/report/connections")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("a.y11 →")));
  EXPECT_THAT(text, HasSubstr("the coupling error of a.y19 in a step is at most 1.9 % of its range"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("1000 %"))) << "the sum of all steps is not the error of the run";
  const auto tables = report.tables();
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].name, "connections");
  EXPECT_EQ(tables[0].rows(), 20U);
  EXPECT_EQ(tables[1].name, "run");
  EXPECT_EQ(tables[1].columns[1].texts.front(), report.headline());
}

}  // namespace
}  // namespace consort::report
