#include "describe/check.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text.hpp"

namespace consort::describe {

namespace {

class Checker {
 public:
  Checker(const Description& description, Diagnostics& diagnostics) : d_(description), diagnostics_(diagnostics) {}

  void run() {
    model();
    types();
    names();
    for (const auto& v : d_.variables) variable(v);
    references();
    if (d_.version == FmiVersion::v2 || d_.version == FmiVersion::v3) {
      derivatives();
      initial_unknowns();
    }
  }

 private:
  template <class... Args>
  void warn(std::uint32_t line, std::string_view rule, fmt::format_string<Args...> text, Args&&... args) {
    diagnostics_.add({Severity::warning, "modelDescription.xml", line, fmt::format("{}, {}", name_of(d_.version), rule),
                      fmt::format(text, std::forward<Args>(args)...)});
  }

  [[nodiscard]] bool at_least_2() const { return d_.version != FmiVersion::v1; }
  [[nodiscard]] const char* combination_rule() const {
    return d_.version == FmiVersion::v3 ? "2.4.7.4: combinations" : "2.2.7: combinations";
  }

  // --- the model

  void model() {
    const auto& e = d_.default_experiment;
    if (e.start_time && e.stop_time && *e.stop_time < *e.start_time) {
      warn(0, "DefaultExperiment", "the stop time {} lies before the start time {}", *e.stop_time, *e.start_time);
    }
    if (e.tolerance && *e.tolerance <= 0)
      warn(0, "DefaultExperiment", "the tolerance {} is not positive", *e.tolerance);
    if (e.step_size && *e.step_size <= 0)
      warn(0, "DefaultExperiment", "the step size {} is not positive", *e.step_size);
    if (d_.instantiation_token.empty()) warn(0, "attributes of the model", "the GUID or instantiation token is empty");
    for (const auto& i : d_.interfaces) {
      const auto& id = i.model_identifier;
      const bool good = !id.empty() && (std::isalpha(static_cast<unsigned char>(id[0])) != 0 || id[0] == '_') &&
                        std::all_of(id.begin(), id.end(), [](char c) {
                          return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
                        });
      if (!good) warn(0, "modelIdentifier", "'{}' is not a valid C identifier", id);
      if (i.can_serialize_state && !i.can_save_state)
        warn(0, "capabilities", "the state can be serialised but not saved");
      if (i.fixed_internal_step && *i.fixed_internal_step <= 0)
        warn(0, "capabilities", "fixedInternalStepSize {} is not positive", *i.fixed_internal_step);
    }
  }

  void types() {
    std::unordered_set<std::string_view> seen;
    for (const auto& t : d_.types) {
      if (!seen.insert(t.name).second) warn(t.line, "TypeDefinitions", "type '{}' is defined twice", t.name);
      if (t.min > t.max)
        warn(t.line, "TypeDefinitions", "min {} of type '{}' is larger than max {}", t.min, t.name, t.max);
      if (t.type == Type::Enumeration && t.items.empty())
        warn(t.line, "TypeDefinitions", "enumeration '{}' has no items", t.name);
      std::unordered_set<std::int64_t> values;
      for (const auto& item : t.items) {
        if (!values.insert(item.value).second)
          warn(t.line, "TypeDefinitions", "items of enumeration '{}' share the value {}", t.name, item.value);
      }
    }
  }

  // --- variables

  void names() {
    std::unordered_map<std::string_view, std::uint32_t> seen;
    seen.reserve(d_.variables.size());
    const auto look = [&](std::string_view name, std::uint32_t line) {
      const auto [first, fresh] = seen.emplace(name, line);
      if (!fresh)
        warn(line, "unique names",
             "two variables have the name '{}' (first in line {}); the name refers to the first one", name,
             first->second);
    };
    for (const auto& v : d_.variables) {
      look(v.name, v.line);
      if (d_.structured_names && !is_structured_name(v.name)) {
        warn(v.line, d_.version == FmiVersion::v3 ? "2.4.7.5.1: structured names" : "2.2.9: structured names",
             "'{}' does not follow the grammar of structured names, although the description declares them", v.name);
      }
    }
    for (const auto& a : d_.aliases) look(a.name, d_.variables[a.variable].line);
  }

