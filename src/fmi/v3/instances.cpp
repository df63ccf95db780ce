#include "fmi/v3/instances.hpp"

#include <limits>

#include "fmi/announcement.hpp"
#include "fmi/safe_format.hpp"
#include "fmi/v3/api.hpp"
#include "fmi/variable_names.hpp"

namespace consort::fmi::v3 {

namespace {

// --- callbacks -------------------------------------------------------------------------------------------------------

// The environment pointer that the FMU passes to every callback.
class Environment : public Caller {
 public:
  using Caller::Caller;
  std::function<IntermediateAnswer(const IntermediatePoint&)> intermediate_update;
};

void log_message(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
  Caller* const caller = Caller::from_environment(environment);
  if (caller == nullptr) return;
  Caller::contain([&] {
    caller->message(static_cast<Status>(status), safe_copy(category, 256).c_str(),
                    expand_variable_names(safe_copy(message), caller->description()));
  });
}

void intermediate_update(fmi3InstanceEnvironment environment, fmi3Float64 t, fmi3Boolean set_requested,
                         fmi3Boolean get_allowed, fmi3Boolean step_finished, fmi3Boolean can_return_early,
                         fmi3Boolean* early_return, fmi3Float64* early_time) {
  *early_return = fmi3False;
  auto* const owner = static_cast<Environment*>(Caller::from_environment(environment));
  if (owner == nullptr || !owner->intermediate_update) return;
  const auto answer = owner->intermediate_update({t, set_requested, get_allowed, step_finished, can_return_early});
  *early_return = answer.return_early && can_return_early;
  *early_time = answer.early_return_time;
}

void clock_update(fmi3InstanceEnvironment) {}
void lock_preemption() {}
void unlock_preemption() {}

// --- shared by the three kinds ---------------------------------------------------------------------------------------

template <class Interface>
class Common : public Interface,
               public StateSaving,
               public DirectionalDerivatives,
               public AdjointDerivatives,
               public Configuration,
               public Clocks {
 public:
  explicit Common(Foundation foundation)
      : f_(std::move(foundation)),
        api_(*f_.library),
        caller_(f_.options.name, f_.description(), f_.options.log, f_.options.trace),
        only_(f_) {
    caller_.intermediate_update = f_.options.intermediate_update;
    f_.library->make_current();
  }

  ~Common() override {
    if (instance_ == nullptr || caller_.is_fatal() || api_.free_instance.call == nullptr) return;
    caller_.call_plain(api_.free_instance, instance_);
    caller_.trace_line("fmi3FreeInstance()");
  }

  [[nodiscard]] const std::string& name() const override { return caller_.unit(); }
  [[nodiscard]] const describe::Interface& interface() const override { return f_.interface; }
  [[nodiscard]] std::string missing(std::string_view capability) const override {
    return missing_capability(caller_, capability);
  }

  void set_debug_logging(bool on, std::span<const std::string> categories) override {
    std::vector<fmi3String> names;
    for (const auto& c : categories) names.push_back(c.c_str());
    check(api_.set_debug_logging, on, names.size(), Listed(names.data(), names.size()));
  }

  void enter_initialization(const Experiment& e) override {
    caller_.set_time(e.start);
    announcement_ = Announcement(e.start);
    stop_ = e.stop.value_or(std::numeric_limits<Time>::infinity());
    check(api_.enter_initialization, e.tolerance.has_value(), e.tolerance.value_or(0.0), e.start, e.stop.has_value(),
          e.stop.value_or(0.0));
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
      Caller::contain([&] { owner_.caller_.follow_up(owner_.api_.free_state, owner_.instance_, &handle); });
    }
    fmi3FMUState handle = nullptr;
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
  // FMI 3.0, 2.3.1: after fatal no function may be called. Restoring an old state ends an error.
  void restore(const SavedState& state) override {
    caller_.require_not_fatal();
    check(api_.set_state, static_cast<const State&>(state).handle);
    announcement_ = static_cast<const State&>(state).announcement;
    caller_.mend();
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
    check(api_.serialize, handle, bytes.data(), size);
    static_cast<const State&>(state).announcement.append_to(bytes);
    return bytes;
  }
  [[nodiscard]] std::unique_ptr<SavedState> deserialize(std::span<const std::uint8_t> bytes) override {
    require_in_unit(caller_.unit(), can_serialize(), "{}", missing("serialisation of its state"));
    auto state = std::make_unique<State>(*this);
    state->announcement = with_unit(caller_.unit(), [&] { return Announcement::split_off(bytes); });
    check(api_.deserialize, bytes.data(), bytes.size(), &state->handle);
    return state;
  }

  // --- derivatives

  [[nodiscard]] DirectionalDerivatives* directional_derivatives() override {
    return f_.interface.directional_derivatives && api_.directional.call != nullptr ? this : nullptr;
  }
  void directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                   std::span<const double> seed, std::span<double> sensitivity) override {
    check(api_.directional, Listed(unknowns.data(), unknowns.size()), unknowns.size(),
          Listed(knowns.data(), knowns.size()), knowns.size(), Listed(seed.data(), seed.size()), seed.size(),
          Listed(sensitivity.data(), sensitivity.size()), sensitivity.size());
  }
  [[nodiscard]] AdjointDerivatives* adjoint_derivatives() override {
    return f_.interface.adjoint_derivatives && api_.adjoint.call != nullptr ? this : nullptr;
  }
  void adjoint(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
               std::span<const double> seed, std::span<double> sensitivity) override {
    check(api_.adjoint, Listed(unknowns.data(), unknowns.size()), unknowns.size(), Listed(knowns.data(), knowns.size()),
          knowns.size(), Listed(seed.data(), seed.size()), seed.size(), Listed(sensitivity.data(), sensitivity.size()),
          sensitivity.size());
  }

