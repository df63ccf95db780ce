#include "fmi/v2/instances.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "fmi/announcement.hpp"
#include "fmi/safe_format.hpp"
#include "fmi/v2/api.hpp"
#include "fmi/variable_names.hpp"

namespace consort::fmi::v2 {

namespace {

// --- callbacks -------------------------------------------------------------------------------------------------------

void log_message(fmi2ComponentEnvironment environment, fmi2String, fmi2Status status, fmi2String category,
                 fmi2String format, ...) {
  Caller* const caller = Caller::from_environment(environment);
  if (caller == nullptr) return;
  std::va_list arguments;
  va_start(arguments, format);
  const std::string text = safe_format(format, arguments);
  va_end(arguments);
  Caller::contain([&] {
    caller->message(static_cast<Status>(status), safe_copy(category, 256).c_str(),
                    expand_variable_names(text, caller->description()));
  });
}

void* allocate(std::size_t count, std::size_t size) { return std::calloc(count, size); }
void release(void* memory) { std::free(memory); }

// --- shared by Co-Simulation and Model Exchange ----------------------------------------------------------------------

template <class Interface>
class Common : public Interface, public StateSaving, public DirectionalDerivatives {
 public:
  Common(Foundation foundation, fmi2Type kind)
      : f_(std::move(foundation)),
        api_(*f_.library),
        caller_(f_.options.name, f_.description(), f_.options.log, f_.options.trace),
        only_(f_),
        callbacks_{log_message, allocate, release, nullptr, &caller_} {
    const std::string location = f_.resource_uri();
    f_.library->make_current();
    for (const auto& token : f_.tokens()) {
      component_ = caller_.call_plain(api_.instantiate, caller_.unit().c_str(), kind, token.c_str(), location.c_str(),
                                      &callbacks_, static_cast<fmi2Boolean>(f_.options.visible),
                                      static_cast<fmi2Boolean>(f_.options.logging));
      caller_.trace_line(fmt::format("fmi2Instantiate(\"{}\", {}, \"{}\", \"{}\", …, {}, {}) -> {}", caller_.unit(),
                                     static_cast<int>(kind), token, location, f_.options.visible, f_.options.logging,
                                     component_ != nullptr ? "an instance" : "null"));
      if (component_ != nullptr) break;
    }
    if (component_ == nullptr) throw caller_.failure("fmi2Instantiate", Status::error);
  }

  ~Common() override {
    if (component_ == nullptr || caller_.is_fatal() || api_.free_instance.call == nullptr) return;
    caller_.call_plain(api_.free_instance, component_);
    caller_.trace_line("fmi2FreeInstance()");
  }

  [[nodiscard]] const std::string& name() const override { return caller_.unit(); }
  [[nodiscard]] const describe::Interface& interface() const override { return f_.interface; }
  [[nodiscard]] std::string missing(std::string_view capability) const override {
    return missing_capability(caller_, capability);
  }

  void set_debug_logging(bool on, std::span<const std::string> categories) override {
    std::vector<fmi2String> names;
    for (const auto& c : categories) names.push_back(c.c_str());
    check(api_.set_debug_logging, static_cast<fmi2Boolean>(on), names.size(), Listed(names.data(), names.size()));
  }

  void enter_initialization(const Experiment& e) override {
    caller_.set_time(e.start);
    announcement_ = Announcement(e.start);
    stop_ = e.stop.value_or(no_stop);
    check(api_.setup_experiment, static_cast<fmi2Boolean>(e.tolerance.has_value()), e.tolerance.value_or(0.0), e.start,
          static_cast<fmi2Boolean>(e.stop.has_value()), e.stop.value_or(0.0));
    for (const auto& set_again : early_) set_again();
    end_set_up();
    check(api_.enter_initialization);
  }
  void exit_initialization() override { check(api_.exit_initialization); }
  void terminate() override {
    if (!caller_.is_broken()) check(api_.terminate);
  }
  void reset() override {
    caller_.require_not_fatal();
    check(api_.reset);
    caller_.mend();
    announcement_ = {};
    is_set_up_ = false;
    early_.clear();
  }

