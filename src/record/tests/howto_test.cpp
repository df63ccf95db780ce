// The result format of docs/howto/add_a_result_format.md, compiled and run.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/howto_page.hpp"
#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "record/formats.hpp"
#include "record/tests/sink_rows.hpp"

namespace consort::record {

std::unique_ptr<Sink> make_tsv_sink(const std::filesystem::path& path, const SinkOptions& options);

namespace howto_test {
namespace {

constexpr std::array rows{
    Format{.name = "TSV",
           .endings = {".tsv"},
           .description = "tab separated values, one line per recorded instant",
           .make = make_tsv_sink,
           .resumes = false},
};

std::filesystem::path scratch_file(const std::string& name) {
  const auto folder = std::filesystem::path(places::scratch()) / "howto_tsv";
  std::filesystem::create_directories(folder);
  return folder / name;
}

TEST(HowToAddAResultFormat, ShowsCodeThatIsCompiled) {
  howto_page::expect_compiled("docs/howto/add_a_result_format.md",
                              {"src/record/tests/howto_tsv_sink.cpp", "src/record/tests/howto_test.cpp"}, 3);
}

TEST(HowToAddAResultFormat, WritesALinePerRow) {
  const auto file = scratch_file("lines.tsv");
  const auto sink = rows[0].make(file, {});
  sink->begin({{{"s", Type::String, "", "", true},
                {"x", Type::Float64, "", "", false},
                {"on", Type::Boolean, "", "", true},
                {"y", Type::Float64, "", "", false}},
               {}});
  EXPECT_EQ(read_file(file), "time\ts\tx\ton\ty\n") << "readable from its begin on";
  Columns row;
  row.column<std::string>() = {"a\tb\\\n"};
  row.column<double>() = {0.1, -1e300};
  row.column<Bool>() = {true};
  sink->write(1e-3, row);
  sink->flush();
  const std::string line = "0.001\ta\\tb\\\\\\n\t0.1\ttrue\t-1e+300\n";
  EXPECT_EQ(read_file(file), "time\ts\tx\ton\ty\n" + line);
  sink->write(2e-3, row);
  sink->end();
  EXPECT_EQ(read_file(file).size(), std::string("time\ts\tx\ton\ty\n").size() + 2 * line.size());
}

TEST(HowToAddAResultFormat, TakesEveryType) {
  const auto file = scratch_file("types.tsv");
  const auto header = testing_rows::every_type();
  const auto sink = rows[0].make(file, {});
  sink->begin(header);
  for (std::size_t i = 0; i < 1000; ++i) sink->write(static_cast<double>(i), testing_rows::row_at(i));
  sink->end();
  const auto text = read_file(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1001);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\t'), static_cast<std::ptrdiff_t>(1001 * header.signals.size()));
}

TEST(HowToAddAResultFormat, RefusesAFolder) {
  const auto sink = rows[0].make(places::scratch(), {});
  EXPECT_THROW(sink->begin({}), Error);
}

}  // namespace
}  // namespace howto_test
}  // namespace consort::record
