#include "step/step_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"

namespace consort::step {

StepSizeRules step_size_rules(const graph::StepControl& c, const Grid& grid) {
  const Duration run = grid.stop() - grid.start();
  StepSizeRules r;
  r.initial = c.initial.value_or(grid.step());
  // Outputs that begin at 0 with a steep slope need tiny first steps, but not below the resolution of time.
  const Duration resolution =
      64 * std::numeric_limits<Time>::epsilon() * std::max(std::abs(grid.start()), std::abs(grid.stop()));
  r.minimum = c.minimum.value_or(std::min(std::max(1e-12 * run, resolution), r.initial));
  r.maximum = c.maximum.value_or(std::max({std::min(run, most_growth * grid.step()), r.initial, r.minimum}));
  const auto positive = [](Duration value, std::string_view what, const char* key) {
    require_setting(key, std::isfinite(value) && value > 0, "the {} step must be a positive time, got {} s; correct it",
                    what, value);
  };
  positive(r.initial, "initial", "control.initial");
  positive(r.minimum, "smallest", "control.minimum");
  positive(r.maximum, "largest", "control.maximum");
  require_setting("control.minimum", r.minimum <= std::max(run, r.initial) || c.maximum,
                  "the smallest step ({} s) is longer than the run ({} s); choose a smaller one", r.minimum, run);
  require_setting("control.minimum", r.minimum <= r.maximum,
                  "the smallest step ({} s) is larger than the largest ({} s); exchange them", r.minimum, r.maximum);
  require_setting("control.safety", c.safety > 0 && c.safety <= 1,
                  "the safety factor of the step size must be in (0, 1], got {}; 0.9 is usual", c.safety);
  require_setting("control.shrink", c.shrink > 0 && c.shrink < 1,
                  "'shrink' must be between 0 and 1, got {}; 0.2 is usual", c.shrink);
  require_setting("control.grow", std::isfinite(c.grow) && c.grow > 1,
                  "'grow' must be greater than 1, got {}; 5 is usual", c.grow);
  r.initial = std::clamp(r.initial, r.minimum, r.maximum);
  r.safety = c.safety;
  r.shrink = c.shrink;
  r.grow = c.grow;
  r.pi = c.rule == graph::StepControl::Rule::pi;
  return r;
}

std::string note_on_maximum(const StepSizeRules& rules, double multiple, std::string_view basis) {
  return fmt::format("steps are at most {:.6g} s long, {} times the {}, because no maximum is set ('maximum')",
                     rules.maximum, multiple, basis);
}

Tolerances tolerances(const graph::StepControl& control, double of_run) {
  Tolerances t;
  t.relative = control.tolerance.value_or(of_run);
  t.absolute = control.absolute.value_or(t.relative);
  require_setting("control.tolerance", std::isfinite(t.relative) && t.relative > 0,
                  "the tolerance of the coupling error must be greater than 0, got {}; choose one such as 1e-4",
                  t.relative);
  require_setting(
      "control.absolute", std::isfinite(t.absolute) && t.absolute > 0,
      "the absolute tolerance of the coupling error must be greater than 0, got {}; choose one such as 1e-4",
      t.absolute);
  return t;
}

// error^(-1/n); the usual roots are cheaper than std::pow.
static double inverse_root(double error, int n) {
  switch (n) {
    case 1: return 1 / error;
    case 2: return 1 / std::sqrt(error);
    case 3: return 1 / std::cbrt(error);
    case 4: return 1 / std::sqrt(std::sqrt(error));
    default: return std::pow(error, -1.0 / n);
  }
}

double step_factor(const StepSizeRules& rules, double error, double previous, int local_order) {
  if (!std::isfinite(error)) return rules.shrink;
  const double p = 1.0 / local_order;
  // The usual exponents of a PI controller: Hairer and Wanner, Solving Ordinary Differential Equations II, IV.2.
  const double factor = rules.pi && previous > 0 && error <= 1
                            ? rules.safety * std::pow(error, -0.7 * p) * std::pow(previous, 0.4 * p)
                            : rules.safety * inverse_root(error, local_order);
  return std::clamp(factor, rules.shrink, rules.grow);
}

Attempt next_attempt(const StepSizeRules& rules, couple::ControlState& control, Time t, Time limit) {
  if (control.next <= 0) control.next = rules.initial;
  Attempt a;
  a.wanted = std::clamp(control.next, rules.minimum, rules.maximum);
  a.step = fit_step(a.wanted, limit - t);
  a.end = a.step >= limit - t ? limit : t + a.step;
  a.cut = a.step < 0.999 * a.wanted;
  a.at_maximum = !a.cut && control.next >= rules.maximum;
  return a;
}

void count_accepted(couple::ControlState& control, const Attempt& attempt, Time t, double error) {
  control.taken = attempt.end - t;
  control.error = error;
  ++control.accepted;
  if (!(error <= 1)) {
    ++control.exceeded;
    control.largest_error = std::max(control.largest_error, error);
  }
  if (attempt.cut) ++control.cut;
  if (attempt.at_maximum) ++control.at_maximum;
  control.error_decided = !attempt.cut && !attempt.at_maximum && error > 0;
}

Duration fit_step(Duration wanted, Duration to_limit) {
  if (wanted >= 0.999 * to_limit) return to_limit;
  return to_limit - wanted < 0.1 * wanted ? 0.5 * to_limit : wanted;
}

}  // namespace consort::step
