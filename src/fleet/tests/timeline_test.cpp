#include "fleet/timeline.hpp"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "solve/tests/allocations.hpp"

namespace consort::fleet {
namespace {

namespace fs = std::filesystem;
using Clock = Timeline::Clock;
using nlohmann::json;

json written(const Timeline& timeline, const std::vector<std::string>& units) {
  fs::create_directories(places::scratch());
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const fs::path file = fs::path(places::scratch()) / ("timeline-" + test + ".json");
  timeline.write_chrome_trace(file, units);
  return json::parse(read_file(file));
}

std::vector<json> spans(const json& trace) {
  std::vector<json> found;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("ph") == "X") found.push_back(event);
  return found;
}

TEST(Timeline, WritesOneTrackPerThreadWithUnitsAndActivities) {
  Timeline timeline(2);
  const auto routing = timeline.activity("routing");
  const auto begin = Clock::now();
  timeline.unit(1, 0, begin, begin + std::chrono::nanoseconds(1500), 0.25);
  timeline.activity(0, routing, begin, begin + std::chrono::microseconds(3));
  const json trace = written(timeline, {"wheel"});
  const auto events = spans(trace);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].at("name"), "routing");
  EXPECT_EQ(events[0].at("cat"), "engine");
  EXPECT_EQ(events[0].at("tid"), 0);
  EXPECT_DOUBLE_EQ(events[0].at("dur"), 3.0);
  EXPECT_FALSE(events[0].contains("args"));
  EXPECT_EQ(events[1].at("name"), "wheel");
  EXPECT_EQ(events[1].at("cat"), "unit");
  EXPECT_EQ(events[1].at("tid"), 1);
  EXPECT_DOUBLE_EQ(events[1].at("dur"), 1.5);
  EXPECT_DOUBLE_EQ(events[1].at("args").at("t"), 0.25);
  EXPECT_EQ(events[0].at("ts"), events[1].at("ts"));
  EXPECT_GE(events[0].at("ts").get<double>(), 0);
  std::vector<std::string> tracks;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("name") == "thread_name") tracks.push_back(event.at("args").at("name"));
  EXPECT_THAT(tracks, testing::ElementsAre("engine", "worker 1"));
}

TEST(Timeline, CountsWhatHasNoRoom) {
  Timeline timeline(2, 3);
  for (int i = 0; i < 5; ++i) timeline.unit(1, 0, Clock::now(), Clock::now(), i);
  timeline.unit(0, 0, Clock::now(), Clock::now(), 0);
  EXPECT_EQ(timeline.recorded(), 4U);
  EXPECT_EQ(timeline.dropped(), 2U);
  const json trace = written(timeline, {"wheel"});
  EXPECT_EQ(trace.at("otherData").at("dropped"), 2);
  EXPECT_EQ(spans(trace).size(), 4U);
}

TEST(Timeline, AllocatesNothingWhileItRecords) {
  Timeline timeline(1, 100);
  const auto what = timeline.activity("routing");
  const auto before = allocations();
  for (int i = 0; i < 200; ++i) const Timeline::Span span(&timeline, what);
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(timeline.recorded(), 100U);
}

TEST(Timeline, WritesNamesThatJsonWouldStumbleOver) {
  Timeline timeline(1);
  const auto odd = timeline.activity("tab\there");
  timeline.name_track(0, "a \"main\" one");
  for (std::uint32_t id = 0; id < 3; ++id) timeline.unit(0, id, Clock::now(), Clock::now(), 0);
  timeline.activity(0, odd, Clock::now(), Clock::now());
  timeline.unit(0, 0, Clock::now(), Clock::now(), std::numeric_limits<double>::infinity());
  const auto events = spans(written(timeline, {"q\"uote\\", "räder", "\xff\xfe"}));
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0].at("name"), "q\"uote\\");
  EXPECT_EQ(events[1].at("name"), "räder");
  EXPECT_EQ(events[2].at("name"), "?");
  EXPECT_EQ(events[3].at("name"), "tab\there");
}

TEST(Timeline, SpansInsideOfEachOtherNest) {
  Timeline timeline(1);
  {
    const Timeline::Span outer(&timeline, timeline.activity("step"));
    const Timeline::Span inner(&timeline, timeline.activity("route"));
  }
  { const Timeline::Span none(nullptr, {}); }
  const auto events = spans(written(timeline, {}));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].at("name"), "route");
  EXPECT_LE(events[1].at("ts").get<double>(), events[0].at("ts").get<double>());
}

TEST(Timeline, OneNameIsOneActivity) {
  Timeline timeline(1);
  EXPECT_EQ(timeline.activity("a").index, timeline.activity("a").index);
  EXPECT_NE(timeline.activity("a").index, timeline.activity("b").index);
}

TEST(Timeline, SaysWhichFileCannotBeWritten) {
  const Timeline timeline(1);
  EXPECT_THAT([&] { timeline.write_chrome_trace("/nowhere/at/all.json", {}); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("/nowhere/at/all.json")));
  // Opens, but every write fails.
  EXPECT_THROW(timeline.write_chrome_trace("/dev/full", {}), Error);
}

}  // namespace
}  // namespace consort::fleet
