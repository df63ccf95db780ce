#include "step/interface.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/tests/plant.hpp"

namespace consort::step {
namespace {

using graph::place_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// source → a ⇄ b → c ⇄ d, with a scaled route, a discrete one and an external one.
struct Interfaces : ::testing::Test {
  Interfaces() {
    shelf.add("unit.fmu").input("u").input("w").input("n", Type::Int32).output("y").output("m", Type::Int32);
    for (const char* const name : {"d", "c", "b", "a", "source"}) system.add(name, "unit.fmu");
    system.connect("source.y", "a.u");
    system.connect("b.y", "a.w", {-2, 3});
    system.connect("a.y", "b.u");
    system.connect("a.m", "b.n");
    system.connect("b.y", "c.u");
    system.connect("d.y", "c.w");
    system.connect("c.y", "d.u");
    system.connect("outside", "d.w");
    plan = shelf.compile(system);
  }
  static std::vector<std::string> names(const std::vector<Route>& routes) {
    std::vector<std::string> all;
    for (const auto& route : routes) all.push_back(route.name);
    std::sort(all.begin(), all.end());
    return all;
  }
  [[nodiscard]] std::vector<std::string> units(const std::vector<graph::UnitId>& ids) const {
    std::vector<std::string> all;
    for (const auto u : ids) all.push_back(plan.units[u].name);
    std::sort(all.begin(), all.end());
    return all;
  }
  graph::Shelf shelf;
  graph::System system{"two circles"};
  graph::Plan plan;
};

TEST_F(Interfaces, HaveTheContinuousRoutesBetweenUnits) {
  const auto routes = continuous_routes(plan);
  EXPECT_THAT(names(routes), ElementsAre("a.u", "a.w", "b.u", "c.u", "c.w", "d.u"));
  const auto& scaled = *std::find_if(routes.begin(), routes.end(), [](const auto& r) { return r.name == "a.w"; });
  EXPECT_EQ(scaled.input, place_of(plan, "a.w", true).element);
  EXPECT_EQ(scaled.source, place_of(plan, "b.y", false).element);
  EXPECT_EQ(plan.units[scaled.from].name, "b");
  EXPECT_EQ(plan.units[scaled.to].name, "a");
  std::vector<double> outputs(plan.output_count[static_cast<std::size_t>(Type::Float64)], 0.0);
  outputs[scaled.source] = 5;
  EXPECT_EQ(scaled.value(outputs), -7);
  EXPECT_TRUE(std::is_sorted(routes.begin(), routes.end(), [](auto& x, auto& y) { return x.input < y.input; }));
}

TEST_F(Interfaces, NominalValuesAreThoseOfInputsOrOfWhatDrivesThem) {
  auto& source = shelf.add("nominal.fmu");
  source.input("plain").input("own");
  source.last().nominal = 50;
  source.last().has_nominal = true;
  source.output("y");
  source.last().nominal = 7;
  source.last().has_nominal = true;
  graph::System pair("pair");
  pair.add("a", "nominal.fmu");
  pair.add("b", "nominal.fmu");
  pair.connect("a.y", "b.plain", {-2, 0});
  pair.connect("a.y", "b.own");
  pair.connect("b.y", "a.own");
  const auto nominals = shelf.compile(pair);
  for (const auto& route : continuous_routes(nominals)) EXPECT_EQ(route.nominal, route.name == "b.plain" ? 14 : 50);
}

TEST_F(Interfaces, CirclesAreCyclesAndSourcesComeFirst) {
  const auto cycles = cycles_of(plan, false);
  ASSERT_EQ(cycles.size(), 3U);
  EXPECT_THAT(units(cycles[0].units), ElementsAre("source"));
  EXPECT_THAT(units(cycles[1].units), ElementsAre("a", "b"));
  EXPECT_THAT(names(cycles[1].inner), ElementsAre("a.w", "b.u"));
  EXPECT_THAT(names(cycles[1].outer), ElementsAre("a.u"));
  EXPECT_THAT(units(cycles[2].units), ElementsAre("c", "d"));
  EXPECT_THAT(names(cycles[2].inner), ElementsAre("c.w", "d.u"));
  EXPECT_THAT(names(cycles[2].outer), ElementsAre("c.u"));
}

TEST_F(Interfaces, AsAWholeAllRoutesAreInner) {
  const auto cycles = cycles_of(plan, true);
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_EQ(cycles[0].units.size(), 5U);
  EXPECT_EQ(cycles[0].inner.size(), 6U);
  EXPECT_THAT(cycles[0].outer, IsEmpty());
}

TEST_F(Interfaces, AParallelSweepKnowsNothing) {
  const auto cycle = cycles_of(plan, false)[1];
  const auto sweep = make_sweep(cycle, false);
  ASSERT_EQ(sweep.waves.size(), 1U);
  EXPECT_EQ(sweep.waves[0].units, cycle.units);
  EXPECT_THAT(sweep.waves[0].known, IsEmpty());
  EXPECT_EQ(names(sweep.unknowns), names(cycle.inner));
}

TEST_F(Interfaces, ASerialSweepOfACircleLeavesOneUnknown) {
  for (const std::size_t circle : {1U, 2U}) {
    const auto sweep = make_sweep(cycles_of(plan, false)[circle], true);
    ASSERT_EQ(sweep.waves.size(), 2U);
    EXPECT_EQ(sweep.unknowns.size(), 1U);
    EXPECT_EQ(sweep.waves[1].known.size(), 1U);
    EXPECT_EQ(sweep.waves[1].known[0].from, sweep.waves[0].units.front());
  }
}

// Every inner route is either known or an unknown, and known routes come from earlier waves.
TEST_F(Interfaces, ASerialSweepLosesNoRoute) {
  const auto cycle = cycles_of(plan, true)[0];
  const auto sweep = make_sweep(cycle, true);
  auto found = names(sweep.unknowns);
  std::vector<std::size_t> wave_of(plan.units.size(), 0);
  for (std::size_t w = 0; w < sweep.waves.size(); ++w)
    for (const auto u : sweep.waves[w].units) wave_of[u] = w;
  for (std::size_t w = 0; w < sweep.waves.size(); ++w) {
    for (const auto& route : sweep.waves[w].known) {
      EXPECT_EQ(wave_of[route.to], w);
      EXPECT_LT(wave_of[route.from], w);
      found.push_back(route.name);
    }
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, names(cycle.inner));
  EXPECT_EQ(sweep.unknowns.size(), 2U) << "one for each circle";
}

}  // namespace
}  // namespace consort::step
