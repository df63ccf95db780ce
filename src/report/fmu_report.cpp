#include "report/fmu_report.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/grouped_lines.hpp"

namespace consort::report {

std::string FmuReport::text() const {
  std::string out = fmt::format("simulated {} s to {} s in {} ", start, reached, steps);
  out += solver_steps ? fmt::format(
                            "steps of the solver, which chooses their size, and {} rows, one every {} s and at "
                            "events, in {}",
                            rows, step, duration_text(wall_seconds))
                      : fmt::format("steps of {} s, {} rows, in {}", step, rows, duration_text(wall_seconds));
  if (wall_seconds > 0 && reached > start)
    out += fmt::format(" ({:.3g} times real time)", (reached - start) / wall_seconds);
  if (events > 0) out += fmt::format("\n  events: {}", events);
  if (early_returns > 0) out += fmt::format("\n  early returns: {}", early_returns);
  if (discarded > 0) out += fmt::format("\n  discarded steps: {}", discarded);
  for (const auto& n : notes) out += fmt::format("\n  {}", n);
  for (const auto& a : grouped(assumed)) out += fmt::format("\n  assumed: {}", a);
  for (const auto& w : warnings) out += fmt::format("\n  warning: {}", w);
  if (!ended_early.empty()) out += fmt::format("\n  ended early: {}", ended_early);
  return out;
}

}  // namespace consort::report
