#include "record/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "record/tube.hpp"

namespace consort::record {
namespace {

using testing::HasSubstr;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Result signal(std::vector<Time> time, std::vector<double> values, bool discrete = false) {
  Result r;
  r.time = std::move(time);
  r.trajectories.push_back({{"x", Type::Float64, "", "", discrete}, std::move(values), {}});
  return r;
}

Result texts(std::vector<Time> time, std::vector<std::string> values) {
  Result r;
  r.time = std::move(time);
  r.trajectories.push_back({{"x", Type::String, "", "", true}, {}, std::move(values)});
  return r;
}

SignalVerdict only(const Result& reference, const Result& result, const Band& band = {}) {
  return compare(reference, result, band).signals.at(0);
}

// --- the tube compared with its definition

// Evaluates every row and both edges of the window.
Tube brute_force(const std::vector<Time>& time, const std::vector<double>& v, bool held, Time a, Time b) {
  Tube tube;
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (time[i] >= a && time[i] <= b) tube.include(v[i]);
  }
  for (const Time s : {a, b}) {
    for (std::size_t i = 0; i + 1 < time.size(); ++i) {
      if (!(time[i] < s && s < time[i + 1])) continue;
      if (held) {
        tube.include(v[i]);
      } else if (std::isnan(v[i]) || std::isnan(v[i + 1])) {
        tube.has_nan = true;
      } else if (std::isinf(v[i]) || std::isinf(v[i + 1])) {
        tube.include(v[i]);
        tube.include(v[i + 1]);
      } else {
        tube.include(v[i] + (v[i + 1] - v[i]) * (s - time[i]) / (time[i + 1] - time[i]));
      }
    }
  }
  return tube;
}

struct RandomSignal {
  std::vector<Time> time;
  std::vector<double> values;
};

RandomSignal random_signal(std::mt19937& random, std::size_t rows) {
  std::uniform_int_distribution<int> kind(0, 19);
  std::uniform_real_distribution<double> value(-1, 1);
  RandomSignal s;
  Time t = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    if (kind(random) > 4) t += std::abs(value(random));  // otherwise equal times: an event
    s.time.push_back(t);
    const int k = kind(random);
    s.values.push_back(k == 0 ? nan : k == 1 ? inf : k == 2 ? -inf : value(random));
  }
  return s;
}

TEST(Tube, EqualsABruteForceSearchOnRandomSignals) {
  std::mt19937 random(1);
  for (int run = 0; run < 300; ++run) {
    const bool held = run % 2 == 0;
    const RandomSignal s = random_signal(random, 1 + static_cast<std::size_t>(run % 40));
    const double length = s.time.back() - s.time.front();
    const double dt = (run % 5) * 0.1 * length;
    MovingTube moving(s.time, s.values, held);
    for (int k = 0; k <= 60; ++k) {
      // Also test times exactly at rows.
      const auto row = static_cast<std::size_t>(k) * (s.time.size() - 1) / 60;
      const Time t = run % 3 == 0 ? s.time[row] : std::min(s.time.front() + length * k / 60, s.time.back());
      const Tube is = moving.move_to(t - dt, t + dt);
      const Tube should = brute_force(s.time, s.values, held, t - dt, t + dt);
      ASSERT_EQ(is.empty(), should.empty()) << run << " " << t;
      ASSERT_EQ(is.has_nan, should.has_nan) << run << " " << t;
      if (is.empty()) continue;
      // The two interpolations differ only by rounding.
      ASSERT_TRUE(is.low == should.low || std::abs(is.low - should.low) < 1e-12) << run << " " << t;
      ASSERT_TRUE(is.high == should.high || std::abs(is.high - should.high) < 1e-12) << run << " " << t;
    }
  }
}

