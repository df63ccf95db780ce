// The cost of restarting (Andersson, example 3.3.1): the Van der Pol oscillator is stopped at 0.5 s and continued to
// 0.75 s with the same solver, with a restored solver, and with a re-initialised solver.
#include <algorithm>
#include <memory>

#include "../example.hpp"
#include "solve/solvers.hpp"

using namespace consort;
using namespace consort::solve;

namespace {

constexpr Time stop_at = 0.5;
constexpr Time end_at = 0.75;

struct Steps {
  std::vector<StepResult> steps;  // including those before stop_at
  std::vector<double> states;     // after each step
  std::uint64_t evaluations = 0;  // from stop_at on
};

void go_on(Solver& solver, Time to, Steps& record) {
  const auto before = solver.statistics().evaluations;
  while (solver.time() < to) {
    record.steps.push_back(solver.step(to));
    record.states.insert(record.states.end(), solver.state().begin(), solver.state().end());
  }
  record.evaluations = solver.statistics().evaluations - before;
}

bool same(const Steps& a, const Steps& b) {
  const auto equal = [](const StepResult& x, const StepResult& y) {
    return x.from == y.from && x.to == y.to && x.order == y.order && x.next == y.next;
  };
  return std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), equal) && a.states == b.states &&
         a.evaluations == b.evaluations;
}

struct Comparison {
  Steps continued;
  Steps restored;
  Steps reinitialised;
};

Comparison compare(const Ode& ode, std::string_view name) {
  const SolverOptions options{.rtol = 1e-6, .atol = {1e-6}};
  const auto solver = make_solver(name, ode, options);
  Comparison result;
  go_on(*solver, stop_at, result.continued);
  result.restored = result.continued;
  result.reinitialised = result.continued;

  const auto saved = solver->snapshot();
  const auto anew = make_solver(name, ode, options);
  anew->reinitialise({.t = solver->time(), .y = solver->state()});
  go_on(*anew, end_at, result.reinitialised);
  go_on(*solver, end_at, result.continued);
  solver->restore(*saved);
  go_on(*solver, end_at, result.restored);
  return result;
}

// log10 of the size of the step that contains t.
double step_size(const Steps& record, Time t) {
  const auto ends_after = [](Time time, const StepResult& step) { return time < step.to; };
  auto at = std::upper_bound(record.steps.begin(), record.steps.end(), t, ends_after);
  if (at == record.steps.end()) --at;
  return std::log10(at->to - at->from);
}

void write(const Comparison& runs, const std::filesystem::path& folder) {
  std::vector<Time> times;
  for (const auto* record : {&runs.continued, &runs.reinitialised}) {
    for (const auto& step : record->steps) times.push_back(step.from);
  }
  times.push_back(end_at);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  example::Table table({{.name = "log10 step size, continued", .discrete = true},
                        {.name = "log10 step size, restored", .discrete = true},
                        {.name = "log10 step size, re-initialised", .discrete = true}});
  for (const Time t : times) {
    table.add(t,
              std::vector{step_size(runs.continued, t), step_size(runs.restored, t), step_size(runs.reinitialised, t)});
  }
  table.write(folder, "van_der_pol_restart", "Steps of Consort's BDF around a restart at 0.5 s");
}

int run(const std::filesystem::path& folder) {
  const Ode ode{.y0 = {2, -0.6}, .rhs = [](Time, ConstVector y, Vector dy) {
                  dy[0] = y[1];
                  dy[1] = 1e6 * ((1 - y[0] * y[0]) * y[1] - y[0]);
                }};
  example::Figures figures;
  fmt::print("evaluations from {} s to {} s:\n", stop_at, end_at);
  for (const auto* name : {"bdf", "cvode"}) {
    const auto runs = compare(ode, name);
    fmt::print("  {:6} continued {}, restored {}, re-initialised {}\n", name, runs.continued.evaluations,
               runs.restored.evaluations, runs.reinitialised.evaluations);
    const bool exact = find_solver(name).capabilities.exact_restart;
    figures.check(same(runs.restored, runs.continued) == exact,
                  fmt::format("{}: restored {} the steps of the continued run bit for bit", name,
                              exact ? "repeats" : "does not repeat"));
    figures.check(runs.reinitialised.evaluations > runs.continued.evaluations,
                  fmt::format("{}: re-initialised takes more evaluations", name));
    if (exact) write(runs, folder);
  }
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) { return example::run_example(argc, argv, run); }
