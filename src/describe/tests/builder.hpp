// Builds descriptions by hand, variable by variable; finish() makes them ready for look-ups.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "describe/description.hpp"

namespace consort::describe {

class Builder {
 public:
  explicit Builder(FmiVersion version = FmiVersion::v3) {
    d_.version = version;
    d_.model_name = "plant";
    d_.instantiation_token = "{token}";
    Interface cs;
    cs.model_identifier = "plant";
    d_.interfaces.push_back(cs);
  }

  // Adds a local Float64, with lines counted from 1. Change its properties through the returned reference.
  Variable& add(std::string_view name, ValueReference reference, Type type = Type::Float64) {
    Variable v;
    v.name = d_.arena().store(name);
    v.reference = reference;
    v.type = type;
    v.variability = is_float(type) ? Variability::continuous : Variability::discrete;
    v.initial = Initial::calculated;
    v.line = static_cast<std::uint32_t>(d_.variables.size() + 1);
    d_.variables.push_back(v);
    return d_.variables.back();
  }
  Variable& add_input(std::string_view name, ValueReference reference, Value start_value = Value::scalar(0.0)) {
    const Type type = start_value.type();
    Variable& v = add(name, reference, type);
    v.causality = Causality::input;
    v.initial = Initial::none;
    start(v, std::move(start_value));
    return v;
  }
  Variable& add_size(std::string_view name, ValueReference reference, std::uint64_t size) {
    Variable& v = add(name, reference, Type::UInt64);
    v.causality = Causality::structural_parameter;
    v.variability = Variability::fixed;
    v.initial = Initial::exact;
    start(v, Value::scalar(size));
    return v;
  }
  void start(Variable& v, Value value) {
    v.start = static_cast<std::uint32_t>(d_.starts.size());
    d_.starts.push_back(std::move(value));
  }
  void dimensions(Variable& v, const std::vector<Dimension>& dimensions) {
    v.dimensions = {static_cast<std::uint32_t>(d_.dimensions.size()), static_cast<std::uint32_t>(dimensions.size())};
    d_.dimensions.insert(d_.dimensions.end(), dimensions.begin(), dimensions.end());
  }
  void alias(VariableId of, std::string_view name) {
    d_.aliases.push_back({of, d_.arena().store(name), {}, no_display_unit});
  }
  [[nodiscard]] Description& raw() { return d_; }
  [[nodiscard]] Description finish() {
    d_.finish();
    return std::move(d_);
  }

 private:
  Description d_;
};

inline Dimension fixed_size(std::uint64_t size) { return {size, 0, false}; }
inline Dimension sized_by(ValueReference reference) { return {0, reference, true}; }

}  // namespace consort::describe
