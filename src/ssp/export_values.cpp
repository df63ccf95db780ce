#include "ssp/export_values.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ssp/export_names.hpp"

namespace consort::ssp {

using describe::Variable;

namespace {

Transformation::Kind mapping_kind(const std::vector<std::pair<std::string, std::string>>& entries,
                                  const Variable* source) {
  using Kind = Transformation::Kind;
  const auto all = [&](auto&& is) {
    return std::all_of(entries.begin(), entries.end(), [&](const auto& e) { return is(e.first) && is(e.second); });
  };
  const auto is_boolean = [](const std::string& t) { return t == "true" || t == "false" || t == "0" || t == "1"; };
  const auto is_integer = [](const std::string& t) {
    return !t.empty() && t.find_first_not_of("0123456789", t[0] == '-' ? 1 : 0) == std::string::npos;
  };
  if ((source == nullptr || source->type == Type::Boolean) && all(is_boolean)) return Kind::boolean;
  return all(is_integer) ? Kind::integer : Kind::enumeration;
}

class Bindings {
 public:
  explicit Bindings(const ValueContext& context) : context_(context) {}

  std::vector<ParameterBinding> operator()(const std::vector<graph::Setting>& settings, const FindVariable& find) {
    std::vector<ParameterBinding> bindings;
    std::set<std::string> names;
    bool mapped = false;
    for (const auto& s : settings) {
      const bool maps = !s.convert_units || !std::holds_alternative<std::monostate>(s.transformation);
      if (bindings.empty() || maps || mapped || !names.insert(s.name).second) {
        auto& set = bindings.emplace_back().inlined.emplace_back();
        set.version = name_of(context_.version);
        set.name = fmt::format("values {}", bindings.size());
        names = {s.name};
      }
      mapped = maps;
      auto& binding = bindings.back();
      const KnownVariable target = find(s.name);
      add_parameter(s, target, binding.inlined.front());
      if (!maps) continue;
      auto& mapping = binding.mapping.emplace_back().inlined.emplace_back();
      mapping.version = name_of(context_.version);
      auto& entry = mapping.entries.emplace_back();
      entry.source = entry.target = s.name;
      entry.suppress_unit_conversion = !s.convert_units;
      entry.transformation = transformation_of(s.transformation, target.variable, s.name, context_.notes);
    }
    return bindings;
  }

 private:
  void add_parameter(const graph::Setting& s, const KnownVariable& target, ParameterSet& set) {
    Parameter p;
    p.name = s.name;
    p.kind = parameter_kind(s, target);
    const bool text = p.kind == TypeKind::string || p.kind == TypeKind::binary || p.kind == TypeKind::enumeration;
    if (!s.elements.empty()) {
      for (const auto& element : s.elements) p.values.push_back(text ? element : xsd(element));
    } else if (text) {
      p.values = {s.value};
    } else {
      for (const auto part : split_white(s.value)) p.values.emplace_back(xsd(part));
    }
    if (!s.unit.empty() && !text) add_unit(s, target, p, set);
    if (p.values.size() > 1) add_dimensions(s, target, p);
    const bool maps = !s.convert_units || !std::holds_alternative<std::monostate>(s.transformation);
    if (p.values.size() > 1 && context_.version == Version::v1_0 && !maps) return add_elements(p, set);
    set.parameters.push_back(std::move(p));
  }

  // SSP 1.0 has no array values, so each element becomes a parameter.
  static void add_elements(const Parameter& array, ParameterSet& set) {
    std::vector<std::uint64_t> sizes;
    for (const auto& d : array.dimensions) sizes.push_back(d.size.value_or(0));
    const auto names = element_names(array.name, sizes);
    require(names.size() == array.values.size(),
            "the value of '{}' has {} elements, which SSP 1.0 cannot hold; write version 2.0", array.name,
            array.values.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto& one = set.parameters.emplace_back(array);
      one.name = names[i];
      one.values = {array.values[i]};
      one.dimensions.clear();
    }
  }

  // XSD spellings of non-finite numbers.
  static std::string xsd(std::string_view text) {
    if (iequals(text, "inf") || iequals(text, "+inf")) return "INF";
    if (iequals(text, "-inf")) return "-INF";
    if (iequals(text, "nan")) return "NaN";
    return std::string(text);
  }

  TypeKind parameter_kind(const graph::Setting& s, const KnownVariable& target) const {
    if (target.variable == nullptr) return guess_kind(s.text());
    if (target.variable->type == Type::Enumeration) {
      const bool number = guess_kind(s.text()) == TypeKind::real;
      return number ? TypeKind::integer : TypeKind::enumeration;
    }
    const auto kind = kind_of(target.variable->type, context_.version);
    if (kind != TypeKind::none) return kind;
    return is_float(target.variable->type) ? TypeKind::real : TypeKind::integer;
  }

  void add_unit(const graph::Setting& s, const KnownVariable& target, Parameter& p, ParameterSet& set) {
    auto base = s.measure ? s.measure : context_.measure(s.unit);
    if (!base && target.description != nullptr)
      for (const auto& u : target.description->units)
        if (u.name == s.unit && u.base) base = u.base;
    const bool same = target.variable != nullptr && target.description->unit_name(*target.variable) == s.unit;
    if (!base && (same || s.lenient)) return;
    require(base.has_value(), "the value of '{}' is given in '{}', which is not defined; define the unit", s.name,
            s.unit);
    p.unit = s.unit;
    const auto known =
        std::find_if(set.units.begin(), set.units.end(), [&](const auto& u) { return u.name == s.unit; });
    if (known != set.units.end()) return;
    auto& unit = set.units.emplace_back();
    unit.name = s.unit;
    unit.base = base_of(*base);
  }

  static void add_dimensions(const graph::Setting& s, const KnownVariable& target, Parameter& p) {
    std::uint64_t product = 1;
    for (const auto size : s.dimensions) {
      p.dimensions.emplace_back().size = size;
      product *= size;
    }
    if (!p.dimensions.empty() && product == p.values.size()) return;
    p.dimensions.clear();
    product = 1;
    for (const auto size : target.sizes) {
      p.dimensions.emplace_back().size = size;
      product *= size;
    }
    if (product == p.values.size()) return;
    p.dimensions.clear();
    p.dimensions.emplace_back().size = p.values.size();
  }

  const ValueContext& context_;
};

}  // namespace

std::vector<ParameterBinding> bindings_of(const std::vector<graph::Setting>& settings, const FindVariable& find,
                                          const ValueContext& context) {
  return Bindings(context)(settings, find);
}

Transformation transformation_of(const graph::Transformation& from, const Variable* source, const std::string& what,
                                 std::vector<std::string>& notes) {
  using Kind = Transformation::Kind;
  Transformation to;
  if (const auto* linear = std::get_if<graph::Linear>(&from)) {
    to.kind = Kind::linear;
    to.factor = linear->factor;
    to.offset = linear->offset;
  }
  const auto* const mapping = std::get_if<graph::Mapping>(&from);
  if (mapping == nullptr) return to;
  to.entries = mapping->entries;
  to.kind = mapping_kind(to.entries, source);
  if (!mapping->partial)
    notes.push_back(
        fmt::format("{}: a value that the map does not list is an error in Consort, but stays unchanged in SSP", what));
  return to;
}

}  // namespace consort::ssp
