#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "draw/diagram.hpp"
#include "draw/diagram_model.hpp"
#include "draw/diagram_sizes.hpp"
#include "draw/icon.hpp"
#include "draw/palette.hpp"
#include "draw/text.hpp"

namespace consort::draw {

namespace {

using namespace sizes;

constexpr std::string_view line_colour = "#5A6470";
constexpr double margin = 20;
constexpr double legend_line = 18;
constexpr std::size_t most_legend_lines = 12;

std::string_view loop_colour(std::uint32_t loop) {
  constexpr std::size_t colours[] = {1, 3, 4, 2};  // without the blue of the frames and the grey of the lines
  return palette[colours[loop % std::size(colours)]];
}

class Painter {
 public:
  std::string operator()(const Block& root, const graph::Plan& plan, const std::string& title) {
    const auto legend = legend_of(plan);
    double width = root.width;
    for (const auto& text : legend) width = std::max(width, width_in_pixels(text, title_font) + 60);
    const double legend_height = legend.empty() ? 0 : legend_line * static_cast<double>(legend.size()) + 12;
    const double all = std::ceil(width + 2 * margin);
    const double tall = std::ceil(root.height + legend_height + 2 * margin);
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"{2}\" fill=\"#222\">\n",
        all, tall, title_font);
    put("<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", escape_xml(title));
    frame(root, margin, margin, 0);
    draw_legend(legend, plan, margin + root.height + 12);
    put("</svg>\n");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }

  void frame(const Block& b, double left, double top, int level) {
    put("<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"{}\" "
        "stroke=\"#9DB2C6\" "
        "stroke-dasharray=\"{}\"/>\n",
        escape_xml(b.title), left + 0.5, top + 0.5, b.width - 1, b.height - 1, level % 2 == 0 ? "#F7F9FB" : "#EAF0F5",
        level == 0 ? "" : "5 3");
    put("<text x=\"{}\" y=\"{}\" font-weight=\"bold\" fill=\"#33475B\">{}</text>\n", left + frame_padding, top + 18,
        escape_xml(box_label(b.title)));
    for (const auto& n : b.notes) note(n, left, top);
    for (const auto& port : b.inputs) tag(port, left, top, b, true);
    for (const auto& port : b.outputs) tag(port, left, top, b, false);
    // Draw loops last, on top.
    for (const bool loops : {false, true})
      for (const auto& wire : b.wires)
        if ((wire.loop != no_loop) == loops) line(wire, left, top);
    for (const auto& child : b.children) {
      if (child.scale == 1) {
        box(child, left + child.x, top + child.y, level + 1);
        continue;
      }
      put("<g transform=\"translate({:.2f} {:.2f}) scale({:.5g})\">\n", left + child.x, top + child.y, child.scale);
      box(child, 0, 0, level + 1);
      put("</g>\n");
    }
    put("</g>\n");
  }

  void box(const Block& b, double left, double top, int level) {
    if (b.is_system) {
      frame(b, left, top, level);
    } else {
      unit(b, left, top);
    }
  }

  void note(const Block::Note& n, double left, double top) {
    const double x = left + n.corner.x, y = top + n.corner.y;
    put("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#FFFBE6\" stroke=\"#D8CFA0\"/>\n", x,
        y, n.width, n.height);
    double line_y = y + 14;
    for (const auto text : split(n.text, '\n')) {
      put("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\">{}</text>\n", x + 5, line_y, port_font,
          escape_xml(shorten(printable(trim(text)), 200)));
      line_y += 13;
    }
  }

