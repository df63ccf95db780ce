// Presents a native model as a Model Exchange instance: equivalent to an exported FMU of the model, but without the
// archive, the shared library and the C calls.
//
// Values, modes and states follow the same rules as those of an exported FMU. Value references come from
// model::describe_model. An exception of the model becomes an Error (run) that names the unit, the function and the
// time; model::Discard becomes fmi::Discarded.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "consort/model.hpp"
#include "fmi/instance.hpp"
#include "model/instance.hpp"
#include "model/layout.hpp"

namespace consort::unit {

struct NativeOptions {
  std::string name = "unit";
  std::string resources{};  // folder with the files of the model
  LogSink log{};            // receives the messages of the model
};

class NativeInstance final : public fmi::ModelExchange,
                             public fmi::StateSaving,
                             public fmi::DirectionalDerivatives,
                             public fmi::Configuration {
 public:
  // The definition must outlive the instance. `model_name` becomes the name of the model in its description.
  NativeInstance(const model::Definition& definition, std::string_view model_name, NativeOptions options);

  [[nodiscard]] const describe::Description& description() const { return description_; }

  // Instance
  [[nodiscard]] const std::string& name() const override { return host_.options.name; }
  [[nodiscard]] const describe::Interface& interface() const override { return description_.interfaces.front(); }
  void set_debug_logging(bool on, std::span<const std::string>) override { host_.debugging = on; }
  void enter_initialization(const fmi::Experiment& experiment) override;
  void exit_initialization() override;
  void terminate() override { model_.head().mode = model::terminated; }
  void reset() override;
  [[nodiscard]] fmi::StateSaving* state_saving() override { return this; }
  [[nodiscard]] fmi::DirectionalDerivatives* directional_derivatives() override { return this; }
  [[nodiscard]] fmi::Configuration* configuration() override { return this; }
  [[nodiscard]] std::string missing(std::string_view capability) const override;

  // EventMode and ModelExchange
  void enter_event_mode() override { model_.head().mode = model::event_mode; }
  fmi::DiscreteUpdate update_discrete_states() override;
  void leave_event_mode() override { model_.head().mode = model::continuous_time; }
  [[nodiscard]] std::size_t continuous_states() override { return model_.state_count(); }
  [[nodiscard]] std::size_t event_indicators() override { return layout_.indicators().size(); }
  void set_time(Time t) override { model_.set_time(t); }
  void set_states(std::span<const double> x) override { model_.write_states(x.data()); }
  void get_states(std::span<double> x) override { model_.read_states(x.data()); }
  void get_derivatives(std::span<double> dx) override;
  void get_event_indicators(std::span<double> z) override;
  void get_nominals(std::span<double> x) override { model_.read_nominals(x.data()); }
  fmi::IntegratorStep completed_integrator_step(bool may_roll_back) override;

  // StateSaving
  std::unique_ptr<fmi::SavedState> save(std::unique_ptr<fmi::SavedState> reuse) override;
  void restore(const fmi::SavedState& state) override;
  [[nodiscard]] bool can_serialize() const override { return true; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const fmi::SavedState& state) override;
  [[nodiscard]] std::unique_ptr<fmi::SavedState> deserialize(std::span<const std::uint8_t> bytes) override;

  // DirectionalDerivatives
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override;

  // Configuration
  void enter_configuration() override { model_.head().mode = model::configuration; }
  void exit_configuration() override;

 protected:
  void read(Type type, std::span<const ValueReference> references, void* values, std::size_t count) override;
  void write(Type type, std::span<const ValueReference> references, const void* values, std::size_t count) override;

 private:
  struct NativeHost : model::Host {
    explicit NativeHost(NativeOptions given);
    static void forward(const model::Host& host, model::Status status, const char* category, const char* format,
                        const void* argument);
    NativeOptions options;
    bool debugging = false;
  };

  const model::Slot& slot(ValueReference reference, Type type) const;
  template <class F>
  void guarded(std::string_view function, F&& body);

  NativeHost host_;
  describe::Description description_;
  model::Layout layout_;
  model::Instance model_;
  std::vector<const model::Slot*> unknowns_, knowns_;  // scratch
};

}  // namespace consort::unit
