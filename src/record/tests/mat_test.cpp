#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "record/mat/mat_reader.hpp"
#include "record/mat/mat_sink.hpp"
#include "record/tests/allocations.hpp"
#include "record/tests/file_size_limit.hpp"
#include "record/tests/sink_rows.hpp"

namespace consort::record {
namespace {

namespace fs = std::filesystem;
using namespace testing_rows;
using testing::ElementsAre;
using testing::HasSubstr;

class MatTest : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path folder =
        fs::path(places::scratch()) / "mat" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder);
    fs::create_directories(folder);
    file_ = folder / "result.mat";
  }
  fs::path file_;
};

// --- files written by the test

template <class T>
std::string raw(T value, bool swap = false) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return swap ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

struct HandMade {
  bool transposed = true;
  bool swap = false;
  bool floats = false;
  std::string bytes{};

  void header(const std::string& name, int code, std::size_t rows, std::size_t columns) {
    for (const auto value : {code + (swap ? 1000 : 0), static_cast<int>(rows), static_cast<int>(columns), 0,
                             static_cast<int>(name.size() + 1)})
      bytes += raw(value, swap);
    bytes += name + '\0';
  }
  // `items` have equal length; one per variable or row.
  template <class T>
  void table(const std::string& name, int code, const std::vector<std::vector<T>>& items) {
    const std::size_t parts = items.empty() ? 0 : items[0].size();
    header(name, code, transposed ? parts : items.size(), transposed ? items.size() : parts);
    if (transposed) {
      for (const auto& item : items)
        for (const T x : item) bytes += raw(x, swap);
    } else {
      for (std::size_t p = 0; p < parts; ++p)
        for (const auto& item : items) bytes += raw(item[p], swap);
    }
  }
  void numbers(const std::string& name, const std::vector<std::vector<double>>& items) {
    if (!floats) return table<double>(name, 0, items);
    std::vector<std::vector<float>> small;
    for (const auto& item : items) small.emplace_back(item.begin(), item.end());
    table<float>(name, 10, small);
  }
  void texts(const std::string& name, const std::vector<std::string>& lines, char pad) {
    std::size_t longest = 0;
    for (const auto& line : lines) longest = std::max(longest, line.size());
    std::vector<std::vector<char>> items;
    for (const auto& line : lines) {
      items.emplace_back(line.begin(), line.end());
      items.back().resize(longest, pad);
    }
    table<char>(name, 51, items);
  }
  void begin() {
    const bool whole = std::exchange(transposed, false);
    texts("Aclass", {"Atrajectory", "1.1", "", whole ? "binTrans" : "binNormal"}, ' ');
    transposed = whole;
  }
  std::string dymola() {
    begin();
    texts("name", {"time", "x", "minus x", "p", "b"}, '\0');
    texts("description", {"Time in [s]", "Position [m|cm]", "", "A parameter", "Flag [:#(type=Boolean)]"}, ' ');
    table<int>("dataInfo", 20, {{0, 1, 0, -1}, {2, 2, 0, -1}, {2, -2, 0, -1}, {1, 2, 0, 0}, {2, 3, 0, -1}});
    numbers("data_1", {{0, 9.5}, {2, 9.5}});
    numbers("data_2", {{0, 1, 0}, {1, 2.5, 1}, {1, 3, 1}, {2, 4, 0}});
    return bytes;
  }
};

TEST(MatReader, ReadsBothLayoutsByteOrdersAndPrecisions) {
  for (const bool transposed : {true, false}) {
    for (const bool swap : {false, true}) {
      for (const bool floats : {false, true}) {
        const Result r = parse_mat_result(HandMade{transposed, swap, floats}.dymola(), "hand.mat");
        EXPECT_THAT(r.time, ElementsAre(0, 1, 1, 2));
        ASSERT_EQ(r.trajectories.size(), 4U);
        EXPECT_THAT(r["x"].numbers, ElementsAre(1, 2.5, 3, 4));
        EXPECT_THAT(r["minus x"].numbers, ElementsAre(-1, -2.5, -3, -4));
        EXPECT_THAT(r["p"].numbers, ElementsAre(9.5, 9.5, 9.5, 9.5));
        EXPECT_THAT(r["b"].numbers, ElementsAre(0, 1, 1, 0));
        EXPECT_EQ(r["x"].signal.unit, "m");
        EXPECT_EQ(r["x"].signal.description, "Position");
        EXPECT_EQ(r["p"].signal.description, "A parameter");
        EXPECT_EQ(r["b"].signal.unit, "");
        EXPECT_EQ(r["b"].signal.description, "Flag");
      }
    }
  }
}

