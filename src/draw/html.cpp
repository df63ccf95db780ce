#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "draw/palette.hpp"
#include "draw/panels.hpp"
#include "draw/plot.hpp"
#include "draw/text.hpp"
#include "draw/trust.hpp"
#include "draw/viewer.hpp"

namespace consort::draw {

namespace {

constexpr std::size_t most_numbers = std::size_t{2} << 20;  // in a page: 16 MiB, 22 MiB in its text

// The number of intervals of time that keep at most four points each; all points are kept if there are fewer.
std::size_t columns_for(const record::Result& result, const Panels& all) {
  std::size_t curves = 0;
  for (const Panel& panel : all.panels) curves += panel.curves.size();
  const std::size_t rows = result.rows();
  if (rows * (curves + 1) <= most_numbers) return rows;
  return std::max<std::size_t>(1000, most_numbers / (8 * std::max<std::size_t>(1, curves)));  // times and values
}

void append_list(std::string& to, const auto& items, const auto& append) {
  to += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) to += ',';
    first = false;
    append(item);
  }
  to += ']';
}

// The bytes of doubles, little-endian, in base64.
std::string encoded(const std::vector<double>& numbers) {
  static_assert(std::endian::native == std::endian::little);
  return base64({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
}

// Times are relative to the start, so that the page computes with small numbers.
std::vector<double> relative(std::span<const Time> time) {
  std::vector<double> numbers;
  numbers.reserve(time.size());
  for (const Time t : time) numbers.push_back(t - time.front());
  return numbers;
}

// Curves with a point in every row share the times of the page.
void append_points(std::string& to, const std::vector<Point>& points, const record::Result& result) {
  std::vector<double> t, y;
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < points.size(); ++i) {
    t.push_back(points[i].t - result.time.front());
    y.push_back(points[i].y);
    if (points[i].starts) starts.push_back(i);
  }
  if (points.size() != result.rows()) to += fmt::format(R"("t":"{}",)", encoded(t));
  to += fmt::format(R"("y":"{}","starts":)", encoded(y));
  append_list(to, starts, [&](std::size_t i) { fmt::format_to(std::back_inserter(to), "{}", i); });
}

void append_curve(std::string& to, const Panel& panel, const Curve& curve, const record::Result& result,
                  std::size_t columns) {
  const record::Signal& signal = curve.trajectory->signal;
  const std::string_view dash = dash_of(curve.colour);
  to += fmt::format(
      R"({{"name":{},"about":{},"unit":{},"colours":["{}","{}"],"dash":"{}","steps":{},"scale":{},"offset":{},"log":{},)",
      json_string(signal.name), json_string(signal.description), json_string(signal.unit),
      palette[colour_of(curve.colour)], dark_palette[colour_of(curve.colour)], dash, signal.discrete || panel.lanes,
      curve.scale, curve.offset, panel.logarithmic);
  append_points(to, points_of(result, curve, columns), result);
  to += '}';
}

std::string data(const record::Result& result, const Panels& all, int panel_height, std::size_t columns) {
  const bool shared = result.rows() <= 4 * columns;
  std::string out = fmt::format(R"({{"start":{},"end":{},"height":{},"t":"{}","panels":)", all.start, all.end,
                                panel_height, shared ? encoded(relative(result.time)) : std::string());
  append_list(out, all.panels, [&](const Panel& panel) {
    out += fmt::format(R"({{"unit":{},"lanes":{},"log":{},"curves":)", json_string(panel.unit), panel.lanes,
                       panel.logarithmic);
    append_list(out, panel.curves, [&](const Curve& curve) { append_curve(out, panel, curve, result, columns); });
    out += '}';
  });
  out += '}';
  return out;
}

std::string page_of(const record::Result& result, const Panels& all, const PlotOptions& options) {
  const std::string title = escape_xml(options.title.empty() ? "Trajectories over time" : options.title);
  std::string page;
  page += "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  // Prevents the page from loading or sending data, whatever the names contain.
  page +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n";
  page += fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n", title, viewer_style);
  page += fmt::format(
      "<header><h1>{}</h1><p id=\"hint\">wheel or drag: zoom in time · shift + wheel, or on the value axis: zoom in "
      "values · shift + drag: move · double click: all · click on a name: hide or show</p></header>\n",
      title);
  page +=
      "<main id=\"panels\"></main>\n<noscript><p>This page draws its curves with JavaScript; switch it on to see "
      "them.</p></noscript>\n";
  if (all.left_out > 0) {
    page += fmt::format("<p class=\"note\">{} further signals are not shown; choose signals by name to see them.</p>\n",
                        all.left_out);
  }
  const std::size_t columns = columns_for(result, all);
  if (result.rows() > 4 * columns) {
    page += fmt::format(
        "<p class=\"note\">The {} rows are more than a page holds ({} MiB): each of {} equal intervals of time shows "
        "its "
        "first, lowest, highest and last value. Choose fewer signals by name to see all rows.</p>\n",
        result.rows(), most_numbers * sizeof(double) >> 20U, columns);
  }
  page += "<script type=\"application/json\" id=\"data\">" + data(result, all, options.panel_height, columns) +
          "</script>\n";
  page += fmt::format("<script>\n{}</script>\n</body>\n</html>\n", viewer_script);
  return page;
}

}  // namespace

std::string plot_html(const record::Result& result, std::span<const std::string> names, const PlotOptions& options) {
  return page_of(result, choose(result, names), options);
}

std::string plot_trust_html(const record::Result& result, const PlotOptions& options) {
  const TrustPlot plot = make_trust_plot(result);
  return page_of(plot.result, plot.panels, options);
}

}  // namespace consort::draw
