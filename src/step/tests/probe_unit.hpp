// A linear unit that is solved exactly, records its inputs, and fails as a test requests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "unit/linear_unit.hpp"
#include "unit/unit.hpp"

namespace consort::step {

// Data shared by a test and its unit. A unit runs in one thread at a time, and tests read only while no unit runs.
struct Probe {
  std::uint64_t steps = 0;                      // attempts and trials included
  unit::StepRequest last{};                     // request
  std::vector<double> inputs{};                 // of the last step, at its beginning
  std::array<std::vector<double>, 3> slopes{};  // their derivatives, 1 to 3
  // The outcome of a step in place of `completed`; the step is done only if the outcome is completed or terminate.
  std::function<unit::Why(const unit::StepRequest&)> on_step{};
  Duration done = 0;  // the part of a discarded step that the unit reports as reached
  std::uint64_t saves = 0;
};

// Has one more state, the time since the beginning, which is also an output.
inline unit::LinearSystem with_clock(unit::LinearSystem s) {
  const std::size_t n = s.start.size(), inputs = s.inputs.size(), outputs = s.outputs.size();
  const auto padded = [](const std::vector<double>& rows, std::size_t count, std::size_t width, std::size_t columns) {
    std::vector<double> all(count * columns, 0.0);
    for (std::size_t i = 0; width > 0 && i < rows.size() / width; ++i)
      for (std::size_t k = 0; k < width; ++k) all[i * columns + k] = rows[i * width + k];
    return all;
  };
  s.a = padded(s.a, n + 1, n, n + 1);
  s.b = padded(s.b, n + 1, inputs, inputs);
  s.c = padded(s.c, outputs + 1, n, n + 1);
  s.c.back() = 1;
  s.d = padded(s.d, outputs + 1, inputs, inputs);
  s.offset.resize(n + 1, 0.0);
  s.offset.back() = 1;
  s.start.push_back(0);
  s.outputs.emplace_back("clock");
  return s;
}

// Expects every step to begin at the unit's present time.
class ProbeUnit final : public unit::Unit, public unit::Rollback {
 public:
  ProbeUnit(const std::string& name, unit::LinearSystem system, Probe& probe)
      : unit_(name, with_clock(std::move(system))),
        probe_(probe),
        clock_(unit_.description(), std::vector<describe::VariableId>{unit_.description().require_variable("clock")}),
        now_(clock_.make_columns()) {}

  [[nodiscard]] const std::string& name() const override { return unit_.name(); }
  [[nodiscard]] const describe::Description& description() const override { return unit_.description(); }
  [[nodiscard]] bool variable_step() const override { return true; }
  void enter_initialization(const unit::Experiment& e) override { unit_.enter_initialization(e); }
  void exit_initialization() override { unit_.exit_initialization(); }
  void terminate() override { unit_.terminate(); }
  void get(const describe::SignalSet& signals, Columns& values) override { unit_.get(signals, values); }
  [[nodiscard]] int input_order() const override { return unit_.input_order(); }
  [[nodiscard]] bool responds_without_step() const override { return unit_.responds_without_step(); }
  [[nodiscard]] unit::Rollback* rollback() override { return unit_.rollback() != nullptr ? this : nullptr; }
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
    // Tests of slopes use only one input.
    for (std::size_t i = 0; i < values.size(); ++i)
      probe_.slopes.at(static_cast<std::size_t>(orders[i] - 1)).front() = values[i];
  }
  unit::StepOutcome step(const unit::StepRequest& request) override {
    ++probe_.steps;
    probe_.last = request;
    unit_.get(clock_, now_);
    EXPECT_NEAR(now_.column<double>().front(), request.t, 1e-9) << name();
    const auto why = probe_.on_step ? probe_.on_step(request) : unit::Why::completed;
    if (why != unit::Why::completed && why != unit::Why::terminate) return {request.t + probe_.done, why};
    const auto outcome = unit_.step(request);
    return {outcome.reached, why};
  }

  std::unique_ptr<unit::Snapshot> save(std::unique_ptr<unit::Snapshot> reuse) override {
    ++probe_.saves;
    return unit_.rollback()->save(std::move(reuse));
  }
  void restore(const unit::Snapshot& snapshot) override { unit_.rollback()->restore(snapshot); }
  [[nodiscard]] bool can_serialize() const override { return unit_.can_serialize(); }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const unit::Snapshot& snapshot) override {
    return unit_.rollback()->serialize(snapshot);
  }
  [[nodiscard]] std::unique_ptr<unit::Snapshot> deserialize(std::span<const std::uint8_t> bytes) override {
    return unit_.rollback()->deserialize(bytes);
  }

 private:
  unit::LinearUnit unit_;
  Probe& probe_;
  describe::SignalSet clock_;
  Columns now_;
};

}  // namespace consort::step
