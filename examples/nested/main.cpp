// A nested system with its own units of measure, and a scenario.
#include <algorithm>
#include <array>
#include <cmath>

#include "coupled.hpp"

using namespace consort;

namespace {

// The first row at or after time t.
std::size_t row_at(const record::Result& result, Time t) {
  const auto at = std::lower_bound(result.time.begin(), result.time.end(), t);
  return static_cast<std::size_t>(std::min(at, result.time.end() - 1) - result.time.begin());
}

int nested(const char* program, const std::filesystem::path& folder) {
  example::Figures figures;
  const auto run = example::run(example::read_system(program));
  const auto& result = run.result;
  const auto at = [&](const char* name, Time t) { return result[name].numbers[row_at(result, t)]; };

  fmt::print("A controller heats one end of a rod; the rod is a system of two halves\n");
  figures.near("setpoint of the temperature in degC", at("wanted", 0), 60, 0);
  figures.near("temperature of the middle after 1800 s in degC", at("temperature", 1800), 60, 0.5);

  double worst = 0;
  for (std::size_t i = 0; i < result.rows(); ++i) {
    const double celsius = result["temperature"].numbers[i];
    worst = std::max(worst, std::abs(celsius + 273.15 - result["plant.left.t[4]"].numbers[i]));
  }
  figures.near("largest |degC + 273.15 - K| of the middle, over all rows", worst, 0, 1e-9);
  figures.near("cross section: 1 cm2 outside, in m2 inside", at("plant.right.area", 0), 1e-4, 1e-12);
  figures.near("heat in W outside, in kW and W on its way", at("heat", 1800), at("plant.left.q_left", 1800), 1e-6);

  fmt::print("\nAfter 1800 s the cold end is chilled from 20 to 0 degC within a minute\n");
  figures.near("cold end before, in K", at("plant.right.t_right", 1799), 293.15, 1e-9);
  figures.near("cold end half way, in K", at("plant.right.t_right", 1830), 283.15, 0.5);
  figures.near("cold end afterwards, in K", at("plant.right.t_right", 1900), 273.15, 1e-9);
  const auto& temperatures = result["temperature"].numbers;
  const double lowest =
      *std::min_element(temperatures.begin() + static_cast<std::ptrdiff_t>(row_at(result, 1800)), temperatures.end());
  figures.check(lowest < 59.5, fmt::format("the temperature of the middle drops: {:.2f} degC", lowest));
  figures.near("temperature after the controller's correction at 3600 s, in degC", at("temperature", 3600), 60, 0.5);

  fmt::print("\n");
  const std::array<std::string, 3> shown{"temperature", "controller.u", "heat"};
  example::write_plot(folder, "nested", result, shown, "A heated rod, chilled at its other end after half an hour");
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_example(argc, argv, [&](const std::filesystem::path& folder) { return nested(argv[0], folder); });
}
