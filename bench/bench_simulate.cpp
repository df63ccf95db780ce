// Cost of Consort's loop over one FMU in addition to the FMI calls.
#include <cstdarg>
#include <cstring>
#include <filesystem>

#include <dlfcn.h>
#include <fmt/core.h>

#include "engine/simulate_fmu.hpp"
#include "fmi/headers/fmi2/fmi2FunctionTypes.h"
#include "measure.hpp"

namespace consort::bench {
namespace {

namespace fs = std::filesystem;
constexpr double step = 1e-3;

class NullSink : public record::Sink {
 public:
  void begin(const record::Header&) override {}
  void write(Time, const Columns& row) override { sum += row.column<double>().front(); }
  void flush() override {}
  void end() override {}
  double sum = 0;
};

fs::path node() { return fs::path(CONSORT_FMU_DIR) / "fmi2/Node.fmu"; }

void run_ours(const fmi::Fmu& fmu, long steps) {
  NullSink sink;
  record::Sink* const sinks[] = {&sink};
  engine::FmuRun run;
  run.simulate = {.start = 0, .stop = step * static_cast<double>(steps), .step = step, .tolerance = 1e-4};
  run.instance_name = "node";
  engine::simulate_fmu(fmu, run, sinks);
}

// The same calls in the same order, as made by a program that is written only for this FMU.
class BareFmu {
 public:
  explicit BareFmu(const fmi::Fmu& fmu)
      : fmu_(fmu), library_(::dlopen((fmu.folder() / "binaries/linux64/Node.so").c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~BareFmu() { ::dlclose(library_); }
  BareFmu(const BareFmu&) = delete;
  BareFmu& operator=(const BareFmu&) = delete;

  void run(long steps) const {
    const auto& d = fmu_.description();
    const fmi2ValueReference outputs[] = {d[d.require_variable("y1")].reference, d[d.require_variable("y2")].reference};
    const auto get = function<fmi2GetRealTYPE>("fmi2GetReal");
    const auto do_step = function<fmi2DoStepTYPE>("fmi2DoStep");
    const fmi2CallbackFunctions callbacks{log, std::calloc, std::free, nullptr, nullptr};
    const fmi2Component c = function<fmi2InstantiateTYPE>("fmi2Instantiate")(
        "node", fmi2CoSimulation, d.instantiation_token.c_str(), "", &callbacks, fmi2False, fmi2False);
    function<fmi2SetupExperimentTYPE>("fmi2SetupExperiment")(c, fmi2True, 1e-4, 0, fmi2True,
                                                             step * static_cast<double>(steps));
    function<fmi2EnterInitializationModeTYPE>("fmi2EnterInitializationMode")(c);
    function<fmi2ExitInitializationModeTYPE>("fmi2ExitInitializationMode")(c);
    fmi2Real values[2];
    double sum = 0;
    get(c, outputs, 2, values);
    for (long i = 0; i < steps; ++i) {
      do_step(c, static_cast<double>(i) * step, step, fmi2True);
      get(c, outputs, 2, values);
      sum += values[0];
    }
    if (sum < 0) fmt::print("{}\n", sum);
    function<fmi2TerminateTYPE>("fmi2Terminate")(c);
    function<fmi2FreeInstanceTYPE>("fmi2FreeInstance")(c);
  }

 private:
  static void log(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...) {}
  template <class F>
  [[nodiscard]] F* function(const char* name) const {
    return reinterpret_cast<F*>(::dlsym(library_, name));
  }
  const fmi::Fmu& fmu_;
  void* library_;
};

// Instructions of `steps` steps. A second run with half the steps removes the cost of start and end.
double instructions(const std::string& program, const char* which, long steps) {
  const auto count = [&](long n) {
    const std::string text = output_of(
        fmt::format("valgrind --tool=callgrind --callgrind-out-file=/dev/null '{}' {} {} 2>&1", program, which, n));
    const auto at = text.find("Collected :");
    return at == std::string::npos ? 0.0 : std::strtod(text.c_str() + at + std::strlen("Collected :"), nullptr);
  };
  return 2 * (count(steps) - count(steps / 2));
}

int main_of(int argc, char** argv) {
  const auto fmu = fmi::Fmu::open(node());
  if (argc == 3) {
    const long steps = std::strtol(argv[2], nullptr, 10);
    if (std::string(argv[1]) == "--bare") BareFmu(fmu).run(steps);
    if (std::string(argv[1]) == "--ours") run_ours(fmu, steps);
    return 0;
  }
  constexpr long steps = 1'000'000;
  const BareFmu bare_fmu(fmu);
  const double bare = best_of(5, [&] { bare_fmu.run(steps); });
  const double ours = best_of(5, [&] { run_ours(fmu, steps); });
  fmt::print("{:<22} {:>10} {:>10} {:>7}\n", "Node.fmu (FMI 2.0)", "bare calls", "ours", "ratio");
  fmt::print("{:<22} {:>10.1f} {:>10.1f} {:>7.2f}\n", "ns per step", 1e9 * bare / steps, 1e9 * ours / steps,
             ours / bare);
  if (std::system("command -v valgrind > /dev/null 2>&1") != 0) return 0;  // NOLINT: a fixed command
  constexpr long counted = 20'000;
  const double bare_count = instructions(argv[0], "--bare", counted);
  const double our_count = instructions(argv[0], "--ours", counted);
  fmt::print("{:<22} {:>10.0f} {:>10.0f} {:>7.2f}\n", "instructions per step", bare_count / counted,
             our_count / counted, our_count / bare_count);
  return 0;
}

}  // namespace
}  // namespace consort::bench

int main(int argc, char** argv) { return consort::bench::main_of(argc, argv); }
