#include "couple/event_iteration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "couple/tests/event_rig.hpp"
#include "solve/tests/allocations.hpp"

namespace consort::couple {
namespace {

using graph::UnitId;
using ::testing::AllOf;
using ::testing::HasSubstr;
using unit::EventOutcome;
using unit::Why;
using State = EventfulUnit::State;

// s becomes d plus the unit's own increment of 1.
std::unique_ptr<EventfulUnit> make_relay(const std::string& name) {
  auto unit = std::make_unique<EventfulUnit>(name);
  unit->react = [](State& x) {
    x.s = x.d + 1;
    return EventOutcome{};
  };
  return unit;
}

struct RelayModel {
  std::int32_t d = 0;
  double u = 0;
  std::int32_t s = 0;
  double y = 0;

  static constexpr auto describe() {
    using M = RelayModel;
    using namespace consort::model;
    return declare({.description = "A relay", .stop_time = 1, .step = 0.1}, input<&M::d>("in"),
                   input<&M::u>("not used"), output<&M::s>("one more").exact(), output<&M::y>("as a number"));
  }
  void outputs() { y = d; }
  void event(consort::model::Event&) { s = d + 1; }
};

unit::StepOutcome run(EventRig& rig, std::vector<UnitId> causes = {}) {
  return rig.events->run(*rig.fleet, rig.state, causes);
}

TEST(EventIteration, DoesNothingWithoutACause) {
  EventRig rig;
  auto& a = rig.add(make_relay("a"));
  auto& b = rig.add(make_relay("b"));
  rig.system.connect("a.s", "b.d");
  rig.make();
  rig.connect();
  EXPECT_TRUE(run(rig).completed());
  EXPECT_EQ(a.events_entered + b.events_entered, 0);
  EXPECT_EQ(rig.state.n, 0U);
}

TEST(EventIteration, PassesADiscreteSignalOnByOneUnitPerRound) {
  EventRig rig;
  std::vector<EventfulUnit*> chain;
  for (int i = 0; i < 6; ++i) chain.push_back(&rig.add(make_relay("unit" + std::to_string(i))));
  for (int i = 0; i < 5; ++i)
    rig.system.connect("unit" + std::to_string(i) + ".s", "unit" + std::to_string(i + 1) + ".d");
  rig.make();
  rig.connect();
  rig.state.t = 1.5;
  EXPECT_TRUE(run(rig, {rig.id("unit0")}).completed());
  EXPECT_EQ(rig.state.n, 6U);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(chain[static_cast<std::size_t>(i)]->now.s, i + 1);
    EXPECT_EQ(chain[static_cast<std::size_t>(i)]->updates, 1) << "no unit is updated without a cause";
    EXPECT_FALSE(chain[static_cast<std::size_t>(i)]->in_event_mode);
    EXPECT_EQ(rig.s("unit" + std::to_string(i)), i + 1);
    EXPECT_EQ(rig.fleet->counts(static_cast<UnitId>(i)).events, 1U);
  }
  EXPECT_EQ(rig.state.events, 6U);
}

TEST(EventIteration, SettlesUnitsOfEveryKindTogether) {
  EventRig rig;
  auto& first = rig.add(make_relay("first"));
  rig.add(unit::make_model_unit<RelayModel>("RelayModel", {.name = "model"}));
  auto lambda = std::make_unique<unit::LambdaUnit>("lambda");
  lambda->input("u", 0.0);
  const auto d = lambda->input("d", std::int32_t{0});
  const auto s = lambda->output("s", std::int32_t{0});
  lambda->output("y", 0.0);
  lambda->on_step([=](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
    v[s] = v[d];
    return unit::completed(r);
  });
  rig.add(std::move(lambda));
  auto& last = rig.add(make_relay("last"));
  rig.system.connect("first.s", "model.d");
  rig.system.connect("model.s", "last.d");
  rig.system.connect("model.s", "lambda.d");
  rig.make();
  rig.connect();
  EXPECT_TRUE(rig.fleet->traits(rig.id("model")).event_verbs);
  EXPECT_FALSE(rig.fleet->traits(rig.id("model")).event_mode);
  EXPECT_FALSE(rig.fleet->traits(rig.id("lambda")).event_verbs);
  // The model settled alone during initialization: s = 1, which the other units received.
  first.now.d = 4;
  EXPECT_TRUE(run(rig, {rig.id("first")}).completed());
  EXPECT_EQ(rig.state.n, 3U);
  EXPECT_EQ(rig.s("first"), 5);
  EXPECT_EQ(rig.s("model"), 6);
  EXPECT_EQ(last.now.s, 7);
  EXPECT_EQ(rig.s("lambda"), 0) << "it has no event verbs, and takes its input in its next step";
  const unit::StepRequest step{0, 0.1};
  rig.fleet->submit(rig.fleet->wave_of(rig.id("lambda")), fleet::Verb::step, step, rig.state.signals);
  rig.fleet->submit(rig.fleet->wave_of(rig.id("model")), fleet::Verb::step, step, rig.state.signals);
  EXPECT_TRUE(rig.fleet->wait()) << "the model was given its input, and has no event left";
  EXPECT_EQ(rig.s("lambda"), 6);
}

TEST(EventIteration, UpdatesAUnitAsOftenAsItAsks) {
  EventRig rig;
  auto& a = rig.add(make_relay("a"));
  auto& b = rig.add(make_relay("b"));
  a.react = [&](State& x) { return EventOutcome{++x.s < 5, false, 3.5}; };
  rig.system.connect("a.s", "b.d");
  rig.make();
  rig.connect();
  EXPECT_TRUE(run(rig, {rig.id("a")}).completed());
  EXPECT_EQ(a.updates, 5);
  EXPECT_EQ(b.updates, 5) << "its input changed in every round";
  EXPECT_EQ(rig.state.n, 6U);
  EXPECT_EQ(b.now.s, 6);
  EXPECT_EQ(a.events_entered, 1);
  EXPECT_EQ(b.events_entered, 1);
  EXPECT_EQ(rig.state.signals.next_event[rig.id("a")], 3.5);
}

TEST(EventIteration, KnowsWhichAnnouncedEventsAreDue) {
  EventRig rig;
  auto& a = rig.add(make_relay("a"));
  auto& b = rig.add(make_relay("b"));
  rig.make();
  rig.connect();
  rig.state.signals.next_event = {1.0, 1.5};
  rig.state.t = 1;
  EXPECT_TRUE(run(rig).completed());
  EXPECT_EQ(a.updates, 1);
  EXPECT_EQ(b.updates, 0);
  EXPECT_EQ(rig.state.signals.next_event[0], unit::never);
}

TEST(EventIteration, GoesOnCountingAtTheSameTime) {
  EventRig rig;
  rig.add(make_relay("a"));
  rig.make();
  rig.connect();
  for (std::uint64_t i = 1; i <= 5; ++i) {
    run(rig, {0});
    EXPECT_EQ(rig.state.n, i);
  }
}

TEST(EventIteration, NamesUnitsAndVariablesThatDoNotSettle) {
  EventRig rig;
  auto& a = rig.add(make_relay("a"));
  auto& b = rig.add(make_relay("b"));
  auto& c = rig.add(make_relay("quiet"));
  rig.system.connect("a.s", "b.d");
  rig.system.connect("b.s", "a.d");
  rig.make();
  rig.connect();
  rig.state.t = 0.25;
  try {
    run(rig, {rig.id("a")});
    FAIL() << "it cannot settle";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::run);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("t = 0.25 s"), HasSubstr("1000 rounds"), HasSubstr("'a'"),
                                    HasSubstr("'a.d'"), testing::Not(HasSubstr("quiet"))));
    EXPECT_EQ(error.unit(), "a");
    EXPECT_EQ(error.time(), 0.25);
  }
  EXPECT_EQ(a.updates + b.updates, 1000);
  EXPECT_EQ(c.updates, 0);
}

