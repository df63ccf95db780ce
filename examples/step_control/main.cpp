// A quarter car with a tolerance instead of a step: counts of steps, and the error over four decades of tolerances.
#include "linear_systems.hpp"
#include "thesis_scheme.hpp"

using namespace consort;

namespace {

using ToleranceFor = graph::StepControl::ToleranceFor;
constexpr std::array tolerances{1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
// With held inputs, a tolerance of 1e-5 for the whole run needs a million steps.
constexpr std::array coarse_tolerances{1e-1, 1e-2, 1e-3, 1e-4, 1e-5};

graph::RunSettings settings(int order, double tolerance, ToleranceFor what = ToleranceFor::step) {
  graph::RunSettings s;
  s.stop = 1;
  s.step = 1e-3;
  s.tolerance = tolerance;
  s.threads = 1;
  s.extrapolation = std::to_string(order);
  s.control.controller = "richardson";
  s.control.tolerance_for = what;
  return s;
}

// The largest error over all accepted steps and all four states.
double largest_error(const example::TwoMasses& car, const example::Outcome& run) {
  double largest = 0;
  auto exact = car.start;
  for (std::size_t i = 1; i < run.result.rows(); ++i) {
    exact = car.after(exact, run.result.time[i] - run.result.time[i - 1]);
    const auto y = example::row(run.result, i);
    for (std::size_t j = 0; j < y.size(); ++j) largest = std::max(largest, std::abs(y[j] - exact[j]));
  }
  return largest;
}

struct Counts {
  int order;
  double accepted, rejected;  // of the reference scheme
  double in_thesis;           // accepted, with the norm and the inputs of A eqs. 3.72 and 4.7
};

int step_control(const std::filesystem::path& folder) {
  example::Figures figures;
  const auto car = example::quarter_car();

  fmt::print("Accepted and rejected steps with a tolerance of 1e-4\n");
  for (const auto& c : {Counts{0, 363, 14, 300}, Counts{1, 98, 12, 88}, Counts{2, 59, 7, 71}}) {
    auto s = settings(c.order, 1e-4);
    s.control.divisor = graph::StepControl::Divisor::equal_steps;
    const auto reference = example::run(car, false, s).report;
    figures.near(fmt::format("order {}: accepted", c.order), static_cast<double>(reference.steps), c.accepted,
                 0.05 * c.accepted);
    figures.near(fmt::format("order {}: rejected", c.order), static_cast<double>(reference.rejected), c.rejected,
                 0.05 * c.rejected);
    if (c.order < 2) {  // the inputs of A are the same up to order 1
      s.control.norm = graph::StepControl::Norm::root_mean;
      figures.near(fmt::format("order {}: accepted with the norm of A", c.order),
                   static_cast<double>(example::run(car, false, s).report.steps), c.in_thesis, 0.05 * c.in_thesis);
    }
    const auto thesis = example::ThesisScheme(car, c.order, 1e-4).run(1, 1e-3);
    figures.near(fmt::format("order {}: accepted with the norm and the inputs of A", c.order), thesis.accepted,
                 c.in_thesis, 0.05 * c.in_thesis);
  }

  fmt::print("\nThe largest error of any state at any time, by the tolerance of every step\n");
  for (const int order : {0, 1, 2}) {
    std::vector<double> errors;
    double worst = 0;  // error / tolerance
    for (const double tolerance : tolerances) {
      errors.push_back(largest_error(car, example::run(car, false, settings(order, tolerance))));
      // With held inputs, the error decreases with the root of the tolerance, so below 1e-4 it exceeds a hundred times.
      if (order > 0 || tolerance >= 1e-4) worst = std::max(worst, errors.back() / tolerance);
    }
    // Each of the 1/H steps has an error equal to the tolerance: H^(k+2) ~ tolerance, error ~ H^(k+1).
    const double expected = (order + 1.0) / (order + 2.0);
    const double slope = std::log10(errors.front() / errors.back()) / 4;
    figures.check(
        std::abs(slope - expected) < 0.15,
        fmt::format("order {}: {:.1e} with 1e-2, {:.1e} with 1e-4, {:.1e} with 1e-6; decreases with the power "
                    "{:.2f} of the tolerance, expected {:.2f}",
                    order, errors[0], errors[2], errors[4], slope, expected));
    figures.check(worst <= 100, fmt::format("order {}: at most {:.0f} times the tolerance{}", order, worst,
                                            order == 0 ? ", down to 1e-4" : ""));
  }

  fmt::print("\nThe same with a tolerance for the whole run, of which each step has a share\n");
  for (const int order : {0, 1, 2}) {
    std::vector<double> errors;
    double worst = 0;
    for (const double tolerance : order == 0 ? coarse_tolerances : tolerances) {
      errors.push_back(largest_error(car, example::run(car, false, settings(order, tolerance, ToleranceFor::run))));
      worst = std::max(worst, errors.back() / tolerance);
    }
    // Each step has the share H of the tolerance: H^(k+2) ~ H · tolerance, so the error of the run ~ H^(k+1) ~
    // tolerance.
    const double slope = std::log10(errors[1] / errors.back()) / 3;
    figures.check(std::abs(slope - 1) < 0.15,
                  fmt::format("order {}: {:.1e}, {:.1e}, {:.1e}, {:.1e}, {:.1e} with tolerances from {:.0e} on, each a "
                              "tenth of the last; decreases with the power {:.2f} of the tolerance, expected 1",
                              order, errors[0], errors[1], errors[2], errors[3], errors[4],
                              order == 0 ? coarse_tolerances[0] : tolerances[0], slope));
    figures.check(worst <= 100, fmt::format("order {}: at most {:.1f} times the tolerance", order, worst));
  }

  fmt::print("\n");
  const auto shown = example::run(car, false, settings(1, 1e-4));
  fmt::print("{}\n", shown.report.text());
  const std::array<std::string, 2> names{"a.x1", "b.x2"};
  example::write_plot(folder, "step_control", shown.result, names, "Quarter car with a tolerance of 1e-4");
  example::write_picture(folder, "step_control_trust",
                         draw::plot_trust_svg(shown.result, {.title = "Steps, their errors, and the limiting units"}));
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) { return example::run_example(argc, argv, step_control); }
