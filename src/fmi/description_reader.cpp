#include "fmi/description_reader.hpp"

#include <charconv>
#include <cstring>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::fmi {

using namespace describe;

// --- diagnostics -----------------------------------------------------------------------------------------------------

void DescriptionReader::unknown_attribute(pugi::xml_node at, pugi::xml_attribute attribute) {
  const std::string_view name = attribute.name();
  if (name.starts_with("xmlns") || name.find(':') != std::string_view::npos) return;
  report(Severity::warning, at, "schema", "<{}> has no attribute '{}' in {}; it is ignored", at.name(), name,
         name_of(description_.version));
}

void DescriptionReader::unknown_element(pugi::xml_node element) {
  if (element.type() != pugi::node_element) return;
  report(Severity::warning, element, "schema", "<{}> is not known below <{}> in {}; it is ignored", element.name(),
         element.parent().name(), name_of(description_.version));
}

// --- attributes ------------------------------------------------------------------------------------------------------

namespace {

template <class T>
std::optional<T> read_number(const char* text) {
  const char* const end = text + std::strlen(text);
  T value{};
  const auto [stop, problem] = std::from_chars(text, end, value);
  if (problem == std::errc() && stop == end) return value;
  try {
    return parse_element<T>(text);  // white space, a plus sign, INF
  } catch (const Error&) {
    return std::nullopt;
  }
}

template <class T>
T number_or(DescriptionReader& reader, pugi::xml_node at, pugi::xml_attribute attribute, T fallback, const char* kind) {
  if (const auto value = read_number<T>(attribute.value())) return *value;
  reader.report(Severity::warning, at, "schema", "{}=\"{}\" of <{}> is not {}; it is taken as {}", attribute.name(),
                attribute.value(), at.name(), kind, fallback);
  return fallback;
}

}  // namespace

double DescriptionReader::number(pugi::xml_node at, pugi::xml_attribute attribute, double fallback) {
  return number_or(*this, at, attribute, fallback, "a number");
}

std::uint32_t DescriptionReader::natural(pugi::xml_node at, pugi::xml_attribute attribute, std::uint32_t fallback) {
  return number_or(*this, at, attribute, fallback, "a natural number below 2^32");
}

std::uint64_t DescriptionReader::natural64(pugi::xml_node at, pugi::xml_attribute attribute, std::uint64_t fallback) {
  return number_or(*this, at, attribute, fallback, "a natural number");
}

std::int64_t DescriptionReader::integer(pugi::xml_node at, pugi::xml_attribute attribute, std::int64_t fallback,
                                        std::int64_t least, std::int64_t most) {
  const auto value = read_number<std::int64_t>(attribute.value());
  if (value && *value >= least && *value <= most) return *value;
  report(Severity::warning, at, "schema", "{}=\"{}\" of <{}> is not an integer from {} to {}; it is taken as {}",
         attribute.name(), attribute.value(), at.name(), least, most, fallback);
  return fallback;
}

bool DescriptionReader::boolean(pugi::xml_node at, pugi::xml_attribute attribute, bool fallback) {
  const std::string_view text = trim(attribute.value());
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  report(Severity::warning, at, "schema", "{}=\"{}\" of <{}> is neither true nor false; it is taken as {}",
         attribute.name(), text, at.name(), fallback);
  return fallback;
}

std::optional<double> DescriptionReader::optional_number(pugi::xml_node at, const char* name) {
  const auto attribute = at.attribute(name);
  if (!attribute) return std::nullopt;
  if (const auto value = read_number<double>(attribute.value())) return value;
  report(Severity::warning, at, "schema", "{}=\"{}\" of <{}> is not a number; it is ignored", name, attribute.value(),
         at.name());
  return std::nullopt;
}

std::string DescriptionReader::text(pugi::xml_node at, const char* name, bool mandatory, std::string_view rule) {
  const auto attribute = at.attribute(name);
  if (mandatory && !attribute) report(Severity::warning, at, rule, "<{}> lacks the attribute '{}'", at.name(), name);
  return attribute.value();
}

// --- parts shared by the versions ------------------------------------------------------------------------------------

void DescriptionReader::model_attributes(pugi::xml_node root) {
  auto& d = description_;
  d.model_name = text(root, "modelName", true, "schema");
  d.description = text(root, "description", false);
  d.author = text(root, "author", false);
  d.model_version = text(root, "version", false);
  d.copyright = text(root, "copyright", false);
  d.license = text(root, "license", false);
  d.generation_tool = text(root, "generationTool", false);
  d.generation_date = text(root, "generationDateAndTime", false);
  const std::string_view naming = root.attribute("variableNamingConvention").value();
  d.structured_names = naming == "structured";
  if (!naming.empty() && naming != "structured" && naming != "flat") {
    report(Severity::warning, root, "schema",
           "variableNamingConvention=\"{}\" is neither 'flat' nor 'structured'; taken as flat", naming);
  }
}

