// A linear unit that is solved exactly, remembers what it was given, and misbehaves as a test tells it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/linear_unit.hpp"
#include "unit/unit.hpp"

namespace consort::step {

// What a test and its unit share. A unit is in one thread at a time, and tests look while none runs.
struct Probe {
  std::uint64_t steps = 0;                      // attempts and trials included
  unit::StepRequest last{};                     // request
  std::vector<double> inputs{};                 // of the last step, at its beginning
  std::array<std::vector<double>, 3> slopes{};  // their derivatives, 1 to 3
  // What becomes of a step instead of being completed; it is done only when the answer says completed or terminate.
  std::function<unit::Why(const unit::StepRequest&)> on_step{};
};

class ProbeUnit final : public unit::Unit {
 public:
  ProbeUnit(const std::string& name, unit::LinearSystem system, Probe& probe)
      : unit_(name, std::move(system)), probe_(probe) {}

  [[nodiscard]] const std::string& name() const override { return unit_.name(); }
  [[nodiscard]] const describe::Description& description() const override { return unit_.description(); }
  [[nodiscard]] bool variable_step() const override { return true; }
  void enter_initialization(const unit::Experiment& e) override { unit_.enter_initialization(e); }
  void exit_initialization() override { unit_.exit_initialization(); }
  void terminate() override { unit_.terminate(); }
  void get(const describe::SignalSet& signals, Columns& values) override { unit_.get(signals, values); }
  [[nodiscard]] int input_order() const override { return unit_.input_order(); }
  [[nodiscard]] bool responds_without_step() const override { return unit_.responds_without_step(); }
  [[nodiscard]] unit::Rollback* rollback() override { return unit_.rollback(); }
  [[nodiscard]] unit::Derivatives* derivatives() override { return unit_.derivatives(); }

  void set(const describe::SignalSet& signals, Columns& values) override {
    unit_.set(signals, values);
    const auto& given = values.column<double>();
    probe_.inputs.assign(given.begin(), given.end());
    for (auto& slope : probe_.slopes) slope.assign(given.size(), 0.0);
  }
  void set_input_derivatives(std::span<const ValueReference> inputs, std::span<const std::int32_t> orders,
                             std::span<const double> values) override {
    unit_.set_input_derivatives(inputs, orders, values);
    // One input: what is asked for in tests of slopes.
    for (std::size_t i = 0; i < values.size(); ++i)
      probe_.slopes.at(static_cast<std::size_t>(orders[i] - 1)).front() = values[i];
  }
  unit::StepOutcome step(const unit::StepRequest& request) override {
    ++probe_.steps;
    probe_.last = request;
    const auto why = probe_.on_step ? probe_.on_step(request) : unit::Why::completed;
    if (why != unit::Why::completed && why != unit::Why::terminate) return {request.t, why};
    const auto outcome = unit_.step(request);
    return {outcome.reached, why};
  }

 private:
  unit::LinearUnit unit_;
  Probe& probe_;
};

}  // namespace consort::step
