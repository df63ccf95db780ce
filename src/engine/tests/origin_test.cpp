#include "engine/origin.hpp"

#include <chrono>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/tests/error_text.hpp"
#include "engine/recorded_system.hpp"
#include "engine/simulation.hpp"
#include "os/temp_folder.hpp"
#include "record/formats.hpp"
#include "systems.hpp"

namespace consort::engine::origin_test {

namespace {

using namespace testing;
using ::testing::HasSubstr;

// Runs counters in a row and returns the file of the result.
std::filesystem::path recorded(const os::TempFolder& folder, graph::System system) {
  auto o = options(3, 1);
  o.origin = Origin{.result_folder = folder.path()};
  Simulation simulation(system, o, library());
  auto file = folder.path() / "result.h5";
  const auto sink = record::make_sink(file);
  record::Sink* const sinks[] = {sink.get()};
  static_cast<void>(simulation.run(sinks));
  return file;
}

TEST(Origin, OfALargeSystemIsRecordedAsAWhole) {
  const os::TempFolder folder("test");
  graph::System large("large");
  for (int i = 0; i < 3000; ++i) large.add("a counter with the number " + std::to_string(i), "model:counter");
  const auto document = read_recorded_system(recorded(folder, large), false);
  ASSERT_EQ(document.system.components.size(), 3000U);
  EXPECT_EQ(document.system.components.back().name, "a counter with the number 2999");
  EXPECT_EQ(document.system.components.back().source, "model:counter");
}

TEST(Origin, ThatCannotBeWrittenDoesNotPreventTheRun) {
  const os::TempFolder folder("test");
  graph::System system("strange");
  system.add("a\xff", "model:counter");
  const auto file = recorded(folder, system);
  EXPECT_EQ(record::read_result(file).rows(), 4U);
  EXPECT_THAT(error_text([&] { static_cast<void>(read_recorded_system(file, false)); }),
              HasSubstr("could not be recorded"));
}

// A result that carries this description, with a checksum for `file`.
std::filesystem::path made_by_hand(const os::TempFolder& folder, const std::string& description,
                                   const std::string& file) {
  auto path = folder.path() / "by_hand.h5";
  record::Header header;
  header.signals.push_back({"x", Type::Float64, "", "", false, ""});
  header.facts = {{description_fact, description}};
  constexpr std::size_t longest_attribute = 60'000;
  if (!file.empty() && file.size() < longest_attribute)
    header.facts.push_back({digest_fact + file, std::string(64, '0')});
  const auto sink = record::make_sink(path);
  sink->begin(header);
  sink->end();
  return path;
}

TEST(Origin, ThatNamesNoFileOfARunIsRefusedAtOnce) {
  const os::TempFolder folder("test");
  std::string deep, deepest;
  for (int i = 0; i < 2000; ++i) deep += "a/";
  for (int i = 0; i < 200'000; ++i) deepest += "a/";
  std::ofstream(folder.path() / "file") << "no archive";
  for (const auto& [file, reason] : std::vector<std::pair<std::string, std::string>>{
           {"/dev/zero", "does not exist"},
           {"/", "does not exist"},
           {"/proc/kcore", "does not exist"},
           {deep + "x", "does not exist"},
           {deepest + "x", "path of 400001 characters"},
       }) {
    const auto begun = std::chrono::steady_clock::now();
    const auto result = made_by_hand(folder, "consort: 1\nunits: {a: {fmu: " + file + "}}\n", file);
    EXPECT_THAT(error_text([&] { static_cast<void>(read_recorded_system(result, true)); }), HasSubstr(reason));
    // Milliseconds; hashing or searching does not end.
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20)) << file.substr(0, 20);
  }
}

TEST(Origin, DoesNotSayWhereTheNextResultIsWritten) {
  const os::TempFolder folder("test");
  const auto result = made_by_hand(folder, "consort: 1\nunits: {}\nrecord: {file: /tmp/victim.csv, every: 3}\n", "");
  const auto document = read_recorded_system(result, false);
  EXPECT_EQ(document.run.record.file, "");
  EXPECT_EQ(document.run.record.every, 3U);
}

TEST(Origin, IncludesNoFiles) {
  const os::TempFolder folder("test");
  std::ofstream(folder.path() / "other.yaml") << "consort: 1\nunits: {}\n";
  const auto result =
      made_by_hand(folder, "consort: 1\nunits: {a: " + (folder.path() / "other.yaml").string() + "}\n", "");
  EXPECT_THAT(error_text([&] { static_cast<void>(read_recorded_system(result, false)); }),
              HasSubstr("results contain whole systems"));
}

TEST(Origin, DigestsFoldersByTheirFiles) {
  const os::TempFolder folder("test");
  const auto write = [&](const char* name, const char* text) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << text;
  };
  write("b", "2");
  write("a/c", "1");
  const auto first = digest_of(folder.path());
  Sha256 expected;
  const auto list = sha256_of_file(folder.path() / "a/c") + "  a/c\n" + sha256_of_file(folder.path() / "b") + "  b\n";
  expected.add(std::as_bytes(std::span(list)));
  EXPECT_EQ(first, expected.finish());
  write("a/c", "3");
  EXPECT_NE(digest_of(folder.path()), first);
}

}  // namespace
}  // namespace consort::engine::origin_test
