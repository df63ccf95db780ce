#include "ssp/builder.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/known_measures.hpp"
#include "graph/table_system.hpp"
#include "ssp/annotations.hpp"
#include "ssp/parameters.hpp"
#include "ssp/read.hpp"
#include "ssp/sheet.hpp"

namespace consort::ssp {

using describe::Causality;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files_deep = 32;

bool has_ending(std::string_view file, std::string_view ending) {
  return file.size() >= ending.size() && iequals(file.substr(file.size() - ending.size()), ending);
}

std::string_view media_type(std::string_view type) { return trim(type.substr(0, type.find(';'))); }

// Kind of a component. If the standard does not define its type, the extension of its source decides.
enum class Nature : std::uint8_t { fmu, ssd, ssp, table, model, other };
Nature nature_of(const Component& c) {
  const auto type = media_type(c.type);
  const std::string_view source = std::string_view(*c.source).substr(0, c.source->find('#'));
  const bool same_file = source.empty() && c.source->size() > 1;  // "#id"
  if (type == model_type && source.starts_with(graph::native_prefix)) return Nature::model;
  if (type == ssd_type || same_file || has_ending(source, ".ssd")) return Nature::ssd;
  if (type == ssp_type || has_ending(source, ".ssp")) return Nature::ssp;
  if (type == table_type || type == "application/table" || has_ending(source, ".csv")) return Nature::table;
  return type == fmu_type || has_ending(source, ".fmu") ? Nature::fmu : Nature::other;
}

std::optional<describe::InterfaceType> interface_of(const std::string& implementation) {
  if (implementation == "CoSimulation") return describe::InterfaceType::co_simulation;
  if (implementation == "ModelExchange") return describe::InterfaceType::model_exchange;
  if (implementation == "ScheduledExecution") return describe::InterfaceType::scheduled_execution;
  return std::nullopt;
}

std::optional<Type> type_of(TypeKind kind) {
  constexpr std::pair<TypeKind, Type> types[] = {
      {TypeKind::real, Type::Float64},    {TypeKind::float64, Type::Float64},
      {TypeKind::float32, Type::Float32}, {TypeKind::integer, Type::Int32},
      {TypeKind::int8, Type::Int8},       {TypeKind::uint8, Type::UInt8},
      {TypeKind::int16, Type::Int16},     {TypeKind::uint16, Type::UInt16},
      {TypeKind::int32, Type::Int32},     {TypeKind::uint32, Type::UInt32},
      {TypeKind::int64, Type::Int64},     {TypeKind::uint64, Type::UInt64},
      {TypeKind::boolean, Type::Boolean}, {TypeKind::string, Type::String},
      {TypeKind::binary, Type::Binary},   {TypeKind::enumeration, Type::Enumeration},
      {TypeKind::clock, Type::Clock}};
  const auto* const found = std::find_if(std::begin(types), std::end(types), [&](auto& t) { return t.first == kind; });
  return found == std::end(types) ? std::nullopt : std::optional(found->second);
}

// The dimensions as numbers; empty if a size is missing or given by a connector.
std::vector<std::uint64_t> sizes_of(const std::vector<Dimension>& dimensions) {
  std::vector<std::uint64_t> sizes;
  for (const auto& d : dimensions) {
    if (!d.size) return {};
    sizes.push_back(*d.size);
  }
  return sizes;
}

}  // namespace

Role role_of(std::string_view kind, bool own) {
  if (kind == "output" || kind == "calculatedParameter" || kind == "constant" || kind == "local")
    return own ? Role::sink : Role::source;
  if (kind == "input" || kind == "parameter" || kind == "structuralParameter") return own ? Role::source : Role::sink;
  return Role::any;
}

Causality causality_of(std::string_view kind) {
  if (kind == "input") return Causality::input;
  if (kind == "output" || kind == "constant") return Causality::output;
  if (kind == "parameter") return Causality::parameter;
  if (kind == "calculatedParameter") return Causality::calculated_parameter;
  if (kind == "structuralParameter") return Causality::structural_parameter;
  return Causality::local;
}

