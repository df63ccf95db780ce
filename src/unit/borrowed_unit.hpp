// Forwards every call to a unit that it does not own, for callers that expect to own their unit.
#pragma once

#include "unit/unit.hpp"

namespace consort::unit {

class BorrowedUnit final : public Unit {
 public:
  // `unit` must outlive this object.
  explicit BorrowedUnit(Unit& unit) : unit_(unit) {}

  [[nodiscard]] const std::string& name() const override { return unit_.name(); }
  [[nodiscard]] const describe::Description& description() const override { return unit_.description(); }
  void get(const describe::SignalSet& signals, Columns& values) override { unit_.get(signals, values); }
  void set(const describe::SignalSet& signals, Columns& values) override { unit_.set(signals, values); }
  bool configure(const describe::SignalSet& signals, Columns& values) override {
    return unit_.configure(signals, values);
  }
  [[nodiscard]] std::string try_get(const describe::SignalSet& signals, Columns& values) override {
    return unit_.try_get(signals, values);
  }
  [[nodiscard]] bool reset() override { return unit_.reset(); }
  [[nodiscard]] bool variable_step() const override { return unit_.variable_step(); }
  void enter_initialization(const Experiment& experiment) override { unit_.enter_initialization(experiment); }
  void exit_initialization() override { unit_.exit_initialization(); }
  void terminate() override { unit_.terminate(); }
  [[nodiscard]] int input_order() const override { return unit_.input_order(); }
  void set_input_derivatives(std::span<const ValueReference> inputs, std::span<const std::int32_t> orders,
                             std::span<const double> values) override {
    unit_.set_input_derivatives(inputs, orders, values);
  }
  StepOutcome step(const StepRequest& request) override { return unit_.step(request); }
  [[nodiscard]] bool can_reject_steps() const override { return unit_.can_reject_steps(); }
  void get_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at) override {
    unit_.get_part(signals, values, at);
  }
  void set_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at) override {
    unit_.set_part(signals, values, at);
  }
  [[nodiscard]] int output_order() const override { return unit_.output_order(); }
  void get_output_derivatives(std::span<const ValueReference> outputs, std::span<const std::int32_t> orders,
                              std::span<double> values) override {
    unit_.get_output_derivatives(outputs, orders, values);
  }
  [[nodiscard]] bool responds_without_step() const override { return unit_.responds_without_step(); }
  [[nodiscard]] bool handles_events_inside() const override { return unit_.handles_events_inside(); }
  [[nodiscard]] StepEvents events_in_step() const override { return unit_.events_in_step(); }
  [[nodiscard]] Time next_event() const override { return unit_.next_event(); }
  [[nodiscard]] Rollback* rollback() override { return unit_.rollback(); }
  [[nodiscard]] std::string why_no_rollback() const override { return unit_.why_no_rollback(); }
  [[nodiscard]] Events* events() override { return unit_.events(); }
  [[nodiscard]] Derivatives* derivatives() override { return unit_.derivatives(); }
  [[nodiscard]] StepDerivatives* step_derivatives() override { return unit_.step_derivatives(); }

 private:
  Unit& unit_;
};

}  // namespace consort::unit
