#include "ssp/from_system.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "graph/indices.hpp"
#include "graph/known_measures.hpp"
#include "ssp/annotations.hpp"
#include "ssp/export_names.hpp"
#include "ssp/export_values.hpp"
#include "ssp/write.hpp"
#include "yaml/writer.hpp"

namespace consort::ssp {

using describe::Causality;
using describe::Description;
using describe::Variable;
namespace fs = std::filesystem;

namespace {

class Exporter {
 public:
  Exporter(const WriteOptions& options, Export& out) : options_(options), out_(out) {}

  void operator()(const graph::Document& document) {
    auto& ssd = out_.structure;
    ssd.version = name_of(options_.version);
    ssd.name = document.system.name;
    ssd.generation_tool = "Consort";
    scopes_.push_back(&document.system);
    ssd.system = system_of(document.system);
    if (ssd.system.name.empty()) ssd.system.name = "system";
    for (auto& [name, base] : units_) {
      Unit unit;
      unit.name = name;
      unit.base = base;
      ssd.units.push_back(std::move(unit));
    }
    for (auto& [name, enumeration] : enumerations_) ssd.enumerations.push_back(std::move(enumeration));
    add_experiment(document);
  }

 private:
  // --- systems and components

  System system_of(const graph::System& from) {
    System to;
    to.name = from.name;
    to.description = from.description;
    for (const auto& c : from.connectors) add_own_connector(c, from, to.connectors);
    for (const auto& c : from.connections)
      if (c.value.empty()) add_connection(c, from, to.connections);
    for (const auto& c : from.components) {
      to.order.push_back(System::Kind::component);
      to.components.push_back(component_of(c, to.connections));
    }
    for (const auto& inner : from.systems) {
      scopes_.push_back(&inner);
      add_inner(inner, to);
      scopes_.pop_back();
    }
    to.bindings = bindings_of(
        from.settings, [&](const std::string& path) { return variable_of(from, path); }, value_context());
    if (const auto words = yaml::write_words(from); !words.empty())
      to.annotations.push_back({std::string(system_annotation), text_node("consort:System", words), {}});
    return to;
  }

  // An element with lines of a system file.
  static std::string text_node(const char* name, const std::string& text) {
    pugi::xml_document xml;
    auto node = xml.append_child(name);
    node.append_attribute("xmlns:consort") = std::string(annotation_namespace).c_str();
    node.append_child(pugi::node_pcdata).set_value(("\n" + text).c_str());
    return xml_text(node);
  }

  void add_inner(const graph::System& inner, System& to) {
    if (inner.kind == graph::System::Kind::plain) {
      to.order.push_back(System::Kind::system);
      to.systems.push_back(system_of(inner));
      return;
    }
    if (inner.kind == graph::System::Kind::table) {
      auto& component = to.components.emplace_back();
      component.name = inner.name;
      component.type = table_type;
      component.source = add_resource(inner.table, ".csv");
      for (const auto& c : inner.connectors) add_own_connector(c, inner, component.connectors);
      to.order.push_back(System::Kind::component);
      return;
    }
    if (inner.kind == graph::System::Kind::dictionary) {
      add_dictionary(inner, to);
      // The standard allows connections to references only, so a direct connection needs a reference of the same name.
      const auto touches = [&](const Connection& c) {
        return c.start_element == inner.name || c.end_element == inner.name;
      };
      if (std::none_of(to.connections.begin(), to.connections.end(), touches)) return;
    }
    SignalDictionaryReference reference;
    reference.name = inner.name;
    reference.dictionary = inner.dictionary;
    for (const auto& c : inner.connectors) {
      add_own_connector(c, inner, reference.connectors);
      // A dictionary's signal has no direction and the causality "local"; the kind in a reference is "inout".
      if (c.causality == Causality::local) reference.connectors.back().kind = "inout";
    }
    to.order.push_back(System::Kind::reference);
    to.references.push_back(std::move(reference));
  }

