// A ring of cheap FMUs, Jacobi, one thread: cost of the engine in addition to the units' own work.
//
// The baseline makes the bare calls (set, step, get) in a loop over the same number of instances of the same FMU.
// callgrind counts the instructions, separately inside and outside of the FMU's library.
#include <array>
#include <cstdarg>
#include <cstring>
#include <filesystem>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>

#include "callgrind.hpp"
#include "engine/simulation.hpp"
#include "fmi/headers/fmi2/fmi2FunctionTypes.h"
#include "measure.hpp"

namespace consort::bench {
namespace {

namespace fs = std::filesystem;
constexpr double step = 1e-3;

fs::path fmu_file(const std::string& model) { return fs::path(CONSORT_FMU_DIR) / "fmi2" / (model + ".fmu"); }

// "Node" has two inputs and two outputs. "CostlyNode" has one of each and a load, so that a step takes about 100 ns.
constexpr int load = 20;
struct Names {
  std::vector<std::string> inputs, outputs;
};
Names names_of(const std::string& model) {
  if (model == "Node") return {{"u1", "u2"}, {"y1", "y2"}};
  return {{"u"}, {"y"}};
}

graph::System ring(const std::string& model, long units) {
  graph::System system("ring");
  for (long i = 0; i < units; ++i) {
    auto& unit = system.add(fmt::format("n{}", i), fmu_file(model));
    if (model != "Node") unit.set("load", fmt::format("{}", load));
  }
  for (long i = 0; i < units; ++i) {
    const long next = (i + 1) % units;
    const auto names = names_of(model);
    for (std::size_t k = 0; k < names.inputs.size(); ++k)
      system.connect(fmt::format("n{}.{}", i, names.outputs[k]), fmt::format("n{}.{}", next, names.inputs[k]));
  }
  return system;
}

// Stepped by hand, so that start-up and end are not measured.
class OurRing {
 public:
  OurRing(const std::string& model, long units, unsigned threads = 1)
      : simulation_(ring(model, units), options(threads)) {
    simulation_.initialize();
  }
  void run(long steps) {
    for (long i = 0; i < steps; ++i) simulation_.step();
  }

 private:
  static engine::SimulationOptions options(unsigned threads) {
    engine::SimulationOptions o;
    o.run.stop = 1e9 * step;
    o.run.step = step;
    o.run.tolerance = 1e-4;
    o.run.stepper = "jacobi";
    o.run.threads = threads;
    return o;
  }
  engine::Simulation simulation_;
};

class BareRing {
 public:
  BareRing(const std::string& model, long units) : fmu_(fmi::Fmu::open(fmu_file(model))) {
    library_ = ::dlopen((fmu_.folder() / "binaries/linux64" / (model + ".so")).c_str(), RTLD_NOW | RTLD_LOCAL);
    set_ = function<fmi2SetRealTYPE>("fmi2SetReal");
    get_ = function<fmi2GetRealTYPE>("fmi2GetReal");
    do_step_ = function<fmi2DoStepTYPE>("fmi2DoStep");
    const auto& d = fmu_.description();
    for (const auto& name : names_of(model).inputs) inputs_.push_back(d[d.require_variable(name)].reference);
    for (const auto& name : names_of(model).outputs) outputs_.push_back(d[d.require_variable(name)].reference);
    values_.resize(static_cast<std::size_t>(units));
    for (long i = 0; i < units; ++i) {
      const fmi2Component c = function<fmi2InstantiateTYPE>("fmi2Instantiate")(
          "node", fmi2CoSimulation, d.instantiation_token.c_str(), "", &callbacks_, fmi2False, fmi2False);
      if (model != "Node") {
        const fmi2ValueReference reference = d[d.require_variable("load")].reference;
        const fmi2Integer value = load;
        function<fmi2SetIntegerTYPE>("fmi2SetInteger")(c, &reference, 1, &value);
      }
      function<fmi2SetupExperimentTYPE>("fmi2SetupExperiment")(c, fmi2True, 1e-4, 0, fmi2True, 1e9 * step);
      function<fmi2EnterInitializationModeTYPE>("fmi2EnterInitializationMode")(c);
      function<fmi2ExitInitializationModeTYPE>("fmi2ExitInitializationMode")(c);
      instances_.push_back(c);
    }
  }

