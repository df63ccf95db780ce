#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "graph/indices.hpp"
#include "ssp/annotations.hpp"
#include "ssp/builder.hpp"
#include "ssp/parameters.hpp"

namespace consort::ssp {

namespace {

// Index of a system's elements and connectors by name, so that many connections are made fast.
class Index {
 public:
  explicit Index(const System& system) : system_(system) {
    for (const auto& c : system.components) elements_.emplace(c.name, &c);
    for (const auto& s : system.systems) elements_.emplace(s.name, &s);
    for (const auto& r : system.references) elements_.emplace(r.name, &r);
  }

  End end(const std::optional<std::string>& element, const std::string& connector,
          const std::vector<std::uint64_t>& indices) {
    End end;
    end.own = !element || element->empty();  // some tools write an empty name for the system itself
    end.element = end.own ? &system_ : find(*element);
    end.endpoint = {end.own ? "" : *element, connector};
    if (end.element != nullptr) end.connector = this->connector(*end.element, connector);
    if (!end.own && end.connector != nullptr && !end.connector->annotations.empty())
      if (auto port = foreign_port(*end.connector); !port.variable.empty())
        end.endpoint.connector = std::move(port.variable);
    end.endpoint.connector += graph::indices_text(indices);
    end.role = end.connector == nullptr ? Role::any : role_of(end.connector->kind, end.own);
    return end;
  }

 private:
  [[nodiscard]] const Element* find(const std::string& name) const {
    const auto found = elements_.find(name);
    return found == elements_.end() ? nullptr : found->second;
  }
  const Connector* connector(const Element& element, const std::string& name) {
    auto& known = connectors_[&element];
    if (known.empty())
      for (const auto& c : element.connectors) known.emplace(c.name, &c);
    const auto found = known.find(name);
    return found == known.end() ? nullptr : found->second;
  }

  const System& system_;
  std::unordered_map<std::string_view, const Element*> elements_;
  std::unordered_map<const Element*, std::unordered_map<std::string_view, const Connector*>> connectors_;
};

// The number of an item if the file defines the enumeration, because an FMU need not know the names of items.
std::string item_number(const SystemStructure& file, const Connector* connector, const std::string& item) {
  if (connector == nullptr || connector->type.kind != TypeKind::enumeration) return item;
  for (const auto& enumeration : file.enumerations) {
    if (enumeration.name != connector->type.enumeration) continue;
    for (const auto& i : enumeration.items)
      if (i.name == item) return fmt::format("{}", i.value);
  }
  return item;
}

std::vector<std::string_view> names_of_elements(const System& system) {
  std::vector<std::string_view> names;
  for (const auto& c : system.components) names.emplace_back(c.name);
  for (const auto& s : system.systems) names.emplace_back(s.name);
  for (const auto& r : system.references) names.emplace_back(r.name);
  return names;
}

}  // namespace

// True if an identical connection exists. A different connection to the same connector is an error, which compile()
// reports.
bool Builder::is_repeated(const graph::Connection& connection, const std::vector<graph::Connection>& others) {
  if (destinations_.insert(connection.to.text()).second) return false;
  return std::any_of(others.begin(), others.end(), [&](const graph::Connection& o) {
    return o.to.text() == connection.to.text() && o.from.text() == connection.from.text() &&
           o.suppress_unit_conversion == connection.suppress_unit_conversion &&
           o.transformation == connection.transformation;
  });
}

void Builder::add_connections(const Source& source, const System& system, graph::System& to) {
  destinations_.clear();
  to.connections.reserve(system.connections.size());
  Index index(system);
  for (const auto& c : system.connections) {
    End start = index.end(c.start_element, c.start_connector, c.start_indices);
    End end = index.end(c.end_element, c.end_connector, c.end_indices);
    add_connection(source, system, {c, std::move(start), std::move(end)}, to);
  }
}

void Builder::add_connection(const Source& source, const System& system, Wiring wiring, graph::System& to) {
  const auto& c = wiring.connection;
  End& start = wiring.start;
  End& end = wiring.end;
  const auto line = c.line.number;
  for (const End* e : {&start, &end}) {
    if (e->element == nullptr)
      return error(
          source, line, "SSP 2.0, 5.3.2: ends of connections",
          fmt::format("the connection names the element '{}', which the system '{}' does not have{}",
                      e->endpoint.element, system.name, suggestion(e->endpoint.element, names_of_elements(system))));
    if (e->connector == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& connector : e->element->connectors) names.emplace_back(connector.name);
      warning(source, line, "SSP 2.0, 5.2.1: connections end at connectors",
              fmt::format("'{}' has no connector '{}'{}; its variables are searched instead", e->element->name,
                          e->endpoint.connector, suggestion(e->endpoint.connector, names)));
    }
  }
  // SSP 2.0, 5.3.2: the kinds of the connectors give the direction, not start and end.
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
  if (is_repeated(connection, to.connections))
    return warning(source, line, "SSP 2.0, 5.3.2: one connection per destination",
                   fmt::format("the connection {} → {} occurs twice; the second one is ignored", connection.from.text(),
                               connection.to.text()));
  to.connections.push_back(std::move(connection));
}

}  // namespace consort::ssp
