#include "bench_solve_overhead.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "solve/solvers.hpp"

extern "C" __attribute__((noinline)) long run_our_steps(consort::solve::Solver* solver, double stop) {
  long steps = 0;
  while (solver->time() < stop) {
    solver->step(stop);
    ++steps;
  }
  return steps;
}

namespace consort::bench {

namespace {

// Instructions counted by callgrind inside `function`; nullopt if it could not be run.
std::optional<double> instructions(std::string_view program, std::string_view mode, std::string_view function,
                                   std::size_t n) {
  const auto command = fmt::format(
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect={} '{}' --steps {} {} 2>&1", function,
      program, mode, n);
  struct Close {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(popen(command.c_str(), "r"));
  if (!pipe) return std::nullopt;
  std::array<char, 512> line{};
  std::optional<double> result;
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
    const std::string text(line.data());
    if (const auto at = text.find("Collected :"); at != std::string::npos) result = std::stod(text.substr(at + 11));
  }
  return result && *result > 0 ? result : std::nullopt;
}

}  // namespace

void chain_rates(std::size_t n, const double* y, double* dy) {
  if (n == 2) {
    dy[0] = y[1];
    dy[1] = 100 * (1 - y[0] * y[0]) * y[1] - y[0];
    return;
  }
  const double conduction = static_cast<double>(n) * static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double left = i == 0 ? 1 : y[i - 1];
    const double right = i + 1 == n ? 0 : y[i + 1];
    dy[i] = conduction * (left - 2 * y[i] + right) - y[i] * y[i] * y[i] * y[i];
  }
}

double chain_start(std::size_t n, std::size_t i) {
  if (n == 2) return i == 0 ? 2 : 0;
  return i % 2 == 0 ? 1 : 0.5;
}

double chain_stop(std::size_t n) { return n == 2 ? 1000 : 5; }

long run_ours(std::size_t n) {
  solve::Ode ode{.y0 = std::vector<double>(n),
                 .rhs = [n](Time, solve::ConstVector y, solve::Vector dy) { chain_rates(n, y.data(), dy.data()); }};
  for (std::size_t i = 0; i < n; ++i) ode.y0[i] = chain_start(n, i);
  const auto solver = solve::make_solver("cvode", ode, {.rtol = 1e-6, .atol = {1e-8}});
  return run_our_steps(solver.get(), chain_stop(n));
}

bool report_overhead(std::string_view this_program) {
  struct Case {
    std::size_t n;
    double limit;
  };
  bool good = true;
  fmt::print(
      "CVODE through Consort's interface, relative to the instructions of a bare SUNDIALS program (without set-up)\n");
  for (const auto& [n, limit] : {Case{2, 1.1}, Case{100, 1.02}}) {
    const auto bare = instructions(this_program, "bare", "run_bare_steps", n);
    const auto ours = instructions(this_program, "ours", "run_our_steps", n);
    if (!bare || !ours) {
      fmt::print("  OFF  n = {}: callgrind gave no count; install valgrind\n", n);
      good = false;
      continue;
    }
    const double ratio = *ours / *bare;
    const bool same_steps = run_bare(n) == run_ours(n);
    const bool fine = ratio <= limit && same_steps;
    fmt::print("  {} n = {:3}: {:.4f} (at most {}), {:.0f} instructions per step, {}\n", fine ? "ok  " : "OFF ", n,
               ratio, limit, *bare / static_cast<double>(run_bare(n)), same_steps ? "same steps" : "other steps");
    good = good && fine;
  }
  return good;
}

}  // namespace consort::bench
