// The unit of me_unit.hpp, in several files: me_unit.cpp initialises and steps it, me_unit_saving.cpp saves and
// restores it, me_unit_derivatives.cpp differentiates it.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solve/integrate.hpp"
#include "solve/solvers.hpp"
#include "unit/me_problem.hpp"
#include "unit/me_unit.hpp"
#include "unit/native_instance.hpp"
#include "unit/polynomial_inputs.hpp"
#include "unit/set_back.hpp"
#include "unit/step_sensitivity.hpp"

namespace consort::unit {

using describe::SignalSet;

class MeSnapshot;

class MeUnit final : public Unit, public Rollback, public Events, public Derivatives, public StepDerivatives {
 public:
  MeUnit(std::unique_ptr<fmi::ModelExchange> instance, const describe::Description& description, MeUnitOptions options)
      : description_(description),
        options_(std::move(options)),
        instance_(std::move(instance)),
        inputs_(*instance_, description_),
        problem_(*instance_, description_, &inputs_) {
    static_cast<void>(solve::find_solver(options_.solver));
    if (instance_->state_saving() != nullptr) return;
    memory_ = declared_memory(description_);
    if (memory_.empty()) set_back_.emplace(*instance_, description_, problem_, inputs_, structural_);
  }

  [[nodiscard]] const std::string& name() const override { return instance_->name(); }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return true; }
  [[nodiscard]] bool responds_without_step() const override { return true; }
  [[nodiscard]] bool handles_events_inside() const override { return true; }
  [[nodiscard]] bool takes_states() const override { return true; }
  [[nodiscard]] StepEvents events_in_step() const override { return last_.events; }
  [[nodiscard]] Time next_event() const override { return problem_.memory().next_event; }

  void enter_initialization(const Experiment& e) override;
  void exit_initialization() override;
  void terminate() override { instance_->terminate(); }
  bool configure(const SignalSet& signals, Columns& values) override;
  [[nodiscard]] bool reset() override;

  void get(const SignalSet& signals, Columns& values) override;
  [[nodiscard]] std::string try_get(const SignalSet& signals, Columns& values) override;
  void set(const SignalSet& signals, Columns& values) override;
  [[nodiscard]] int input_order() const override { return PolynomialInputs::highest_order; }
  void set_input_derivatives(std::span<const ValueReference> inputs, std::span<const std::int32_t> orders,
                             std::span<const double> values) override {
    require_running();
    inputs_.take_derivatives(inputs, orders, values);
  }
  StepOutcome step(const StepRequest& r) override;
  [[nodiscard]] int output_order() const override { return 1; }
  void get_output_derivatives(std::span<const ValueReference> outputs, std::span<const std::int32_t> orders,
                              std::span<double> values) override;

  [[nodiscard]] Rollback* rollback() override { return memory_.empty() ? this : nullptr; }
  [[nodiscard]] std::string why_no_rollback() const override { return memory_; }
  std::unique_ptr<Snapshot> save(std::unique_ptr<Snapshot> reuse) override;
  void restore(const Snapshot& snapshot) override;
  [[nodiscard]] bool is_exact() const override {
    return solve::find_solver(options_.solver).capabilities.exact_restart;
  }
  [[nodiscard]] bool is_complete() const override { return !set_back_; }
  // What is set back is tested by SetBack.
  [[nodiscard]] bool is_trusted() const override {
    return set_back_ || dynamic_cast<const NativeInstance*>(instance_.get()) != nullptr;
  }
  [[nodiscard]] bool can_serialize() const override {
    auto* const states = instance_->state_saving();
    return states != nullptr && states->can_serialize();
  }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const Snapshot& snapshot) override;
  [[nodiscard]] std::unique_ptr<Snapshot> deserialize(std::span<const std::uint8_t> bytes) override;

  [[nodiscard]] Events* events() override { return this; }
  void enter_event_mode() override;
  EventOutcome update() override;
  void leave_event_mode() override;

  [[nodiscard]] Derivatives* derivatives() override { return this; }
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override;
  [[nodiscard]] StepDerivatives* step_derivatives() override { return this; }
  void step_directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                        std::span<const double> seed, std::span<double> sensitivity) override;

 private:
  void make_solver();
  void load_solver();  // copies its state and tolerances into y_ and tolerances_
  // Moves the instance to the current time with the inputs that were set.
  void refresh();
  void external_event();
  // Index of the first state of a variable; none if it is not a state.
  [[nodiscard]] std::optional<std::size_t> state_of(describe::VariableId id) const;
  void set_state(const describe::SignalSet& signals, Columns& values, std::size_t first);
  [[nodiscard]] Time end_of(const StepRequest& r) const;
  void restore_instance(const MeSnapshot& snapshot);
  void restore_bytes(const MeSnapshot& snapshot);
  void read_bytes(std::span<const std::uint8_t> bytes);
  // Writes the direction of these inputs to direction_. Returns its size relative to the inputs.
  double make_direction(std::span<const ValueReference> knowns, std::span<const double> seed);
  void go_to(Time t, std::span<const double> x);  // leaves the inputs unchanged
  // At the point to which the instance was moved, whose time is t.
  void read_at(Time t, std::span<const ValueReference> references, std::span<double> values) {
    problem_.evaluate(t);
    instance_->get<double>(references, values);
  }
  [[nodiscard]] std::span<const double> states() const { return solver_->state().first(state_count_); }
  void require_running() const;
  void require_mode(bool in_event_mode) const;

  const describe::Description& description_;
  MeUnitOptions options_;
  std::unique_ptr<fmi::ModelExchange> instance_;
  PolynomialInputs inputs_;
  MeProblem problem_;
  std::unique_ptr<solve::Solver> solver_;  // from exit_initialization() on
  std::optional<solve::Integration> integration_;
  std::map<ValueReference, std::uint64_t> structural_;
  std::string memory_;               // declared, of an instance that cannot save its state; a clause
  std::optional<SetBack> set_back_;  // if the instance cannot save its state and declares no memory
  std::size_t state_count_ = 0;
  Time t_ = 0;
  std::optional<Time> stop_;
  bool stale_ = false;  // the instance is at another point or has other inputs
  bool in_event_mode_ = false;
  bool wants_update_ = false;  // the last update in event mode asked for another one

  struct LastStep {
    bool known = false;
    StepEvents events{};
    Time from = 0;
    std::vector<double> states{};  // at the beginning of the step
  };
  LastStep last_;
  std::unique_ptr<StepSensitivity> sensitivity_;
  std::vector<double> y_, tolerances_, x_, rates_, direction_, ahead_, further_;
};

}  // namespace consort::unit