  void add_dictionary(const graph::System& from, System& to) {
    SystemDictionary dictionary;
    dictionary.name = from.dictionary;
    auto& contents = dictionary.inlined.emplace_back();
    contents.version = name_of(options_.version);
    auto outside = std::exchange(units_, {});  // a dictionary defines its own units
    std::vector<Connector> connectors;
    for (const auto& c : from.connectors) add_own_connector(c, from, connectors);
    for (auto& c : connectors) {
      auto& entry = contents.entries.emplace_back();
      entry.name = std::move(c.name);
      entry.type = std::move(c.type);
      entry.dimensions = std::move(c.dimensions);
      // SSP 2.0, 8.2: an entry must have a type.
      if (entry.type.kind == TypeKind::none) entry.type.kind = TypeKind::real;
    }
    for (const auto& [name, base] : std::exchange(units_, std::move(outside))) {
      auto& unit = contents.units.emplace_back();
      unit.name = name;
      unit.base = base;
    }
    to.dictionaries.push_back(std::move(dictionary));
  }

  // Adds "k", or "k[1]", "k[2]", … in a version without arrays.
  void add_own_connector(const graph::Connector& c, const graph::System& system, std::vector<Connector>& to) {
    Connector connector = own_connector(c, system);
    if (!c.dimensions.empty() && options_.version == Version::v1_0) {
      const auto names = element_names(c.name, c.dimensions);
      for (const auto& name : names) {
        to.push_back(connector);
        to.back().name = name;
      }
      if (!names.empty()) return;
    } else {
      for (const auto size : c.dimensions) connector.dimensions.emplace_back().size = size;
    }
    to.push_back(std::move(connector));
  }

  Connector own_connector(const graph::Connector& c, const graph::System& system) {
    Connector connector;
    connector.name = c.name;
    connector.kind = kind_of(c.causality);
    if (c.type) connector.type.kind = kind_of(*c.type, options_.version);
    if (!c.unit.empty()) {
      if (connector.type.kind == TypeKind::none) connector.type.kind = TypeKind::real;
      connector.type.unit = use_unit(c.unit, measure_in(system, c.unit));
    }
    return connector;
  }

  Component component_of(const graph::Component& from, const std::vector<Connection>& connections) {
    require(!from.is_python(),
            "unit '{}' is a class in Python ('{}'), which a package cannot contain; write the system as YAML, or "
            "export the "
            "unit as an FMU first",
            from.name, from.source.string());
    Component to;
    to.name = from.name;
    // Other tools cannot run a native model, but ours can.
    to.source = from.is_native() ? from.source.string() : add_resource(from.source);
    if (from.is_native()) to.type = model_type;
    if (from.interface == describe::InterfaceType::co_simulation) to.implementation = "CoSimulation";
    if (from.interface == describe::InterfaceType::model_exchange) to.implementation = "ModelExchange";
    if (from.interface == describe::InterfaceType::scheduled_execution) to.implementation = "ScheduledExecution";
    const Description* const d = options_.catalogue ? &options_.catalogue(from) : nullptr;
    add_connectors(from, connections, d, to);
    to.bindings = bindings_of(
        from.settings, [&](const std::string& name) { return known(d, name, from.settings); }, value_context());
    if (from.substeps != 1 || !from.solver.empty() || !from.host.empty() || !from.platform.empty() || from.tolerance ||
        from.responds_without_step) {
      std::string xml = fmt::format("<consort:Unit xmlns:consort=\"{}\"", annotation_namespace);
      if (from.substeps != 1) xml += fmt::format(" substeps=\"{}\"", from.substeps);
      if (!from.platform.empty()) xml += fmt::format(" platform=\"{}\"", from.platform);
      if (!from.host.empty()) xml += fmt::format(" host=\"{}\"", from.host);
      if (!from.solver.empty()) xml += fmt::format(" solver=\"{}\"", from.solver);
      if (from.tolerance) xml += fmt::format(" tolerance=\"{}\"", *from.tolerance);
      if (from.responds_without_step) xml += " responds_without_step=\"true\"";
      to.annotations.push_back({std::string(unit_annotation), xml + "/>", {}});
    }
    return to;
  }

