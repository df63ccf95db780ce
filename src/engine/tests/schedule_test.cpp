#include "engine/schedule.hpp"

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace consort::engine {
namespace {

struct Options {
  Time start = 0, stop = 1;
  Duration step = 0.1;
  std::optional<Duration> interval{};
  std::vector<Time> events{};
  bool cut = true;
};

std::vector<Schedule::Point> run(const Options& o) {
  std::optional<Grid> outputs;
  if (o.interval) outputs = Grid(o.start, o.stop, *o.interval);
  Schedule schedule(Grid(o.start, o.stop, o.step), outputs, o.cut);
  std::vector<Schedule::Point> points;
  Time t = o.start;
  while (!schedule.done(t)) {
    std::optional<Time> event;
    for (const Time e : o.events) {
      if (e > t && (!event || e < *event)) event = e;
    }
    points.push_back(schedule.next(t, event));
    t = points.back().t;
    if (points.size() > 10'000'000) throw std::runtime_error("no end");
  }
  return points;
}

TEST(Schedule, CountsStepsInsteadOfAddingThemUp) {
  const auto points = run({.stop = 100, .step = 0.1});
  ASSERT_EQ(points.size(), 1000U);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    EXPECT_EQ(points[i].t, static_cast<double>(i + 1) * 0.1);
    EXPECT_EQ(points[i].h, 0.1) << "exactly the step size, at step " << i;
    EXPECT_TRUE(points[i].record);
    EXPECT_FALSE(points[i].last);
  }
  EXPECT_EQ(points.back().t, 100);
  EXPECT_EQ(points.back().h, 0.1);
  EXPECT_TRUE(points.back().last);
}

TEST(Schedule, EndsExactlyAtTheStopTimeWithAShorterStep) {
  const auto points = run({.stop = 1, .step = 0.3});
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points.back().t, 1);
  EXPECT_NEAR(points.back().h, 0.1, 1e-12);
  EXPECT_TRUE(points.back().record);
}

TEST(Schedule, EndsAtTheLastFullStepWhenStepsCannotBeCut) {
  Schedule schedule(Grid(0, 1, 0.3), std::nullopt, false);
  EXPECT_TRUE(schedule.ends_short());
  EXPECT_DOUBLE_EQ(schedule.stop(), 0.9);
  const auto points = run({.stop = 1, .step = 0.3, .cut = false});
  ASSERT_EQ(points.size(), 3U);
  EXPECT_DOUBLE_EQ(points.back().t, 0.9);
  EXPECT_EQ(points.back().h, 0.3);
  EXPECT_TRUE(points.back().last);
}

TEST(Schedule, DoesNotEndShortWhenRoundingAloneMakesTheRemainder) {
  EXPECT_FALSE(Schedule(Grid(0, 0.3, 0.1), std::nullopt, false).ends_short());
  EXPECT_EQ(run({.stop = 0.3, .step = 0.1, .cut = false}).size(), 3U);
}

TEST(Schedule, TakesNoStepWhenARunIsShorterThanAStepThatCannotBeCut) {
  Schedule schedule(Grid(2, 2.5, 1), std::nullopt, false);
  EXPECT_EQ(schedule.stop(), 2);
  EXPECT_TRUE(schedule.done(2));
}

TEST(Schedule, IsDoneAtOnceWhenStartIsStop) { EXPECT_TRUE(Schedule(Grid(1, 1, 0.1), std::nullopt, true).done(1)); }

TEST(Schedule, CutsStepsAtOutputPoints) {
  const auto points = run({.stop = 1, .step = 0.4, .interval = 0.5});
  std::vector<double> all, recorded;
  for (const auto& p : points) {
    all.push_back(p.t);
    if (p.record) recorded.push_back(p.t);
  }
  EXPECT_EQ(all, (std::vector<double>{0.4, 0.5, 0.8, 1}));
  EXPECT_EQ(recorded, (std::vector<double>{0.5, 1}));
}

TEST(Schedule, RecordsTheFirstPointAfterAnOutputPointWhenStepsCannotBeCut) {
  const auto points = run({.stop = 2, .step = 0.4, .interval = 0.5, .cut = false});
  std::vector<double> recorded;
  for (const auto& p : points) {
    EXPECT_EQ(p.h, 0.4);
    if (p.record) recorded.push_back(p.t);
  }
  ASSERT_EQ(recorded.size(), 4U);
  EXPECT_DOUBLE_EQ(recorded[0], 0.8);  // of 0.5
  EXPECT_DOUBLE_EQ(recorded[1], 1.2);  // of 1
  EXPECT_DOUBLE_EQ(recorded[2], 1.6);  // of 1.5
  EXPECT_EQ(recorded[3], 2);
}

TEST(Schedule, CutsStepsAtEventsAndReturnsToTheGrid) {
  const auto points = run({.stop = 1, .step = 0.5, .events = {0.3}});
  ASSERT_EQ(points.size(), 3U);
  EXPECT_EQ(points[0].t, 0.3);
  EXPECT_EQ(points[1].t, 0.5);
  EXPECT_NEAR(points[1].h, 0.2, 1e-15);
  EXPECT_EQ(points[2].h, 0.5);
}