  void variable(const Variable& v) {
    if (at_least_2()) combination(v);
    if (v.variability == Variability::continuous && !is_float(v.type)) {
      warn(v.line, "variability",
           "'{}' is continuous, but only floating-point numbers can be; {} is constant between events", v.name,
           consort::name_of(v.type));
    }
    start(v);
    if (v.min > v.max) warn(v.line, "range", "min {} of '{}' is larger than max {}", v.min, v.name, v.max);
    if (v.has_nominal && !(v.nominal > 0))
      warn(v.line, "nominal", "nominal {} of '{}' is not positive", v.nominal, v.name);
    if (v.declared_type != no_type && d_.types[v.declared_type].type != v.type) {
      warn(v.line, "declaredType", "'{}' is of type {}, but its declared type '{}' is for {}", v.name,
           consort::name_of(v.type), d_.types[v.declared_type].name, consort::name_of(d_.types[v.declared_type].type));
    }
    if (v.type == Type::Enumeration && v.declared_type == no_type && at_least_2()) {
      warn(v.line, "declaredType", "the enumeration '{}' has no declared type", v.name);
    }
    if (v.is_array()) dimensions(v);
    for (const auto clock : d_.clocks_of(v)) {
      const VariableId id = d_.find(clock, Type::Clock);
      if (id == no_variable || d_.variables[id].type != Type::Clock)
        warn(v.line, "clocks", "'{}' belongs to clock {}, which is not a clock", v.name, clock);
    }
  }

  // The tables of valid combinations in FMI 2.0, 2.2.7, and FMI 3.0, 2.4.7.4.
  void combination(const Variable& v) {
    const auto bad = [&] {
      warn(v.line, combination_rule(), "'{}' has causality {} with variability {}, which cannot be combined", v.name,
           name_of(v.causality), name_of(v.variability));
    };
    const bool constant = v.variability == Variability::constant;
    const bool parametric = v.variability == Variability::fixed || v.variability == Variability::tunable;
    switch (v.causality) {
      case Causality::parameter:
      case Causality::structural_parameter:
      case Causality::calculated_parameter:
        if (!parametric) bad();
        break;
      case Causality::input:
        if (constant || parametric) bad();
        break;
      case Causality::output:
        if (parametric) bad();
        break;
      case Causality::independent:
        if (v.variability != Variability::continuous) bad();
        break;
      case Causality::local:
      case Causality::dependent: break;
    }
    if (!v.declares_initial) return;
    const bool allowed = [&] {
      switch (v.causality) {
        case Causality::parameter:
        case Causality::structural_parameter: return v.initial == Initial::exact;
        case Causality::calculated_parameter: return v.initial == Initial::calculated || v.initial == Initial::approx;
        case Causality::input: return d_.version == FmiVersion::v3 && v.initial == Initial::exact;
        case Causality::independent: return false;
        default: break;
      }
      if (constant) return v.initial == Initial::exact;
      if (parametric) return v.initial == Initial::calculated || v.initial == Initial::approx;
      return true;
    }();
    if (!allowed) {
      warn(v.line, combination_rule(), "'{}' ({} {}) cannot have initial=\"{}\"", v.name, name_of(v.variability),
           name_of(v.causality), name_of(v.initial));
    }
  }

  void start(const Variable& v) {
    const Value* s = d_.start(v);
    const char* const rule = d_.version == FmiVersion::v3   ? "2.4.7: start"
                             : d_.version == FmiVersion::v2 ? "2.2.7: start"
                                                            : "3.4: start";
    const bool required =
        at_least_2() && v.type != Type::Clock &&
        (v.initial == Initial::exact || v.initial == Initial::approx || v.causality == Causality::input);
    if (s == nullptr) {
      if (required)
        warn(v.line, rule, "'{}' ({}, initial {}) needs a start value and has none; 0 is assumed", v.name,
             name_of(v.causality), name_of(v.initial));
      if (d_.version == FmiVersion::v1 && v.causality == Causality::input && !v.alias) {
        warn(v.line, rule, "the input '{}' has no start value; 0 is assumed", v.name);
      }
      return;
    }
    if (at_least_2() && (v.causality == Causality::independent ||
                         (v.initial == Initial::calculated && v.causality != Causality::input))) {
      warn(v.line, rule, "'{}' ({}, initial {}) must not have a start value; it is ignored", v.name,
           name_of(v.causality), name_of(v.initial));
    }
    const auto elements = d_.element_count(v);
    if (s->size() != elements && !(s->size() == 1 && v.is_array())) {
      warn(v.line, rule, "'{}' has {} elements but {} start values", v.name, elements, s->size());
    }
    in_range(v, *s, rule);
  }