void DescriptionReader::default_experiment(pugi::xml_node element) {
  auto& e = description_.default_experiment;
  e.start_time = optional_number(element, "startTime");
  e.stop_time = optional_number(element, "stopTime");
  e.tolerance = optional_number(element, "tolerance");
  e.step_size = optional_number(element, "stepSize");
}

void DescriptionReader::log_categories(pugi::xml_node element) {
  for (const auto category : element.children("Category")) {
    description_.log_categories.push_back(
        {keep(category.attribute("name").value()), keep(category.attribute("description").value())});
  }
}

void DescriptionReader::unit_definitions(pugi::xml_node element) {
  for (const auto node : element.children("Unit")) {
    Measure measure;
    measure.name = keep(node.attribute("name").value());
    measure.line = line(node);
    if (const auto base = node.child("BaseUnit")) {
      measure.base.emplace();
      for (std::size_t i = 0; i < 8; ++i) {
        if (const auto exponent = base.attribute(base_unit_name(i))) {
          measure.base->exponents[i] = static_cast<std::int8_t>(integer(base, exponent, 0, -128, 127));
        }
      }
      measure.base->factor = optional_number(base, "factor").value_or(1.0);
      measure.base->offset = optional_number(base, "offset").value_or(0.0);
      if (measure.base->factor == 0) {
        report(Severity::warning, base, "units", "the factor of unit '{}' is 0; it is taken as 1", measure.name);
        measure.base->factor = 1.0;
      }
    }
    for (const auto display : node.children("DisplayUnit")) {
      DisplayUnit unit;
      unit.name = keep(display.attribute("name").value());
      unit.factor = optional_number(display, "factor").value_or(1.0);
      unit.offset = optional_number(display, "offset").value_or(0.0);
      if (const auto inverse = display.attribute("inverse")) unit.inverse = boolean(display, inverse, false);
      measure.display_units.push_back(unit);
    }
    if (!unit_ids_.emplace(measure.name, static_cast<MeasureId>(description_.units.size())).second) {
      report(Severity::warning, node, "units", "unit '{}' is defined twice; the first definition is used",
             measure.name);
    }
    description_.units.push_back(std::move(measure));
  }
}

void DescriptionReader::annotations(pugi::xml_node element, const char* key) {
  for (const auto node : element.children()) {
    if (node.type() != pugi::node_element) continue;
    description_.annotations.push_back({keep(node.attribute(key).value()), description_.arena().store(xml_text(node))});
    if (node.attribute(key).value() == std::string_view("Consort"))
      if (const auto order = node.child("InputDerivatives").attribute("highestOrder"))
        description_.input_derivative_order = order.as_uint(1);
  }
}

MeasureId DescriptionReader::unit(pugi::xml_node at, const char* name, bool must_be_defined) {
  if (const auto found = unit_ids_.find(name); found != unit_ids_.end()) return found->second;
  // FMI 1.0 defines only units with display units; other units are just names.
  if (must_be_defined) {
    report(Severity::warning, at, "units",
           "unit '{}' is not defined in <UnitDefinitions>; its values are not converted", name);
  }
  Measure measure;
  measure.name = keep(name);
  const auto id = static_cast<MeasureId>(description_.units.size());
  unit_ids_.emplace(measure.name, id);
  description_.units.push_back(std::move(measure));
  return id;
}

DisplayUnitId DescriptionReader::display_unit(pugi::xml_node at, MeasureId unit, const char* name) {
  if (unit == no_measure) {
    report(Severity::warning, at, "units", "displayUnit '{}' is given without a unit; it is ignored", name);
    return no_display_unit;
  }
  Measure& measure = description_.units[unit];
  for (std::size_t i = 0; i < measure.display_units.size(); ++i) {
    if (measure.display_units[i].name == name) return static_cast<DisplayUnitId>(i);
  }
  if (measure.name == name) {  // a unit needs no definition as its own display unit
    measure.display_units.push_back({measure.name, 1.0, 0.0, false});
    return static_cast<DisplayUnitId>(measure.display_units.size() - 1);
  }
  report(Severity::warning, at, "units", "displayUnit '{}' is not defined for unit '{}'; it is ignored", name,
         measure.name);
  return no_display_unit;
}

std::uint32_t DescriptionReader::declared_type(pugi::xml_node at, const char* name, std::string_view rule) {
  auto& types = description_.types;
  if (type_ids_.size() != types.size()) {
    for (std::size_t i = 0; i < types.size(); ++i) type_ids_.emplace(types[i].name, static_cast<std::uint32_t>(i));
  }
  if (const auto found = type_ids_.find(name); found != type_ids_.end()) return found->second;
  report(Severity::warning, at, rule, "declaredType '{}' is not defined in <TypeDefinitions>; it is ignored", name);
  return no_type;
}

