#include "unit/fmu_values.hpp"

namespace consort::unit {

namespace {

// Out of line, because the many branches would make the frame of the caller large for every type.
template <class F>
[[gnu::noinline]] void with_other_type(Type type, F&& f) {
  with_type(type, f);
}

// Nearly all exchanged values are Float64.
template <class F>
void with_group_type(Type type, F&& f) {
  if (type == Type::Float64) return f.template operator()<double>();
  with_other_type(type, f);
}

}  // namespace

void get_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values,
                const describe::Offsets& at) {
  for (const auto& group : signals.groups()) {
    with_group_type(group.type, [&]<class T>() {
      T* const first = values.column<T>().data() + at[static_cast<std::size_t>(type_of<T>)];
      instance.get<T>(group.references, std::span<T>(first, group.elements()));
    });
  }
  signals.negate(values, at);
}

std::string try_get_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values) {
  try {
    instance.tolerate([&] { get_values(instance, signals, values); });
  } catch (const fmi::Refused& refusal) {
    return refusal.what();
  }
  return {};
}

void set_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values,
                const describe::Offsets& at) {
  signals.negate(values, at);
  for (const auto& group : signals.groups()) {
    with_group_type(group.type, [&]<class T>() {
      const T* const first = values.column<T>().data() + at[static_cast<std::size_t>(type_of<T>)];
      instance.set<T>(group.references, std::span<const T>(first, group.elements()));
    });
  }
  signals.negate(values, at);
}

bool configure_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values) {
  auto* const configuration = instance.configuration();
  if (configuration == nullptr) return false;
  configuration->enter_configuration();
  set_values(instance, signals, values);
  configuration->exit_configuration();
  return true;
}

bool reset_instance(fmi::Instance& instance) {
  try {
    instance.reset();
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace consort::unit
