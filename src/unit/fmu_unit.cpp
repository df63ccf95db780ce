#include "unit/fmu_unit.hpp"

#include <algorithm>

#include "unit/fmu_values.hpp"

namespace consort::unit {

namespace {

constexpr std::uint32_t highest_input_order = 3;

class FmuSnapshot : public Snapshot {
 public:
  explicit FmuSnapshot(std::unique_ptr<fmi::SavedState> s) : state(std::move(s)) {}
  std::unique_ptr<fmi::SavedState> state;
};

class FmuUnit final : public Unit, public Rollback, public Events, public Derivatives {
 public:
  FmuUnit(const fmi::Fmu& fmu, fmi::InstanceOptions options)
      : description_(fmu.description()),
        instance_(fmu.co_simulation(std::move(options))),
        states_(instance_->state_saving()) {}

  [[nodiscard]] const std::string& name() const override { return instance_->name(); }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return instance_->interface().variable_step; }

  void enter_initialization(const Experiment& e) override { instance_->enter_initialization(e); }
  void exit_initialization() override { instance_->exit_initialization(); }
  void terminate() override { instance_->terminate(); }

  void get(const describe::SignalSet& signals, Columns& values) override { get_values(*instance_, signals, values); }
  void set(const describe::SignalSet& signals, Columns& values) override { set_values(*instance_, signals, values); }
  [[nodiscard]] std::string try_get(const describe::SignalSet& signals, Columns& values) override {
    return try_get_values(*instance_, signals, values);
  }
  void get_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at) override {
    get_values(*instance_, signals, values, at);
  }
  void set_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at) override {
    set_values(*instance_, signals, values, at);
  }
  bool configure(const describe::SignalSet& signals, Columns& values) override {
    return configure_values(*instance_, signals, values);
  }
  [[nodiscard]] bool reset() override { return reset_instance(*instance_); }

  // FMI 1.0 and 2.0 do not say which orders of input derivatives an FMU accepts, and one that refuses an order may end
  // its model (FMI 2.0, 2.1.3: it cannot be used after an error). The order of its output derivatives is the best
  // guess.
  [[nodiscard]] int input_order() const override {
    if (instance_->input_derivatives() == nullptr) return 0;
    const auto declared =
        std::max(description_.input_derivative_order, instance_->interface().max_output_derivative_order);
    return static_cast<int>(std::clamp(declared, 1U, highest_input_order));
  }
  void set_input_derivatives(std::span<const ValueReference> inputs, std::span<const std::int32_t> orders,
                             std::span<const double> values) override {
    // Some tools refuse lists with several orders.
    for (std::size_t first = 0, end = 0; first < inputs.size(); first = end) {
      while (end < inputs.size() && orders[end] == orders[first]) ++end;
      const std::size_t n = end - first;
      set_derivatives_of_one_order(inputs.subspan(first, n), orders.subspan(first, n), values.subspan(first, n));
    }
  }
  [[nodiscard]] int output_order() const override {
    if (instance_->output_derivatives() == nullptr) return 0;
    constexpr std::uint32_t most = 100;  // more than any FMU declares, and fits an int
    return static_cast<int>(std::min(instance_->interface().max_output_derivative_order, most));
  }
  void get_output_derivatives(std::span<const ValueReference> outputs, std::span<const std::int32_t> orders,
                              std::span<double> values) override {
    if (!outputs.empty()) instance_->output_derivatives()->output_derivatives(outputs, orders, values);
  }

  StepOutcome step(const StepRequest& r) override { return outcome_of(instance_->do_step(r.t, r.h, r.may_roll_back)); }

  [[nodiscard]] bool can_reject_steps() const override { return instance_->interface().can_reject_steps; }

  // --- capabilities

  [[nodiscard]] Rollback* rollback() override { return states_ != nullptr ? this : nullptr; }
  std::unique_ptr<Snapshot> save(std::unique_ptr<Snapshot> reuse) override {
    if (!reuse) return std::make_unique<FmuSnapshot>(states_->save());
    auto& old = static_cast<FmuSnapshot&>(*reuse);
    old.state = states_->save(std::move(old.state));
    return reuse;
  }
  void restore(const Snapshot& snapshot) override {
    states_->restore(*static_cast<const FmuSnapshot&>(snapshot).state);
  }
  [[nodiscard]] bool is_trusted() const override { return false; }
  [[nodiscard]] bool can_serialize() const override { return states_->can_serialize(); }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const Snapshot& snapshot) override {
    return states_->serialize(*static_cast<const FmuSnapshot&>(snapshot).state);
  }
  [[nodiscard]] std::unique_ptr<Snapshot> deserialize(std::span<const std::uint8_t> bytes) override {
    return std::make_unique<FmuSnapshot>(states_->deserialize(bytes));
  }

  [[nodiscard]] Events* events() override { return instance_->event_mode() != nullptr ? this : nullptr; }
  void enter_event_mode() override { instance_->event_mode()->enter_event_mode(); }
  EventOutcome update() override {
    const auto u = instance_->event_mode()->update_discrete_states();
    return {u.repeat, u.terminate, u.next_event};
  }
  void leave_event_mode() override { instance_->event_mode()->leave_event_mode(); }

  [[nodiscard]] Derivatives* derivatives() override {
    return instance_->directional_derivatives() != nullptr ? this : nullptr;
  }
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override {
    instance_->directional_derivatives()->directional(unknowns, knowns, seed, sensitivity);
  }

 private:
  [[nodiscard]] fmi::CoSimulation* instance() override { return instance_.get(); }

  // An FMU may have taken the values that it objects to.
  void set_derivatives_of_one_order(std::span<const ValueReference> inputs, std::span<const std::int32_t> orders,
                                    std::span<const double> values) {
    auto& derivatives = *instance_->input_derivatives();
    try {
      derivatives.set_input_derivatives(inputs, orders, values);
    } catch (const fmi::Refused&) {
      const std::vector<double> zeros(values.size(), 0.0);
      try {
        derivatives.set_input_derivatives(inputs, orders, zeros);
      } catch (const fmi::Refused&) {  // NOLINT(bugprone-empty-catch)
      }
      throw;
    }
  }

  const describe::Description& description_;
  std::unique_ptr<fmi::CoSimulation> instance_;
  fmi::StateSaving* states_;  // of the instance
};

}  // namespace

StepOutcome outcome_of(const fmi::StepReport& report) {
  if (report.terminate) return {report.reached, Why::terminate};
  if (report.end == fmi::StepReport::End::discarded) return {report.reached, Why::discarded};
  if (report.event_needed) return {report.reached, Why::event};
  return {report.reached, report.end == fmi::StepReport::End::early ? Why::early : Why::completed};
}

std::unique_ptr<Unit> make_fmu_unit(const fmi::Fmu& fmu, fmi::InstanceOptions options) {
  return std::make_unique<FmuUnit>(fmu, std::move(options));
}

}  // namespace consort::unit
