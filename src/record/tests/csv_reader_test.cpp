#include "record/csv/csv_reader.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "record/csv/csv_sink.hpp"

namespace consort::record {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

fs::path file_with(const std::string& text) {
  const fs::path folder = fs::path(places::scratch()) / "csv_reader";
  fs::create_directories(folder);
  const fs::path file = folder / (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".csv");
  std::ofstream(file, std::ios::binary) << text;
  return file;
}
Result read(const std::string& text) { return read_csv_result(file_with(text)); }

void expect_refused(const std::string& text, const std::string& part) {
  try {
    (void)read(text);
    FAIL() << "accepted: " << text;
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input);
    EXPECT_THAT(e.what(), HasSubstr(part));
  }
}

TEST(CsvReader, TellsNumbersBooleansAndTextsApart) {
  const Result r = read(
      "\"Time\",\"x\",flag,\"name\",mixed\n"
      "0.0000000000000000E+000, 1.5 ,true,\"a,b\",1\n"
      "1,-2e-400,FALSE,7,true\n"
      "1,+3,true,,0.5\n");
  EXPECT_THAT(r.time, ElementsAre(0, 1, 1));
  EXPECT_THAT(r["x"].numbers, ElementsAre(1.5, testing::DoubleEq(0.0), 3));
  EXPECT_EQ(r["flag"].signal.type, Type::Boolean);
  EXPECT_TRUE(r["flag"].signal.discrete);
  EXPECT_THAT(r["flag"].numbers, ElementsAre(1, 0, 1));
  EXPECT_EQ(r["name"].signal.type, Type::String);
  EXPECT_THAT(r["name"].texts, ElementsAre("a,b", "7", ""));
  EXPECT_EQ(r["mixed"].signal.type, Type::Float64);
  EXPECT_THAT(r["mixed"].numbers, ElementsAre(1, 1, 0.5));
}

TEST(CsvReader, TakesSpecialNumbersAndEmptyCells) {
  const Result r = read("t,a\n0,NaN\n1,-inf\n2,\n3,INF\n4,nan\n");
  EXPECT_TRUE(std::isnan(r["a"].numbers[0]));
  EXPECT_EQ(r["a"].numbers[1], -INFINITY);
  EXPECT_TRUE(std::isnan(r["a"].numbers[2]));
  EXPECT_EQ(r["a"].numbers[3], INFINITY);
  EXPECT_TRUE(std::isnan(r["a"].numbers[4]));
}

TEST(CsvReader, AcceptsAHeaderWithoutRowsAndTimeAlone) {
  EXPECT_EQ(read("time,x\n").rows(), 0U);
  EXPECT_EQ(read("time\n1\n2\n").rows(), 2U);
}

TEST(CsvReader, ReadsBackWhatTheSinkWrote) {
  const fs::path file = file_with("");
  const double numbers[] = {0.1, -1.0 / 3, 1e308, 5e-324, -std::nan(""), INFINITY, -INFINITY, -0.0};
  {
    CsvSink sink(file);
    sink.begin({{{"x", Type::Float64, "", "", false}}, {}});
    Columns row;
    for (const double x : numbers) {
      row.column<double>() = {x};
      sink.write(1.0 / 3, row);
    }
    sink.end();
  }
  const Result r = read_csv_result(file);
  ASSERT_EQ(r.rows(), std::size(numbers));
  for (std::size_t i = 0; i < r.rows(); ++i) {
    const double back = r["x"].numbers[i];
    EXPECT_TRUE(back == numbers[i] || (std::isnan(back) && std::isnan(numbers[i]))) << numbers[i];
    EXPECT_EQ(r.time[i], 1.0 / 3);
  }
}

TEST(CsvReader, RefusesTimesThatDecreaseWithTheLine) {
  expect_refused("time,x\n0,0\n1,0\n0.5,0\n", "4");
  expect_refused("time,x\n0,0\n1,0\n0.5,0\n", "goes back from 1 to 0.5");
}

TEST(CsvReader, RefusesTimesThatAreNoNumbers) {
  expect_refused("time,x\nzero,0\n", "zero");
  expect_refused("time,x\nNaN,0\n", "finite");
  expect_refused("time,x\n,0\n", "2");
}

TEST(CsvReader, RefusesANameThatOccursTwice) { expect_refused("time,x,x\n0,1,2\n", "'x'"); }

TEST(CsvReader, RefusesAnEmptyFileAndAMissingOne) {
  expect_refused("", "RefusesAnEmptyFile");
  EXPECT_THROW((void)read_csv_result("/no/such/file.csv"), Error);
}

}  // namespace
}  // namespace consort::record