  // --- configuration and clocks

  [[nodiscard]] Configuration* configuration() override {
    return api_.enter_configuration.call != nullptr ? this : nullptr;
  }
  void enter_configuration() override { check(api_.enter_configuration); }
  void exit_configuration() override { check(api_.exit_configuration); }

  [[nodiscard]] Clocks* clocks() override { return f_.description().clock_properties.empty() ? nullptr : this; }
  [[nodiscard]] ClockInterval interval(ValueReference clock) override {
    ClockInterval result;
    fmi3IntervalQualifier qualifier{};
    check(api_.get_interval, Listed(&clock, 1), std::size_t{1}, Result(&result.interval), Result(&qualifier));
    result.qualifier = static_cast<ClockInterval::Qualifier>(qualifier);
    return result;
  }
  void set_interval(ValueReference clock, double interval) override {
    check(api_.set_interval, Listed(&clock, 1), std::size_t{1}, Result(&interval));
  }
  [[nodiscard]] double shift(ValueReference clock) override {
    double shift = 0;
    check(api_.get_shift, Listed(&clock, 1), std::size_t{1}, Result(&shift));
    return shift;
  }
  void set_shift(ValueReference clock, double shift) override {
    check(api_.set_shift, Listed(&clock, 1), std::size_t{1}, Result(&shift));
  }

 protected:
  template <class F, class... A>
  void check(const Function<F>& f, const A&... arguments) {
    caller_.check(f, instance_, arguments...);
  }

  void require_instance(const char* function) {
    caller_.trace_line(fmt::format("{}(\"{}\", \"{}\", \"{}\", …) -> {}", function, caller_.unit(),
                                   f_.description().instantiation_token, f_.resource_path(),
                                   instance_ != nullptr ? "an instance" : "null"));
    if (instance_ == nullptr) throw caller_.failure(function, Status::error);
  }

  DiscreteUpdate discrete_update() {
    const auto announced = announcement_.ahead();
    bool repeat = false, terminate = false, nominals = false, states = false, defined = announced.has_value();
    double next = announced.value_or(0.0);
    check(api_.update_discrete_states, Result(&repeat), Result(&terminate), Result(&nominals), Result(&states),
          Result(&defined), Result(&next));
    announcement_.take(defined ? std::optional(next) : std::nullopt);
    return {repeat, terminate, nominals, states, defined ? std::optional(next) : std::nullopt};
  }

  // --- values: the element types are the C types, except for strings and binaries

