#include "cli/result_info.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "engine/origin.hpp"

namespace consort::cli {

namespace {

using Json = nlohmann::ordered_json;
using Trajectory = record::Result::Trajectory;

// The finite values of a signal.
struct Range {
  std::size_t finite = 0;
  double low = 0, high = 0;
};
Range range_of(const Trajectory& t) {
  Range range;
  for (const double value : t.numbers) {
    if (!std::isfinite(value)) continue;
    range.low = range.finite == 0 ? value : std::min(range.low, value);
    range.high = range.finite == 0 ? value : std::max(range.high, value);
    ++range.finite;
  }
  return range;
}

struct Line {
  std::string kind, text;
};
// Rows of the table `run`, which results of systems have.
std::vector<Line> report_of(const record::Result& result) {
  std::vector<Line> lines;
  for (const auto& table : result.tables)
    if (table.name == "run" && table.columns.size() == 2 && table.columns[0].is_text && table.columns[1].is_text)
      for (std::size_t i = 0; i < table.rows(); ++i)
        lines.push_back({table.columns[0].texts[i], table.columns[1].texts[i]});
  return lines;
}

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string facts_text(const record::Result& result) {
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    fmt::format_to(std::back_inserter(out), "{:<18} {}\n", name, value);
  };
  const std::string_view digest = engine::digest_fact;
  for (const auto& f : result.facts) {
    if (f.name == engine::description_fact) {
      line(f.name, fmt::format("{} lines ('consort convert' writes them to a .yaml file)", line_count(f.value)));
    } else if (f.name.starts_with(digest)) {
      line("read", fmt::format("{} (SHA-256 {})", f.name.substr(digest.size()), f.value));
    } else {
      std::string value = f.value;
      for (auto at = value.find('\n'); at != std::string::npos; at = value.find('\n', at)) value.replace(at, 1, ", ");
      line(f.name, value);
    }
  }
  for (const auto& l : report_of(result)) line(l.kind == "headline" ? "report" : l.kind, l.text);
  return out;
}

std::string table_text(const record::Result& result) {
  struct Row {
    std::string name, type, unit, range, description;
  };
  std::vector<Row> rows{{"name", "type", "unit", "range of values", "description"}};
  for (const auto& t : result.trajectories) {
    const auto& s = t.signal;
    const auto range = range_of(t);
    std::string values = range.finite == 0 ? "" : fmt::format("{:.6g} … {:.6g}", range.low, range.high);
    if (const auto others = t.numbers.size() - range.finite; others > 0)
      values += fmt::format("{}{} not finite", values.empty() ? "" : ", ", others);
    rows.push_back({s.name, std::string(name_of(s.type)), s.unit, values, s.description});
  }
  const auto width = [&](std::string Row::*member) {
    std::size_t most = 0;
    for (const auto& row : rows) most = std::max(most, character_count(row.*member));
    return most;
  };
  const std::string Row::*members[] = {&Row::name, &Row::type, &Row::unit, &Row::range};
  std::size_t widths[4] = {width(&Row::name), width(&Row::type), width(&Row::unit), width(&Row::range)};
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < 4; ++i)
      line += row.*members[i] + std::string(widths[i] - character_count(row.*members[i]) + 2, ' ');
    line += row.description;
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace

std::string result_text(const record::Result& result, std::string_view format) {
  std::string rows = fmt::format("{}", result.rows());
  if (result.rows() > 0) rows += fmt::format(", from {} s to {} s", result.time.front(), result.time.back());
  return fmt::format("{:<18} result, {}\n{}{:<18} {}\n{:<18} {}\n\n{}", "kind", format, facts_text(result), "rows",
                     rows, "variables", result.trajectories.size(), table_text(result));
}

std::string result_json(const record::Result& result, std::string_view format) {
  Json j{{"kind", "result"}, {"format", format}, {"facts", Json::object()}, {"report", Json::array()}};
  for (const auto& f : result.facts) j["facts"][f.name] = f.value;
  for (const auto& l : report_of(result)) j["report"].push_back({{"kind", l.kind}, {"text", l.text}});
  j["rows"] = result.rows();
  if (result.rows() > 0) j["time"] = {result.time.front(), result.time.back()};
  j["variables"] = Json::array();
  for (const auto& t : result.trajectories) {
    const auto& s = t.signal;
    Json variable{{"name", s.name}, {"type", name_of(s.type)}};
    if (!s.unit.empty()) variable["unit"] = s.unit;
    if (!s.description.empty()) variable["description"] = s.description;
    if (!s.group.empty()) variable["group"] = s.group;
    variable["discrete"] = s.discrete;
    const auto range = range_of(t);
    if (range.finite > 0) variable["range"] = {range.low, range.high};
    if (!t.is_text()) variable["not finite"] = t.numbers.size() - range.finite;
    j["variables"].push_back(std::move(variable));
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace consort::cli
