// Ends of steps and times of rows of a unit that runs alone: grid points, output points and events of tables.
#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/simulate_cs.hpp"
#include "engine/tests/spy_unit.hpp"

namespace consort::engine {
namespace {

struct Options {
  Time start = 0, stop = 1;
  Duration step = 0.1;
  std::optional<Duration> interval{};
  std::vector<Time> events{};
  bool cut = true;
};

struct Points {
  std::vector<unit::StepRequest> steps;
  std::vector<Time> rows;
  report::FmuReport report;
};

class Times final : public record::Sink {
 public:
  explicit Times(std::vector<Time>& times) : times_(times) {}
  void begin(const record::Header&) override {}
  void write(Time t, const Columns&) override { times_.push_back(t); }
  void flush() override {}
  void end() override {}

 private:
  std::vector<Time>& times_;
};

Points run(const Options& o) {
  SpyUnit unit;
  static_cast<void>(unit.lambdas.input("mode", std::int32_t{0}));
  unit.lambdas.allow_variable_step(o.cut);
  unit.lambdas.on_step([](unit::LambdaUnit::Values&, const unit::StepRequest& r) { return unit::completed(r); });
  auto events = o.events;
  std::sort(events.begin(), events.end());
  std::string text = "time,mode\n";
  append_element(text, std::min(o.start, events.empty() ? o.start : events.front()) - 1);
  text += ",0\n";
  for (std::size_t i = 0; i < events.size(); ++i) {
    append_element(text, events[i]);
    text += "," + std::to_string(i + 1) + "\n";
  }
  const auto table = input::InputTable::parse(text, "in.csv", unit.description());
  Points points;
  Times times(points.rows);
  record::Sink* const sinks[] = {&times};
  points.report = simulate_cs(unit, {.start = o.start, .stop = o.stop, .step = o.step, .output_interval = o.interval},
                              &table, sinks);
  points.steps = unit.steps;
  return points;
}

TEST(CommunicationPoints, AreCountedAndNotAddedUp) {
  const auto points = run({.stop = 100, .step = 0.1});
  ASSERT_EQ(points.steps.size(), 1000U);
  for (std::size_t i = 0; i < points.steps.size(); ++i) {
    EXPECT_EQ(points.steps[i].t, static_cast<double>(i) * 0.1);
    EXPECT_EQ(points.steps[i].h, 0.1) << "exactly the step size, at step " << i;
  }
  EXPECT_EQ(points.rows.back(), 100);
}

TEST(CommunicationPoints, EndExactlyAtTheStopTimeWithAShorterStep) {
  const auto points = run({.stop = 1, .step = 0.3});
  ASSERT_EQ(points.steps.size(), 4U);
  EXPECT_EQ(points.rows.back(), 1);
  EXPECT_NEAR(points.steps.back().h, 0.1, 1e-12);
}

TEST(CommunicationPoints, AreNoneWhereARunIsShorterThanAStepThatCannotBeCut) {
  const auto points = run({.stop = 0.05, .cut = false});
  EXPECT_TRUE(points.steps.empty());
  EXPECT_EQ(points.rows.size(), 1U);
}

TEST(CommunicationPoints, AreAtEventsAndReturnToTheGrid) {
  const auto points = run({.stop = 1, .step = 0.5, .events = {0.3}});
  ASSERT_EQ(points.steps.size(), 3U);
  EXPECT_EQ(points.steps[1].t, 0.3);
  EXPECT_EQ(points.steps[2].t, 0.5);
  EXPECT_EQ(points.steps[2].h, 0.5);
}

TEST(CommunicationPoints, AreEquallyFarApartFarFromZero) {
  // At 1e9 s doubles are 1.2e-7 s apart: more than the slack of a step of 1 ms.
  const auto points = run({.start = 1e9, .stop = 1e9 + 1, .step = 1e-3});
  EXPECT_EQ(points.steps.size(), 1000U);
  for (const auto& s : points.steps) EXPECT_EQ(s.h, 1e-3);
  EXPECT_EQ(points.rows.back(), 1e9 + 1);
}

// Properties for any grids and events.
TEST(CommunicationPoints, KeepTheirPromisesForManyRandomGrids) {
  std::mt19937 random(20240229);  // the same cases every time
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 1000; ++i) {
    Options o;
    o.start = unit(random) < 0.5 ? 0 : 100 * unit(random) - 50;
    o.step = std::pow(10, -3 * unit(random));
    o.stop = o.start + o.step * (unit(random) < 0.5 ? std::floor(40 * unit(random)) : 40 * unit(random));
    if (unit(random) < 0.5)
      o.interval = o.step * (unit(random) < 0.5 ? std::ceil(5 * unit(random)) : 3 * unit(random) + 0.05);
    for (int e = 0; unit(random) < 0.6 && e < 5; ++e) {
      const double n = std::floor(20 * unit(random));
      const Time t = unit(random) < 0.5 ? std::nextafter(o.start + n * o.step, unit(random) < 0.5 ? -1e9 : 1e9)
                                        : o.start + (o.stop - o.start) * unit(random);
      if (std::find(o.events.begin(), o.events.end(), t) == o.events.end()) o.events.push_back(t);
    }
    o.cut = unit(random) < 0.7;
    const Grid grid(o.start, o.stop, o.step);
    const auto points = run(o);
    SCOPED_TRACE(::testing::Message() << "case " << i << ": start " << o.start << " stop " << o.stop << " step "
                                      << o.step << " interval " << o.interval.value_or(0) << " cut " << o.cut);
    Time t = o.start;
    for (const auto& s : points.steps) {
      ASSERT_NEAR(s.t, t, 1.01 * grid.tolerance());
      ASSERT_GE(s.h, 0.9 * grid.tolerance()) << "a sliver at " << s.t;
      ASSERT_LE(s.h, o.step * (1 + 1e-9));
      if (std::abs(s.h - o.step) <= grid.tolerance() || !o.cut) {
        ASSERT_EQ(s.h, o.step);
      }
      t = s.t + s.h;
    }
    const Time end = o.cut || grid.even() ? o.stop : grid.point(grid.intervals() - 1);
    ASSERT_NEAR(t, end, 1.01 * grid.tolerance());
    ASSERT_EQ(points.rows.back(), end);
    if (!o.cut) continue;
    const auto meets = [&](Time wanted) {
      if (std::abs(o.start - wanted) <= grid.tolerance()) return true;
      return std::any_of(points.steps.begin(), points.steps.end(),
                         [&](const auto& s) { return std::abs(s.t + s.h - wanted) <= 2 * grid.tolerance(); });
    };
    for (const Time e : o.events) {
      if (e <= o.start || e >= o.stop) continue;
      ASSERT_TRUE(meets(e)) << "event at " << e;
    }
    if (!o.interval) continue;
    for (Time wanted = o.start; wanted <= o.stop; wanted += *o.interval) ASSERT_TRUE(meets(wanted)) << wanted;
  }
}

}  // namespace
}  // namespace consort::engine
