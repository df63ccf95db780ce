// Estimated and true local errors over the step size, for coupling by displacements and by force and displacement.
//
// The local error of a step is its distance from the exact solution that starts at the beginning of the step. All steps
// are equal, and no step is rejected.
#include "linear_systems.hpp"

using namespace consort;

namespace {

struct Errors {
  double local = 0;  // the largest norm over all steps
  double estimated = 0;
};

struct Experiment {
  const char* name;
  example::TwoMasses masses;
  bool by_force;
  const char* file = nullptr;  // of its plot
};

// `h`: half of a step. The first steps are ignored because they have no history.
Errors errors_of(const Experiment& e, const std::string& controller, int order, double h) {
  graph::RunSettings s;
  s.stop = 0.2;
  s.step = 2 * h;
  s.tolerance = 1e-4;
  s.threads = 1;
  s.extrapolation = std::to_string(order);
  s.control.controller = controller;
  s.control.tolerance = 1e12;
  s.control.minimum = s.control.maximum = 2 * h;
  s.record.variables = {"*"};
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

example::TwoMasses three_springs() {  // A Table 3.1
  example::TwoMasses masses;
  masses.k1 = 10;
  masses.d1 = 1;
  masses.k2 = 50;
  masses.d2 = 2;
  masses.k = 25;
  masses.d = 0.1;
  masses.start = {1, 0, 0, 0};
  return masses;
}

// --- the units' own tolerance (A Fig. 3.14)

// The largest estimate of richardson with equal steps of 2h if the units' solvers use this tolerance.
double estimate_with(const char* program, double tolerance, double h) {
  auto d = example::read_system(program);
  d.run.step = 2 * h;
  d.run.tolerance = tolerance;
  d.run.threads = 1;
  d.run.record.variables = {"*"};
  d.run.control.controller = "richardson";
  d.run.control.tolerance = 1e12;
  d.run.control.minimum = d.run.control.maximum = 2 * h;
  const auto run = example::run(d);
  double largest = 0;
  for (std::size_t i = 1; i < run.result.rows(); ++i) {
    if (run.result.time[i - 1] < 0.05) continue;
    double sum = 0;
    for (const char* const name : {"trust.a.x", "trust.a.v", "trust.b.x", "trust.b.v"})
      sum += std::pow(run.result[name].numbers[i], 2);
    largest = std::max(largest, std::sqrt(sum));
  }
  return largest;
}

void compare_tolerances(const char* program, const std::filesystem::path& folder, example::Figures& figures) {
  fmt::print("\nThree springs, units with a solver and its own tolerance, order 1\n");
  constexpr std::array tolerances{1e-4, 1e-6, 1e-8, 1e-10};
  constexpr std::array steps{6.25e-4, 1.25e-3, 2.5e-3, 5e-3, 1e-2};
  example::Table table({{"tolerance 1e-4"}, {"1e-6"}, {"1e-8"}, {"1e-10"}, {"exact units"}});
  for (const double h : steps) {
    std::array<double, tolerances.size() + 1> row{};
    for (std::size_t i = 0; i < tolerances.size(); ++i) row[i] = estimate_with(program, tolerances[i], h);
    row.back() = errors_of({"", three_springs(), false}, "richardson", 1, h).estimated;
    const double coupling = row.back();
    for (std::size_t i = 0; i < tolerances.size(); ++i) {
      const double off = row[i] / coupling;
      const auto text =
          fmt::format("half step {:.2g} ms, tolerance {:.0e}: the estimate is {:.1e}, {:.2f} times that of {}", 1e3 * h,
                      tolerances[i], row[i], off, "exact units");
      if (coupling >= 10 * tolerances[i]) {
        figures.check(std::abs(off - 1) < 0.1, text);
      } else if (coupling <= tolerances[i] / 50) {
        figures.check(off > 5, text + ": dominated by the solver's noise");
      } else {
        fmt::print("     {}\n", text);
      }
    }
    for (double& y : row) y = std::log10(y);
    table.add(std::log10(h), row);
  }
  table.write(folder, "own_tolerance", "Estimated errors by the units' own tolerance, decimal logarithms",
              "log₁₀ of half the step [s]");
}

using Row = std::array<double, 9>;  // by order: local error, richardson, modified; decimal logarithms

// Draws errors as lines and estimates as dots.
void draw(const std::filesystem::path& folder, const Experiment& e, std::span<const double> steps,
          std::span<const Row> rows) {
  std::vector<example::Column> columns;
  for (const int order : {0, 1, 2})
    for (const char* const what : {"local error", "richardson", "modified"})
      columns.push_back({fmt::format("{}, order {}", what, order)});
  example::Table table(columns);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    table.add(std::log10(steps[i]), rows[i]);
    if (i + 1 == steps.size()) break;
    Row between{};
    for (std::size_t k = 0; k < between.size(); ++k)
      between[k] = k % 3 == 0 ? 0.5 * (rows[i][k] + rows[i + 1][k]) : std::numeric_limits<double>::quiet_NaN();
    table.add(0.5 * (std::log10(steps[i]) + std::log10(steps[i + 1])), between);
  }
  table.write(folder, e.file, fmt::format("{}: errors of a step and estimates, decimal logarithms", e.name),
              "log₁₀ of half the step [s]");
}

int error_estimate(const char* program, const std::filesystem::path& folder) {
  example::Figures figures;
  const std::array experiments{Experiment{"quarter car, displacements", example::quarter_car(), false, "displacements"},
                               Experiment{"quarter car, force", example::quarter_car(), true, "force"},
                               Experiment{"three springs, displacements", three_springs(), false},
                               Experiment{"three springs, force", three_springs(), true}};
  constexpr std::array steps{2.5e-4, 5e-4, 1e-3, 2e-3};
  for (const auto& e : experiments) {
    fmt::print("{}{}\n", &e == experiments.data() ? "" : "\n", e.name);
    std::array<Row, steps.size()> rows{};
    for (const std::string controller : {"richardson", "modified"}) {
      for (const int order : {0, 1, 2}) {
        std::array<Errors, steps.size()> all{};
        for (std::size_t i = 0; i < steps.size(); ++i) all[i] = errors_of(e, controller, order, steps[i]);
        const int expected = order + (e.by_force ? 1 : 2);
        const auto slope = [&](double Errors::*what) { return std::log2(all[1].*what / all[0].*what); };
        const double local = slope(&Errors::local);
        const double estimated = slope(&Errors::estimated);
        const double ratio = all[0].estimated / all[0].local;
        figures.check(
            std::abs(local - expected) < 0.15 && std::abs(estimated - expected) < 0.15,
            fmt::format("{}, order {}: decreases with order {:.2f} (local error) and {:.2f} (estimate), expected {}",
                        controller, order, local, estimated, expected));
        figures.check(
            ratio > 0.8 && ratio < 1.25,
            fmt::format("{}, order {}: the estimate is {:.2f} times the local error", controller, order, ratio));
        const std::size_t first = 3 * static_cast<std::size_t>(order);
        for (std::size_t i = 0; i < steps.size(); ++i) {
          rows[i][first] = std::log10(all[i].local);
          rows[i][first + (controller == "richardson" ? 1 : 2)] = std::log10(all[i].estimated);
        }
      }
    }
    if (e.file != nullptr) draw(folder, e, steps, rows);
  }
  compare_tolerances(program, folder, figures);
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_example(argc, argv,
                              [&](const std::filesystem::path& folder) { return error_estimate(argv[0], folder); });
}
