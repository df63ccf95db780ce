// Presents a unit of a program's own class (consort/native.hpp) as a Model Exchange instance. The rules of
// native_instance.hpp apply: values, modes and errors are those of an exported FMU.
//
// Derivatives, outputs and indicators are computed when they are read and something has changed. Outputs that are
// discrete are computed in event mode only, and held in between.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "consort/native.hpp"
#include "fmi/instance.hpp"
#include "unit/custom_description.hpp"
#include "unit/native_instance.hpp"

namespace consort::unit {

class CustomInstance final : public fmi::ModelExchange, public fmi::StateSaving, public fmi::DirectionalDerivatives {
 public:
  // The references must outlive the instance.
  CustomInstance(const NativeDeclaration& declaration, const CustomLayout& layout,
                 const describe::Description& description, std::unique_ptr<NativeUnit> unit, NativeOptions options);

  // Instance
  [[nodiscard]] const std::string& name() const override { return options_.name; }
  [[nodiscard]] const describe::Interface& interface() const override { return description_.interfaces.front(); }
  void set_debug_logging(bool, std::span<const std::string>) override {}
  void enter_initialization(const fmi::Experiment& experiment) override;
  void exit_initialization() override;
  void terminate() override { mode_ = Mode::terminated; }
  void reset() override;
  [[nodiscard]] fmi::StateSaving* state_saving() override { return interface().can_save_state ? this : nullptr; }
  [[nodiscard]] fmi::DirectionalDerivatives* directional_derivatives() override { return this; }
  [[nodiscard]] std::string missing(std::string_view capability) const override;

  // EventMode and ModelExchange
  void enter_event_mode() override;
  fmi::DiscreteUpdate update_discrete_states() override;
  void leave_event_mode() override;
  [[nodiscard]] std::size_t continuous_states() override { return layout_.states; }
  [[nodiscard]] std::size_t event_indicators() override { return declaration_.indicators; }
  void set_time(Time t) override;
  void set_states(std::span<const double> x) override;
  void get_states(std::span<double> x) override;
  void get_derivatives(std::span<double> dx) override;
  void get_event_indicators(std::span<double> z) override;
  void get_nominals(std::span<double> x) override;
  fmi::IntegratorStep completed_integrator_step(bool) override { return {}; }

  // StateSaving
  std::unique_ptr<fmi::SavedState> save(std::unique_ptr<fmi::SavedState> reuse) override;
  void restore(const fmi::SavedState& state) override;
  [[nodiscard]] bool can_serialize() const override { return true; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const fmi::SavedState& state) override;
  [[nodiscard]] std::unique_ptr<fmi::SavedState> deserialize(std::span<const std::uint8_t> bytes) override;

  // DirectionalDerivatives
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override;

 protected:
  void read(Type type, std::span<const ValueReference> references, void* values, std::size_t count) override;
  void write(Type type, std::span<const ValueReference> references, const void* values, std::size_t count) override;

 private:
  using Place = CustomLayout::Place;
  using Kind = CustomLayout::Kind;
  enum class Mode : std::uint8_t { instantiated, initialization, event, continuous, terminated };
  // Everything that save() copies, apart from the unit's own memory.
  struct State {
    Time t = 0;
    Mode mode = Mode::instantiated;
    bool rates_stale = true, outputs_stale = true;
    std::vector<double> values;
  };
  class Saved;

  template <class F>
  void guarded(std::string_view function, F&& body);
  [[nodiscard]] const Place& place(ValueReference reference, Type type) const;
  template <class T>
  [[nodiscard]] T from_double(const Place& place, ValueReference reference) const;
  [[nodiscard]] bool is_settable(const Place& place) const;
  [[nodiscard]] NativePoint point(std::span<const double> values) const;
  [[nodiscard]] NativeEvent event_at();
  [[nodiscard]] std::span<double> part(std::size_t first, std::size_t count) {
    return std::span(values_).subspan(first, count);
  }
  void touch() { rates_stale_ = outputs_stale_ = initialize_stale_ = true; }
  void set_starts();
  void initialize();
  void compute_rates();
  void compute_outputs();
  // Derivatives and outputs of `values`, which has the layout of values_.
  void evaluate(std::span<double> values);
  void analytic(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                std::span<const double> seed, std::span<double> sensitivity);
  void by_differences(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                      std::span<const double> seed, std::span<double> sensitivity);
  [[nodiscard]] bool is_analytic(std::span<const ValueReference> unknowns,
                                 std::span<const ValueReference> knowns) const;

  const NativeDeclaration& declaration_;
  const CustomLayout& layout_;
  const describe::Description& description_;
  std::unique_ptr<NativeUnit> unit_;
  std::shared_ptr<const void> fresh_;  // the unit's own memory after construction, for reset()
  NativeOptions options_;
  Mode mode_ = Mode::instantiated;
  Time t_ = 0;
  bool rates_stale_ = true, outputs_stale_ = true, initialize_stale_ = true;
  std::vector<double> values_;
  std::vector<double> starts_;   // values of states and memory as set by the user, before initialize()
  std::vector<double> outputs_;  // scratch: the discrete ones are held
  std::vector<double> scratch_, before_, seed_, change_;
};

}  // namespace consort::unit
