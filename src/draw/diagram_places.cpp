// Layout of systems whose elements have given positions: keeps the positions and enlarges the drawing until its texts
// are readable.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "draw/diagram_model.hpp"
#include "draw/diagram_sizes.hpp"
#include "draw/text.hpp"

namespace consort::draw {

using graph::Rectangle;
using graph::Sheet;

namespace {

using namespace sizes;

constexpr double largest_sheet = 3000;  // pixels of the longer side; content that does not fit is scaled down
constexpr double largest_text = 1.6;    // largest text scale, for boxes that are larger than their texts
constexpr double stub = 12;             // straight part of a line next to its box
constexpr double row_gap = 24;          // above the row of boxes without positions
constexpr double blank = 0.15;          // largest blank margin around the content, relative to its longer side
constexpr double least_scale = 0.5;     // of legible texts
constexpr double most_overlap = 0.25;   // of legible boxes, relative to the smaller one

// An axis-parallel box in the coordinates of the sheet.
struct Extent {
  double left = std::numeric_limits<double>::infinity(), bottom = left, right = -left, top = -left;
  void include(double x, double y) {
    left = std::min(left, x);
    right = std::max(right, x);
    bottom = std::min(bottom, y);
    top = std::max(top, y);
  }
  void include(const Extent& e) {
    include(e.left, e.bottom);
    include(e.right, e.top);
  }
  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return top - bottom; }
};

Extent extent_of(const Rectangle& r) {
  Extent e;
  e.include(r.x1, r.y1);
  e.include(r.x2, r.y2);
  return e;
}

// Returns a point of a box after rotation; `at` runs from 0 to 1 between the corners.
graph::Point turned(const graph::ElementPlace& place, graph::Point at) {
  const auto& r = *place.box;
  const double angle = place.rotation * std::numbers::pi / 180;
  const double x = (at.x - 0.5) * (r.x2 - r.x1), y = (at.y - 0.5) * (r.y2 - r.y1);
  return {(r.x1 + r.x2) / 2 + x * std::cos(angle) - y * std::sin(angle),
          (r.y1 + r.y2) / 2 + x * std::sin(angle) + y * std::cos(angle)};
}

Extent extent_of(const graph::ElementPlace& place) {
  if (place.rotation == 0) return extent_of(*place.box);
  Extent e;
  for (const graph::Point corner : {graph::Point{0, 0}, {1, 0}, {0, 1}, {1, 1}}) {
    const auto p = turned(place, corner);
    e.include(p.x, p.y);
  }
  return e;
}

bool is_placed(const Block& b) { return b.place != nullptr && b.place->box; }

// SSP 2.0, 5.2.1: the position of a connector inside its system follows from its position at the edge, unless it is
// given.
std::optional<graph::Point> inside_of(const graph::ConnectorPlace& place, const Sheet& sheet) {
  if (place.inside || !place.edge || !sheet.bounds) return place.inside;
  const auto& r = *sheet.bounds;
  return graph::Point{r.x1 + place.edge->x * (r.x2 - r.x1), r.y1 + place.edge->y * (r.y2 - r.y1)};
}

// The content, with a margin as far as the bounds of the sheet have one. Many tools store the bounds of a canvas that
// is nearly empty; a picture of it would be all blank, with tiny texts.
Extent extent_of(const Block& frame) {
  Extent all;
  const auto& sheet = *frame.sheet;
  for (const auto& child : frame.children)
    if (is_placed(child)) all.include(extent_of(*child.place));
  for (const auto& c : sheet.connectors)
    if (const auto at = inside_of(c, sheet)) all.include(at->x, at->y);
  for (const auto& line : sheet.lines)
    for (const auto& p : line.corners) all.include(p.x, p.y);
  for (const auto& note : sheet.notes) all.include(extent_of(note.box));
  if (!sheet.bounds) return all;
  const Extent bounds = extent_of(*sheet.bounds);
  if (all.right < all.left) return bounds;
  const double margin = blank * std::max(all.width(), all.height());
  Extent paper = all;
  paper.include(std::max(bounds.left, all.left - margin), std::max(bounds.bottom, all.bottom - margin));
  paper.include(std::min(bounds.right, all.right + margin), std::min(bounds.top, all.top + margin));
  return paper;
}

const graph::ConnectorPlace* find(const std::vector<graph::ConnectorPlace>& places, const std::string& name) {
  const auto found = std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.name == name; });
  return found == places.end() ? nullptr : &*found;
}

