#include "fmi/v1/instances.hpp"

#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include "fmi/announcement.hpp"
#include "fmi/safe_format.hpp"
#include "fmi/v1/api.hpp"
#include "fmi/variable_names.hpp"

namespace consort::fmi::v1 {

namespace {

// --- callbacks -------------------------------------------------------------------------------------------------------

// FMI 1.0 has no environment pointer: the caller is that of this thread's current call.
void log_message(fmiComponent, fmiString, fmiStatus status, fmiString category, fmiString format, ...) {
  Caller* const caller = Caller::from_environment(nullptr);
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
class Common : public Interface {
 public:
  explicit Common(Foundation foundation)
      : f_(std::move(foundation)),
        api_(*f_.library),
        caller_(f_.options.name, f_.description(), f_.options.log, f_.options.trace),
        only_(f_) {}

  [[nodiscard]] const std::string& name() const override { return caller_.unit(); }
  [[nodiscard]] const describe::Interface& interface() const override { return f_.interface; }
  [[nodiscard]] std::string missing(std::string_view capability) const override {
    return missing_capability(caller_, capability);
  }

  void set_debug_logging(bool on, std::span<const std::string>) override { check(api_.set_debug_logging, boolean(on)); }
  void tolerate(const std::function<void()>& reads) override { caller_.tolerate(reads); }

  // FMI 1.0 initialises in one call; values set before it are start values.
  void enter_initialization(const Experiment& e) override {
    caller_.set_time(e.start);
    experiment_ = e;
  }

 protected:
  static fmiBoolean boolean(bool b) { return b ? fmiTrue : fmiFalse; }

  template <class F, class... A>
  void check(const Function<F>& f, const A&... arguments) {
    caller_.check(f, component_, arguments...);
  }

  void require_component(const char* function) {
    caller_.trace_line(fmt::format("{}(\"{}\", \"{}\", …) -> {}", function, caller_.unit(),
                                   f_.description().instantiation_token,
                                   component_ != nullptr ? "an instance" : "null"));
    if (component_ == nullptr) throw caller_.failure(function, Status::error);
  }

  void read(Type type, std::span<const ValueReference> references, void* values, std::size_t count) override {
    CONSORT_ASSERT(count == references.size());
    if (count == 0) return;
    const Listed vr(references.data(), count);
    switch (type) {
      case Type::Float64: return check(api_.get_real, vr, count, Listed(static_cast<double*>(values), count));
      case Type::Int32: return check(api_.get_integer, vr, count, Listed(static_cast<int*>(values), count));
      case Type::Enumeration:
        integers_.resize(count);
        check(api_.get_integer, vr, count, Listed(integers_.data(), count));
        for (std::size_t i = 0; i < count; ++i) static_cast<EnumValue*>(values)[i] = integers_[i];
        return;
      case Type::Boolean:
        booleans_.resize(count);
        check(api_.get_boolean, vr, count, Listed(booleans_.data(), count));
        for (std::size_t i = 0; i < count; ++i) static_cast<Bool*>(values)[i] = booleans_[i] != fmiFalse;
        return;
      case Type::String:
        texts_.assign(count, nullptr);
        check(api_.get_string, vr, count, Listed(texts_.data(), count));
        for (std::size_t i = 0; i < count; ++i)
          static_cast<std::string*>(values)[i] = texts_[i] == nullptr ? "" : texts_[i];
        return;
      default: throw no_such_type(type);
    }
  }

  void write(Type type, std::span<const ValueReference> references, const void* values, std::size_t count) override {
    CONSORT_ASSERT(count == references.size());
    if (count == 0) return;
    const Listed vr(references.data(), count);
    switch (type) {
      case Type::Float64: return check(api_.set_real, vr, count, Listed(static_cast<const double*>(values), count));
      case Type::Int32: return check(api_.set_integer, vr, count, Listed(static_cast<const int*>(values), count));
      case Type::Enumeration:
        integers_.resize(count);
        for (std::size_t i = 0; i < count; ++i)
          integers_[i] = int_of(static_cast<const EnumValue*>(values)[i], caller_);
        return check(api_.set_integer, vr, count, Listed<const int>{integers_.data(), count});
      case Type::Boolean:
        booleans_.resize(count);
        for (std::size_t i = 0; i < count; ++i) booleans_[i] = boolean(static_cast<const Bool*>(values)[i]);
        return check(api_.set_boolean, vr, count, Listed<const fmiBoolean>{booleans_.data(), count});
      case Type::String:
        texts_.resize(count);
        for (std::size_t i = 0; i < count; ++i) texts_[i] = static_cast<const std::string*>(values)[i].c_str();
        return check(api_.set_string, vr, count, Listed<const fmiString>{texts_.data(), count});
      default: throw no_such_type(type);
    }
  }

  [[nodiscard]] Error no_such_type(Type type) const {
    return run_error("{}: FMI 1.0 has no values of type {}", caller_.who(), consort::name_of(type))
        .in_unit(caller_.unit());
  }

  Foundation f_;
  Api api_;
  Caller caller_;
  OnlyInstance only_;
  fmiComponent component_ = nullptr;
  Experiment experiment_;
  std::vector<int> integers_;  // scratch for conversions; never shrinks
  std::vector<fmiBoolean> booleans_;
  std::vector<fmiString> texts_;
};

// --- Co-Simulation ---------------------------------------------------------------------------------------------------

class CoSimulationInstance final : public Common<CoSimulation>, public InputDerivatives, public OutputDerivatives {
 public:
  explicit CoSimulationInstance(Foundation foundation) : Common(std::move(foundation)) { instantiate(); }
  ~CoSimulationInstance() override { release_component(); }
  CoSimulationInstance(const CoSimulationInstance&) = delete;
  CoSimulationInstance& operator=(const CoSimulationInstance&) = delete;

  void exit_initialization() override {
    stop_ = experiment_.stop.value_or(std::numeric_limits<Time>::infinity());
    check(api_.initialize_slave, experiment_.start, boolean(experiment_.stop.has_value()),
          experiment_.stop.value_or(0.0));
  }
  void terminate() override {
    if (!caller_.is_broken()) check(api_.terminate_slave);
  }
  void reset() override {
    caller_.require_not_fatal();
    check(api_.reset_slave);
    caller_.mend();
  }

  StepReport do_step(Time t, Duration h, bool) override {
    h = kept_within(stop_, t, h);
    caller_.set_time(t);
    // FMI 1.0 CS, 3.3: newStep is false if a discarded step is repeated.
    const bool repeats = f_.interface.can_reject_steps && discarded_at_ == t;
    Status status = caller_.call(api_.do_step, component_, t, h, boolean(!repeats));
    if (status == Status::pending) status = wait_for_step();
    discarded_at_ = status == Status::discard ? std::optional<Time>(t) : std::nullopt;
    if (status == Status::discard) return discarded(t);
    if (status > Status::warning) throw caller_.failure(api_.do_step.name, status);
    return {StepReport::End::completed, t + h, false, false};
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
  void instantiate() {
    const std::string location = f_.location_uri();
    // FMI 1.0 CS, 2.1.3: the MIME type of a stand-alone FMU is "application/x-fmu-sharedlibrary".
    const std::string mime =
        f_.interface.needs_execution_tool ? f_.interface.mime_type : "application/x-fmu-sharedlibrary";
    // Without stepFinished: the end of a step is polled with fmiGetStatus, and tools warn of a callback that they do
    // not support.
    const fmiCallbackFunctionsCS callbacks{log_message, allocate, release, nullptr};
    f_.library->make_current();
    for (const auto& token : f_.tokens()) {
      component_ = caller_.call_plain(api_.instantiate_slave, caller_.unit().c_str(), token.c_str(), location.c_str(),
                                      mime.c_str(), 0.0, boolean(f_.options.visible), boolean(false), callbacks,
                                      boolean(f_.options.logging));
      if (component_ != nullptr) break;
    }
    require_component(api_.instantiate_slave.name);
  }
  void release_component() {
    if (component_ == nullptr || caller_.is_fatal() || api_.free_slave.call == nullptr) return;
    caller_.call_plain(api_.free_slave, component_);
    caller_.trace_line("fmiFreeSlaveInstance()");
  }

  Status wait_for_step() {
    for (auto pause = std::chrono::microseconds(50);; pause = std::min(pause * 2, std::chrono::microseconds(10'000))) {
      std::this_thread::sleep_for(pause);
      fmiStatus answer = fmiPending;
      const Status asked = caller_.follow_up(api_.get_status, component_, fmiDoStepStatus, Result(&answer));
      if (asked > Status::warning && asked != Status::pending) throw caller_.failure(api_.get_status.name, asked);
      if (asked != Status::pending && answer != fmiPending) return static_cast<Status>(answer);
    }
  }

  StepReport discarded(Time t) {
    StepReport report{StepReport::End::discarded, t, false, false};
    if (api_.get_real_status.call != nullptr) {
      double reached = t;
      if (caller_.follow_up(api_.get_real_status, component_, fmiLastSuccessfulTime, Result(&reached)) <=
          Status::warning)
        report.reached = reached;
    }
    return report;
  }

  Time stop_ = std::numeric_limits<Time>::infinity();
  std::optional<Time> discarded_at_;  // start of the last step, if it was discarded
};

// --- Model Exchange --------------------------------------------------------------------------------------------------

class ModelExchangeInstance final : public Common<ModelExchange> {
 public:
  explicit ModelExchangeInstance(Foundation foundation) : Common(std::move(foundation)) { instantiate(); }
  ~ModelExchangeInstance() override { release_component(); }
  ModelExchangeInstance(const ModelExchangeInstance&) = delete;
  ModelExchangeInstance& operator=(const ModelExchangeInstance&) = delete;

  // fmiInitialize is also the first event update; the next update_discrete_states() returns its result. An instance
  // that reports nothing (Test-FMUs 0.0.1) may announce its events in another update.
  void exit_initialization() override {
    set_time(experiment_.start);
    fmiEventInfo info = event_info(std::nullopt);
    info.iterationConverged = fmiFalse;
    check(api_.initialize, boolean(experiment_.tolerance.has_value()), experiment_.tolerance.value_or(0.0),
          Result(&info));
    pending_ = update_of(info);
    is_within_step_ = false;
  }
  void terminate() override {
    if (!caller_.is_broken()) check(api_.terminate);
  }
  // FMI 1.0 Model Exchange has no reset: a new component replaces the old one.
  void reset() override {
    caller_.require_not_fatal();
    release_component();
    component_ = nullptr;
    caller_.mend();
    pending_.reset();
    announcement_ = {};
    instantiate();
  }

  [[nodiscard]] std::size_t continuous_states() override { return f_.description().continuous_states; }
  [[nodiscard]] std::size_t event_indicators() override { return f_.description().event_indicators; }

  void set_time(Time t) override {
    caller_.set_time(t);
    announcement_.reach(t);
    is_within_step_ = true;
    check(api_.set_time, t);
  }
  void set_states(std::span<const double> x) override {
    is_within_step_ = true;
    check(api_.set_states, Listed(x.data(), x.size()), x.size());
  }
  void get_states(std::span<double> x) override { check(api_.get_states, Listed(x.data(), x.size()), x.size()); }
  void get_derivatives(std::span<double> dx) override {
    check(api_.get_derivatives, Listed(dx.data(), dx.size()), dx.size());
  }
  void get_derivatives_at(Time t, std::span<const double> x, std::span<double> dx) override {
    caller_.set_time(t);
    announcement_.reach(t);
    is_within_step_ = true;
    check(api_.set_time.later(), t);
    check(api_.set_states.later(), Listed(x.data(), x.size()), x.size());
    get_derivatives(dx);
  }
  void get_event_indicators(std::span<double> z) override {
    check(api_.get_event_indicators, Listed(z.data(), z.size()), z.size());
  }
  void get_nominals(std::span<double> x) override { check(api_.get_nominals, Listed(x.data(), x.size()), x.size()); }

  // FMI 1.0 has no modes, but an event update follows a completed step; AMESim refuses it otherwise.
  void enter_event_mode() override {
    if (is_within_step_) completed_integrator_step(false);
  }
  void leave_event_mode() override {}
  DiscreteUpdate update_discrete_states() override {
    const DiscreteUpdate update = pending_ ? *pending_ : next_update();
    pending_.reset();
    announcement_.take(update.next_event);
    return update;
  }
  IntegratorStep completed_integrator_step(bool) override {
    fmiBoolean call_event_update = fmiFalse;
    is_within_step_ = false;
    check(api_.completed_integrator_step, Result(&call_event_update));
    return {call_event_update != fmiFalse, false};
  }

 private:
  void instantiate() {
    const fmiCallbackFunctionsME callbacks{log_message, allocate, release};
    f_.library->make_current();
    for (const auto& token : f_.tokens()) {
      component_ = caller_.call_plain(api_.instantiate_model, caller_.unit().c_str(), token.c_str(), callbacks,
                                      boolean(f_.options.logging));
      if (component_ != nullptr) break;
    }
    require_component(api_.instantiate_model.name);
  }
  void release_component() {
    if (component_ == nullptr || caller_.is_fatal() || api_.free_model.call == nullptr) return;
    caller_.call_plain(api_.free_model, component_);
    caller_.trace_line("fmiFreeModelInstance()");
  }

  DiscreteUpdate next_update() {
    fmiEventInfo info = event_info(announcement_.ahead());
    check(api_.event_update, boolean(false), Result(&info));
    return update_of(info);
  }
  // Without fmiFalse from the FMU, the iteration has converged.
  static fmiEventInfo event_info(std::optional<Time> announced) {
    fmiEventInfo info{};
    info.iterationConverged = fmiTrue;
    info.upcomingTimeEvent = boolean(announced.has_value());
    info.nextEventTime = announced.value_or(0.0);
    return info;
  }
  static DiscreteUpdate update_of(const fmiEventInfo& info) {
    DiscreteUpdate update;
    update.repeat = info.iterationConverged == fmiFalse;
    update.terminate = info.terminateSimulation != fmiFalse;
    update.nominals_changed = info.stateValueReferencesChanged != fmiFalse;
    update.states_changed = info.stateValuesChanged != fmiFalse;
    if (info.upcomingTimeEvent != fmiFalse) update.next_event = info.nextEventTime;
    return update;
  }

  std::optional<DiscreteUpdate> pending_;
  Announcement announcement_;
  bool is_within_step_ = false;
};

}  // namespace

std::unique_ptr<CoSimulation> make_co_simulation(Foundation foundation) {
  return std::make_unique<CoSimulationInstance>(std::move(foundation));
}

std::unique_ptr<ModelExchange> make_model_exchange(Foundation foundation) {
  return std::make_unique<ModelExchangeInstance>(std::move(foundation));
}

}  // namespace consort::fmi::v1
