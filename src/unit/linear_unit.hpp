// A linear system that is solved to machine precision for any step size. For tests and experiments in which the
// coupling must be the only source of error.
//
//   x' = A x + B u + c,   y = C x + D u;   inputs follow polynomials of degree <= 3 within a step.
//
// The unit provides first derivatives of its outputs, C x' + D u', with u' taken at the end of the last step.
#pragma once

#include <string>
#include <vector>

#include "unit/unit.hpp"

namespace consort::unit {

// Matrices are stored row by row. `b` and `d` have one column per input.
struct LinearSystem {
  std::vector<std::string> inputs{};
  std::vector<std::string> outputs{};
  std::vector<double> start{};  // initial x
  std::vector<double> a{}, b{}, c{}, d{};
  std::vector<double> offset{};  // the vector c; empty: 0
  bool answers_at_once = false;  // outputs respond to new inputs without a step
  bool can_roll_back = true;     // false: the unit offers no rollback
  bool differentiates = true;    // false: the unit offers no directional derivatives
  bool tells_slopes = true;      // provides derivatives of outputs
};

class LinearUnit final : public Unit, public Rollback, public Derivatives {
 public:
  // Throws Error (input) if the sizes of the matrices do not match.
  LinearUnit(std::string name, LinearSystem system);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return true; }
  void enter_initialization(const Experiment&) override {}
  void exit_initialization() override {}
  void terminate() override {}
  void get(const describe::SignalSet& signals, Columns& values) override;
  void set(const describe::SignalSet& signals, Columns& values) override;
  [[nodiscard]] int input_order() const override { return 3; }
  void set_input_derivatives(std::span<const ValueReference> inputs, std::span<const std::int32_t> orders,
                             std::span<const double> values) override;
  StepOutcome step(const StepRequest& request) override;
  [[nodiscard]] int output_order() const override { return s_.tells_slopes ? 1 : 0; }
  void get_output_derivatives(std::span<const ValueReference> outputs, std::span<const std::int32_t> orders,
                              std::span<double> values) override;
  [[nodiscard]] bool responds_without_step() const override { return s_.answers_at_once; }
  [[nodiscard]] Rollback* rollback() override { return s_.can_roll_back ? this : nullptr; }
  [[nodiscard]] Derivatives* derivatives() override { return s_.differentiates ? this : nullptr; }
  // Rollback
  std::unique_ptr<Snapshot> save(std::unique_ptr<Snapshot> reuse) override;
  void restore(const Snapshot& snapshot) override;
  [[nodiscard]] bool can_serialize() const override { return true; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const Snapshot& snapshot) override;
  [[nodiscard]] std::unique_ptr<Snapshot> deserialize(std::span<const std::uint8_t> bytes) override;
  // Derivatives
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override;

 private:
  void describe();
  void advance(Duration h);
  void forget_derivatives();
  // Returns the index of the input. Throws Error (input) if the reference is not an input.
  [[nodiscard]] std::size_t require_input(ValueReference reference) const;
  [[nodiscard]] std::size_t require_output(ValueReference reference) const;
  [[nodiscard]] double output(std::size_t index) const;
  [[nodiscard]] double slope(std::size_t output) const;

  std::string name_;
  LinearSystem s_;
  describe::Description description_;
  std::vector<double> x_;
  std::vector<double> u_;       // values, then derivatives 1 to 3; one entry per input each
  std::vector<double> slopes_;  // of inputs at the end of the last step
  std::vector<double> next_;    // scratch: a term of the series
  std::vector<double> term_;
};

}  // namespace consort::unit