TEST(MatReader, EndsInAnErrorWhereverTheFileIsCutOff) {
  const std::string whole = HandMade{}.dymola();
  std::size_t accepted = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      const Result r = parse_mat_result(whole.substr(0, size), "cut.mat");
      EXPECT_LE(r.rows(), 3U);
      ++accepted;
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
      EXPECT_THAT(e.what(), HasSubstr("cut.mat"));
    }
  }
  EXPECT_EQ(accepted, 4U * 3 * 8 + 1)
      << "only if the file ends within data_2, whose complete rows are read, or before it";
}

TEST(MatReader, SurvivesEveryByteBeingWrong) {
  const std::string whole = HandMade{}.dymola();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char wrong : {'\0', '\x01', '\x7f', '\xff', '\x80'}) {
      std::string bytes = whole;
      bytes[at] = wrong;
      try {
        const Result r = parse_mat_result(bytes, "wrong.mat", {.cells = 1000});
        for (const auto& t : r.trajectories) ASSERT_EQ(t.numbers.size(), r.rows());
      } catch (const Error& e) {
        ASSERT_EQ(e.fault(), Fault::input);
      }
    }
  }
}

TEST(MatReader, TakesNoMemoryForRowsThatAreOnlyPromised) {
  HandMade file;
  file.begin();
  file.texts("name", {"time", "x"}, ' ');
  file.table<int>("dataInfo", 20, {{0, 1, 0, -1}, {2, 2, 0, -1}});
  for (const auto& [rows, columns] : {std::pair{0, 0x7FFFFFFF}, {0x7FFFFFFF, 0x7FFFFFFF}, {2, 0x7FFFFFFF}}) {
    HandMade huge = file;
    huge.header("data_2", 0, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
    try {
      EXPECT_EQ(parse_mat_result(huge.bytes, "huge.mat").rows(), 0U);
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
    }
  }
}

TEST(MatReader, RefusesWhatItCannotMean) {
  const auto refused = [](const std::string& bytes, const char* why) {
    try {
      (void)parse_mat_result(bytes, "bad.mat");
      ADD_FAILURE() << "accepted, but: " << why;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr(why));
    }
  };
  refused("", "empty");
  refused("MATLAB 5.0 MAT-file, Platform: GLNXA64", "version 4");
  const auto with_info = [](std::vector<std::vector<int>> info, const char* second = "x") {
    HandMade file;
    file.begin();
    file.texts("name", {"time", second, "y"}, ' ');
    file.table<int>("dataInfo", 20, info);
    file.numbers("data_1", {{0}, {1}});
    file.numbers("data_2", {{0, 1}, {1, 2}});
    return file.bytes;
  };
  refused(with_info({{0, 1}, {2, 3}, {2, 2}}), "column 3 of data_2");
  refused(with_info({{0, 1}, {2, 0}, {2, 2}}), "column 0");
  refused(with_info({{0, 1}, {3, 1}, {2, 2}}), "data_3");
  refused(with_info({{0, 1}, {1, 2}, {2, 2}}), "column 2 of data_1");
  refused(with_info({{0, 1}, {2, 2}}), "dataInfo describes 2 of 3");
  refused(with_info({{0, 1}, {2, 2}, {2, 2}}, "y"), "two variables");
  refused(with_info({{0, -1}, {2, 2}, {2, 2}}), "must not decrease");
}

// --- the sink

