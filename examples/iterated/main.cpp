// Implicit coupling: a step is repeated until the inputs agree with the outputs at its end.
#include <array>
#include <limits>

#include "coupled.hpp"

using namespace consort;

namespace {

graph::Document stiff_pair(const char* program, const char* stepper, int order, double step) {
  auto document = example::read_system(program);
  document.run.stepper = stepper;
  document.run.extrapolation = std::to_string(order);
  document.run.step = step;
  document.run.output_interval = 5e-3;
  document.run.iteration.tolerance = 1e-10;
  for (auto& unit : document.system.components) {
    unit.interface = describe::InterfaceType::model_exchange;
    unit.solver = "dopri5";
  }
  return document;
}

double largest(const example::Outcome& outcome, const char* name) {
  double most = 0;
  for (const double x : outcome.result[name].numbers) most = std::max(most, std::abs(x));
  return most;
}

// The largest distance over the rows that both results have at the same times.
double largest_distance(const example::Outcome& a, const char* in_a, const example::Outcome& b, const char* in_b) {
  const auto& x = a.result[in_a].numbers;
  const auto& y = b.result[in_b].numbers;
  double most = 0;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) most = std::max(most, std::abs(x[i] - y[i]));
  return most;
}

// Adds a trajectory to the plot without the values that exceed the scale.
void add(record::Result& to, const record::Result& from, const std::string& name, const std::string& as) {
  auto trajectory = from[name];
  trajectory.signal.name = as;
  for (auto& x : trajectory.numbers)
    if (!(std::abs(x) < 1)) x = std::numeric_limits<double>::quiet_NaN();
  to.time = from.time;
  to.trajectories.push_back(std::move(trajectory));
}

void where_others_diverge(const char* program, const std::filesystem::path& folder, example::Figures& figures) {
  fmt::print(
      "Two masses with 200 kN/m between them, steps of 5 ms: largest displacement of the first mass (0.5 m at the "
      "start)\n");
  auto whole_document = example::read_system(program, "whole.yaml");
  whole_document.run.output_interval = 5e-3;
  const auto whole = example::run(whole_document);
  record::Result plot;
  add(plot, whole.result, "both.x1", "one piece");
  for (const char* stepper : {"jacobi", "gauss-seidel"}) {
    const auto outcome = example::run(stiff_pair(program, stepper, 1, 5e-3));
    figures.check(largest(outcome, "one.x") > 1e3,
                  fmt::format("{}: {:.2g} m, it diverges", stepper, largest(outcome, "one.x")));
    add(plot, outcome.result, "one.x", stepper);
  }
  const auto iterated = example::run(stiff_pair(program, "iterated", 1, 5e-3));
  figures.check(largest(iterated, "one.x") <= 0.5 + 1e-9,
                fmt::format("iterated: {:.2g} m, {:.3g} iterations per step", largest(iterated, "one.x"),
                            static_cast<double>(iterated.report.iterations.at(0).iterations) /
                                static_cast<double>(iterated.report.steps)));
  add(plot, iterated.result, "one.x", "iterated");

  fmt::print("\nLargest distance from the single model, by the order of the inputs' polynomials\n");
  for (const int order : {0, 1, 2}) {
    // The implicit Euler method has so much damping that its order is visible only with short steps.
    const double step = order == 0 ? 1e-5 : 2e-4;
    std::array<double, 2> errors{};
    for (std::size_t i = 0; i < errors.size(); ++i) {
      auto document = stiff_pair(program, "iterated", order, i == 0 ? step : step / 2);
      document.run.stop = 0.05;
      errors[i] = largest_distance(example::run(document), "one.x", whole, "both.x1");
    }
    const double slope = std::log2(errors[0] / errors[1]);
    figures.check(std::abs(slope - (order + 1)) < 0.2,
                  fmt::format("order {}: {:.2e} m with {} ms, {:.2e} m with half of that; decreases with order {:.2f}, "
                              "expected {}",
                              order, errors[0], 1e3 * step, errors[1], slope, order + 1));
  }
  example::write_plot(folder, "iterated", plot, {},
                      "A stiff connection: displacement of the first mass, steps of 5 ms");
}

struct Method {
  const char* name;
  int reuse;
};

void how_many_iterations(const char* program, example::Figures& figures) {
  constexpr double step = 6e-3;
  constexpr double tolerance = 1e-8;
  fmt::print("\nThe car in five units with 172 connections, steps of {} ms, tolerance {}: iterations per step\n",
             1e3 * step, tolerance);
  const auto document = [&] {
    auto d = example::read_system(program, "../vehicle/system.yaml");
    d.run.stepper = "iterated";
    d.run.step = step;
    d.run.stop = 1;
    d.run.output_interval.reset();
    d.run.iteration.tolerance = tolerance;
    d.run.iteration.max_iterations = 200;
    return d;
  }();
  double before = std::numeric_limits<double>::infinity();
  for (const auto& method :
       {Method{"fixed-point", 0}, Method{"aitken", 0}, Method{"iqn-ils", 0}, Method{"iqn-ils", 4}}) {
    auto d = document;
    d.run.iteration.method = method.name;
    d.run.iteration.reuse = method.reuse;
    const auto outcome = example::run(d);
    const auto& i = outcome.report.iterations.at(0);
    const double mean = static_cast<double>(i.iterations) / static_cast<double>(i.steps);
    figures.check(mean < before, fmt::format("{}{}: {:.2f}, {} at most", method.name,
                                             method.reuse > 0 ? ", using four past steps" : "", mean, i.most));
    before = mean;
  }
  fmt::print("\n");
}

int iterated(const char* program, const std::filesystem::path& folder) {
  example::Figures figures;
  where_others_diverge(program, folder, figures);
  how_many_iterations(program, figures);
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_example(argc, argv,
                              [&](const std::filesystem::path& folder) { return iterated(argv[0], folder); });
}
