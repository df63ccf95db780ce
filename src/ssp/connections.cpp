#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "ssp/builder.hpp"
#include "ssp/parameters.hpp"

namespace consort::ssp {

namespace {

// One end of a connection, with what the file says about it.
struct End {
  graph::Endpoint endpoint;
  const Element* element = nullptr;  // null: there is no such element
  const Connector* connector = nullptr;
  bool own = false;
  Role role = Role::any;
};

const Element* find_element(const System& system, const std::string& name) {
  const auto in = [&](const auto& all) -> const Element* {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.name == name; });
    return found == all.end() ? nullptr : &*found;
  };
  if (const auto* c = in(system.components)) return c;
  if (const auto* s = in(system.systems)) return s;
  return in(system.references);
}

End end_of(const System& system, const std::optional<std::string>& element, const std::string& connector,
           const std::vector<std::uint64_t>& indices) {
  End end;
  end.own = !element || element->empty();  // some tools write an empty name for the system itself
  end.element = end.own ? &system : find_element(system, *element);
  end.endpoint = {end.own ? "" : *element, connector};
  if (!indices.empty()) end.endpoint.connector += fmt::format("[{}]", fmt::join(indices, ","));
  if (end.element != nullptr) {
    const auto& all = end.element->connectors;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.name == connector; });
    if (found != all.end()) end.connector = &*found;
  }
  end.role = end.connector == nullptr ? Role::any : role_of(end.connector->kind, end.own);
  return end;
}

// Item names as numbers where the file says what they are: an FMU need not know the items by name.
std::string item_number(const SystemStructure& file, const Connector* connector, const std::string& item) {
  if (connector == nullptr || connector->type.kind != TypeKind::enumeration) return item;
  for (const auto& enumeration : file.enumerations) {
    if (enumeration.name != connector->type.enumeration) continue;
    for (const auto& i : enumeration.items)
      if (i.name == item) return fmt::format("{}", i.value);
  }
  return item;
}

std::vector<std::string_view> element_names(const System& system) {
  std::vector<std::string_view> names;
  for (const auto& c : system.components) names.emplace_back(c.name);
  for (const auto& s : system.systems) names.emplace_back(s.name);
  for (const auto& r : system.references) names.emplace_back(r.name);
  return names;
}

}  // namespace

void Builder::add_connections(const Source& source, const System& system, graph::System& to) {
  to.connections.reserve(system.connections.size());
  for (const auto& connection : system.connections) add_connection(source, system, connection, to);
}

void Builder::add_connection(const Source& source, const System& system, const Connection& c, graph::System& to) {
  const auto line = c.line.number;
  End start = end_of(system, c.start_element, c.start_connector, c.start_indices);
  End end = end_of(system, c.end_element, c.end_connector, c.end_indices);
  for (const End* e : {&start, &end}) {
    if (e->element == nullptr)
      return error(
          source, line, "SSP 2.0, 5.3.2: ends of connections",
          fmt::format("the connection names the element '{}', which the system '{}' does not have{}",
                      e->endpoint.element, system.name, suggestion(e->endpoint.element, element_names(system))));
    if (e->connector == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& connector : e->element->connectors) names.emplace_back(connector.name);
      warning(source, line, "SSP 2.0, 5.2.1: connections end at connectors",
              fmt::format("'{}' has no connector '{}'{}; it is looked for inside", e->element->name,
                          e->endpoint.connector, suggestion(e->endpoint.connector, names)));
    }
  }
  // SSP 2.0, 5.3.2: start and end say nothing about the direction, the kinds of the connectors do.
  if (start.role != Role::any && start.role == end.role)
    error(source, line, "SSP 2.0, 5.3.2: allowed connections",
          fmt::format("'{}' ({}) and '{}' ({}) cannot be connected: {}; correct the kinds or the connection",
                      start.endpoint.text(), start.connector->kind, end.endpoint.text(), end.connector->kind,
                      start.role == Role::source ? "both are sources" : "neither is a source"));
  const bool turned = start.role == Role::sink || end.role == Role::source;
  if (turned) std::swap(start, end);

  graph::Connection connection;
  connection.from = start.endpoint;
  connection.to = end.endpoint;
  connection.suppress_unit_conversion = c.suppress_unit_conversion;
  connection.transformation = transformation_of(c.transformation);
  connection.where = fmt::format("{}:{}", source.shown, line);
  if (c.transformation.kind == Transformation::Kind::enumeration) {
    for (auto& [from, into] : std::get<graph::Mapping>(connection.transformation).entries) {
      from = item_number(*source.structure, start.connector, from);
      into = item_number(*source.structure, end.connector, into);
    }
  }
  to.connections.push_back(std::move(connection));
}

}  // namespace consort::ssp