TEST(EventIteration, EndsWhereAUnitAsksTo) {
  EventRig rig;
  auto& a = rig.add(make_relay("a"));
  auto& b = rig.add(make_relay("b"));
  b.react = [](State&) { return EventOutcome{true, true, {}}; };
  rig.system.connect("a.s", "b.d");
  rig.make();
  rig.connect();
  rig.state.t = 2;
  const auto outcome = run(rig, {rig.id("a")});
  EXPECT_EQ(outcome.why, Why::terminate);
  EXPECT_EQ(outcome.reached, 2);
  EXPECT_TRUE(rig.state.stop.asked);
  EXPECT_EQ(rig.state.stop.unit, rig.id("b"));
  EXPECT_FALSE(a.in_event_mode);
  EXPECT_TRUE(b.in_event_mode) << "a unit that asks to end the run stays in event mode";
  EXPECT_EQ(rig.state.n, 2U);
}

TEST(EventIteration, DropsThePastOfInputs) {
  EventRig rig("2");
  rig.add(make_relay("a"));
  auto& b = rig.add(make_relay("b"));
  rig.system.connect("a.y", "b.u");
  rig.make();
  const auto part = rig.point->declare_part(rig.plan.all_units(), [](UnitId, UnitId) { return false; });
  rig.connect();
  for (int i = 0; i < 3; ++i) {
    const Interval interval{rig.state.t, 0.1, rig.state.t + 0.1};
    rig.point->begin(rig.state, interval);
    rig.point->give(rig.state, part);
    rig.state.t = interval.end;
    rig.point->end(rig.state, interval, rig.state.events);
  }
  EXPECT_EQ(rig.point->history().points(rig.state.memory), 3);
  EXPECT_TRUE(run(rig).completed());
  EXPECT_EQ(rig.point->history().points(rig.state.memory), 3) << "nothing happened";
  run(rig, {rig.id("a")});
  EXPECT_EQ(rig.point->history().points(rig.state.memory), 0);
  EXPECT_EQ(b.updates, 0);
}

