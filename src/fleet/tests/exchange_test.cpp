#include "fleet/exchange.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "fleet/tests/scripted_unit.hpp"

namespace consort::fleet {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr auto integer = static_cast<std::size_t>(Type::Int32);

// An exchange that adds up replies like a fleet.
class Taken : public Exchange {
 public:
  using Exchange::Exchange;
  StepOutcome step(const StepRequest& request, Signals& signals) {
    reply = {};
    if (Exchange::step(request, signals, reply)) return {request.t + request.h, Why::completed};
    counts_.add(reply.counts);
    return reply.outcome;
  }
  [[nodiscard]] const StepCounts& counts() const { return counts_; }
  Reply reply;  // reply to the last step

 private:
  StepCounts counts_;
};

// The blocks of the unit are in the middle of the signals; the values around them must not change.
class Bench {
 public:
  explicit Bench(std::uint32_t substeps = 1, bool negated = false) : unit(negated) {
    const std::vector<describe::VariableId> in = {0, 1, 2};
    const std::vector<describe::VariableId> out = {3, 4};
    inputs_ = describe::SignalSet(unit.description(), in);
    outputs_ = describe::SignalSet(unit.description(), out);
    blocks_.inputs = &inputs_;
    blocks_.outputs = &outputs_;
    blocks_.first_input[float64] = 2;
    blocks_.first_output[float64] = 1;
    blocks_.first_output[integer] = 3;
    blocks_.substeps = substeps;
    signals.inputs.column<double>().assign(8, foreign);
    signals.outputs.column<double>().assign(3, foreign);
    signals.outputs.column<std::int32_t>().assign(5, -1);
    signals.next_event = {fleet::never, fleet::never};
    signals.order = {0, 0};
    inputs(0, 0);
  }
  ~Bench() {
    const auto& in = signals.inputs.column<double>();
    EXPECT_THAT((std::vector{in[0], in[1], in[6], in[7]}), testing::Each(foreign));
    EXPECT_THAT((std::vector{signals.outputs.column<double>()[0], signals.outputs.column<double>()[2]}),
                testing::Each(foreign));
    EXPECT_THAT(signals.outputs.column<std::int32_t>(), ElementsAre(-1, -1, -1, testing::_, -1));
  }

  void inputs(double u, double d, double a1 = 0, double a2 = 0) {
    auto at = signals.inputs.column<double>().begin() + 2;
    for (const double value : {u, d, a1, a2}) *at++ = value;
  }
  // Sets derivatives 1, 2, … of u and of a[2]. The discrete input also has derivatives, which must not be used.
  void derivatives(const std::vector<double>& of_u, const std::vector<double>& of_a2 = {}) {
    signals.set_order(static_cast<int>(of_u.size()));
    signals.derivatives.assign(of_u.size() * 8, 0.0);
    for (std::size_t m = 0; m < of_u.size(); ++m) {
      signals.derivatives[m * 8 + 2] = of_u[m];
      signals.derivatives[m * 8 + 3] = 1000;
      if (m < of_a2.size()) signals.derivatives[m * 8 + 5] = of_a2[m];
    }
  }
  [[nodiscard]] Taken exchange() { return {unit, 1, blocks_}; }
  [[nodiscard]] double y() const { return signals.outputs.column<double>()[1]; }
  [[nodiscard]] int n() const { return signals.outputs.column<std::int32_t>()[3]; }

  static constexpr double foreign = -77;
  ScriptedUnit unit;
  Signals signals;

