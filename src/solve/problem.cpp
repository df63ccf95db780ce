#include "solve/problem.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/core.h>

#include "base/error.hpp"

namespace consort::solve {
namespace {

void check_start(const char* what, const std::vector<double>& values, const Components& components) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(std::isfinite(values[i]), "the start value {} of {} is {}; give a finite one", what,
            component_text(components, i), values[i]);
  }
}

void check_components(const Components& components, std::size_t n) {
  const auto fits = [n](std::size_t size) { return size == 0 || size == n; };
  require(fits(components.names.size()), "there are {} names for {} components; give one each, or leave the list empty",
          components.names.size(), n);
  require(fits(components.nominals.size()),
          "there are {} nominals for {} components; give one each, or leave the list empty", components.nominals.size(),
          n);
  require(fits(components.absolute_tolerances.size()),
          "there are {} absolute tolerances for {} components; give one each, or leave the list empty",
          components.absolute_tolerances.size(), n);
}

void check_pattern(const Pattern& pattern, std::size_t n) {
  if (pattern.empty()) return;
  const auto& starts = pattern.starts;
  require(
      starts.size() == n + 1 && starts.front() == 0 && starts.back() == static_cast<int>(pattern.rows.size()) &&
          std::is_sorted(starts.begin(), starts.end()),
      "the sparsity pattern has {} column starts for {} components; give one per column and the number of entries at "
      "the end, ascending from 0",
      starts.size(), n);
  for (std::size_t j = 0; j < n; ++j) {
    for (int k = starts[j]; k < starts[j + 1]; ++k) {
      const int row = pattern.rows[static_cast<std::size_t>(k)];
      const bool ascending = k == starts[j] || pattern.rows[static_cast<std::size_t>(k) - 1] < row;
      require(
          row >= 0 && static_cast<std::size_t>(row) < n && ascending,
          "column {} of the sparsity pattern has row {} among rows that must ascend from 0 to {}; sort it and remove "
          "duplicates",
          j, row, n - 1);
    }
  }
}

void check_events(const Events& events) {
  require(events.root_count == 0 || events.roots,
          "the problem has {} root functions but no function `roots`; give it one", events.root_count);
  require(events.directions.empty() || events.directions.size() == events.root_count,
          "there are {} directions for {} root functions; give one each, or leave the list empty",
          events.directions.size(), events.root_count);
  require(events.names.empty() || events.names.size() == events.root_count,
          "there are {} names for {} root functions; give one each, or leave the list empty", events.names.size(),
          events.root_count);
  require(events.handle || (events.root_count == 0 && !events.next_time_event && !events.step_event),
          "the problem has events but no function `handle`; give it one (it may do nothing)");
}

template <class Problem>
void check_common(const Problem& problem) {
  require(std::isfinite(problem.t0), "the problem starts at t = {}; give a finite time", problem.t0);
  check_components(problem.components, problem.y0.size());
  check_start("y0", problem.y0, problem.components);
  check_pattern(problem.jacobian.pattern, problem.y0.size());
  require(!problem.jacobian.sparse || !problem.jacobian.pattern.empty() || problem.y0.empty(),
          "the problem has a sparse Jacobian but no sparsity pattern; give `jacobian.pattern`");
  check_events(problem.events);
}

// The pattern extended by the diagonal, with the positions of the original entries.
struct WithDiagonal {
  Pattern pattern;
  std::vector<std::size_t> places;     // of the original's entries
  std::vector<std::size_t> diagonals;  // of (j, j)
};

