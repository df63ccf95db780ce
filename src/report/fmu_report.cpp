#include "report/fmu_report.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace consort::report {

std::string FmuReport::text() const {
  std::string out = fmt::format("simulated {} s to {} s in {} steps of {} s, {} rows, in {}", start, reached, steps,
                                step, rows, duration_text(wall_seconds));
  if (wall_seconds > 0 && reached > start)
    out += fmt::format(" ({:.3g} times real time)", (reached - start) / wall_seconds);
  if (events > 0) out += fmt::format("\n  events: {}", events);
  if (early_returns > 0) out += fmt::format("\n  early returns: {}", early_returns);
  if (discarded > 0) out += fmt::format("\n  discarded steps: {}", discarded);
  for (const auto& n : notes) out += fmt::format("\n  {}", n);
  for (const auto& a : assumed) out += fmt::format("\n  assumed: {}", a);
  for (const auto& w : warnings) out += fmt::format("\n  warning: {}", w);
  if (!ended_early.empty()) out += fmt::format("\n  ended early: {}", ended_early);
  return out;
}

}  // namespace consort::report