  std::string add_resource(const fs::path& source, const char* ending = ".fmu") {
    const auto key = source.lexically_normal().string();
    if (const auto known = resources_.find(key); known != resources_.end()) return known->second;
    std::string stem = source.stem().string();
    if (stem.empty()) stem = "unit";
    std::string name = stem;
    for (int n = 2; !names_.insert(name).second; ++n) name = fmt::format("{}_{}", stem, n);
    const std::string inside = fmt::format("resources/{}{}", name, ending);
    out_.resources.push_back({source, inside});
    return resources_[key] = escaped_uri(inside);
  }

  static const Variable* find(const Description* d, std::string_view name) {
    if (d == nullptr) return nullptr;
    const auto id = d->find(name);
    return id == describe::no_variable ? nullptr : &(*d)[id];
  }

  // Splits an end of a connection into the name of its variable and the indices of an element.
  static std::pair<std::string, std::vector<std::uint64_t>> split_end(const Description* d, const std::string& name) {
    if (d == nullptr || find(d, name) != nullptr) return {name, {}};
    auto [array, indices] = graph::split_indices(name);
    if (find(d, array) == nullptr) return {name, {}};
    return {std::string(array), std::move(indices)};
  }

  // SSP 2.0, 5.2.1: every connected connector must be declared.
  void add_connectors(const graph::Component& from, const std::vector<Connection>& connections, const Description* d,
                      Component& to) {
    std::vector<std::pair<std::string, bool>> ends;  // name; true: a source
    std::set<std::string> known;
    const auto add = [&](const std::string& name, bool source) {
      if (known.insert(name).second) ends.emplace_back(name, source);
    };
    for (const auto& c : connections) {
      if (c.start_element == from.name) add(c.start_connector, true);
      if (c.end_element == from.name) add(c.end_connector, false);
    }
    for (const auto& c : from.connectors) {
      const auto* const v = find(d, c.name);
      const bool split = v != nullptr && v->is_array() && options_.version == Version::v1_0;
      if (!split) add(c.name, c.causality != Causality::input);
    }
    for (const auto& [name, source] : ends) to.connectors.push_back(connector_of(from, d, name, source));
  }

  Connector connector_of(const graph::Component& from, const Description* d, const std::string& name, bool source) {
    Connector connector;
    connector.name = name;
    connector.kind = source ? "output" : "input";
    // In version 1.0, the name may be that of an array element.
    const auto* v = find(d, name);
    if (v == nullptr) v = find(d, split_end(d, name).first);
    if (v != nullptr) {
      connector.kind = kind_of(v->causality);
      connector.type = data_type(*d, *v);
      for (const auto& dimension : d->dimensions_of(*v)) {
        if (options_.version == Version::v1_0) break;
        Dimension& one = connector.dimensions.emplace_back();
        if (!dimension.is_reference) {
          one.size = dimension.size;
        } else if (const auto id = d->find(dimension.reference, Type::UInt64); id != describe::no_variable) {
          one.size_connector = std::string((*d)[id].name);
        }
      }
    }
    const auto said =
        std::find_if(from.connectors.begin(), from.connectors.end(), [&](const auto& c) { return c.name == name; });
    if (said != from.connectors.end() && !said->unit.empty()) {
      if (connector.type.kind == TypeKind::none) connector.type.kind = TypeKind::real;
      connector.type.unit = use_unit(said->unit, measure_in(*scopes_.back(), said->unit));
    }
    return connector;
  }

  DataType data_type(const Description& d, const Variable& v) {
    DataType type;
    type.kind = kind_of(v.type, options_.version);
    if (is_float(v.type) && type.kind != TypeKind::none && v.unit != describe::no_measure && d.units[v.unit].base)
      type.unit = use_unit(std::string(d.units[v.unit].name), d.units[v.unit].base);
    if (v.type == Type::Binary && !v.mime_type.empty()) type.mime_type = std::string(v.mime_type);
    if (v.type == Type::Enumeration && v.declared_type != describe::no_type) {
      const auto& declared = d.types[v.declared_type];
      type.enumeration = use_enumeration(declared);
      if (!type.enumeration.empty()) type.kind = TypeKind::enumeration;
    }
    return type;
  }

