#include "record/csv/csv_sink.hpp"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "os/child_process.hpp"
#include "os/crash_guard.hpp"
#include "record/tests/allocations.hpp"
#include "record/tests/file_size_limit.hpp"

namespace consort::record {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class CsvSinkTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(places::scratch()) / "csv_sink" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    file_ = folder_ / "result.csv";
  }
  [[nodiscard]] std::string content() const { return read_file(file_); }

  static Header one_number() { return {{{"x", Type::Float64, "", "", false}}, {}}; }
  static Columns number(double x) {
    Columns row;
    row.column<double>() = {x};
    return row;
  }

  fs::path folder_;
  fs::path file_;
};

TEST_F(CsvSinkTest, WritesEveryTypeInTheOrderOfTheHeader) {
  CsvSink sink(file_);
  sink.begin({{{"s", Type::String, "", "", true},
               {"x", Type::Float64, "", "", false},
               {"f", Type::Float32, "", "", false},
               {"y[1]", Type::Float64, "", "", false},
               {"b", Type::Boolean, "", "", true},
               {"raw", Type::Binary, "", "", true},
               {"e", Type::Enumeration, "", "", true},
               {"i8", Type::Int8, "", "", true},
               {"u64", Type::UInt64, "", "", true},
               {"c", Type::Clock, "", "", true}},
              {}});
  Columns row;
  row.column<std::string>() = {"say \"hi\",\nplease"};
  row.column<double>() = {0.1, -1e300};
  row.column<float>() = {0.1F};
  row.column<Bool>() = {true};
  row.column<Binary>() = {Binary{0x0a, 0xff}};
  row.column<EnumValue>() = {EnumValue(-4)};
  row.column<std::int8_t>() = {-128};
  row.column<std::uint64_t>() = {std::numeric_limits<std::uint64_t>::max()};
  row.column<Tick>() = {false};
  sink.write(1e-3, row);
  sink.end();
  EXPECT_EQ(content(),
            "\"time\",\"s\",\"x\",\"f\",\"y[1]\",\"b\",\"raw\",\"e\",\"i8\",\"u64\",\"c\"\n"
            "0.001,\"say \"\"hi\"\",\nplease\",0.1,0.1,-1e+300,1,0aff,-4,-128,18446744073709551615,0\n");
}

TEST_F(CsvSinkTest, QuotesHostileNames) {
  CsvSink sink(file_);
  sink.begin({{{"a\"b,c\nd", Type::Float64, "", "", false}, {"", Type::Float64, "", "", false}}, {}});
  sink.end();
  EXPECT_EQ(content(), "\"time\",\"a\"\"b,c\nd\",\"\"\n");
}

TEST_F(CsvSinkTest, WritesNumbersThatReadBackExactly) {
  const double numbers[] = {0.1 + 0.2, 5e-324, std::numeric_limits<double>::max(), -0.0, 1.0 / 3.0, 12345678.9};
  CsvSink sink(file_);
  sink.begin(one_number());
  for (const double x : numbers) sink.write(0, number(x));
  sink.end();
  const std::string text = content();
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    const double back = std::strtod(std::string(lines[i + 1].substr(2)).c_str(), nullptr);
    EXPECT_EQ(back, numbers[i]);
    EXPECT_EQ(std::signbit(back), std::signbit(numbers[i]));
  }
}

TEST_F(CsvSinkTest, IsAValidFileFromBeginOn) {
  CsvSink sink(file_);
  EXPECT_FALSE(fs::exists(file_)) << "nothing may be touched before begin()";
  sink.begin(one_number());
  EXPECT_EQ(content(), "\"time\",\"x\"\n");
  sink.write(0, number(1));
  sink.flush();
  EXPECT_EQ(content(), "\"time\",\"x\"\n0,1\n");
}

TEST_F(CsvSinkTest, ReplacesALongerFile) {
  {
    CsvSink sink(file_);
    sink.begin(one_number());
    for (int i = 0; i < 1000; ++i) sink.write(i, number(i));
    sink.end();
  }
  CsvSink sink(file_);
  sink.begin(one_number());
  sink.end();
  EXPECT_EQ(content(), "\"time\",\"x\"\n");
}

TEST_F(CsvSinkTest, WritesOnlyCompleteRowsToTheFile) {
  CsvSink sink(file_);
  sink.begin(one_number());
  std::uintmax_t size = fs::file_size(file_);
  int flushes = 0;
  for (int i = 0; i < 50'000; ++i) {
    sink.write(i * 1e-3, number(std::sin(i)));
    if (const std::uintmax_t now = fs::file_size(file_); now != size) {
      size = now;
      ++flushes;
      ASSERT_THAT(content(), EndsWith("\n"));
    }
  }
  EXPECT_GT(flushes, 5);
  sink.end();
  const std::string text = content();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 50'001);
}

