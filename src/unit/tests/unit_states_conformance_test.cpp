// Requirements of Rollback in unit.hpp for every unit with rollback. Rows are in every_unit.hpp.
#include <array>
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/tests/every_unit.hpp"

namespace consort::unit {
namespace {

using ::testing::HasSubstr;

// All values are compared bit by bit: a restored unit is in exactly the saved state.
class UnitStatesConformance : public UnitConformance {
 protected:
  void SetUp() override {
    const auto a = make();
    if (a.unit->rollback() == nullptr) GTEST_SKIP() << "cannot save its state";
  }
  void require_serialization() {
    if (!make().unit->rollback()->can_serialize()) GTEST_SKIP() << "cannot write its state as bytes";
  }
  // True if Consort reads the bytes, not the FMU: an FMU that reports an error, also about bytes, may not be used any
  // more (FMI 2.0, 2.1.3).
  [[nodiscard]] static bool reads_bytes_itself() { return !is_co_simulation(); }
};

INSTANTIATE_TEST_SUITE_P(Every, UnitStatesConformance, ::testing::ValuesIn(unit_kinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(UnitStatesConformance, RepeatsEverythingAfterGoingBackAsOftenAsOneLikes) {
  const auto a = make_started();
  auto& states = *a.unit->rollback();
  run_lag(a, 0, 7);
  const auto saved = states.save();
  const auto first = run_lag(a, 7, 25);
  for (int i = 0; i < 3; ++i) {
    states.restore(*saved);
    ASSERT_EQ(run_lag(a, 7, 25), first) << i;
  }
}

TEST_P(UnitStatesConformance, LeavesNoTraceOfSavingAndGoingBack) {
  const auto a = make_started();
  const auto untouched = make_started();
  auto& states = *a.unit->rollback();
  for (int i = 0; i < 20; ++i) {
    const auto saved = states.save();
    run_lag(a, i, i + 3);
    states.restore(*saved);
    ASSERT_EQ(run_lag(a, i, i + 1), run_lag(untouched, i, i + 1)) << i;
  }
}

TEST_P(UnitStatesConformance, GoesBackToWhatItHandedOut) {
  const auto a = make_started();
  auto& states = *a.unit->rollback();
  run_lag(a, 0, 4);
  const std::array<double, 3> then{a.value("u"), a.value("x"), a.value("y")};
  const auto saved = states.save();
  run_lag(a, 4, 6);
  states.restore(*saved);
  EXPECT_EQ((std::array<double, 3>{a.value("u"), a.value("x"), a.value("y")}), then);
}

TEST_P(UnitStatesConformance, StoresAnewIntoASnapshotThatIsHandedIn) {
  const auto a = make_started();
  auto& states = *a.unit->rollback();
  run_lag(a, 0, 3);
  auto saved = states.save();
  run_lag(a, 3, 8);
  saved = states.save(std::move(saved));
  ASSERT_NE(saved, nullptr);
  const auto first = run_lag(a, 8, 12);
  states.restore(*saved);
  EXPECT_EQ(run_lag(a, 8, 12), first);
}

TEST_P(UnitStatesConformance, KeepsOldSnapshotsBesideNewOnes) {
  const auto a = make_started();
  auto& states = *a.unit->rollback();
  std::vector<std::unique_ptr<Snapshot>> saved;
  std::vector<std::vector<double>> seen;
  for (int i = 0; i < 6; ++i) {
    saved.push_back(states.save());
    seen.push_back(run_lag(a, i, i + 1));
  }
  for (const int i : {3, 0, 5, 1, 1, 4}) {
    const auto k = static_cast<std::size_t>(i);
    states.restore(*saved[k]);
    EXPECT_EQ(run_lag(a, i, i + 1), seen[k]) << i;
  }
  saved.erase(saved.begin() + 1, saved.end());
  states.restore(*saved[0]);
  EXPECT_EQ(run_lag(a, 0, 1), seen[0]) << "after the other snapshots were destroyed";
}

TEST_P(UnitStatesConformance, SavesInputsThatNoStepHasUsedYet) {
  const auto a = make_started();
  auto& states = *a.unit->rollback();
  run_lag(a, 0, 3);
  a.set_value("u", 4.0);
  if (a.unit->input_order() > 0) a.set_derivatives("u", {3.0});
  const auto saved = states.save();
  a.unit->step({0.3, 0.1, true});
  const double x = a.value("x");
  run_lag(a, 4, 6);
  states.restore(*saved);
  EXPECT_EQ(a.value("u"), 4);
  a.unit->step({0.3, 0.1, true});
  EXPECT_EQ(a.value("x"), x);
}

TEST_P(UnitStatesConformance, RepeatsOutcomesToo) {
  const auto a = make_started("Stair");
  if (!a.unit) GTEST_SKIP() << "no model with events";
  if (a.unit->rollback() == nullptr) GTEST_SKIP() << "cannot save its state with events";
  if (needs_event_mode(a)) GTEST_SKIP() << "has its events in event mode";
  auto& states = *a.unit->rollback();
  const auto run = [&] {
    std::vector<double> seen;
    for (int i = 36; i < 44; ++i) {
      const auto outcome = a.unit->step({0.25 * i, 0.25, true});
      seen.insert(seen.end(), {outcome.reached, static_cast<double>(outcome.why)});
      if (!outcome.completed()) break;
    }
    return seen;
  };
  for (int i = 0; i < 36; ++i) a.unit->step({0.25 * i, 0.25, true});
  const auto saved = states.save();
  const auto first = run();
  EXPECT_EQ(static_cast<Why>(first.back()), Why::terminate);
  states.restore(*saved);
  EXPECT_EQ(run(), first);
}

TEST_P(UnitStatesConformance, KnowsNoDerivativesOfTheStepBeforeARestore) {
  const auto a = make_started();
  auto* const derivatives = a.unit->step_derivatives();
  if (derivatives == nullptr) GTEST_SKIP() << "no derivatives of steps";
  run_lag(a, 0, 3);
  const auto saved = a.unit->rollback()->save();
  a.unit->rollback()->restore(*saved);
  std::array<double, 1> result{};
  const auto ask = [&] {
    derivatives->step_directional(std::array{a.reference("x")}, std::array{a.reference("u")}, std::array{1.0}, result);
  };
  EXPECT_EQ(caught(ask).fault, Fault::run);
  run_lag(a, 3, 4);
  ask();
  EXPECT_NEAR(result[0], 1 - std::exp(-0.1), 1e-6);  // integrated with a tolerance of 1e-8 and finite differences
}

// --- as bytes --------------------------------------------------------------------------------------------------------

TEST_P(UnitStatesConformance, GoesOnInAnotherUnitFromItsBytes) {
  require_serialization();
  if (IsSkipped()) return;
  const auto a = make_started();
  run_lag(a, 0, 7);
  const auto saved = a.unit->rollback()->save();
  const auto bytes = a.unit->rollback()->serialize(*saved);
  const auto first = run_lag(a, 7, 20);
  EXPECT_EQ(a.unit->rollback()->serialize(*saved), bytes) << "a snapshot does not change";

  const auto started = make_started();
  started.unit->rollback()->restore(*started.unit->rollback()->deserialize(bytes));
  EXPECT_EQ(run_lag(started, 7, 20), first);

  const auto fresh = make();
  const auto read = fresh.unit->rollback()->deserialize(bytes);
  fresh.unit->rollback()->restore(*read);
  EXPECT_EQ(run_lag(fresh, 7, 20), first);
  fresh.unit->rollback()->restore(*read);
  EXPECT_EQ(run_lag(fresh, 7, 20), first) << "any number of times";
}

TEST_P(UnitStatesConformance, SerialisesWhatItHasRead) {
  require_serialization();
  if (IsSkipped()) return;
  const auto a = make_started();
  run_lag(a, 0, 7);
  const auto bytes = a.unit->rollback()->serialize(*a.unit->rollback()->save());
  const auto b = make_started();
  EXPECT_EQ(b.unit->rollback()->serialize(*b.unit->rollback()->deserialize(bytes)), bytes);
}

// Returns damaged, truncated and foreign variants of a saved state.
std::vector<std::vector<std::uint8_t>> damaged(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::vector<std::uint8_t>> result{{}, {0}, std::vector<std::uint8_t>(bytes.size(), 0xff)};
  for (const std::size_t size : {bytes.size() / 7, bytes.size() / 2, bytes.size() - 1})
    result.emplace_back(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  result.push_back(bytes);
  result.back().push_back(0);
  return result;
}

TEST_P(UnitStatesConformance, RefusesDamagedBytes) {
  require_serialization();
  if (IsSkipped()) return;
  const auto source = make_started();
  run_lag(source, 0, 7);
  const auto bytes = source.unit->rollback()->serialize(*source.unit->rollback()->save());
  for (const auto& bad : damaged(bytes)) {
    const auto a = make_started();
    const auto error = caught([&] { a.unit->rollback()->restore(*a.unit->rollback()->deserialize(bad)); });
    EXPECT_THAT(error.text, HasSubstr("'adapted'")) << bad.size() << " of " << bytes.size() << " bytes";
    if (reads_bytes_itself()) {
      EXPECT_EQ(error.fault, Fault::input);
    }
  }
}

TEST_P(UnitStatesConformance, StaysAsItWasWhenBytesAreDamaged) {
  require_serialization();
  if (IsSkipped()) return;
  if (!reads_bytes_itself()) GTEST_SKIP() << "an FMU that reports an error may not be used any more";
  const auto a = make_started();
  run_lag(a, 0, 7);
  auto& states = *a.unit->rollback();
  const auto saved = states.save();
  const auto bytes = states.serialize(*saved);
  run_lag(a, 7, 10);
  const auto here = states.save();
  const auto first = run_lag(a, 10, 15);
  states.restore(*here);
  for (const auto& bad : damaged(bytes)) {
    static_cast<void>(caught([&] { states.restore(*states.deserialize(bad)); }));
    EXPECT_EQ(run_lag(a, 10, 15), first) << bad.size() << " of " << bytes.size() << " bytes";
    states.restore(*here);
  }
}

TEST_P(UnitStatesConformance, SurvivesEveryChangedByte) {
  require_serialization();
  if (IsSkipped()) return;
  if (!reads_bytes_itself()) GTEST_SKIP() << "an FMU that reports an error may not be used any more";
  const auto a = make_started();
  auto& states = *a.unit->rollback();
  run_lag(a, 0, 7);
  const auto bytes = states.serialize(*states.save());
  run_lag(a, 7, 9);
  const double x = a.value("x");
  const auto here = states.save();
  const auto first = run_lag(a, 9, 12);
  states.restore(*here);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto bad = bytes;
    bad[i] ^= 0xff;
    try {
      // A changed number may still be valid; errors that the unit can detect are rejected.
      states.restore(*states.deserialize(bad));
      states.restore(*here);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("'adapted'")) << i;
    }
    ASSERT_EQ(a.value("x"), x) << i;
  }
  EXPECT_EQ(run_lag(a, 9, 12), first);
}

TEST_P(UnitStatesConformance, RefusesTheStateOfAnotherModel) {
  require_serialization();
  if (IsSkipped()) return;
  const auto other = make_started("CoupledMass");
  if (!other.unit) GTEST_SKIP() << "no other model";
  const auto bytes = other.unit->rollback()->serialize(*other.unit->rollback()->save());
  const auto a = make_started();
  const auto error = caught([&] { a.unit->rollback()->restore(*a.unit->rollback()->deserialize(bytes)); });
  EXPECT_THAT(error.text, HasSubstr("'adapted'"));
}

}  // namespace
}  // namespace consort::unit