  void in_range(const Variable& v, const Value& s, const char* rule) {
    with_type(s.type(), [&]<class T>() {
      if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, EnumValue>) {
        for (const T& e : s.elements<T>()) {
          double x = 0;
          if constexpr (std::is_same_v<T, EnumValue>)
            x = static_cast<double>(e.value);
          else
            x = static_cast<double>(e);
          if (x < v.min || x > v.max) {
            warn(v.line, rule, "the start value {} of '{}' lies outside its range [{}, {}]", x, v.name, v.min, v.max);
            return;
          }
        }
      }
    });
  }

  void dimensions(const Variable& v) {
    for (const auto& dimension : d_.dimensions_of(v)) {
      if (!dimension.is_reference) {
        if (dimension.size == 0) warn(v.line, "2.4.7: dimensions", "a dimension of '{}' is 0", v.name);
        continue;
      }
      const VariableId id = d_.find(dimension.reference, Type::UInt64);
      if (id == no_variable || d_.variables[id].causality != Causality::structural_parameter ||
          d_.variables[id].type != Type::UInt64) {
        warn(v.line, "2.4.7: dimensions",
             "a dimension of '{}' refers to {}, which is not a structural parameter of type UInt64", v.name,
             dimension.reference);
      }
    }
  }

  // FMI 3.0: a reference belongs to one variable. FMI 1.0 and 2.0: aliases have equal types, and at most one of them is
  // set.
  void references() {
    std::unordered_map<std::uint64_t, VariableId> seen;
    seen.reserve(d_.variables.size());
    for (std::size_t i = 0; i < d_.variables.size(); ++i) {
      const Variable& v = d_.variables[i];
      const std::uint64_t space = d_.version == FmiVersion::v3
                                      ? 0
                                      : static_cast<std::uint64_t>(v.type == Type::Enumeration ? Type::Int32 : v.type);
      const auto [first, fresh] = seen.emplace((space << 32) | v.reference, static_cast<VariableId>(i));
      if (fresh) continue;
      const Variable& w = d_.variables[first->second];
      if (d_.version == FmiVersion::v3) {
        warn(v.line, "2.4.7.3: value references", "'{}' and '{}' share the value reference {}", w.name, v.name,
             v.reference);
      } else if (d_.version == FmiVersion::v2 && v.causality == Causality::input && w.causality == Causality::input) {
        warn(v.line, "2.2.7: alias variables",
             "the inputs '{}' and '{}' are aliases of each other, so only one of them can be set", w.name, v.name);
      } else if (d_.version == FmiVersion::v2 &&
                 (v.variability == Variability::constant) != (w.variability == Variability::constant)) {
        warn(v.line, "2.2.7: alias variables", "'{}' and '{}' are aliases, but only one of them is constant", w.name,
             v.name);
      }
    }
  }

  // --- structure

  const char* structure_rule() const {
    return d_.version == FmiVersion::v3 ? "2.4.8: ModelStructure" : "2.2.8: ModelStructure";
  }

  void derivatives() {
    std::vector<bool> listed(d_.variables.size());
    for (const auto& u : d_.structure.derivatives) {
      const Variable& v = d_.variables[u.variable];
      if (v.derivative_of == no_variable) {
        warn(v.line, structure_rule(), "'{}' is listed as the derivative of a state, but does not name the state",
             v.name);
      }
      if (listed[u.variable]) warn(v.line, structure_rule(), "the derivative '{}' is listed twice", v.name);
      listed[u.variable] = true;
    }
    for (const auto& u : d_.structure.outputs) {
      const Variable& v = d_.variables[u.variable];
      if (v.causality != Causality::output)
        warn(v.line, structure_rule(), "'{}' is listed as an output, but its causality is {}", v.name,
             name_of(v.causality));
    }
  }