  void tolerate(const std::function<void()>& reads) override { caller_.tolerate(reads); }

  // --- states

  [[nodiscard]] StateSaving* state_saving() override {
    const bool there =
        api_.get_state.call != nullptr && api_.set_state.call != nullptr && api_.free_state.call != nullptr;
    return f_.interface.can_save_state && there ? this : nullptr;
  }

  class State : public SavedState {
   public:
    explicit State(Common& owner) : owner_(owner) {}
    ~State() override {
      if (handle == nullptr || owner_.caller_.is_fatal()) return;
      Caller::contain([&] { owner_.caller_.follow_up(owner_.api_.free_state, owner_.component_, &handle); });
    }
    fmi2FMUstate handle = nullptr;
    Announcement announcement{};

   private:
    Common& owner_;
  };

  std::unique_ptr<SavedState> save(std::unique_ptr<SavedState> reuse) override {
    if (!reuse) reuse = std::make_unique<State>(*this);
    auto& state = static_cast<State&>(*reuse);
    check(api_.get_state, &state.handle);
    state.announcement = announcement_;
    return reuse;
  }
  // FMI 2.0, 2.1.3: after fatal no function may be called. Restoring an old state ends an error.
  void restore(const SavedState& state) override {
    caller_.require_not_fatal();
    check(api_.set_state, static_cast<const State&>(state).handle);
    announcement_ = static_cast<const State&>(state).announcement;
    caller_.mend();
    end_set_up();
  }

  [[nodiscard]] bool can_serialize() const override {
    return f_.interface.can_serialize_state && api_.serialized_size.call != nullptr && api_.serialize.call != nullptr &&
           api_.deserialize.call != nullptr;
  }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const SavedState& state) override {
    require_in_unit(caller_.unit(), can_serialize(), "{}", missing("serialisation of its state"));
    const auto handle = static_cast<const State&>(state).handle;
    std::size_t size = 0;
    check(api_.serialized_size, handle, Result(&size));
    std::vector<std::uint8_t> bytes(size);
    check(api_.serialize, handle, reinterpret_cast<fmi2Byte*>(bytes.data()), size);
    static_cast<const State&>(state).announcement.append_to(bytes);
    return bytes;
  }
  [[nodiscard]] std::unique_ptr<SavedState> deserialize(std::span<const std::uint8_t> bytes) override {
    require_in_unit(caller_.unit(), can_serialize(), "{}", missing("serialisation of its state"));
    auto state = std::make_unique<State>(*this);
    state->announcement = with_unit(caller_.unit(), [&] { return Announcement::split_off(bytes); });
    check(api_.deserialize, reinterpret_cast<const fmi2Byte*>(bytes.data()), bytes.size(), &state->handle);
    return state;
  }

  // --- derivatives

  [[nodiscard]] DirectionalDerivatives* directional_derivatives() override {
    return f_.interface.directional_derivatives && api_.directional.call != nullptr ? this : nullptr;
  }
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override {
    check(api_.directional, Listed(unknowns.data(), unknowns.size()), unknowns.size(),
          Listed(knowns.data(), knowns.size()), knowns.size(), Listed(seed.data(), seed.size()),
          Listed(sensitivity.data(), sensitivity.size()));
  }

 protected:
  template <class F, class... A>
  void check(const Function<F>& f, const A&... arguments) {
    caller_.check(f, component_, arguments...);
  }