void DescriptionReader::inherit(Variable& v, bool has_quantity, bool has_unit, bool has_display, bool has_min,
                                bool has_max) const {
  if (v.declared_type == no_type) return;
  const TypeDefinition& t = description_.types[v.declared_type];
  if (!has_quantity) v.quantity = t.quantity;
  if (!has_unit) v.unit = t.unit;
  if (!has_display && (!has_unit || v.unit == t.unit)) v.display_unit = t.display_unit;
  if (!has_min) v.min = t.min;
  if (!has_max) v.max = t.max;
  if (!v.has_nominal && t.has_nominal) {
    v.nominal = t.nominal;
    v.has_nominal = true;
  }
  v.relative_quantity = v.relative_quantity || t.relative_quantity;
  v.unbounded = v.unbounded || t.unbounded;
}

void DescriptionReader::start(pugi::xml_node at, Variable& v, std::string_view text) {
  try {
    if (v.type == Type::Float64 && !v.is_array()) {
      if (const auto value = read_number<double>(std::string(text).c_str())) return start(v, Value::scalar(*value));
    }
    start(v, Value::parse(v.type, text));
  } catch (const Error&) {
    report(Severity::warning, at, "schema", "start=\"{}\" of '{}' is not a value of type {}; it is ignored", text,
           v.name, name_of(v.type));
  }
}

void DescriptionReader::start(Variable& v, Value value) {
  v.start = static_cast<std::uint32_t>(description_.starts.size());
  description_.starts.push_back(std::move(value));
}

// FMI 2.0, 2.2.7 and FMI 3.0, 2.4.7.5: the table of defaults.
Initial DescriptionReader::default_initial(Causality causality, Variability variability) {
  switch (causality) {
    case Causality::parameter:
    case Causality::structural_parameter: return Initial::exact;
    case Causality::input:
    case Causality::independent: return Initial::none;
    case Causality::calculated_parameter:
    case Causality::dependent: return Initial::calculated;
    case Causality::output:
    case Causality::local: break;
  }
  return variability == Variability::constant ? Initial::exact : Initial::calculated;
}

void DescriptionReader::read_dependencies(pugi::xml_node at, Unknown& unknown, std::string_view rule,
                                          VariableId (*to_variable)(void*, std::uint32_t), void* context) {
  const auto list = at.attribute("dependencies");
  const auto kinds_attribute = at.attribute("dependenciesKind");
  auto& all = description_.structure.dependencies;
  unknown.declared = static_cast<bool>(list);
  unknown.dependencies.begin = static_cast<std::uint32_t>(all.size());
  if (!list) {
    if (kinds_attribute)
      report(Severity::warning, at, rule, "dependenciesKind is given without dependencies; it is ignored");
    return;
  }
  const auto numbers = split_white(list.value());
  const auto kinds = split_white(kinds_attribute.value());
  if (kinds_attribute && kinds.size() != numbers.size()) {
    report(Severity::warning, at, rule, "{} dependencies but {} kinds; missing kinds are taken as 'dependent'",
           numbers.size(), kinds.size());
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint32_t n = 0;
    const auto [stop, problem] = std::from_chars(numbers[i].data(), numbers[i].data() + numbers[i].size(), n);
    const bool read = problem == std::errc() && stop == numbers[i].data() + numbers[i].size();
    const VariableId variable = read ? to_variable(context, n) : no_variable;
    if (variable == no_variable) {
      report(Severity::warning, at, rule,
             "dependency '{}' is not a variable; the unknown is taken to depend on everything", numbers[i]);
      unknown.declared = false;
      all.resize(unknown.dependencies.begin);
      unknown.dependencies.count = 0;
      return;
    }
    auto kind = DependencyKind::dependent;
    if (i < kinds.size()) {
      if (kinds[i] == "constant")
        kind = DependencyKind::constant;
      else if (kinds[i] == "fixed")
        kind = DependencyKind::fixed;
      else if (kinds[i] == "tunable")
        kind = DependencyKind::tunable;
      else if (kinds[i] == "discrete")
        kind = DependencyKind::discrete;
      else if (kinds[i] != "dependent")
        report(Severity::warning, at, rule, "'{}' is not a kind of dependency; it is taken as 'dependent'", kinds[i]);
    }
    all.push_back({variable, kind});
  }
  unknown.dependencies.count = static_cast<std::uint32_t>(numbers.size());
}

// --- enumerations ----------------------------------------------------------------------------------------------------

std::optional<Causality> parse_causality(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Causality::dependent); ++i) {
    if (name_of(static_cast<Causality>(i)) == text) return static_cast<Causality>(i);
  }
  return std::nullopt;
}

std::optional<Variability> parse_variability(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Variability::continuous); ++i) {
    if (name_of(static_cast<Variability>(i)) == text) return static_cast<Variability>(i);
  }
  return std::nullopt;
}

std::optional<Initial> parse_initial(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Initial::calculated); ++i) {
    if (name_of(static_cast<Initial>(i)) == text) return static_cast<Initial>(i);
  }
  return std::nullopt;
}

}  // namespace consort::fmi