  void read(Type type, std::span<const ValueReference> references, void* values, std::size_t n) override {
    if (references.empty()) return;
    const Listed vr(references.data(), references.size());
    const std::size_t nvr = references.size();
    switch (type) {
      case Type::Float32: return check(api_.get_float32, vr, nvr, list<float>(values, n), n);
      case Type::Float64: return check(api_.get_float64, vr, nvr, list<double>(values, n), n);
      case Type::Int8: return check(api_.get_int8, vr, nvr, list<std::int8_t>(values, n), n);
      case Type::UInt8: return check(api_.get_uint8, vr, nvr, list<std::uint8_t>(values, n), n);
      case Type::Int16: return check(api_.get_int16, vr, nvr, list<std::int16_t>(values, n), n);
      case Type::UInt16: return check(api_.get_uint16, vr, nvr, list<std::uint16_t>(values, n), n);
      case Type::Int32: return check(api_.get_int32, vr, nvr, list<std::int32_t>(values, n), n);
      case Type::UInt32: return check(api_.get_uint32, vr, nvr, list<std::uint32_t>(values, n), n);
      case Type::Int64:
      case Type::Enumeration: return check(api_.get_int64, vr, nvr, list<std::int64_t>(values, n), n);
      case Type::UInt64: return check(api_.get_uint64, vr, nvr, list<std::uint64_t>(values, n), n);
      case Type::Boolean: return check(api_.get_boolean, vr, nvr, list<bool>(values, n), n);
      case Type::Clock: return check(api_.get_clock, vr, nvr, list<bool>(values, n));
      case Type::String: return read_strings(vr, static_cast<std::string*>(values), n);
      case Type::Binary: return read_binaries(vr, static_cast<Binary*>(values), n);
    }
  }

  void write(Type type, std::span<const ValueReference> references, const void* values, std::size_t n) override {
    if (references.empty()) return;
    const Listed vr(references.data(), references.size());
    const std::size_t nvr = references.size();
    switch (type) {
      case Type::Float32: return check(api_.set_float32, vr, nvr, list<const float>(values, n), n);
      case Type::Float64: return check(api_.set_float64, vr, nvr, list<const double>(values, n), n);
      case Type::Int8: return check(api_.set_int8, vr, nvr, list<const std::int8_t>(values, n), n);
      case Type::UInt8: return check(api_.set_uint8, vr, nvr, list<const std::uint8_t>(values, n), n);
      case Type::Int16: return check(api_.set_int16, vr, nvr, list<const std::int16_t>(values, n), n);
      case Type::UInt16: return check(api_.set_uint16, vr, nvr, list<const std::uint16_t>(values, n), n);
      case Type::Int32: return check(api_.set_int32, vr, nvr, list<const std::int32_t>(values, n), n);
      case Type::UInt32: return check(api_.set_uint32, vr, nvr, list<const std::uint32_t>(values, n), n);
      case Type::Int64:
      case Type::Enumeration: return check(api_.set_int64, vr, nvr, list<const std::int64_t>(values, n), n);
      case Type::UInt64: return check(api_.set_uint64, vr, nvr, list<const std::uint64_t>(values, n), n);
      case Type::Boolean: return check(api_.set_boolean, vr, nvr, list<const bool>(values, n), n);
      case Type::Clock: return check(api_.set_clock, vr, nvr, list<const bool>(values, n));
      case Type::String: return write_strings(vr, static_cast<const std::string*>(values), n);
      case Type::Binary: return write_binaries(vr, static_cast<const Binary*>(values), n);
    }
  }

  template <class T, class V>
  static Listed<T> list(V* values, std::size_t n) {
    return {static_cast<T*>(values), n};
  }

  void read_strings(const Listed<const ValueReference>& vr, std::string* values, std::size_t n) {
    texts_.assign(n, nullptr);
    check(api_.get_string, vr, vr.count, Listed(texts_.data(), n), n);
    for (std::size_t i = 0; i < n; ++i) values[i] = texts_[i] == nullptr ? "" : texts_[i];
  }
  void read_binaries(const Listed<const ValueReference>& vr, Binary* values, std::size_t n) {
    bytes_.assign(n, nullptr);
    sizes_.assign(n, 0);
    check(api_.get_binary, vr, vr.count, Listed(sizes_.data(), n), bytes_.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      if (bytes_[i] == nullptr)
        values[i].clear();
      else
        values[i].assign(bytes_[i], bytes_[i] + sizes_[i]);
    }
  }
  void write_strings(const Listed<const ValueReference>& vr, const std::string* values, std::size_t n) {
    texts_.resize(n);
    for (std::size_t i = 0; i < n; ++i) texts_[i] = values[i].c_str();
    check(api_.set_string, vr, vr.count, Listed<const fmi3String>{texts_.data(), n}, n);
  }
  void write_binaries(const Listed<const ValueReference>& vr, const Binary* values, std::size_t n) {
    bytes_.resize(n);
    sizes_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      bytes_[i] = values[i].data();
      sizes_[i] = values[i].size();
    }
    check(api_.set_binary, vr, vr.count, Listed<const std::size_t>{sizes_.data(), n}, bytes_.data(), n);
  }

