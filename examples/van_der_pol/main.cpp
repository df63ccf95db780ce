// The Van der Pol oscillator in a few lines (Andersson, 4.1.3): a problem, a solver chosen by name, rows of results.
#include "../example.hpp"
#include "solve/integrate.hpp"

using namespace consort;
using namespace consort::solve;

namespace {

int run(const std::filesystem::path& folder) {
  constexpr double mu = 200;
  const Ode ode{.y0 = {2, -0.6}, .rhs = [](Time, ConstVector y, Vector dy) {
                  dy[0] = y[1];
                  dy[1] = mu * ((1 - y[0] * y[0]) * y[1] - y[0]);
                }};
  example::Table table({{.name = "y1"}, {.name = "y2", .unit = "1/s"}});
  const auto add = [&](const OutputRow& row) { table.add(row.t, row.y); };
  const auto report = integrate(ode, "cvode", {.rtol = 1e-4}, {.stop = 2, .interval = 0.002, .output = add});

  fmt::print("CVODE: {} steps, {} evaluations, y(2) = ({:.6f}, {:.6f})\n", report.statistics.steps,
             report.statistics.evaluations, report.y[0], report.y[1]);
  // There is no published value, so a run of another method with a tight tolerance is the reference.
  const auto reference =
      integrate(ode, "arkode-dirk-ark548l2sa-dirk-8-4-5", {.rtol = 1e-9, .atol = {1e-10}}, {.stop = 2});
  example::Figures figures;
  figures.near("y1(2)", report.y[0], reference.y[0], 0.01);
  figures.near("y2(2)", report.y[1], reference.y[1], 0.01 * std::abs(reference.y[1]) + 0.01);
  table.write(folder, "van_der_pol", "Van der Pol oscillator, mu = 200");
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) { return example::run_example(argc, argv, run); }
