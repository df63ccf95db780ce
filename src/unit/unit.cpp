#include "unit/unit.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace consort::unit {

std::string Variables::try_get(const describe::SignalSet& signals, Columns& values) {
  try {
    get(signals, values);
  } catch (const Error& error) {
    if (error.fault() != Fault::run) throw;
    return error.what();
  }
  return {};
}

void Unit::get_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at) {
  for (const auto& group : signals.groups())
    with_type(group.type, [&]<class T>() { part_.column<T>().resize(group.elements()); });
  get(signals, part_);
  for (const auto& group : signals.groups()) {
    with_type(group.type, [&]<class T>() {
      std::copy_n(part_.column<T>().begin(), group.elements(),
                  values.column<T>().begin() + at[static_cast<std::size_t>(group.type)]);
    });
  }
}

void Unit::set_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at) {
  for (const auto& group : signals.groups()) {
    with_type(group.type, [&]<class T>() {
      auto& part = part_.column<T>();
      part.resize(group.elements());
      std::copy_n(values.column<T>().begin() + at[static_cast<std::size_t>(group.type)], group.elements(),
                  part.begin());
    });
  }
  set(signals, part_);
}

}  // namespace consort::unit
