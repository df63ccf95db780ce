#include "model/describe_model.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/value.hpp"
#include "consort/model/units.hpp"
#include "model/layout.hpp"

namespace consort::model {
namespace {

using describe::Description;
using describe::VariableId;

static_assert(static_cast<int>(Kind::float32) == static_cast<int>(Type::Float32) &&
              static_cast<int>(Kind::boolean) == static_cast<int>(Type::Boolean) &&
              static_cast<int>(Kind::enumeration) == static_cast<int>(Type::Enumeration));

describe::Causality causality_of(Causality causality) {
  switch (causality) {
    case Causality::parameter: return describe::Causality::parameter;
    case Causality::calculated_parameter: return describe::Causality::calculated_parameter;
    case Causality::input: return describe::Causality::input;
    case Causality::output: return describe::Causality::output;
    case Causality::local: return describe::Causality::local;
    case Causality::structural_parameter: break;
  }
  return describe::Causality::structural_parameter;
}

template <class T>
Value value_of(const std::byte* from, std::size_t count) {
  std::vector<T> elements(count);
  std::memcpy(elements.data(), from, count * sizeof(T));
  return Value(std::move(elements));
}

Value start_of(const Variable& v, const void* model, std::size_t count) {
  const auto* from = static_cast<const std::byte*>(v.locate(const_cast<void*>(model)));
  if (v.kind == Kind::string) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
      texts.emplace_back(static_cast<const char*>(static_cast<const void*>(from + i * v.element_size)));
    }
    return Value(std::move(texts));
  }
  if (v.kind == Kind::binary) {
    std::vector<Binary> binaries;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t size;
      std::memcpy(&size, from + i * v.element_size, sizeof size);
      const auto* bytes =
          static_cast<const std::uint8_t*>(static_cast<const void*>(from + i * v.element_size)) + sizeof size;
      binaries.emplace_back(bytes, bytes + size);
    }
    return Value(std::move(binaries));
  }
  Value value;
  with_type(static_cast<Type>(v.kind), [&]<class T>() {
    if constexpr (std::is_trivially_copyable_v<T>) value = value_of<T>(from, count);
  });
  return value;
}

class Describer {
 public:
  Describer(const Definition& definition, std::string_view name) : definition_(definition) {
    to_.version = describe::FmiVersion::native;
    to_.model_name = name;
    to_.description = definition.info.description;
    to_.model_version = definition.info.version;
    to_.structured_names = true;
    to_.default_experiment.start_time = 0;
    to_.default_experiment.stop_time = definition.info.stop_time;
    to_.default_experiment.step_size = definition.info.step;
    specimen_.resize(definition.size + definition.alignment);
    void* place = specimen_.data();
    std::size_t room = specimen_.size();
    model_ = std::align(definition.alignment, definition.size, place, room);
    definition.construct(model_);
  }

  Description describe() {
    add_interface();
    add_time();
    for (std::uint32_t i = 0; i < definition_.variable_count; ++i) add(i);
    for (std::uint32_t i = 0; i < definition_.variable_count; ++i) add_structure(i);
    to_.finish();
    return std::move(to_);
  }

 private:
  std::string_view keep(std::string_view text) { return to_.arena().store(text); }

  void add_interface() {
    describe::Interface me;
    me.type = describe::InterfaceType::model_exchange;
    me.model_identifier = to_.model_name;
    me.can_save_state = me.can_serialize_state = me.directional_derivatives = true;
    me.needs_completed_integrator_step = definition_.completed != nullptr;
    me.event_mode = true;
    to_.interfaces.push_back(std::move(me));
  }

  void add_time() {
    describe::Variable time;
    time.name = "time";
    time.description = "simulation time";
    time.causality = describe::Causality::independent;
    to_.variables.push_back(time);
  }

  describe::DisplayUnitId display_unit(describe::MeasureId measure, std::string_view name) {
    if (name.empty() || measure == describe::no_measure) return describe::no_display_unit;
    describe::Measure& m = to_.units[measure];
    for (std::size_t i = 0; i < m.display_units.size(); ++i) {
      if (m.display_units[i].name == name) return static_cast<describe::DisplayUnitId>(i);
    }
    const Unit shown = parse_unit(name);
    m.display_units.push_back(
        {keep(name), m.base->factor / shown.factor, (m.base->offset - shown.offset) / shown.factor, false});
    return static_cast<describe::DisplayUnitId>(m.display_units.size() - 1);
  }

  // The type of an enumeration, shared by all variables with the same value names.
  std::uint32_t type_of_values(const Variable& v) {
    const auto [found, is_new] = types_.try_emplace(v.items.first, static_cast<std::uint32_t>(to_.types.size()));
    if (is_new) {
      describe::TypeDefinition type;
      type.name = keep("Values of " + std::string(v.name));
      type.type = Type::Enumeration;
      std::int64_t value = 0;
      for (const std::string_view item : v.items) type.items.push_back({keep(item), {}, ++value});
      to_.types.push_back(std::move(type));
    }
    return found->second;
  }

