// Units whose instance cannot save its state: what they set back, and when they refuse.
#include "unit/set_back.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe/tests/builder.hpp"
#include "solve/tests/allocations.hpp"
#include "unit/me_unit.hpp"
#include "unit/tests/adapted_units.hpp"

namespace consort::unit::set_back_test {
namespace {

using describe::Causality;
using describe::Variability;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;

// --- an instance with a memory of choice -----------------------------------------------------------------------------

// x' = u - x, y = x + d u.
struct Toy {
  double t = 0, x = 1, u = 0, d = 0;
  bool in_event_mode = false;
  double memory = 0;
  int evaluations = 0;
  std::vector<double> seen_x{}, seen_u{}, seen_t{};  // of evaluations
  // What tests may change.
  std::function<double(Toy&)> extra{};         // added to x'
  std::function<double(Toy&)> extra_output{};  // added to y
  std::function<fmi::DiscreteUpdate(Toy&)> update{};
  std::function<fmi::IntegratorStep(Toy&)> completed{};
};

class ToyInstance final : public fmi::ModelExchange {
 public:
  explicit ToyInstance(Toy& toy, const describe::Interface& interface) : toy_(toy), interface_(interface) {}
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const describe::Interface& interface() const override { return interface_; }
  void set_debug_logging(bool, std::span<const std::string>) override {}
  void enter_initialization(const fmi::Experiment& e) override { toy_.t = e.start; }
  void exit_initialization() override { toy_.in_event_mode = true; }
  void terminate() override {}
  void reset() override {}
  [[nodiscard]] std::string missing(std::string_view what) const override { return "cannot " + std::string(what); }

  [[nodiscard]] std::size_t continuous_states() override { return 1; }
  [[nodiscard]] std::size_t event_indicators() override { return 0; }
  void set_time(Time t) override { toy_.t = t; }
  void set_states(std::span<const double> x) override { toy_.x = x[0]; }
  void get_states(std::span<double> x) override { x[0] = toy_.x; }
  void get_derivatives(std::span<double> dx) override { dx[0] = rate(); }
  void get_event_indicators(std::span<double>) override {}
  void get_nominals(std::span<double> x) override { x[0] = 1; }
  fmi::IntegratorStep completed_integrator_step(bool) override {
    return toy_.completed ? toy_.completed(toy_) : fmi::IntegratorStep{};
  }
  void enter_event_mode() override { toy_.in_event_mode = true; }
  fmi::DiscreteUpdate update_discrete_states() override {
    EXPECT_TRUE(toy_.in_event_mode);
    return toy_.update ? toy_.update(toy_) : fmi::DiscreteUpdate{};
  }
  void leave_event_mode() override { toy_.in_event_mode = false; }

 protected:
  void read(Type, std::span<const ValueReference> references, void* values, std::size_t) override {
    for (std::size_t i = 0; i < references.size(); ++i) static_cast<double*>(values)[i] = value(references[i]);
  }
  void write(Type, std::span<const ValueReference> references, const void* values, std::size_t) override {
    for (std::size_t i = 0; i < references.size(); ++i)
      (references[i] == 2 ? toy_.u : toy_.d) = static_cast<const double*>(values)[i];
  }

 private:
  double rate() {
    ++toy_.evaluations;
    toy_.seen_x.push_back(toy_.x);
    toy_.seen_u.push_back(toy_.u);
    toy_.seen_t.push_back(toy_.t);
    return toy_.u - toy_.x + (toy_.extra ? toy_.extra(toy_) : 0);
  }
  double value(ValueReference reference) {
    switch (reference) {
      case 0: return toy_.x;
      case 1: return rate();
      case 2: return toy_.u;
      case 3: return toy_.x + toy_.d * toy_.u + (toy_.extra_output ? toy_.extra_output(toy_) : 0);
      default: return toy_.d;
    }
  }

