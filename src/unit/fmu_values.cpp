#include "unit/fmu_values.hpp"

namespace consort::unit {

void get_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values) {
  for (const auto& group : signals.groups()) {
    with_type(group.type, [&]<class T>() { instance.get<T>(group.references, std::span(values.column<T>())); });
  }
  signals.negate(values);
}

void set_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values) {
  signals.negate(values);
  for (const auto& group : signals.groups()) {
    with_type(group.type,
              [&]<class T>() { instance.set<T>(group.references, std::span<const T>(values.column<T>())); });
  }
  signals.negate(values);
}

bool configure_values(fmi::Instance& instance, const describe::SignalSet& signals, Columns& values) {
  auto* const configuration = instance.configuration();
  if (configuration == nullptr) return false;
  configuration->enter_configuration();
  set_values(instance, signals, values);
  configuration->exit_configuration();
  return true;
}

}  // namespace consort::unit
