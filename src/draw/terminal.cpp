#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "draw/axis.hpp"
#include "draw/braille.hpp"
#include "draw/panels.hpp"
#include "draw/plot.hpp"
#include "draw/text.hpp"
#include "draw/trust.hpp"

namespace consort::draw {

namespace {

constexpr std::size_t least_rows = 4;  // of a panel, without its legend

std::string blanks(std::size_t n) { return std::string(n, ' '); }
std::string pad_left(const std::string& text, std::size_t columns) {
  return blanks(columns - std::min(columns, columns_of(text))) + text;
}

// --- layout

struct PanelRows {
  const Panel* panel = nullptr;
  std::vector<std::string> legend;
  std::size_t rows = least_rows;
  Axis axis;
};

// Places as many entries as possible in each line: "━ p [×10³ Pa]".
std::vector<std::string> legend_of(const Panel& panel, std::size_t width, bool colour) {
  std::string unit = panel.lanes ? "" : panel.value_axis(1).factor();  // the factor is the same for any number of ticks
  unit += (unit.empty() || panel.unit.empty() ? "" : " ") + printable(panel.unit);
  std::vector<std::string> lines(1);
  std::size_t used = 0;
  for (const Curve& curve : panel.curves) {
    std::string name = shorten(printable(curve.trajectory->signal.name), width - 2);
    if (!unit.empty()) name = shorten(name + " [" + unit + "]", width - 2);
    const std::size_t needed = columns_of(name) + 2;
    if (used > 0 && used + 3 + needed > width) {
      lines.emplace_back();
      used = 0;
    }
    if (used > 0) lines.back() += "   ";
    used += (used > 0 ? 3 : 0) + needed;
    lines.back() += (colour ? ansi_colour(curve.colour) : "") + "━ " + (colour ? ansi_reset : "") + name;
  }
  return lines;
}

std::vector<PanelRows> lay_out(const Panels& all, const TerminalOptions& options) {
  std::vector<PanelRows> panels;
  std::size_t overhead = 3 + (options.title.empty() ? 0 : 1);  // the time axis and the title
  for (const Panel& panel : all.panels) {
    panels.push_back(
        {&panel, legend_of(panel, static_cast<std::size_t>(options.width) - 2, options.colour), least_rows, {}});
    overhead += panels.back().legend.size();
  }
  // Distribute the remaining rows; each lane gets exactly one row.
  const auto height = static_cast<std::size_t>(options.height);
  std::size_t left = height > overhead ? height - overhead : 0;
  std::size_t shares = 0;
  for (PanelRows& p : panels) {
    if (p.panel->lanes) {
      p.rows = p.panel->curves.size();
      left -= std::min(left, p.rows);
    } else {
      ++shares;
    }
  }
  for (PanelRows& p : panels) {
    if (!p.panel->lanes) p.rows = std::max(least_rows, left / shares);
    p.axis = p.panel->value_axis(static_cast<int>((p.rows + 1) / 2));
  }
  return panels;
}

// --- drawing

// Returns the row of characters of a value, counted from the top.
std::size_t row_of(const Axis& axis, double value, std::size_t rows) {
  const double place = (1 - axis.fraction(value)) * static_cast<double>(4 * rows - 1);
  return static_cast<std::size_t>(std::clamp(std::round(place), 0.0, static_cast<double>(4 * rows - 1))) / 4;
}

void draw_curve(Braille& dots, const PanelRows& p, const Curve& curve, const record::Result& result, const Axis& time) {
  const bool steps = curve.trajectory->signal.discrete || p.panel->lanes;
  std::ptrdiff_t x_before = 0;
  std::ptrdiff_t y_before = 0;
  for (const Point& point : points_of(result, curve, dots.width())) {
    const auto x = std::lround(time.fraction(point.t) * static_cast<double>(dots.width() - 1));
    const double value = curve.scale * point.y + curve.offset;
    const auto y = std::lround((1 - p.axis.fraction(value)) * static_cast<double>(dots.height() - 1));
    if (point.starts) {
      dots.dot(x, y, curve.colour);
    } else if (steps) {
      dots.line(x_before, y_before, x, y_before, curve.colour);
      dots.line(x, y_before, x, y, curve.colour);
    } else {
      dots.line(x_before, y_before, x, y, curve.colour);
    }
    x_before = x;
    y_before = y;
  }
}

std::vector<std::string> row_labels(const PanelRows& p) {
  std::vector<std::string> labels(p.rows);
  if (p.panel->lanes) return labels;
  for (const Axis::Tick& tick : p.axis.ticks) labels[row_of(p.axis, tick.value, p.rows)] = tick.label;
  return labels;
}

std::string panel_text(const PanelRows& p, const record::Result& result, const Axis& time, std::size_t margin,
                       const TerminalOptions& options) {
  Braille dots(static_cast<std::size_t>(options.width) - margin - 1, p.rows);
  for (const Curve& curve : p.panel->curves) draw_curve(dots, p, curve, result, time);
  std::string out;
  for (const std::string& line : p.legend) out += "  " + line + "\n";
  const std::vector<std::string> labels = row_labels(p);
  for (std::size_t row = 0; row < p.rows; ++row) {
    const bool tick = !labels[row].empty();
    out += pad_left(labels[row], margin - 1) + (tick ? " ┤" : " │") + dots.text(row, options.colour) + "\n";
  }
  return out;
}

std::string time_axis_text(const Axis& time, std::size_t margin, std::size_t width) {
  const std::size_t columns = width - margin - 1;
  std::vector<bool> marks(columns, false);
  std::string labels = blanks(width);
  std::size_t free_from = 0;
  for (const Axis::Tick& tick : time.ticks) {
    const auto at = static_cast<std::size_t>(std::lround(time.fraction(tick.value) * static_cast<double>(columns - 1)));
    marks[at] = true;
    std::string label = tick.label;
    if (label.starts_with("−")) label.replace(0, std::string("−").size(), "-");  // one byte per column below
    const std::size_t centre = margin + 1 + at;
    const std::size_t first =
        std::min(centre - std::min(centre, label.size() / 2), width - std::min(width, label.size()));
    if (first < free_from || first + label.size() > width) continue;
    labels.replace(first, label.size(), label);
    free_from = first + label.size() + 2;
  }
  std::string out = blanks(margin) + "└";
  for (const bool mark : marks) out += mark ? "┬" : "─";
  labels.erase(labels.find_last_not_of(' ') + 1);
  const std::string title = time_title(time);
  return out + "\n" + labels + "\n" + blanks(margin + 1 + (columns - std::min(columns, columns_of(title))) / 2) +
         title + "\n";
}

std::string text_of(const record::Result& result, const Panels& all, const TerminalOptions& options) {
  const std::vector<PanelRows> panels = lay_out(all, options);
  std::size_t margin = 3;
  for (const PanelRows& p : panels) {
    for (const std::string& label : row_labels(p)) margin = std::max(margin, columns_of(label) + 1);
  }
  const auto width = static_cast<std::size_t>(options.width);
  margin = std::min(margin, width - 20);
  const Axis time = make_axis(all.start, all.end, static_cast<int>((width - margin) / 12));

  std::string out;
  if (!options.title.empty()) {
    const std::string title = shorten(printable(options.title), width - 2);
    out += "  " + (options.colour ? "\x1b[1m" + title + ansi_reset : title) + "\n";
  }
  for (const PanelRows& p : panels) out += panel_text(p, result, time, margin, options);
  out += time_axis_text(time, margin, width);
  if (all.left_out > 0) {
    out += fmt::format("  {} further signals are not shown; choose signals by name to see them.\n", all.left_out);
  }
  return out;
}

void check(const TerminalOptions& options) {
  require(options.width >= 30 && options.width <= 10'000 && options.height >= 0 && options.height <= 10'000,
          "a plot in a terminal needs between 30 and 10000 columns and at most 10000 lines, got {} and {}",
          options.width, options.height);
}

}  // namespace

std::string plot_terminal(const record::Result& result, std::span<const std::string> names,
                          const TerminalOptions& options) {
  check(options);
  return text_of(result, choose(result, names), options);
}

std::string plot_trust_terminal(const record::Result& result, const TerminalOptions& options) {
  check(options);
  const TrustPlot plot = make_trust_plot(result);
  return text_of(plot.result, plot.panels, options);
}

}  // namespace consort::draw