  // FMI 2.0, 2.2.8: calculated outputs, calculated parameters, and states or derivatives that are not exact.
  void initial_unknowns() {
    std::vector<bool> listed(d_.variables.size());
    for (const auto& u : d_.structure.initial_unknowns) listed[u.variable] = true;
    const auto expected = [&](VariableId id) {
      const Variable& v = d_.variables[id];
      return (v.initial == Initial::calculated || v.initial == Initial::approx) && !listed[id] &&
             v.type != Type::Clock && v.clocks.count == 0;
    };
    std::vector<VariableId> missing;
    for (std::size_t i = 0; i < d_.variables.size(); ++i) {
      const auto id = static_cast<VariableId>(i);
      const auto causality = d_.variables[i].causality;
      if ((causality == Causality::output || causality == Causality::calculated_parameter) && expected(id))
        missing.push_back(id);
    }
    for (const auto& u : d_.structure.derivatives) {
      const VariableId state = d_.variables[u.variable].derivative_of;
      if (expected(u.variable)) missing.push_back(u.variable);
      if (state != no_variable && expected(state)) missing.push_back(state);
    }
    if (missing.empty()) return;
    const auto aliases = d_.version == FmiVersion::v2 ? references_of(listed) : std::unordered_set<std::uint64_t>();
    for (const VariableId id : missing) {
      if (aliases.count(reference_key(d_.variables[id])) > 0) continue;
      warn(d_.variables[id].line, structure_rule(),
           "'{}' is computed at initialization, but missing from the initial unknowns", d_.variables[id].name);
    }
  }

  // An alias needs to be listed under only one of its names (FMI 2.0, 2.2.8).
  [[nodiscard]] std::unordered_set<std::uint64_t> references_of(const std::vector<bool>& listed) const {
    std::unordered_set<std::uint64_t> references;
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (listed[i]) references.insert(reference_key(d_.variables[i]));
    }
    return references;
  }
  static std::uint64_t reference_key(const Variable& v) {
    return (static_cast<std::uint64_t>(v.type) << 32) | v.reference;
  }

  const Description& d_;
  Diagnostics& diagnostics_;
};

// --- structured names ------------------------------------------------------------------------------------------------
//
//   name       = identifier | "der(" identifier ["," digits] ")"
//   identifier = B-name [ "[" indices "]" ] { "." B-name [ "[" indices "]" ] }
//   B-name     = nondigit { digit | nondigit } | "'" any { any } "'"

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool eat_digits(std::string_view& s) {
  const auto n = static_cast<std::size_t>(std::find_if_not(s.begin(), s.end(), is_digit) - s.begin());
  s.remove_prefix(n);
  return n > 0;
}

bool eat_b_name(std::string_view& s) {
  if (s.starts_with('\'')) {
    for (std::size_t i = 1; i < s.size(); ++i) {
      if (s[i] == '\\')
        ++i;
      else if (s[i] == '\'') {
        s.remove_prefix(i + 1);
        return i > 1;
      }
    }
    return false;
  }
  if (s.empty() || !is_letter(s[0])) return false;
  while (!s.empty() && (is_letter(s[0]) || is_digit(s[0]))) s.remove_prefix(1);
  return true;
}

bool eat_indices(std::string_view& s) {
  if (!s.starts_with('[')) return true;
  do {
    s.remove_prefix(1);
    while (s.starts_with(' ')) s.remove_prefix(1);
    if (!eat_digits(s)) return false;
    while (s.starts_with(' ')) s.remove_prefix(1);
  } while (s.starts_with(','));
  if (!s.starts_with(']')) return false;
  s.remove_prefix(1);
  return true;
}

bool eat_identifier(std::string_view& s) {
  while (true) {
    if (!eat_b_name(s) || !eat_indices(s)) return false;
    if (!s.starts_with('.')) return true;
    s.remove_prefix(1);
  }
}

}  // namespace

void check(const Description& description, Diagnostics& diagnostics) { Checker(description, diagnostics).run(); }

bool is_structured_name(std::string_view s) {
  if (s.starts_with("der(")) {
    s.remove_prefix(4);
    if (!eat_identifier(s)) return false;
    if (s.starts_with(',')) {
      s.remove_prefix(1);
      while (s.starts_with(' ')) s.remove_prefix(1);
      if (!eat_digits(s)) return false;
    }
    return s == ")";
  }
  return eat_identifier(s) && s.empty();
}

}  // namespace consort::describe
