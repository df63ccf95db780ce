// A step allocates nothing in the steady state: a run with twice the steps has the same number of allocations.
#include "allocations.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "engine/simulate_cs.hpp"
#include "os/temp_folder.hpp"
#include "record/csv/csv_sink.hpp"
#include "unit/fmu_unit.hpp"
#include "unit/lambda_unit.hpp"

namespace consort::engine {
namespace {

constexpr const char* inputs = "time,u\n0,0\n1,1\n2,0\n1000,5\n";

// Total number of allocations of a run with `steps` steps.
std::size_t allocations_of(unit::Unit& unit, std::uint64_t steps, const input::InputTable* table) {
  const os::TempFolder folder("test");
  record::CsvSink sink(folder.path() / "result.csv");
  record::Sink* const sinks[] = {&sink};
  const std::size_t before = allocations();
  const auto report = simulate_cs(
      unit, {.start = 0, .stop = 1e-3 * static_cast<double>(steps), .step = 1e-3, .tolerance = 1e-4}, table, sinks);
  const std::size_t after = allocations();
  EXPECT_EQ(report.steps, steps);
  EXPECT_EQ(report.rows, steps + 1);
  return after - before;
}

TEST(SteadyState, OfLambdasAllocatesNothing) {
  const auto run = [](std::uint64_t steps) {
    unit::LambdaUnit unit("lag");
    const auto u = unit.input("u", 0.0);
    const auto y = unit.output("y", 0.0);
    unit.on_step([=](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
      v[y] += r.h * (v[u] - v[y]);
      return unit::completed(r);
    });
    const auto table = input::InputTable::parse(inputs, "inputs", unit.description());
    return allocations_of(unit, steps, &table);
  };
  static_cast<void>(run(100));
  const std::size_t some = run(5000);
  EXPECT_EQ(run(10'000), some);
  EXPECT_GT(some, 0U) << "the counter works";
}

class SteadyStateOfFmu : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(AllVersions, SteadyStateOfFmu, ::testing::Values("fmi1/cs", "fmi2", "fmi3"),
                         [](const auto& version) { return std::string(version.param).substr(0, 4); });

TEST_P(SteadyStateOfFmu, AllocatesNothing) {
  const auto fmu = fmi::Fmu::open(std::filesystem::path(places::fmus()) / GetParam() / "Bad.fmu");
  const auto table = input::InputTable::parse(inputs, "inputs", fmu.description());
  const auto run = [&](std::uint64_t steps) {
    const auto unit = unit::make_fmu_unit(fmu, {.name = "bad"});
    return allocations_of(*unit, steps, &table);
  };
  static_cast<void>(run(100));
  const std::size_t some = run(5000);
  EXPECT_EQ(run(10'000), some);
}

}  // namespace
}  // namespace consort::engine