WithDiagonal with_diagonal(const Pattern& original) {
  WithDiagonal result;
  result.pattern.starts.push_back(0);
  for (std::size_t j = 0; j + 1 < original.starts.size(); ++j) {
    const int diagonal = static_cast<int>(j);
    bool placed = false;
    const auto place_diagonal = [&] {
      result.diagonals.push_back(result.pattern.rows.size());
      result.pattern.rows.push_back(diagonal);
      placed = true;
    };
    for (int k = original.starts[j]; k < original.starts[j + 1]; ++k) {
      const int row = original.rows[static_cast<std::size_t>(k)];
      if (!placed && row > diagonal) place_diagonal();
      if (row == diagonal) {
        result.diagonals.push_back(result.pattern.rows.size());
        placed = true;
      }
      result.places.push_back(result.pattern.rows.size());
      result.pattern.rows.push_back(row);
    }
    if (!placed) place_diagonal();
    result.pattern.starts.push_back(static_cast<int>(result.pattern.rows.size()));
  }
  return result;
}

DaeJacobian dae_jacobian(const Ode& ode) {
  DaeJacobian result;
  if (ode.jacobian.dense) {
    result.dense = [&ode](Time t, ConstVector y, ConstVector, double c, Vector J, const Switches& switches) {
      ode.jacobian.dense(t, y, J, switches);
      for (double& value : J) value = -value;
      for (std::size_t j = 0; j < y.size(); ++j) J[j * y.size() + j] += c;
    };
  }
  if (ode.jacobian.times) {
    result.times = [&ode](Time t, ConstVector y, ConstVector, double c, ConstVector v, Vector Jv,
                          const Switches& switches) {
      ode.jacobian.times(t, y, v, Jv, switches);
      for (std::size_t i = 0; i < Jv.size(); ++i) Jv[i] = c * v[i] - Jv[i];
    };
  }
  if (ode.jacobian.pattern.empty()) return result;
  auto extended = std::make_shared<const WithDiagonal>(with_diagonal(ode.jacobian.pattern));
  result.pattern = extended->pattern;
  if (ode.jacobian.sparse) {
    result.sparse = [&ode, extended, work = std::vector<double>(ode.jacobian.pattern.count())](
                        Time t, ConstVector y, ConstVector, double c, Vector values, const Switches& switches) mutable {
      ode.jacobian.sparse(t, y, work, switches);
      std::fill(values.begin(), values.end(), 0.0);
      for (std::size_t k = 0; k < work.size(); ++k) values[extended->places[k]] = -work[k];
      for (const auto k : extended->diagonals) values[k] += c;
    };
  }
  return result;
}

}  // namespace

std::string component_text(const Components& components, std::size_t i) {
  if (i < components.names.size()) return fmt::format("'{}'", components.names[i]);
  return fmt::format("component {}", i);
}

void check(const Ode& ode) {
  require(static_cast<bool>(ode.rhs), "the problem has no right-hand side; give `rhs`");
  check_common(ode);
}

void check(const Dae& dae) {
  require(static_cast<bool>(dae.residual), "the problem has no residual; give `residual`");
  require(dae.ydot0.size() == dae.y0.size(), "there are {} start values for {} components in ydot0; give one each",
          dae.ydot0.size(), dae.y0.size());
  require(dae.differential.empty() || dae.differential.size() == dae.y0.size(),
          "`differential` has {} entries for {} components; give one each, or leave the list empty",
          dae.differential.size(), dae.y0.size());
  check_common(dae);
  check_start("ydot0", dae.ydot0, dae.components);
}

Dae as_dae(const Ode& ode) {
  check(ode);
  Dae dae{.t0 = ode.t0,
          .y0 = ode.y0,
          .ydot0 = std::vector<double>(ode.y0.size()),
          .residual =
              [&ode](Time t, ConstVector y, ConstVector ydot, Vector r, const Switches& switches) {
                ode.rhs(t, y, r, switches);
                for (std::size_t i = 0; i < r.size(); ++i) r[i] = ydot[i] - r[i];
              },
          .jacobian = dae_jacobian(ode),
          .events = ode.events,
          .components = ode.components};
  ode.rhs(ode.t0, ode.y0, dae.ydot0, ode.events.switches);
  return dae;
}

}  // namespace consort::solve
