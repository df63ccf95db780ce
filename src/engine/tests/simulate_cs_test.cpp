#include "engine/simulate_cs.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engine/tests/spy_unit.hpp"
#include "record/result.hpp"

namespace consort::engine {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using unit::completed;
using unit::StepRequest;
using unit::Why;
using Values = unit::LambdaUnit::Values;

// Counts calls of a sink, and can be set to fail.
class SpySink : public record::Sink {
 public:
  void begin(const record::Header& h) override {
    if (fails_at_begin) throw input_error("no place for this sink");
    header = h;
    ++begun;
  }
  void write(Time t, const Columns&) override {
    if (times.size() == fails_after) throw run_error("the disk is full");
    times.push_back(t);
  }
  void flush() override {}
  void end() override {
    ++ended;
    if (fails_at_end) throw run_error("the disk is full at the end");
  }
  record::Header header;
  std::vector<Time> times;
  std::size_t fails_after = std::numeric_limits<std::size_t>::max();
  bool fails_at_begin = false, fails_at_end = false;
  int begun = 0, ended = 0;
};

// A spy with an output that counts steps, and a sink.
struct Bench {
  Bench() : count(unit.lambdas.output("count", std::int32_t{0})) {
    on_step([](const StepRequest& r) { return completed(r); });
  }
  void on_step(std::function<unit::StepOutcome(const StepRequest&)> step) {
    unit.lambdas.on_step([this, step = std::move(step)](Values& v, const StepRequest& r) {
      ++v[count];
      return step(r);
    });
  }
  report::FmuReport run(const SimulateOptions& options, const input::InputTable* table = nullptr) {
    record::Sink* const sinks[] = {&sink};
    return simulate_cs(unit, options, table, sinks);
  }
  SpyUnit unit;
  unit::LambdaUnit::Handle<std::int32_t> count;
  SpySink sink;
};

std::string failure(Fault fault, const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

// --- defaults

TEST(Simulate, AssumesOneSecondInAThousandStepsAndSaysSo) {
  Bench b;
  const auto report = b.run({});
  EXPECT_EQ(report.stop, 1);
  EXPECT_EQ(report.reached, 1);
  EXPECT_EQ(report.steps, 1000U);
  EXPECT_EQ(report.rows, 1001U);
  EXPECT_EQ(b.unit.experiment.start, 0);
  EXPECT_EQ(b.unit.experiment.stop, 1.0);
  EXPECT_EQ(b.unit.experiment.tolerance, 1e-4);
  EXPECT_THAT(report.assumed,
              ElementsAre(HasSubstr("stop time 1 s"), HasSubstr("tolerance 0.0001"), HasSubstr("step size 0.001 s")));
  EXPECT_THAT(report.text(), HasSubstr("assumed: stop time 1 s"));
  EXPECT_THAT(report.warnings, IsEmpty());
}

TEST(Simulate, AssumesNothingWhenEverythingIsGiven) {
  Bench b;
  const auto report = b.run({.start = 1, .stop = 2, .step = 0.5, .tolerance = 1e-6});
  EXPECT_THAT(report.assumed, IsEmpty());
  EXPECT_THAT(b.sink.times, ElementsAre(1, 1.5, 2));
  EXPECT_EQ(b.unit.experiment.tolerance, 1e-6);
}

TEST(Simulate, StopsOneSecondAfterALateStart) {
  Bench b;
  EXPECT_EQ(b.run({.start = 7, .step = 0.5}).stop, 8);
}

TEST(Simulate, RecordsAtTheStartAlone_WhenStartIsStop) {
  Bench b;
  const auto report = b.run({.start = 3, .stop = 3});
  EXPECT_THAT(b.sink.times, ElementsAre(3));
  EXPECT_EQ(report.steps, 0U);
  EXPECT_THAT(b.unit.calls, ElementsAre("init", "terminate"));
}

TEST(Simulate, RefusesTimesAndStepsThatMakeNoRun) {
  const double nan = std::nan("");
  for (const SimulateOptions& o :
       {SimulateOptions{.start = 2, .stop = 1}, SimulateOptions{.step = 0}, SimulateOptions{.step = -0.1},
        SimulateOptions{.step = nan}, SimulateOptions{.stop = nan}, SimulateOptions{.output_interval = 0},
        SimulateOptions{.stop = std::numeric_limits<double>::infinity()}, SimulateOptions{.step = 1e-300}}) {
    Bench b;
    failure(Fault::input, [&] { b.run(o); });
    EXPECT_EQ(b.sink.begun, 0);
  }
}

// --- outputs

TEST(Simulate, RecordsTheChosenVariablesInTheirOrder) {
  Bench b;
  static_cast<void>(b.unit.lambdas.output("y", 1.5));
  static_cast<void>(b.unit.lambdas.local("x", std::string("text")));
  b.run({.stop = 1, .step = 0.5, .outputs = {"x", "count"}});
  ASSERT_THAT(b.sink.header.signals, SizeIs(2));
  EXPECT_EQ(b.sink.header.signals[0].name, "x");
  EXPECT_EQ(b.sink.header.signals[1].name, "count");
  EXPECT_TRUE(b.sink.header.signals[1].discrete);
}

TEST(Simulate, RecordsAllOutputsUnlessTold) {
  Bench b;
  static_cast<void>(b.unit.lambdas.local("hidden", 1.0));
  static_cast<void>(b.unit.lambdas.output("y", 1.5));
  b.run({.stop = 1, .step = 0.5});
  ASSERT_THAT(b.sink.header.signals, SizeIs(2));
  EXPECT_EQ(b.sink.header.signals[1].name, "y");
  EXPECT_FALSE(b.sink.header.signals[1].discrete);
}

TEST(Simulate, SuggestsANameForAnOutputThatDoesNotExist) {
  Bench b;
  EXPECT_THAT(failure(Fault::input, [&] { b.run({.outputs = {"cuont"}}); }), HasSubstr("did you mean 'count'"));
  EXPECT_THAT(b.unit.calls, IsEmpty()) << "nothing was run";
}

TEST(Simulate, CutsStepsAtOutputPoints) {
  Bench b;
  b.run({.stop = 1, .step = 0.4, .output_interval = 0.5});
  EXPECT_THAT(b.sink.times, ElementsAre(0, 0.5, 1));
  EXPECT_THAT(b.unit.steps, SizeIs(4));
}

TEST(Simulate, RecordsTheNextPointOfAUnitWithEqualSteps) {
  Bench b;
  b.unit.lambdas.allow_variable_step(false);
  const auto report = b.run({.stop = 1.2, .step = 0.4, .output_interval = 0.5});
  EXPECT_THAT(b.sink.times, ElementsAre(0, 0.8, DoubleNear(1.2, 1e-12)));
  EXPECT_THAT(report.warnings, Contains(HasSubstr("equal steps")));
}

TEST(Simulate, EndsAUnitWithEqualStepsAtItsLastFullStep) {
  Bench b;
  b.unit.lambdas.allow_variable_step(false);
  const auto report = b.run({.stop = 1, .step = 0.3});
  EXPECT_THAT(report.warnings, Contains(HasSubstr("does not divide")));
  EXPECT_NEAR(report.reached, 0.9, 1e-12);
  for (const auto& s : b.unit.steps) EXPECT_EQ(s.h, 0.3);
}

// --- optional behaviour of units

TEST(Simulate, GoesOnFromAnEarlyReturn) {
  Bench b;
  b.on_step([](const StepRequest& r) {
    if (r.t == 0.5) return unit::StepOutcome{0.6, Why::early};
    return completed(r);
  });
  const auto report = b.run({.stop = 1, .step = 0.25});
  EXPECT_EQ(report.early_returns, 1U);
  EXPECT_THAT(b.sink.times, ElementsAre(0, 0.25, 0.5, 0.75, 1)) << "back on the grid, nothing between recorded";
  ASSERT_THAT(b.unit.steps, SizeIs(5));
  EXPECT_EQ(b.unit.steps[3].t, 0.6);
  EXPECT_DOUBLE_EQ(b.unit.steps[3].h, 0.15);
}

TEST(Simulate, TriesShorterStepsWhenOneIsDiscarded) {
  Bench b;
  b.on_step([](const StepRequest& r) {
    if (r.h > 0.1) return unit::StepOutcome{r.t, Why::discarded};
    return completed(r);
  });
  const auto report = b.run({.stop = 1, .step = 0.25});
  EXPECT_GT(report.discarded, 0U);
  EXPECT_EQ(report.reached, 1);
  EXPECT_THAT(b.sink.times, ElementsAre(0, 0.25, 0.5, 0.75, 1));
  EXPECT_THAT(report.text(), HasSubstr("discarded steps"));
}

TEST(Simulate, GoesOnFromWhereADiscardedStepCame_WhenTheUnitCannotBeSetBack) {
  Bench b;
  b.unit.can_roll_back = false;
  b.on_step([](const StepRequest& r) {
    if (r.t == 0) return unit::StepOutcome{0.125, Why::discarded};
    return completed(r);
  });
  b.run({.stop = 0.5, .step = 0.25});
  ASSERT_THAT(b.unit.steps, SizeIs(3));
  EXPECT_EQ(b.unit.steps[1].t, 0.125);
}

TEST(Simulate, GivesUpOnAUnitThatDiscardsEveryStep) {
  Bench b;
  b.on_step([](const StepRequest& r) { return unit::StepOutcome{r.t, Why::discarded}; });
  EXPECT_THAT(failure(Fault::run, [&] { b.run({.stop = 1, .step = 0.25}); }),
              AllOf(HasSubstr("'spy'"), HasSubstr("t = 0 s"), HasSubstr("smaller step")));
  EXPECT_LT(b.unit.steps.size(), 20U);
  EXPECT_EQ(b.sink.ended, 1);
}

TEST(Simulate, DoesNotRetryADiscardedStepOfAUnitWithEqualSteps) {
  Bench b;
  b.unit.lambdas.allow_variable_step(false);
  b.on_step([](const StepRequest& r) { return unit::StepOutcome{r.t, Why::discarded}; });
  failure(Fault::run, [&] { b.run({.stop = 1, .step = 0.25}); });
  EXPECT_THAT(b.unit.steps, SizeIs(1));
}

TEST(Simulate, EndsWhereAUnitAsksForIt) {
  Bench b;
  b.on_step([](const StepRequest& r) {
    return unit::StepOutcome{r.t + r.h, r.t >= 0.5 ? Why::terminate : Why::completed};
  });
  const auto report = b.run({.stop = 10, .step = 0.25});
  EXPECT_EQ(report.reached, 0.75);
  EXPECT_THAT(report.ended_early, HasSubstr("asked to end the simulation at t = 0.75 s"));
  EXPECT_EQ(b.sink.times.back(), 0.75);
  EXPECT_EQ(b.unit.calls.back(), "terminate");
}

TEST(Simulate, WarnsOfTheFirstNanAndNamesIt) {
  Bench b;
  static_cast<void>(b.unit.lambdas.output("fine", 1.0));
  const auto y = b.unit.lambdas.output("y", 0.0);
  b.unit.lambdas.on_step([=](Values& v, const StepRequest& r) {
    if (r.t >= 0.25) v[y] = std::nan("");
    return completed(r);
  });
  const auto report = b.run({.stop = 1, .step = 0.25});
  EXPECT_THAT(report.warnings, ElementsAre(AllOf(HasSubstr("'y'"), HasSubstr("NaN"), HasSubstr("t = 0.5 s"))));
  EXPECT_EQ(report.reached, 1);
}

TEST(Simulate, StopsOnRequestAndKeepsTheRows) {
  Bench b;
  std::atomic<bool> stop{false};
  b.on_step([&](const StepRequest& r) {
    if (r.t >= 0.5) stop = true;
    return completed(r);
  });
  const auto report = b.run({.stop = 1000, .step = 0.25, .stop_requested = &stop});
  EXPECT_THAT(report.ended_early, HasSubstr("stopped on request at t = 0.75 s"));
  EXPECT_THAT(b.sink.times, ElementsAre(0, 0.25, 0.5, 0.75));
  EXPECT_EQ(b.sink.ended, 1);
  EXPECT_EQ(b.unit.calls.back(), "terminate");
}

TEST(Simulate, ShowsProgress) {
  Bench b;
  std::vector<double> seen;
  b.on_step([](const StepRequest& r) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return completed(r);
  });
  b.run({.stop = 1, .step = 0.01, .progress = [&](const Progress& p) { seen.push_back(p.t); }});
  ASSERT_THAT(seen, Not(IsEmpty()));
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

// --- failures

TEST(Simulate, KeepsTheRowsAndEndsTheSinksOfAUnitThatFails) {
  Bench b;
  b.on_step([](const StepRequest& r) -> unit::StepOutcome {
    if (r.t >= 0.5) throw run_error("unit 'spy' broke");
    return completed(r);
  });
  EXPECT_EQ(failure(Fault::run, [&] { b.run({.stop = 1, .step = 0.25}); }), "unit 'spy' broke");
  EXPECT_THAT(b.sink.times, ElementsAre(0, 0.25, 0.5));
  EXPECT_EQ(b.sink.ended, 1);
}

TEST(Simulate, TellsTheFailureOfTheUnitAndNotThatOfTheSinkAfterIt) {
  Bench b;
  b.sink.fails_at_end = true;
  b.on_step([](const StepRequest&) -> unit::StepOutcome { throw run_error("unit 'spy' broke"); });
  EXPECT_EQ(failure(Fault::run, [&] { b.run({}); }), "unit 'spy' broke");
  EXPECT_EQ(b.sink.ended, 1);
}

TEST(Simulate, TellsThatASinkFailsAtTheEnd) {
  Bench b;
  b.sink.fails_at_end = true;
  EXPECT_THAT(failure(Fault::run, [&] { b.run({}); }), HasSubstr("full at the end"));
}

TEST(Simulate, EndsEverySinkWhenOneOfThemFails) {
  for (const bool early : {true, false}) {
    SpyUnit unit;
    static_cast<void>(unit.lambdas.output("y", 1.0));
    SpySink first, second, third;
    second.fails_after = early ? 3 : second.fails_after;
    second.fails_at_end = !early;
    record::Sink* const sinks[] = {&first, &second, &third};
    failure(Fault::run, [&] { simulate_cs(unit, {.stop = 1, .step = 0.1}, nullptr, sinks); });
    EXPECT_EQ(first.ended, 1);
    EXPECT_EQ(third.ended, 1);
  }
}

TEST(Simulate, EndsTheSinksThatWereBegunWhenAnotherCannotBe) {
  SpyUnit unit;
  static_cast<void>(unit.lambdas.output("y", 1.0));
  SpySink first, second;
  second.fails_at_begin = true;
  record::Sink* const sinks[] = {&first, &second};
  failure(Fault::input, [&] { simulate_cs(unit, {}, nullptr, sinks); });
  EXPECT_EQ(first.ended, 1);
  EXPECT_EQ(second.ended, 0);
}

// Can save states in memory only.
class NoBytes final : public unit::Rollback {
 public:
  explicit NoBytes(unit::Rollback& states) : states_(states) {}
  std::unique_ptr<unit::Snapshot> save(std::unique_ptr<unit::Snapshot> reuse) override {
    return states_.save(std::move(reuse));
  }
  void restore(const unit::Snapshot& snapshot) override { states_.restore(snapshot); }
  [[nodiscard]] bool can_serialize() const override { return false; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const unit::Snapshot&) override { throw run_error("no bytes"); }
  [[nodiscard]] std::unique_ptr<unit::Snapshot> deserialize(std::span<const std::uint8_t>) override {
    throw run_error("no bytes");
  }

 private:
  unit::Rollback& states_;
};

TEST(Simulate, RefusesStateFilesBeforeItRunsAUnitThatHasNone) {
  for (const bool can : {true, false}) {
    Bench b;
    NoBytes in_memory(*b.unit.lambdas.rollback());
    if (can) b.unit.other_rollback = &in_memory;
    b.unit.can_roll_back = can;
    EXPECT_THAT(failure(Fault::input, [&] { b.run({.keep_final_state = true}); }), HasSubstr("'spy'"));
    EXPECT_THAT(failure(Fault::input, [&] { b.run({.initial_state = {1, 2, 3}}); }), HasSubstr("'spy'"));
    EXPECT_THAT(b.unit.calls, IsEmpty());
  }
}

// --- inputs and events

struct Driven : Bench {
  explicit Driven(const char* text) {
    static_cast<void>(unit.lambdas.input("u", 0.0));
    static_cast<void>(unit.lambdas.input("mode", std::int32_t{0}));
    table = input::InputTable::parse(text, "in.csv", unit.description());
  }
  input::InputTable table;
};

TEST(Simulate, CutsAStepAtAnInputEvent) {
  Driven b("time,mode\n0,1\n0.3,2\n");
  b.run({.stop = 1, .step = 0.5}, &b.table);
  ASSERT_THAT(b.unit.steps, SizeIs(3));
  EXPECT_EQ(b.unit.steps[1].t, 0.3);
  EXPECT_THAT(b.unit.calls, ElementsAre("set mode=1", "init", "set mode=1", "set mode=1", "step", "set mode=2", "step",
                                        "set mode=2", "step", "terminate"));
}

TEST(Simulate, MeetsAnInputEventThatIsOnTheGridButForRounding) {
  for (const double event : {std::nextafter(0.5, 0), 0.5, std::nextafter(0.5, 1), 0.3}) {
    for (const bool variable : {true, false}) {
      std::string text = "time,mode\n0,1\n";
      append_element(text, event);
      text += ",2\n";
      Driven b(text.c_str());
      b.unit.lambdas.allow_variable_step(variable);
      b.run({.stop = 1, .step = 0.1}, &b.table);
      ASSERT_THAT(b.unit.steps, SizeIs(10)) << "a sliver at " << event;
      // 2 in the step that starts at the event: 5 steps from 0.5 s, 7 from 0.3 s.
      EXPECT_EQ(std::count(b.unit.calls.begin(), b.unit.calls.end(), "set mode=2"), event < 0.4 ? 7 : 5) << event;
    }
  }
}

TEST(Simulate, HandlesInputEventsInEventMode) {
  Driven b("time,u,mode\n0,0,1\n0.5,1,1\n0.5,7,2\n1,7,2\n");
  b.unit.has_events = true;
  const auto report = b.run({.stop = 1, .step = 0.5}, &b.table);
  EXPECT_THAT(b.unit.calls, ElementsAre("set u=0", "set mode=1", "init",                                  //
                                        "set u=0", "set mode=1", "update", "leave event",                 //
                                        "set u=0.5", "step",                                              //
                                        "enter event", "set u=7", "set mode=2", "update", "leave event",  //
                                        "set u=7", "step", "terminate"));
  EXPECT_THAT(b.sink.times, ElementsAre(0, 0.5, 0.5, 1)) << "before and after the event";
  EXPECT_EQ(report.events, 1U);
}

TEST(Simulate, IteratesEventsUntilTheySettle) {
  Bench b;
  b.unit.has_events = true;
  b.unit.event_answers = {{.repeat = true}, {.repeat = true}, {.repeat = false}};
  b.run({.stop = 1, .step = 1});
  EXPECT_THAT(b.unit.calls, ElementsAre("init", "update", "update", "update", "leave event", "step", "terminate"));
}

TEST(Simulate, GivesUpOnEventsThatDoNotSettle) {
  Bench b;
  b.unit.has_events = true;
  b.unit.event_answers = {{.repeat = true}};
  EXPECT_THAT(failure(Fault::run, [&] { b.run({}); }), HasSubstr("do not settle"));
}

TEST(Simulate, EndsWhenAnEventAsksForIt) {
  Bench b;
  b.unit.has_events = true;
  b.unit.event_answers = {{}, {.terminate = true}};
  b.on_step([](const StepRequest& r) {
    return unit::StepOutcome{r.t + r.h, r.t >= 0.25 ? Why::event : Why::completed};
  });
  const auto report = b.run({.stop = 5, .step = 0.25});
  EXPECT_EQ(report.reached, 0.5);
  EXPECT_THAT(report.ended_early, HasSubstr("asked to end"));
}

TEST(Simulate, EndsAtOnceWhenTheInitialEventAsksForIt) {
  Bench b;
  b.unit.has_events = true;
  b.unit.event_answers = {{.terminate = true}};
  const auto report = b.run({.stop = 5, .step = 0.25});
  EXPECT_EQ(report.steps, 0U);
  EXPECT_THAT(b.sink.times, ElementsAre(0));
}

TEST(Simulate, SaysThatInputsAreHeldAtTheirMean) {
  Driven b("time,u\n0,0\n1,1\n");
  EXPECT_THAT(b.run({.stop = 1, .step = 0.5}, &b.table).assumed, Contains(HasSubstr("mean")));
  Driven s("time,u\n0,0\n1,1\n");
  s.unit.takes_slopes = true;
  EXPECT_THAT(s.run({.stop = 1, .step = 0.5}, &s.table).assumed, Each(Not(HasSubstr("mean"))));
}

TEST(Simulate, SetsStartValuesBeforeAndInInitialization) {
  Bench b;
  static_cast<void>(b.unit.lambdas.input("u", 0.0));
  static_cast<void>(b.unit.lambdas.parameter("p", 1.0));
  b.run({.stop = 1, .step = 1, .start_values = {{"u", "3"}, {"p", "2"}}});
  EXPECT_THAT(b.unit.calls, ElementsAre("set u=3", "set p=2", "init", "set u=3", "set p=2", "step", "terminate"));
}

TEST(Simulate, PrefersTheInputFileToAStartValue) {
  Driven b("time,u\n0,7\n1,7\n");
  b.run({.stop = 1, .step = 1, .start_values = {{"u", "3"}}}, &b.table);
  EXPECT_THAT(b.unit.calls,
              ElementsAre("set u=3", "set u=7", "init", "set u=3", "set u=7", "set u=7", "step", "terminate"));
}

}  // namespace
}  // namespace consort::engine
