#include "record/formats.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace consort::record {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Formats, WriteAndReadBackByTheEndingOfTheFile) {
  const fs::path folder = fs::path(CONSORT_TEST_TMP) / "formats";
  fs::create_directories(folder);
  for (const Format& format : formats()) {
    const fs::path file = folder / ("result" + std::string(format.ending));
    const auto sink = make_sink(file);
    sink->begin({{{"x", Type::Float64, "m", "", false}, {"s", Type::String, "", "", true}}, {}});
    Columns row;
    for (int i = 0; i < 3; ++i) {
      row.column<double>() = {0.1 * i};
      row.column<std::string>() = {i == 1 ? "a \"b\"\n, c" : "plain"};
      sink->write(i, row);
    }
    sink->end();
    const Result back = read_result(file);
    ASSERT_EQ(back.rows(), 3U) << format.ending;
    EXPECT_EQ(back["x"].numbers[2], 0.1 * 2);
    EXPECT_EQ(back["s"].texts[1], "a \"b\"\n, c");
    EXPECT_FALSE(format.description.empty());
  }
}

TEST(Formats, TakeTheEndingInAnyCase) { EXPECT_NE(make_sink("RESULT.CSV"), nullptr); }

TEST(Formats, ListWhatIsAvailableForAnUnknownEnding) {
  for (const char* path : {"result.xyz", "result", "folder.csv/result"}) {
    try {
      (void)make_sink(path);
      FAIL() << path << " was accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
      EXPECT_THAT(e.what(), HasSubstr(path));
      EXPECT_THAT(e.what(), HasSubstr(".csv"));
    }
    EXPECT_THROW((void)read_result(path), Error);
  }
}

}  // namespace
}  // namespace consort::record
