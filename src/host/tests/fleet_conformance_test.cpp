// What every fleet has to do. A new one joins with one line of the table.
#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "host/fleets.hpp"
#include "host/pool_fleet.hpp"
#include "host/tests/toy_system.hpp"
#include "solve/tests/allocations.hpp"
#include "unit/serial_fleet.hpp"
#include "unit/timeline.hpp"

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
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(reference->step(serial));
      ASSERT_TRUE(system->step(*fleet));
      ASSERT_EQ(reference->signals.outputs.column<double>(), system->signals.outputs.column<double>()) << i;
      ASSERT_EQ(reference->signals.outputs.column<std::string>(), system->signals.outputs.column<std::string>()) << i;
    }
    EXPECT_EQ(system->signals.outputs.column<std::int32_t>()[0], 200);
  }
}

TEST_P(FleetConformance, GivesTheSameNumbersWhateverTheOrderOfTheWaves) {
  const auto reference = ToySystem::random(9, 9);
  const auto system = ToySystem::random(9, 9);
  unit::SerialFleet serial(reference->units, reference->ports);
  const auto fleet = GetParam().make(*system);
  // Waves that change from step to step, some of one unit, some in another order; the same memory with other units.
  std::mt19937 random(5);
  std::vector<UnitId> wave;
  for (int i = 0; i < 300; ++i) {
    wave = system->all;
    std::shuffle(wave.begin(), wave.end(), random);
    wave.resize(random() % wave.size() + 1);
    const unit::StepRequest request{0.01 * i, 0.01, false};
    for (const auto& [s, f] :
         {std::pair<ToySystem*, unit::Fleet*>(reference.get(), &serial), {system.get(), fleet.get()}}) {
      s->route();
      f->submit(wave, Verb::step, request, s->signals);
      ASSERT_TRUE(f->wait());
    }
    ASSERT_EQ(reference->signals.outputs.column<double>(), system->signals.outputs.column<double>()) << i;
  }
}

TEST_P(FleetConformance, TakesSeveralWavesBeforeItIsWaitedFor) {
  const auto reference = ToySystem::random(2, 8);
  const auto system = ToySystem::random(2, 8);
  unit::SerialFleet serial(reference->units, reference->ports);
  const auto fleet = GetParam().make(*system);
  const std::vector<UnitId> first = {0, 1, 2, 5};
  const std::vector<UnitId> second = {7, 6, 3, 4};
  for (int i = 0; i < 100; ++i) {
    reference->step(serial);
    system->route();
    const unit::StepRequest request{0.01 * i, 0.01, false};
    fleet->submit(first, Verb::step, request, system->signals);
    fleet->submit(second, Verb::step, request, system->signals);
    ASSERT_TRUE(fleet->wait());
    ASSERT_EQ(reference->signals.outputs.column<double>(), system->signals.outputs.column<double>()) << i;
  }
}

// --- outcomes and errors

// Six units that count; what unit 1 to 4 do at a given step is up to the test.
struct Counting {
  explicit Counting(std::function<unit::StepOutcome(int unit, int step, const unit::StepRequest&)> on_step) {
    for (int u = 0; u < 6; ++u) {
      auto& unit = system.add("count" + std::to_string(u));
      unit.input("u", 0.0);
      const auto y = unit.output("y", 0.0);
      unit.on_step([=](ToySystem::Unit::Values& v, const unit::StepRequest& r) {
        v[y] += 1;
        return on_step(u, static_cast<int>(v[y]), r);
      });
    }
    system.finish(1);
  }
  [[nodiscard]] const std::vector<double>& counts() const { return system.signals.outputs.column<double>(); }
  ToySystem system;
};

TEST_P(FleetConformance, TellsWhichUnitsWantToEnd) {
  Counting c([](int u, int step, const unit::StepRequest& r) {
    return (u == 1 || u == 4) && step == 3 ? unit::StepOutcome{r.t + r.h / 2, unit::Why::terminate} : completed(r);
  });
  const auto fleet = GetParam().make(c.system);
  EXPECT_TRUE(c.system.step(*fleet, 0.5));
  EXPECT_TRUE(c.system.step(*fleet, 0.5));
  EXPECT_FALSE(c.system.step(*fleet, 0.5));
  for (UnitId u = 0; u < 6; ++u) {
    const bool ends = u == 1 || u == 4;
    EXPECT_EQ(fleet->outcomes()[u].why, ends ? unit::Why::terminate : unit::Why::completed) << u;
    EXPECT_EQ(fleet->outcomes()[u].reached, ends ? 1.25 : 1.5) << u;
  }
  EXPECT_TRUE(c.system.step(*fleet, 0.5));
}