  Toy& toy_;
  const describe::Interface& interface_;
  std::string name_ = "toy";
};

describe::Description describe_toy() {
  describe::Builder b(describe::FmiVersion::v2);
  b.raw().interfaces.front().type = describe::InterfaceType::model_exchange;
  b.add("x", 0);
  b.add("der(x)", 1).derivative_of = 0;
  b.add_input("u", 2);
  b.add("y", 3).causality = Causality::output;
  b.add_input("d", 4).variability = Variability::discrete;
  b.raw().structure.derivatives.push_back({1, false, {}});
  return b.finish();
}

struct Rig {
  explicit Rig(Toy start = {}) : toy(std::move(start)) {
    a.unit = make_me_unit(std::make_unique<ToyInstance>(toy, description.interfaces.front()), description);
  }
  Rollback& start(std::optional<Time> stop = 10) {
    a.unit->enter_initialization({0, stop, 1e-6});
    a.unit->exit_initialization();
    toy.seen_x.clear();
    toy.seen_u.clear();
    toy.seen_t.clear();
    return *a.unit->rollback();
  }
  // Steps of 0.1 s with an input that jumps at each of them.
  std::vector<double> run(int from, int to) {
    std::vector<double> seen;
    for (int i = from; i < to; ++i) {
      a.set_value("u", i % 2 == 0 ? 1.0 : 0.3);
      a.unit->step({0.1 * i, 0.1, true});
      seen.insert(seen.end(), {a.value("x"), a.value("y")});
    }
    return seen;
  }
  describe::Description description = describe_toy();
  Toy toy;
  Adapted a;
};

// The text of the Error (run) for the unit 'toy'.
template <class F>
std::string refusal(F&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.unit(), "toy");
    EXPECT_EQ(error.fault(), Fault::run);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// --- what the description tells --------------------------------------------------------------------------------------

TEST(DeclaredMemory, IsNoneOfAFunctionOfTimeStatesAndInputs) { EXPECT_EQ(declared_memory(describe_toy()), ""); }

TEST(DeclaredMemory, IsThatOfEventIndicators) {
  describe::Builder b(describe::FmiVersion::v2);
  b.raw().event_indicators = 1;
  EXPECT_EQ(declared_memory(b.finish()), "it has event indicators");
}

TEST(DeclaredMemory, IsThatOfDiscreteVariablesOfAnyTypeExceptInputs) {
  for (const auto causality : {Causality::output, Causality::local}) {
    for (const auto type : {Type::Float64, Type::Int32, Type::Boolean, Type::String}) {
      describe::Builder b(describe::FmiVersion::v2);
      auto& v = b.add("mode", 0, type);
      v.causality = causality;
      v.variability = Variability::discrete;
      EXPECT_EQ(declared_memory(b.finish()), "its variable 'mode' is discrete");
    }
  }
  describe::Builder b(describe::FmiVersion::v2);
  b.add_input("on", 0).variability = Variability::discrete;
  auto& n = b.add("n", 1, Type::Int32);
  n.causality = Causality::parameter;
  n.variability = Variability::fixed;
  EXPECT_EQ(declared_memory(b.finish()), "");
}

TEST(DeclaredMemory, IsThatOfClocks) {
  describe::Builder b;
  b.add("tick", 0, Type::Clock).causality = Causality::input;
  EXPECT_EQ(declared_memory(b.finish()), "it has clocks ('tick')");
}

TEST(SetBack, IsNotOfferedForAnInstanceWithDeclaredMemory) {
  Toy toy;
  auto description = describe_toy();
  description.event_indicators = 1;
  const auto unit = make_me_unit(std::make_unique<ToyInstance>(toy, description.interfaces.front()), description);
  EXPECT_EQ(unit->rollback(), nullptr);
  EXPECT_EQ(unit->why_no_rollback(), "it has event indicators");
}

// --- going back ------------------------------------------------------------------------------------------------------

TEST(SetBack, RepeatsStepsBitForBit) {
  Rig r;
  auto& states = r.start();
  EXPECT_FALSE(states.is_complete());
  EXPECT_FALSE(states.can_serialize());
  r.run(0, 5);
  const auto saved = states.save();
  const auto first = r.run(5, 12);
  for (int i = 0; i < 3; ++i) {
    states.restore(*saved);
    EXPECT_EQ(r.run(5, 12), first);
  }
}

TEST(SetBack, EvaluatesNothingBeforeTheFirstSave) {
  Rig r;
  auto& states = r.start();
  EXPECT_EQ(r.toy.seen_x.size(), 0U);
  static_cast<void>(states.save());
  EXPECT_GT(r.toy.seen_x.size(), 5U);
  r.toy.seen_x.clear();
  static_cast<void>(states.save());
  EXPECT_EQ(r.toy.seen_x.size(), 1U) << "one probe for all saves";
}

TEST(SetBack, ProbesNearbyAtBothSides) {
  Rig r({.x = -2, .u = 0.5});
  auto& states = r.start();
  static_cast<void>(states.save());
  // One hundredth of the value or of the nominal value, whichever is larger.
  EXPECT_EQ(*std::min_element(r.toy.seen_x.begin(), r.toy.seen_x.end()), -2.02);
  EXPECT_EQ(*std::max_element(r.toy.seen_x.begin(), r.toy.seen_x.end()), -1.98);
  EXPECT_EQ(*std::min_element(r.toy.seen_u.begin(), r.toy.seen_u.end()), 0.49);
  EXPECT_EQ(*std::max_element(r.toy.seen_u.begin(), r.toy.seen_u.end()), 0.51);
  EXPECT_GT(*std::max_element(r.toy.seen_t.begin(), r.toy.seen_t.end()), 0);
  EXPECT_EQ(r.toy.x, -2);
  EXPECT_EQ(r.toy.u, 0.5);
  EXPECT_EQ(r.toy.t, 0);
}

TEST(SetBack, DoesNotProbeThroughZeroOrBeyondTheStopTime) {
  Rig r({.x = 1e-3});
  auto& states = r.start(1);
  for (int i = 0; i < 10; ++i) r.a.unit->step({0.1 * i, 0.1, true});
  r.toy.seen_x.clear();
  r.toy.seen_t.clear();
  static_cast<void>(states.save());
  EXPECT_THAT(r.toy.seen_x, Each(Gt(0)));
  EXPECT_EQ(*std::max_element(r.toy.seen_t.begin(), r.toy.seen_t.end()), r.toy.t);
}

TEST(SetBack, TriesAgainWhereAModelDiscardsTrialPoints) {
  Rig r({.extra = [](Toy& toy) {
    if (toy.x > 1.001) throw fmi::Discarded(Fault::run, "too far");
    return 0.0;
  }});
  auto& states = r.start();
  const auto saved = states.save();
  const auto first = r.run(0, 3);
  states.restore(*saved);
  EXPECT_EQ(r.run(0, 3), first);
}

TEST(SetBack, LeavesEventModeFirst) {
  Rig r;
  auto& states = r.start();
  const auto saved = states.save();
  const auto first = r.run(0, 4);
  r.a.unit->events()->enter_event_mode();
  EXPECT_TRUE(r.toy.in_event_mode);
  states.restore(*saved);
  EXPECT_FALSE(r.toy.in_event_mode);
  EXPECT_EQ(r.run(0, 4), first);
}

TEST(SetBack, TakesBackTheEndOfARunAfterAStep) {
  Rig r({.completed = [](Toy& toy) { return fmi::IntegratorStep{false, toy.t >= 0.25}; }});
  auto& states = r.start();
  const auto saved = states.save();
  const auto go = [&] {
    std::vector<double> seen;
    for (int i = 0; i < 5; ++i) {
      const auto outcome = r.a.unit->step({0.1 * i, 0.1, true});
      seen.insert(seen.end(), {outcome.reached, static_cast<double>(outcome.why)});
      if (!outcome.completed()) break;
    }
    return seen;
  };
  const auto first = go();
  EXPECT_EQ(static_cast<Why>(first.back()), Why::terminate);
  states.restore(*saved);
  EXPECT_EQ(go(), first);
}

TEST(SetBack, DoesNotAllocateInTheSteadyState) {
  Rig r;
  r.toy.seen_x.reserve(100'000);
  r.toy.seen_u.reserve(100'000);
  r.toy.seen_t.reserve(100'000);
  auto& states = r.start();
  const auto in = r.a.signals({"u"});
  Columns values = in.make_columns();
  std::unique_ptr<Snapshot> saved;
  const auto on = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      saved = states.save(std::move(saved));
      values.column<double>()[0] = i % 2;
      r.a.unit->set(in, values);
      r.a.unit->step({0.1 * i, 0.1, true});
      states.restore(*saved);
      r.a.unit->step({0.1 * i, 0.1, true});
    }
  };
  on(0, 20);
  const auto before = allocations();
  on(20, 60);
  EXPECT_EQ(allocations(), before);
}

// --- memory that is found out ----------------------------------------------------------------------------------------

// z solves z³ + z = x, by one Newton iteration per evaluation that begins with the last result.
double one_iteration(Toy& toy) {
  double& z = toy.memory;
  z -= (z * z * z + z - toy.x) / (3 * z * z + 1);
  return z;
}
// The same until it has converged.
double iteration(Toy& toy) {
  double& z = toy.memory;
  for (int i = 0; i < 20 && std::abs(z * z * z + z - toy.x) > 1e-13; ++i) one_iteration(toy);
  return z;
}

TEST(SetBack, RefusesIterationVariablesThatHaveNotConverged) {
  Rig r({.extra = one_iteration});
  auto& states = r.start();
  EXPECT_THAT(refusal([&] { static_cast<void>(states.save()); }),
              AllOf(HasSubstr("unit 'toy' (FMI 2.0) cannot save its state"), HasSubstr("'der(x)' is"),
                    HasSubstr("iteration variables"), HasSubstr("'jacobi' or 'gauss-seidel'")));
}

TEST(SetBack, AcceptsIterationVariablesThatAreFarMoreAccurateThanTheSolver) {
  Rig r({.extra = iteration});
  auto& states = r.start();
  const auto saved = states.save();
  const auto first = r.run(0, 10);
  states.restore(*saved);
  const auto second = r.run(0, 10);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(second[i], first[i], 1e-9);  // a thousandth of 1e-6
}

TEST(SetBack, RefusesAMemoryThatOnlyAnOutputShows) {
  Rig r({.extra_output = [](Toy& toy) { return toy.memory += 1e-6; }});
  auto& states = r.start();
  EXPECT_THAT(refusal([&] { static_cast<void>(states.save()); }), HasSubstr("'y' is"));
}

TEST(SetBack, RefusesAgainAfterAFailedProbe) {
  // The latch is set once, so that a second probe would find no memory.
  Rig r({.extra = [](Toy& toy) { return toy.memory = std::max(toy.memory, toy.x > 1.001 ? 1.0 : 0.0); }});
  auto& states = r.start();
  const auto first = refusal([&] { static_cast<void>(states.save()); });
  EXPECT_EQ(refusal([&] { static_cast<void>(states.save()); }), first);
}

TEST(SetBack, RefusesAMemoryThatTheProbeCouldNotSee) {
  // A latch far from the start.
  Rig r({.extra = [](Toy& toy) { return toy.memory = std::max(toy.memory, toy.x < 0.8 ? 1.0 : 0.0); }});
  auto& states = r.start();
  const auto saved = states.save();
  for (int i = 0; i < 5; ++i) r.a.unit->step({0.1 * i, 0.1, true});
  EXPECT_THAT(refusal([&] { states.restore(*saved); }),
              AllOf(HasSubstr("after a return"), HasSubstr("'der(x)' is 0 instead of -1"), HasSubstr("at t = 0 s")));
}

TEST(SetBack, RefusesAMemoryOfCompletedSteps) {
  Rig r({.extra = [](Toy& toy) { return 0.1 * toy.memory; },
         .completed =
             [](Toy& toy) {
               ++toy.memory;
               return fmi::IntegratorStep{};
             }});
  auto& states = r.start();
  const auto saved = states.save();
  r.a.unit->step({0, 0.1, true});
  EXPECT_THAT(refusal([&] { states.restore(*saved); }), HasSubstr("after a return"));
}

// --- events ----------------------------------------------------------------------------------------------------------

TEST(SetBack, RefusesATimeEventThatIsAnnouncedAtTheStart) {
  Rig r({.update = [](Toy&) { return fmi::DiscreteUpdate{.next_event = 0.5}; }});
  auto& states = r.start();
  EXPECT_THAT(refusal([&] { static_cast<void>(states.save()); }),
              HasSubstr("it has announced a time event for t = 0.5 s (at t = 0 s)"));
}

TEST(SetBack, RefusesToGoBackWhenATimeEventIsAnnouncedLater) {
  // At the event of an input that jumps.
  Rig r({.update = [](Toy& toy) {
    return fmi::DiscreteUpdate{.next_event = toy.t > 0.15 && toy.t < 0.25 ? std::optional<Time>(0.25) : std::nullopt};
  }});
  auto& states = r.start();
  auto saved = states.save();
  r.run(0, 2);
  states.restore(*saved);  // nothing has happened yet
  r.run(0, 4);
  const std::string why = "it has announced a time event for t = 0.25 s";
  EXPECT_THAT(refusal([&] { states.restore(*saved); }), HasSubstr(why));
  EXPECT_THAT(refusal([&] { saved = states.save(std::move(saved)); }), HasSubstr(why)) << "although it is over";
}

TEST(SetBack, RefusesToGoBackAfterAStepEvent) {
  Rig r({.completed = [](Toy& toy) { return fmi::IntegratorStep{toy.t > 0.15 && toy.memory++ == 0, false}; }});
  auto& states = r.start();
  const auto saved = states.save();
  r.a.unit->step({0, 0.1, true});
  states.restore(*saved);
  r.a.unit->step({0, 0.1, true});
  r.a.unit->step({0.1, 0.1, true});
  const std::string why = "it requested an event after the step to t = ";
  EXPECT_THAT(refusal([&] { states.restore(*saved); }), HasSubstr(why));
  EXPECT_THAT(refusal([&] { static_cast<void>(states.save()); }), HasSubstr(why));
}

TEST(SetBack, RefusesToGoBackAfterAnEventThatEndsTheRun) {
  Rig r({.update = [](Toy& toy) { return fmi::DiscreteUpdate{.terminate = toy.t > 0.15, .next_event = {}}; }});
  auto& states = r.start();
  const auto saved = states.save();
  r.a.set_value("u", 1.0);
  r.a.unit->step({0, 0.2, true});
  r.a.set_value("u", 2.0);
  EXPECT_EQ(r.a.unit->step({0.2, 0.2, true}).why, Why::terminate);
  EXPECT_THAT(refusal([&] { states.restore(*saved); }), HasSubstr("it requested to end the run, at an event at 0.2 s"));
}

TEST(SetBack, RefusesToGoBackOverAChangeOfADiscreteInput) {
  Rig r;
  auto& states = r.start();
  const auto before = states.save();
  r.a.set_value("d", 2.0);
  states.restore(*before);  // the instance has not seen it
  EXPECT_EQ(r.a.value("d"), 0);
  r.a.set_value("d", 2.0);
  r.a.unit->step({0, 0.1, true});
  EXPECT_THAT(refusal([&] { states.restore(*before); }),
              HasSubstr("its discrete inputs or its parameters have changed"));
  const auto after = states.save();
  const auto first = r.run(1, 4);
  states.restore(*after);
  EXPECT_EQ(r.run(1, 4), first) << "the input did not change since";
}

// --- FMUs ------------------------------------------------------------------------------------------------------------

TEST(SetBack, IsWhatFmi1ForModelExchangeOffers) {
  const auto able = adapt_fmu("fmi1/me/OneMass.fmu");
  ASSERT_NE(able.unit->rollback(), nullptr);
  EXPECT_FALSE(able.unit->rollback()->is_complete());
  for (const auto& [model, why] : {std::pair{"BouncingBall", "it has event indicators"},
                                   std::pair{"Stair", "its variable 'counter' is discrete"}}) {
    const auto unable = adapt_fmu("fmi1/me/" + std::string(model) + ".fmu");
    EXPECT_EQ(unable.unit->rollback(), nullptr) << model;
    EXPECT_EQ(unable.unit->why_no_rollback(), why);
  }
  EXPECT_EQ(adapt_fmu("fmi2/BouncingBall.fmu").unit->why_no_rollback(), "") << "it saves its state";
  EXPECT_TRUE(adapt_fmu("fmi2/BouncingBall.fmu").unit->rollback()->is_complete());
}

}  // namespace
}  // namespace consort::unit::set_back_test