TEST(Schedule, MeetsAnEventExactlyWhereTheGridMissesItByRounding) {
  // 3 * 0.1 is a little more than 0.3, and 29 * 0.01 is not 0.29 either.
  for (const auto& [step, event] : {std::pair(0.1, 0.3), std::pair(0.1, std::nextafter(0.5, 1)),
                                    std::pair(0.1, std::nextafter(0.5, 0)), std::pair(0.01, 0.29)}) {
    const auto points = run({.stop = 1, .step = step, .events = {event}});
    EXPECT_EQ(points.size(), static_cast<std::size_t>(std::lround(1 / step))) << "no sliver at " << event;
    bool met = false;
    for (const auto& p : points) {
      met = met || p.t == event;
      EXPECT_EQ(p.h, step);
    }
    EXPECT_TRUE(met) << event;
  }
}

TEST(Schedule, GoesOnFromWhereAStepEndedEarly) {
  Schedule schedule(Grid(0, 1, 0.25), std::nullopt, true);
  EXPECT_EQ(schedule.next(0, std::nullopt).t, 0.25);
  const auto rest = schedule.next(0.1, std::nullopt);
  EXPECT_EQ(rest.t, 0.25);
  EXPECT_DOUBLE_EQ(rest.h, 0.15);
  EXPECT_EQ(schedule.next(0.25, std::nullopt).h, 0.25);
}

TEST(Schedule, KeepsStepsEqualFarFromZero) {
  // At 1e9 s doubles are 1.2e-7 s apart: more than the slack of a step of 1 ms.
  const auto points = run({.start = 1e9, .stop = 1e9 + 1, .step = 1e-3});
  EXPECT_EQ(points.size(), 1000U);
  for (const auto& p : points) EXPECT_EQ(p.h, 1e-3);
  EXPECT_EQ(points.back().t, 1e9 + 1);
}

// What must hold for any grids and events.
TEST(Schedule, KeepsItsPromisesForManyRandomGrids) {
  std::mt19937 random(20240229);  // the same cases every time
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 3000; ++i) {
    Options o;
    o.start = unit(random) < 0.5 ? 0 : 100 * unit(random) - 50;
    o.step = std::pow(10, -3 * unit(random));
    o.stop = o.start + o.step * (unit(random) < 0.5 ? std::floor(40 * unit(random)) : 40 * unit(random));
    if (unit(random) < 0.5)
      o.interval = o.step * (unit(random) < 0.5 ? std::ceil(5 * unit(random)) : 3 * unit(random) + 0.05);
    for (int e = 0; unit(random) < 0.6 && e < 5; ++e) {
      const double n = std::floor(20 * unit(random));
      o.events.push_back(unit(random) < 0.5 ? std::nextafter(o.start + n * o.step, unit(random) < 0.5 ? -1e9 : 1e9)
                                            : o.start + (o.stop - o.start) * unit(random));
    }
    o.cut = unit(random) < 0.7;
    const Schedule schedule(Grid(o.start, o.stop, o.step), std::nullopt, o.cut);
    const auto points = run(o);
    SCOPED_TRACE(::testing::Message() << "case " << i << ": start " << o.start << " stop " << o.stop << " step "
                                      << o.step << " interval " << o.interval.value_or(0) << " cut " << o.cut);
    Time t = o.start;
    for (const auto& p : points) {
      ASSERT_GT(p.t, t);
      ASSERT_GE(p.h, 0.9 * schedule.tolerance()) << "a sliver at " << p.t;
      ASSERT_NEAR(t + p.h, p.t, 1.01 * schedule.tolerance());
      ASSERT_LE(p.h, o.step * (1 + 1e-9));
      if (std::abs(p.h - o.step) <= schedule.tolerance()) {
        ASSERT_EQ(p.h, o.step);
      }
      if (!o.cut) {
        ASSERT_EQ(p.h, o.step);
      }
      ASSERT_EQ(p.last, &p == &points.back());
      t = p.t;
    }
    if (o.cut) {
      ASSERT_EQ(t, o.stop);
    } else {
      ASSERT_EQ(t, schedule.stop());
    }
    if (!points.empty()) {
      ASSERT_TRUE(points.back().record);
    }
    const auto meets = [&](Time wanted) {
      for (const auto& p : points) {
        if (std::abs(p.t - wanted) <= schedule.tolerance()) return true;
      }
      return false;
    };
    if (!o.cut) continue;
    for (const Time e : o.events) {
      ASSERT_TRUE(e <= o.start + schedule.tolerance() || e >= o.stop || meets(e)) << "event " << e;
    }
    if (!o.interval) continue;
    const Grid outputs(o.start, o.stop, *o.interval);
    for (std::uint64_t n = 1; n < outputs.intervals(); ++n) ASSERT_TRUE(meets(outputs.point(n))) << n;
  }
}

}  // namespace
}  // namespace consort::engine