TEST(EventIteration, TakesAChangedDiscreteInputForACause) {
  EventRig rig;
  auto& a = rig.add(make_relay("a"));
  auto lambda = std::make_unique<unit::LambdaUnit>("source");
  lambda->output("s", std::int32_t{7});
  rig.add(std::move(lambda));
  rig.system.connect("source.s", "a.d");
  rig.make();
  rig.connect();
  EXPECT_TRUE(run(rig).completed());
  EXPECT_EQ(a.updates, 0) << "inputs were given when the run began";
  rig.state.signals.outputs
      .column<std::int32_t>()[rig.plan.units[rig.id("source")].first_output[static_cast<std::size_t>(Type::Int32)]] = 9;
  EXPECT_TRUE(run(rig).completed());
  EXPECT_EQ(a.updates, 1) << "a changed discrete input is a cause";
  EXPECT_EQ(a.now.s, 10);
}

TEST(EventIteration, AllocatesNothing) {
  EventRig rig;
  std::vector<EventfulUnit*> chain;
  for (int i = 0; i < 4; ++i) chain.push_back(&rig.add(make_relay("unit" + std::to_string(i))));
  rig.add(unit::make_model_unit<RelayModel>("RelayModel", {.name = "model"}));
  for (int i = 0; i < 3; ++i)
    rig.system.connect("unit" + std::to_string(i) + ".s", "unit" + std::to_string(i + 1) + ".d");
  rig.system.connect("unit3.s", "model.d");
  rig.make();
  rig.connect();
  const UnitId first = rig.id("unit0");
  const auto round = [&](int i) {
    rig.state.t = i;
    rig.state.n = 0;
    chain[0]->now.d = i;
    return rig.events->run(*rig.fleet, rig.state, std::span(&first, 1)).completed();
  };
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(round(i));
  const auto before = allocations();
  for (int i = 5; i < 100; ++i) round(i);
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(rig.state.n, 5U);
  EXPECT_EQ(rig.s("model"), 104);
}

}  // namespace
}  // namespace consort::couple