graph::Connector connector_of(const Connector& c, const std::string& shown) {
  graph::Connector connector;
  connector.name = c.name;
  connector.causality = causality_of(c.kind);
  connector.type = type_of(c.type.kind);
  connector.unit = c.type.unit;
  connector.where = fmt::format("{}:{}", shown, c.line.number);
  connector.dimensions = sizes_of(c.dimensions);
  return connector;
}

void Builder::error(const Source& source, std::uint32_t line, std::string rule, std::string message) {
  diagnostics_.add({Severity::error, source.shown, line, std::move(rule), std::move(message)});
}
void Builder::warning(const Source& source, std::uint32_t line, std::string rule, std::string message) {
  diagnostics_.add({Severity::warning, source.shown, line, std::move(rule), std::move(message)});
}
void Builder::note(const Source& source, std::uint32_t line, std::string rule, std::string message) {
  diagnostics_.add({Severity::note, source.shown, line, std::move(rule), std::move(message)});
}

std::vector<graph::KeptFiles> Builder::packages() const {
  std::vector<graph::KeptFiles> all;
  for (const auto& [path, package] : packages_) all.push_back({package, package->root(), package->archive()});
  return all;
}

// --- files -----------------------------------------------------------------------------------------------------------

const SystemStructure& Builder::load(const std::shared_ptr<const Package>& package, const std::string& structure) {
  packages_.emplace(package->root().string(), package);
  const auto place = package->resolve(structure);
  auto& part = parts_[place.path.string()];
  if (!part) part = std::make_shared<SystemStructure>(read<SystemStructure>(place.path, place.shown, diagnostics_));
  return *static_cast<const SystemStructure*>(part.get());
}

graph::System Builder::build(const std::shared_ptr<const Package>& package, const std::string& structure) {
  const auto place = package->resolve(structure);
  const auto key = place.path.string();
  require(std::find(open_.begin(), open_.end(), key) == open_.end(),
          "{}: the system contains itself; remove one of the components that refer to it", place.shown);
  require(open_.size() < most_files_deep, "{}: systems in files are nested more than {} deep; nest them less",
          place.shown, most_files_deep);
  open_.push_back(key);
  Source source{package, fs::path(place.inside).parent_path().generic_string(), place.shown, &load(package, structure)};
  auto scopes = std::exchange(scopes_, {});  // dictionaries are only visible within their file
  auto system = system_of(source, source.structure->system);
  scopes_ = std::move(scopes);
  open_.pop_back();
  return system;
}

template <class T>
const T* Builder::load_part(const Source& source, const std::string& uri, const std::string& base,
                            const Component* component, std::uint32_t line, std::string& shown) {
  try {
    Package::Place place = source.package->resolve(uri, source.folder);
    if (base == "component") {
      require(component != nullptr && component->source.has_value(),
              "sourceBase=\"component\" needs a component with a source; name '{}' relative to the SSD file", uri);
      const auto archive = source.package->resolve(*component->source, source.folder);
      auto& inside = packages_[archive.path.string()];
      std::error_code failed;
      if (!inside)
        inside = fs::is_directory(archive.path, failed) ? Package::open(archive.path, archive.shown)
                                                        : Package::open_archive(archive.path, archive.shown);
      place = inside->resolve(uri);
    }
    shown = place.shown;
    auto& part = parts_[place.path.string()];
    if (!part) {
      std::error_code failed;
      require(fs::is_regular_file(place.path, failed), "there is no file '{}'; put it into the package", place.shown);
      part = std::make_shared<T>(read<T>(place.path, place.shown, diagnostics_));
    }
    return static_cast<const T*>(part.get());
  } catch (const Error& problem) {
    error(source, line, "SSP 2.0, 5.2.3: sources of bindings", problem.what());
    return nullptr;
  }
}

