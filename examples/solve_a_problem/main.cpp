// Compiles and runs the code of docs/howto/solve_a_problem.md, which quotes the text between the marks.
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/core.h>

#include "base/error.hpp"
#include "solve/integrate.hpp"
#include "solve/solvers.hpp"

using namespace consort;
using namespace consort::solve;

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  fmt::print("wrong: {}\n", what);
  ++failures;
}

void pendulum() {
  // [problem]
  const Ode pendulum{.y0 = {1, 0},  // angle and speed
                     .rhs = [](Time, ConstVector y, Vector dy) {
                       dy[0] = y[1];
                       dy[1] = -9.81 * std::sin(y[0]);
                     }};
  const auto report =
      integrate(pendulum, "dopri5", {.rtol = 1e-8}, {.stop = 2, .interval = 0.5, .output = [](const OutputRow& row) {
                                                       fmt::print("{:4} s  {:8.5f} rad\n", row.t, row.y[0]);
                                                     }});
  fmt::print("{} steps, {} evaluations\n", report.statistics.steps, report.statistics.evaluations);
  // [end]
  // The energy is the same as at the start.
  expect(std::abs(report.y[1] * report.y[1] / 2 - 9.81 * (std::cos(report.y[0]) - std::cos(1.0))) < 1e-6,
         "energy is conserved");
}

void list() {
  // [table]
  for (const auto& row : solvers()) fmt::print("{:36} {}\n", row.name, row.description);
  // [end]
}

void ball() {
  // [events]
  const Ode ball{.y0 = {1, 0},  // height and speed
                 .rhs =
                     [](Time, ConstVector y, Vector dy, const Switches& lies) {
                       dy[0] = lies[0] ? 0 : y[1];
                       dy[1] = lies[0] ? 0 : -9.81;
                     },
                 .events = {.root_count = 1,
                            .roots = [](Time, ConstVector y, Vector g) { g[0] = y[0]; },
                            .directions = {Direction::falling},
                            .switches = {false},  // whether it lies on the floor
                            .handle =
                                [](const EventInfo&, EventState& state) {
                                  state.y[0] = 0;
                                  state.y[1] *= -0.7;
                                  if (state.y[1] < 0.01) {
                                    state.y[1] = 0;
                                    state.switches[0] = true;
                                  }
                                }},
                 .components = {.names = {"height", "speed"}}};
  const auto report = integrate(ball, "bdf", {.rtol = 1e-8}, {.stop = 4});
  for (const auto& event : report.log) fmt::print("impact at {:.6f} s\n", event.t);
  // [end]
  expect(!report.log.empty() && std::abs(report.log[0].t - std::sqrt(2 / 9.81)) < 1e-6, "the first impact");
  expect(report.y[0] == 0 && report.y[1] == 0, "it lies still");
}

void stiff() {
  // [stiff]
  const Ode robertson{.y0 = {1, 0, 0},
                      .rhs =
                          [](Time, ConstVector y, Vector dy) {
                            dy[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                            dy[2] = 3e7 * y[1] * y[1];
                            dy[1] = -dy[0] - dy[2];
                          },
                      .jacobian = {.dense =
                                       [](Time, ConstVector y, Vector J) {  // column after column
                                         J[0] = -0.04, J[1] = 0.04, J[2] = 0;
                                         J[3] = 1e4 * y[2], J[4] = -1e4 * y[2] - 6e7 * y[1], J[5] = 6e7 * y[1];
                                         J[6] = 1e4 * y[1], J[7] = -1e4 * y[1], J[8] = 0;
                                       }},
                      .components = {.absolute_tolerances = {1e-8, 1e-12, 1e-8}}};
  const auto report = integrate(robertson, "bdf", {.rtol = 1e-6}, {.stop = 40});
  // [end]
  expect(std::abs(report.y[0] - 0.7158270688) < 1e-4, "Robertson's first component");
}

void dae() {
  // [dae]
  // A rod of length 1 in Cartesian coordinates: x, y, their speeds, and the force in the rod (index 1).
  const Dae rod{.y0 = {1, 0, 0, 0, 0},
                .ydot0 = {0, 0, 0, -9.81, 0},
                .residual =
                    [](Time, ConstVector y, ConstVector yd, Vector r) {
                      r[0] = yd[0] - y[2];
                      r[1] = yd[1] - y[3];
                      r[2] = yd[2] + y[0] * y[4];
                      r[3] = yd[3] + y[1] * y[4] + 9.81;
                      r[4] = y[2] * y[2] + y[3] * y[3] - y[4] - 9.81 * y[1];
                    },
                .differential = {true, true, true, true, false}};
  const auto report = integrate(rod, "ida", {.rtol = 1e-8}, {.stop = 1});
  // [end]
  expect(std::abs(std::hypot(report.y[0], report.y[1]) - 1) < 1e-5, "the rod keeps its length");
}

void restart(const Ode& ode) {
  // [restart]
  const auto solver = make_solver("bdf", ode, {.rtol = 1e-6});
  while (solver->time() < 1) solver->step(1);

  const auto here = solver->snapshot();
  while (solver->time() < 2) solver->step(2);
  const std::vector<double> first(solver->state().begin(), solver->state().end());

  solver->restore(*here);  // back to t = 1, as if nothing had happened
  while (solver->time() < 2) solver->step(2);
  const std::vector<double> second(solver->state().begin(), solver->state().end());
  // [end]
  expect(first == second, "the restored run repeats the continued one bit for bit");
}

void cancel(const Ode& ode) {
  // [cancel]
  std::atomic<bool> cancel = false;  // set it from anywhere
  const auto report = integrate(ode, "dopri5", {.rtol = 1e-6, .max_step = 0.01, .step_limit = 1'000'000},
                                {.stop = 100, .cancel = &cancel, .progress = [&](const Progress& progress) {
                                   if (progress.t > 3) cancel = true;
                                 }});
  if (report.end == RunEnd::cancelled) fmt::print("cancelled at {:.2f} s\n", report.reached);
  // [end]
  expect(report.end == RunEnd::cancelled && report.reached < 4, "it was cancelled");
}

}  // namespace

int main() {
  try {
    pendulum();
    list();
    ball();
    stiff();
    dae();
    const Ode oscillator{.y0 = {2, 0}, .rhs = [](Time, ConstVector y, Vector dy) {
                           dy[0] = y[1];
                           dy[1] = 5 * (1 - y[0] * y[0]) * y[1] - y[0];
                         }};
    restart(oscillator);
    cancel(oscillator);
  } catch (const Error& error) {
    fmt::print("{}\n", error.what());
    return EXIT_FAILURE;
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
