// Estimated against true local errors, over the step: coupling by displacements and by force and displacement.
//
// The local error of a step is what it adds to the error: the distance from the exact solution that begins where the
// step begins. Steps are all equal here, and none is rejected.
#include "linear_systems.hpp"

using namespace consort;

namespace {

struct Errors {
  double local = 0;  // norms, the largest of all steps
  double estimated = 0;
};

struct Experiment {
  const char* name;
  example::TwoMasses masses;
  bool by_force;
};

// `h`: half of a step. The first steps have no past and do not count.
Errors errors_of(const Experiment& e, const std::string& controller, int order, double h) {
  graph::RunSettings s;
  s.stop = 0.2;
  s.step = 2 * h;
  s.tolerance = 1e-4;
  s.threads = 1;
  s.extrapolation = order;
  s.control.controller = controller;
  s.control.tolerance = 1e12;
  s.control.minimum = s.control.maximum = 2 * h;
  s.record = {"*"};
  const auto run = example::run(e.masses, e.by_force, s);
  const auto& r = run.result;
  Errors errors;
  for (std::size_t i = 1; i < r.rows(); ++i) {
    if (r.time[i - 1] < 0.05) continue;
    const auto exact = e.masses.after(example::row(r, i - 1), r.time[i] - r.time[i - 1]);
    const auto y = example::row(r, i);
    double local = 0;
    double estimated = 0;
    const auto& m = e.masses;
    if (e.by_force) {
      const double force = m.k * (exact[2] - exact[0]) + m.d * (exact[3] - exact[1]);
      local = std::abs(r["b.F"].numbers[i] - force);
      estimated = std::abs(r["trust.b.F"].numbers[i]);
    } else {
      const std::array<const char*, 4> names{"trust.a.x1", "trust.a.v1", "trust.b.x2", "trust.b.v2"};
      for (std::size_t j = 0; j < 4; ++j) {
        local += std::pow(y[j] - exact[j], 2);
        estimated += std::pow(r[names[j]].numbers[i], 2);
      }
      local = std::sqrt(local);
      estimated = std::sqrt(estimated);
    }
    errors.local = std::max(errors.local, local);
    errors.estimated = std::max(errors.estimated, estimated);
  }
  return errors;
}

int error_estimate(const std::filesystem::path& folder) {
  example::Figures figures;
  example::TwoMasses three_springs;  // A Table 3.1
  three_springs.k1 = 10;
  three_springs.d1 = 1;
  three_springs.k2 = 50;
  three_springs.d2 = 2;
  three_springs.k = 25;
  three_springs.d = 0.1;
  three_springs.start = {1, 0, 0, 0};
  const std::array experiments{Experiment{"quarter car, displacements", example::quarter_car(), false},
                               Experiment{"quarter car, force", example::quarter_car(), true},
                               Experiment{"three springs, displacements", three_springs, false},
                               Experiment{"three springs, force", three_springs, true}};
  example::Table table({{"local error, order 0"},
                        {"richardson, order 0"},
                        {"local error, order 1"},
                        {"richardson, order 1"},
                        {"local error, order 2"},
                        {"richardson, order 2"}});
  constexpr std::array steps{2.5e-4, 5e-4, 1e-3, 2e-3};
  std::array<std::array<double, 6>, steps.size()> rows{};
  for (const auto& e : experiments) {
    fmt::print("{}{}\n", &e == experiments.data() ? "" : "\n", e.name);
    for (const std::string controller : {"richardson", "modified"}) {
      for (const int order : {0, 1, 2}) {
        std::array<Errors, steps.size()> all{};
        for (std::size_t i = 0; i < steps.size(); ++i) all[i] = errors_of(e, controller, order, steps[i]);
        const int expected = order + (e.by_force ? 1 : 2);
        const auto slope = [&](double Errors::*what) { return std::log2(all[1].*what / all[0].*what); };
        const double local = slope(&Errors::local);
        const double estimated = slope(&Errors::estimated);
        const double ratio = all[0].estimated / all[0].local;
        figures.check(std::abs(local - expected) < 0.15 && std::abs(estimated - expected) < 0.15,
                      fmt::format("{}, order {}: falls with {:.2f} (local error) and {:.2f} (estimate), expected {}",
                                  controller, order, local, estimated, expected));
        figures.check(
            ratio > 0.8 && ratio < 1.25,
            fmt::format("{}, order {}: the estimate is {:.2f} times the local error", controller, order, ratio));
        if (&e != experiments.data() || controller != "richardson") continue;
        for (std::size_t i = 0; i < steps.size(); ++i) {
          rows[i][static_cast<std::size_t>(2 * order)] = std::log10(all[i].local);
          rows[i][static_cast<std::size_t>(2 * order) + 1] = std::log10(all[i].estimated);
        }
      }
    }
  }
  fmt::print("\n");
  for (std::size_t i = 0; i < steps.size(); ++i) table.add(std::log10(steps[i]), rows[i]);
  table.write(folder, "error_estimate", "Local errors of a quarter car over the half step; decimal logarithms");
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) { return example::run_example(argc, argv, error_estimate); }