  Foundation f_;
  Api api_;
  Environment caller_;
  OnlyInstance only_;
  fmi3Instance instance_ = nullptr;
  Announcement announcement_;
  Time stop_ = std::numeric_limits<Time>::infinity();
  std::vector<fmi3String> texts_;  // scratch for conversions; never shrinks
  std::vector<fmi3Binary> bytes_;
  std::vector<std::size_t> sizes_;
};

// --- Co-Simulation ---------------------------------------------------------------------------------------------------

class CoSimulationInstance final : public Common<CoSimulation>, public OutputDerivatives, public EventMode {
 public:
  explicit CoSimulationInstance(Foundation foundation) : Common(std::move(foundation)) {
    const auto& o = f_.options;
    event_mode_used_ = o.use_event_mode && f_.interface.event_mode;
    may_burst_ = api_.set_float64.call != nullptr && api_.do_step.call != nullptr && api_.get_float64.call != nullptr &&
                 !caller_.is_watched();
    const std::string path = f_.resource_path();
    instance_ = caller_.call_plain(
        api_.instantiate_cs, caller_.unit().c_str(), f_.description().instantiation_token.c_str(),
        path.empty() ? nullptr : path.c_str(), o.visible, o.logging, event_mode_used_, o.allow_early_return,
        o.intermediate_variables.data(), o.intermediate_variables.size(), static_cast<Caller*>(&caller_), log_message,
        o.intermediate_update ? intermediate_update : nullptr);
    require_instance(api_.instantiate_cs.name);
  }

  StepReport do_step(Time t, Duration h, bool may_roll_back) override {
    h = kept_within(stop_, t, h);
    caller_.set_time(t);
    bool event = false, terminate = false, early = false;
    double reached = t + h;
    const Status status = caller_.call(api_.do_step, instance_, t, h, !may_roll_back, Result(&event),
                                       Result(&terminate), Result(&early), Result(&reached));
    return step_report(status, t, h, {event, terminate, early, reached});
  }

  bool exchange(const RealPorts& ports, const double* in, double* out, Time t, Duration h,
                bool may_roll_back) override {
    // The last condition: do_step() shortens the step.
    if (!may_burst_ || caller_.has_said_something() || t + h > stop_) [[unlikely]]
      return CoSimulation::exchange(ports, in, out, t, h, may_roll_back);
    caller_.set_time(t);
    return caller_.burst([&](Caller::Burst& burst) {
      if (!ports.inputs.empty())
        burst.check(api_.set_float64.later(), instance_, ports.inputs.data(), ports.inputs.size(), in,
                    ports.input_elements);
      bool event = false, terminate = false, early = false;
      double reached = t + h;
      const Status status =
          burst.call(api_.do_step, instance_, t, h, !may_roll_back, &event, &terminate, &early, &reached);
      last_report_ = step_report(status, t, h, {event, terminate, early, reached});
      if (last_report_.end != StepReport::End::completed) return false;
      if (!ports.outputs.empty())
        burst.check(api_.get_float64, instance_, ports.outputs.data(), ports.outputs.size(), out,
                    ports.output_elements);
      return !event && !terminate;
    });
  }

  [[nodiscard]] OutputDerivatives* output_derivatives() override {
    return f_.interface.max_output_derivative_order > 0 && api_.get_output_derivatives.call != nullptr ? this : nullptr;
  }
  void output_derivatives(std::span<const ValueReference> references, std::span<const std::int32_t> orders,
                          std::span<double> values) override {
    check(api_.get_output_derivatives, Listed(references.data(), references.size()), references.size(),
          Listed(orders.data(), orders.size()), Listed(values.data(), values.size()), values.size());
  }

