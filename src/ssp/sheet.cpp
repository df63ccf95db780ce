#include "ssp/sheet.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/indices.hpp"

namespace consort::ssp {

namespace {

bool is_usable(double number) { return std::abs(number) < 1e9; }  // false for NaN

template <class Box>
std::optional<graph::Rectangle> rectangle_of(const Box& g) {
  for (const double number : {g.x1, g.y1, g.x2, g.y2})
    if (!is_usable(number)) return std::nullopt;
  constexpr double least = 1e-6;  // length of a side
  if (std::abs(g.x2 - g.x1) < least || std::abs(g.y2 - g.y1) < least) return std::nullopt;
  return graph::Rectangle{g.x1, g.y1, g.x2, g.y2};
}

std::vector<graph::ConnectorPlace> connectors_of(const Element& element, bool inside) {
  std::vector<graph::ConnectorPlace> places;
  for (const auto& c : element.connectors) {
    if (c.geometry.empty()) continue;
    const auto& g = c.geometry.front();
    graph::ConnectorPlace place{c.name};
    if (is_usable(g.x) && is_usable(g.y)) place.edge = {std::clamp(g.x, 0.0, 1.0), std::clamp(g.y, 0.0, 1.0)};
    if (inside && g.system_inner_x && g.system_inner_y && is_usable(*g.system_inner_x) && is_usable(*g.system_inner_y))
      place.inside = {*g.system_inner_x, *g.system_inner_y};
    places.push_back(std::move(place));
  }
  return places;
}

graph::ElementPlace place_of(const Element& element) {
  graph::ElementPlace place{element.name};
  if (!element.geometry.empty()) {
    place.box = rectangle_of(element.geometry.front());
    if (is_usable(element.geometry.front().rotation)) place.rotation = element.geometry.front().rotation;
    const auto& g = element.geometry.front();
    if (!g.icon_source.empty())
      place.icon = graph::Icon{g.icon_source, is_usable(g.icon_rotation) ? g.icon_rotation : 0, g.icon_flip,
                               g.icon_fixed_aspect_ratio};
  }
  place.connectors = connectors_of(element, false);
  return place;
}

std::string end_text(const std::optional<std::string>& element, std::string connector,
                     const std::vector<std::uint64_t>& indices) {
  connector += graph::indices_text(indices);
  return !element || element->empty() ? connector : *element + "." + connector;
}

}  // namespace

graph::Sheet sheet_of(const System& system) {
  graph::Sheet sheet;
  sheet.name = system.name;
  if (!system.system_geometry.empty()) sheet.bounds = rectangle_of(system.system_geometry.front());
  sheet.connectors = connectors_of(system, true);
  const auto add = [&](const Element& element) {
    auto place = place_of(element);
    if (place.box || !place.connectors.empty()) sheet.elements.push_back(std::move(place));
  };
  for (const auto& component : system.components) add(component);
  for (const auto& inner : system.systems) add(inner);
  for (const auto& reference : system.references) add(reference);
  for (const auto& c : system.connections) {
    if (c.geometry.empty()) continue;
    const auto& g = c.geometry.front();
    graph::LinePlace line{end_text(c.start_element, c.start_connector, c.start_indices),
                          end_text(c.end_element, c.end_connector, c.end_indices)};
    for (std::size_t i = 0; i < std::min(g.points_x.size(), g.points_y.size()); ++i)
      if (is_usable(g.points_x[i]) && is_usable(g.points_y[i])) line.corners.push_back({g.points_x[i], g.points_y[i]});
    if (!line.corners.empty()) sheet.lines.push_back(std::move(line));
  }
  for (const auto& note : system.notes)
    if (const auto box = rectangle_of(note)) sheet.notes.push_back({*box, note.text});
  return sheet;
}

}  // namespace consort::ssp
