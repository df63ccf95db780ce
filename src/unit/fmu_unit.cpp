#include "unit/fmu_unit.hpp"

#include "unit/fmu_values.hpp"

namespace consort::unit {

namespace {

class FmuSnapshot : public Snapshot {
 public:
  explicit FmuSnapshot(std::unique_ptr<fmi::SavedState> s) : state(std::move(s)) {}
  std::unique_ptr<fmi::SavedState> state;
};

class FmuUnit final : public Unit, public Rollback, public Events {
 public:
  FmuUnit(const fmi::Fmu& fmu, fmi::InstanceOptions options)
      : description_(fmu.description()), instance_(fmu.co_simulation(std::move(options))) {}

  [[nodiscard]] const std::string& name() const override { return instance_->name(); }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return instance_->interface().variable_step; }

  void enter_initialization(const Experiment& e) override {
    instance_->enter_initialization({e.start, e.stop, e.tolerance});
  }
  void exit_initialization() override { instance_->exit_initialization(); }
  void terminate() override { instance_->terminate(); }

  void get(const describe::SignalSet& signals, Columns& values) override { get_values(*instance_, signals, values); }
  void set(const describe::SignalSet& signals, Columns& values) override { set_values(*instance_, signals, values); }
  bool configure(const describe::SignalSet& signals, Columns& values) override {
    return configure_values(*instance_, signals, values);
  }

  bool set_slopes(std::span<const ValueReference> inputs, std::span<const double> slopes) override {
    auto* const derivatives = instance_->input_derivatives();
    if (derivatives == nullptr) return false;
    if (inputs.empty()) return true;
    orders_.resize(inputs.size(), 1);
    derivatives->set_input_derivatives(inputs, std::span(orders_).first(inputs.size()), slopes);
    return true;
  }

  StepOutcome step(const StepRequest& r) override {
    const auto report = instance_->do_step(r.t, r.h, r.may_roll_back);
    if (report.terminate) return {report.reached, Why::terminate};
    if (report.end == fmi::StepReport::End::discarded) return {report.reached, Why::discarded};
    if (report.event_needed) return {report.reached, Why::event};
    if (report.end == fmi::StepReport::End::early) return {report.reached, Why::early};
    return {report.reached, Why::completed};
  }

  // --- capabilities

  [[nodiscard]] Rollback* rollback() override { return instance_->state_saving() != nullptr ? this : nullptr; }
  std::unique_ptr<Snapshot> save(std::unique_ptr<Snapshot> reuse) override {
    if (!reuse) return std::make_unique<FmuSnapshot>(instance_->state_saving()->save());
    auto& old = static_cast<FmuSnapshot&>(*reuse);
    old.state = instance_->state_saving()->save(std::move(old.state));
    return reuse;
  }
  void restore(const Snapshot& snapshot) override {
    instance_->state_saving()->restore(*static_cast<const FmuSnapshot&>(snapshot).state);
  }
  [[nodiscard]] bool can_serialize() const override { return instance_->state_saving()->can_serialize(); }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const Snapshot& snapshot) override {
    return instance_->state_saving()->serialize(*static_cast<const FmuSnapshot&>(snapshot).state);
  }
  [[nodiscard]] std::unique_ptr<Snapshot> deserialize(std::span<const std::uint8_t> bytes) override {
    return std::make_unique<FmuSnapshot>(instance_->state_saving()->deserialize(bytes));
  }

  [[nodiscard]] Events* events() override { return instance_->event_mode() != nullptr ? this : nullptr; }
  void enter_event_mode() override { instance_->event_mode()->enter_event_mode(); }
  EventOutcome update() override {
    const auto u = instance_->event_mode()->update_discrete_states();
    return {u.repeat, u.terminate, u.next_event};
  }
  void leave_event_mode() override { instance_->event_mode()->leave_event_mode(); }

 private:
  const describe::Description& description_;
  std::unique_ptr<fmi::CoSimulation> instance_;
  std::vector<std::int32_t> orders_;
};

}  // namespace

std::unique_ptr<Unit> make_fmu_unit(const fmi::Fmu& fmu, fmi::InstanceOptions options) {
  return std::make_unique<FmuUnit>(fmu, std::move(options));
}

}  // namespace consort::unit
