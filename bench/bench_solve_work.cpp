#include "bench_solve_work.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench_solve_plot.hpp"
#include "solve/solvers.hpp"
#include "solve/tests/problems.hpp"

namespace consort::bench {

namespace {

using namespace solve;

struct Problem {
  std::string name;
  Ode ode;
  Time stop;
  std::vector<double> scales;  // of the components, for tolerances and errors
};

std::vector<Problem> stiff_problems() {
  return {{"Van der Pol, mu 1e6", stiff_van_der_pol(), 2, {1, 1}},
          {"Robertson", robertson(), 40, {1, 1e-4, 1}},
          {"HIRES", hires(), 321.8122, std::vector<double>(8, 1e-2)},
          {"Oregonator", oregonator(), 360, {1, 1, 1}}};
}

SolverOptions options_for(const Problem& problem, double tolerance) {
  SolverOptions options{.rtol = tolerance};
  for (const double scale : problem.scales) options.atol.push_back(tolerance * scale);
  return options;
}

std::vector<double> reference(const Problem& problem) {
  auto options = options_for(problem, 1e-12);
  const auto solver = make_solver("cvode", problem.ode, options);
  run_to(*solver, problem.stop);
  return {solver->state().begin(), solver->state().end()};
}

double error(ConstVector y, const std::vector<double>& exact, const std::vector<double>& scales) {
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    worst = std::max(worst, std::abs(y[i] - exact[i]) / (scales[i] + std::abs(exact[i])));
  }
  return worst;
}

struct Outcome {
  double error = 0;
  double microseconds = 0;
  Statistics statistics;
};

// nullopt if the solver fails: too stiff, or too many steps.
std::optional<Outcome> try_it(const SolverRow& row, const Problem& problem, double tolerance,
                              const std::vector<double>& exact) {
  auto options = options_for(problem, tolerance);
  options.step_limit = 30'000;
  try {
    const auto start = std::chrono::steady_clock::now();
    const auto solver = row.for_ode(row, problem.ode, options);
    run_to(*solver, problem.stop);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    return Outcome{error(solver->state(), exact, problem.scales), time.count(), solver->statistics()};
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::uint64_t evaluations(const char* name, const Problem& problem, double tolerance) {
  const auto solver = make_solver(name, problem.ode, options_for(problem, tolerance));
  run_to(*solver, problem.stop);
  return solver->statistics().evaluations;
}

}  // namespace

void report_work_and_precision(const std::filesystem::path& folder) {
  auto problems = stiff_problems();
  problems[3] = {"Arenstorf orbit", arenstorf(), arenstorf_period, {1, 1, 1, 1}};
  std::filesystem::create_directories(folder);
  std::ofstream csv(folder / "work_precision.csv");
  csv << "problem,solver,tolerance,error,evaluations,steps,factorisations,microseconds\n";
  std::vector<Panel> panels;
  for (const auto& problem : problems) {
    // The orbit is closed, so the final state is the initial state.
    const auto exact = problem.stop == arenstorf_period ? problem.ode.y0 : reference(problem);
    auto& panel = panels.emplace_back(Panel{.title = problem.name});
    for (const auto& row : solvers()) {
      if (!row.capabilities.adaptive || row.name == "cvode-bdf") continue;
      Curve curve{.name = std::string(row.name)};
      for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
        const auto outcome = try_it(row, problem, tolerance, exact);
        if (!outcome) continue;
        const auto& counts = outcome->statistics;
        csv << fmt::format("\"{}\",{},{:g},{:.3e},{},{},{},{:.0f}\n", problem.name, row.name, tolerance, outcome->error,
                           counts.evaluations, counts.steps, counts.factorisations, outcome->microseconds);
        curve.points.push_back({outcome->error, static_cast<double>(counts.evaluations)});
      }
      if (!curve.points.empty()) panel.curves.push_back(std::move(curve));
    }
  }
  std::ofstream(folder / "work_precision.svg") << log_log_svg(panels, "error", "evaluations");
  fmt::print("work and precision: {0}/work_precision.csv and .svg\n", folder.string());
}

bool report_arenstorf() {
  constexpr double published = 1442;
  const Ode ode = arenstorf();
  const auto solver = make_solver("dopri5", ode, {.rtol = 1e-7, .atol = {1e-7}});
  run_to(*solver, arenstorf_period);
  const auto& counts = solver->statistics();
  const double ratio = static_cast<double>(counts.evaluations) / published;
  fmt::print(
      "DOPRI5 on the Arenstorf orbit, tolerance 1e-7\n  {} {} evaluations, {} accepted, {} rejected steps; published "
      "1442, 216, 22: {:.3f} (at most 1.05)\n",
      ratio <= 1.05 ? "ok  " : "OFF ", counts.evaluations, counts.steps, counts.error_test_failures, ratio);
  return ratio <= 1.05;
}

bool report_bdf() {
  bool good = true;
  fmt::print("evaluations of Consort's BDF over those of CVODE at the same tolerance\n");
  for (const auto& problem : stiff_problems()) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const auto ours = evaluations("bdf", problem, tolerance);
      const auto theirs = evaluations("cvode", problem, tolerance);
      const double ratio = static_cast<double>(ours) / static_cast<double>(theirs);
      const bool fine = ratio <= 1.5;
      fmt::print("  {} {:20} {:g}: {} / {} = {:.3f} (at most 1.5)\n", fine ? "ok  " : "OFF ", problem.name, tolerance,
                 ours, theirs, ratio);
      good = good && fine;
    }
  }
  return good;
}

}  // namespace consort::bench