  void add(std::uint32_t index) {
    const Variable& v = definition_.variables[index];
    describe::Variable to;
    const std::string name(v.name);
    to.name = keep(v.is_rate ? "der(" + name + ")" : name);
    to.description = keep(v.description);
    to.quantity = keep(v.quantity);
    to.reference = index + 1;
    to.type = static_cast<Type>(v.kind);
    to.causality = causality_of(v.causality);
    to.variability = static_cast<describe::Variability>(v.variability);
    to.initial = static_cast<describe::Initial>(v.initial);
    to.declares_initial = v.initial != Initial::none;
    to.min = v.min;
    to.max = v.max;
    if (v.nominal > 0) {
      to.nominal = v.nominal;
      to.has_nominal = true;
    }
    to.unit = add_unit(to_, v.is_rate ? rate_unit(v.unit) : std::string(v.unit));
    to.display_unit = display_unit(to.unit, v.display_unit);
    if (v.kind == Kind::enumeration) to.declared_type = type_of_values(v);
    if (v.is_rate) to.derivative_of = index;  // the preceding variable; the index includes the time
    add_dimensions(v, to);
    if (v.initial != Initial::calculated) {
      to.start = static_cast<std::uint32_t>(to_.starts.size());
      to_.starts.push_back(start_of(v, model_, element_count(definition_, v, model_)));
    }
    to_.variables.push_back(to);
  }

  void add_dimensions(const Variable& v, describe::Variable& to) {
    to.dimensions = {static_cast<std::uint32_t>(to_.dimensions.size()), v.rank};
    for (std::uint32_t i = 0; i < v.rank; ++i) {
      describe::Dimension dimension{i == 0 ? v.rows : v.columns, 0, false};
      if (v.sizes.count > 0) dimension = {0, reference_of(v.sizes.first[i]), true};
      to_.dimensions.push_back(dimension);
    }
  }

  [[nodiscard]] VariableId reference_of(std::string_view member) const {
    for (std::uint32_t i = 0; i < definition_.variable_count; ++i) {
      if (definition_.variables[i].member == member) return i + 1;
    }
    return 0;
  }

  void add_structure(std::uint32_t index) {
    const Variable& v = definition_.variables[index];
    const bool is_output = v.causality == Causality::output;
    if (v.is_state()) {
      to_.continuous_states += static_cast<std::uint32_t>(element_count(definition_, v, model_));
    }
    if (v.is_indicator) {
      ++to_.event_indicators;
      to_.structure.event_indicators.push_back({index + 1, false, {}});
    }
    if (is_output) to_.structure.outputs.push_back(unknown(v, index + 1));
    if (v.is_rate) to_.structure.derivatives.push_back(unknown(v, index + 1));
    if (v.initial == Initial::calculated &&
        (is_output || v.is_rate || v.is_state() || v.causality == Causality::calculated_parameter)) {
      to_.structure.initial_unknowns.push_back({index + 1, false, {}});
    }
  }

  describe::Unknown unknown(const Variable& v, VariableId id) {
    auto& all = to_.structure.dependencies;
    describe::Unknown result{id, v.is_state() || v.dependencies_declared, {static_cast<std::uint32_t>(all.size()), 0}};
    if (v.is_state()) {
      all.push_back({id, describe::DependencyKind::dependent});
    } else {
      for (const std::string_view member : v.dependencies) {
        all.push_back({reference_of(member), describe::DependencyKind::dependent});
      }
    }
    result.dependencies.count = static_cast<std::uint32_t>(all.size()) - result.dependencies.begin;
    return result;
  }

  const Definition& definition_;
  Description to_;
  std::vector<std::byte> specimen_;
  void* model_ = nullptr;
  std::map<const std::string_view*, std::uint32_t> types_;
};

}  // namespace

describe::MeasureId add_unit(describe::Description& to, std::string_view name) {
  if (name.empty()) return describe::no_measure;
  const auto found =
      std::find_if(to.units.begin(), to.units.end(), [&](const describe::Measure& m) { return m.name == name; });
  if (found != to.units.end()) return static_cast<describe::MeasureId>(found - to.units.begin());
  const Unit parsed = parse_unit(name);
  describe::BaseUnit base{{}, parsed.factor, parsed.offset};
  std::copy(std::begin(parsed.exponents), std::end(parsed.exponents), base.exponents.begin());
  to.units.push_back({to.arena().store(name), base, {}, 0});
  return static_cast<describe::MeasureId>(to.units.size() - 1);
}

describe::Description describe_model(const Definition& definition, std::string_view name) {
  return Describer(definition, name).describe();
}

}  // namespace consort::model