TEST_P(FleetConformance, ThrowsTheErrorOfTheFirstUnitAfterAllHaveStopped) {
  Counting c([](int u, int step, const unit::StepRequest& r) -> unit::StepOutcome {
    if (step % 3 == 0 && u >= 2 && u <= 4) throw run_error("unit {} says no at step {}; ask another one", u, step);
    return completed(r);
  });
  const auto fleet = GetParam().make(c.system);
  std::reverse(c.system.all.begin(), c.system.all.end());
  for (int round = 1; round <= 3; ++round) {
    EXPECT_TRUE(c.system.step(*fleet));
    EXPECT_TRUE(c.system.step(*fleet));
    EXPECT_THAT(
        [&] { c.system.step(*fleet); },
        testing::ThrowsMessage<Error>(testing::HasSubstr("unit 2 says no at step " + std::to_string(3 * round))));
    // All have had their turn; those that failed told no outputs.
    const double all = 3 * round;
    EXPECT_THAT(c.counts(), testing::ElementsAre(all, all, all - 1, all - 1, all - 1, all));
  }
}

TEST_P(FleetConformance, LetsExceptionsOfAnyKindThrough) {
  Counting c([](int u, int, const unit::StepRequest& r) -> unit::StepOutcome {
    if (u == 3) throw std::bad_alloc();
    return completed(r);
  });
  const auto fleet = GetParam().make(c.system);
  EXPECT_THROW(c.system.step(*fleet), std::bad_alloc);
}

TEST_P(FleetConformance, KeepsAnErrorOfAnEarlierWaveUntilItIsWaitedFor) {
  Counting c([](int u, int, const unit::StepRequest& r) -> unit::StepOutcome {
    if (u == 5) throw run_error("five; remove it");
    return completed(r);
  });
  const auto fleet = GetParam().make(c.system);
  const unit::StepRequest request{0, 1, false};
  const std::vector<UnitId> first = {4, 5};
  const std::vector<UnitId> second = {0, 1};
  EXPECT_NO_THROW(fleet->submit(first, Verb::step, request, c.system.signals));
  EXPECT_NO_THROW(fleet->submit(second, Verb::step, request, c.system.signals));
  EXPECT_THROW(fleet->wait(), Error);
  EXPECT_TRUE(fleet->wait());
}

TEST_P(FleetConformance, CountsWhatHappenedBesideWholeSteps) {
  Counting c([](int u, int step, const unit::StepRequest& r) {
    return u == 2 && step % 2 == 1 ? unit::StepOutcome{r.t + r.h / 4, unit::Why::early} : completed(r);
  });
  const auto fleet = GetParam().make(c.system);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(c.system.step(*fleet));
  EXPECT_EQ(fleet->counts(2).early_returns, 10U);
  EXPECT_EQ(fleet->counts(3).early_returns, 0U);
  EXPECT_THAT(c.counts(), testing::ElementsAre(10, 10, 20, 10, 10, 10));
}

// --- the other verbs

TEST_P(FleetConformance, EvaluatesAndReadsWithoutAStep) {
  const auto system = ToySystem::random(3, 6);
  const auto fleet = GetParam().make(*system);
  for (int i = 0; i < 10; ++i) system->step(*fleet);
  const auto outputs = system->signals.outputs.column<double>();
  auto& now = system->signals.outputs.column<double>();
  const unit::StepRequest request{};
  for (const auto verb : {Verb::read, Verb::evaluate}) {
    std::fill(now.begin(), now.end(), 0.0);
    fleet->submit(system->all, verb, request, system->signals);
    EXPECT_TRUE(fleet->wait());
    EXPECT_EQ(now, outputs);  // toy units answer what they answered after the step
  }
  EXPECT_EQ(system->signals.outputs.column<std::int32_t>()[0], 10);
}

// --- save and restore

TEST_P(FleetConformance, RestoresExactlyWhatItSaved) {
  const auto system = ToySystem::random(11, 7);
  const auto fleet = GetParam().make(*system);
  unit::FleetSnapshot snapshot;
  for (int i = 0; i < 5; ++i) system->step(*fleet);
  for (int round = 0; round < 3; ++round) {
    fleet->save(system->all, snapshot);
    const auto signals = system->signals;
    std::vector<std::vector<double>> rows;
    for (int i = 0; i < 20; ++i) {
      system->step(*fleet);
      rows.push_back(system->signals.outputs.column<double>());
    }
    fleet->restore(snapshot);
    system->signals = signals;
    system->steps -= 20;
    system->t = 0.01 * system->steps;
    for (int i = 0; i < 20; ++i) {
      system->step(*fleet);
      ASSERT_EQ(system->signals.outputs.column<double>(), rows[static_cast<std::size_t>(i)]);
    }
  }
}

