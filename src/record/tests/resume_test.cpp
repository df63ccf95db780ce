// Sinks that append to existing rows: all formats, all types.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "record/buffered_sink.hpp"
#include "record/formats.hpp"
#include "record/tests/sink_rows.hpp"

namespace consort::record {
namespace {

namespace fs = std::filesystem;
using namespace testing_rows;
using ::testing::HasSubstr;

using Choice = std::tuple<const char*, int, bool>;  // extension, compression, with BufferedSink

class Resume : public ::testing::TestWithParam<Choice> {
 protected:
  Resume() : folder_(fs::path(places::scratch()) / "resume" / info().name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  static const ::testing::TestInfo& info() { return *::testing::UnitTest::GetInstance()->current_test_info(); }
  [[nodiscard]] fs::path file(const std::string& name) const { return folder_ / (name + std::get<0>(GetParam())); }

  // Writes rows from..to; if `from` is not 0, appends them to `from` existing rows.
  void write(const fs::path& path, std::size_t from, std::size_t to) const {
    const auto sink = make_sink(path, {.compression = std::get<1>(GetParam())});
    Sink* const all[] = {sink.get()};
    BufferedSink buffer(all);
    Sink& used = std::get<2>(GetParam()) ? static_cast<Sink&>(buffer) : *sink;
    if (from == 0) {
      used.begin(every_type());
    } else {
      ASSERT_TRUE(used.resume(every_type(), from, nullptr));
    }
    for (std::size_t i = from; i < to; ++i) used.write(static_cast<double>(i), row_at(i));
    used.end();
  }
  static void expect_rows(const fs::path& path, std::size_t rows) {
    const auto result = read_result(path);
    ASSERT_EQ(result.rows(), rows);
    std::array<std::size_t, type_count> next{};
    for (const auto& t : result.trajectories) {
      const std::size_t k = next[static_cast<std::size_t>(t.signal.type)]++;
      for (std::size_t i = 0; i < rows; ++i) {
        if (t.signal.type == Type::String) {
          ASSERT_EQ(t.texts[i], text_at(i, k)) << i;
        } else if (t.signal.type != Type::Binary) {
          ASSERT_EQ(t.numbers[i], number_at(i, k, t.signal.type)) << t.signal.name << ' ' << i;
        }
      }
    }
  }
  fs::path folder_;
};
INSTANTIATE_TEST_SUITE_P(Formats, Resume,
                         ::testing::Values(Choice{".csv", 0, false}, Choice{".csv", 0, true}, Choice{".h5", 0, false},
                                           Choice{".h5", 0, true}, Choice{".h5", 3, false}),
                         [](const auto& choice) {
                           return std::string(std::get<0>(choice.param)).substr(1) +
                                  std::to_string(std::get<1>(choice.param)) +
                                  (std::get<2>(choice.param) ? "buffered" : "");
                         });

TEST_P(Resume, CutsOffWhatCameLaterAndGoesOn) {
  constexpr std::size_t rows = 5000;
  for (const std::size_t kept : {1U, 7U, 1234U, 4096U}) {
    write(file("a"), 0, 4100);
    write(file("a"), kept, rows);
    if (std::get<0>(GetParam()) == std::string(".h5")) {
      expect_rows(file("a"), rows);
    } else {
      write(file("b"), 0, rows);
      const auto text = [](const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      };
      ASSERT_EQ(text(file("a")), text(file("b"))) << kept;
    }
  }
}

TEST_P(Resume, IsNewWhereThereIsNothing) {
  const auto sink = make_sink(file("none"));
  EXPECT_FALSE(sink->resume(every_type(), 3, nullptr));
  EXPECT_FALSE(fs::exists(file("none")));
}

TEST_P(Resume, LeavesAFileAloneThatDoesNotFit) {
  write(file("a"), 0, 10);
  const auto refused = [&](const Header& header, std::uint64_t rows) -> std::string {
    try {
      make_sink(file("a"))->resume(header, rows, nullptr);
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
      return e.what();
    }
    return {};
  };
  EXPECT_THAT(refused(every_type(), 11), HasSubstr("rows"));
  auto other = every_type();
  other.signals[3].name = "another";
  EXPECT_THAT(refused(other, 5), HasSubstr("other variables"));
  write(file("a"), 10, 12);
  EXPECT_EQ(read_result(file("a")).rows(), 12U);
  std::ofstream(file("a")) << "no result";
  EXPECT_THAT(refused(every_type(), 5), HasSubstr("--output-file"));
}

TEST(ResumeOfHdf5, TakesTheFileThatAKilledRestartPutAside) {
  const auto folder = fs::path(places::scratch()) / "resume" / "aside";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto file = folder / "r.h5";
  {
    const auto sink = make_sink(file);
    sink->begin(numbers(2, 2));
    for (std::size_t i = 0; i < 100; ++i) sink->write(static_cast<double>(i), count_row(i, 4));
    sink->end();
  }
  fs::rename(file, folder / "r.h5.before-restart");
  std::ofstream(file) << "a copy that was interrupted";
  {
    const auto sink = make_sink(file);
    ASSERT_TRUE(sink->resume(numbers(2, 2), 60, nullptr));
    sink->write(60, count_row(60, 4));
    sink->end();
  }
  EXPECT_EQ(read_result(file).rows(), 61U);
  EXPECT_FALSE(fs::exists(folder / "r.h5.before-restart"));
}

TEST(ResumeOfMat, IsRefusedWhereThereIsAFile) {
  const auto file = fs::path(places::scratch()) / "resume.mat";
  std::ofstream(file) << "something";
  EXPECT_THROW(make_sink(file)->resume(numbers(1, 1), 1, nullptr), Error);
  fs::remove(file);
  EXPECT_FALSE(make_sink(file)->resume(numbers(1, 1), 1, nullptr));
}

}  // namespace
}  // namespace consort::record