TEST(Tube, OfTextsEqualsABruteForceSearch) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> letter(0, 3);
  for (int run = 0; run < 200; ++run) {
    std::vector<Time> time;
    std::vector<std::string> values;
    Time t = 0;
    for (int i = 0; i < 1 + run % 15; ++i) {
      time.push_back(t);
      values.emplace_back(1, static_cast<char>('a' + letter(random)));
      if (letter(random) > 0) t += letter(random);
    }
    const double dt = 0.5 * (run % 4);
    MovingTexts moving(time, values);
    for (double s = 0; s <= time.back(); s += 0.25) {
      moving.move_to(s - dt, s + dt);
      for (const char* text : {"a", "b", "c", "d", "e"}) {
        bool in_force = false;
        for (std::size_t i = 0; i < time.size(); ++i) {
          const bool in_window = time[i] >= s - dt && time[i] <= s + dt;
          const bool at_left_edge = i + 1 < time.size() && time[i] < s - dt && time[i + 1] > s - dt;
          if ((in_window || at_left_edge) && values[i] == text) in_force = true;
        }
        ASSERT_EQ(moving.contains(text), in_force) << run << " " << s << " " << text;
      }
    }
  }
}

// --- verdicts

TEST(Compare, FindsAResultInsideItself) {
  std::mt19937 random(3);
  for (int run = 0; run < 100; ++run) {
    const RandomSignal s = random_signal(random, 50);
    const SignalVerdict v = only(signal(s.time, s.values), signal(s.time, s.values), {0, 0, 0});
    ASSERT_EQ(v.verdict, Verdict::inside) << v.reason;
    ASSERT_EQ(v.points, 50U);
  }
}

TEST(Compare, MeasuresTheDeviationRelativeToTheRange) {
  const Result reference = signal({0, 10}, {0, 4});
  const SignalVerdict inside = only(reference, signal({0, 5, 10}, {0, 2.39, 4}), {0.1, 0, 0});
  EXPECT_EQ(inside.verdict, Verdict::inside);
  EXPECT_NEAR(inside.deviation, 0.39 / 4, 1e-9);
  EXPECT_EQ(inside.at, 5);
  const SignalVerdict outside = only(reference, signal({0, 5, 10}, {0, 1.59, 4}), {0.1, 0, 0});
  EXPECT_EQ(outside.verdict, Verdict::outside);
  EXPECT_EQ(outside.outside, 1U);
  EXPECT_NEAR(outside.fraction_outside(), 1.0 / 3, 1e-15);
  EXPECT_THAT(outside.reason, HasSubstr("5 s"));
}

TEST(Compare, AllowsEventsAtSlightlyDifferentTimes) {
  const Result reference = signal({0, 5, 5, 10}, {0, 0, 1, 1});
  const Result late = signal({0, 5.15, 5.15, 10}, {0, 0, 1, 1});
  EXPECT_EQ(only(reference, late, {0.01, 0.02, 0}).verdict, Verdict::inside);
  EXPECT_EQ(only(reference, late, {0.01, 0.01, 0}).verdict, Verdict::outside);
}

TEST(Compare, PutsTheWholeJumpOfAnEventIntoTheTube) {
  const Result reference = signal({0, 5, 5, 10}, {0, 0, 1, 1});
  EXPECT_EQ(only(reference, signal({0, 5, 10}, {0, 0.5, 1}), {0, 0, 0}).verdict, Verdict::inside);
  EXPECT_EQ(only(reference, signal({0, 5, 10}, {0, 1.1, 1}), {0.05, 0, 0}).verdict, Verdict::outside);
}

TEST(Compare, HoldsDiscreteSignals) {
  const Result reference = signal({0, 10}, {0, 1}, true);
  EXPECT_EQ(only(reference, signal({0, 5, 10}, {0, 0, 1}), {0.1, 0, 0}).verdict, Verdict::inside);
  EXPECT_EQ(only(reference, signal({0, 5, 10}, {0, 0.5, 1}), {0.1, 0, 0}).verdict, Verdict::outside);
  // Files often do not say that a signal is discrete; one side is enough.
  EXPECT_EQ(only(signal({0, 10}, {0, 1}), signal({0, 5, 10}, {0, 0, 1}, true), {0.1, 0, 0}).verdict, Verdict::inside);
}

TEST(Compare, AllowsTheGivenFractionOfOutliers) {
  const Result reference = signal({0, 10}, {0, 1});
  const Result result = signal({0, 1, 2, 10}, {0, 0.1, 9, 1});
  EXPECT_EQ(only(reference, result, {0.1, 0.02, 0.2}).verdict, Verdict::outside);
  const SignalVerdict v = only(reference, result, {0.1, 0.02, 0.25});
  EXPECT_EQ(v.verdict, Verdict::inside);
  EXPECT_EQ(v.outside, 1U);
  EXPECT_EQ(v.reason, "");
}