  [[nodiscard]] EventMode* event_mode() override { return event_mode_used_ ? this : nullptr; }
  void enter_event_mode() override { check(api_.enter_event_mode); }
  DiscreteUpdate update_discrete_states() override { return discrete_update(); }
  void leave_event_mode() override { check(api_.enter_step_mode); }

 private:
  struct Answer {
    bool event, terminate, early;
    double reached;
  };
  [[nodiscard]] StepReport step_report(Status status, Time t, Duration h, const Answer& answer) {
    const StepReport report = report_of(status, t, h, answer);
    announcement_.step_to(report.reached, h);
    return report;
  }
  [[nodiscard]] StepReport report_of(Status status, Time t, Duration h, const Answer& answer) const {
    // FMI 3.0, 4.2.1: a discard does not change the instance, and the returned values are undefined.
    if (status == Status::discard) return {StepReport::End::discarded, t, false, false};
    if (status > Status::warning) throw caller_.failure(api_.do_step.name, status);
    if (answer.early) return {StepReport::End::early, answer.reached, answer.event, answer.terminate};
    return {StepReport::End::completed, t + h, answer.event, answer.terminate};
  }

  bool event_mode_used_ = false;
  bool may_burst_ = false;  // see Caller::burst()
};

// --- Model Exchange --------------------------------------------------------------------------------------------------

class ModelExchangeInstance final : public Common<ModelExchange> {
 public:
  explicit ModelExchangeInstance(Foundation foundation) : Common(std::move(foundation)) {
    const std::string path = f_.resource_path();
    instance_ = caller_.call_plain(api_.instantiate_me, caller_.unit().c_str(),
                                   f_.description().instantiation_token.c_str(), path.empty() ? nullptr : path.c_str(),
                                   f_.options.visible, f_.options.logging, static_cast<Caller*>(&caller_), log_message);
    require_instance(api_.instantiate_me.name);
  }

  // Structural parameters may change the numbers, so the FMU is asked if it has the function.
  [[nodiscard]] std::size_t continuous_states() override {
    if (api_.number_of_states.call == nullptr) return f_.description().continuous_states;
    std::size_t n = 0;
    check(api_.number_of_states, Result(&n));
    return n;
  }
  [[nodiscard]] std::size_t event_indicators() override {
    if (api_.number_of_event_indicators.call == nullptr) return f_.description().event_indicators;
    std::size_t n = 0;
    check(api_.number_of_event_indicators, Result(&n));
    return n;
  }

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
  DiscreteUpdate update_discrete_states() override { return discrete_update(); }
  void leave_event_mode() override { check(api_.enter_continuous_time_mode); }
  IntegratorStep completed_integrator_step(bool may_roll_back) override {
    IntegratorStep step;
    check(api_.completed_integrator_step, !may_roll_back, Result(&step.enter_event_mode), Result(&step.terminate));
    return step;
  }
};

// --- Scheduled Execution ---------------------------------------------------------------------------------------------

class ScheduledExecutionInstance final : public Common<ScheduledExecution> {
 public:
  explicit ScheduledExecutionInstance(Foundation foundation) : Common(std::move(foundation)) {
    const std::string path = f_.resource_path();
    instance_ = caller_.call_plain(api_.instantiate_se, caller_.unit().c_str(),
                                   f_.description().instantiation_token.c_str(), path.empty() ? nullptr : path.c_str(),
                                   f_.options.visible, f_.options.logging, static_cast<Caller*>(&caller_), log_message,
                                   clock_update, lock_preemption, unlock_preemption);
    require_instance(api_.instantiate_se.name);
  }

  void activate(ValueReference clock, Time t) override {
    caller_.set_time(t);
    check(api_.activate, clock, t);
  }
};

}  // namespace

std::unique_ptr<CoSimulation> make_co_simulation(Foundation foundation) {
  return std::make_unique<CoSimulationInstance>(std::move(foundation));
}

std::unique_ptr<ModelExchange> make_model_exchange(Foundation foundation) {
  return std::make_unique<ModelExchangeInstance>(std::move(foundation));
}

std::unique_ptr<ScheduledExecution> make_scheduled_execution(Foundation foundation) {
  return std::make_unique<ScheduledExecutionInstance>(std::move(foundation));
}

}  // namespace consort::fmi::v3
