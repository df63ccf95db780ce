// Through the public headers alone.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include <consort/system.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "common.hpp"

namespace {

namespace linearise_tests {

using consort::api_tests::error_of;
using consort::api_tests::fmu;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

consort::System ring() {
  consort::System system("ring");
  system.add("one", std::filesystem::path("model:coupled_mass"))
      .add("two", std::filesystem::path("model:coupled_mass"));
  system.connect("one.x", "two.x_other").connect("one.v", "two.v_other");
  system.connect("two.x", "one.x_other").connect("two.v", "one.v_other");
  return system;
}

TEST(PublicLinearise, GivesMatricesNamesAndModes) {
  const auto lin = ring().linearise({.at = 0.5, .set = {{"one.k", "0"}, {"two.k", "0"}}, .eigenvectors = true});
  EXPECT_EQ(lin.time, 0.5);
  EXPECT_THAT(lin.states, ElementsAre("one.x", "one.v", "two.x", "two.v"));
  EXPECT_THAT(lin.state_units, ElementsAre("m", "m/s", "m", "m/s"));
  EXPECT_EQ(lin.a.rows, 4U);
  EXPECT_EQ(lin.a(1, 0), -10);
  EXPECT_EQ(lin.a(1, 3), 0.1) << "the damper between the masses";
  ASSERT_EQ(lin.eigenvalues.size(), 4U);
  EXPECT_NEAR(lin.eigenvalues[0].frequency, std::sqrt(10.0) / (2 * std::numbers::pi), 1e-12);
  EXPECT_EQ(lin.eigenvectors.size(), 4U);
}

TEST(PublicLinearise, FmusHaveNamesWithoutAUnit) {
  const auto lin = consort::Fmu(fmu("fmi3/OneMass")).linearise({.at = 0.1});
  ASSERT_FALSE(lin.states.empty());
  for (const auto& name : lin.states) EXPECT_EQ(name.find('.'), std::string::npos) << name;
  EXPECT_THAT(error_of([] { static_cast<void>(consort::Fmu(fmu("fmi1/cs/OneMass")).linearise()); }),
              HasSubstr("offers Co-Simulation only"));
}

TEST(PublicLinearise, FilesAreWrittenByTheirEnding) {
  const auto lin = ring().linearise();
  const auto folder = std::filesystem::temp_directory_path();
  for (const char* const ending : {".json", ".mat", ".h5"}) {
    const auto file = folder / (std::string("consort_public_linearise") + ending);
    std::filesystem::remove(file);
    lin.save(file);
    EXPECT_GT(std::filesystem::file_size(file), 500U) << ending;
    std::filesystem::remove(file);
  }
  EXPECT_THAT(error_of([&] { lin.save(folder / "ring.txt"); }), HasSubstr(".json, .mat, .h5"));
}

}  // namespace linearise_tests

}  // namespace