TEST(Compare, TreatsNaNAsOutsideUnlessTheReferenceIsNaNToo) {
  EXPECT_EQ(only(signal({0, 1}, {1, 2}), signal({0, 1}, {1, nan})).verdict, Verdict::outside);
  EXPECT_EQ(only(signal({0, 1}, {1, nan}), signal({0, 1}, {1, nan})).verdict, Verdict::inside);
  EXPECT_EQ(only(signal({0, 1, 2, 3}, {1, 1, nan, 1}), signal({0, 2, 3}, {nan, nan, 1}), {0.1, 0, 0}).verdict,
            Verdict::outside);
  EXPECT_EQ(only(signal({0, 1}, {nan, nan}), signal({0, 1}, {1, 1})).verdict, Verdict::outside);
  EXPECT_EQ(only(signal({0, 1}, {nan, nan}), signal({0, 1}, {nan, nan})).verdict, Verdict::inside);
  EXPECT_EQ(only(signal({0, 1}, {1, 2}), signal({0, 1}, {1, inf})).deviation, inf);
}

TEST(Compare, JudgesConstantsByTheirMagnitude) {
  EXPECT_EQ(only(signal({0, 1}, {100, 100}), signal({0, 1}, {109, 91})).verdict, Verdict::inside);
  EXPECT_EQ(only(signal({0, 1}, {100, 100}), signal({0, 1}, {100, 111})).verdict, Verdict::outside);
  // Rounding errors do not count as a range.
  EXPECT_EQ(only(signal({0, 1}, {0.3, 0.1 + 0.2}), signal({0, 1}, {0.3000001, 0.3})).verdict, Verdict::inside);
  EXPECT_EQ(only(signal({0, 1}, {0, 0}), signal({0, 1}, {0, 9e-10})).verdict, Verdict::inside);
  EXPECT_EQ(only(signal({0, 1}, {0, 0}), signal({0, 1}, {0, 2e-9})).verdict, Verdict::outside);
  // A small range counts as a range.
  EXPECT_EQ(only(signal({0, 1}, {0, 1e-11}), signal({0, 1}, {0, 3e-11})).verdict, Verdict::outside);
}

TEST(Compare, SaysThatAResultEndsEarlyOrStartsLate) {
  const Result reference = signal({0, 10}, {0, 1});
  const SignalVerdict early = only(reference, signal({0, 3.2}, {0, 0.32}));
  EXPECT_EQ(early.verdict, Verdict::outside);
  EXPECT_THAT(early.reason, HasSubstr("ends at 3.2 s, the reference at 10 s"));
  EXPECT_THAT(only(reference, signal({1, 10}, {0.1, 1})).reason, HasSubstr("starts at 1 s"));
  EXPECT_EQ(only(reference, signal({0.1, 9.9}, {0.01, 0.99})).verdict, Verdict::inside);
  EXPECT_THAT(only(reference, signal({}, {})).reason, HasSubstr("no rows"));
  EXPECT_THAT(only(reference, signal({11, 12}, {1, 1})).reason, HasSubstr("starts at 11 s"));
  EXPECT_THAT(only(reference, signal({-1, 11}, {0, 1})).reason, HasSubstr("no rows within"));
}

TEST(Compare, IgnoresWhatLiesOutsideTheTimeOfTheReference) {
  const Result reference = signal({0, 10}, {0, 1});
  const SignalVerdict v = only(reference, signal({-5, 0, 10, 20}, {77, 0, 1, -77}));
  EXPECT_EQ(v.verdict, Verdict::inside);
  EXPECT_EQ(v.points, 2U);
}

TEST(Compare, ForgivesRoundingOfTheLastTime) {
  const Time end = 0.1 * 3;  // a little more than 0.3
  EXPECT_EQ(only(signal({0, 0.3}, {0, 1}), signal({0, end}, {0, 1}), {0.01, 0, 0}).points, 2U);
  EXPECT_EQ(only(signal({0, end}, {0, 1}), signal({0, 0.3}, {0, 1}), {0.01, 0, 0}).verdict, Verdict::inside);
}