TEST_P(FleetConformance, RestoresOnlyTheUnitsThatWereSaved) {
  Counting c([](int, int, const unit::StepRequest& r) { return completed(r); });
  const auto fleet = GetParam().make(c.system);
  unit::FleetSnapshot snapshot;
  c.system.step(*fleet);
  const std::vector<UnitId> some = {1, 3};
  fleet->save(some, snapshot);
  c.system.step(*fleet);
  c.system.step(*fleet);
  fleet->restore(snapshot);
  c.system.step(*fleet);
  EXPECT_THAT(c.counts(), testing::ElementsAre(4, 2, 4, 2, 4, 4));
}

// --- costs and traces

TEST_P(FleetConformance, KnowsWhatUnitsOfEveryWaveCost) {
  const auto system = ToySystem::random(4, 6);
  const auto fleet = GetParam().make(*system);
  const std::vector<UnitId> first = {0, 1, 2};
  const std::vector<UnitId> second = {3, 4};
  const std::vector<UnitId> third = {5};
  for (UnitId u = 0; u < 6; ++u) EXPECT_EQ(fleet->cost(u), 0);
  for (int i = 0; i < 3; ++i) {
    const unit::StepRequest request{0.1 * i, 0.1, false};
    for (const auto& wave : {first, second, third}) {
      fleet->submit(wave, Verb::step, request, system->signals);
      fleet->wait();
    }
  }
  for (UnitId u = 0; u < 6; ++u) EXPECT_GT(fleet->cost(u), 0) << u;
}

TEST_P(FleetConformance, WritesEveryCallOfAUnitIntoTheTimeline) {
  const auto system = ToySystem::random(4, 6);
  const auto fleet = GetParam().make(*system);
  unit::Timeline timeline(8, 1000);
  for (int i = 0; i < 3; ++i) system->step(*fleet);
  EXPECT_EQ(timeline.recorded(), 0U);
  fleet->trace(&timeline);
  for (int i = 0; i < 70; ++i) system->step(*fleet);
  fleet->trace(nullptr);
  for (int i = 0; i < 3; ++i) system->step(*fleet);
  EXPECT_EQ(timeline.recorded(), 70U * 6U);
  EXPECT_EQ(timeline.dropped(), 0U);
}

// --- life

TEST_P(FleetConformance, AllocatesNothingInTheSteadyState) {
  const auto system = ToySystem::random(7, 12, 3);
  const auto fleet = GetParam().make(*system);
  const std::vector<UnitId> some = {1, 2, 3};
  const auto round = [&] {
    system->step(*fleet);
    const unit::StepRequest request{};
    fleet->submit(some, Verb::evaluate, request, system->signals);
    fleet->wait();
  };
  for (int i = 0; i < 10; ++i) round();
  const auto before = allocations();
  for (int i = 0; i < 500; ++i) round();
  EXPECT_EQ(allocations(), before);
}

TEST_P(FleetConformance, ComesAndGoes) {
  const auto system = ToySystem::random(8, 5);
  for (int i = 0; i < 50; ++i) {
    const auto fleet = GetParam().make(*system);
    if (i % 3 == 0) continue;  // never asked to do anything
    system->step(*fleet);
    if (i % 3 == 1) system->step(*fleet);
  }
  EXPECT_EQ(system->signals.outputs.column<std::int32_t>()[0], system->steps);
}

TEST_P(FleetConformance, EndsWellWhenWhatWasSubmittedIsNotWaitedFor) {
  const auto system = ToySystem::random(8, 5);
  const unit::StepRequest request{0, 0.1, false};
  for (int i = 0; i < 20; ++i) {
    const auto fleet = GetParam().make(*system);
    fleet->submit(system->all, Verb::step, request, system->signals);
  }
  EXPECT_EQ(system->signals.outputs.column<std::int32_t>()[0], 20);
}

TEST_P(FleetConformance, HasNothingToDoForNoUnits) {
  const auto system = ToySystem::random(8, 5);
  const auto fleet = GetParam().make(*system);
  const unit::StepRequest request{};
  fleet->submit({}, Verb::step, request, system->signals);
  EXPECT_TRUE(fleet->wait());
  EXPECT_TRUE(fleet->wait());
  EXPECT_EQ(fleet->size(), 5U);
  EXPECT_EQ(fleet->unit(3).name(), "unit3");
}

}  // namespace
}  // namespace consort::host
