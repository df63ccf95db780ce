// What every fleet has to do. A new one joins with one line of the table.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "host/fleets.hpp"
#include "host/pool_fleet.hpp"
#include "host/tests/toy_system.hpp"
#include "solve/tests/allocations.hpp"
#include "unit/serial_fleet.hpp"

namespace consort::host {
namespace {

using unit::UnitId;
using unit::Verb;

struct Kind {
  const char* name;
  std::unique_ptr<unit::Fleet> (*make)(const ToySystem&);
};

template <unsigned threads, bool always>
std::unique_ptr<unit::Fleet> make_pool(const ToySystem& system) {
  auto fleet = std::make_unique<PoolFleet>(system.units, system.ports, threads);
  fleet->always_share(always);
  return fleet;
}

constexpr Kind kinds[] = {
    {"Serial", [](const ToySystem& s) { return make_fleet(s.units, s.ports, 1); }},
    {"Pool2", make_pool<2, true>},
    {"Pool3", make_pool<3, true>},
    {"Pool8", make_pool<8, true>},
    {"PoolThatChooses", make_pool<2, false>},
};

class FleetConformance : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Every, FleetConformance, testing::ValuesIn(kinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(FleetConformance, GivesTheNumbersOfUnitsInOneThread) {
  for (const std::uint32_t seed : {1U, 2U, 3U, 4U}) {
    const auto reference = ToySystem::random(seed, 3 + 7 * seed, 1 + seed % 3);
    const auto system = ToySystem::random(seed, 3 + 7 * seed, 1 + seed % 3);
    unit::SerialFleet serial(reference->units, reference->ports);
    const auto fleet = GetParam().make(*system);
    for (int i = 0; i < 400; ++i) {
      ASSERT_TRUE(reference->step(serial));
      ASSERT_TRUE(system->step(*fleet));
      ASSERT_EQ(reference->signals.outputs.column<double>(), system->signals.outputs.column<double>()) << i;
      ASSERT_EQ(reference->signals.outputs.column<std::string>(), system->signals.outputs.column<std::string>()) << i;
    }
    EXPECT_EQ(system->signals.outputs.column<std::int32_t>()[0], 400);
  }
}

}  // namespace
}  // namespace consort::host