// --- systems and their elements --------------------------------------------------------------------------------------

graph::System Builder::system_of(const Source& source, const System& system) {
  graph::System to(system.name);
  to.description = system.description;
  to.where = fmt::format("{}:{}", source.shown, system.line.number);
  std::set<std::string_view> names;
  std::set<std::string> unit_names;
  for (const auto& c : system.connectors) {
    if (!names.insert(c.name).second) {
      error(source, c.line.number, "SSP 2.0, 5.2.1: connector names are unique",
            fmt::format("the system '{}' has two connectors '{}'; rename one", system.name, c.name));
      continue;
    }
    to.connectors.push_back(connector_of(c, source.shown));
    unit_names.insert(c.type.unit);
  }
  for (const auto& component : system.components)
    for (const auto& c : component.connectors) unit_names.insert(c.type.unit);
  for (const auto& u : source.structure->units) {
    to.units.push_back({u.name, base_unit_of(u)});
    unit_names.erase(u.name);
  }
  // Units without a definition are left to the FMUs; ssp/check.hpp reports those that no FMU defines.
  for (const auto& name : unit_names)
    if (!name.empty() && !graph::known_measure(name)) to.units.push_back({name, std::nullopt});
  scopes_.push_back({&system, {}});
  sheets_.push_back(sheet_of(system));
  find_icons(source, sheets_.back());
  open_dictionaries(source, system, to);
  add_elements(source, system, to);
  add_connections(source, system, to);
  for (const auto& reference : system.references) check_reference(source, system, reference);
  append_bindings(source, system.bindings, nullptr, to.settings);
  scopes_.pop_back();
  sheet_ = std::move(sheets_.back());
  sheets_.pop_back();
  return to;
}

void Builder::add_elements(const Source& source, const System& system, graph::System& to) {
  std::set<std::string_view> names;
  const auto is_new = [&](const Element& e) {
    if (e.name.empty())
      error(source, e.line.number, "SSP 2.0, 5.2: elements have names", "an element has no name; give it one");
    if (names.insert(e.name).second) return !e.name.empty();
    error(source, e.line.number, "SSP 2.0, 5.2: element names are unique",
          fmt::format("the system '{}' has two elements '{}'; rename one", system.name, e.name));
    return false;
  };
  for (const auto& component : system.components)
    if (is_new(component)) add_component(source, component, to);
  for (const auto& inner : system.systems) {
    if (!is_new(inner)) continue;
    to.systems.push_back(system_of(source, inner));
    add_inner_sheet(inner.name);
  }
  for (const auto& reference : system.references)
    if (is_new(reference)) {
      add_stub(source, reference, to);
      to.systems.back().kind = graph::System::Kind::reference;
      to.systems.back().dictionary = reference.dictionary;
    }
}

// Resolves the files of icons. An icon that cannot be resolved is removed without a diagnostic.
void Builder::find_icons(const Source& source, graph::Sheet& sheet) {
  for (auto& element : sheet.elements) {
    if (!element.icon) continue;
    try {
      element.icon->file = source.package->resolve(element.icon->file.string(), source.folder).path;
    } catch (const Error&) {
      element.icon.reset();
    }
  }
}

void Builder::add_inner_sheet(const std::string& element) {
  sheet_.name = element;
  sheets_.back().systems.push_back(std::move(sheet_));
  sheet_ = {};
}

// Adds a system without contents, with the connectors of the element.
void Builder::add_stub(const Source& source, const Element& element, graph::System& to) {
  graph::System stub(element.name);
  stub.where = fmt::format("{}:{}", source.shown, element.line.number);
  stub.units = to.units;
  for (const auto& c : element.connectors) stub.connectors.push_back(connector_of(c, source.shown));
  to.systems.push_back(std::move(stub));
}

