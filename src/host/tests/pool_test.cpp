// The parts of the thread pool: placement, choice between one thread and several, and the crew.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "host/choice.hpp"
#include "host/cores.hpp"
#include "host/crew.hpp"
#include "host/placement.hpp"
#include "host/tests/test_fleets.hpp"
#include "host/tests/toy_system.hpp"

namespace consort::host {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using UnitId = fleet::Local;

// --- placement

std::vector<UnitId> all_of(const Placement& p) {
  std::vector<UnitId> all;
  for (unsigned s = 0; s < p.shares(); ++s) {
    EXPECT_FALSE(p.share(s).empty());
    all.insert(all.end(), p.share(s).begin(), p.share(s).end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Placement, GivesEqualNumbersBeforeAnyTimeIsKnown) {
  const std::vector<UnitId> units = {3, 1, 4, 5, 9, 2, 6};
  const Placement p(units, 3);
  EXPECT_THAT(p.share(0), ElementsAre(3, 1, 4));
  EXPECT_THAT(p.share(1), ElementsAre(5, 9));
  EXPECT_THAT(p.share(2), ElementsAre(2, 6));
}

TEST(Placement, HasNoMoreSharesThanUnits) {
  const std::vector<UnitId> units = {3, 1};
  const Placement p(units, 8);
  EXPECT_EQ(p.shares(), 2U);
  EXPECT_THAT(p.share(1), ElementsAre(1));
}

TEST(Placement, PutsTheLongestFirst) {
  const std::vector<UnitId> units = {0, 1, 2, 3, 4};
  Placement p(units, 2);
  const std::vector<double> seconds = {1, 4, 5, 1, 3};  // 5 + 1 + 1, 4 + 3
  EXPECT_TRUE(p.learn(seconds));
  EXPECT_EQ(p.longest(), 7);
  EXPECT_EQ(p.sum(), 14);
  EXPECT_THAT(all_of(p), ElementsAreArray(units));
}

TEST(Placement, LeavesSharesThatAreEvenEnoughAlone) {
  const std::vector<UnitId> units = {0, 1, 2, 3};
  Placement p(units, 2);
  const std::vector<double> seconds = {1.0, 1.0, 1.05, 1.0};
  EXPECT_FALSE(p.learn(seconds));
  EXPECT_THAT(p.share(0), ElementsAre(0, 1));
}

TEST(Placement, KeepsNeighboursTogetherWhereThatIsAsGood) {
  std::vector<UnitId> units(40);
  std::iota(units.begin(), units.end(), 0U);
  Placement p(units, 2);
  std::vector<double> seconds(40, 1.0);
  std::fill(seconds.begin(), seconds.begin() + 10, 4.0);  // 70 in total; the first 9 or 10 units take half of it
  EXPECT_TRUE(p.learn(seconds));
  const auto first = p.share(0);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_EQ(first.back(), first.size() - 1);
  EXPECT_LE(p.longest(), 36);
}

TEST(Placement, FollowsCostsThatChangeAndForgetsASingleInterruption) {
  const std::vector<UnitId> units = {0, 1, 2, 3};
  Placement p(units, 2);
  p.learn(std::vector<double>{1, 1, 1, 1});
  EXPECT_LE(p.longest(), 2);
  p.learn(std::vector<double>{1000, 1, 1, 1});  // the thread was interrupted
  for (int i = 0; i < 8; ++i) p.learn(std::vector<double>{1, 1, 1, 1});
  EXPECT_LE(p.longest(), 2.1);
  for (int i = 0; i < 30; ++i) p.learn(std::vector<double>{30, 10, 10, 10});
  EXPECT_NEAR(p.longest(), 30, 0.5);
  EXPECT_EQ(std::min(p.share(0).size(), p.share(1).size()), 1U);
}

TEST(Placement, LeavesNoShareEmptyWhateverTheCosts) {
  std::vector<UnitId> units(7);
  std::iota(units.begin(), units.end(), 0U);
  const std::vector<std::vector<double>> costs = {
      {100, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 100}, {0, 0, 0, 0, 0, 0, 0}, {1, 1, 1, 50, 1, 1, 1}};
  for (unsigned threads = 1; threads <= 9; ++threads) {
    for (const auto& seconds : costs) {
      Placement p(units, threads);
      p.learn(seconds);
      EXPECT_THAT(all_of(p), ElementsAreArray(units));
    }
  }
}

// --- one thread or several

// Waves with given times for one thread and for several. Counts the waves served by several threads.
struct Waves {
  double alone;
  double together;
  int run(Choice& choice, int count) const {
    int shared = 0;
    for (int i = 0; i < count; ++i) {
      const bool is_shared = choice.way() == Way::together;
      const double seconds = is_shared ? together : alone;
      shared += is_shared ? 1 : 0;
      spent += seconds;
      choice.timed() ? choice.passed(seconds) : choice.passed();
    }
    return shared;
  }
  mutable double spent = 0;
};

TEST(Choice, SettlesForSeveralThreadsWhereTheyPay) {
  Choice choice;
  const Waves waves{50e-6, 28e-6};
  waves.run(choice, 200);
  EXPECT_GT(waves.run(choice, 100'000), 99'000);
}

TEST(Choice, SettlesForOneThreadWhereOthersDoNotPay) {
  Choice choice;
  const Waves waves{5e-6, 9e-6};
  waves.run(choice, 200);
  waves.spent = 0;
  EXPECT_LT(waves.run(choice, 100'000), 2'000);
  EXPECT_LT(waves.spent, 1.025 * 100'000 * 5e-6);
}

TEST(Choice, TriesALosingWayAsRarelyAsItCosts) {
  Choice choice;
  const Waves waves{2e-6, 500e-6};  // helpers are not available
  waves.run(choice, 1'000'000);
  EXPECT_LT(waves.spent, 1.03 * 1'000'000 * 2e-6);
}

TEST(Choice, NeverCallsThreadsForNextToNothing) {
  Choice choice;
  EXPECT_EQ((Waves{0.3e-6, 0.1e-6}.run(choice, 100'000)), 0);
}

TEST(Choice, NeverCallsThreadsWhereOneUnitTakesAlmostAll) {
  Choice choice;
  choice.expect(50e-6, 49.8e-6);
  EXPECT_EQ((Waves{50e-6, 49e-6}.run(choice, 100'000)), 0);
}

TEST(Choice, StartsTogetherAtOnceWhereWavesAreLongAndDoesNotTryThemAlone) {
  Choice choice;
  choice.expect(1.0, 0.5);
  EXPECT_EQ((Waves{1.0, 0.5}.run(choice, 10'000)), 9'999);
}

TEST(Choice, FollowsUnitsThatBecomeDearOrCheap) {
  Choice choice;
  Waves{3e-6, 5e-6}.run(choice, 1'000'000);
  EXPECT_EQ(choice.way(), Way::alone);
  EXPECT_GT((Waves{60e-6, 32e-6}.run(choice, 10'000)), 9'000);
  EXPECT_LT((Waves{3e-6, 5e-6}.run(choice, 10'000)), 1'000);
}

TEST(Choice, IsNotMisledByInterruptions) {
  Choice choice;
  int shared = 0;
  for (int i = 0; i < 100'000; ++i) {
    const bool is_shared = choice.way() == Way::together;
    shared += is_shared ? 1 : 0;
    const double seconds = (is_shared ? 9e-6 : 5e-6) + (i % 5 == 0 ? 4e-3 : 0.0);
    choice.timed() ? choice.passed(seconds) : choice.passed();
  }
  EXPECT_LT(shared, 2'000);
}

// --- the crew

struct Tally {
  std::vector<int> done = std::vector<int>(8, 0);  // not atomic: the sanitizer detects if two threads do the same share
  int rounds = 0;
  std::atomic<unsigned> highest{0};
  static void add(void* self, unsigned share, unsigned thread) {
    auto& tally = *static_cast<Tally*>(self);
    ++tally.done[share];
    EXPECT_TRUE(thread == 0 || thread == share);
    if (thread > tally.highest) tally.highest = thread;
  }
};

TEST(Crew, DoesEveryShareOnceInEveryRound) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    Crew crew(threads);
    Tally tally;
    std::vector<int> expected(8, 0);
    for (unsigned i = 0; i < 2000; ++i) {
      const unsigned shares = 1 + i % threads;
      crew.start(shares, Tally::add, &tally);
      crew.finish();
      for (unsigned s = 0; s < shares; ++s) ++expected[s];
      ASSERT_EQ(tally.done, expected);
    }
  }
}

TEST(Crew, WakesHelpersThatWentToSleep) {
  Crew crew(2);
  Tally tally;
  // A helper must take a share eventually: the caller gives it half a second in every round.
  for (int i = 0; i < 20 && tally.highest == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than any thread spins
    crew.start(2, Tally::add, &tally);
    for (int ms = 0; ms < 500 && tally.highest == 0; ++ms) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    crew.finish();
  }
  EXPECT_EQ(tally.highest, 1U);
}

TEST(Crew, CallerSleepsWhileAHelperTakesLong) {
  Crew crew(2);
  for (int i = 0; i < 3; ++i) {
    std::atomic<int> done{0};
    crew.start(
        2,
        [](void* count, unsigned share, unsigned) {
          std::this_thread::sleep_for(std::chrono::milliseconds(share == 0 ? 5 : 15));
          ++*static_cast<std::atomic<int>*>(count);
        },
        &done);
    crew.finish();
    EXPECT_EQ(done, 2);
  }
}

TEST(Crew, UsesCoresOfThisProcessAlone) {
  const auto cores = usable_cores();
  ASSERT_FALSE(cores.empty());
  auto sorted = cores;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  std::thread([&] {
    pin_to_core(cores.back());
    EXPECT_THAT(usable_cores(), ElementsAre(cores.back()));
  }).join();
}

// --- the host by number of threads

TEST(ThreadHost, IsSerialForOneThreadOrOneUnit) {
  const auto several = ToySystem::random(1, 4);
  const auto one = ToySystem::random(1, 1);
  const auto is_pool = [](const ToySystem& s, unsigned threads) {
    const auto units = make_thread_host(test_setup(threads))->make(s.specs);
    return dynamic_cast<PooledUnits*>(units.get()) != nullptr;
  };
  EXPECT_FALSE(is_pool(*several, 1));
  EXPECT_FALSE(is_pool(*one, 4));
  EXPECT_TRUE(is_pool(*several, 2));
  EXPECT_THROW(is_pool(*several, 0), Error);
}

TEST(ThreadHost, StartsNoMoreThreadsThanThereAreUnits) {
  const auto system = ToySystem::random(1, 4);
  EXPECT_EQ(PooledUnits(system->specs, test_setup().factory, 100).threads(), 4U);
}

TEST(ThreadHost, RunsCheapUnitsInTheCallersThread) {
#ifndef __OPTIMIZE__
  GTEST_SKIP() << "without optimisation, as under sanitizers, no unit is cheap";
#endif
  ToySystem system({{.name = "a", .model = "count plain"}, {.name = "b", .model = "count plain"}});
  auto host = std::make_unique<PoolHost>(2, false);
  const PoolHost& looked_into = *host;
  const auto fleet = on_one_host(system.specs, std::move(host));
  system.connect(*fleet);
  for (int i = 0; i < 5000; ++i) system.step(*fleet);
  EXPECT_LT(looked_into.pool->shared_waves(), 1000U);
}

}  // namespace
}  // namespace consort::host