TEST_F(CsvSinkTest, AllocatesNothingPerRowInTheSteadyState) {
  CsvSink sink(file_);
  sink.begin({{{"x", Type::Float64, "", "", false}, {"s", Type::String, "", "", true}}, {}});
  Columns row;
  row.column<double>() = {-1.2345678901234567e-300};
  row.column<std::string>() = {std::string(100, 's')};
  sink.write(0, row);
  const std::size_t before = allocations();
  for (int i = 0; i < 20'000; ++i) sink.write(1.0 / 3 * i, row);  // fills several buffers
  EXPECT_EQ(allocations(), before);
  sink.end();
}

TEST_F(CsvSinkTest, WritesARowThatIsLargerThanItsBufferInOrder) {
  CsvSink sink(file_);
  sink.begin({{{"s", Type::String, "", "", true}}, {}});
  Columns row;
  row.column<std::string>() = {"small"};
  sink.write(0, row);
  row.column<std::string>() = {std::string(300'000, 'L')};
  sink.write(1, row);
  row.column<std::string>() = {"last"};
  sink.write(2, row);
  sink.end();
  EXPECT_EQ(content(), "\"time\",\"s\"\n0,\"small\"\n1,\"" + std::string(300'000, 'L') + "\"\n2,\"last\"\n");
}

TEST_F(CsvSinkTest, ReachesTheFileWithinAboutASecondOfASlowRun) {
  CsvSink sink(file_);
  sink.begin(one_number());
  for (int i = 0; i < 8; ++i) {
    sink.write(i, number(i));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  EXPECT_THAT(content(), HasSubstr("3,3\n"));
}

TEST_F(CsvSinkTest, KeepsTheRowsWhenNobodyCallsEnd) {
  {
    CsvSink sink(file_);
    sink.begin(one_number());
    sink.write(0, number(1));
  }
  EXPECT_EQ(content(), "\"time\",\"x\"\n0,1\n");
}

TEST_F(CsvSinkTest, BlamesTheInputWhenTheFileCannotBeMade) {
  for (const fs::path& path : {folder_ / "no" / "such" / "folder.csv", folder_}) {
    CsvSink sink(path);
    try {
      sink.begin(one_number());
      FAIL() << path << " was accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
      EXPECT_THAT(e.what(), HasSubstr(path.string()));
    }
    EXPECT_NO_THROW(sink.end());
  }
}

TEST_F(CsvSinkTest, BlamesTheRunWhenTheDiskIsFull) {
  CsvSink sink("/dev/full");
  try {
    sink.begin(one_number());
    FAIL() << "a full disk went unnoticed";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::run);
    EXPECT_THAT(e.what(), HasSubstr("/dev/full"));
    EXPECT_THAT(e.what(), HasSubstr("No space left"));
  }
  EXPECT_THROW(sink.write(0, number(1)), Error);
  EXPECT_NO_THROW(sink.end());
}

TEST_F(CsvSinkTest, CutsTheFileBackToTheLastCompleteRowAfterAShortWrite) {
  CsvSink sink(file_);
  sink.begin({{{"s", Type::String, "", "", true}}, {}});
  Columns row;
  row.column<std::string>() = {"two\nlines"};  // the line feed is not the end of a row
  bool failed = false;
  {
    const FileSizeLimit limit(1007);
    try {
      for (int i = 0; i < 100'000; ++i) sink.write(1, row);
    } catch (const Error& e) {
      failed = true;
      EXPECT_EQ(e.fault(), Fault::run);
      EXPECT_THAT(e.what(), HasSubstr("intact"));
    }
  }
  ASSERT_TRUE(failed);
  EXPECT_THROW(sink.write(2, row), Error);
  sink.end();
  const std::string text = content();
  constexpr std::string_view header = "\"time\",\"s\"\n";
  constexpr std::string_view one = "1,\"two\nlines\"\n";
  EXPECT_EQ(text.size(), header.size() + (1007 - header.size()) / one.size() * one.size());
  EXPECT_THAT(text, EndsWith(one));
}

TEST_F(CsvSinkTest, WritesToTheStandardOutputForADash) {
  const fs::path out = folder_ / "stdout.txt";
  const os::ChildOutcome outcome = os::run_in_child([&] {
    if (std::freopen(out.c_str(), "w", stdout) == nullptr) return 3;
    CsvSink sink("-");
    sink.begin(one_number());
    sink.write(0.5, number(2));
    sink.end();
    return ::write(STDOUT_FILENO, "open\n", 5) == 5 ? 0 : 4;  // the sink must not close standard output
  });
  EXPECT_TRUE(outcome.succeeded()) << outcome.standard_error;
  EXPECT_EQ(read_file(out), "\"time\",\"x\"\n0.5,2\nopen\n");
}

TEST_F(CsvSinkTest, KeepsAllCompleteRowsWhenTheProcessCrashes) {
  const os::ChildOutcome outcome = os::run_in_child([&] {
    os::install_crash_guard();
    CsvSink sink(file_);
    sink.begin(one_number());
    for (int i = 0; i < 100; ++i) sink.write(i, number(i));
    std::raise(SIGSEGV);
    return 0;
  });
  EXPECT_FALSE(outcome.succeeded());
  const std::string text = content();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 101);
  EXPECT_THAT(text, StartsWith("\"time\",\"x\"\n0,0\n"));
  EXPECT_THAT(text, EndsWith("99,99\n"));
}

TEST_F(CsvSinkTest, LeavesAReadableFileWhenTheProcessIsKilled) {
  const os::ChildOutcome outcome = os::run_in_child([&] {
    CsvSink sink(file_);
    sink.begin(one_number());
    for (int i = 0; i < 30'000; ++i) sink.write(i, number(i));
    std::raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(outcome.signal, SIGKILL);
  const std::string text = content();
  EXPECT_THAT(text, EndsWith("\n"));
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 1000);
}

}  // namespace
}  // namespace consort::record
