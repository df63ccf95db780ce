#include "couple/jump_watch.hpp"

#include <algorithm>
#include <cmath>

namespace consort::couple {

JumpWatch::JumpWatch(const graph::Plan& plan, const ErrorEstimate& estimate) : estimate_(estimate) {
  for (const auto& o : estimate.outputs()) names_.push_back(o.name);
  for (graph::UnitId u = 0; u < plan.units.size(); ++u) {
    const auto& unit = plan.units[u];
    std::vector<bool> drives(unit.outputs.choice().size(), false);
    for (const auto& c : plan.connections)
      if (c.from == u && c.to != u) drives[c.output] = true;
    for (std::uint32_t i = 0; i < drives.size(); ++i) {
      const auto place = unit.outputs.place(i);
      if (!drives[i] || is_float(place.type)) continue;
      const auto& d = *unit.description;
      for (std::uint32_t e = 0; e < place.count; ++e) {
        discrete_.push_back({place.type, unit.first_output[static_cast<std::size_t>(place.type)] + place.first + e});
        names_.push_back(unit.name + "." + unit.starts.element_name(d, d[unit.outputs.choice()[i]], e));
      }
    }
  }
}

bool JumpWatch::is_large(const SignalTrust& s, std::size_t output, double value, double distance) const {
  constexpr double inaccurate = 100;  // times the allowed error
  constexpr double visible = 0.05;    // of the range
  return distance > inaccurate * estimate_.allowed(output) &&
         distance > visible * (std::max(s.high, value) - std::min(s.low, value));
}

void JumpWatch::look(ControlState& control, const Columns& before, const Columns& now, Time t, Duration h,
                     bool expected) const {
  constexpr std::uint64_t first = 5;  // steps until slopes are known
  constexpr double sudden = 20;       // times the recent changes of slope
  constexpr double fading = 0.8;      // of changes of slope, from step to step
  const auto& values = now.column<double>();
  const auto& outputs = estimate_.outputs();
  const bool knows_slopes = control.accepted >= 2;
  const bool finds_jumps = !expected && control.accepted >= first;
  const Duration both = h + control.taken;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    auto& s = control.signals[i];
    const double value = values[outputs[i].element];
    const double slope = (value - s.value) / h;
    const double change = std::abs(slope - s.slope);
    if (finds_jumps && change > sudden * s.bend * 0.5 * both && is_large(s, i, value, change * h)) [[unlikely]]
      control.jumps.add(i, t);
    if (knows_slopes) s.bend = std::max(fading * s.bend, 2 * change / both);
    s.slope = slope;
    s.value = value;
  }
  if (expected) return;
  for (std::size_t i = 0; i < discrete_.size(); ++i) {
    const auto& d = discrete_[i];
    const bool same =
        with_type(d.type, [&]<class T>() { return before.column<T>()[d.element] == now.column<T>()[d.element]; });
    if (!same) control.jumps.add(outputs.size() + i, t);
  }
}

}  // namespace consort::couple
