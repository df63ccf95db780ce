#include "fmi/announcement.hpp"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "fmi/tests/strict_fmu.hpp"

namespace consort::fmi {
namespace {

TEST(Announcement, LastsUntilItsTimeHasCome) {
  Announcement a(1);
  EXPECT_EQ(a.ahead(), std::nullopt);
  a.take(2.0);
  EXPECT_EQ(a.ahead(), 2.0);
  a.reach(2);
  EXPECT_EQ(a.ahead(), std::nullopt);
  a.reach(1.5);
  a.take(std::nullopt);
  EXPECT_EQ(a.ahead(), std::nullopt);
}

TEST(Announcement, EndsWithAStepThatMissesItByARoundingError) {
  Announcement a(0);
  a.take(0.3);
  a.step_to(0.29, 0.1);
  EXPECT_EQ(a.ahead(), 0.3);
  a.step_to(0.3 - 1e-12, 0.1);
  EXPECT_EQ(a.ahead(), std::nullopt);
}

TEST(Announcement, IsAppendedToTheBytesOfAState) {
  Announcement a(1);
  a.take(2.0);
  std::vector<std::uint8_t> bytes{7, 8, 9};
  a.append_to(bytes);
  std::span<const std::uint8_t> rest = bytes;
  EXPECT_EQ(Announcement::split_off(rest).ahead(), 2.0);
  EXPECT_EQ(std::vector(rest.begin(), rest.end()), (std::vector<std::uint8_t>{7, 8, 9}));
  EXPECT_THROW(static_cast<void>(Announcement::split_off(rest)), Error);
}

// --- of an instance that writes only what has changed

std::unique_ptr<CoSimulation> begun(const Fmu& fmu) {
  auto unit = fmu.co_simulation({.use_event_mode = true});
  set<double>(*unit, fmu.description(), "period", {0.15});
  unit->enter_initialization({});
  unit->exit_initialization();
  EXPECT_EQ(unit->event_mode()->update_discrete_states().next_event, 0.15);
  unit->event_mode()->leave_event_mode();
  return unit;
}

std::optional<Time> update(CoSimulation& unit) {
  unit.event_mode()->enter_event_mode();
  const auto next = unit.event_mode()->update_discrete_states().next_event;
  unit.event_mode()->leave_event_mode();
  return next;
}

TEST(AnnouncedEvents, RemainAnnouncedByAnInstanceThatDoesNotRepeatThem) {
  if (!StrictFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  const StrictFmu file(3, {"LAZY_EVENT_INFO"});
  const Fmu fmu = file.open();
  const auto unit = begun(fmu);
  unit->do_step(0, 0.1);
  EXPECT_EQ(update(*unit), 0.15);
  unit->do_step(0.1, 0.05);
  EXPECT_EQ(update(*unit), 0.3);
}

TEST(AnnouncedEvents, ArePartOfASavedState) {
  if (!StrictFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  const StrictFmu file(3, {"LAZY_EVENT_INFO"});
  const Fmu fmu = file.open();
  const auto unit = begun(fmu);
  unit->do_step(0, 0.1);
  auto& states = *unit->state_saving();
  const auto saved = states.save();
  unit->do_step(0.1, 0.05);
  EXPECT_EQ(update(*unit), 0.3);
  states.restore(*saved);
  EXPECT_EQ(update(*unit), 0.15);
  const auto other = fmu.co_simulation({.use_event_mode = true});
  other->enter_initialization({});
  other->exit_initialization();
  auto& loaded = *other->state_saving();
  loaded.restore(*loaded.deserialize(states.serialize(*saved)));
  EXPECT_EQ(update(*other), 0.15);
}

TEST(AnnouncedEvents, EndWithAReset) {
  if (!StrictFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  const StrictFmu file(3, {"LAZY_EVENT_INFO"});
  const Fmu fmu = file.open();
  const auto unit = begun(fmu);
  unit->reset();
  unit->enter_initialization({});
  unit->exit_initialization();
  EXPECT_EQ(unit->event_mode()->update_discrete_states().next_event, std::nullopt);
}

}  // namespace
}  // namespace consort::fmi
