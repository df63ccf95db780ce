#include "fmi/v3/description.hpp"

#include <array>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fmi/description_reader.hpp"

namespace consort::fmi::v3 {

using namespace describe;

namespace {

class Parser {
 public:
  Parser(const XmlDocument& document, Description& description, Diagnostics& diagnostics)
      : root_(document.root()), r_(document, description, diagnostics), d_(description) {}

  void run() {
    r_.model_attributes(root_);
    d_.instantiation_token = r_.text(root_, "instantiationToken", true, "FMI 3.0, 2.4.1: instantiationToken");
    interfaces();
    r_.unit_definitions(root_.child("UnitDefinitions"));
    types();
    r_.log_categories(root_.child("LogCategories"));
    r_.default_experiment(root_.child("DefaultExperiment"));
    r_.annotations(root_.child("Annotations"), "type");
    variables();
    d_.finish();
    resolve_references();
    structure();
    count_states();
  }

 private:
  static constexpr const char* structure_rule = "FMI 3.0, 2.4.8: ModelStructure";
  static constexpr const char* variable_rule = "FMI 3.0, 2.4.7: ModelVariables";

  // --- interfaces

  void interfaces() {
    if (const auto node = root_.child("CoSimulation")) interface(node, InterfaceType::co_simulation);
    if (const auto node = root_.child("ModelExchange")) interface(node, InterfaceType::model_exchange);
    if (const auto node = root_.child("ScheduledExecution")) interface(node, InterfaceType::scheduled_execution);
    if (d_.interfaces.empty()) {
      r_.report(Severity::error, root_, "FMI 3.0, 2.4.1",
                "the FMU has none of <CoSimulation>, <ModelExchange>, <ScheduledExecution>; it cannot be run");
    }
  }

  void interface(pugi::xml_node node, InterfaceType type) {
    Interface i;
    i.type = type;
    i.event_mode = type == InterfaceType::model_exchange;
    i.can_reject_steps = type == InterfaceType::co_simulation;  // FMI 3.0, 4.2.1: a discard does not change the state
    i.needs_completed_integrator_step = false;
    i.model_identifier = r_.text(node, "modelIdentifier", true, "schema");
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("modelIdentifier"): break;
        case xml_key("needsExecutionTool"): i.needs_execution_tool = r_.boolean(node, a, false); break;
        case xml_key("canBeInstantiatedOnlyOncePerProcess"):
          i.only_once_per_process = r_.boolean(node, a, false);
          break;
        case xml_key("canGetAndSetFMUState"): i.can_save_state = r_.boolean(node, a, false); break;
        case xml_key("canSerializeFMUState"): i.can_serialize_state = r_.boolean(node, a, false); break;
        case xml_key("providesDirectionalDerivatives"): i.directional_derivatives = r_.boolean(node, a, false); break;
        case xml_key("providesAdjointDerivatives"): i.adjoint_derivatives = r_.boolean(node, a, false); break;
        case xml_key("providesPerElementDependencies"): i.per_element_dependencies = r_.boolean(node, a, false); break;
        case xml_key("needsCompletedIntegratorStep"):
          i.needs_completed_integrator_step = r_.boolean(node, a, false);
          break;
        case xml_key("providesEvaluateDiscreteStates"): i.evaluates_discrete_states = r_.boolean(node, a, false); break;
        case xml_key("canHandleVariableCommunicationStepSize"): i.variable_step = r_.boolean(node, a, false); break;
        case xml_key("fixedInternalStepSize"): i.fixed_internal_step = r_.optional_number(node, a.name()); break;
        case xml_key("maxOutputDerivativeOrder"): i.max_output_derivative_order = r_.natural(node, a, 0); break;
        case xml_key("recommendedIntermediateInputSmoothness"):
          // FMI 3.0, 4.4.1: -1 (inputs may jump) is treated like a missing value.
          i.recommended_input_smoothness =
              static_cast<std::uint32_t>(std::max<std::int64_t>(0, r_.integer(node, a, 0, INT32_MIN, INT32_MAX)));
          break;
        case xml_key("providesIntermediateUpdate"): i.intermediate_update = r_.boolean(node, a, false); break;
        case xml_key("mightReturnEarlyFromDoStep"): i.might_return_early = r_.boolean(node, a, false); break;
        case xml_key("canReturnEarlyAfterIntermediateUpdate"):
          i.can_return_early_after_intermediate_update = r_.boolean(node, a, false);
          break;
        case xml_key("hasEventMode"): i.event_mode = r_.boolean(node, a, false); break;
        default: r_.unknown_attribute(node, a);
      }
    }
    d_.interfaces.push_back(std::move(i));
  }

