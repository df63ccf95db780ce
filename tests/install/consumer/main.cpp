// A program of another project: finds the installed library and runs an FMU with it.
#include <cmath>
#include <cstdio>

#include <consort/fmu.hpp>
#include <consort/system.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const consort::Fmu fmu(argv[1]);
    const consort::Result result = fmu.simulate({.stop_time = 1.0, .step_size = 0.1, .tolerance = 1e-6});
    const double x = result["x"].back();
    std::printf("%s: x = %.6f at t = %g s\n", fmu.model_name().c_str(), x, result.time().back());
    // The same FMU as a system of one unit.
    const auto system = consort::System("one").add("unit", argv[1]).run({.stop = 1.0, .step = 0.1});
    if (system["unit.x"].size() != 11) return 1;
    // Dahlquist's equation with k = 1; the FMU's own solver takes steps of 0.1 s.
    return result.time().size() == 11 && std::abs(x - std::exp(-1.0)) < 1e-4 ? 0 : 1;
  } catch (const consort::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
