#include "unit/native_instance.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "model/describe_model.hpp"
#include "unit/unit.hpp"

namespace consort::unit {

namespace {

class NativeState : public fmi::SavedState {
 public:
  std::vector<std::byte> memory;
};

// --- conversion of elements between the memory of the model and C++ types

template <class T>
void load(const std::byte* from, const model::Slot&, T& to) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(&to, from, sizeof to);
}
void load(const std::byte* from, const model::Slot& slot, std::string& to) {
  const auto* const text = static_cast<const char*>(static_cast<const void*>(from));
  to.assign(text, strnlen(text, slot.element_size));
}
// A binary is stored as its size followed by its bytes (consort::model::Bytes).
void load(const std::byte* from, const model::Slot&, Binary& to) {
  std::uint32_t size = 0;
  std::memcpy(&size, from, sizeof size);
  to.resize(size);
  if (size > 0) std::memcpy(to.data(), from + sizeof size, size);
}

template <class T>
void store(std::byte* to, const model::Slot&, const T& from) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(to, &from, sizeof from);
}
void store(std::byte* to, const model::Slot& slot, const std::string& from) {
  if (from.size() >= slot.element_size) throw model::Failure("a string is too long for its variable");
  std::memset(to, 0, slot.element_size);
  std::memcpy(to, from.data(), from.size());
}
void store(std::byte* to, const model::Slot& slot, const Binary& from) {
  const auto size = static_cast<std::uint32_t>(from.size());
  if (from.size() > slot.element_size - sizeof size) throw model::Failure("a binary is too long for its variable");
  std::memset(to, 0, slot.element_size);
  std::memcpy(to, &size, sizeof size);
  if (size > 0) std::memcpy(to + sizeof size, from.data(), size);
}

LogLevel level_of(model::Status status) {
  if (status == model::Status::ok) return LogLevel::info;
  return status >= model::Status::error ? LogLevel::error : LogLevel::warning;
}

}  // namespace

// --- life ------------------------------------------------------------------------------------------------------------

NativeInstance::NativeHost::NativeHost(NativeOptions given) : options(std::move(given)) {
  log = forward;
  instance_name = options.name.c_str();
  resources = options.resources.c_str();
}

void NativeInstance::NativeHost::forward(const model::Host& host, model::Status status, const char* category,
                                         const char* format, const void* argument) {
  const auto& self = static_cast<const NativeHost&>(host);
  if (!self.options.log || (status == model::Status::ok && !self.debugging)) return;
  const bool is_text = std::strcmp(format, "%s") == 0;
  self.options.log(
      {level_of(status), self.options.name, category, is_text ? static_cast<const char*>(argument) : format});
}

NativeInstance::NativeInstance(const model::Definition& definition, std::string_view model_name, NativeOptions options)
    : host_(std::move(options)),
      description_(model::describe_model(definition, model_name)),
      layout_(definition, model::Layout::Style::arrays),
      model_(layout_, host_) {}

template <class F>
void NativeInstance::guarded(std::string_view function, F&& body) {
  const auto failed = [&](const char* what) {
    const Time t = model_.head().time;
    return run_error("unit '{}' (native model): {} failed at t = {} s: {}", name(), function, t, what)
        .in_unit(name())
        .in_call(std::string(function))
        .at(t);
  };
  try {
    body();
  } catch (const model::Failure& failure) {
    const Error error = failed(failure.what());
    if (failure.status() != model::Status::discard) throw error;
    throw fmi::Discarded(error.fault(), error.what(), error.fields());
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    throw failed(e.what());
  }
}

std::string NativeInstance::missing(std::string_view capability) const {
  return fmt::format("unit '{}' (native model) has no {}", name(), capability);
}

void NativeInstance::enter_initialization(const fmi::Experiment& experiment) {
  model_.enter_initialization(experiment.start, experiment.stop.value_or(never));
}
void NativeInstance::exit_initialization() {
  guarded("initialize", [&] { model_.leave_initialization(model::event_mode); });
}
void NativeInstance::reset() {
  guarded("instantiate", [&] { model_.reset(); });
}
void NativeInstance::exit_configuration() {
  guarded("the choice of sizes", [&] {
    model_.leave_configuration();
    model_.head().mode = model::instantiated;
  });
}

// --- values ----------------------------------------------------------------------------------------------------------

const model::Slot& NativeInstance::slot(ValueReference reference, Type type) const {
  const auto* const found = layout_.find(reference);
  if (found == nullptr || static_cast<Type>(found->kind) != type) {
    throw run_error(
        "unit '{}' (native model) has no {} variable with the value reference {}; use one of the description", name(),
        name_of(type), reference)
        .in_unit(name());
  }
  return *found;
}

