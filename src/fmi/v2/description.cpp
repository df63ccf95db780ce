#include "fmi/v2/description.hpp"

#include <charconv>
#include <string_view>

#include "fmi/description_reader.hpp"

namespace consort::fmi::v2 {

using namespace describe;

namespace {

class Parser {
 public:
  Parser(const XmlDocument& document, Description& description, Diagnostics& diagnostics)
      : root_(document.root()), r_(document, description, diagnostics), d_(description) {}

  void run() {
    r_.model_attributes(root_);
    d_.instantiation_token = r_.text(root_, "guid", true, "FMI 2.0, 2.2.1: guid");
    interfaces();
    r_.unit_definitions(root_.child("UnitDefinitions"));
    types();
    r_.log_categories(root_.child("LogCategories"));
    r_.default_experiment(root_.child("DefaultExperiment"));
    r_.annotations(root_.child("VendorAnnotations"), "name");
    variables();
    d_.finish();
    structure();
    counts();
  }

 private:
  static constexpr const char* structure_rule = "FMI 2.0, 2.2.8: ModelStructure";
  static constexpr const char* variable_rule = "FMI 2.0, 2.2.7: ScalarVariable";

  // --- interfaces

  void interfaces() {
    if (const auto node = root_.child("CoSimulation")) interface(node, InterfaceType::co_simulation);
    if (const auto node = root_.child("ModelExchange")) interface(node, InterfaceType::model_exchange);
    if (d_.interfaces.empty()) {
      r_.report(Severity::error, root_, "FMI 2.0, 2.2.1",
                "the FMU has neither <CoSimulation> nor <ModelExchange>; it cannot be run");
    }
  }

  void interface(pugi::xml_node node, InterfaceType type) {
    Interface i;
    i.type = type;
    i.event_mode = type == InterfaceType::model_exchange;
    i.model_identifier = r_.text(node, "modelIdentifier", true, "schema");
    bool completed_step_not_needed = false;
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("modelIdentifier"): break;
        case xml_key("needsExecutionTool"): i.needs_execution_tool = r_.boolean(node, a, false); break;
        case xml_key("canHandleVariableCommunicationStepSize"): i.variable_step = r_.boolean(node, a, false); break;
        case xml_key("canInterpolateInputs"): i.interpolates_inputs = r_.boolean(node, a, false); break;
        case xml_key("maxOutputDerivativeOrder"): i.max_output_derivative_order = r_.natural(node, a, 0); break;
        case xml_key("canRunAsynchronuously"): i.runs_asynchronously = r_.boolean(node, a, false); break;
        case xml_key("canBeInstantiatedOnlyOncePerProcess"):
          i.only_once_per_process = r_.boolean(node, a, false);
          break;
        case xml_key("canNotUseMemoryManagementFunctions"): i.no_memory_management = r_.boolean(node, a, false); break;
        case xml_key("canGetAndSetFMUstate"): i.can_save_state = r_.boolean(node, a, false); break;
        case xml_key("canSerializeFMUstate"): i.can_serialize_state = r_.boolean(node, a, false); break;
        case xml_key("providesDirectionalDerivative"): i.directional_derivatives = r_.boolean(node, a, false); break;
        case xml_key("completedIntegratorStepNotNeeded"): completed_step_not_needed = r_.boolean(node, a, false); break;
        default: r_.unknown_attribute(node, a);
      }
    }
    i.needs_completed_integrator_step = type == InterfaceType::model_exchange && !completed_step_not_needed;
    source_files(node, i.model_identifier);
    d_.interfaces.push_back(std::move(i));
  }

  // FMI 2.0 lists sources per interface; they are converted to a build configuration of FMI 3.0.
  void source_files(pugi::xml_node node, const std::string& model_identifier) {
    SourceFileSet set;
    for (const auto file : node.child("SourceFiles").children("File"))
      set.files.emplace_back(file.attribute("name").value());
    if (set.files.empty()) return;
    set.language = "C99";
    BuildConfiguration configuration;
    configuration.model_identifier = model_identifier;
    configuration.source_file_sets.push_back(std::move(set));
    d_.build_configurations.push_back(std::move(configuration));
  }

  // --- types

  static std::optional<Type> type_of_element(std::string_view name) {
    if (name == "Real") return Type::Float64;
    if (name == "Integer") return Type::Int32;
    if (name == "Boolean") return Type::Boolean;
    if (name == "String") return Type::String;
    if (name == "Enumeration") return Type::Enumeration;
    return std::nullopt;
  }