TEST(Compare, TakesAReferenceOfOneRow) {
  EXPECT_EQ(only(signal({1}, {2}), signal({1}, {2})).verdict, Verdict::inside);
  EXPECT_EQ(only(signal({1}, {2}), signal({0, 1, 2}, {9, 2, 9})).verdict, Verdict::inside);
  EXPECT_EQ(only(signal({1}, {2}), signal({1}, {3})).verdict, Verdict::outside);
}

TEST(Compare, ComparesTextsExactlyInTheSameWindow) {
  const Result reference = texts({0, 5, 10}, {"off", "on", "on"});
  EXPECT_EQ(only(reference, texts({0, 5.1, 10}, {"off", "off", "on"})).verdict, Verdict::inside);
  EXPECT_EQ(only(reference, texts({0, 6, 10}, {"off", "off", "on"})).verdict, Verdict::outside);
  EXPECT_EQ(only(reference, texts({0, 5, 10}, {"off", "On", "on"})).deviation, inf);
  EXPECT_THAT(only(reference, signal({0, 10}, {0, 1})).reason, HasSubstr("texts"));
  EXPECT_THAT(only(signal({0, 10}, {0, 1}), reference).reason, HasSubstr("numbers"));
}

TEST(Compare, ReportsASignalThatIsMissing) {
  Result result = signal({0, 1}, {0, 1});
  result.trajectories[0].signal.name = "other";
  const Comparison c = compare(signal({0, 1}, {0, 1}), result);
  EXPECT_EQ(c.signals.at(0).verdict, Verdict::missing);
  EXPECT_FALSE(c.inside());
}

TEST(Compare, RefusesWhatIsNoReferenceAndNoBand) {
  const Result good = signal({0, 1}, {0, 1});
  EXPECT_THROW((void)compare(signal({}, {}), good), Error);
  EXPECT_THROW((void)compare(signal({1, 0}, {0, 1}), good), Error);
  EXPECT_THROW((void)compare(good, signal({0, nan}, {0, 1})), Error);
  EXPECT_THROW((void)compare(good, good, {-0.1, 0, 0}), Error);
  EXPECT_THROW((void)compare(good, good, {0.1, nan, 0}), Error);
  EXPECT_THROW((void)compare(good, good, {0.1, 0, 1.5}), Error);
}

TEST(Compare, TakesTimeProportionalToTheRows) {
  std::vector<Time> time;
  std::vector<double> values;
  constexpr int rows = 400'000;
  for (int i = 0; i < rows; ++i) {
    time.push_back(i);
    values.push_back(std::sin(i * 0.01));
  }
  const Result r = signal(std::move(time), std::move(values));
  // A window of 40 % of the rows: a search per row would visit 6e10 rows and exceed the time limit of the test.
  EXPECT_TRUE(compare(r, r, {0.1, 0.2, 0}).inside());
}

TEST(CompareReport, IsATableForPeopleAndJsonForMachines) {
  Result reference = signal({0, 10}, {0, 1});
  reference.trajectories.push_back({{"lost \xff", Type::Float64, "", "", false}, {0, 1}, {}});
  reference.trajectories.push_back({{"broken", Type::Float64, "", "", false}, {0, 1}, {}});
  Result result = signal({0, 10}, {0, 1.05});
  result.trajectories.push_back({{"broken", Type::Float64, "", "", false}, {0, nan}, {}});
  const Comparison c = compare(reference, result);

  EXPECT_THAT(c.text(), HasSubstr("1 of 3 signals inside"));
  EXPECT_THAT(c.text(), HasSubstr("not in the result"));
  const auto json = nlohmann::json::parse(c.json());
  EXPECT_FALSE(json.at("inside").get<bool>());
  EXPECT_EQ(json.at("signals").at(0).at("verdict"), "inside");
  EXPECT_NEAR(json.at("signals").at(0).at("deviation").get<double>(), 0.05, 1e-9);  // 1.05 against at most 1
  EXPECT_EQ(json.at("signals").at(1).at("verdict"), "missing");
  EXPECT_TRUE(json.at("signals").at(2).at("deviation").is_null());
  EXPECT_EQ(json.at("band").at("value"), 0.1);
}

}  // namespace
}  // namespace consort::record
