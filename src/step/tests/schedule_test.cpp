#include "step/schedule.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "graph/tests/plant.hpp"

namespace consort::step {
namespace {

using graph::ScheduleEntry;
using graph::UnitId;
using Kind = ScheduleEntry::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ScheduleEntry unit(const char* name) { return {Kind::unit, name, {}}; }
ScheduleEntry serial(std::vector<ScheduleEntry> members) { return {Kind::serial, {}, std::move(members)}; }
ScheduleEntry parallel(std::vector<ScheduleEntry> members) { return {Kind::parallel, {}, std::move(members)}; }

// a → b → c → d → a, and c → a.
struct Schedules : ::testing::Test {
  Schedules() {
    shelf.add("unit.fmu").input("u").input("w").output("y");
    for (const char* const name : {"a", "b", "c", "d"}) system.add(name, "unit.fmu");
    system.connect("a.y", "b.u");
    system.connect("b.y", "c.u");
    system.connect("c.y", "d.u");
    system.connect("d.y", "a.u");
    system.connect("c.y", "a.w");
    plan = shelf.compile(system);
  }
  graph::Shelf shelf;
  graph::System system{"four"};
  graph::Plan plan;
  static constexpr UnitId a = 0, b = 1, c = 2, d = 3;
};

TEST_F(Schedules, InParallelNobodySeesAnythingNew) {
  const auto s = Schedule::parallel(plan);
  EXPECT_THAT(s.waves(), ElementsAre(ElementsAre(a, b, c, d)));
  for (UnitId u = 0; u < 4; ++u)
    for (UnitId source = 0; source < 4; ++source) EXPECT_FALSE(s.sees_new(u, source));
}

TEST_F(Schedules, OneAfterAnotherEachSeesThoseBefore) {
  const auto s = Schedule::serial(plan, {c, d, a, b});
  EXPECT_THAT(s.waves(), ElementsAre(ElementsAre(c), ElementsAre(d), ElementsAre(a), ElementsAre(b)));
  EXPECT_TRUE(s.sees_new(d, c));
  EXPECT_TRUE(s.sees_new(b, c)) << "whether they are connected or not";
  EXPECT_FALSE(s.sees_new(c, b));
  EXPECT_FALSE(s.sees_new(c, c));
}

// A unit that uses no new values steps in the first wave, wherever it is in the order.
TEST_F(Schedules, UnitsThatWaitForNothingShareAWave) {
  const auto s = Schedule::serial(plan, {d, c, b, a});
  EXPECT_THAT(s.waves(), ElementsAre(ElementsAre(b, c, d), ElementsAre(a)));
}

TEST_F(Schedules, GroupsNestInAnyWay) {
  const auto s = Schedule::given(plan, serial({unit("a"), parallel({serial({unit("b"), unit("c")}), unit("d")})}));
  EXPECT_TRUE(s.sees_new(b, a));
  EXPECT_TRUE(s.sees_new(c, a));
  EXPECT_TRUE(s.sees_new(c, b));
  EXPECT_TRUE(s.sees_new(d, a));
  EXPECT_FALSE(s.sees_new(d, c)) << "in the same parallel group";
  EXPECT_FALSE(s.sees_new(b, d));
  EXPECT_FALSE(s.sees_new(a, c));
  EXPECT_THAT(s.waves(), ElementsAre(ElementsAre(a, d), ElementsAre(b), ElementsAre(c)));
}

TEST_F(Schedules, UnitsThatAreNotNamedComeFirstInParallel) {
  const auto s = Schedule::given(plan, serial({unit("d"), unit("a")}));
  for (const UnitId named : {d, a})
    for (const UnitId other : {b, c}) {
      EXPECT_TRUE(s.sees_new(named, other));
      EXPECT_FALSE(s.sees_new(other, named));
    }
  EXPECT_FALSE(s.sees_new(c, b));
  EXPECT_THAT(s.waves(), ElementsAre(ElementsAre(b, c), ElementsAre(d), ElementsAre(a)));
}

// Sources are in earlier waves, and every unit appears once.
TEST_F(Schedules, WavesKeepEveryOrder) {
  std::vector<UnitId> order{a, b, c, d};
  do {
    const auto s = Schedule::serial(plan, order);
    std::vector<std::size_t> wave(4, 4);
    for (std::size_t w = 0; w < s.waves().size(); ++w)
      for (const auto u : s.waves()[w]) {
        EXPECT_EQ(wave[u], 4U);
        wave[u] = w;
      }
    for (const auto& connection : plan.connections) {
      if (s.sees_new(connection.to, connection.from)) {
        EXPECT_LT(wave[connection.from], wave[connection.to]);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(Schedules, RefuseUnitsThatAreUnknownOrThereTwice) {
  EXPECT_THAT(error_text([&] { static_cast<void>(Schedule::given(plan, serial({unit("e")}))); }), HasSubstr("'e'"));
  const Error twice = thrown_error([&] {
    static_cast<void>(Schedule::given(plan, serial({unit("a"), parallel({unit("a"), unit("b")})})));
  });
  EXPECT_EQ(twice.unit(), "a");
  EXPECT_EQ(twice.setting(), "schedule");
}

}  // namespace
}  // namespace consort::step