// Transforms coordinates of a sheet to those of its frame. The bounds have a margin for the connectors of the frame.
struct Paper {
  Extent extent;
  double scale = 1;  // pixels per unit of the sheet
  double left = 0, top = 0;
  [[nodiscard]] Corner at(graph::Point p) const {
    return {left + (p.x - extent.left) * scale, top + (extent.top - p.y) * scale};
  }
};

// Chooses the scale so that all boxes are large enough, within the limit of the picture size.
Paper paper_of(const Block& frame) {
  Paper paper;
  paper.extent = extent_of(frame);
  double need = 0;
  for (const auto& child : frame.children) {
    if (!is_placed(child)) continue;
    const auto e = extent_of(*child.place);
    need = std::max({need, child.width / e.width(), child.height / e.height()});
  }
  paper.scale = std::min(need, largest_sheet / std::max(paper.extent.width(), paper.extent.height()));
  paper.left = frame_padding + (frame.inputs.empty() ? 0 : widest(frame.inputs) + stub);
  paper.top = frame_top + 8;
  return paper;
}

double right_margin(const Block& frame) {
  return frame_padding + (frame.outputs.empty() ? 0 : widest(frame.outputs) + stub);
}

// Size of the row of boxes without positions, below the others.
double row_height(const Block& frame) {
  double height = 0;
  for (const auto& child : frame.children)
    if (!is_placed(child)) height = std::max(height, child.height + row_gap);
  return height;
}
double row_width(const Block& frame) {
  double width = 0;
  for (const auto& child : frame.children)
    if (!is_placed(child)) width += child.width + gap;
  return width;
}

// --- boxes and ports

Side side_of(const Block& b, double x, double y) {
  const double to_left = x, to_right = b.width - x, to_top = y, to_bottom = b.height - y;
  const double nearest = std::min({to_left, to_right, to_top, to_bottom});
  if (nearest == to_left) return Side::left;
  if (nearest == to_right) return Side::right;
  return nearest == to_top ? Side::top : Side::bottom;
}

// `edges`: positions of connectors on the box; null: no positions.
void place_edge_ports(Block& b, bool inputs, const std::vector<graph::ConnectorPlace>* edges) {
  auto& ports = inputs ? b.inputs : b.outputs;
  for (auto& port : ports) {
    port.x = inputs ? 0 : b.width;
    port.side = inputs ? Side::left : Side::right;
    const auto* const place = edges == nullptr ? nullptr : find(*edges, port.name);
    if (place == nullptr || !place->edge) continue;
    graph::Point at = *place->edge;
    if (is_placed(b)) {
      const auto e = extent_of(*b.place);
      const auto p = turned(*b.place, at);
      at = {(p.x - e.left) / e.width(), (p.y - e.bottom) / e.height()};
    }
    port.x = at.x * b.width;
    port.y = (1 - at.y) * b.height;
    port.side = side_of(b, port.x, port.y);
  }
}

// Nothing is connected to the outermost edge, so its ports can be moved next to their inner ends.
void follow_inside(Block& frame) {
  for (auto* ports : {&frame.inputs, &frame.outputs}) {
    for (auto& port : *ports) {
      if (!port.inside) continue;
      const bool beside = *port.side == Side::left || *port.side == Side::right;
      (beside ? port.y : port.x) = beside ? port.inside->y : port.inside->x;
    }
  }
}

void place_box_ports(Block& b) {
  // Frames with automatic layout already have lines to the ports at their edges.
  const bool own = b.is_system && b.sheet == nullptr;
  if (!own) {
    const double top = b.is_system ? frame_top : title_height;
    place_ports(b.inputs, top, b.height - top - 4);
    place_ports(b.outputs, top, b.height - top - 4);
  }
  const auto* const edges = b.place == nullptr || own ? nullptr : &b.place->connectors;
  place_edge_ports(b, true, edges);
  place_edge_ports(b, false, edges);
}