void Builder::add_component(const Source& source, const Component& c, graph::System& to) {
  // Some tools write source="" if there is no file.
  if (!c.source || (c.source->empty() && media_type(c.type) == fmu_type)) {
    note(source, c.line.number, "SSP 2.0, 5.4: components without a source",
         fmt::format("the component '{}' has no implementation, so inputs connected to it keep their start values",
                     c.name));
    return add_stub(source, c, to);
  }
  try {
    const auto nature = nature_of(c);
    if (nature == Nature::ssd || nature == Nature::ssp) {
      if (!add_nested(source, c, to)) add_stub(source, c, to);
      return;
    }
    if (nature == Nature::table) return add_table(source, c, find_file(source, *c.source, c), to);
    if (nature == Nature::model) return add_unit(source, c, *c.source, to);
    if (nature == Nature::fmu) return add_fmu(source, c, find_file(source, *c.source, c), to);
    error(
        source, c.line.number, "SSP 2.0, 5.4: types of components",
        fmt::format("the component '{}' is of type '{}', which is not supported; export it as an FMU", c.name, c.type));
  } catch (const Error& problem) {
    error(source, c.line.number, "SSP 2.0, 5.4: sources of components",
          fmt::format("the component '{}': {}", c.name, problem.what()));
  }
  // Add the component despite the error, so that the system can be drawn.
  const auto nature = nature_of(c);
  if (nature != Nature::fmu && nature != Nature::other) return add_stub(source, c, to);
  add_unit(source, c, *c.source, to);
}

Package::Place Builder::find_file(const Source& source, const std::string& uri, const Base& element) {
  auto place = source.package->resolve(uri, source.folder);
  if (place.respelled)
    warning(source, element.line.number, "SSP 2.0, 5.4: sources of components",
            fmt::format("'{}' is spelled '{}' in the package; correct the letter case, which matters on some systems",
                        uri, place.inside));
  return place;
}

void Builder::add_fmu(const Source& source, const Component& c, const Package::Place& place, graph::System& to) {
  std::error_code failed;
  if (!fs::exists(place.path, failed))
    error(source, c.line.number, "SSP 2.0, 5.4: sources of components",
          fmt::format("the component '{}' needs '{}', which does not exist; put the FMU into the package", c.name,
                      place.shown));
  add_unit(source, c, place.path, to);
}

void Builder::add_table(const Source& source, const Component& c, const Package::Place& place, graph::System& to) {
  std::error_code failed;
  require(fs::exists(place.path, failed), "it needs '{}', which does not exist; put the table into the package",
          place.shown);
  require(has_ending(place.inside, ".csv"), "tables must be .csv files, not '{}'; convert it", place.shown);
  std::vector<graph::Connector> declared;
  for (const auto& connector : c.connectors) declared.push_back(connector_of(connector, source.shown));
  auto table = graph::table_system(c.name, place.path, read_csv_header(place.path), declared);
  table.where = fmt::format("{}:{}", source.shown, c.line.number);
  table.units = to.units;
  to.systems.push_back(std::move(table));
}

void Builder::add_unit(const Source& source, const Component& c, const fs::path& file, graph::System& to) {
  graph::Component component;
  component.name = c.name;
  component.source = file;
  component.interface = interface_of(c.implementation);
  component.where = fmt::format("{}:{}", source.shown, c.line.number);
  std::set<std::string_view> names;
  for (const auto& connector : c.connectors) {
    if (!names.insert(connector.name).second) {
      warning(source, connector.line.number, "SSP 2.0, 5.2.1: connector names are unique",
              fmt::format("the component '{}' has two connectors '{}'; the first one is used", c.name, connector.name));
      continue;
    }
    component.connectors.push_back(connector_of(connector, source.shown));
    if (connector.annotations.empty()) continue;
    auto port = foreign_port(connector);
    auto& made = component.connectors.back();
    if (port.is_vector)
      error(source, connector.line.number, "annotation com.avl.model.connect.ssp.port",
            fmt::format("the connector '{}' of '{}' stands for several variables by an annotation, which is not "
                        "supported; make a connector of each variable and connect them one by one",
                        connector.name, c.name));
    if (!port.variable.empty()) made.name = std::move(port.variable);
    if (port.value.empty()) continue;
    auto& setting = component.settings.emplace_back();
    setting.name = made.name;
    setting.value = std::move(port.value);
    setting.lenient = true;
    setting.where = made.where;
  }
  append_bindings(source, c.bindings, &c, component.settings);
  to.components.push_back(std::move(component));
}