  // A connector of a system, at its edge.
  void tag(const BlockPort& port, double left, double top, const Block& b, bool input) {
    if (port.inside) return inner_tag(port, left, top, input);
    if (port.side) {
      put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#33475B\"/>", left + port.x, top + port.y);
      return placed_label(port, left, top);
    }
    const double y = top + port.y;
    const double edge = input ? left : left + b.width;
    put("<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"#33475B\"/>", edge, y);
    put("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\"><title>{}</title>{}</text>\n",
        input ? edge + 7 : edge - 7, y + 3.5, port_font, input ? "start" : "end", escape_xml(port.name),
        escape_xml(port_label(port.name)));
  }

  // A connector whose inner lines end at a separate position.
  void inner_tag(const BlockPort& port, double left, double top, bool input) {
    const double x = left + port.inside->x, y = top + port.inside->y;
    put("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"#9DB2C6\" stroke-dasharray=\"2 3\"/>", left + port.x,
        top + port.y, x, y);
    for (const auto& [cx, cy] : {std::pair{left + port.x, top + port.y}, std::pair{x, y}})
      put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#33475B\"/>", cx, cy);
    label(port, x + (input ? -6 : 6), y + 3.5, input ? "end" : "start");
  }

  void label(const BlockPort& port, double x, double y, std::string_view anchor) {
    put("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\"><title>{}</title>{}</text>\n", x, y,
        port_font, anchor, escape_xml(port.name), escape_xml(port_label(port.name)));
  }

  // Draws the label inside the box, at the edge of the port.
  void placed_label(const BlockPort& port, double left, double top) {
    const double x = left + port.x, y = top + port.y;
    switch (*port.side) {
      case Side::left: return label(port, x + 7, y + 3.5, "start");
      case Side::right: return label(port, x - 7, y + 3.5, "end");
      case Side::top: return label(port, x, y + 13, "middle");
      case Side::bottom: return label(port, x, y - 6, "middle");
    }
  }

  void unit(const Block& b, double left, double top) {
    put("<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#fff\" "
        "stroke=\"#33475B\"/>\n",
        escape_xml(b.title), left + 0.5, top + 0.5, b.width - 1, b.height - 1);
    if (b.place != nullptr && b.place->icon && b.place->box) icon(b, left, top);
    const double middle = left + b.width / 2;
    put("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-weight=\"bold\">{}</text>", middle, top + 16,
        escape_xml(box_label(b.title)));
    put("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"{}\" fill=\"#667\">{}</text>\n", middle, top + 29,
        port_font, escape_xml(b.note));
    for (const auto& port : b.inputs) {
      if (port.side) {
        placed_label(port, left, top);
        continue;
      }
      put("<text x=\"{}\" y=\"{}\" font-size=\"{}\"><title>{}</title>{}</text>\n", left + 8, top + port.y + 3.5,
          port_font, escape_xml(port.name), escape_xml(port_label(port.name)));
    }
    for (const auto& port : b.outputs) {
      if (port.side) {
        placed_label(port, left, top);
        continue;
      }
      put("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"end\"><title>{}</title>{}</text>\n",
          left + b.width - 7, top + port.y + 3.5, port_font, escape_xml(port.name), escape_xml(port_label(port.name)));
    }
    put("</g>\n");
  }

  // SSP 2.0, 5.2.2: the icon fills the box and has its own rotation. It is pale, because texts are drawn over it.
  void icon(const Block& b, double left, double top) {
    const auto& place = *b.place;
    const auto uri = icon_uri(place.icon->file);
    if (uri.empty()) return;
    const bool turned = place.icon->rotation != 0;
    const double w = std::abs(place.box->x2 - place.box->x1), h = std::abs(place.box->y2 - place.box->y1);
    const double angle = place.rotation * std::numbers::pi / 180;
    const double across = w * std::abs(std::cos(angle)) + h * std::abs(std::sin(angle));  // width of the rotated box
    const double width = turned ? b.width * w / across : b.width;
    const double height = turned ? b.width * h / across : b.height;
    const bool over_x = place.icon->flip && place.box->x1 > place.box->x2;
    const bool over_y = place.icon->flip && place.box->y1 > place.box->y2;
    put("<image opacity=\"0.5\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "preserveAspectRatio=\"{}\" transform=\"translate({:.1f} {:.1f}) rotate({:.2f}) scale({} {})\" href=\"{}\"/>\n",
        -width / 2, -height / 2, width, height, place.icon->fixed_aspect_ratio ? "xMidYMid meet" : "none",
        left + b.width / 2, top + b.height / 2, -place.icon->rotation, over_x ? -1 : 1, over_y ? -1 : 1, uri);
  }

  void line(const Wiring& wire, double left, double top) {
    const auto colour = wire.loop == no_loop ? line_colour : loop_colour(wire.loop);
    const double thick = (wire.loop == no_loop ? 1.1 : 2) + (wire.signals > 1 ? 1.4 : 0);
    put("<g stroke=\"{0}\" fill=\"{0}\"><title>{1}</title><path fill=\"none\" stroke-width=\"{2:.1f}\" "
        "stroke-linejoin=\"round\" d=\"",
        colour, escape_xml(wire.tip), thick);
    const char* command = "M";
    for (const auto& corner : wire.corners) {
      put("{}{:.1f} {:.1f}", command, left + corner.x, top + corner.y);
      command = "L";
    }
    const auto& end = wire.corners.back();
    put("\"/><path stroke=\"none\" d=\"M{0:.1f} {1:.1f}{2}\"/></g>\n", left + end.x, top + end.y,
        arrow_head(wire.corners[wire.corners.size() - 2], end));
  }

  static std::string_view arrow_head(const Corner& before, const Corner& end) {
    const double x = end.x - before.x, y = end.y - before.y;
    if (std::abs(y) > std::abs(x)) return y > 0 ? "l-3.5 -7h7z" : "l-3.5 7h7z";
    return x >= 0 ? "l-7 -3.5v7z" : "l7 -3.5v7z";
  }

  static std::vector<std::string> legend_of(const graph::Plan& plan) {
    std::vector<std::string> lines;
    for (const auto& loop : plan.loops) {
      if (lines.size() + 1 == most_legend_lines && plan.loops.size() > most_legend_lines) {
        lines.push_back(fmt::format("… and {} further algebraic loops", plan.loops.size() - lines.size()));
        break;
      }
      std::string text = fmt::format("algebraic loop {}: ", lines.size() + 1);
      const std::size_t shown = std::min<std::size_t>(loop.variables.size(), 8);
      for (std::size_t i = 0; i < shown; ++i) text += printable(loop.variables[i]) + " → ";
      text += shown < loop.variables.size() ? fmt::format("… ({} variables)", loop.variables.size())
                                            : printable(loop.variables.front());
      lines.push_back(std::move(text));
    }
    return lines;
  }

  void draw_legend(const std::vector<std::string>& lines, const graph::Plan& plan, double top) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double y = margin + top - margin + legend_line * static_cast<double>(i) + 12;
      if (i < plan.loops.size())
        put("<path d=\"M{} {}h26\" stroke=\"{}\" stroke-width=\"3\"/>", margin + 4, y - 4,
            loop_colour(static_cast<std::uint32_t>(i)));
      put("<text x=\"{}\" y=\"{}\">{}</text>\n", margin + 38, y, escape_xml(lines[i]));
    }
  }

  std::string out_;
};

}  // namespace

std::string why_illegible(const graph::System& system, const graph::Plan& plan, const graph::Sheet& sheet) {
  constexpr double large = 2000;  // pixels; a screen shows it with texts of half their size or less
  Block stored = block_of(system, plan, &sheet);
  lay_out(stored);
  if (auto why = why_illegible(stored); !why.empty()) return why;
  const double size = std::max(stored.width, stored.height);
  if (size <= large) return {};
  Block computed = block_of(system, plan);
  lay_out(computed);
  if (size <= 1.5 * std::max(computed.width, computed.height)) return {};
  return fmt::format("the picture would be {:.0f} pixels wide and {:.0f} pixels high for its smallest box",
                     stored.width, stored.height);
}

std::string diagram_svg(const graph::System& system, const graph::Plan& plan, const DiagramOptions& options) {
  Block root = block_of(system, plan, options.sheet);
  if (!options.title.empty()) root.title = options.title;
  lay_out(root);
  return Painter()(root, plan, root.title);
}

}  // namespace consort::draw