  // --- types

  static std::optional<Type> type_of_element(std::string_view name) {
    for (std::size_t i = 0; i < type_count; ++i) {
      if (name == name_of(static_cast<Type>(i))) return static_cast<Type>(i);
    }
    return std::nullopt;
  }

  void types() {
    for (const auto node : root_.child("TypeDefinitions").children()) {
      std::string_view name = node.name();
      if (name.ends_with("Type")) name.remove_suffix(4);
      if (const auto type = type_of_element(name))
        type_definition(node, *type);
      else
        r_.unknown_element(node);
    }
  }

  void type_definition(pugi::xml_node node, Type type) {
    TypeDefinition t;
    t.type = type;
    t.line = r_.line(node);
    if (const auto a = node.attribute("unit")) t.unit = r_.unit(node, a.value(), true);
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("name"): t.name = r_.keep(a.value()); break;
        case xml_key("description"): t.description = r_.keep(a.value()); break;
        case xml_key("quantity"): t.quantity = r_.keep(a.value()); break;
        case xml_key("displayUnit"): t.display_unit = r_.display_unit(node, t.unit, a.value()); break;
        case xml_key("relativeQuantity"): t.relative_quantity = r_.boolean(node, a, false); break;
        case xml_key("unbounded"): t.unbounded = r_.boolean(node, a, false); break;
        case xml_key("min"): t.min = r_.number(node, a, t.min); break;
        case xml_key("max"): t.max = r_.number(node, a, t.max); break;
        case xml_key("nominal"): t.nominal = r_.number(node, a, 1.0), t.has_nominal = true; break;
        case xml_key("unit"):
        case xml_key("mimeType"):
        case xml_key("maxSize"): break;
        default:
          if (type != Type::Clock) r_.unknown_attribute(node, a);
      }
    }
    for (const auto item : node.children("Item")) {
      const Value value = read_item_value(item);
      t.items.push_back({r_.keep(item.attribute("name").value()), r_.keep(item.attribute("description").value()),
                         value.elements<std::int64_t>().front()});
    }
    d_.types.push_back(std::move(t));
    type_nodes_.push_back(node);
  }

  Value read_item_value(pugi::xml_node item) {
    try {
      return Value::parse(Type::Int64, item.attribute("value").value(), 1);
    } catch (const Error&) {
      r_.report(Severity::warning, item, "schema",
                "value=\"{}\" of an enumeration item is not an integer; it is taken as 0",
                item.attribute("value").value());
      return Value::scalar(std::int64_t{0});
    }
  }

  // --- variables

  void variables() {
    const auto list = root_.child("ModelVariables");
    std::size_t count = 0;
    for (auto n = list.first_child(); n; n = n.next_sibling()) ++count;
    d_.variables.reserve(count);
    d_.starts.reserve(count);
    for (const auto node : list.children()) {
      if (const auto type = type_of_element(node.name()))
        variable(node, *type);
      else
        r_.unknown_element(node);
    }
  }

  // The attributes given by the variable; the others are inherited from the declared type.
  struct Given {
    bool variability = false, reference = false, quantity = false, unit = false, display = false, min = false,
         max = false;
    pugi::xml_attribute start;
  };

  void variable(pugi::xml_node node, Type type) {
    Variable v;
    v.type = type;
    v.line = r_.line(node);
    if (type == Type::Clock) {
      v.clock = static_cast<std::uint32_t>(d_.clock_properties.size());
      d_.clock_properties.emplace_back();
    }
    Given given;
    if (const auto unit = node.attribute("unit")) {
      v.unit = r_.unit(node, unit.value(), true);
      given.unit = true;
    }
    for (const auto a : node.attributes()) variable_attribute(node, a, v, given);
    if (v.name.empty()) r_.report(Severity::warning, node, variable_rule, "a variable has no name");
    if (!given.reference)
      r_.report(Severity::error, node, variable_rule, "variable '{}' has no valueReference; 0 is used", v.name);
    if (!given.variability) v.variability = default_variability(v);
    if (!v.declares_initial) v.initial = DescriptionReader::default_initial(v.causality, v.variability);
    r_.inherit(v, given.quantity, given.unit, given.display, given.min, given.max);
    if (given.display) v.display_unit = r_.display_unit(node, v.unit, node.attribute("displayUnit").value());
    if (v.type == Type::Binary && v.declared_type != no_type) binary_attributes(type_nodes_[v.declared_type], v);
    if (v.clock != no_start && v.declared_type != no_type)
      clock_attributes(type_nodes_[v.declared_type], d_.clock_properties[v.clock]);
    if (v.clock != no_start) clock_attributes(node, d_.clock_properties[v.clock]);
    children(node, v);
    if (given.start) r_.start(node, v, given.start.value());
    d_.variables.push_back(v);
  }

  void variable_attribute(pugi::xml_node node, pugi::xml_attribute a, Variable& v, Given& given) {
    switch (xml_key(a.name())) {
      case xml_key("name"): v.name = r_.keep(a.value()); break;
      case xml_key("valueReference"): v.reference = r_.natural(node, a, 0), given.reference = true; break;
      case xml_key("description"): v.description = r_.keep(a.value()); break;
      case xml_key("causality"): v.causality = spelled(node, a, parse_causality(a.value()), Causality::local); break;
      case xml_key("variability"):
        v.variability = spelled(node, a, parse_variability(a.value()), Variability::discrete), given.variability = true;
        break;
      case xml_key("initial"):
        v.initial = spelled(node, a, parse_initial(a.value()), Initial::calculated), v.declares_initial = true;
        break;
      case xml_key("canHandleMultipleSetPerTimeInstant"): v.multiple_set_per_instant = r_.boolean(node, a, true); break;
      case xml_key("intermediateUpdate"): v.intermediate_update = r_.boolean(node, a, false); break;
      case xml_key("clocks"): clocks(node, a, v); break;
      case xml_key("previous"): v.previous = r_.natural(node, a, no_variable), has_references_ = true; break;
      case xml_key("derivative"): v.derivative_of = r_.natural(node, a, no_variable), has_references_ = true; break;
      case xml_key("declaredType"): v.declared_type = r_.declared_type(node, a.value(), variable_rule); break;
      case xml_key("quantity"): v.quantity = r_.keep(a.value()), given.quantity = true; break;
      case xml_key("displayUnit"): given.display = true; break;
      case xml_key("relativeQuantity"): v.relative_quantity = r_.boolean(node, a, false); break;
      case xml_key("unbounded"): v.unbounded = r_.boolean(node, a, false); break;
      case xml_key("min"): v.min = r_.number(node, a, v.min), given.min = true; break;
      case xml_key("max"): v.max = r_.number(node, a, v.max), given.max = true; break;
      case xml_key("nominal"): v.nominal = r_.number(node, a, 1.0), v.has_nominal = true; break;
      case xml_key("start"): given.start = a; break;
      case xml_key("reinit"): v.reinit = r_.boolean(node, a, false); break;
      case xml_key("mimeType"): v.mime_type = r_.keep(a.value()); break;
      case xml_key("maxSize"): v.max_size = r_.natural(node, a, 0); break;
      case xml_key("unit"): break;
      default:
        if (v.type != Type::Clock) r_.unknown_attribute(node, a);
    }
  }

  template <class E>
  E spelled(pugi::xml_node node, pugi::xml_attribute a, std::optional<E> value, E fallback) {
    if (value) return *value;
    r_.report(Severity::warning, node, "schema", "{}=\"{}\" is not known; it is taken as '{}'", a.name(), a.value(),
              name_of(fallback));
    return fallback;
  }

  // FMI 3.0, 2.4.7.4: parameters are fixed, floating point numbers continuous, everything else discrete.
  static Variability default_variability(const Variable& v) {
    switch (v.causality) {
      case Causality::parameter:
      case Causality::structural_parameter:
      case Causality::calculated_parameter: return Variability::fixed;
      default: return is_float(v.type) ? Variability::continuous : Variability::discrete;
    }
  }

  void clocks(pugi::xml_node node, pugi::xml_attribute a, Variable& v) {
    v.clocks.begin = static_cast<std::uint32_t>(d_.clocks.size());
    for (const auto text : split_white(a.value())) {
      try {
        d_.clocks.push_back(parse_element<std::uint32_t>(text));
      } catch (const Error&) {
        r_.report(Severity::warning, node, variable_rule, "clocks=\"{}\": '{}' is not a value reference; it is ignored",
                  a.value(), text);
      }
    }
    v.clocks.count = static_cast<std::uint32_t>(d_.clocks.size()) - v.clocks.begin;
  }

  // Attributes that the variable lacks come from its declared type.
  void binary_attributes(pugi::xml_node type, Variable& v) {
    if (v.mime_type.empty()) v.mime_type = r_.keep(type.attribute("mimeType").value());
    const auto size = type.attribute("maxSize");
    if (v.max_size == 0 && size) v.max_size = r_.natural(type, size, 0);
  }

  void clock_attributes(pugi::xml_node node, ClockProperties& c) {
    static constexpr std::array names{"constant", "fixed",     "calculated", "tunable",
                                      "changing", "countdown", "triggered"};
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("intervalVariability"):
          for (std::size_t i = 0; i < names.size(); ++i) {
            if (std::string_view(a.value()) == names[i]) c.interval_variability = static_cast<IntervalVariability>(i);
          }
          break;
        case xml_key("canBeDeactivated"): c.can_be_deactivated = r_.boolean(node, a, false); break;
        case xml_key("priority"): c.priority = r_.natural(node, a, 0), c.has_priority = true; break;
        case xml_key("intervalDecimal"): c.interval = r_.number(node, a, 0); break;
        case xml_key("shiftDecimal"): c.shift = r_.number(node, a, 0); break;
        case xml_key("supportsFraction"): c.supports_fraction = r_.boolean(node, a, false); break;
        case xml_key("resolution"): c.resolution = r_.natural64(node, a, 0); break;
        case xml_key("intervalCounter"): c.interval_counter = r_.natural64(node, a, 0); break;
        case xml_key("shiftCounter"): c.shift_counter = r_.natural64(node, a, 0); break;
        default: break;
      }
    }
  }

  void children(pugi::xml_node node, Variable& v) {
    std::vector<std::string> texts;
    const auto self = static_cast<VariableId>(d_.variables.size());
    v.dimensions.begin = static_cast<std::uint32_t>(d_.dimensions.size());
    for (const auto child : node.children()) {
      switch (xml_key(child.name())) {
        case xml_key("Dimension"): dimension(child, v); break;
        case xml_key("Start"): texts.emplace_back(child.attribute("value").value()); break;
        case xml_key("Alias"): {
          const auto display = child.attribute("displayUnit");
          d_.aliases.push_back({self, r_.keep(child.attribute("name").value()),
                                r_.keep(child.attribute("description").value()),
                                display ? r_.display_unit(child, v.unit, display.value()) : v.display_unit});
          break;
        }
        case xml_key("Annotations"):
          for (const auto note : child.children("Annotation")) {
            d_.variable_annotations.push_back(
                {self, r_.keep(note.attribute("type").value()), d_.arena().store(xml_text(note))});
          }
          break;
        default: r_.unknown_element(child);
      }
    }
    v.dimensions.count = static_cast<std::uint32_t>(d_.dimensions.size()) - v.dimensions.begin;
    if (!texts.empty()) start_elements(node, v, std::move(texts));
  }

  void dimension(pugi::xml_node node, const Variable& v) {
    Dimension dimension;
    const auto reference = node.attribute("valueReference");
    const auto start = node.attribute("start");
    dimension.is_reference = static_cast<bool>(reference);
    if (reference)
      dimension.reference = r_.natural(node, reference, 0);
    else if (start)
      dimension.size = r_.natural64(node, start, 0);
    if (static_cast<bool>(reference) == static_cast<bool>(start)) {
      r_.report(Severity::warning, node, variable_rule,
                "a dimension of '{}' needs either start or valueReference, not both", v.name);
    }
    d_.dimensions.push_back(dimension);
  }

  // <Start value="…"/> elements: the start values of strings and binaries, one per element.
  void start_elements(pugi::xml_node node, Variable& v, std::vector<std::string> texts) {
    if (v.type == Type::String) return r_.start(v, Value(std::move(texts)));
    if (v.type != Type::Binary) {
      return r_.report(Severity::warning, node, variable_rule,
                       "<Start> is for strings and binaries; that of '{}' is ignored", v.name);
    }
    std::vector<Binary> binaries;
    for (const auto& text : texts) {
      try {
        binaries.push_back(parse_element<Binary>(text));
      } catch (const Error&) {
        return r_.report(Severity::warning, node, variable_rule,
                         "the start value of '{}' is not hexadecimal; it is ignored", v.name);
      }
    }
    r_.start(v, Value(std::move(binaries)));
  }

  // --- structure

  // `derivative` and `previous` hold value references until all variables are known.
  void resolve_references() {
    if (!has_references_) return;
    const auto resolve = [this](const Variable& v, VariableId& reference, const char* what) {
      if (reference == no_variable) return;
      const VariableId id = d_.find(reference, v.type);
      if (id == no_variable) {
        r_.report(Severity::warning, root_, variable_rule,
                  "'{}' (line {}) has {}=\"{}\", which is not a variable; it is ignored", v.name, v.line, what,
                  reference);
      }
      reference = id;
    };
    for (auto& v : d_.variables) {
      resolve(v, v.derivative_of, "derivative");
      resolve(v, v.previous, "previous");
    }
  }

  void structure() {
    const auto node = root_.child("ModelStructure");
    if (!node)
      r_.report(Severity::warning, root_, structure_rule,
                "<ModelStructure> is missing; every output is taken to depend on every input");
    for (const auto child : node.children()) {
      switch (xml_key(child.name())) {
        case xml_key("Output"): unknown(child, d_.structure.outputs); break;
        case xml_key("ContinuousStateDerivative"): unknown(child, d_.structure.derivatives); break;
        case xml_key("ClockedState"): unknown(child, d_.structure.clocked_states); break;
        case xml_key("InitialUnknown"): unknown(child, d_.structure.initial_unknowns); break;
        case xml_key("EventIndicator"): unknown(child, d_.structure.event_indicators); break;
        case xml_key("Annotations"): break;
        default: r_.unknown_element(child);
      }
    }
    missing_outputs(node);
  }

  void unknown(pugi::xml_node node, std::vector<Unknown>& to) {
    Unknown u;
    const auto reference = node.attribute("valueReference");
    if (reference) u.variable = d_.find(r_.natural(node, reference, no_variable), Type::Float64);
    if (u.variable == no_variable) {
      return r_.report(Severity::warning, node, structure_rule,
                       "valueReference \"{}\" is not a variable; the entry is ignored", reference.value());
    }
    r_.dependencies(node, u, structure_rule, [this](std::uint32_t known) { return d_.find(known, Type::Float64); });
    to.push_back(u);
  }

  void missing_outputs(pugi::xml_node node) {
    std::vector<bool> listed(d_.variables.size());
    for (const auto& u : d_.structure.outputs) listed[u.variable] = true;
    for (std::size_t i = 0; i < d_.variables.size(); ++i) {
      const Variable& v = d_.variables[i];
      // FMI 3.0, 2.4.8: clocks are never listed.
      if (v.causality != Causality::output || listed[i] || v.type == Type::Clock) continue;
      if (node) {
        r_.report(Severity::warning, node, structure_rule,
                  "output '{}' (line {}) has no <Output>; it is taken to depend on every input", v.name, v.line);
      }
      d_.structure.outputs.push_back({static_cast<VariableId>(i), false, {}});
    }
  }

  void count_states() {
    const auto count = [this](const std::vector<Unknown>& unknowns) {
      std::uint64_t n = 0;
      for (const auto& u : unknowns)
        n += std::min<std::uint64_t>(d_.element_count(d_.variables[u.variable]), UINT32_MAX);
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(n, UINT32_MAX));
    };
    d_.continuous_states = count(d_.structure.derivatives);
    d_.event_indicators = count(d_.structure.event_indicators);
  }

  pugi::xml_node root_;
  DescriptionReader r_;
  Description& d_;
  std::vector<pugi::xml_node> type_nodes_;  // parallel to Description::types
  bool has_references_ = false;
};

}  // namespace

void read_description(const XmlDocument& document, Description& description, Diagnostics& diagnostics) {
  Parser(document, description, diagnostics).run();
}

}  // namespace consort::fmi::v3