  template <class Declared>
  std::string use_enumeration(const Declared& declared) {
    Enumeration e;
    e.name = std::string(declared.name);
    for (const auto& item : declared.items) e.items.push_back({std::string(item.name), item.value});
    if (e.items.empty()) return {};
    const auto [known, is_new] = enumerations_.emplace(e.name, e);
    return is_new || known->second.items == e.items ? e.name : std::string();
  }

  // --- units of measure

  // Defines the unit in the file and returns its name. Empty if the unit is unknown or the file already defines the
  // name differently.
  std::string use_unit(const std::string& name, const std::optional<describe::BaseUnit>& base) {
    if (!base) return {};
    const auto [known, is_new] = units_.emplace(name, base_of(*base));
    if (is_new || known->second == base_of(*base)) return name;
    out_.notes.push_back(
        fmt::format("the unit '{}' has two definitions; connectors with the second one are written without it", name));
    return {};
  }

  std::optional<describe::BaseUnit> measure_in(const graph::System& system, const std::string& name) const {
    for (const auto& u : system.units)
      if (u.name == name && u.base) return u.base;
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      for (const auto& u : (*scope)->units)
        if (u.name == name && u.base) return u.base;
    return graph::known_measure(name);
  }

  // --- connections

  void add_connection(const graph::Connection& from, const graph::System& system, std::vector<Connection>& all) {
    require(from.sample <= 0, "the connection {} → {} is sampled, which an SSP cannot say; remove 'sample'",
            from.from.text(), from.to.text());
    Connection to;
    if (!from.from.element.empty()) to.start_element = from.from.element;
    std::tie(to.start_connector, to.start_indices) = split_end(system, from.from);
    if (!from.to.element.empty()) to.end_element = from.to.element;
    std::tie(to.end_connector, to.end_indices) = split_end(system, from.to);
    to.suppress_unit_conversion = from.suppress_unit_conversion;
    const std::string text = fmt::format("{} → {}", from.from.text(), from.to.text());
    to.transformation = transformation_of(
        from.transformation, find(description_of(system, from.from.element), to.start_connector), text, out_.notes);
    if (options_.version == Version::v1_0) return add_scalars(std::move(to), from, system, text, all);
    all.push_back(std::move(to));
  }

  // SSP 1.0 has no arrays: each element is a connector, named as in FMI 2.0.
  void add_scalars(Connection one, const graph::Connection& from, const graph::System& system, const std::string& text,
                   std::vector<Connection>& all) {
    const auto starts = scalar_names(system, from.from, std::exchange(one.start_indices, {}));
    const auto ends = scalar_names(system, from.to, std::exchange(one.end_indices, {}));
    const bool arrays = starts.size() > 1 || ends.size() > 1;
    if (arrays && starts.size() != ends.size())
      out_.notes.push_back(fmt::format(
          "{}: an array whose size is not known at both ends is written as one connection, which SSP 1.0 does not have",
          text));
    if (starts.size() != ends.size()) {
      all.push_back(std::move(one));
      return;
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      all.push_back(one);
      all.back().start_connector = starts[i];
      all.back().end_connector = ends[i];
    }
  }

  // An end of a connection as scalars: its own name, or the elements of an array. Empty if the array is too large.
  [[nodiscard]] std::vector<std::string> scalar_names(const graph::System& system, const graph::Endpoint& end,
                                                      const std::vector<std::uint64_t>& indices) const {
    if (!indices.empty()) return {end.connector};
    const auto* const d = description_of(system, end.element);
    std::vector<std::uint64_t> sizes;
    if (const auto* const v = find(d, end.connector)) {
      sizes = dimension_sizes(*d, *v, system.component(end.element)->settings);
    } else if (const auto* const c = system_connector(system, end, end.connector)) {
      sizes = c->dimensions;
    }
    if (std::find(sizes.begin(), sizes.end(), 0U) != sizes.end()) return {};
    return sizes.empty() ? std::vector{end.connector} : element_names(end.connector, sizes);
  }

