#include "report/connection_trust.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace consort::report {

using couple::EstimatedOutput;
using couple::SignalTrust;

namespace {

std::string path_of(const graph::PlannedUnit& unit, describe::VariableId id, std::uint64_t element) {
  const auto& d = *unit.description;
  return unit.path_of(unit.starts.element_name(d, d[id], element));
}

// "a.y", "a.y[2]", or "a.y[2] … a.y[4]" for a part of an array.
std::string slice_name(const graph::PlannedUnit& unit, const describe::SignalSet& set, std::uint32_t index,
                       std::uint32_t first, std::uint32_t count) {
  const auto id = set.choice()[index];
  if (set.place(index).count == count) return unit.path_of((*unit.description)[id].name);
  if (count == 1) return path_of(unit, id, first);
  return path_of(unit, id, first) + " … " + path_of(unit, id, first + count - 1);
}

bool goes_on(const graph::ConnectionInfo& a, const graph::ConnectionInfo& b) {
  return a.from == b.from && a.output == b.output && a.to == b.to && a.input == b.input && a.factor == b.factor &&
         a.output_first + a.count == b.output_first && a.input_first + a.count == b.input_first;
}

// Connections between units; consecutive elements are merged.
std::vector<graph::ConnectionInfo> side_by_side(const graph::Plan& plan) {
  std::vector<graph::ConnectionInfo> all;
  for (const auto& c : plan.connections)
    if (c.from != graph::no_unit) all.push_back(c);
  const auto key = [](const graph::ConnectionInfo& c) {
    return std::tuple(c.from, c.output, c.to, c.input, c.output_first);
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<graph::ConnectionInfo> merged;
  for (const auto& c : all) {
    if (!merged.empty() && goes_on(merged.back(), c)) {
      merged.back().count += c.count;
    } else {
      merged.push_back(c);
    }
  }
  return merged;
}

std::string unit_of_measure(const graph::PlannedUnit& unit, describe::VariableId id) {
  return std::string(unit.description->unit_name((*unit.description)[id]));
}

class Rows {
 public:
  Rows(const graph::Plan& plan, std::span<const EstimatedOutput> estimated, const couple::ControlState& control)
      : plan_(plan),
        estimated_(estimated.first(std::min(estimated.size(), control.signals.size()))),
        control_(control),
        is_shown_(estimated_.size(), false) {}

  void add(const graph::ConnectionInfo& c) {
    const auto& to = plan_.units[c.to];
    const auto target = slice_name(to, to.inputs, c.input, c.input_first, c.count);
    const auto measure = unit_of_measure(to, to.inputs.choice()[c.input]);
    const auto key = std::tuple(c.from, c.output, c.output_first, c.count, c.factor, measure);
    if (const auto known = row_by_source_.find(key); known != row_by_source_.end()) {
      rows_[known->second].targets.push_back(target);
      return;
    }
    const auto& from = plan_.units[c.from];
    const auto first = from.first_output[float64] + from.outputs.place(c.output).first + c.output_first;
    const auto at =
        std::lower_bound(estimated_.begin(), estimated_.end(), first,
                         [](const EstimatedOutput& o, std::uint32_t element) { return o.element < element; });
    if (at == estimated_.end() || at->element != first || from.outputs.place(c.output).type != Type::Float64) return;
    row_by_source_.emplace(key, rows_.size());
    auto& row = rows_.emplace_back(figures(static_cast<std::size_t>(at - estimated_.begin()), c.count, c.factor));
    row.source = slice_name(from, from.outputs, c.output, c.output_first, c.count);
    row.targets.push_back(target);
    row.unit = !measure.empty() || c.factor != 1 ? measure : unit_of_measure(from, from.outputs.choice()[c.output]);
  }
  // Outputs of units that drive no other unit, one row each.
  void add_ends() {
    std::vector<bool> drives(plan_.units.size(), false);
    for (std::size_t i = 0; i < estimated_.size(); ++i)
      if (is_shown_[i]) drives[estimated_[i].unit] = true;
    for (std::size_t i = 0; i < estimated_.size(); ++i) {
      if (drives[estimated_[i].unit]) continue;
      const auto& o = estimated_[i];
      auto& row = rows_.emplace_back(figures(i, 1, 1));
      row.source = o.name;
      row.element.clear();
      row.unit = unit_of_measure(plan_.units[o.unit], o.variable);
    }
  }
  [[nodiscard]] std::vector<TrustReport> take() { return std::move(rows_); }

 private:
  // For an array: the values of the element with the largest accumulated error relative to its range.
  [[nodiscard]] TrustReport figures(std::size_t first, std::size_t count, double factor) {
    factor = std::abs(factor);
    TrustReport worst;
    std::uint64_t limited = 0;
    for (std::size_t i = first; i < first + count && i < estimated_.size(); ++i) {
      is_shown_[i] = true;
      const SignalTrust& s = control_.signals[i];
      limited += s.limited;
      TrustReport row;
      row.local = factor * s.largest;
      row.rms = factor * std::sqrt(s.squares / static_cast<double>(std::max<std::uint64_t>(control_.accepted, 1)));
      row.accumulated = factor * s.accumulated;
      row.range = factor * std::max(0.0, s.high - s.low);
      if (count > 1) row.element = estimated_[i].name;
      const bool larger =
          row.relative() != worst.relative() ? row.relative() > worst.relative() : row.accumulated > worst.accumulated;
      if (i == first || larger) worst = std::move(row);
    }
    worst.elements = count;
    worst.limited = limited;
    return worst;
  }

  const graph::Plan& plan_;
  std::span<const EstimatedOutput> estimated_;
  const couple::ControlState& control_;
  std::vector<bool> is_shown_;  // by estimated output
  std::map<std::tuple<graph::UnitId, std::uint32_t, std::uint32_t, std::uint32_t, double, std::string>, std::size_t>
      row_by_source_;
  std::vector<TrustReport> rows_;
};

}  // namespace

std::vector<TrustReport> connection_trust(const graph::Plan& plan, std::span<const EstimatedOutput> estimated,
                                          const couple::ControlState& control) {
  Rows rows(plan, estimated, control);
  for (const auto& c : side_by_side(plan)) rows.add(c);
  rows.add_ends();
  return rows.take();
}

}  // namespace consort::report
