// Instructions per step (set, doStep, get) of an exported FMU, compared with a hand-written FMU in C of the same model.
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include <fmt/core.h>

#include "fmi/fmu.hpp"
#include "measure.hpp"
#include "os/temp_folder.hpp"

namespace consort::bench {
namespace {

constexpr int steps = 10000;

// Instructions inside the function only; negative without valgrind.
double instructions(const char* function, const std::string& library, const std::string& token) {
  const os::TempFolder folder("exported");
  const std::string text = output_of(
      fmt::format("valgrind --tool=callgrind --toggle-collect={} --callgrind-out-file='{}/out' '{}' '{}' '{}' {} 2>&1",
                  function, folder.path().string(), CONSORT_STEP_DRIVER, library, token, steps));
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("Collected : ([0-9]+)"))) return -1;
  return std::stod(match[1]) / steps;
}

}  // namespace
}  // namespace consort::bench

int main() {
  using namespace consort;
  const fmi::Fmu fmu = fmi::Fmu::open(std::filesystem::path(CONSORT_FMU_DIR) / "fmi2/Node.fmu");
  const std::string exported = (fmu.folder() / "binaries/linux64/Node.so").string();
  const std::string& token = fmu.description().instantiation_token;
  fmt::print("{:<12} {:>12} {:>12} {:>8}\n", "instructions", "exported", "by hand", "ratio");
  double sums[2] = {0, 0};
  const auto print = [](const char* what, double ours, double theirs) {
    fmt::print("{:<12} {:>12.1f} {:>12.1f} {:>8.2f}\n", what, ours, theirs, ours / theirs);
  };
  for (const char* const function : {"fmi2SetReal", "fmi2DoStep", "fmi2GetReal"}) {
    const double ours = bench::instructions(function, exported, token);
    const double theirs = bench::instructions(function, CONSORT_NODE_BY_HAND, token);
    if (ours < 0 || theirs < 0) {
      fmt::print(stderr, "bench_exported: no instructions were counted; install valgrind\n");
      return EXIT_FAILURE;
    }
    print(function, ours, theirs);
    sums[0] += ours;
    sums[1] += theirs;
  }
  print("one step", sums[0], sums[1]);
  return sums[0] <= 2 * sums[1] ? EXIT_SUCCESS : EXIT_FAILURE;
}
