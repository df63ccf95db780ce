#include "step/saved_run.hpp"

#include <string>

#include <gtest/gtest.h>

#include "graph/tests/plant.hpp"
#include "host/hosts.hpp"

namespace consort::step {
namespace {

using couple::RunState;

// Two units with signals of several types, and a run state with data in every part.
struct SavedRuns : ::testing::Test {
  SavedRuns() : host(host::find_host("serial").make({})), fleet(std::span<const fleet::UnitSpec>(), *host) {
    auto& unit = shelf.add("unit.fmu");
    unit.input("u").input("n", Type::Int32).input("s", Type::String);
    unit.output("y").output("m", Type::Int32).output("t", Type::String);
    for (const char* const name : {"a", "b"}) system.add(name, "unit.fmu");
    system.connect("a.y", "b.u");
    system.connect("a.m", "b.n");
    system.connect("a.t", "b.s");
    plan = shelf.compile(system);
    state = couple::make_run_state(plan);
    back = state.memory.back.reserve<double>("goes back", 2);
    stays = state.memory.stays.reserve<double>("stays", 2);
    state.bonds.resize(1);
    state.tallies.resize(1);
    state.loops.resize(1);
    change(state, 1);
  }

  void change(RunState& s, int by) const {
    s.t = by;
    s.n = s.steps = s.events = static_cast<std::uint64_t>(by);
    s.signals.inputs.column<double>().assign(1, by);
    s.signals.outputs.column<double>().assign(2, by);
    s.signals.inputs.column<std::int32_t>().assign(1, by);
    s.signals.outputs.column<std::int32_t>().assign(2, by);
    s.signals.inputs.column<std::string>().assign(1, std::to_string(by));
    s.signals.outputs.column<std::string>().assign(2, std::to_string(by));
    s.signals.set_order(by);
    s.memory.back[back][1] = by;
    s.memory.stays[stays][1] = by;
    s.stop = {by > 1, static_cast<graph::UnitId>(by), static_cast<Time>(by)};
    s.bonds[0].made = by;
    s.control.accepted = s.tallies[0].steps = s.loops[0].solved = s.rows.points = static_cast<std::uint64_t>(by);
  }

  graph::Shelf shelf;
  graph::System system{"pair"};
  graph::Plan plan;
  std::unique_ptr<fleet::Host> host;
  fleet::Fleet fleet;
  couple::Slot<double> back, stays;
  RunState state;
};

TEST_F(SavedRuns, BringBackWhatGoesBackWithAStep) {
  SavedRun saved(plan, fleet);
  saved.keep(state);
  for (const int by : {2, 3}) {  // restored repeatedly
    change(state, by);
    saved.bring_back(state);
    EXPECT_EQ(state.t, 1);
    EXPECT_EQ(state.n, 1U);
    EXPECT_EQ(state.steps, 1U);
    EXPECT_EQ(state.events, 1U);
    EXPECT_FALSE(state.stop.asked);
    EXPECT_EQ(state.signals.inputs.column<double>().front(), 1);
    EXPECT_EQ(state.signals.outputs.column<double>().back(), 1);
    EXPECT_EQ(state.signals.inputs.column<std::int32_t>().front(), 1);
    EXPECT_EQ(state.signals.outputs.column<std::int32_t>().back(), 1);
    EXPECT_EQ(state.signals.inputs.column<std::string>().front(), "1");
    EXPECT_EQ(state.signals.outputs.column<std::string>().back(), "1");
    EXPECT_EQ(state.signals.highest, 1);
    EXPECT_EQ(state.memory.back[back][1], 1);
    EXPECT_EQ(state.bonds[0].made, 1);
  }
}

TEST_F(SavedRuns, LeaveAloneWhatIsRememberedOfTrials) {
  SavedRun saved(plan, fleet);
  saved.keep(state);
  change(state, 2);
  saved.bring_back(state);
  EXPECT_EQ(state.memory.stays[stays][1], 2);
  EXPECT_EQ(state.control.accepted, 2U);
  EXPECT_EQ(state.tallies[0].steps, 2U);
  EXPECT_EQ(state.loops[0].solved, 2U);
  EXPECT_EQ(state.rows.points, 2U);
}

TEST_F(SavedRuns, KeepTheNewestAlone) {
  SavedRun saved(plan, fleet);
  saved.keep(state);
  change(state, 2);
  saved.keep(state);
  const SavedRun copy = saved;
  change(state, 3);
  copy.bring_back(state);
  EXPECT_EQ(state.t, 2);
  EXPECT_EQ(state.signals.outputs.column<std::string>().front(), "2");
  EXPECT_TRUE(state.stop.asked);
}

}  // namespace
}  // namespace consort::step
