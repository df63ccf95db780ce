// A unit that behaves as the test specifies and records its calls.
//
// Its inputs: u (continuous), d (discrete), a (an array of two, continuous), all Float64. Its outputs: y, the integral
// of u, and n, the number of steps.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "describe/tests/builder.hpp"
#include "unit/unit.hpp"

namespace consort::fleet {

using namespace consort::unit;  // this file only deals with units

class ScriptedUnit final : public Unit, public Rollback, public Events {
 public:
  struct Step {
    Time t = 0;
    Duration h = 0;
    std::array<double, 4> inputs{};  // u, d, a[1], a[2]
    std::array<double, 4> u{};       // u and its derivatives
  };
  struct Event {
    double u = 0;
    int updates = 0;
    double d = 0;
  };

  // `negated`: u is a negated alias, whose sign set() does not flip.
  explicit ScriptedUnit(bool negated = false) : description_(describe(negated)) {}

  // --- properties; set them before an Exchange is made

  bool takes_any_step = true;
  bool rejects_cleanly = false;
  bool has_states = true;
  bool has_events = false;
  int order = 0;
  // Outcome of a step; null: completed. Steps change the state even if they are discarded.
  std::function<StepOutcome(const StepRequest&)> on_step;
  std::function<EventOutcome(int update)> on_update;

  // --- recorded calls

  std::vector<Step> steps;
  std::vector<Event> event_modes;
  int saved = 0, restored = 0;
  bool in_event_mode = false;
  int discrete_outside_events = 0;  // how often d was set outside event mode, which FMI 3.0 forbids

  // --- Unit

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return takes_any_step; }
  [[nodiscard]] bool can_reject_steps() const override { return rejects_cleanly; }
  [[nodiscard]] int input_order() const override { return order; }
  [[nodiscard]] Rollback* rollback() override { return has_states ? this : nullptr; }
  [[nodiscard]] Events* events() override { return has_events ? this : nullptr; }
  void enter_initialization(const Experiment&) override {}
  void exit_initialization() override {}
  void terminate() override {}

  void set(const describe::SignalSet& signals, Columns& values) override {
    constexpr std::array<std::size_t, 3> first{0, 1, 2};  // u, d and a, by reference - 1
    const auto& group = signals.groups().at(0);
    for (std::size_t i = 0; i < group.references.size(); ++i) {
      if (group.references[i] == 2 && !in_event_mode && has_events) ++discrete_outside_events;
      for (auto e = group.offsets[i]; e < group.offsets[i + 1]; ++e)
        inputs_.at(first.at(group.references[i] - 1) + e - group.offsets[i]) = values.column<double>()[e];
    }
    derivatives_ = {};
  }
  void set_input_derivatives(std::span<const ValueReference> references, std::span<const std::int32_t> orders,
                             std::span<const double> values) override {
    for (std::size_t i = 0; i < references.size(); ++i)
      derivatives_.at(static_cast<std::size_t>(orders[i])) = references[i] == 1 ? values[i] : throw "not the scalar";
  }
  void get(const describe::SignalSet&, Columns& values) override {
    values.column<double>()[0] = state_.y;
    values.column<std::int32_t>()[0] = state_.n;
  }
  StepOutcome step(const StepRequest& request) override {
    derivatives_[0] = inputs_[0];
    steps.push_back({request.t, request.h, inputs_, derivatives_});
    const StepOutcome outcome = on_step ? on_step(request) : StepOutcome{request.t + request.h, Why::completed};
    const Duration h = outcome.reached - request.t;
    double term = 1;
    for (int m = 0; m < 4; ++m) {
      term *= h / (m + 1);
      state_.y += derivatives_.at(static_cast<std::size_t>(m)) * term;
    }
    ++state_.n;
    derivatives_ = {};
    return outcome;
  }

  // --- Rollback

  std::unique_ptr<Snapshot> save(std::unique_ptr<Snapshot> reuse) override {
    if (!reuse) reuse = std::make_unique<State>();
    static_cast<State&>(*reuse) = state_;
    ++saved;
    return reuse;
  }
  void restore(const Snapshot& snapshot) override {
    state_ = static_cast<const State&>(snapshot);
    ++restored;
  }
  [[nodiscard]] bool can_serialize() const override { return false; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const Snapshot&) override { return {}; }
  [[nodiscard]] std::unique_ptr<Snapshot> deserialize(std::span<const std::uint8_t>) override { return nullptr; }

  // --- Events

  void enter_event_mode() override {
    in_event_mode = true;
    event_modes.emplace_back();
  }
  EventOutcome update() override {
    event_modes.back().u = inputs_[0];
    event_modes.back().d = inputs_[1];
    return on_update ? on_update(event_modes.back().updates++) : EventOutcome{};
  }
  void leave_event_mode() override { in_event_mode = false; }

 private:
  struct State : Snapshot {
    double y = 0;
    std::int32_t n = 0;
  };

  static describe::Description describe(bool negated) {
    describe::Builder b;
    b.add_input("u", 1).negated = negated;
    b.add_input("d", 2).variability = describe::Variability::discrete;
    b.dimensions(b.add_input("a", 3, Value(std::vector<double>{0, 0})), {describe::fixed_size(2)});
    b.add("y", 4).causality = describe::Causality::output;
    b.add("n", 5, Type::Int32).causality = describe::Causality::output;
    return b.finish();
  }

  std::string name_ = "plant";
  describe::Description description_;
  std::array<double, 4> inputs_{};
  std::array<double, 4> derivatives_{};
  State state_;
};

}  // namespace consort::fleet