void NativeInstance::read(Type type, std::span<const ValueReference> references, void* values, std::size_t count) {
  if (type == Type::Clock)
    throw run_error("unit '{}' (native model) has no clocks; leave them out", name()).in_unit(name());
  with_type(type, [&]<class T>() {
    auto* to = static_cast<T*>(values);
    const T* const end = to + count;
    guarded("reading values", [&] {
      for (const auto reference : references) {
        const auto& s = slot(reference, type);
        model_.refresh(s.needs);
        const std::size_t n = model_.element_count(s);
        if (n > static_cast<std::size_t>(end - to)) throw model::Failure("there are fewer values than elements");
        const std::byte* from = model_.at(s);
        for (std::size_t i = 0; i < n; ++i, from += s.element_size) load(from, s, *to++);
      }
    });
  });
}

void NativeInstance::write(Type type, std::span<const ValueReference> references, const void* values,
                           std::size_t count) {
  if (type == Type::Clock)
    throw run_error("unit '{}' (native model) has no clocks; leave them out", name()).in_unit(name());
  with_type(type, [&]<class T>() {
    const auto* from = static_cast<const T*>(values);
    const T* const end = from + count;
    guarded("setting values", [&] {
      for (const auto reference : references) {
        const auto& s = slot(reference, type);
        if ((s.settable & model_.head().mode) == 0) {
          throw run_error("unit '{}' (native model): '{}' may not be set now; set inputs and tunable parameters only",
                          name(), description_[reference].name)
              .in_unit(name())
              .at(model_.head().time);
        }
        const std::size_t n = model_.element_count(s);
        if (n > static_cast<std::size_t>(end - from)) throw model::Failure("there are fewer values than elements");
        std::byte* to = model_.at(s);
        for (std::size_t i = 0; i < n; ++i, to += s.element_size) store(to, s, *from++);
      }
      model_.touch();
    });
  });
}

// --- continuous time and events --------------------------------------------------------------------------------------

void NativeInstance::get_derivatives(std::span<double> dx) {
  guarded("derivatives", [&] { model_.read_rates(dx.data()); });
}
void NativeInstance::get_event_indicators(std::span<double> z) {
  guarded("indicators", [&] { model_.read_indicators(z.data()); });
}

fmi::DiscreteUpdate NativeInstance::update_discrete_states() {
  fmi::DiscreteUpdate result;
  guarded("event", [&] {
    const auto outcome = model_.update_event();
    result.repeat = outcome.again;
    result.terminate = outcome.terminate;
    result.states_changed = outcome.states_changed;
    if (outcome.next_time < never) result.next_event = outcome.next_time;
  });
  return result;
}

fmi::IntegratorStep NativeInstance::completed_integrator_step(bool) {
  guarded("completed", [&] { model_.completed(0); });
  return {};
}

// --- states ----------------------------------------------------------------------------------------------------------

std::unique_ptr<fmi::SavedState> NativeInstance::save(std::unique_ptr<fmi::SavedState> reuse) {
  if (!reuse) reuse = std::make_unique<NativeState>();
  auto& memory = static_cast<NativeState&>(*reuse).memory;
  memory.resize(model_.memory_size());
  model_.save(memory.data());
  return reuse;
}

void NativeInstance::restore(const fmi::SavedState& state) {
  model_.restore(static_cast<const NativeState&>(state).memory.data());
}

std::vector<std::uint8_t> NativeInstance::serialize(const fmi::SavedState& state) {
  const auto& memory = static_cast<const NativeState&>(state).memory;
  std::vector<std::uint8_t> bytes(memory.size());
  std::memcpy(bytes.data(), memory.data(), memory.size());
  bytes.insert(bytes.end(), description_.model_name.begin(), description_.model_name.end());
  return bytes;
}

std::unique_ptr<fmi::SavedState> NativeInstance::deserialize(std::span<const std::uint8_t> bytes) {
  const std::string& model = description_.model_name;
  const std::size_t size = model_.memory_size();
  require_in_unit(
      name(),
      bytes.size() == size + model.size() &&
          std::equal(model.begin(), model.end(), bytes.begin() + static_cast<std::ptrdiff_t>(size)),
      "unit '{}' (native model): the saved state does not belong to this version of '{}'; use one that does", name(),
      model);
  auto state = std::make_unique<NativeState>();
  state->memory.resize(size);
  std::memcpy(state->memory.data(), bytes.data(), size);
  return state;
}

// --- derivatives -----------------------------------------------------------------------------------------------------

void NativeInstance::directional(std::span<const ValueReference> unknowns, std::span<const ValueReference> knowns,
                                 std::span<const double> seed, std::span<double> sensitivity) {
  unknowns_.clear();
  knowns_.clear();
  std::size_t results = 0;
  std::size_t seeds = 0;
  for (const auto reference : unknowns) {
    unknowns_.push_back(&slot(reference, Type::Float64));
    results += model_.element_count(*unknowns_.back());
  }
  for (const auto reference : knowns) {
    knowns_.push_back(&slot(reference, Type::Float64));
    seeds += model_.element_count(*knowns_.back());
  }
  require_in_unit(
      name(), results == sensitivity.size() && seeds == seed.size(),
      "unit '{}' (native model): there are {} seeds for {} elements and {} results for {}; give one for each", name(),
      seed.size(), seeds, sensitivity.size(), results);
  guarded("directional", [&] { model_.directional(unknowns_, knowns_, seed.data(), sensitivity.data()); });
}

}  // namespace consort::unit
