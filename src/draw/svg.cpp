#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "draw/axis.hpp"
#include "draw/palette.hpp"
#include "draw/panels.hpp"
#include "draw/path.hpp"
#include "draw/plot.hpp"
#include "draw/text.hpp"
#include "draw/trust.hpp"

namespace consort::draw {

namespace {

// --- sizes, in pixels

constexpr double font = 12;
constexpr double title_font = 16;  // of the picture
constexpr double title_size = 13;  // of an axis
constexpr double tick_length = 5;
constexpr double lane_height = 34;
constexpr double legend_line_height = 19;
constexpr double panel_gap = 20;
constexpr double right_edge = 24;
constexpr double swatch = 22;

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
};

struct LegendEntry {
  double x = 0;  // from the left of the panel
  double y = 0;  // from the top of the legend
  std::string text;
};

struct PanelLayout {
  const Panel* panel = nullptr;
  Axis axis;
  std::string title;  // beside the value axis
  std::vector<LegendEntry> legend;
  double legend_top = 0;
  Box box;
};

struct Layout {
  std::vector<PanelLayout> panels;
  Axis time;
  double width = 0;
  double height = 0;
};

// Places entries side by side, or in columns if one line is not enough.
std::vector<LegendEntry> lay_out_legend(const Panel& panel, double width) {
  constexpr double gap = 18;
  const auto most = static_cast<std::size_t>((width - swatch - 6) / (0.57 * font));
  std::vector<LegendEntry> entries;
  double x = 0;
  double widest = 0;
  for (const Curve& curve : panel.curves) {
    entries.push_back({x, 0, shorten(printable(curve.trajectory->signal.name), most)});
    const double needed = swatch + 6 + width_in_pixels(entries.back().text, font) + gap;
    widest = std::max(widest, needed);
    x += needed;
  }
  if (x - gap <= width) return entries;
  const auto columns = std::max<std::size_t>(1, static_cast<std::size_t>((width + gap) / widest));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].x = widest * static_cast<double>(i % columns);
    const std::size_t line = i / columns;
    entries[i].y = legend_line_height * static_cast<double>(line);
  }
  return entries;
}

// The axis title names a single curve, unless the name is too long.
bool needs_legend(const Panel& panel) {
  return panel.lanes || panel.curves.size() > 1 || columns_of(printable(panel.title())) > 28;
}

double height_of(const Panel& panel, const PlotOptions& options) {
  return panel.lanes ? lane_height * static_cast<double>(panel.curves.size()) : options.panel_height;
}

Layout lay_out(const Panels& all, const PlotOptions& options) {
  Layout layout;
  layout.width = options.width;
  double labels = 0;
  bool titles = false;
  for (const Panel& panel : all.panels) {
    PanelLayout p;
    p.panel = &panel;
    p.axis = panel.value_axis(static_cast<int>(height_of(panel, options) / 32));
    const std::string title = needs_legend(panel) ? (panel.unit.empty() ? "" : "[" + panel.unit + "]") : panel.title();
    p.title = shorten(printable(title), static_cast<std::size_t>(height_of(panel, options) / (0.6 * title_size)));
    for (const Axis::Tick& tick : p.axis.ticks) labels = std::max(labels, width_in_pixels(tick.label, font));
    titles = titles || !p.title.empty();
    layout.panels.push_back(std::move(p));
  }
  const double left = 14 + (titles ? 22 : 0) + labels + tick_length + 5;
  const double width = std::max(80.0, options.width - left - right_edge);
  double y = options.title.empty() ? 12 : 42;
  for (PanelLayout& p : layout.panels) {
    p.legend_top = y;
    if (needs_legend(*p.panel)) {
      p.legend = lay_out_legend(*p.panel, width);
      y += p.legend.back().y + legend_line_height;
    }
    y += p.axis.exponent != 0 && p.legend.empty() ? 14 : 7;
    p.box = {left, y, width, height_of(*p.panel, options)};
    y = p.box.bottom() + panel_gap;
  }
  layout.time = make_axis(all.start, all.end, static_cast<int>(width / 90));
  layout.height = y - panel_gap + 54 + (all.left_out > 0 ? 20 : 0);
  return layout;
}

