#include "report/clock_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/tests/plant.hpp"

namespace consort::report {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void add_clock(graph::Plant& plant, std::string_view name, describe::Causality causality) {
  plant.add(name, causality, Type::Clock);
  plant.last().clock = static_cast<std::uint32_t>(plant.d.clock_properties.size());
  plant.d.clock_properties.emplace_back();
}

TEST(ClockWarnings, NameUnitAndClockThatNothingDrives) {
  graph::Shelf shelf;
  add_clock(shelf.add("sampler.fmu").output("y"), "sample", describe::Causality::input);
  shelf.add("plant.fmu").input("u");
  graph::System system;
  system.add("s", "sampler.fmu");
  system.add("p", "plant.fmu");
  system.connect("s.y", "p.u");
  const auto plan = shelf.compile(system);
  for (const bool event_mode : {false, true})
    EXPECT_THAT(clock_warnings(plan, {event_mode, event_mode}, event_mode),
                ElementsAre(AllOf(HasSubstr("unit 's'"), HasSubstr("'sample' never tick, because nothing drives"))));
}

TEST(ClockWarnings, SayWhenTicksAreNotPassedOn) {
  graph::Shelf shelf;
  add_clock(shelf.add("source.fmu"), "tick", describe::Causality::output);
  add_clock(shelf.add("sink.fmu"), "clock", describe::Causality::input);
  graph::System system;
  system.add("a", "source.fmu");
  system.add("b", "sink.fmu");
  system.connect("a.tick", "b.clock");
  const auto plan = shelf.compile(system);
  EXPECT_THAT(clock_warnings(plan, {true, true}, false), ElementsAre(HasSubstr("not passed from unit to unit")));
  EXPECT_THAT(clock_warnings(plan, {true, false}, true), ElementsAre(HasSubstr("without event mode")));
  EXPECT_THAT(clock_warnings(plan, {true, true}, true), IsEmpty());
}

}  // namespace
}  // namespace consort::report
