// FMUs of other tools, which are not part of the project. Each test names the environment variable that it needs.
#include <algorithm>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace consort::cli_tests {
namespace {

using std::chrono::seconds;

std::vector<fs::path> fmus_below(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".fmu") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool is_co_simulation(const Desk& desk, const fs::path& file) {
  const auto info = desk.run({"info", "--json", file.string()});
  EXPECT_EQ(info.status, 0) << file << "\n" << info.err;
  const auto json = nlohmann::json::parse(info.out, nullptr, false);
  if (json.is_discarded()) return false;
  for (const auto& interface : json.at("interfaces")) {
    if (interface.at("type") == "Co-Simulation") return true;
  }
  return false;
}

// The repository modelica/fmi-cross-check has its FMUs below fmus/.
TEST(CrossCheckRepository, PassesAtLeastSixtyCoSimulationCases) {
  const char* const tree = std::getenv("CONSORT_CROSS_CHECK");
  if (tree == nullptr)
    GTEST_SKIP() << "set CONSORT_CROSS_CHECK to the folder fmus of a checkout of modelica/fmi-cross-check";
  const Desk desk;
  auto program = desk.start({"cross-check", tree, "--interface-type", "cs", "--json"});
  const auto ended = program.wait(seconds(7000));
  const auto json = nlohmann::json::parse(ended.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << ended.err;
  EXPECT_GE(json.at("passed").get<int>(), 60) << ended.out;
  EXPECT_THAT(desk.left_behind(), ::testing::IsEmpty());
}

TEST(ReferenceFmus, SimulateWithoutError) {
  const char* const folder = std::getenv("CONSORT_REFERENCE_FMUS");
  if (folder == nullptr) GTEST_SKIP() << "set CONSORT_REFERENCE_FMUS to a folder of the Reference FMUs";
  const Desk desk;
  int simulated = 0;
  for (const auto& file : fmus_below(folder)) {
    if (!is_co_simulation(desk, file)) continue;
    const auto ended = desk.run({"simulate", file.string(), "--output-file", "result.csv"});
    EXPECT_EQ(ended.status, 0) << file << "\n" << ended.err;
    ++simulated;
  }
  EXPECT_GT(simulated, 0) << "no co-simulation FMU below " << folder;
  EXPECT_THAT(desk.left_behind(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace consort::cli_tests
