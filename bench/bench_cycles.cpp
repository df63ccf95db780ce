// Number of FMUs that can be loaded, simulated and unloaded per second.
#include <filesystem>

#include <fmt/core.h>

#include "engine/simulate_fmu.hpp"
#include "measure.hpp"
#include "record/result.hpp"

namespace consort::bench {
namespace {

void cycle(const std::filesystem::path& file) {
  const auto fmu = fmi::Fmu::open(file);
  record::Result result;
  record::MemorySink sink(result);
  record::Sink* const sinks[] = {&sink};
  engine::simulate_fmu(fmu, {.simulate = {.stop = 0.1, .step = 0.01}}, sinks);
}

}  // namespace
}  // namespace consort::bench

int main() {
  using namespace consort::bench;
  constexpr int cycles = 100;
  fmt::print("{:<9} {:>10}\n{:<9} {:>10}\n", "Node.fmu", "cycles", "10 steps", "per second");
  for (const char* const folder : {"fmi1/cs", "fmi2", "fmi3"}) {
    const auto file = std::filesystem::path(CONSORT_FMU_DIR) / folder / "Node.fmu";
    const double seconds = best_of(5, [&] {
      for (int i = 0; i < cycles; ++i) cycle(file);
    });
    fmt::print("{:<9} {:>10.0f}\n", folder, cycles / seconds);
  }
}
