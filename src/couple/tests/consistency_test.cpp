#include "couple/consistency.hpp"

#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "describe/tests/builder.hpp"
#include "fleet/fleet.hpp"
#include "graph/compile.hpp"
#include "host/local_host.hpp"

namespace consort::couple {

namespace {

using ::testing::HasSubstr;

// Outputs depend directly on inputs. Inputs: u (two elements), b (Boolean). Outputs: y = gain · u + 1 (two elements;
// the first is 10 if b is true and the unit listens), p = (y[1] > 5), or the opposite of b if the unit negates.
class Follower final : public unit::Unit, public unit::Derivatives {
 public:
  explicit Follower(std::string name) : name_(std::move(name)), description_(describe()) {}

  double gain[2][2] = {{0, 0}, {0, 0}};
  bool listens = false;
  bool negates = false;
  bool has_derivatives = true;
  int derivatives_asked = 0;

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return true; }
  [[nodiscard]] bool responds_without_step() const override { return true; }
  void enter_initialization(const unit::Experiment&) override {}
  void exit_initialization() override {}
  void terminate() override {}
  unit::StepOutcome step(const unit::StepRequest& r) override { return {r.t + r.h, unit::Why::completed}; }

  void set(const describe::SignalSet& signals, Columns& values) override {
    for (std::size_t i = 0; i < signals.choice().size(); ++i) {
      const auto place = signals.place(i);
      if (place.type == Type::Float64) {
        for (std::uint32_t e = 0; e < 2; ++e) u_[e] = values.column<double>()[place.first + e];
      } else {
        b_ = values.column<Bool>()[place.first];
      }
    }
  }
  void get(const describe::SignalSet& signals, Columns& values) override {
    double y[2];
    for (int i = 0; i < 2; ++i) y[i] = gain[i][0] * u_[0] + gain[i][1] * u_[1] + 1;
    if (listens && b_) y[0] = 10;
    for (std::size_t i = 0; i < signals.choice().size(); ++i) {
      const auto place = signals.place(i);
      if (place.type == Type::Float64) {
        for (std::uint32_t e = 0; e < 2; ++e) values.column<double>()[place.first + e] = y[e];
      } else {
        values.column<Bool>()[place.first] = negates ? !b_ : y[0] > 5;
      }
    }
  }
  [[nodiscard]] unit::Derivatives* derivatives() override { return has_derivatives ? this : nullptr; }
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override {
    ++derivatives_asked;
    require(unknowns.size() == 1 && knowns.size() == 1 && seed.size() == 2 && sensitivity.size() == 2,
            "an array has to be asked for as a whole");
    for (std::size_t i = 0; i < 2; ++i) sensitivity[i] = gain[i][0] * seed[0] + gain[i][1] * seed[1];
  }

 private:
  static describe::Description describe() {
    describe::Builder b;
    b.dimensions(b.add_input("u", 1, Value(std::vector<double>{0, 0})), {describe::fixed_size(2)});
    b.add_input("b", 2, Value::scalar(Bool(false)));
    auto& y = b.add("y", 3);
    y.causality = describe::Causality::output;
    b.dimensions(y, {describe::fixed_size(2)});
    b.add("p", 4, Type::Boolean).causality = describe::Causality::output;
    return b.finish();
  }

  std::string name_;
  describe::Description description_;
  double u_[2] = {0, 0};
  bool b_ = false;
};

struct Pair {
  Pair() {
    for (const char* name : {"a", "b"}) {
      made.push_back(std::make_unique<Follower>(name));
      followers.push_back(made.back().get());
      system.add(name, name);
    }
  }
  Follower& unit(std::size_t i) { return *followers[i]; }

  LoopTally solve(std::function<void(RunState&)> overrides = {}) {
    plan = graph::compile(system, [&](const graph::Component& c) -> const describe::Description& {
      return followers[c.name == "a" ? 0 : 1]->description();
    });
    std::vector<fleet::UnitSpec> specs(2);
    specs[0].name = "a";
    specs[1].name = "b";
    host::HostSetup setup;
    setup.factory = [&](const fleet::UnitSpec& spec) { return std::move(made[spec.name == "a" ? 0 : 1]); };
    host = host::make_serial_host(setup);
    units = std::make_unique<fleet::Fleet>(specs, *host);
    auto& fleet = *units;
    state = make_run_state(plan);
    Consistency consistency(plan, fleet, {}, {true, true});
    if (overrides) consistency.set_overrides(std::move(overrides));
    std::vector<fleet::Blocks> blocks;
    for (const auto& u : plan.units) blocks.push_back({&u.inputs, &u.outputs, u.first_input, u.first_output, 1});
    fleet.connect(blocks);
    for (const fleet::UnitId u : {0U, 1U}) fleet.ask(fleet.wave_of(u), fleet::Verb::read, 0, state.signals);
    consistency(fleet, state);
    EXPECT_EQ(plan.loops.size(), 1U);
    return state.loops.front();
  }
  [[nodiscard]] double output(std::size_t i) const { return state.signals.outputs.column<double>()[i]; }