  void types() {
    for (const auto node : root_.child("TypeDefinitions").children("SimpleType")) {
      TypeDefinition t;
      t.name = r_.keep(node.attribute("name").value());
      t.description = r_.keep(node.attribute("description").value());
      t.line = r_.line(node);
      for (const auto kind : node.children()) {
        if (const auto type = type_of_element(kind.name()))
          type_body(kind, *type, t);
        else
          r_.unknown_element(kind);
      }
      d_.types.push_back(std::move(t));
    }
  }

  void type_body(pugi::xml_node node, Type type, TypeDefinition& t) {
    t.type = type;
    if (const auto a = node.attribute("unit")) t.unit = r_.unit(node, a.value(), true);
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("unit"): break;
        case xml_key("quantity"): t.quantity = r_.keep(a.value()); break;
        case xml_key("displayUnit"): t.display_unit = r_.display_unit(node, t.unit, a.value()); break;
        case xml_key("relativeQuantity"): t.relative_quantity = r_.boolean(node, a, false); break;
        case xml_key("unbounded"): t.unbounded = r_.boolean(node, a, false); break;
        case xml_key("min"): t.min = r_.number(node, a, t.min); break;
        case xml_key("max"): t.max = r_.number(node, a, t.max); break;
        case xml_key("nominal"): t.nominal = r_.number(node, a, 1.0), t.has_nominal = true; break;
        default: r_.unknown_attribute(node, a);
      }
    }
    for (const auto item : node.children("Item")) {
      const auto value = item.attribute("value");
      t.items.push_back({r_.keep(item.attribute("name").value()), r_.keep(item.attribute("description").value()),
                         r_.integer(item, value, 0, INT32_MIN, INT32_MAX)});
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
      if (std::string_view(node.name()) == "ScalarVariable")
        variable(node);
      else
        r_.unknown_element(node);
    }
  }

  void variable(pugi::xml_node node) {
    Variable v;
    v.line = r_.line(node);
    bool has_variability = false;
    bool has_reference = false;
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("name"): v.name = r_.keep(a.value()); break;
        case xml_key("valueReference"): v.reference = r_.natural(node, a, 0), has_reference = true; break;
        case xml_key("description"): v.description = r_.keep(a.value()); break;
        case xml_key("causality"): v.causality = spelled(node, a, parse_causality(a.value()), Causality::local); break;
        case xml_key("variability"):
          v.variability = spelled(node, a, parse_variability(a.value()), Variability::continuous),
          has_variability = true;
          break;
        case xml_key("initial"):
          v.initial = spelled(node, a, parse_initial(a.value()), Initial::calculated), v.declares_initial = true;
          break;
        case xml_key("canHandleMultipleSetPerTimeInstant"):
          v.multiple_set_per_instant = r_.boolean(node, a, true);
          break;
        default: r_.unknown_attribute(node, a);
      }
    }
    if (v.name.empty()) r_.report(Severity::warning, node, variable_rule, "a variable has no name");
    if (!has_reference)
      r_.report(Severity::error, node, variable_rule, "variable '{}' has no valueReference; 0 is used", v.name);
    bool has_type = false;
    for (const auto child : node.children()) {
      if (const auto type = type_of_element(child.name()); type && !has_type) {
        has_type = true;
        variable_type(child, *type, v, has_variability);
      } else if (std::string_view(child.name()) == "Annotations") {
        annotations(child);
      } else {
        r_.unknown_element(child);
      }
    }
    if (!has_type) r_.report(Severity::error, node, variable_rule, "variable '{}' has no type; Real is used", v.name);
    if (!v.declares_initial) v.initial = DescriptionReader::default_initial(v.causality, v.variability);
    d_.variables.push_back(v);
  }

  template <class E>
  E spelled(pugi::xml_node node, pugi::xml_attribute a, std::optional<E> value, E fallback) {
    if (value) return *value;
    r_.report(Severity::warning, node, "schema", "{}=\"{}\" is not known; it is taken as '{}'", a.name(), a.value(),
              name_of(fallback));
    return fallback;
  }

  void variable_type(pugi::xml_node node, Type type, Variable& v, bool has_variability) {
    v.type = type;
    if (!has_variability && type != Type::Float64) v.variability = Variability::discrete;
    bool quantity = false, display = false, min = false, max = false;
    pugi::xml_attribute start;
    const auto unit = node.attribute("unit");
    if (unit) v.unit = r_.unit(node, unit.value(), true);
    for (const auto a : node.attributes()) {
      switch (xml_key(a.name())) {
        case xml_key("unit"): break;
        case xml_key("declaredType"): v.declared_type = r_.declared_type(node, a.value(), variable_rule); break;
        case xml_key("quantity"): v.quantity = r_.keep(a.value()), quantity = true; break;
        case xml_key("displayUnit"): display = true; break;
        case xml_key("relativeQuantity"): v.relative_quantity = r_.boolean(node, a, false); break;
        case xml_key("unbounded"): v.unbounded = r_.boolean(node, a, false); break;
        case xml_key("min"): v.min = r_.number(node, a, v.min), min = true; break;
        case xml_key("max"): v.max = r_.number(node, a, v.max), max = true; break;
        case xml_key("nominal"): v.nominal = r_.number(node, a, 1.0), v.has_nominal = true; break;
        case xml_key("start"): start = a; break;
        case xml_key("derivative"): derivative(node, a, v); break;
        case xml_key("reinit"): v.reinit = r_.boolean(node, a, false); break;
        default: r_.unknown_attribute(node, a);
      }
    }
    r_.inherit(v, quantity, static_cast<bool>(unit), display, min, max);
    if (display) v.display_unit = r_.display_unit(node, v.unit, node.attribute("displayUnit").value());
    if (start) r_.start(node, v, start.value());
  }

  // An index, counted from 1; structure() reports an index beyond the last variable.
  void derivative(pugi::xml_node node, pugi::xml_attribute a, Variable& v) {
    const std::uint32_t index = r_.natural(node, a, 0);
    if (index == 0) {
      return r_.report(Severity::warning, node, variable_rule,
                       "'{}' is the derivative of variable \"{}\", which does not exist; it is ignored", v.name,
                       a.value());
    }
    v.derivative_of = index - 1;
  }

  void annotations(pugi::xml_node node) {
    for (const auto tool : node.children()) {
      if (tool.type() != pugi::node_element) continue;
      d_.variable_annotations.push_back({static_cast<VariableId>(d_.variables.size()),
                                         r_.keep(tool.attribute("name").value()), d_.arena().store(xml_text(tool))});
    }
  }

  // --- structure

  VariableId from_index(std::uint32_t index) const {
    return index >= 1 && index <= d_.variables.size() ? index - 1 : no_variable;
  }

  void structure() {
    for (auto& v : d_.variables) {
      if (v.derivative_of == no_variable || v.derivative_of < d_.variables.size()) continue;
      r_.report(Severity::warning, root_, variable_rule,
                "'{}' (line {}) is the derivative of variable {}, which does not exist; it is ignored", v.name, v.line,
                std::uint64_t{v.derivative_of} + 1);
      v.derivative_of = no_variable;
    }
    const auto node = root_.child("ModelStructure");
    if (!node)
      r_.report(Severity::warning, root_, structure_rule,
                "<ModelStructure> is missing; every output is taken to depend on every input");
    unknowns(node.child("Outputs"), d_.structure.outputs);
    unknowns(node.child("Derivatives"), d_.structure.derivatives);
    unknowns(node.child("InitialUnknowns"), d_.structure.initial_unknowns);
    missing_outputs(node);
  }

  void unknowns(pugi::xml_node list, std::vector<Unknown>& to) {
    for (const auto node : list.children()) {
      if (std::string_view(node.name()) != "Unknown") {
        r_.unknown_element(node);
        continue;
      }
      Unknown u;
      const auto index_attribute = node.attribute("index");
      u.variable = from_index(index_attribute ? r_.natural(node, index_attribute, 0) : 0);
      if (u.variable == no_variable) {
        r_.report(Severity::warning, node, structure_rule,
                  "index \"{}\" is not a variable (they count from 1 to {}); the entry is ignored",
                  node.attribute("index").value(), d_.variables.size());
        continue;
      }
      r_.dependencies(node, u, structure_rule, [this](std::uint32_t index) { return from_index(index); });
      to.push_back(u);
    }
  }

  // Adds outputs that the structure does not list; their dependencies are unknown.
  void missing_outputs(pugi::xml_node node) {
    std::vector<bool> listed(d_.variables.size());
    for (const auto& u : d_.structure.outputs) listed[u.variable] = true;
    for (std::size_t i = 0; i < d_.variables.size(); ++i) {
      if (d_.variables[i].causality != Causality::output || listed[i]) continue;
      if (node) {
        r_.report(Severity::warning, node, structure_rule,
                  "output '{}' (line {}) is missing from <Outputs>; it is taken to depend on every input",
                  d_.variables[i].name, d_.variables[i].line);
      }
      d_.structure.outputs.push_back({static_cast<VariableId>(i), false, {}});
    }
  }

  void counts() {
    d_.continuous_states = static_cast<std::uint32_t>(d_.structure.derivatives.size());
    if (const auto a = root_.attribute("numberOfEventIndicators")) d_.event_indicators = r_.natural(root_, a, 0);
  }

  pugi::xml_node root_;
  DescriptionReader r_;
  Description& d_;
};

}  // namespace

void read_description(const XmlDocument& document, Description& description, Diagnostics& diagnostics) {
  Parser(document, description, diagnostics).run();
}

}  // namespace consort::fmi::v2