 private:
  describe::SignalSet inputs_;
  describe::SignalSet outputs_;
  Blocks blocks_;
};

double polynomial(double u, const std::vector<double>& derivatives, double t) {
  double term = 1;
  for (std::size_t m = 0; m < derivatives.size(); ++m) u += derivatives[m] * (term *= t / static_cast<double>(m + 1));
  return u;
}

double integral(double u, const std::vector<double>& derivatives, double t) {
  double sum = u * t;
  double term = t;
  for (std::size_t m = 0; m < derivatives.size(); ++m) sum += derivatives[m] * (term *= t / static_cast<double>(m + 2));
  return sum;
}

std::vector<double> begins(const ScriptedUnit& unit) {
  std::vector<double> times;
  for (const auto& step : unit.steps) times.push_back(step.t);
  return times;
}

constexpr double rounding = 1e-14;  // of sums of a few numbers near 1

// --- whole steps

TEST(Exchange, SetsInputsThenStepsThenReadsOutputs) {
  Bench b;
  b.inputs(3, 4, 5, 6);
  auto exchange = b.exchange();
  const auto outcome = exchange.step({1.0, 0.5, false}, b.signals);
  EXPECT_EQ(outcome.why, Why::completed);
  EXPECT_EQ(outcome.reached, 1.5);
  ASSERT_THAT(b.unit.steps, SizeIs(1));
  EXPECT_THAT(b.unit.steps[0].inputs, ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(b.y(), 1.5);
  EXPECT_EQ(b.n(), 1);
}

TEST(Exchange, EvaluatesWithNewInputsAndReadsWithoutThem) {
  Bench b;
  b.inputs(3, 4);
  auto exchange = b.exchange();
  exchange.step({0, 1, false}, b.signals);
  b.signals.outputs.column<double>()[1] = 0;
  b.inputs(8, 4);
  exchange.read(b.signals);
  EXPECT_EQ(b.y(), 3);
  exchange.step({1, 1, false}, b.signals);
  EXPECT_EQ(b.y(), 11);
  b.inputs(9, 4);
  b.signals.outputs.column<double>()[1] = 0;
  exchange.evaluate(b.signals);
  EXPECT_EQ(b.y(), 11);
  b.unit.step({2, 1, false});  // called directly: uses the inputs set by evaluate()
  EXPECT_EQ(b.unit.steps.back().inputs[0], 9);
}

TEST(Exchange, StepsInEqualPartsThatEndWhereTheStepEnds) {
  Bench b(3);
  auto exchange = b.exchange();
  const auto outcome = exchange.step({0.1, 0.3, true}, b.signals);
  EXPECT_EQ(outcome.reached, 0.1 + 0.3);
  ASSERT_THAT(b.unit.steps, SizeIs(3));
  for (const auto& step : b.unit.steps) EXPECT_NEAR(step.h, 0.1, rounding);
  EXPECT_EQ(b.unit.steps[0].t, 0.1);
  EXPECT_EQ(b.unit.steps[2].t + b.unit.steps[2].h, 0.1 + 0.3);
  EXPECT_EQ(b.unit.steps[1].t, b.unit.steps[0].t + b.unit.steps[0].h);
}

// --- polynomials

TEST(Exchange, GivesEveryUnitAnInputWithTheRightIntegral) {
  const std::vector<double> all = {0.7, -1.9, 3.1};
  for (int order = 0; order <= 3; ++order) {
    for (int takes = 0; takes <= 3; ++takes) {
      for (const std::uint32_t substeps : {1U, 2U, 5U}) {
        SCOPED_TRACE(testing::Message() << order << " " << takes << " " << substeps);
        Bench b(substeps);
        b.unit.order = takes;
        const std::vector<double> derivatives(all.begin(), all.begin() + order);
        b.inputs(0.4, 2);
        b.derivatives(derivatives);
        auto exchange = b.exchange();
        ASSERT_TRUE(exchange.step({10, 0.8, false}, b.signals).completed());
        EXPECT_NEAR(b.y(), integral(0.4, derivatives, 0.8), rounding);
        ASSERT_THAT(b.unit.steps, SizeIs(substeps));
        for (const auto& step : b.unit.steps) {
          const double end = step.t + step.h - 10;
          const double mean = (integral(0.4, derivatives, end) - integral(0.4, derivatives, step.t - 10)) / step.h;
          const double exact = takes >= order ? polynomial(0.4, derivatives, step.t - 10) : mean;
          if (takes == 0 || takes >= order) {
            EXPECT_NEAR(step.inputs[0], exact, 1e-13);
          }
          EXPECT_EQ(step.inputs[1], 2);  // discrete
          for (int m = std::min(takes, order) + 1; m <= 3; ++m) EXPECT_EQ(step.u.at(static_cast<std::size_t>(m)), 0);
        }
        EXPECT_EQ(b.signals.inputs.column<double>()[2], 0.4);
      }
    }
  }
}

TEST(Exchange, TurnsDerivativesOfNegatedAliasesAround) {
  Bench b(1, true);
  b.unit.order = 2;
  b.derivatives({0.7, -1.9});
  auto exchange = b.exchange();
  ASSERT_TRUE(exchange.step({10, 0.8, false}, b.signals).completed());
  ASSERT_THAT(b.unit.steps, SizeIs(1));
  EXPECT_EQ(b.unit.steps[0].u[1], -0.7);
  EXPECT_EQ(b.unit.steps[0].u[2], 1.9);
}

TEST(Exchange, ShiftsDerivativesToTheBeginningOfEverySubStep) {
  Bench b(2);
  b.unit.order = 3;
  b.inputs(1, 0);
  b.derivatives({2, 3, 4});
  auto exchange = b.exchange();
  exchange.step({0, 1, false}, b.signals);
  ASSERT_THAT(b.unit.steps, SizeIs(2));
  EXPECT_THAT(b.unit.steps[0].u, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(b.unit.steps[1].u, ElementsAre(DoubleNear(1 + 1 + 3.0 / 8 + 4.0 / 48, rounding),
                                             DoubleNear(2 + 1.5 + 0.5, rounding), DoubleNear(5, rounding), 4));
}

TEST(Exchange, GivesElementsOfArraysTheirMeanEvenToUnitsThatTakeDerivatives) {
  Bench b;
  b.unit.order = 2;
  b.inputs(1, 0, 5, 6);
  b.derivatives({1, 1}, {2, 3});
  auto exchange = b.exchange();
  exchange.step({0, 0.5, false}, b.signals);
  ASSERT_THAT(b.unit.steps, SizeIs(1));
  EXPECT_EQ(b.unit.steps[0].inputs[2], 5);
  EXPECT_NEAR(b.unit.steps[0].inputs[3], integral(6, {2, 3}, 0.5) / 0.5, rounding);
}

TEST(Exchange, MovesInputsOnWhenAUnitReturnsEarly) {
  for (const int takes : {0, 2}) {
    Bench b;
    b.unit.order = takes;
    b.inputs(1, 0);
    b.derivatives({2, 3});
    b.unit.on_step = [](const StepRequest& r) {
      return r.t < 0.3 ? StepOutcome{0.3, Why::early} : StepOutcome{r.t + r.h, Why::completed};
    };
    auto exchange = b.exchange();
    ASSERT_TRUE(exchange.step({0, 1, false}, b.signals).completed());
    ASSERT_THAT(b.unit.steps, SizeIs(2));
    const double rest = integral(1, {2, 3}, 1) - integral(1, {2, 3}, 0.3);
    EXPECT_NEAR(b.unit.steps[1].inputs[0], takes == 0 ? rest / 0.7 : polynomial(1, {2, 3}, 0.3), rounding);
    if (takes == 2) {
      EXPECT_NEAR(b.y(), integral(1, {2, 3}, 1), rounding);
    }
  }
}

TEST(Exchange, PutsInputsBackEvenWhenTheUnitFails) {
  Bench b;
  b.inputs(1, 0);
  b.derivatives({2});
  b.unit.on_step = [](const StepRequest&) -> StepOutcome { throw run_error("no; try again"); };
  auto exchange = b.exchange();
  EXPECT_THROW(exchange.step({0, 1, false}, b.signals), Error);
  EXPECT_EQ(b.signals.inputs.column<double>()[2], 1);
}

// --- early returns

TEST(Exchange, GoesOnWhereAUnitReturnedEarly) {
  Bench b;
  b.inputs(2, 0);
  b.unit.on_step = [](const StepRequest& r) {
    const Time next = std::floor(r.t / 0.25 + 1.000001) * 0.25;  // at every quarter
    return next < r.t + r.h ? StepOutcome{next, Why::early} : StepOutcome{r.t + r.h, Why::completed};
  };
  auto exchange = b.exchange();
  const auto outcome = exchange.step({0, 1, false}, b.signals);
  EXPECT_TRUE(outcome.completed());
  EXPECT_EQ(outcome.reached, 1);
  EXPECT_THAT(begins(b.unit), ElementsAre(0, 0.25, 0.5, 0.75));
  EXPECT_EQ(exchange.counts().early_returns, 3U);
  EXPECT_EQ(b.y(), 2);
  EXPECT_EQ(b.n(), 4);
}

TEST(Exchange, TakesTheEndForReachedWhenOnlyRoundingIsMissing) {
  Bench b;
  b.unit.on_step = [](const StepRequest& r) { return StepOutcome{std::nextafter(r.t + r.h, 0.0), Why::early}; };
  auto exchange = b.exchange();
  const auto outcome = exchange.step({1000, 0.1, false}, b.signals);
  EXPECT_TRUE(outcome.completed());
  EXPECT_EQ(outcome.reached, 1000 + 0.1);
  EXPECT_THAT(b.unit.steps, SizeIs(1));
  EXPECT_EQ(exchange.counts().early_returns, 0U);
}

TEST(Exchange, GivesUpOnAUnitThatGetsNoFurther) {
  for (const int order : {0, 1}) {
    Bench b;
    b.derivatives(std::vector<double>(static_cast<std::size_t>(order), 1.0));
    b.unit.on_step = [](const StepRequest& r) { return StepOutcome{r.t, Why::early}; };
    auto exchange = b.exchange();
    EXPECT_THAT(
        [&] {
          exchange.step({2, 1, false}, b.signals);
        },
        ThrowsMessage<Error>(testing::AllOf(HasSubstr("'plant'"), HasSubstr("t = 2 s"))));
  }
}

TEST(Exchange, RefusesTimesThatTheUnitCannotHaveReached) {
  for (const int order : {0, 1}) {
    for (const double wrong : {1.9, 3.1, std::numeric_limits<double>::quiet_NaN()}) {
      Bench b;
      b.derivatives(std::vector<double>(static_cast<std::size_t>(order), 1.0));
      b.unit.on_step = [&](const StepRequest&) { return StepOutcome{wrong, Why::early}; };
      auto exchange = b.exchange();
      EXPECT_THAT(
          [&] {
            exchange.step({2, 1, false}, b.signals);
          },
          ThrowsMessage<Error>(testing::AllOf(HasSubstr("'plant'"), HasSubstr("but reports"))));
    }
  }
}

TEST(Exchange, EndsWhereTheUnitWantsTheRunToEnd) {
  for (const std::uint32_t substeps : {1U, 4U}) {
    Bench b(substeps);
    b.inputs(2, 0);
    b.unit.on_step = [](const StepRequest& r) {
      return r.t + r.h > 0.3 ? StepOutcome{0.3, Why::terminate} : StepOutcome{r.t + r.h, Why::completed};
    };
    auto exchange = b.exchange();
    const auto outcome = exchange.step({0, 1, false}, b.signals);
    EXPECT_EQ(outcome.why, Why::terminate);
    EXPECT_EQ(outcome.reached, 0.3);
    EXPECT_NEAR(b.y(), 0.6, rounding);  // outputs at the time at which the unit stopped
    EXPECT_THAT(b.unit.steps, SizeIs(substeps == 1 ? 1 : 2));
  }
}

// --- discarded steps

StepOutcome discard_above(double most, const StepRequest& r) {
  return r.h > most ? StepOutcome{r.t, Why::discarded} : StepOutcome{r.t + r.h, Why::completed};
}

TEST(Exchange, AsksForShorterStepsAfterADiscardedOne) {
  Bench b;
  b.unit.rejects_cleanly = true;
  b.inputs(1, 0);
  b.unit.on_step = [](const StepRequest& r) { return discard_above(0.3, r); };
  auto exchange = b.exchange();
  EXPECT_TRUE(exchange.step({0, 1, false}, b.signals).completed());
  EXPECT_THAT(begins(b.unit), ElementsAre(0, 0, 0, 0.25, 0.25, 0.25, 0.4375, 0.4375, 0.71875));
  EXPECT_EQ(exchange.counts().discarded, 5U);
  EXPECT_EQ(exchange.counts().repeated_as_is, 0U);
  EXPECT_EQ(b.unit.restored, 0);
}

TEST(Exchange, GoesBackToTheStateBeforeADiscardedStepFromTheSecondTimeOn) {
  Bench b;
  b.inputs(1, 0);
  b.unit.on_step = [&](const StepRequest& r) {
    return r.h > 0.6 ? StepOutcome{r.t, Why::discarded} : StepOutcome{r.t + r.h, Why::completed};
  };
  auto exchange = b.exchange();
  EXPECT_TRUE(exchange.step({0, 1, false}, b.signals).completed());
  EXPECT_EQ(exchange.counts().repeated_as_is, 1U);
  EXPECT_EQ(b.n(), 3);  // the discarded step has changed the state
  EXPECT_TRUE(exchange.step({1, 1, false}, b.signals).completed());
  EXPECT_EQ(exchange.counts().discarded, 2U);
  EXPECT_EQ(exchange.counts().repeated_as_is, 1U);
  EXPECT_EQ(b.unit.restored, 1);
  EXPECT_EQ(b.n(), 5);  // the second discarded step was undone
}

TEST(Exchange, DoesFirstWhatADiscardingUnitSaysItCan) {
  for (const bool states : {false, true}) {
    Bench b;
    b.unit.has_states = states;
    b.unit.on_step = [](const StepRequest& r) {
      return r.t + r.h > 0.7 && r.t < 0.7 ? StepOutcome{0.7, Why::discarded} : StepOutcome{r.t + r.h, Why::completed};
    };
    auto exchange = b.exchange();
    EXPECT_TRUE(exchange.step({0, 0.5, false}, b.signals).completed());
    EXPECT_TRUE(exchange.step({0.5, 0.5, false}, b.signals).completed());
    EXPECT_THAT(begins(b.unit), ElementsAre(0, 0.5, 0.7));
    EXPECT_EQ(exchange.counts().discarded, 1U);
  }
}

// With held inputs, and with sub-steps.
TEST(Exchange, LeavesADiscardedStepToACallerThatRepeatsIt) {
  for (const std::uint32_t substeps : {1U, 2U}) {
    Bench b(substeps);
    b.unit.on_step = [](const StepRequest& r) {
      return r.h > 0.3 ? StepOutcome{r.t + 0.2, Why::discarded} : StepOutcome{r.t + r.h, Why::completed};
    };
    auto exchange = b.exchange();
    exchange.expect_discards();
    StepRequest request{1, 1, true};
    request.may_discard = true;
    const auto outcome = exchange.step(request, b.signals);
    EXPECT_EQ(outcome.why, Why::discarded);
    EXPECT_EQ(outcome.reached, 1.2);
    EXPECT_THAT(b.unit.steps, SizeIs(1)) << "no retry";
    EXPECT_EQ(exchange.counts().discarded, 1U);
    EXPECT_EQ(exchange.counts().repeated_as_is, 0U);
    EXPECT_EQ(b.unit.saved, 0) << "the caller saves";
    EXPECT_EQ(b.unit.restored, 0);
    request.may_discard = false;
    EXPECT_TRUE(exchange.step(request, b.signals).completed());
    EXPECT_GT(b.unit.saved, 0);
    EXPECT_GT(b.unit.restored, 0);
  }
}

TEST(Exchange, SaysWhenNoShorterStepHelps) {
  for (const bool any_step : {false, true}) {
    Bench b;
    b.unit.takes_any_step = any_step;
    b.unit.rejects_cleanly = true;
    b.unit.on_step = [](const StepRequest& r) { return StepOutcome{r.t, Why::discarded}; };
    auto exchange = b.exchange();
    EXPECT_THAT(
        [&] {
          exchange.step({2, 1, false}, b.signals);
        },
        ThrowsMessage<Error>(testing::AllOf(HasSubstr("'plant' discarded the step of 1 s at t = 2 s"),
                                            HasSubstr("try a smaller step"))));
    EXPECT_THAT(b.unit.steps, SizeIs(any_step ? 11 : 1));
  }
}

// --- events

TEST(Exchange, StopsAtAnnouncedEventsAndAsksForTheNextOne) {
  Bench b;
  b.unit.has_events = true;
  b.inputs(4, 0);
  b.signals.next_event[1] = 0.25;
  b.unit.on_update = [&](int) {
    return EventOutcome{false, false, b.unit.event_modes.size() == 1 ? std::optional<Time>(0.75) : std::nullopt};
  };
  auto exchange = b.exchange();
  EXPECT_TRUE(exchange.step({0, 1, false}, b.signals).completed());
  EXPECT_THAT(begins(b.unit), ElementsAre(0, 0.25, 0.75));
  EXPECT_EQ(exchange.counts().events, 2U);
  EXPECT_EQ(b.signals.next_event[1], never);
  EXPECT_FALSE(b.unit.in_event_mode);
  EXPECT_EQ(b.y(), 4);
}

TEST(Exchange, HandlesAnEventAtTheEndOfAStepOnce) {
  Bench b;
  b.unit.has_events = true;
  b.signals.next_event[1] = 1.0;
  auto exchange = b.exchange();
  EXPECT_TRUE(exchange.step({0, 1, false}, b.signals).completed());
  EXPECT_TRUE(exchange.step({1, 1, false}, b.signals).completed());
  EXPECT_THAT(begins(b.unit), ElementsAre(0, 1));
  EXPECT_EQ(exchange.counts().events, 1U);
}

TEST(Exchange, HandlesEventsLateForUnitsOfFixedSteps) {
  Bench b;
  b.unit.has_events = true;
  b.unit.takes_any_step = false;
  b.signals.next_event[1] = 0.5;
  auto exchange = b.exchange();
  EXPECT_TRUE(exchange.step({0, 1, false}, b.signals).completed());
  EXPECT_THAT(begins(b.unit), ElementsAre(0));
  EXPECT_EQ(exchange.counts().events, 1U);
}

TEST(Exchange, HandlesEventsThatTheUnitFoundWhileStepping) {
  Bench b;
  b.unit.has_events = true;
  b.unit.on_step = [](const StepRequest& r) {
    return r.t < 0.4 ? StepOutcome{0.4, Why::event} : StepOutcome{r.t + r.h, Why::completed};
  };
  b.unit.on_update = [](int update) { return EventOutcome{update < 2, false, {}}; };
  auto exchange = b.exchange();
  EXPECT_TRUE(exchange.step({0, 1, false}, b.signals).completed());
  ASSERT_THAT(b.unit.event_modes, SizeIs(1));
  EXPECT_EQ(b.unit.event_modes[0].updates, 3);
  EXPECT_THAT(begins(b.unit), ElementsAre(0, 0.4));
}

// FMI 3.0: in step mode, only continuous inputs may be set.
TEST(Exchange, SetsDiscreteInputsOfUnitsWithEventModeThereAndOnlyWhenTheyChange) {
  for (const int order : {0, 1}) {
    Bench b(2);
    b.unit.has_events = true;
    auto exchange = b.exchange();
    double t = 0;
    for (const double d : {0.0, 0.0, 3.0, 3.0, 4.0}) {
      b.inputs(1 + t, d, 5);
      if (order > 0) b.derivatives({2});
      EXPECT_TRUE(exchange.step({t++, 1, false}, b.signals).completed());
      EXPECT_EQ(b.unit.steps.back().inputs[1], d);
      EXPECT_EQ(b.unit.steps.back().inputs[2], 5);
    }
    EXPECT_EQ(b.unit.discrete_outside_events, 0);
    ASSERT_THAT(b.unit.event_modes, SizeIs(2));
    EXPECT_EQ(b.unit.event_modes[0].d, 3);
    EXPECT_EQ(b.unit.event_modes[0].u, 3) << "the continuous inputs are set as well";
    EXPECT_EQ(b.unit.event_modes[1].d, 4);
    EXPECT_EQ(exchange.counts().events, 2U);
    EXPECT_FALSE(b.unit.in_event_mode);
  }
}

TEST(Exchange, KnowsWhichDiscreteInputsAUnitThatHasGoneBackWasGiven) {
  Bench b;
  b.unit.has_events = true;
  auto exchange = b.exchange();
  b.inputs(1, 2);
  Exchange::Memory first, second;
  exchange.save(first);
  exchange.step({0, 1, false}, b.signals);
  exchange.save(second);
  EXPECT_THAT(b.unit.event_modes, SizeIs(1));
  exchange.restore(second);
  exchange.step({0, 1, false}, b.signals);
  EXPECT_THAT(b.unit.event_modes, SizeIs(1)) << "these inputs are already set";
  exchange.restore(first);
  exchange.step({0, 1, false}, b.signals);
  EXPECT_THAT(b.unit.event_modes, SizeIs(2)) << "the inputs have changed";
}

TEST(Exchange, EndsWhereAChangedDiscreteInputWantsTheRunToEnd) {
  Bench b;
  b.unit.has_events = true;
  b.unit.on_update = [](int) { return EventOutcome{false, true, {}}; };
  auto exchange = b.exchange();
  b.inputs(1, 2);
  const auto outcome = exchange.step({3, 1, false}, b.signals);
  EXPECT_EQ(outcome.why, Why::terminate);
  EXPECT_EQ(outcome.reached, 3);
  EXPECT_THAT(b.unit.steps, SizeIs(0));
}

TEST(Exchange, GivesMovingInputsAsTheyAreAtTheEvent) {
  Bench b;
  b.unit.has_events = true;
  b.inputs(1, 0);
  b.derivatives({2, 6});
  b.signals.next_event[1] = 0.5;
  auto exchange = b.exchange();
  EXPECT_TRUE(exchange.step({0, 1, false}, b.signals).completed());
  ASSERT_THAT(b.unit.event_modes, SizeIs(1));
  EXPECT_NEAR(b.unit.event_modes[0].u, polynomial(1, {2, 6}, 0.5), rounding);
  EXPECT_NEAR(b.y(), integral(1, {2, 6}, 1), rounding);  // means over the requested steps
}

TEST(Exchange, EndsWhereAnEventWantsTheRunToEnd) {
  Bench b;
  b.unit.has_events = true;
  b.signals.next_event[1] = 0.5;
  b.unit.on_update = [](int) { return EventOutcome{false, true, {}}; };
  auto exchange = b.exchange();
  const auto outcome = exchange.step({0, 1, false}, b.signals);
  EXPECT_EQ(outcome.why, Why::terminate);
  EXPECT_EQ(outcome.reached, 0.5);
}

TEST(Exchange, GivesUpOnEventsThatDoNotSettle) {
  Bench b;
  b.unit.has_events = true;
  b.signals.next_event[1] = 1;
  b.unit.on_update = [](int) { return EventOutcome{true, false, {}}; };
  auto exchange = b.exchange();
  EXPECT_THAT(
      [&] {
        exchange.step({0, 1, false}, b.signals);
      },
      ThrowsMessage<Error>(testing::AllOf(HasSubstr("'plant'"), HasSubstr("do not settle"))));
}

}  // namespace
}  // namespace consort::fleet
