// The two output forms of a comparison.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "record/compare.hpp"

namespace consort::record {

namespace {

std::string percent(double relative) {
  if (std::isinf(relative)) return "no match";
  return fmt::format("{:.3g} %", 100 * relative);
}

// Aligns columns with `right` to the right and the others to the left.
std::string table(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right) {
  std::vector<std::size_t> widths(right.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], character_count(row[c]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - character_count(row[c]), ' ');
      line += (c == 0 ? "" : "  ") + (right[c] ? pad + row[c] : row[c] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::string Comparison::text() const {
  std::vector<std::vector<std::string>> rows{{"signal", "verdict", "deviation", "at", "outside", "why"}};
  std::size_t good = 0;
  for (const SignalVerdict& s : signals) {
    if (s.verdict == Verdict::inside) ++good;
    const bool judged = s.points > 0;
    rows.push_back({s.name, std::string(name_of(s.verdict)), judged ? percent(s.deviation) : "–",
                    judged ? fmt::format("{:.6g} s", s.at) : "–",
                    judged ? fmt::format("{} of {}", s.outside, s.points) : "–", s.reason});
  }
  return table(rows, {false, false, true, true, true, false}) +
         fmt::format("{} of {} signals inside the band (±{:.3g} % of the range, ±{:.3g} % of the time)\n", good,
                     signals.size(), 100 * band.value, 100 * band.time);
}

std::string Comparison::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SignalVerdict& s : signals) {
    nlohmann::ordered_json entry{{"name", s.name}, {"verdict", name_of(s.verdict)}};
    entry["deviation"] = s.points > 0 ? nlohmann::ordered_json(s.deviation) : nullptr;  // infinity becomes null
    entry["at"] = s.points > 0 ? nlohmann::ordered_json(s.at) : nullptr;
    entry["points"] = s.points;
    entry["outside"] = s.outside;
    entry["fractionOutside"] = s.fraction_outside();
    if (!s.reason.empty()) entry["reason"] = s.reason;
    list.push_back(std::move(entry));
  }
  const nlohmann::ordered_json report{
      {"inside", inside()},
      {"band", {{"value", band.value}, {"time", band.time}, {"outliers", band.outliers}}},
      {"signals", std::move(list)}};
  // Names come from files: replace invalid UTF-8 instead of throwing.
  return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace consort::record
