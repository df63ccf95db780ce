#include "draw/trust.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::draw {

namespace {

using Trajectory = record::Result::Trajectory;

constexpr std::size_t most_units = 8;
constexpr double gap = std::numeric_limits<double>::quiet_NaN();

Trajectory trajectory(std::string name, std::string unit, std::string description, Type type = Type::Float64) {
  Trajectory t;
  t.signal.name = std::move(name);
  t.signal.type = type;
  t.signal.unit = std::move(unit);
  t.signal.description = std::move(description);
  t.signal.discrete = true;
  return t;
}

// A row contains the data of the step that ends there, but a step curve holds its value until the next row. Therefore
// each row gets the value of the next one.
std::vector<double> of_next_row(const std::vector<double>& values) {
  std::vector<double> shifted(values.size(), gap);
  std::copy(values.begin() + 1, values.end(), shifted.begin());
  if (shifted.size() > 1) shifted.back() = shifted[shifted.size() - 2];
  return shifted;
}

Trajectory step_sizes(const record::Result& result) {
  auto t = trajectory("step size", "s", "communication step");
  t.numbers = of_next_row(result["trust.step"].numbers);
  for (double& x : t.numbers) x = x > 0 ? std::log10(x) : gap;
  return t;
}

// Marks are placed below the smallest step, where they cover no curve.
Trajectory rejections(const record::Result& result, const Trajectory& steps) {
  auto t = trajectory("rejected", "", "at least one step from here was rejected before one was accepted");
  const auto& so_far = result["trust.rejected"].numbers;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double x : steps.numbers) {
    if (std::isnan(x)) continue;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  const double level = low - std::max(0.05, 0.12 * (high - low));
  t.numbers.assign(so_far.size(), gap);
  for (std::size_t i = 0; i + 1 < so_far.size(); ++i)
    if (so_far[i + 1] > so_far[i]) t.numbers[i] = level;
  return t;
}

Trajectory errors(const record::Result& result) {
  auto t = trajectory("error", "", "estimated coupling error of a step, relative to the tolerance");
  t.numbers = of_next_row(result["trust.error"].numbers);
  return t;
}

// A linear axis would hide small errors if some are far above the tolerance.
bool wants_logarithms(const Trajectory& errors) {
  constexpr double far = 10;
  return std::any_of(errors.numbers.begin(), errors.numbers.end(), [](double x) { return x > far; });
}

void take_logarithms(Trajectory& errors) {
  constexpr double least = 1e-4;
  for (double& x : errors.numbers) x = std::isnan(x) ? gap : std::log10(std::max(x, least));
}

std::string name_of_unit(const record::Result& result, double number) {
  const auto facts = std::find_if(result.facts.begin(), result.facts.end(),
                                  [](const record::Fact& fact) { return fact.name == "units"; });
  if (facts != result.facts.end()) {
    const auto names = split(facts->value, '\n');
    if (number >= 1 && number <= static_cast<double>(names.size()))
      return std::string(names[static_cast<std::size_t>(number) - 1]);
  }
  return fmt::format("unit {}", number);
}

// Makes one Boolean signal per unit, most frequent limits first; rare units share the last signal.
std::vector<Trajectory> limits(const record::Result& result) {
  const auto* const recorded = result.find("trust.limits");
  if (recorded == nullptr || recorded->is_text()) return {};
  const auto units = of_next_row(recorded->numbers);
  std::map<double, std::size_t> counts;
  std::size_t others = 0;  // steps that were not limited by an error
  for (std::size_t i = 1; i < recorded->numbers.size(); ++i) {
    if (recorded->numbers[i] >= 1) ++counts[recorded->numbers[i]];
    if (recorded->numbers[i] == 0) ++others;
  }
  std::vector<std::pair<double, std::size_t>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<Trajectory> lanes;
  std::map<double, std::size_t> lane_of;
  const bool all = order.size() <= most_units;
  for (std::size_t i = 0; i < order.size() && (all || i + 1 < most_units); ++i) {
    lane_of[order[i].first] = lanes.size();
    lanes.push_back(trajectory(name_of_unit(result, order[i].first) + " limits the step", "",
                               "an output of this unit has the largest error relative to its tolerance",
                               Type::Boolean));
  }
  const std::size_t rare = lanes.size();
  if (!all) {
    lanes.push_back(trajectory(fmt::format("one of {} others limits it", order.size() - lanes.size()), "",
                               "units that limit the step less often", Type::Boolean));
  }
  if (others > 0) {
    lane_of[0] = lanes.size();
    lanes.push_back(trajectory("no error limits it", "",
                               "the step was cut short to end on an output point or an event, or is as long as allowed",
                               Type::Boolean));
  }
  for (auto& lane : lanes) lane.numbers.assign(units.size(), 0);
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i] == 0 && others > 0) lanes.back().numbers[i] = 1;
    if (!(units[i] >= 1)) continue;
    const auto found = lane_of.find(units[i]);
    lanes[found == lane_of.end() ? rare : found->second].numbers[i] = 1;
  }
  return lanes;
}

}  // namespace

TrustPlot make_trust_plot(const record::Result& result) {
  for (const char* const name : {"trust.step", "trust.error", "trust.rejected"}) {
    const auto* const found = result.find(name);
    require(found != nullptr && !found->is_text(),
            "the result does not have '{}': step sizes and errors are recorded when a controller varies the step "
            "(consort run … --controller richardson); if --output-variable is used, add 'trust.*' to it",
            name);
  }
  require(result.rows() > 1, "the result has no steps; there is nothing to draw");
  TrustPlot plot;
  auto& all = plot.result.trajectories;
  plot.result.time = result.time;
  all.push_back(step_sizes(result));
  all.push_back(rejections(result, all.front()));
  all.push_back(errors(result));
  const bool logarithmic = wants_logarithms(all.back());
  if (logarithmic) take_logarithms(all.back());
  all.push_back(trajectory("limit", "", "steps above it are rejected by controllers with rollback"));
  all.back().numbers.assign(result.rows(), logarithmic ? 0.0 : 1.0);
  for (auto& lane : limits(result)) all.push_back(std::move(lane));

  const auto curve = [&](std::size_t i) { return Curve{&all[i], i, 1, 0}; };
  Panel steps{"s", false, {curve(0), curve(1)}};
  steps.logarithmic = true;
  steps.curves[1].marks = true;
  plot.panels.panels.push_back(std::move(steps));
  plot.panels.panels.push_back({"of the tolerance", false, {curve(2), curve(3)}});
  plot.panels.panels.back().logarithmic = logarithmic;
  if (all.size() > 4) {
    Panel lanes{"", true, {}};
    for (std::size_t i = 4; i < all.size(); ++i) lanes.curves.push_back(curve(i));
    place_lanes(lanes);
    plot.panels.panels.push_back(std::move(lanes));
  }
  plot.panels.start = result.time.front();
  plot.panels.end = result.time.back();
  return plot;
}

}  // namespace consort::draw