  void run(long steps) {
    const std::size_t n = instances_.size();
    for (long s = 0; s < steps; ++s) {
      const double t = static_cast<double>(done_++) * step;
      for (std::size_t i = 0; i < n; ++i) {
        set_(instances_[i], inputs_.data(), inputs_.size(), values_[i == 0 ? n - 1 : i - 1].data());
        do_step_(instances_[i], t, step, fmi2True);
        get_(instances_[i], outputs_.data(), outputs_.size(), values_[i].data());
      }
    }
  }

 private:
  static void log(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...) {}
  template <class F>
  [[nodiscard]] F* function(const char* name) const {
    return reinterpret_cast<F*>(::dlsym(library_, name));
  }
  fmi::Fmu fmu_;
  void* library_ = nullptr;
  fmi2CallbackFunctions callbacks_{log, std::calloc, std::free, nullptr, nullptr};
  fmi2SetRealTYPE* set_ = nullptr;
  fmi2GetRealTYPE* get_ = nullptr;
  fmi2DoStepTYPE* do_step_ = nullptr;
  std::vector<fmi2ValueReference> inputs_, outputs_;
  std::vector<fmi2Component> instances_;
  std::vector<std::array<double, 2>> values_;
  long done_ = 0;
};

Counts counted(const std::string& program, const char* which, long units, long steps) {
  const auto count = [&](long n) { return count_instructions(fmt::format("'{}' {} {} {}", program, which, units, n)); };
  const Counts all = count(2 * steps);
  const Counts half = count(steps);
  const double per = static_cast<double>(units) * static_cast<double>(steps);
  return {(all.inside - half.inside) / per, (all.outside - half.outside) / per};
}

void compare_times(const std::string& model, long units, const char* what) {
  const long steps = std::max<long>(20, 1'000'000 / units);
  BareRing bare(model, units);
  OurRing ours(model, units);
  const double bare_time = best_of(7, [&] { bare.run(steps); });
  const double our_time = best_of(7, [&] { ours.run(steps); });
  const double per = static_cast<double>(units) * static_cast<double>(steps);
  fmt::print("{:<24} {:>6} {:>12.1f} {:>12.1f} {:>8.2f}\n", what, units, 1e9 * bare_time / per, 1e9 * our_time / per,
             our_time / bare_time);
}

int main_of(int argc, char** argv) {
  if (argc == 4) {
    const long units = std::strtol(argv[2], nullptr, 10);
    const long steps = std::strtol(argv[3], nullptr, 10);
    if (std::string(argv[1]) == "--bare") BareRing("Node", units).run(steps);
    if (std::string(argv[1]) == "--ours") OurRing("Node", units).run(steps);
    return 0;
  }
  fmt::print("{:<24} {:>6} {:>12} {:>12} {:>8}\n", "ns per unit and step", "units", "bare calls", "ours", "ratio");
  for (const long units : {8L, 100L, 768L}) compare_times("Node", units, "node");
  for (const long units : {8L, 100L, 768L}) compare_times("CostlyNode", units, "node of about 100 ns");
  const double start_up = best_of(5, [] { const OurRing made("Node", 768); });
  fmt::print("start-up of 768 instances: {:.3f} s\n", start_up);
  if (!has_callgrind()) return 0;
  fmt::print("{:<24} {:>6} {:>12} {:>12}\n", "instructions", "units", "in the FMU", "outside");
  const auto bare = counted(argv[0], "--bare", 8, 2000);
  fmt::print("{:<24} {:>6} {:>12.1f} {:>12.1f}\n", "bare calls", 8, bare.inside, bare.outside);
  for (const long units : {8L, 100L, 10'000L}) {
    const auto ours = counted(argv[0], "--ours", units, units > 1000 ? 40 : 2000);
    fmt::print("{:<24} {:>6} {:>12.1f} {:>12.1f}  (2 connections each; at most 120 + 2 x 10)\n", "ours", units,
               ours.inside, ours.outside);
  }
  return 0;
}

}  // namespace
}  // namespace consort::bench

int main(int argc, char** argv) { return consort::bench::main_of(argc, argv); }
