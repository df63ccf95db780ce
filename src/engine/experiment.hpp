// Start time, stop time, step and output points of a system: from the request, else from the system and its units, else
// defaults.
#pragma once

#include <limits>
#include <span>

#include "base/time.hpp"
#include "fleet/traits.hpp"
#include "graph/document.hpp"
#include "graph/plan.hpp"
#include "report/system_report.hpp"

namespace consort::engine {

struct SystemExperiment {
  Time start = 0;
  Time stop = 1;
  Time last = 1;  // the last communication point: earlier than stop if units cannot take the remaining step
  Duration step = 1e-3;
  double tolerance = 1e-4;           // of the units' solvers
  double coupling_tolerance = 1e-4;  // if steps vary
  Duration output_interval = 0;      // 0: every communication point
  Duration near = 0;                 // Grid::tolerance()

  [[nodiscard]] Grid grid() const { return {start, stop, step}; }
  // Times that differ by less are equal.
  [[nodiscard]] Duration slack() const { return near; }
  // The n-th output point.
  [[nodiscard]] Time output_point(std::uint64_t n) const {
    return output_interval > 0 ? start + static_cast<double>(n) * output_interval
                               : std::numeric_limits<Time>::infinity();
  }
  // True if a row is written at t; `wanted` is the next output point.
  [[nodiscard]] bool records(Time t, Time wanted) const { return output_interval <= 0 || t >= wanted - slack(); }
};

// Adds assumed values to the report. Throws Error (input) for invalid times and steps.
[[nodiscard]] SystemExperiment choose_experiment(const graph::Plan& plan, const graph::RunSettings& settings,
                                                 std::span<const fleet::UnitTraits> units,
                                                 report::SystemReport& report);

}  // namespace consort::engine
