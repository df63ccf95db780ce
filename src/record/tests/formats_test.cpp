#include "record/formats.hpp"

#include <array>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "record/tests/sink_rows.hpp"

namespace consort::record {
namespace {

namespace fs = std::filesystem;
using namespace testing_rows;
using testing::HasSubstr;

// Checks that a format keeps all signals of a row, or only the numbers.
void expect_same(const Result& back, const Header& header, std::size_t rows, std::string_view ending) {
  ASSERT_EQ(back.rows(), rows) << ending;
  std::array<std::size_t, type_count> next{};
  for (const Signal& signal : header.signals) {
    const std::size_t k = next[static_cast<std::size_t>(signal.type)]++;
    const Result::Trajectory* const t = back.find(signal.name);
    if (t == nullptr) {
      EXPECT_TRUE(ending == ".mat" && !is_scalar_like(signal.type)) << ending << " lost " << signal.name;
      continue;
    }
    if (!is_scalar_like(signal.type) && !t->is_text()) {
      EXPECT_EQ(ending, ".csv") << "only in CSV, an empty text and digits look like numbers";
      continue;
    }
    for (std::size_t i = 0; i < rows; ++i) {
      if (signal.type == Type::String) {
        ASSERT_EQ(t->texts[i], text_at(i, k)) << ending << signal.name;
      } else if (signal.type == Type::Binary) {
        std::string hex;
        append_element(hex, binary_at(i, k));
        ASSERT_EQ(t->texts[i], hex) << ending << signal.name;
      } else {
        ASSERT_EQ(t->numbers[i], number_at(i, k, signal.type)) << ending << signal.name << " row " << i;
      }
    }
  }
}

TEST(Formats, WriteAndReadBackEveryTypeByTheEndingOfTheFile) {
  const fs::path folder = fs::path(places::scratch()) / "formats";
  fs::create_directories(folder);
  const Header header = every_type();
  for (const Format& format : formats()) {
    for (const auto ending : format.endings) {
      if (ending.empty() || format.read == nullptr) continue;
      for (const std::size_t rows : {0U, 1U, 3000U}) {
        const fs::path file = folder / ("result" + std::string(ending));
        const auto sink = make_sink(file);
        sink->begin(header);
        for (std::size_t i = 0; i < rows; ++i) sink->write(0.1 * static_cast<double>(i), row_at(i));
        sink->end();
        const Result back = read_result(file);
        expect_same(back, header, rows, ending);
        if (rows > 0) {
          EXPECT_EQ(back.time.back(), 0.1 * static_cast<double>(rows - 1));
        }
      }
    }
    EXPECT_FALSE(format.description.empty());
  }
}

// Checks that sinks have the capabilities stated in the table of formats.
TEST(Formats, CompressAndGoOnAsTheTableSays) {
  const fs::path folder = fs::path(places::scratch()) / "formats";
  fs::create_directories(folder);
  const Header header = every_type();
  for (const Format& format : formats()) {
    const fs::path file = folder / ("kept" + std::string(format.endings.front()));
    if (!format.compresses) {
      EXPECT_THROW(static_cast<void>(make_sink(file, {.compression = 1})), Error) << format.name;
    }
    const auto sink = make_sink(file, {.compression = format.compresses ? 1 : 0});
    sink->begin(header);
    sink->write(0, row_at(0));
    sink->end();
    const auto next = make_sink(file);
    if (format.resumes) {
      EXPECT_TRUE(next->resume(header, 1, nullptr)) << format.name;
      next->end();
    } else {
      EXPECT_THROW(next->resume(header, 1, nullptr), Error) << format.name;
    }
  }
  EXPECT_EQ(result_endings(), ".csv, .h5, .hdf5, .mat");
  EXPECT_EQ(result_endings(&Format::resumes), ".csv, .h5, .hdf5");
  EXPECT_EQ(result_endings(&Format::read_facts), ".h5, .hdf5");
  EXPECT_TRUE(is_result_file("a.MAT"));
  EXPECT_FALSE(is_result_file("a.yaml"));
  EXPECT_EQ(format_of("-").name, "CSV");
  EXPECT_EQ(format_of("A.HDF5").name, "HDF5");
}

TEST(Formats, KeepUnitsDescriptionsGroupsAndFactsInHdf5) {
  const fs::path file = fs::path(places::scratch()) / "formats_facts.hdf5";
  const Header header = every_type();
  const auto sink = make_sink(file, {.compression = 2});
  sink->begin(header);
  sink->write(1, row_at(1));
  sink->end();
  const Result back = read_result(file);
  ASSERT_EQ(back.trajectories.size(), header.signals.size());
  for (std::size_t i = 0; i < header.signals.size(); ++i) {
    const Signal& read = back.trajectories[i].signal;
    EXPECT_EQ(read.name, header.signals[i].name) << "the order of the header is kept";
    EXPECT_EQ(read.type, header.signals[i].type);
    EXPECT_EQ(read.unit, header.signals[i].unit);
    EXPECT_EQ(read.description, header.signals[i].description);
    EXPECT_EQ(read.discrete, header.signals[i].discrete);
    EXPECT_EQ(read.group, header.signals[i].group);
  }
  ASSERT_EQ(back.facts.size(), header.facts.size());
  for (std::size_t i = 0; i < header.facts.size(); ++i) {
    EXPECT_EQ(back.facts[i].name, header.facts[i].name);
    EXPECT_EQ(back.facts[i].value, header.facts[i].value);
  }
}

TEST(Formats, RefuseCompressionWhereThereIsNone) {
  EXPECT_THROW((void)make_sink("r.csv", {.compression = 1}), Error);
  EXPECT_THROW((void)make_sink("r.mat", {.compression = 1}), Error);
  EXPECT_NE(make_sink("r.h5", {.compression = 1}), nullptr);
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
