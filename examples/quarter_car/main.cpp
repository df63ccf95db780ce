// Two coupled units against the whole: the error falls with the communication step as the order of the inputs says.
//
// Polynomials of degree k in the inputs make it fall with order k + 1, but not beyond 2 here: at the start there is no
// past, so that the first step holds its inputs, and the road's step makes them move at once. That one step errs by
// O(H²), and whatever comes after it cannot take that back.
#include <array>
#include <cmath>

#include "coupled.hpp"

using namespace consort;

namespace {

// At t = 1 s, independently computed.
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

// At the end, in all four.
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

  fmt::print("\nTwo units: error at t = 1 s by the step and by the order of the inputs' polynomials\n");
  const auto document = example::read_system(program);
  constexpr std::array steps{4e-3, 2e-3, 1e-3};
  for (const int order : {0, 1, 2}) {
    std::array<double, steps.size()> errors{};
    for (std::size_t i = 0; i < steps.size(); ++i) errors[i] = error_of(coupled(document, order, steps[i]), whole);
    const double slope = std::log2(errors[1] / errors[2]);
    const int expected = std::min(order + 1, 2);
    figures.check(
        std::abs(slope - expected) < 0.2,
        fmt::format("order {}: {:.2e} with 4 ms, {:.2e} with 2 ms, {:.2e} with 1 ms; falls with order {:.2f}, "
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