TEST_F(MatTest, LeavesOutTextsAndSaysSo) {
  MatSink sink(file_);
  sink.begin(every_type());
  for (std::size_t i = 0; i < 10; ++i) sink.write(0.5 * static_cast<double>(i), row_at(i));
  sink.end();
  ASSERT_EQ(sink.warnings().size(), 1U);
  for (const char* const name : {"wheel.String[1]", "wheel.Binary[2]", "chassis/left.String[2]"})
    EXPECT_THAT(sink.warnings()[0], HasSubstr(name));
  const Result back = read_mat_result(file_);
  EXPECT_EQ(back.rows(), 10U);
  EXPECT_EQ(back.find("wheel.String[1]"), nullptr);
  EXPECT_EQ(back["wheel.Float64[1]"].signal.unit, "m/s");
  EXPECT_EQ(back["wheel.Float64[1]"].signal.description, "the Float64 of a unit");
  for (const auto& t : back.trajectories) EXPECT_EQ(t.numbers.size(), 10U);
  EXPECT_EQ(back["chassis/left.Int16[2]"].numbers[7], number_at(7, 3, Type::Int16));
}

TEST_F(MatTest, SaysNothingWhenAllIsKept) {
  MatSink sink(file_);
  sink.begin(numbers(1, 2));
  EXPECT_TRUE(sink.warnings().empty());
}

TEST_F(MatTest, IsAValidFileFromBeginOn) {
  MatSink sink(file_);
  EXPECT_FALSE(fs::exists(file_));
  sink.begin(numbers(1, 2));
  EXPECT_EQ(read_mat_result(file_).rows(), 0U);
  sink.write(3, count_row(1, 2));
  sink.flush();
  EXPECT_THAT(read_mat_result(file_).time, ElementsAre(3));
}

TEST_F(MatTest, AllocatesNothingPerRow) {
  MatSink sink(file_);
  sink.begin(numbers(1, 100));
  const Columns row = count_row(1, 100);
  const std::size_t before = allocations();
  for (int i = 0; i < 2000; ++i) sink.write(i, row);
  EXPECT_EQ(allocations(), before);
  sink.end();
  EXPECT_EQ(read_mat_result(file_).rows(), 2000U);
}

TEST_F(MatTest, KeepsWhatWasWrittenWhenTheDiskIsFull) {
  MatSink sink(file_);
  sink.begin(numbers(1, 10));
  bool failed = false;
  {
    const FileSizeLimit limit(200'003);
    try {
      for (std::size_t i = 0; i < 1'000'000; ++i) sink.write(static_cast<double>(i), count_row(i, 10));
    } catch (const Error& e) {
      failed = true;
      EXPECT_EQ(e.fault(), Fault::run);
      EXPECT_THAT(e.what(), HasSubstr("intact"));
    }
  }
  ASSERT_TRUE(failed);
  EXPECT_THROW(sink.write(0, count_row(0, 10)), Error);
  EXPECT_NO_THROW(sink.end());
  const Result back = read_mat_result(file_);
  EXPECT_GT(back.rows(), 1000U);
  EXPECT_EQ(back["u0.x9"].numbers.back(), static_cast<double>(back.rows() - 1));
}

TEST_F(MatTest, BlamesTheInputWhenTheFileCannotBeMade) {
  MatSink sink(file_.parent_path());
  try {
    sink.begin(numbers(1, 1));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input);
  }
  EXPECT_NO_THROW(sink.end());
}

TEST_F(MatTest, LeavesAReadableFileWhereverTheProcessIsKilled) {
  for (int run = 0; run < 30; ++run) {
    const pid_t child = ::fork();
    if (child == 0) {
      MatSink sink(file_);
      sink.begin(numbers(1, 20));
      for (std::size_t i = 0;; ++i) {
        sink.write(static_cast<double>(i), count_row(i, 20));
        if (i % 5 == 0) sink.flush();
      }
    }
    while (!fs::exists(file_) || fs::file_size(file_) < 2000) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(run * 300));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const Result back = read_mat_result(file_);
    for (std::size_t i = 0; i < back.rows(); ++i) ASSERT_EQ(back["u0.x19"].numbers[i], static_cast<double>(i));
    fs::remove(file_);
  }
}

}  // namespace
}  // namespace consort::record
