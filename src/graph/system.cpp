#include "graph/system.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::graph {

std::filesystem::path Component::python_file() const {
  const std::string text = source.string().substr(python_prefix.size());
  return text.substr(0, text.rfind(':'));
}

std::string Component::python_class() const {
  const std::string text = source.string();
  return text.substr(text.rfind(':') + 1);
}

namespace {

template <class T>
const T* find_named(const std::vector<T>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const T& t) { return t.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::string Setting::text() const { return elements.empty() ? value : fmt::format("{}", fmt::join(elements, " ")); }

const Component* System::component(std::string_view element_name) const { return find_named(components, element_name); }
const System* System::system(std::string_view element_name) const { return find_named(systems, element_name); }

std::size_t System::unit_count() const {
  std::size_t count = components.size();
  for (const auto& inner : systems) count += inner.unit_count();
  return count;
}

std::vector<std::string_view> System::element_names() const {
  std::vector<std::string_view> names;
  for (const auto& c : components) names.emplace_back(c.name);
  for (const auto& s : systems) names.emplace_back(s.name);
  return names;
}

Component& System::add(std::string element_name, std::filesystem::path source) {
  require(!has_element(element_name), "system '{}' has two elements named '{}'; rename one", name, element_name);
  components.emplace_back();
  add_to_index(element_name);
  components.back().name = std::move(element_name);
  components.back().source = std::move(source);
  return components.back();
}

System& System::add_system(System inner) {
  require(!has_element(inner.name), "system '{}' has two elements named '{}'; rename one", name, inner.name);
  add_to_index(inner.name);
  systems.push_back(std::move(inner));
  return systems.back();
}

void System::add_to_index(const std::string& element_name) {
  index_.emplace(element_name);
  ++indexed_;
}

bool System::has_element(std::string_view element_name) const {
  if (indexed_ != components.size() + systems.size()) {
    index_.clear();
    for (const auto other : element_names()) index_.emplace(other);
    indexed_ = components.size() + systems.size();
  }
  return index_.contains(std::string(element_name));
}

Endpoint System::endpoint(std::string_view path) const {
  for (auto dot = path.rfind('.'); dot != std::string_view::npos && dot > 0; dot = path.rfind('.', dot - 1)) {
    const auto element = path.substr(0, dot);
    if (has_element(element)) return {std::string(element), std::string(path.substr(dot + 1))};
  }
  return {{}, std::string(path)};
}

describe::InterfaceType Component::interface_of(const describe::Description& unit) const {
  using describe::InterfaceType;
  if (interface && (!may_use_other_interface || unit.interface(*interface) != nullptr)) return *interface;
  const bool cs = unit.interface(InterfaceType::co_simulation) != nullptr;
  const bool me = unit.interface(InterfaceType::model_exchange) != nullptr;
  return !cs && me ? InterfaceType::model_exchange : InterfaceType::co_simulation;
}

// An end of a connection; a connector of the system itself is made if there is none.
Endpoint System::known(std::string_view path, describe::Causality causality) {
  const Endpoint end = endpoint(path);
  if (!end.element.empty()) return end;
  const auto dot = path.find('.');
  // "in[2]" is an element of the connector `in`.
  const bool own = find_named(connectors, end.connector) != nullptr ||
                   find_named(connectors, end.connector.substr(0, end.connector.rfind('['))) != nullptr;
  require(own || dot == std::string_view::npos, "system '{}' has no element '{}' to connect '{}' to{}", name,
          path.substr(0, dot), path, suggestion(path.substr(0, dot), element_names()));
  if (!own) connectors.push_back({end.connector, causality});
  return end;
}

Connection& System::connect(std::string_view from, std::string_view to) {
  Endpoint source = known(from, describe::Causality::input);
  Endpoint target = known(to, describe::Causality::output);
  connections.push_back({std::move(source), std::move(target)});
  return connections.back();
}

Connection& System::connect_value(std::string expression, std::string_view to) {
  Endpoint target = known(to, describe::Causality::output);
  connections.push_back({{}, std::move(target)});
  connections.back().value = std::move(expression);
  return connections.back();
}

Connection& System::connect(std::string_view from, std::string_view to, Linear transformation) {
  auto& made = connect(from, to);
  made.transformation = transformation;
  return made;
}

}  // namespace consort::graph