  // FMI 2.0 has one value per reference.
  void read(Type type, std::span<const ValueReference> references, void* values, std::size_t count) override {
    CONSORT_ASSERT(count == references.size());
    if (count == 0) return;
    const Listed vr(references.data(), count);
    switch (type) {
      case Type::Float64: check(api_.get_real, vr, count, Listed(static_cast<double*>(values), count)); return;
      case Type::Int32: check(api_.get_integer, vr, count, Listed(static_cast<int*>(values), count)); return;
      case Type::Enumeration: {
        integers_.resize(count);
        check(api_.get_integer, vr, count, Listed(integers_.data(), count));
        for (std::size_t i = 0; i < count; ++i) static_cast<EnumValue*>(values)[i] = integers_[i];
        return;
      }
      case Type::Boolean: {
        integers_.resize(count);
        check(api_.get_boolean, vr, count, Listed(integers_.data(), count));
        for (std::size_t i = 0; i < count; ++i) static_cast<Bool*>(values)[i] = integers_[i] != fmi2False;
        return;
      }
      case Type::String: {
        texts_.assign(count, nullptr);
        check(api_.get_string, vr, count, Listed(texts_.data(), count));
        for (std::size_t i = 0; i < count; ++i)
          static_cast<std::string*>(values)[i] = texts_[i] == nullptr ? "" : texts_[i];
        return;
      }
      default: throw no_such_type(type);
    }
  }

  void write(Type type, std::span<const ValueReference> references, const void* values, std::size_t count) override {
    CONSORT_ASSERT(count == references.size());
    if (count == 0) return;
    pass(type, references, values, count);
    if (!is_set_up_) [[unlikely]]
      remember(type, references, values, count);
  }

  // Some tools give variables their default values in fmi2SetupExperiment. Values set before are set again after it.
  void remember(Type type, std::span<const ValueReference> references, const void* values, std::size_t count) {
    with_type(type, [&]<class T>() {
      const T* const first = static_cast<const T*>(values);
      early_.emplace_back(
          [this, where = std::vector(references.begin(), references.end()),
           what = std::vector<T>(first, first + count)] { pass(type_of<T>, where, what.data(), what.size()); });
    });
  }

  void end_set_up() {
    is_set_up_ = true;
    early_.clear();
  }

  void pass(Type type, std::span<const ValueReference> references, const void* values, std::size_t count) {
    const Listed vr(references.data(), count);
    switch (type) {
      case Type::Float64: check(api_.set_real, vr, count, Listed(static_cast<const double*>(values), count)); return;
      case Type::Int32: check(api_.set_integer, vr, count, Listed(static_cast<const int*>(values), count)); return;
      case Type::Enumeration: {
        integers_.resize(count);
        for (std::size_t i = 0; i < count; ++i)
          integers_[i] = int_of(static_cast<const EnumValue*>(values)[i], caller_);
        check(api_.set_integer, vr, count, Listed<const int>{integers_.data(), count});
        return;
      }
      case Type::Boolean: {
        integers_.resize(count);
        for (std::size_t i = 0; i < count; ++i)
          integers_[i] = static_cast<const Bool*>(values)[i] ? fmi2True : fmi2False;
        check(api_.set_boolean, vr, count, Listed<const int>{integers_.data(), count});
        return;
      }
      case Type::String: {
        texts_.resize(count);
        for (std::size_t i = 0; i < count; ++i) texts_[i] = static_cast<const std::string*>(values)[i].c_str();
        check(api_.set_string, vr, count, Listed<const fmi2String>{texts_.data(), count});
        return;
      }
      default: throw no_such_type(type);
    }
  }

  [[nodiscard]] Error no_such_type(Type type) const {
    return run_error("{}: FMI 2.0 has no values of type {}", caller_.who(), consort::name_of(type))
        .in_unit(caller_.unit());
  }

  Foundation f_;
  Api api_;
  Caller caller_;
  OnlyInstance only_;
  // Without stepFinished: the end of a step is polled with fmi2GetStatus, and tools warn of a callback that they do not
  // support.
  fmi2CallbackFunctions callbacks_;
  fmi2Component component_ = nullptr;
  Announcement announcement_;
  static constexpr Time no_stop = std::numeric_limits<Time>::infinity();
  Time stop_ = no_stop;
  bool is_set_up_ = false;
  std::vector<std::function<void()>> early_;  // set values that were set before fmi2SetupExperiment
  std::vector<int> integers_;                 // scratch for conversions; never shrinks
  std::vector<fmi2String> texts_;
};

// --- Co-Simulation ---------------------------------------------------------------------------------------------------

class CoSimulationInstance final : public Common<CoSimulation>, public InputDerivatives, public OutputDerivatives {
 public:
  explicit CoSimulationInstance(Foundation foundation)
      : Common(std::move(foundation), fmi2CoSimulation),
        may_burst_(api_.set_real.call != nullptr && api_.do_step.call != nullptr && api_.get_real.call != nullptr &&
                   !caller_.is_watched()) {}