void place_child(Block& child, const Paper& paper) {
  const auto e = extent_of(*child.place);
  const auto corner = paper.at({e.left, e.top});
  const double width = e.width() * paper.scale, height = e.height() * paper.scale;
  child.scale = std::min({largest_text, width / child.width, height / child.height});
  child.x = corner.x;
  child.y = corner.y;
  if (child.is_system && child.sheet == nullptr) {  // cannot be stretched: centre it at its position
    child.x += (width - child.width * child.scale) / 2;
    child.y += (height - child.height * child.scale) / 2;
    return;
  }
  child.width = width / child.scale;
  child.height = height / child.scale;
}

// --- lines

struct Tip {
  Corner at;
  Side away = Side::right;  // direction of a line that begins here
};

Side opposite(Side side) {
  switch (side) {
    case Side::left: return Side::right;
    case Side::right: return Side::left;
    case Side::top: return Side::bottom;
    case Side::bottom: return Side::top;
  }
  return side;
}

Corner moved(Corner c, Side side, double by) {
  switch (side) {
    case Side::left: return {c.x - by, c.y};
    case Side::right: return {c.x + by, c.y};
    case Side::top: return {c.x, c.y - by};
    case Side::bottom: return {c.x, c.y + by};
  }
  return c;
}

bool is_level(Side side) { return side == Side::left || side == Side::right; }

Tip tip_of(const Block& frame, const Pin& pin, bool sink) {
  if (pin.box != the_frame) {
    const auto& box = frame.children[pin.box];
    const auto& port = (sink ? box.inputs : box.outputs)[pin.port];
    return {{box.x + port.x * box.scale, box.y + port.y * box.scale}, *port.side};
  }
  const auto& port = (sink ? frame.outputs : frame.inputs)[pin.port];
  if (port.inside) return {*port.inside, sink ? Side::left : Side::right};
  const double label = is_level(*port.side) ? width_in_pixels(port_label(port.name), port_font) + stub : 18;
  const Side away = opposite(*port.side);
  return {moved({port.x, port.y}, away, label), away};
}

// Returns axis-parallel corners; `lane` separates lines that would overlap.
std::vector<Corner> corners_between(const Tip& from, const Tip& to, std::size_t lane) {
  const Corner a = moved(from.at, from.away, stub), b = moved(to.at, to.away, stub);
  const double shift = (static_cast<double>(lane % 7) - 3) * 4;
  if (from.away == Side::right && to.away == Side::left && a.x <= b.x) {
    if (std::abs(a.y - b.y) < 0.25) return {};
    const double x = std::clamp((a.x + b.x) / 2 + shift, a.x, b.x);
    return {{x, a.y}, {x, b.y}};
  }
  if (is_level(from.away) && is_level(to.away)) {
    const double y = std::abs(a.y - b.y) > 60 ? (a.y + b.y) / 2 + shift : std::max(a.y, b.y) + 50 + shift;
    return {a, {a.x, y}, {b.x, y}, b};
  }
  if (is_level(from.away)) return {a, {b.x, a.y}, b};
  if (is_level(to.away)) return {a, {a.x, b.y}, b};
  return {a, {b.x, a.y}, b};
}

void draw_lines(Block& frame, const Paper& paper) {
  for (std::size_t k = 0; k < frame.nets.size(); ++k) {
    const auto& net = frame.nets[k];
    const auto source = pin_text(frame, net.source, false);
    for (const auto& sink : net.sinks) {
      const auto target = pin_text(frame, sink.pin, true);
      const Tip from = tip_of(frame, net.source, false), to = tip_of(frame, sink.pin, true);
      Wiring wire;
      wire.loop = sink.loop;
      wire.signals = net.signals;
      wire.tip = source + " → " + target;
      wire.corners.push_back(from.at);
      const auto& lines = frame.sheet->lines;
      // The file may contain the connection in reverse direction.
      const auto line = std::find_if(lines.begin(), lines.end(), [&](const graph::LinePlace& l) {
        return (l.from == source && l.to == target) || (l.to == source && l.from == target);
      });
      if (line == lines.end()) {
        const auto corners = corners_between(from, to, k);
        wire.corners.insert(wire.corners.end(), corners.begin(), corners.end());
      } else {
        for (const auto& p : line->corners) wire.corners.push_back(paper.at(p));
        if (line->from != source) std::reverse(wire.corners.begin() + 1, wire.corners.end());
      }
      wire.corners.push_back(to.at);
      frame.wires.push_back(std::move(wire));
    }
  }
}

