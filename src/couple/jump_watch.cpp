#include "couple/jump_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

void JumpWatch::add_if_large(ControlState& control, std::size_t output, double value, double distance, Time t) const {
  constexpr double inaccurate = 100;  // times the allowed error
  constexpr double visible = 0.05;    // of the range
  const auto& s = control.signals[output];
  if (distance > inaccurate * estimate_.allowed(output) &&
      distance > visible * (std::max(s.high, value) - std::min(s.low, value)))
    control.jumps.add(output, t);
}

void JumpWatch::look(ControlState& control, const Columns& before, const Columns& now, Time t, Duration h,
                     bool expected) const {
  constexpr std::uint64_t first = 5;  // steps until slopes are known
  look_at_slopes(control, t, h, !expected && control.accepted >= first);
  if (expected) return;
  for (std::size_t i = 0; i < discrete_.size(); ++i) {
    const auto& d = discrete_[i];
    const bool same =
        with_type(d.type, [&]<class T>() { return before.column<T>()[d.element] == now.column<T>()[d.element]; });
    if (!same) control.jumps.add(estimate_.outputs().size() + i, t);
  }
}

// Runs in every step for every output, so that divisions and conditions are outside the loop.
void JumpWatch::look_at_slopes(ControlState& control, Time t, Duration h, bool finds_jumps) const {
  constexpr double sudden = 20;   // times the recent changes of slope
  constexpr double fading = 0.8;  // of changes of slope, from step to step
  const Duration both = h + control.taken;
  const double per_step = 1 / h;
  const double bend_per_change = control.accepted >= 2 ? 2 / both : 0;
  const double largest_change = finds_jumps ? sudden * 0.5 * both : std::numeric_limits<double>::infinity();
  const double* value = estimate_.values().data();
  for (SignalTrust* s = control.signals.data(); s != control.signals.data() + control.signals.size(); ++s, ++value) {
    const double slope = (*value - s->value) * per_step;
    const double change = std::abs(slope - s->slope);
    if (change > largest_change * s->bend) [[unlikely]]
      add_if_large(control, static_cast<std::size_t>(s - control.signals.data()), *value, change * h, t);
    s->bend = std::max(fading * s->bend, bend_per_change * change);
    s->slope = slope;
    s->value = *value;
  }
}

}  // namespace consort::couple