  StepReport do_step(Time t, Duration h, bool may_roll_back) override {
    h = kept_within(stop_, t, h);
    caller_.set_time(t);
    return after_step(caller_.call(api_.do_step, component_, t, h, static_cast<fmi2Boolean>(!may_roll_back)), t, h);
  }

  bool exchange(const RealPorts& ports, const double* in, double* out, Time t, Duration h,
                bool may_roll_back) override {
    // The last condition: do_step() shortens the step.
    if (!may_burst_ || caller_.has_said_something() || t + h > stop_) [[unlikely]]
      return CoSimulation::exchange(ports, in, out, t, h, may_roll_back);
    caller_.set_time(t);
    return caller_.burst([&](Caller::Burst& burst) {
      if (!ports.inputs.empty())
        burst.check(api_.set_real.later(), component_, ports.inputs.data(), ports.inputs.size(), in);
      const Status status = burst.call(api_.do_step, component_, t, h, static_cast<fmi2Boolean>(!may_roll_back));
      if (status != Status::ok) [[unlikely]] {
        last_report_ = after_step(status, t, h);
        if (last_report_.end != StepReport::End::completed) return false;
      }
      if (!ports.outputs.empty())
        burst.check(api_.get_real, component_, ports.outputs.data(), ports.outputs.size(), out);
      return true;
    });
  }

  [[nodiscard]] InputDerivatives* input_derivatives() override {
    return f_.interface.interpolates_inputs && api_.set_input_derivatives.call != nullptr ? this : nullptr;
  }
  void set_input_derivatives(std::span<const ValueReference> references, std::span<const std::int32_t> orders,
                             std::span<const double> values) override {
    caller_.offer(api_.set_input_derivatives, component_, Listed(references.data(), references.size()),
                  references.size(), Listed(orders.data(), orders.size()), Listed(values.data(), values.size()));
  }

  [[nodiscard]] OutputDerivatives* output_derivatives() override {
    return f_.interface.max_output_derivative_order > 0 && api_.get_output_derivatives.call != nullptr ? this : nullptr;
  }
  void output_derivatives(std::span<const ValueReference> references, std::span<const std::int32_t> orders,
                          std::span<double> values) override {
    check(api_.get_output_derivatives, Listed(references.data(), references.size()), references.size(),
          Listed(orders.data(), orders.size()), Listed(values.data(), values.size()));
  }

 private:
  StepReport after_step(Status status, Time t, Duration h) {
    if (status == Status::pending) status = wait_for_step();
    if (status == Status::discard) return discarded(t);
    if (status > Status::warning) throw caller_.failure(api_.do_step.name, status);
    return {StepReport::End::completed, t + h, false, false};
  }

