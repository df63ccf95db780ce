// Many exported FMUs in one process, and what they bring along.
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temp_folder.hpp"
#include "fmi/headers/fmi2/fmi2FunctionTypes.h"
#include "tests/models/helpers.hpp"

namespace consort::models_test {
namespace {

namespace fs = std::filesystem;

TEST(ManyFmus, LiveInOneProcessWithManyInstances) {
  // Copies of an FMU are other libraries to the loader.
  const TempFolder copies("many");
  std::vector<fs::path> paths;
  for (const char* name : {"Node", "BouncingBall", "VanDerPol", "OneMass", "Prey", "Predator", "Dahlquist", "Pendulum",
                           "ChainLink", "Truck"}) {
    for (const char* folder : {"fmi1/cs", "fmi2", "fmi3"}) paths.push_back(fmu_path(name, folder));
  }
  const std::size_t originals = paths.size();
  for (std::size_t i = 0; paths.size() < 200; ++i) {
    const fs::path copy = copies.path() / ("copy" + std::to_string(i) + ".fmu");
    fs::copy_file(paths[i % originals], copy);
    paths.push_back(copy);
  }
  std::vector<std::unique_ptr<fmi::CoSimulation>> instances;
  std::vector<std::size_t> outputs_of;
  for (const fs::path& path : paths) {
    const fmi::Fmu fmu = fmi::Fmu::open(path);
    for (int i = 0; i < 10; ++i)
      instances.push_back(fmu.co_simulation({.name = "unit" + std::to_string(instances.size())}));
  }
  ASSERT_EQ(instances.size(), 2000u);
  for (auto& instance : instances) {
    instance->enter_initialization({});
    instance->exit_initialization();
  }
  for (int step = 0; step < 3; ++step) {
    for (auto& instance : instances) instance->do_step(step * 0.01, 0.01);
  }
  // Equal models have done equal things, wherever they live. 1 is the first variable after the time in all of them.
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const ValueReference reference = 1;
    double mine = 0;
    double theirs = 0;
    instances[i]->get<double>(std::span(&reference, 1), std::span(&mine, 1));
    instances[i % (originals * 10)]->get<double>(std::span(&reference, 1), std::span(&theirs, 1));
    ASSERT_EQ(mine, theirs) << i;
  }
}

// Loaded as an importer does it that knows no better: everything global.
struct Loaded {
  explicit Loaded(const char* name) : fmu(open(name, "fmi2")) {
    const fs::path library = fmu.folder() / "binaries/linux64" / (std::string(name) + ".so");
    handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    const fmi2CallbackFunctions callbacks{nullptr, nullptr, nullptr, nullptr, nullptr};
    const auto instantiate = function<fmi2InstantiateTYPE>("fmi2Instantiate");
    component = instantiate(name, fmi2CoSimulation, fmu.description().instantiation_token.c_str(), "", &callbacks,
                            fmi2False, fmi2False);
    function<fmi2SetupExperimentTYPE>("fmi2SetupExperiment")(component, fmi2False, 0, 0, fmi2False, 0);
    function<fmi2EnterInitializationModeTYPE>("fmi2EnterInitializationMode")(component);
    function<fmi2ExitInitializationModeTYPE>("fmi2ExitInitializationMode")(component);
  }
  template <class F>
  F* function(const char* symbol) {
    return reinterpret_cast<F*>(dlsym(handle, symbol));
  }
  std::vector<double> read() {
    const fmi2ValueReference references[] = {1, 2};
    std::vector<double> values(2);
    function<fmi2DoStepTYPE>("fmi2DoStep")(component, time, 0.1, fmi2True);
    time += 0.1;
    function<fmi2GetRealTYPE>("fmi2GetReal")(component, references, 2, values.data());
    return values;
  }
  fmi::Fmu fmu;
  void* handle = nullptr;
  fmi2Component component = nullptr;
  double time = 0;
};

TEST(Twins, OfOneClassNameDoNotDisturbEachOther) {
  Loaded a("TwinA");
  Loaded b("TwinB");
  ASSERT_NE(a.component, nullptr);
  ASSERT_NE(b.component, nullptr);
  const double calls_before = b.read()[1];
  for (int i = 0; i < 5; ++i) EXPECT_EQ(a.read()[0], 1);
  const std::vector<double> after = b.read();
  EXPECT_EQ(after[0], 2);
  EXPECT_EQ(after[1], calls_before + 1);  // the other's calls are not counted here
  a.function<fmi2FreeInstanceTYPE>("fmi2FreeInstance")(a.component);
  b.function<fmi2FreeInstanceTYPE>("fmi2FreeInstance")(b.component);
}

TEST(ExportedFmu, NeedsNothingThatAFreshMachineLacks) {
  if (std::string(CONSORT_SANITIZE) != "") GTEST_SKIP() << "sanitizers bring libraries of their own";
  for (const char* name : {"Feedthrough", "Bad", "Resource"}) {
    const fmi::Fmu fmu = open(name, "fmi3");
    const Output output =
        run("readelf -d '" + (fmu.folder() / "binaries/x86_64-linux" / (std::string(name) + ".so")).string() + "'");
    if (output.status != 0) GTEST_SKIP() << "readelf is missing";
    const std::regex needed("NEEDED.*\\[(.*)\\]");
    for (std::sregex_iterator i(output.text.begin(), output.text.end(), needed), end; i != end; ++i) {
      EXPECT_THAT((*i)[1].str(), testing::AnyOf("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"));
    }
  }
}

double instructions(const std::string& library, const std::string& token, int steps) {
  const TempFolder folder("valgrind");
  const Output output = run(std::string(CONSORT_VALGRIND) +
                            " --tool=callgrind --toggle-collect=fmi2SetReal --toggle-collect=fmi2DoStep "
                            "--toggle-collect=fmi2GetReal --callgrind-out-file=" +
                            folder.path().string() + "/out " + CONSORT_STEP_DRIVER + " '" + library + "' '" + token +
                            "' " + std::to_string(steps));
  std::smatch match;
  if (output.status != 0 || !std::regex_search(output.text, match, std::regex("Collected : ([0-9]+)"))) return -1;
  return std::stod(match[1]);
}

TEST(ExportedFmu, CostsAtMostTwiceTheInstructionsOfOneWrittenByHand) {
  if (std::string(CONSORT_VALGRIND).find("NOTFOUND") != std::string::npos) GTEST_SKIP() << "valgrind is missing";
  if (std::string(CONSORT_SANITIZE) != "") GTEST_SKIP() << "sanitizers add instructions of their own";
  const fmi::Fmu fmu = open("Node", "fmi2");
  const std::string library = (fmu.folder() / "binaries/linux64/Node.so").string();
  const std::string& token = fmu.description().instantiation_token;
  const auto per_step = [&](const std::string& which) { return instructions(which, token, 10000) / 10000; };
  const double exported = per_step(library);
  const double by_hand = per_step(CONSORT_NODE_BY_HAND);
  ASSERT_GT(by_hand, 50);
  EXPECT_LE(exported, 2 * by_hand);
  RecordProperty("exported", static_cast<int>(exported));
  RecordProperty("by_hand", static_cast<int>(by_hand));
}

}  // namespace
}  // namespace consort::models_test