// The area that two boxes share, relative to the smaller one.
double overlap(const Block& a, const Block& b) {
  const auto shared = [](double a1, double a2, double b1, double b2) {
    return std::max(0.0, std::min(a2, b2) - std::max(a1, b1));
  };
  const double aw = a.width * a.scale, ah = a.height * a.scale, bw = b.width * b.scale, bh = b.height * b.scale;
  const double area = shared(a.x, a.x + aw, b.x, b.x + bw) * shared(a.y, a.y + ah, b.y, b.y + bh);
  return area / std::min(aw * ah, bw * bh);
}

}  // namespace

std::string why_illegible(const Block& frame, double scale) {
  for (std::size_t i = 0; i < frame.children.size(); ++i) {
    const auto& child = frame.children[i];
    if (!(child.scale * scale >= least_scale))
      return "the box of '" + printable(child.title) + "' is too small for its texts";
    for (std::size_t k = 0; k < i; ++k)
      if (!(overlap(frame.children[k], child) <= most_overlap))
        return "the boxes of '" + printable(frame.children[k].title) + "' and '" + printable(child.title) + "' overlap";
    if (auto why = why_illegible(child, child.scale * scale); !why.empty()) return why;
  }
  return {};
}

void measure_placed(Block& frame) {
  const Paper paper = paper_of(frame);
  const double title = width_in_pixels(box_label(frame.title), title_font) + 2 * frame_padding + 10;
  const double width = std::max(paper.extent.width() * paper.scale, row_width(frame));
  frame.width = std::ceil(std::max(title, paper.left + width + right_margin(frame)));
  const double ports = port_pitch * static_cast<double>(std::max(frame.inputs.size(), frame.outputs.size())) + 8;
  const double inner = paper.extent.height() * paper.scale + row_height(frame);
  frame.height = std::ceil(paper.top + std::max(inner, ports) + frame_padding);
  place_ports(frame.inputs, frame_top, frame.height - frame_top);
  place_ports(frame.outputs, frame_top, frame.height - frame_top);
  place_edge_ports(frame, true, nullptr);
  place_edge_ports(frame, false, nullptr);
}

void arrange_placed(Block& frame, bool outermost) {
  Paper paper = paper_of(frame);
  if (!outermost && row_height(frame) == 0) {  // the frame may be larger than its content
    const double width = frame.width - paper.left - right_margin(frame),
                 height = frame.height - paper.top - frame_padding;
    paper.scale = std::max(paper.scale, std::min(width / paper.extent.width(), height / paper.extent.height()));
  }
  // Distribute surplus width of the frame to both sides.
  const double inner_width = std::max(paper.extent.width() * paper.scale, row_width(frame));
  const double inner_height = paper.extent.height() * paper.scale + row_height(frame);
  paper.left += std::max(0.0, (frame.width - paper.left - right_margin(frame) - inner_width) / 2);
  paper.top += std::max(0.0, (frame.height - paper.top - frame_padding - inner_height) / 2);
  double x = paper.left;
  for (auto& child : frame.children) {
    if (is_placed(child)) {
      place_child(child, paper);
    } else {
      child.x = x;
      child.y = paper.top + paper.extent.height() * paper.scale + row_gap;
      x += child.width + gap;
    }
    place_box_ports(child);
  }
  if (outermost) {
    place_edge_ports(frame, true, &frame.sheet->connectors);
    place_edge_ports(frame, false, &frame.sheet->connectors);
  }
  for (auto* ports : {&frame.inputs, &frame.outputs})
    for (auto& port : *ports)
      if (const auto* place = find(frame.sheet->connectors, port.name))
        if (const auto at = inside_of(*place, *frame.sheet)) port.inside = paper.at(*at);
  if (outermost) follow_inside(frame);
  draw_lines(frame, paper);
  for (const auto& note : frame.sheet->notes) {
    const auto e = extent_of(note.box);
    frame.notes.push_back({paper.at({e.left, e.top}), e.width() * paper.scale, e.height() * paper.scale, note.text});
  }
}

}  // namespace consort::draw
