// Two coupled units compared with the whole: the error decreases with the communication step as expected from the order
// of the inputs.
//
// With polynomials of degree k in the inputs, the order of the error is k + 1, but at most 2 here: the first step has
// no history and holds its inputs, although the step of the road makes them change at once. This step has an error of
// O(H²), which remains in the result.
#include <array>
#include <cmath>

#include "coupled.hpp"

using namespace consort;

namespace {

// Values at t = 1 s, computed independently.
struct Reference {
  const char* in_units;
  const char* in_whole;
  double value;
};
constexpr std::array references{
    Reference{"chassis.z", "car.z_chassis", 0.06528944}, Reference{"chassis.v", "car.v_chassis", -0.03060215},
    Reference{"wheel.z", "car.z_wheel", 0.09660651}, Reference{"wheel.v", "car.v_wheel", 0.00429470}};

example::Outcome coupled(graph::Document document, int order, double step) {
  document.run.extrapolation = std::to_string(order);
  document.run.step = step;
  return example::run(document);
}

// Norm of the error of all four values at the end.
double error_of(const example::Outcome& units, const example::Outcome& whole) {
  double sum = 0;
  for (const auto& r : references) sum += std::pow(units.last(r.in_units) - whole.last(r.in_whole), 2);
  return std::sqrt(sum);
}

int quarter_car(const char* program, const std::filesystem::path& folder) {
  example::Figures figures;
  fmt::print("The quarter car as one model, at t = 1 s\n");
  const auto whole = example::run(example::read_system(program, "whole.yaml"));
  for (const auto& r : references) figures.near(r.in_whole, whole.last(r.in_whole), r.value, 2e-8);

  fmt::print("\nTwo units: error at t = 1 s by the step size and the order of the inputs' polynomials\n");
  const auto document = example::read_system(program);
  constexpr std::array steps{4e-3, 2e-3, 1e-3};
  for (const int order : {0, 1, 2}) {
    std::array<double, steps.size()> errors{};
    for (std::size_t i = 0; i < steps.size(); ++i) errors[i] = error_of(coupled(document, order, steps[i]), whole);
    const double slope = std::log2(errors[1] / errors[2]);
    const int expected = std::min(order + 1, 2);
    figures.check(
        std::abs(slope - expected) < 0.2,
        fmt::format("order {}: {:.2e} with 4 ms, {:.2e} with 2 ms, {:.2e} with 1 ms; decreases with order {:.2f}, "
                    "expected {}",
                    order, errors[0], errors[1], errors[2], slope, expected));
  }

  fmt::print("\n");
  const std::array<std::string, 4> shown{"chassis.z", "wheel.z", "chassis.v", "wheel.v"};
  example::write_plot(folder, "quarter_car", coupled(document, 0, 1e-3).result, shown,
                      "Quarter car over a step of 10 cm, two units");
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_example(argc, argv,
                              [&](const std::filesystem::path& folder) { return quarter_car(argv[0], folder); });
}
