#include "record/buffered_sink.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "os/child_process.hpp"
#include "os/crash_guard.hpp"
#include "record/formats.hpp"
#include "record/result.hpp"
#include "record/tests/allocations.hpp"
#include "record/tests/sink_rows.hpp"

namespace consort::record {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using namespace testing_rows;
using testing::HasSubstr;

// Calls a function of the test for each row; counts the other calls.
class Probe : public Sink {
 public:
  std::function<void(std::size_t)> on_row = [](std::size_t) {};
  std::function<void()> on_begin = [] {};
  std::function<void()> on_flush = [] {};
  std::function<void()> on_end = [] {};
  std::atomic<std::size_t> rows{0};
  std::atomic<int> flushes{0};
  int begins = 0;
  int ends = 0;
  double sum = 0;

  void begin(const Header&) override {
    ++begins;
    on_begin();
  }
  void write(Time t, const Columns& row) override {
    on_row(rows);
    sum += t;
    for (const double x : row.column<double>()) sum += x;
    ++rows;
  }
  void flush() override {
    ++flushes;
    on_flush();
  }
  void end() override {
    ++ends;
    on_end();
  }
  std::vector<std::string> warnings() const override { return {"careful"}; }
};

TEST(BufferedSink, HandsEveryRowOfEveryTypeToAllSinksInOrder) {
  Result direct;
  MemorySink reference(direct);
  Result first;
  Result second;
  MemorySink one(first);
  MemorySink two(second);
  Sink* const sinks[] = {&one, &two};
  BufferedSink buffered(sinks, 1 << 16);  // small, so that the ring wraps many times
  reference.begin(every_type());
  buffered.begin(every_type());
  for (std::size_t i = 0; i < 5000; ++i) {
    const Columns row = row_at(i);
    reference.write(static_cast<double>(i), row);
    buffered.write(static_cast<double>(i), row);
  }
  buffered.end();
  for (const Result* result : {&first, &second}) {
    EXPECT_EQ(result->time, direct.time);
    ASSERT_EQ(result->trajectories.size(), direct.trajectories.size());
    for (std::size_t k = 0; k < direct.trajectories.size(); ++k) {
      EXPECT_EQ(result->trajectories[k].numbers, direct.trajectories[k].numbers);
      EXPECT_EQ(result->trajectories[k].texts, direct.trajectories[k].texts);
    }
  }
}

TEST(BufferedSink, ServesSinksThatTakeBatchesBesideThoseThatDoNot) {
  Header header = every_type();
  std::erase_if(header.signals, [](const Signal& s) { return !is_scalar_like(s.type); });
  const fs::path file = fs::path(places::scratch()) / "buffered_batches.h5";
  Result direct;
  MemorySink memory(direct);
  const auto batches = make_sink(file);
  Sink* const sinks[] = {&memory, batches.get()};
  BufferedSink buffered(sinks, 1 << 14);
  buffered.begin(header);
  for (std::size_t i = 0; i < 20'000; ++i) {
    Columns row = row_at(i);
    row.column<std::string>().clear();
    row.column<Binary>().clear();
    buffered.write(static_cast<double>(i), row);
    if (i % 4999 == 0) buffered.flush();
  }
  buffered.end();
  const Result back = read_result(file);
  ASSERT_EQ(back.time, direct.time);
  ASSERT_EQ(back.trajectories.size(), direct.trajectories.size());
  for (std::size_t k = 0; k < back.trajectories.size(); ++k) {
    EXPECT_EQ(back.trajectories[k].numbers, direct.trajectories[k].numbers) << back.trajectories[k].signal.name;
  }
}

TEST(BufferedSink, TakesRowsThatAreLargerThanItsBuffer) {
  Result result;
  MemorySink memory(result);
  Sink* const sinks[] = {&memory};
  BufferedSink buffered(sinks, 1024);
  buffered.begin({{{"s", Type::String, "", "", true}, {"x", Type::Float64, "", "", false}}, {}});
  Columns row;
  row.column<double>() = {7};
  for (std::size_t i = 0; i < 200; ++i) {
    row.column<std::string>() = {std::string(i * 20, 'x')};
    buffered.write(static_cast<double>(i), row);
  }
  buffered.end();
  ASSERT_EQ(result.rows(), 200U);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(result["s"].texts[i].size(), i * 20);
  EXPECT_EQ(result["x"].numbers[150], 7);

  Probe probe;
  Sink* const wide_sinks[] = {&probe};
  BufferedSink wide(wide_sinks, 1024);
  wide.begin(numbers(1, 10'000));
  for (std::size_t i = 0; i < 10; ++i) wide.write(0, count_row(1, 10'000));
  wide.end();
  EXPECT_EQ(probe.sum, 100'000);
}

TEST(BufferedSink, TakesRowsThatAreFilledInPlace) {
  Result result;
  MemorySink memory(result);
  Sink* const sinks[] = {&memory};
  BufferedSink buffered(sinks, 4096);
  buffered.begin({{{"b", Type::Boolean, "", "", true},
                   {"x", Type::Float64, "", "", false},
                   {"i", Type::Int32, "", "", true},
                   {"y", Type::Float64, "", "", false}},
                  {}});
  EXPECT_EQ(buffered.offset(Type::Float64), 0U);
  for (int i = 0; i < 1000; ++i) {
    std::byte* const row = buffered.begin_row(i);
    auto* const x = reinterpret_cast<double*>(row);
    x[0] = i;
    x[1] = -i;
    *reinterpret_cast<std::int32_t*>(row + buffered.offset(Type::Int32)) = 2 * i;
    *reinterpret_cast<Bool*>(row + buffered.offset(Type::Boolean)) = i % 2 == 0;
    buffered.end_row();
  }
  buffered.end();
  ASSERT_EQ(result.rows(), 1000U);
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(result["x"].numbers[i], static_cast<double>(i));
    ASSERT_EQ(result["y"].numbers[i], -static_cast<double>(i));
    ASSERT_EQ(result["i"].numbers[i], 2 * static_cast<double>(i));
    ASSERT_EQ(result["b"].numbers[i], i % 2 == 0 ? 1 : 0);
  }
}

TEST(BufferedSink, AllocatesNothingPerRowOfNumbers) {
  Probe probe;
  Sink* const sinks[] = {&probe};
  BufferedSink buffered(sinks);
  buffered.begin(numbers(1, 100));
  const Columns row = count_row(1, 100);
  buffered.write(0, row);
  buffered.flush();
  const std::size_t before = allocations();
  for (int i = 0; i < 50'000; ++i) buffered.write(0, row);
  buffered.flush();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(probe.rows, 50'001U);
}

TEST(BufferedSink, WaitsForASlowSinkInsteadOfLosingRows) {
  Probe probe;
  probe.on_row = [](std::size_t i) {
    if (i % 50 == 0) std::this_thread::sleep_for(2ms);
  };
  Sink* const sinks[] = {&probe};
  BufferedSink buffered(sinks, 8192);
  buffered.begin(numbers(1, 10));
  for (std::size_t i = 0; i < 5000; ++i) buffered.write(0, count_row(i, 10));
  buffered.end();
  EXPECT_EQ(probe.rows, 5000U);
  EXPECT_EQ(probe.sum, 10.0 * 4999 * 5000 / 2);
}

TEST(BufferedSink, DoesNotHoldUpTheCallerWhileThereIsRoom) {
  std::atomic<bool> go = false;
  Probe probe;
  probe.on_row = [&](std::size_t) {
    while (!go) std::this_thread::sleep_for(1ms);
  };
  Sink* const sinks[] = {&probe};
  BufferedSink buffered(sinks);
  buffered.begin(numbers(1, 10));
  for (std::size_t i = 0; i < 5000; ++i) buffered.write(0, count_row(i, 10));  // hangs if write() waits
  EXPECT_EQ(probe.rows, 0U);
  go = true;
  buffered.end();
  EXPECT_EQ(probe.rows, 5000U);
}

TEST(BufferedSink, FlushReturnsWhenEverythingIsInTheSinks) {
  Probe probe;
  Sink* const sinks[] = {&probe};
  BufferedSink buffered(sinks);
  buffered.begin(numbers(1, 1));
  for (std::size_t i = 1; i <= 200; ++i) {
    buffered.write(0, count_row(i, 1));
    buffered.flush();
    ASSERT_EQ(probe.rows, i);
    ASSERT_GE(probe.flushes, static_cast<int>(i));
  }
}

TEST(BufferedSink, FlushesByItselfWhenNoRowsCome) {
  Probe probe;
  Sink* const sinks[] = {&probe};
  BufferedSink buffered(sinks);
  buffered.begin(numbers(1, 1));
  buffered.write(0, count_row(0, 1));
  std::this_thread::sleep_for(1500ms);
  EXPECT_EQ(probe.flushes, 1);
}

// Returns the message of the exception of `action`.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
    return "nothing";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(BufferedSink, PassesTheErrorOfASinkToTheNextCallAndServesTheOthers) {
  Probe bad;
  Probe good;
  bad.on_row = [](std::size_t i) {
    if (i == 5) throw run_error("disk {} is full", 9);
  };
  Sink* const sinks[] = {&bad, &good};
  BufferedSink buffered(sinks);
  buffered.begin(numbers(1, 1));
  for (std::size_t i = 0; i < 10; ++i) buffered.write(0, count_row(i, 1));
  EXPECT_EQ(error_of([&] { buffered.flush(); }), "disk 9 is full");
  EXPECT_EQ(error_of([&] { buffered.write(0, count_row(0, 1)); }), "disk 9 is full");
  EXPECT_EQ(error_of([&] { buffered.flush(); }), "nothing") << "the failure was already reported";
  EXPECT_EQ(error_of([&] { buffered.end(); }), "nothing");
  EXPECT_EQ(bad.rows, 5U);
  EXPECT_EQ(good.rows, 10U);
  EXPECT_EQ(bad.ends, 1);
  EXPECT_EQ(good.ends, 1);
}

TEST(BufferedSink, PassesErrorsOfTheLastRowsAndOfTheEnd) {
  for (const bool at_end : {false, true}) {
    Probe bad;
    Probe good;
    if (at_end) {
      bad.on_end = [] { throw run_error("too late"); };
    } else {
      bad.on_row = [](std::size_t) { throw run_error("too late"); };
    }
    Sink* const sinks[] = {&bad, &good};
    BufferedSink buffered(sinks);
    buffered.begin(numbers(1, 1));
    buffered.write(0, count_row(0, 1));
    EXPECT_EQ(error_of([&] { buffered.end(); }), "too late");
    EXPECT_EQ(error_of([&] { buffered.end(); }), "nothing");
    EXPECT_EQ(good.ends, 1);
    EXPECT_EQ(good.rows, 1U);
  }
}

TEST(BufferedSink, EndsTheSinksThatBeganWhenOneCannot) {
  Probe first;
  Probe second;
  Probe third;
  second.on_begin = [] { throw input_error("no such folder"); };
  Sink* const sinks[] = {&first, &second, &third};
  BufferedSink buffered(sinks);
  EXPECT_EQ(error_of([&] { buffered.begin(numbers(1, 1)); }), "no such folder");
  EXPECT_EQ(first.ends, 1);
  EXPECT_EQ(second.ends, 0);
  EXPECT_EQ(third.begins, 0);
  EXPECT_NO_THROW(buffered.end());
}

TEST(BufferedSink, EndsByItselfAndPassesOnWarnings) {
  Probe probe;
  Sink* const sinks[] = {&probe};
  {
    BufferedSink buffered(sinks);
    buffered.begin(numbers(1, 1));
    buffered.write(0, count_row(0, 1));
    EXPECT_THAT(buffered.warnings(), testing::ElementsAre("careful"));
  }
  EXPECT_EQ(probe.rows, 1U);
  EXPECT_EQ(probe.ends, 1);
}

#if defined(__SANITIZE_THREAD__)
#define CONSORT_NO_FORKS_WITH_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CONSORT_NO_FORKS_WITH_THREADS 1
#endif
#endif

TEST(BufferedSink, SavesWhatIsInTheBufferWhenTheProcessCrashes) {
#ifdef CONSORT_NO_FORKS_WITH_THREADS
  GTEST_SKIP() << "ThreadSanitizer does not let a fork start threads";
#endif
  const fs::path folder = fs::path(places::scratch()) / "buffered_crash";
  fs::create_directories(folder);
  for (const char* const name : {"r.csv", "r.h5", "r.mat"}) {
    const fs::path file = folder / name;
    const os::ChildOutcome outcome = os::run_in_child([&] {
      os::install_crash_guard();
      const auto sink = make_sink(file);
      Sink* const sinks[] = {sink.get()};
      BufferedSink buffered(sinks);
      buffered.begin(numbers(2, 10));
      for (std::size_t i = 0; i < 3000; ++i) buffered.write(static_cast<double>(i), count_row(i, 20));
      std::raise(SIGSEGV);
      return 0;
    });
    EXPECT_EQ(outcome.exit_status, 1) << outcome.standard_error;
    const Result back = read_result(file);
    EXPECT_EQ(back.rows(), 3000U) << name;
    for (std::size_t i = 0; i < back.rows(); ++i) ASSERT_EQ(back["u1.x9"].numbers[i], static_cast<double>(i));
  }
}

TEST(BufferedSink, EndsAProcessThatCrashesInTheWriterItself) {
#ifdef CONSORT_NO_FORKS_WITH_THREADS
  GTEST_SKIP() << "ThreadSanitizer does not let a fork start threads";
#endif
  const os::ChildOutcome outcome = os::run_in_child(
      [] {
        os::install_crash_guard();
        Probe probe;
        probe.on_row = [](std::size_t) { std::raise(SIGSEGV); };
        Sink* const sinks[] = {&probe};
        BufferedSink buffered(sinks);
        buffered.begin(numbers(1, 1));
        buffered.write(0, count_row(0, 1));
        buffered.flush();
        return 0;
      },
      {.timeout_seconds = 20});
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.standard_error, HasSubstr("Consort itself crashed"));
}

TEST(RowRing, TakesRecordsOfEverySizeUpToItsLimit) {
  RowRing ring(256);
  std::size_t sent = 0;
  std::size_t received = 0;
  for (std::size_t i = 0; i < 100'000; ++i) {
    const std::size_t size = i * 7919 % (ring.largest_record() + 1);
    if (std::byte* const to = ring.reserve(size)) {
      std::fill(to, to + size, static_cast<std::byte>(sent));
      ring.publish();
      ++sent;
    }
    if (i % 3 == 0 || sent - received > 3) {
      const auto record = ring.front();
      if (record.data() == nullptr) continue;
      for (const std::byte b : record) ASSERT_EQ(b, static_cast<std::byte>(received));
      ring.pop();
      ++received;
    }
  }
  EXPECT_GT(received, 30'000U);
}

}  // namespace
}  // namespace consort::record