const System* Builder::system_by_id(const System& system, std::string_view id) const {
  if (system.id == id) return &system;
  for (const auto& inner : system.systems)
    if (const auto* found = system_by_id(inner, id)) return found;
  return nullptr;
}

bool Builder::add_nested(const Source& source, const Component& c, graph::System& to) {
  graph::System inner;
  if (c.source->starts_with('#')) {  // SSP 2.0, 5.4: reuses a system of the same file
    const std::string id = percent_decoded(std::string_view(*c.source).substr(1));
    const auto* const same = system_by_id(source.structure->system, id);
    require(same != nullptr, "there is no system with the id '{}' in the file; correct the source", id);
    require(scopes_.size() < most_files_deep, "the system '{}' contains itself; remove one of the references", id);
    inner = system_of(source, *same);
  } else {
    auto place = find_file(source, *c.source, c);
    std::error_code failed;
    require(fs::exists(place.path, failed), "it needs '{}', which does not exist; put it into the package",
            place.shown);
    if (has_ending(place.inside, ".ssd")) {
      inner = build(source.package, place.inside);
    } else {
      auto& package = packages_[place.path.string()];
      if (!package) package = Package::open(place.path, place.shown);
      const auto opened = package;
      inner = build(opened, opened->find_structure(place.fragment));
    }
  }
  inner.name = c.name;
  add_inner_sheet(c.name);
  for (const auto& connector : c.connectors) {
    const auto& all = inner.connectors;
    if (std::none_of(all.begin(), all.end(), [&](const auto& i) { return i.name == connector.name; }))
      error(
          source, connector.line.number, "SSP 2.0, 5.2.1: connectors match what is inside",
          fmt::format(
              "the component '{}' has a connector '{}', but the system in '{}' has no such connector; correct the name",
              c.name, connector.name, *c.source));
  }
  // SSP 2.0, 5.2.3: after all parameter bindings of the system itself
  append_bindings(source, c.bindings, &c, inner.settings);
  to.systems.push_back(std::move(inner));
  return true;
}

// --- parameters ------------------------------------------------------------------------------------------------------

void Builder::append_bindings(const Source& source, const std::vector<ParameterBinding>& bindings,
                              const Component* component, std::vector<graph::Setting>& to) {
  for (const auto& binding : bindings) add_binding(source, binding, component, to);
}

void Builder::add_binding(const Source& source, const ParameterBinding& b, const Component* component,
                          std::vector<graph::Setting>& to) {
  const auto line = b.line.number;
  if (media_type(b.type) != parameter_set_type)
    return warning(
        source, line, "SSP 2.0, 5.2.3: types of bindings",
        fmt::format("parameters of type '{}' are not supported; give them as a parameter set (SSV)", b.type));
  std::string shown = source.shown;
  const ParameterSet* set = b.inlined.empty() ? nullptr : &b.inlined.front();
  if (set != nullptr && b.source)
    warning(source, line, "SSP 2.0, 5.2.3: values are inside or outside",
            "the binding has both a source and parameter values; the values inside are used");
  if (set == nullptr && b.source)
    set = load_part<ParameterSet>(source, *b.source, b.source_base, component, line, shown);
  if (set == nullptr) {
    if (!b.source)
      warning(source, line, "SSP 2.0, 5.2.3: values are inside or outside",
              "the binding has neither a source nor parameter values; it is ignored");
    return;
  }
  const ParameterMapping* mapping = nullptr;
  if (!b.mapping.empty()) {
    const auto& m = b.mapping.front();
    std::string unused;
    if (media_type(m.type) != parameter_mapping_type)
      return warning(source, m.line.number, "SSP 2.0, 5.2.3: types of mappings",
                     fmt::format("mappings of type '{}' are not supported; the binding is ignored", m.type));
    if (!m.inlined.empty()) {
      mapping = &m.inlined.front();
    } else if (m.source) {
      mapping = load_part<ParameterMapping>(source, *m.source, m.source_base, component, m.line.number, unused);
      if (mapping == nullptr) return;
    }
  }
  auto settings = settings_of(*set, mapping, b.prefix, shown, diagnostics_);
  to.insert(to.end(), std::make_move_iterator(settings.begin()), std::make_move_iterator(settings.end()));
}