  // A connector of the system or of an inner system; null if it does not exist.
  static const graph::Connector* system_connector(const graph::System& system, const graph::Endpoint& end,
                                                  const std::string& name) {
    const auto* const owner = end.element.empty() ? &system : system.system(end.element);
    if (owner == nullptr) return nullptr;
    for (const auto& c : owner->connectors)
      if (c.name == name) return &c;
    return nullptr;
  }

  [[nodiscard]] std::pair<std::string, std::vector<std::uint64_t>> split_end(const graph::System& system,
                                                                             const graph::Endpoint& end) const {
    if (const auto* const d = description_of(system, end.element)) return split_end(d, end.connector);
    if (system_connector(system, end, end.connector) != nullptr) return {end.connector, {}};
    auto [array, indices] = graph::split_indices(end.connector);
    if (system_connector(system, end, std::string(array)) == nullptr) return {end.connector, {}};
    return {std::string(array), std::move(indices)};
  }

  const Description* description_of(const graph::System& system, const std::string& element) const {
    const auto* const component = element.empty() ? nullptr : system.component(element);
    return component == nullptr || !options_.catalogue ? nullptr : &options_.catalogue(*component);
  }

  // --- values

  [[nodiscard]] ValueContext value_context() const {
    return {options_.version, [this](const std::string& unit) { return measure_in(*scopes_.back(), unit); },
            out_.notes};
  }

  static KnownVariable known(const Description* d, std::string_view name, const std::vector<graph::Setting>& settings) {
    const auto* const v = find(d, name);
    return {d, v, v == nullptr ? std::vector<std::uint64_t>() : dimension_sizes(*d, *v, settings)};
  }

  // The variable or the connector that the path of a setting leads to.
  KnownVariable variable_of(const graph::System& system, const std::string& path) const {
    const auto end = system.endpoint(path);
    if (end.element.empty()) {
      const auto* const c = system_connector(system, end, path);
      return {nullptr, nullptr, c == nullptr ? std::vector<std::uint64_t>() : c->dimensions};
    }
    if (const auto* const inner = system.system(end.element)) return variable_of(*inner, end.connector);
    const auto* const d = description_of(system, end.element);
    return known(d, end.connector, system.component(end.element)->settings);
  }

  // --- run settings

  void add_experiment(const graph::Document& document) {
    const auto& e = document.system.experiment;
    const auto start = document.run.start ? document.run.start : e.start;
    const auto stop = document.run.stop ? document.run.stop : e.stop;
    if (start || stop) {
      auto& experiment = out_.structure.default_experiment.emplace_back();
      experiment.start_time = start;
      experiment.stop_time = stop;
    }
    graph::Document run;
    run.system.experiment = e;
    run.run = document.run;
    if (!run.run.record.file.empty())
      out_.notes.push_back("a package does not contain the name of the result file; give --output-file for the run");
    run.run.record.file.clear();
    if (!run.run.input_file.empty()) {
      run.run.input_file = fs::path(add_resource(run.run.input_file, ".csv")).filename().string();
    }
    std::string text;
    const std::string yaml = yaml::write_system(run);
    for (const auto line : split(yaml, '\n'))
      if (!line.empty() && !line.starts_with("consort:") && !line.starts_with("name:") && !line.starts_with("units:"))
        text += std::string(line) + "\n";
    if (text.empty()) return;
    out_.structure.annotations.push_back({std::string(run_annotation), text_node("consort:Run", text), {}});
  }

  const WriteOptions& options_;
  Export& out_;
  std::vector<const graph::System*> scopes_;
  std::map<std::string, BaseUnit> units_;
  std::map<std::string, Enumeration> enumerations_;
  std::map<std::string, std::string> resources_;  // by path
  std::set<std::string> names_;
};

}  // namespace

Export from_system(const graph::Document& document, const WriteOptions& options) {
  Export out;
  Exporter(options, out)(document);
  return out;
}

}  // namespace consort::ssp
