#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "draw/palette.hpp"
#include "draw/panels.hpp"
#include "draw/plot.hpp"
#include "draw/text.hpp"
#include "draw/trust.hpp"
#include "draw/viewer.hpp"

namespace consort::draw {

namespace {

constexpr std::size_t columns = 5000;  // at most four points per column

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

// Twelve digits are enough to zoom into a small change of a large value.
void append_number(std::string& to, double value) { fmt::format_to(std::back_inserter(to), "{:.12g}", value); }

// Times are relative to the start, so that runs that start late lose no digits.
void append_points(std::string& to, const std::vector<Point>& points, double start) {
  to += "\"t\":";
  append_list(to, points, [&](const Point& p) { append_number(to, p.t - start); });
  to += ",\"y\":";
  append_list(to, points, [&](const Point& p) { append_number(to, p.y); });
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].starts) starts.push_back(i);
  }
  to += ",\"starts\":";
  append_list(to, starts, [&](std::size_t i) { fmt::format_to(std::back_inserter(to), "{}", i); });
}

void append_curve(std::string& to, const Panel& panel, const Curve& curve, const record::Result& result) {
  const record::Signal& signal = curve.trajectory->signal;
  const std::string_view dash = dash_of(curve.colour);
  to += fmt::format(
      R"({{"name":{},"about":{},"unit":{},"colours":["{}","{}"],"dash":"{}","steps":{},"scale":{},"offset":{},"log":{},)",
      json_string(signal.name), json_string(signal.description), json_string(signal.unit),
      palette[colour_of(curve.colour)], dark_palette[colour_of(curve.colour)], dash, signal.discrete || panel.lanes,
      curve.scale, curve.offset, panel.logarithmic);
  append_points(to, points_of(result, curve, columns), result.time.front());
  to += '}';
}

std::string data(const record::Result& result, const Panels& all, int panel_height) {
  std::string out = fmt::format(R"({{"start":{},"end":{},"height":{},"panels":)", all.start, all.end, panel_height);
  append_list(out, all.panels, [&](const Panel& panel) {
    out += fmt::format(R"({{"unit":{},"lanes":{},"log":{},"curves":)", json_string(panel.unit), panel.lanes,
                       panel.logarithmic);
    append_list(out, panel.curves, [&](const Curve& curve) { append_curve(out, panel, curve, result); });
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
      "<header><h1>{}</h1><p id=\"hint\">drag: zoom · shift + drag: move · double click: all · click on a "
      "name: hide or show</p></header>\n",
      title);
  page +=
      "<main id=\"panels\"></main>\n<noscript><p>This page draws its curves with JavaScript; switch it on to see "
      "them.</p></noscript>\n";
  if (all.left_out > 0) {
    page += fmt::format("<p class=\"note\">{} further signals are not shown; choose signals by name to see them.</p>\n",
                        all.left_out);
  }
  page += "<script type=\"application/json\" id=\"data\">" + data(result, all, options.panel_height) + "</script>\n";
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