// --- the text of the picture

class Writer {
 public:
  template <class... Args>
  void operator()(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// Rounds to half pixels, so that lines of one pixel are sharp.
double sharp(double v) { return std::floor(v) + 0.5; }

// `across`: title of the horizontal axis; empty: another panel shows it.
void draw_axes(Writer& w, const PanelLayout& p, const Axis& time, const std::string& across) {
  const Box& b = p.box;
  w("<g stroke=\"#e4e4e4\">");
  for (const Axis::Tick& tick : time.ticks) {
    const double x = sharp(b.left + b.width * time.fraction(tick.value));
    w("<path d=\"M{} {}V{}\"/>", x, b.top, b.bottom());
  }
  for (const Axis::Tick& tick : p.axis.ticks) {
    const double y = sharp(b.bottom() - b.height * p.axis.fraction(tick.value));
    w("<path d=\"M{} {}H{}\"/>", b.left, y, b.right());
  }
  w("</g>\n<g stroke=\"#333\" fill=\"none\">");
  w("<path d=\"M{0} {1}V{2}H{3}\"/>", sharp(b.left), b.top, sharp(b.bottom()), b.right());
  for (const Axis::Tick& tick : time.ticks) {
    w("<path d=\"M{} {}v{}\"/>", sharp(b.left + b.width * time.fraction(tick.value)), sharp(b.bottom()), tick_length);
  }
  for (const Axis::Tick& tick : p.axis.ticks) {
    w("<path d=\"M{} {}h-{}\"/>", sharp(b.left), sharp(b.bottom() - b.height * p.axis.fraction(tick.value)),
      tick_length);
  }
  w("</g>\n<g text-anchor=\"end\">");
  for (const Axis::Tick& tick : p.axis.ticks) {
    w("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", b.left - tick_length - 4,
      b.bottom() - b.height * p.axis.fraction(tick.value) + 4, tick.label);
  }
  if (p.axis.exponent != 0) {
    w("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\">{}</text>", b.left - 6, b.top - 8, p.axis.factor());
  }
  w("</g>\n");
  if (!p.title.empty()) {
    w("<text transform=\"translate(20 {:.1f}) rotate(-90)\" text-anchor=\"middle\" font-size=\"{}\">{}</text>\n",
      b.top + b.height / 2, title_size, escape_xml(p.title));
  }
  if (across.empty()) return;
  w("<g text-anchor=\"middle\">");
  for (const Axis::Tick& tick : time.ticks) {
    w("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", b.left + b.width * time.fraction(tick.value), b.bottom() + 19,
      tick.label);
  }
  w("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\">{}</text></g>\n", b.left + b.width / 2, b.bottom() + 40,
    title_size, escape_xml(across));
}

void draw_legend(Writer& w, const PanelLayout& p) {
  for (std::size_t i = 0; i < p.legend.size(); ++i) {
    const std::size_t colour = p.panel->curves[i].colour;
    const double x = p.box.left + p.legend[i].x;
    const double y = p.legend_top + p.legend[i].y + 12;
    w("<path d=\"M{0:.1f} {1:.1f}h{2}\" stroke=\"{3}\" stroke-width=\"2.2\" stroke-dasharray=\"{4}\"/>"
      "<text x=\"{5:.1f}\" y=\"{6:.1f}\">{7}</text>\n",
      x, y - 4, swatch, palette[colour_of(colour)], dash_of(colour), x + swatch + 6, y, escape_xml(p.legend[i].text));
  }
}

// --- curves

// Returns the path of the curve; stores unconnected points in `alone`.
std::string path_of(const std::vector<Point>& points, bool steps, const auto& place, std::vector<Dot>& alone) {
  std::string path;
  std::vector<Dot> line;
  for (std::size_t i = 0; i < points.size(); ++i) {
    line.push_back(place(points[i]));
    if (i + 1 < points.size() && !points[i + 1].starts) continue;
    if (line.size() == 1) {
      alone.push_back(line.front());
    } else if (steps) {
      append_steps(path, line);
    } else {
      append_line(path, straighten(line, 0.05));
    }
    line.clear();
  }
  return path;
}

void draw_curve(Writer& w, const PanelLayout& p, const Layout& layout, const record::Result& result,
                const Curve& curve) {
  const Axis& time = layout.time;
  const Box& b = p.box;
  const auto place = [&](const Point& point) {
    return Dot{b.left + b.width * time.fraction(point.t),
               b.bottom() - b.height * p.axis.fraction(curve.scale * point.y + curve.offset)};
  };
  const auto points = points_of(result, curve, static_cast<std::size_t>(layout.width));
  std::vector<Dot> alone;
  const bool steps = curve.trajectory->signal.discrete || p.panel->lanes;
  const std::string path = path_of(points, steps, place, alone);
  w("<g stroke=\"{}\" stroke-linejoin=\"round\" stroke-linecap=\"{}\"><title>{}</title>",
    palette[colour_of(curve.colour)], dash_of(curve.colour).empty() ? "round" : "butt",
    escape_xml(curve.trajectory->signal.name));
  if (!path.empty()) {
    w("<path stroke-width=\"1.7\" fill=\"none\" stroke-dasharray=\"{}\" d=\"{}\"/>", dash_of(curve.colour), path);
  }
  if (!alone.empty()) {
    w("<path stroke-width=\"5\" stroke-linecap=\"round\" d=\"");
    for (const Dot& dot : alone) w("M{:.2f} {:.2f}h0", dot.x, dot.y);
    w("\"/>");
  }
  w("</g>\n");
}

std::string picture(const record::Result& result, const Panels& all, const PlotOptions& options) {
  const Layout layout = lay_out(all, options);
  Writer w;
  w("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
    "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"{2}\" fill=\"#222\">\n",
    layout.width, std::ceil(layout.height), font);
  w("<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
    escape_xml(options.title.empty() ? "Trajectories over time" : options.title));
  if (const auto note = thinning_note(result, options); !note.empty()) w("<desc>{}</desc>\n", note);
  if (!options.title.empty()) {
    const auto most = static_cast<std::size_t>((options.width - 40) / (0.57 * title_font));
    w("<text x=\"{:.1f}\" y=\"28\" font-size=\"{}\" font-weight=\"bold\">{}</text>\n", layout.panels.front().box.left,
      title_font, escape_xml(shorten(printable(options.title), most)));
  }
  const std::string across = options.across.empty() ? time_title(layout.time) : options.across;
  for (const PanelLayout& p : layout.panels) {
    draw_legend(w, p);
    draw_axes(w, p, layout.time, &p == &layout.panels.back() ? across : std::string());
    for (const Curve& curve : p.panel->curves) draw_curve(w, p, layout, result, curve);
  }
  if (all.left_out > 0) {
    w("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" fill=\"#666\">{} further signals are not shown; choose signals "
      "by "
      "name to see them.</text>\n",
      layout.panels.front().box.left, layout.height - 8, all.left_out);
  }
  w("</svg>\n");
  return w.take();
}

void check(const PlotOptions& options) {
  require(options.width >= 320 && options.panel_height >= 80,
          "a plot needs a width of at least 320 and panels of at least 80 pixels, got {} and {}", options.width,
          options.panel_height);
}

}  // namespace

std::string thinning_note(const record::Result& result, const PlotOptions& options) {
  if (result.rows() <= 4 * static_cast<std::size_t>(options.width)) return {};
  return fmt::format(
      "{} rows are drawn as the first, lowest, highest and last value of each pixel column; no extreme is "
      "left out",
      result.rows());
}

std::string plot_svg(const record::Result& result, std::span<const std::string> names, const PlotOptions& options) {
  check(options);
  return picture(result, choose(result, names), options);
}

std::string plot_trust_svg(const record::Result& result, const PlotOptions& options) {
  check(options);
  const TrustPlot plot = make_trust_plot(result);
  return picture(plot.result, plot.panels, options);
}

}  // namespace consort::draw
