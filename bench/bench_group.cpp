// Groups: the right-hand side against the FMI calls that it consists of, and the cost per step of a chain over its
// length. Instructions, counted by callgrind in runs of this program.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "callgrind.hpp"
#include "fmi/fmu.hpp"
#include "group/instance.hpp"
#include "group/make_group.hpp"
#include "unit/me_problem.hpp"

namespace consort::bench {
namespace {

const fmi::Fmu& link_fmu() {
  static const auto fmu = fmi::Fmu::open(std::filesystem::path(CONSORT_FMU_DIR) / "fmi2/ChainLink.fmu");
  return fmu;
}

// Masses in a row, each with a spring and a damper to its left neighbour: outputs with feed-through, so that forces are
// taken after positions.
graph::System chain(std::size_t n) {
  graph::System system("chain");
  for (std::size_t i = 0; i < n; ++i) system.add(fmt::format("m{}", i), "ChainLink.fmu");
  for (std::size_t i = 1; i < n; ++i) {
    system.connect(fmt::format("m{}.x", i - 1), fmt::format("m{}.x_left", i));
    system.connect(fmt::format("m{}.v", i - 1), fmt::format("m{}.v_left", i));
    system.connect(fmt::format("m{}.f_left", i), fmt::format("m{}.f_right", i - 1));
  }
  return system;
}

std::vector<std::unique_ptr<fmi::ModelExchange>> links(std::size_t n) {
  std::vector<std::unique_ptr<fmi::ModelExchange>> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(link_fmu().model_exchange({.name = fmt::format("m{}", i)}));
  return all;
}

std::shared_ptr<const group::Model> model(std::size_t n) {
  return group::make_model(
      chain(n), [](const graph::Component&) -> const describe::Description& { return link_fmu().description(); });
}

// --- right-hand side

double run_group(std::size_t n, long calls) {
  group::GroupInstance group(model(n), "chain", links(n));
  group.enter_initialization({0, {}, 1e-6});
  group.exit_initialization();
  while (group.update_discrete_states().repeat) {
  }
  group.leave_event_mode();
  std::vector<double> x(2 * n), dx(2 * n);
  for (long i = 0; i < calls; ++i) {
    x[static_cast<std::size_t>(i) % x.size()] += 1e-3;
    group.set_time(1e-3 * static_cast<double>(i));
    group.set_states(x);
    group.get_derivatives(dx);
  }
  return dx[0];
}

// The same calls, written for this chain.
double run_bare(std::size_t n, long calls) {
  auto all = links(n);
  const auto& d = link_fmu().description();
  const auto reference = [&](const char* name) { return d[d.require_variable(name)].reference; };
  const ValueReference left[] = {reference("x_left"), reference("v_left")}, right[] = {reference("f_right")};
  const ValueReference states[] = {reference("x"), reference("v")}, force[] = {reference("f_left")};
  for (auto& m : all) {
    m->enter_initialization({0, {}, 1e-6});
    m->exit_initialization();
    while (m->update_discrete_states().repeat) {
    }
    m->leave_event_mode();
  }
  std::vector<double> x(2 * n), dx(2 * n), y(2 * n), f(n + 1);
  for (long i = 0; i < calls; ++i) {
    x[static_cast<std::size_t>(i) % x.size()] += 1e-3;
    const double t = 1e-3 * static_cast<double>(i);
    for (auto& m : all) m->set_time(t);
    for (std::size_t k = 0; k < n; ++k) all[k]->set_states(std::span<const double>(x).subspan(2 * k, 2));
    for (std::size_t k = 0; k + 1 < n; ++k) all[k]->get<double>(states, std::span(y).subspan(2 * k, 2));
    for (std::size_t k = 1; k < n; ++k) {
      all[k]->set<double>(left, std::span<const double>(y).subspan(2 * k - 2, 2));
      all[k]->get<double>(force, std::span(f).subspan(k, 1));
    }
    for (std::size_t k = 0; k + 1 < n; ++k) all[k]->set<double>(right, std::span<const double>(f).subspan(k + 1, 1));
    for (std::size_t k = 0; k < n; ++k) all[k]->get_derivatives(std::span(dx).subspan(2 * k, 2));
  }
  return dx[0];
}

// --- integration

double run_steps(std::size_t n, long steps) {
  fleet::UnitSpec spec;
  spec.name = "chain";
  spec.solver = "bdf";
  spec.tolerance = 1e-6;
  const auto unit = group::make_group(model(n), spec, links(n));
  unit->enter_initialization({0, {}, 1e-6});
  unit->exit_initialization();
  for (long i = 0; i < steps; ++i) static_cast<void>(unit->step({0.01 * static_cast<double>(i), 0.01}));
  return static_cast<double>(steps);
}

double instructions(const char* program, const char* what, std::size_t n, long count) {
  const auto counts = count_instructions(fmt::format("{} {} {} {}", program, what, n, count));
  return counts.inside + counts.outside;
}

int main_of(int argc, char** argv) {
  if (argc == 4) {
    const auto n = static_cast<std::size_t>(std::strtoul(argv[2], nullptr, 10));
    const long count = std::strtol(argv[3], nullptr, 10);
    const std::string what = argv[1];
    const double result = what == "group"  ? run_group(n, count)
                          : what == "bare" ? run_bare(n, count)
                                           : run_steps(n, count);
    return std::isfinite(result) ? 0 : 1;
  }
  if (!has_callgrind()) {
    fmt::print("valgrind is needed to count instructions\n");
    return 0;
  }
  const auto per_call = [&](const char* what, std::size_t n, long few, long many) {
    return (instructions(argv[0], what, n, many) - instructions(argv[0], what, n, few)) /
           static_cast<double>(many - few);
  };
  int status = 0;
  fmt::print("right-hand side of a chain of N FMUs, instructions\n{:>6} {:>12} {:>12} {:>7}\n", "N", "bare calls",
             "group", "ratio");
  for (const std::size_t n : {2U, 10U, 100U}) {
    const double bare = per_call("bare", n, 100, 600);
    const double group = per_call("group", n, 100, 600);
    fmt::print("{:>6} {:>12.0f} {:>12.0f} {:>7.3f}\n", n, bare, group, group / bare);
    if (group / bare > 1.2) status = 1;
  }
  fmt::print("\nsteps of 10 ms with bdf, instructions per step and unit\n{:>6} {:>12}\n", "N", "bdf");
  double first = 0;
  for (const std::size_t n : {50U, 100U, 200U, 400U, 800U}) {
    const double cost = per_call("steps", n, 20, 60) / static_cast<double>(n);
    if (first == 0) first = cost;
    fmt::print("{:>6} {:>12.0f} {:>6.2f}\n", n, cost, cost / first);
    if (cost > 1.5 * first) status = 1;
  }
  return status;
}

}  // namespace
}  // namespace consort::bench

int main(int argc, char** argv) { return consort::bench::main_of(argc, argv); }