  // FMI 2.0, 4.2.2: a pending step is polled until it is done.
  Status wait_for_step() {
    for (auto pause = std::chrono::microseconds(50);; pause = std::min(pause * 2, std::chrono::microseconds(10'000))) {
      std::this_thread::sleep_for(pause);
      fmi2Status answer = fmi2Pending;
      const Status asked = caller_.follow_up(api_.get_status, component_, fmi2DoStepStatus, Result(&answer));
      if (asked > Status::warning && asked != Status::pending) throw caller_.failure(api_.get_status.name, asked);
      if (asked != Status::pending && answer != fmi2Pending) return static_cast<Status>(answer);
    }
  }

  // FMI 2.0, 4.2.1: after a discard the unit may report the time reached and a request to terminate.
  StepReport discarded(Time t) {
    StepReport report{StepReport::End::discarded, t, false, false};
    if (api_.get_real_status.call != nullptr) {
      double reached = t;
      if (caller_.follow_up(api_.get_real_status, component_, fmi2LastSuccessfulTime, Result(&reached)) <=
          Status::warning)
        report.reached = reached;
    }
    if (api_.get_boolean_status.call != nullptr) {
      fmi2Boolean terminated = fmi2False;
      if (caller_.follow_up(api_.get_boolean_status, component_, fmi2Terminated, Result(&terminated)) <=
          Status::warning) {
        report.terminate = terminated != fmi2False;
      }
    }
    return report;
  }

  bool may_burst_;  // see Caller::burst()
};

// --- Model Exchange --------------------------------------------------------------------------------------------------

class ModelExchangeInstance final : public Common<ModelExchange> {
 public:
  explicit ModelExchangeInstance(Foundation foundation) : Common(std::move(foundation), fmi2ModelExchange) {}

  [[nodiscard]] std::size_t continuous_states() override { return f_.description().continuous_states; }
  [[nodiscard]] std::size_t event_indicators() override { return f_.description().event_indicators; }

  void set_time(Time t) override {
    caller_.set_time(t);
    announcement_.reach(t);
    check(api_.set_time, t);
  }
  void set_states(std::span<const double> x) override { check(api_.set_states, Listed(x.data(), x.size()), x.size()); }
  void get_states(std::span<double> x) override { check(api_.get_states, Listed(x.data(), x.size()), x.size()); }
  void get_derivatives(std::span<double> dx) override {
    check(api_.get_derivatives, Listed(dx.data(), dx.size()), dx.size());
  }
  void get_derivatives_at(Time t, std::span<const double> x, std::span<double> dx) override {
    caller_.set_time(t);
    announcement_.reach(t);
    check(api_.set_time.later(), t);
    check(api_.set_states.later(), Listed(x.data(), x.size()), x.size());
    get_derivatives(dx);
  }
  void get_event_indicators(std::span<double> z) override {
    check(api_.get_event_indicators, Listed(z.data(), z.size()), z.size());
  }
  void get_nominals(std::span<double> x) override { check(api_.get_nominals, Listed(x.data(), x.size()), x.size()); }

  void enter_event_mode() override { check(api_.enter_event_mode); }
  void leave_event_mode() override { check(api_.enter_continuous_time_mode); }
  DiscreteUpdate update_discrete_states() override {
    const auto announced = announcement_.ahead();
    fmi2EventInfo info{};
    info.nextEventTimeDefined = announced ? fmi2True : fmi2False;
    info.nextEventTime = announced.value_or(0.0);
    check(api_.new_discrete_states, Result(&info));
    DiscreteUpdate update;
    update.repeat = info.newDiscreteStatesNeeded != fmi2False;
    update.terminate = info.terminateSimulation != fmi2False;
    update.nominals_changed = info.nominalsOfContinuousStatesChanged != fmi2False;
    update.states_changed = info.valuesOfContinuousStatesChanged != fmi2False;
    if (info.nextEventTimeDefined != fmi2False) update.next_event = info.nextEventTime;
    announcement_.take(update.next_event);
    return update;
  }
  IntegratorStep completed_integrator_step(bool may_roll_back) override {
    fmi2Boolean enter_event_mode = fmi2False;
    fmi2Boolean terminate = fmi2False;
    check(api_.completed_integrator_step, static_cast<fmi2Boolean>(!may_roll_back), Result(&enter_event_mode),
          Result(&terminate));
    return {enter_event_mode != fmi2False, terminate != fmi2False};
  }
};

}  // namespace

std::unique_ptr<CoSimulation> make_co_simulation(Foundation foundation) {
  return std::make_unique<CoSimulationInstance>(std::move(foundation));
}

std::unique_ptr<ModelExchange> make_model_exchange(Foundation foundation) {
  return std::make_unique<ModelExchangeInstance>(std::move(foundation));
}

}  // namespace consort::fmi::v2