  graph::System system{"pair"};
  std::vector<std::unique_ptr<Follower>> made;  // until they move into the fleet
  std::vector<Follower*> followers;
  std::unique_ptr<fleet::Host> host;
  std::unique_ptr<fleet::Fleet> units;
  graph::Plan plan;
  RunState state;
};

// a.y = A (1e6 b.y) + 1, b.y = B a.y + 1.
void connect_arrays(Pair& p) {
  p.unit(0).gain[0][0] = 0.5e-6;
  p.unit(0).gain[0][1] = 2e-6;
  p.unit(0).gain[1][0] = -1e-6;
  p.unit(1).gain[0][1] = 3;
  p.unit(1).gain[1][0] = -0.25;
  p.unit(1).gain[1][1] = 2;
  p.system.connect("a.y", "b.u");
  p.system.connect("b.y", "a.u", {1e6, 0});
}

void expect_solution(const Pair& p) {
  EXPECT_NEAR(p.output(0), 0.5 * p.output(2) + 2 * p.output(3) + 1, 1e-7);
  EXPECT_NEAR(p.output(1), -p.output(2) + 1, 1e-7);
  EXPECT_NEAR(p.output(2), 3 * p.output(1) + 1, 1e-7);
  EXPECT_NEAR(p.output(3), -0.25 * p.output(0) + 2 * p.output(1) + 1, 1e-7);
}

TEST(LoopsOfArrays, TakeTheDerivativesOfWholeArraysAndScaleThem) {
  Pair p;
  connect_arrays(p);
  const auto report = p.solve();
  expect_solution(p);
  EXPECT_LE(report.iterations, 2U) << "the loop is linear, so the right derivatives need one iteration";
  EXPECT_EQ(p.unit(0).derivatives_asked % 2, 0);
  EXPECT_GT(p.unit(0).derivatives_asked, 0);
}

TEST(LoopsOfArrays, AreSolvedWithDifferencesWhereAUnitHasNoDerivatives) {
  Pair p;
  connect_arrays(p);
  p.unit(1).has_derivatives = false;
  p.solve();
  expect_solution(p);
  EXPECT_EQ(p.unit(0).derivatives_asked, 0);
}

TEST(LoopsOfArrays, KeepInputsThatAreOverridden) {
  Pair p;
  connect_arrays(p);
  p.solve([](RunState& state) { state.signals.inputs.column<double>()[2] = 7; });
  EXPECT_NEAR(p.output(2), 3 * p.output(1) + 1, 1e-7);
  EXPECT_NEAR(p.output(3), -0.25 * 7 + 2 * p.output(1) + 1, 1e-7) << "b.u[1] is 7, whatever a.y[1] is";
}

// The Boolean becomes true when the solution without it is known, and then changes the solution.
TEST(LoopsWithBooleans, AreSolvedAgainUntilTheBooleansFit) {
  for (const char* method : {"derivatives", "differences"}) {
    Pair p;
    p.unit(0).gain[0][0] = 0.4;
    p.unit(1).gain[0][0] = 1;
    p.unit(0).listens = true;
    p.unit(0).has_derivatives = std::string(method) == "derivatives";
    p.system.connect("a.y", "b.u");
    p.system.connect("b.y", "a.u", {2, 3});  // y = 0.4 (2 (y + 1) + 3) + 1 = 15 without the Boolean
    p.system.connect("b.p", "a.b");
    p.solve();
    EXPECT_NEAR(p.output(0), 10, 1e-7) << method;
    EXPECT_NEAR(p.output(2), 11, 1e-7) << method;
  }
}

TEST(LoopsWithBooleans, ThatNeverSettleAreAnErrorThatNamesThem) {
  Pair p;
  p.unit(0).negates = true;  // a.p = !a.b, b.p = (b.y[1] > 5)
  p.system.connect("a.p", "b.b");
  p.system.connect("b.p", "a.b");
  p.unit(1).listens = true;  // b.y[1] = 10 if b.b is true
  try {
    p.solve();
    FAIL() << "a Boolean that is its own opposite has no value";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("a.p"));
    EXPECT_THAT(e.what(), HasSubstr("b.b"));
    EXPECT_THAT(e.what(), HasSubstr("does not settle"));
  }
}

}  // namespace

}  // namespace consort::couple
