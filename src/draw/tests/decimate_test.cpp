#include "draw/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "draw/path.hpp"

namespace consort::draw {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Decimate, KeepsEveryPointOfAShortSignal) {
  const std::vector<Time> time{0, 1, 1, 2, 3, 4};
  const std::vector<double> values{1, 2, 3, nan, 5, INFINITY};
  const auto points = decimate(time, values, 100);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_TRUE(points[0].starts);
  EXPECT_FALSE(points[1].starts);
  EXPECT_EQ(points[2].y, 3);
  EXPECT_TRUE(points[3].starts) << "a gap lies before it";
}

TEST(Decimate, GivesNothingForNothing) {
  EXPECT_TRUE(decimate({}, {}, 10).empty());
  const std::vector<Time> time(1000, 1.0);
  EXPECT_TRUE(decimate(time, std::vector<double>(1000, nan), 10).empty());
}

TEST(Decimate, KeepsTheExtremesOfEveryColumn) {
  std::mt19937 random(6);
  std::normal_distribution<double> value;
  for (const std::size_t columns : {std::size_t{1}, std::size_t{7}, std::size_t{50}}) {
    std::vector<Time> time;
    std::vector<double> values;
    for (int i = 0; i < 5000; ++i) {
      time.push_back(time.empty() ? 3.0 : time.back() + (i % 10 == 0 ? 0 : std::abs(value(random))));
      values.push_back(i % 97 == 0 ? nan : value(random));
    }
    const auto points = decimate(time, values, columns);
    EXPECT_LE(points.size(), 4 * columns);
    const auto column = [&](Time t) {
      const double place = (t - time.front()) / (time.back() - time.front()) * static_cast<double>(columns);
      return std::min(static_cast<std::size_t>(place), columns - 1);
    };
    std::map<std::size_t, std::pair<double, double>> expected;
    std::map<std::size_t, std::pair<double, double>> kept;
    const auto see = [&](auto& limits, Time t, double y) {
      auto& [low, high] = limits.try_emplace(column(t), y, y).first->second;
      low = std::min(low, y);
      high = std::max(high, y);
    };
    for (std::size_t i = 0; i < time.size(); ++i) {
      if (std::isfinite(values[i])) see(expected, time[i], values[i]);
    }
    for (const Point& p : points) see(kept, p.t, p.y);
    EXPECT_EQ(kept, expected);
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.t < b.t; }));
  }
}

TEST(Decimate, KeepsGapsThatCanBeSeen) {
  std::vector<Time> time;
  std::vector<double> values;
  for (int i = 0; i < 10'000; ++i) {
    time.push_back(i);
    values.push_back(i > 4000 && i < 6000 ? nan : 1.0 * (i % 7));
  }
  const auto points = decimate(time, values, 100);
  EXPECT_EQ(std::count_if(points.begin(), points.end(), [](const Point& p) { return p.starts; }), 2);
}

TEST(Decimate, TakesManyRowsAtOneTime) {
  const std::vector<Time> time(1000, 2.0);
  std::vector<double> values(1000);
  values[500] = 7;
  values[700] = -7;
  const auto points = decimate(time, values, 10);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].y, 7);
  EXPECT_EQ(points[2].y, -7);
}

TEST(Straighten, StaysWithinTheTolerance) {
  std::mt19937 random(7);
  std::normal_distribution<double> step;
  for (int run = 0; run < 100; ++run) {
    std::vector<Dot> line{{0, 0}};
    for (int i = 0; i < 200; ++i) {
      const double dx = i % 23 == 0 ? 0 : std::abs(step(random));
      line.push_back({line.back().x + dx, run % 2 == 0 ? std::sin(line.back().x) * 20 : line.back().y + step(random)});
    }
    const auto kept = straighten(line, 0.05);
    ASSERT_EQ(kept.front().x, line.front().x);
    ASSERT_EQ(kept.back().y, line.back().y);
    std::size_t k = 0;
    for (const Dot& dot : line) {
      while (k + 1 < kept.size() && kept[k + 1].x < dot.x) ++k;
      if (k + 1 == kept.size() || kept[k + 1].x == dot.x || kept[k].x == dot.x) continue;
      const double f = (dot.x - kept[k].x) / (kept[k + 1].x - kept[k].x);
      ASSERT_NEAR(kept[k].y + f * (kept[k + 1].y - kept[k].y), dot.y, 0.05 + 1e-9) << run;
    }
  }
}

TEST(Straighten, ReducesAStraightLineToItsEnds) {
  std::vector<Dot> line;
  for (int i = 0; i <= 1000; ++i) line.push_back({0.5 * i, 3.0 * i});
  EXPECT_EQ(straighten(line, 0.05).size(), 2U);
}

TEST(Path, GoesInStepsToTheSideFirst) {
  std::string path;
  append_steps(path, {{0, 1}, {1, 1}, {2, 5}, {3, 5}});
  EXPECT_EQ(path, "M0 1H2V5H3");
  path.clear();
  append_line(path, {{0, -0.001}, {1.234567, 2}});
  EXPECT_EQ(path, "M0 0L1.23 2");
}

}  // namespace
}  // namespace consort::draw