// --- signal dictionaries ---------------------------------------------------------------------------------------------

const SignalDictionary* Builder::dictionary_of(const Source& source, const SystemDictionary& said) {
  if (!said.inlined.empty()) return &said.inlined.front();
  if (!said.source) return nullptr;
  std::string unused;
  return load_part<SignalDictionary>(source, *said.source, "SSD", nullptr, said.line.number, unused);
}

void Builder::open_dictionaries(const Source& source, const System& system, graph::System& to) {
  std::set<std::string> taken;
  for (const auto& c : system.components) taken.insert(c.name);
  for (const auto& s : system.systems) taken.insert(s.name);
  for (const auto& r : system.references) taken.insert(r.name);
  for (const auto& said : system.dictionaries) {
    const auto* const contents = dictionary_of(source, said);
    if (contents == nullptr) {
      warning(source, said.line.number, "SSP 2.0, 5.3.3: contents of signal dictionaries",
              fmt::format("the signal dictionary '{}' has no entries that can be read", said.name));
      continue;
    }
    std::string name = said.name;
    while (!taken.insert(name).second) name += "_";
    graph::System hub(name);
    hub.kind = graph::System::Kind::dictionary;
    hub.dictionary = said.name;
    hub.where = fmt::format("{}:{}", source.shown, said.line.number);
    for (const auto& u : contents->units) hub.units.push_back({u.name, base_unit_of(u)});
    for (const auto& entry : contents->entries) {
      graph::Connector connector;
      connector.name = entry.name;
      connector.causality = Causality::local;
      connector.type = type_of(entry.type.kind);
      connector.unit = entry.type.unit;
      connector.dimensions = sizes_of(entry.dimensions);
      connector.where = hub.where;
      hub.connectors.push_back(std::move(connector));
    }
    to.systems.push_back(std::move(hub));
    scopes_.back().dictionaries.push_back({name, &said, system.name});
  }
}

void Builder::check_reference(const Source& source, const System& system, const SignalDictionaryReference& reference) {
  const SystemDictionary* found = nullptr;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend() && found == nullptr; ++scope)
    for (const auto& d : scope->dictionaries)
      if (d.said->name == reference.dictionary) found = d.said;
  if (found == nullptr)
    return error(source, reference.line.number, "SSP 2.0, 5.5: references name a dictionary",
                 fmt::format("'{}' refers to the signal dictionary '{}', but neither the system '{}' nor an enclosing "
                             "system has it; correct the name",
                             reference.name, reference.dictionary, system.name));
  const auto* const contents = dictionary_of(source, *found);
  for (const auto& connector : reference.connectors) {
    const auto& entries = contents->entries;
    if (std::none_of(entries.begin(), entries.end(), [&](const auto& e) { return e.name == connector.name; })) {
      error(source, connector.line.number, "SSP 2.0, 5.5: connectors of a reference are entries of the dictionary",
            fmt::format("the signal dictionary '{}' has no entry '{}'; add it, or remove the connector", found->name,
                        connector.name));
    }
  }
}

}  // namespace consort::ssp
