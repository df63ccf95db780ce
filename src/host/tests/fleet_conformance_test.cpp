// Requirements for every host. Add one line to the table for a new host.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "fleet/timeline.hpp"
#include "host/tests/test_fleets.hpp"
#include "host/tests/toy_system.hpp"
#include "solve/tests/allocations.hpp"

namespace consort::host {
namespace {

using fleet::Fleet;
using fleet::UnitId;
using fleet::Verb;
using testing::ElementsAre;

struct Kind {
  const char* name;
  HostedFleet (*make)(std::span<const fleet::UnitSpec>);
};

template <unsigned threads, bool always>
HostedFleet pool_fleet(std::span<const fleet::UnitSpec> specs) {
  return on_one_host(specs, std::make_unique<PoolHost>(threads, always));
}

constexpr Kind kinds[] = {
    {"Serial", serial_fleet},
    {"Pool2", pool_fleet<2, true>},
    {"Pool3", pool_fleet<3, true>},
    {"Pool8", pool_fleet<8, true>},
    {"PoolThatChooses", pool_fleet<2, false>},
    {"Process", process_fleet},
    {"Mixed", mixed_fleet},
};

class FleetConformance : public testing::TestWithParam<Kind> {
 protected:
  // Makes a connected fleet.
  static HostedFleet make(ToySystem& system) {
    auto hosted = GetParam().make(system.specs);
    system.connect(*hosted);
    return hosted;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, FleetConformance, testing::ValuesIn(kinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

// A system on the tested host and the same system in one thread.
struct Twins {
  Twins(std::unique_ptr<ToySystem> a, std::unique_ptr<ToySystem> b, const Kind& kind)
      : reference(std::move(a)),
        system(std::move(b)),
        serial(serial_fleet(reference->specs)),
        fleet(kind.make(system->specs)) {}
  void connect() {
    reference->connect(*serial);
    system->connect(*fleet);
  }
  [[nodiscard]] bool agree() const {
    const auto& a = reference->signals.outputs;
    const auto& b = system->signals.outputs;
    return a.column<double>() == b.column<double>() && a.column<std::string>() == b.column<std::string>() &&
           a.column<std::int32_t>() == b.column<std::int32_t>();
  }
  std::unique_ptr<ToySystem> reference, system;
  HostedFleet serial, fleet;
};

TEST_P(FleetConformance, GivesTheNumbersOfUnitsInOneThread) {
  for (const std::uint32_t seed : {1U, 2U, 3U, 4U}) {
    const auto count = 2 + 4 * seed;
    Twins twins(ToySystem::random(seed, count, 1 + seed % 3), ToySystem::random(seed, count, 1 + seed % 3), GetParam());
    twins.connect();
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(twins.reference->step(*twins.serial));
      ASSERT_TRUE(twins.system->step(*twins.fleet));
      ASSERT_TRUE(twins.agree()) << i;
    }
    EXPECT_EQ(twins.system->signals.outputs.column<std::int32_t>()[0], 200);
  }
}

TEST_P(FleetConformance, GivesTheSameNumbersWhateverTheOrderOfTheWaves) {
  Twins twins(ToySystem::random(9, 9), ToySystem::random(9, 9), GetParam());
  // Waves of a single unit and waves in another order.
  std::mt19937 random(5);
  std::vector<std::pair<fleet::WaveId, fleet::WaveId>> waves;
  for (int i = 0; i < 40; ++i) {
    auto units = twins.system->all;
    std::shuffle(units.begin(), units.end(), random);
    units.resize(random() % units.size() + 1);
    waves.emplace_back(twins.serial->declare_wave(units), twins.fleet->declare_wave(units));
  }
  twins.connect();
  for (int i = 0; i < 300; ++i) {
    const unit::StepRequest request{0.01 * i, 0.01, false};
    const auto& wave = waves[random() % waves.size()];
    twins.reference->route();
    twins.serial->submit(wave.first, Verb::step, request, twins.reference->signals);
    ASSERT_TRUE(twins.serial->wait());
    twins.system->route();
    twins.fleet->submit(wave.second, Verb::step, request, twins.system->signals);
    ASSERT_TRUE(twins.fleet->wait());
    ASSERT_TRUE(twins.agree()) << i;
  }
}

TEST_P(FleetConformance, TakesSeveralWavesBeforeItIsWaitedFor) {
  Twins twins(ToySystem::random(2, 8), ToySystem::random(2, 8), GetParam());
  const auto first = twins.fleet->declare_wave(std::vector<UnitId>{0, 1, 2, 5});
  const auto second = twins.fleet->declare_wave(std::vector<UnitId>{7, 6, 3, 4});
  twins.connect();
  for (int i = 0; i < 100; ++i) {
    twins.reference->step(*twins.serial);
    twins.system->route();
    const unit::StepRequest request{0.01 * i, 0.01, false};
    twins.fleet->submit(first, Verb::step, request, twins.system->signals);
    twins.fleet->submit(second, Verb::step, request, twins.system->signals);
    ASSERT_TRUE(twins.fleet->wait());
    ASSERT_TRUE(twins.agree()) << i;
  }
}

// --- outcomes and errors

// Six counting units; `behaviours` changes some of them.
ToySystem counting(const std::vector<std::pair<UnitId, std::string>>& behaviours = {}) {
  std::vector<fleet::UnitSpec> units;
  for (int u = 0; u < 6; ++u) units.push_back({.name = "count" + std::to_string(u), .model = "count plain"});
  for (const auto& [u, behaviour] : behaviours) units[u].model = "count " + behaviour;
  return ToySystem(std::move(units));
}
const std::vector<double>& counts(const ToySystem& system) { return system.signals.outputs.column<double>(); }

TEST_P(FleetConformance, TellsWhichUnitsWantToEnd) {
  auto system = counting({{1, "ends 3"}, {4, "ends 3"}});
  const auto fleet = make(system);
  EXPECT_TRUE(system.step(*fleet, 0.5));
  EXPECT_TRUE(system.step(*fleet, 0.5));
  EXPECT_FALSE(system.step(*fleet, 0.5));
  EXPECT_THAT(fleet->told(), ElementsAre(1, 4));
  for (const UnitId u : {1U, 4U}) {
    EXPECT_EQ(fleet->reply(u).outcome.why, unit::Why::terminate) << u;
    EXPECT_EQ(fleet->reply(u).outcome.reached, 1.25) << u;
  }
  EXPECT_TRUE(system.step(*fleet, 0.5));
  EXPECT_TRUE(fleet->told().empty());
}

TEST_P(FleetConformance, ThrowsTheErrorOfTheFirstUnitAfterAllHaveStopped) {
  auto system = counting({{2, "fails 3"}, {3, "fails 3"}, {4, "fails 3"}});
  std::reverse(system.all.begin(), system.all.end());
  const auto fleet = make(system);
  for (int round = 1; round <= 3; ++round) {
    EXPECT_TRUE(system.step(*fleet));
    EXPECT_TRUE(system.step(*fleet));
    EXPECT_THAT(
        [&] { system.step(*fleet); },
        testing::ThrowsMessage<Error>(testing::HasSubstr("unit count2 says no at step " + std::to_string(3 * round))));
    // All units were served; units that failed returned no outputs.
    const double all = 3 * round;
    EXPECT_THAT(counts(system), ElementsAre(all, all, all - 1, all - 1, all - 1, all));
  }
}

TEST_P(FleetConformance, LetsAnErrorKeepItsFaultAndItsText) {
  auto system = counting({{1, "fails 1"}});
  const auto fleet = make(system);
  try {
    system.step(*fleet);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::run);
    EXPECT_STREQ(error.what(), "unit count1 says no at step 1; ask another one");
  }
}

TEST_P(FleetConformance, LetsBadAllocThrough) {
  auto system = counting({{3, "bad_alloc"}});
  const auto fleet = make(system);
  EXPECT_THROW(system.step(*fleet), std::bad_alloc);
}

TEST_P(FleetConformance, KeepsAnErrorOfAnEarlierWaveUntilItIsWaitedFor) {
  auto system = counting({{5, "fails 1"}});
  const auto fleet = GetParam().make(system.specs);
  const auto first = fleet->declare_wave(std::vector<UnitId>{4, 5});
  const auto second = fleet->declare_wave(std::vector<UnitId>{0, 1});
  system.connect(*fleet);
  const unit::StepRequest request{0, 1, false};
  EXPECT_NO_THROW(fleet->submit(first, Verb::step, request, system.signals));
  EXPECT_NO_THROW(fleet->submit(second, Verb::step, request, system.signals));
  EXPECT_THROW(fleet->wait(), Error);
  EXPECT_TRUE(fleet->wait());
}

TEST_P(FleetConformance, CountsWhatHappenedBesideWholeSteps) {
  auto system = counting({{2, "early"}, {3, "discards"}});
  const auto fleet = make(system);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(system.step(*fleet));
    EXPECT_EQ(fleet->told().front(), 2U);
    EXPECT_EQ(fleet->reply(2).counts.early_returns, 1U);
    EXPECT_EQ(fleet->reply(2).outcome.why, unit::Why::completed);
  }
  EXPECT_EQ(fleet->counts(2).early_returns, 10U);
  EXPECT_GT(fleet->counts(3).discarded, 0U);
  EXPECT_EQ(fleet->counts(4).early_returns, 0U);
  EXPECT_EQ(counts(system)[2], 20);
  EXPECT_EQ(counts(system)[4], 10);
}

TEST_P(FleetConformance, SaysWhyAUnitCannotBeMade) {
  auto system = counting();
  system.specs[3] = {.name = "front.axle", .model = "refuses"};
  EXPECT_THAT([&] { GetParam().make(system.specs); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("there is no test unit 'refuses'")));
}

// --- the other verbs

TEST_P(FleetConformance, EvaluatesAndReadsWithoutAStep) {
  const auto system = ToySystem::random(3, 6);
  const auto fleet = make(*system);
  for (int i = 0; i < 10; ++i) system->step(*fleet);
  const auto outputs = system->signals.outputs.column<double>();
  auto& now = system->signals.outputs.column<double>();
  for (const auto verb : {Verb::read, Verb::evaluate}) {
    std::fill(now.begin(), now.end(), 0.0);
    fleet->ask(system->wave, verb, 0.1, system->signals);
    EXPECT_TRUE(fleet->told().empty());
    EXPECT_EQ(now, outputs);  // toy units return the same outputs as after the step
  }
  EXPECT_EQ(system->signals.outputs.column<std::int32_t>()[0], 10);
}

TEST_P(FleetConformance, SetsInputsWithoutReadingOutputs) {
  auto system = counting();
  const auto fleet = make(system);
  auto& inputs = system.signals.inputs.column<double>();
  auto& outputs = system.signals.outputs.column<double>();
  system.step(*fleet);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = 0.5 + static_cast<double>(i);
  std::fill(outputs.begin(), outputs.end(), -1.0);
  fleet->ask(system.wave, Verb::give, 0.1, system.signals);
  EXPECT_TRUE(fleet->told().empty());
  EXPECT_THAT(outputs, testing::Each(-1.0));
  for (fleet::UnitId u = 0; u < system.specs.size(); ++u) {
    const auto& set = *system.blocks[u].inputs;
    Columns values = set.make_columns();
    fleet->get(u, set, values);
    for (std::size_t i = 0; i < set.real_elements(); ++i)
      EXPECT_EQ(values.column<double>()[i], inputs[system.blocks[u].first_input[float64] + i]) << u;
  }
}

TEST_P(FleetConformance, KnowsTheTraitsOfItsUnits) {
  ToySystem system({{.name = "a", .model = "count plain"},
                    {.name = "b", .model = "linear 1"},
                    {.name = "c", .model = "event"},
                    {.name = "d", .model = "event"}});
  const auto fleet = make(system);
  ASSERT_EQ(fleet->size(), 4U);
  EXPECT_EQ(fleet->traits(0).name, "a");
  EXPECT_EQ(fleet->traits(0).rollback, fleet::RollbackKind::state);
  EXPECT_TRUE(fleet->traits(0).serialises);
  EXPECT_EQ(fleet->traits(1).input_order, 3);
  EXPECT_TRUE(fleet->traits(1).derivatives);
  EXPECT_TRUE(fleet->traits(1).responds_without_step);
  for (const UnitId u : {2U, 3U}) {
    EXPECT_TRUE(fleet->traits(u).event_mode);
    EXPECT_EQ(fleet->traits(u).output_order, 2);
  }
}

// --- events

// Two units with event mode, two with a solver, and a group.
std::unique_ptr<ToySystem> eventful() {
  return std::make_unique<ToySystem>(std::vector<fleet::UnitSpec>{{.name = "a", .model = "event"},
                                                                  {.name = "b", .model = "ball"},
                                                                  {.name = "c", .model = "ball"},
                                                                  {.name = "d", .model = "event"},
                                                                  {.name = "e", .model = "group"}});
}
constexpr std::array<UnitId, 5> every_eventful{0, 1, 2, 3, 4};

TEST_P(FleetConformance, KnowsWhoHasEventVerbsAndWhoNeedsThem) {
  const auto system = eventful();
  const auto fleet = make(*system);
  for (const UnitId u : every_eventful) {
    EXPECT_TRUE(fleet->traits(u).event_verbs) << u;
    EXPECT_EQ(fleet->traits(u).event_mode, u == 0 || u == 3) << u;
    EXPECT_EQ(fleet->traits(u).inner_events, u == 1 || u == 2 || u == 4) << u;
  }
}

TEST_P(FleetConformance, StopsAtEventsAndUpdatesUnitsAsInOneThread) {
  Twins twins(eventful(), eventful(), GetParam());
  twins.connect();
  std::vector<std::vector<double>> seen[2];
  int which = 0;
  for (auto* const s : {twins.reference.get(), twins.system.get()}) {
    auto& fleet = which == 0 ? *twins.serial : *twins.fleet;
    fleet.enter_initialization(s->all, {0, {}, 1e-8});
    fleet.exit_initialization(s->all);
    Time t = 0;
    for (int i = 0; i < 40; ++i) {
      fleet.save(s->snapshot);
      const auto before = s->signals;
      // Step to the first event, repeat the step up to it, update all units once, and continue.
      Time end = t + 0.1;
      for (bool is_done = false; !is_done;) {
        const unit::StepRequest request{t, end - t, true, true};
        fleet.submit(s->wave, Verb::step, request, s->signals);
        Time first = end;
        if (!fleet.wait()) {
          for (const auto u : fleet.told())
            if (fleet.reply(u).outcome.why == unit::Why::event) first = std::min(first, fleet.reply(u).outcome.reached);
        }
        is_done = first >= end - 1e-9;
        if (is_done) break;
        fleet.restore(s->snapshot);
        s->signals = before;
        end = first;
      }
      t = end;
      fleet.enter_event_mode(every_eventful);
      const unit::StepRequest now{.t = t};
      for (const auto u : every_eventful) fleet.submit(fleet.wave_of(u), Verb::update, now, s->signals);
      fleet.wait();
      std::vector<double> row;
      row.reserve(64);
      row.push_back(t);
      for (const auto u : every_eventful) row.push_back(fleet.reply(u).repeat ? 1 : 0);
      fleet.leave_event_mode(every_eventful);
      for (const auto x : s->signals.outputs.column<double>()) row.push_back(x);
      for (const auto x : s->signals.next_event) row.push_back(x);
      seen[which].push_back(row);
    }
    ++which;
  }
  EXPECT_EQ(seen[0], seen[1]);
  // The ball falls for sqrt(2 / g) and is not stepped further until the event has settled.
  const double fall = std::sqrt(2 / 9.81);
  const auto at = std::find_if(seen[1].begin(), seen[1].end(), [&](const auto& r) { return r[0] > fall - 1e-6; });
  ASSERT_NE(at, seen[1].end());
  EXPECT_NEAR((*at)[0], fall, 1e-6);
}

// Groups allocate in their event iteration.
TEST_P(FleetConformance, AllocatesNothingForEvents) {
  const auto system = std::make_unique<ToySystem>(std::vector<fleet::UnitSpec>{{.name = "a", .model = "event"},
                                                                               {.name = "b", .model = "ball"},
                                                                               {.name = "c", .model = "ball"},
                                                                               {.name = "d", .model = "event"},
                                                                               {.name = "e", .model = "group"}});
  const std::array<UnitId, 5> all{0, 1, 2, 3, 4};
  const auto fleet = make(*system);
  fleet->enter_initialization(system->all, {0, {}, 1e-8});
  fleet->exit_initialization(system->all);
  const unit::StepRequest now{.t = 0};
  const auto round = [&] {
    fleet->enter_event_mode(all);
    for (const auto u : all) fleet->submit(fleet->wave_of(u), Verb::update, now, system->signals);
    fleet->wait();
    fleet->leave_event_mode(all);
  };
  for (int i = 0; i < 3; ++i) round();
  const auto before = allocations();
  for (int i = 0; i < 100; ++i) round();
  EXPECT_EQ(allocations(), before);
}

// --- save and restore

TEST_P(FleetConformance, RestoresExactlyWhatItSaved) {
  const auto system = ToySystem::random(11, 7);
  const auto fleet = make(*system);
  for (int i = 0; i < 5; ++i) system->step(*fleet);
  for (int round = 0; round < 3; ++round) {
    fleet->save(system->snapshot);
    const auto signals = system->signals;
    std::vector<std::vector<double>> rows;
    for (int i = 0; i < 20; ++i) {
      system->step(*fleet);
      rows.push_back(system->signals.outputs.column<double>());
    }
    fleet->restore(system->snapshot);
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
  auto system = counting();
  const auto fleet = GetParam().make(system.specs);
  const auto some = fleet->reserve_snapshot(std::vector<UnitId>{1, 3, 4});
  system.connect(*fleet);
  system.step(*fleet);
  fleet->save(some);
  system.step(*fleet);
  system.step(*fleet);
  fleet->restore(some, std::vector<UnitId>{3, 1});
  system.step(*fleet);
  EXPECT_THAT(counts(system), ElementsAre(4, 2, 4, 2, 4, 4));
  fleet->restore(some);
  system.step(*fleet);
  EXPECT_THAT(counts(system), ElementsAre(5, 2, 5, 2, 2, 5));
}

TEST_P(FleetConformance, TakesAStateFromItsBytes) {
  auto system = counting();
  const auto fleet = make(system);
  system.step(*fleet);
  fleet->save(system.snapshot);
  const auto bytes = fleet->serialise(system.snapshot, 3);
  for (int i = 0; i < 4; ++i) system.step(*fleet);
  fleet->save(system.snapshot);
  fleet->deserialise(system.snapshot, 3, bytes);
  fleet->restore(system.snapshot);
  system.step(*fleet);
  EXPECT_THAT(counts(system), ElementsAre(6, 6, 6, 2, 6, 6));
  auto damaged = bytes;
  damaged.pop_back();
  EXPECT_THROW(fleet->deserialise(system.snapshot, 3, damaged), Error);
}

// --- costs and traces

TEST_P(FleetConformance, KnowsWhatUnitsOfEveryWaveCost) {
  const auto system = ToySystem::random(4, 6);
  const auto fleet = GetParam().make(system->specs);
  const std::vector<fleet::WaveId> waves = {fleet->declare_wave(std::vector<UnitId>{0, 1, 2}),
                                            fleet->declare_wave(std::vector<UnitId>{3, 4}), fleet->wave_of(5)};
  system->connect(*fleet);
  for (UnitId u = 0; u < 6; ++u) EXPECT_EQ(fleet->cost(u), 0);
  for (int i = 0; i < 3; ++i) {
    const unit::StepRequest request{0.1 * i, 0.1, false};
    for (const auto wave : waves) {
      fleet->submit(wave, Verb::step, request, system->signals);
      fleet->wait();
    }
  }
  for (UnitId u = 0; u < 6; ++u) EXPECT_GT(fleet->cost(u), 0) << u;
}

TEST_P(FleetConformance, WritesEveryCallOfAUnitIntoTheTimeline) {
  const auto system = ToySystem::random(4, 6);
  const auto fleet = make(*system);
  fleet::Timeline timeline(8, 1000);
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
  const auto fleet = GetParam().make(system->specs);
  const auto some = fleet->declare_wave(std::vector<UnitId>{1, 2, 3});
  system->connect(*fleet);
  const std::vector<UnitId> units = {1, 2, 3, 6};
  const auto round = [&] {
    fleet->save(system->snapshot);
    system->step(*fleet);
    fleet->restore(system->snapshot, units);
    fleet->ask(some, Verb::evaluate, 0, system->signals);
  };
  for (int i = 0; i < 10; ++i) round();
  const auto before = allocations();
  for (int i = 0; i < 300; ++i) round();
  EXPECT_EQ(allocations(), before);
}

TEST_P(FleetConformance, ComesAndGoes) {
  const auto system = ToySystem::random(8, 5);
  for (int i = 0; i < 12; ++i) {
    const auto fleet = make(*system);
    if (i % 3 == 0) continue;  // no request at all
    system->step(*fleet);
    if (i % 3 == 1) system->step(*fleet);
    EXPECT_EQ(system->signals.outputs.column<std::int32_t>()[0], i % 3 == 1 ? 2 : 1);
  }
}

TEST_P(FleetConformance, EndsWellWhenWhatWasSubmittedIsNotWaitedFor) {
  const auto system = ToySystem::random(8, 5);
  const unit::StepRequest request{0, 0.1, false};
  for (int i = 0; i < 10; ++i) {
    const auto fleet = make(*system);
    fleet->submit(system->wave, Verb::step, request, system->signals);
  }
}

TEST_P(FleetConformance, HasNothingToDoForNoUnits) {
  const auto system = ToySystem::random(8, 5);
  const auto fleet = GetParam().make(system->specs);
  const auto none = fleet->declare_wave({});
  system->connect(*fleet);
  const unit::StepRequest request{};
  fleet->submit(none, Verb::step, request, system->signals);
  EXPECT_TRUE(fleet->wait());
  EXPECT_TRUE(fleet->wait());
  EXPECT_EQ(fleet->size(), 5U);
  EXPECT_EQ(fleet->traits(3).name, "unit3");
}

}  // namespace
}  // namespace consort::host
