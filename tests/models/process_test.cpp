// Many exported FMUs in one process, and the dependencies and costs of their binaries.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "fmi/headers/fmi2/fmi2FunctionTypes.h"
#include "os/temp_folder.hpp"
#include "tests/models/helpers.hpp"

namespace consort::models_test {
namespace {

namespace fs = std::filesystem;

// An instance of either interface, and its values after a few steps or evaluations.
class Guest {
 public:
  Guest(const fmi::Fmu& fmu, const std::string& name) : description_(&fmu.description()) {
    const describe::DefaultExperiment& experiment = description_->default_experiment;
    h_ = experiment.stop_time.value_or(1) / 1000;
    if (description_->interface(describe::InterfaceType::co_simulation) != nullptr) {
      stepped_ = fmu.co_simulation({.name = name});
      instance_ = stepped_.get();
    } else {
      evaluated_ = fmu.model_exchange({.name = name});
      instance_ = evaluated_.get();
    }
  }
  void start() {
    instance_->enter_initialization({});
    instance_->exit_initialization();
    if (evaluated_ == nullptr) return;
    while (evaluated_->update_discrete_states().repeat) {
    }
    evaluated_->leave_event_mode();
  }
  void go_on(int n) {
    if (stepped_ != nullptr) {
      stepped_->do_step(n * h_, h_);
    } else {
      evaluated_->set_time((n + 1) * h_);
    }
  }
  [[nodiscard]] std::vector<double> seen() {
    std::vector<ValueReference> references = reals(*description_, describe::Causality::output);
    return get(*instance_, *description_, references);
  }

 private:
  const describe::Description* description_;
  std::unique_ptr<fmi::CoSimulation> stepped_;
  std::unique_ptr<fmi::ModelExchange> evaluated_;
  fmi::Instance* instance_ = nullptr;
  double h_ = 0;
};

// All FMUs for Linux except BadStart, which crashes, and the twins, whose outputs count the calls in the process.
std::vector<fs::path> every_fmu() {
  std::vector<fs::path> found;
  for (const char* const folder : {"fmi1/cs", "fmi1/me", "fmi2", "fmi3"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(places::fmus()) / folder)) {
      const fs::path& path = entry.path();
      const std::string name = path.stem().string();
      if (path.extension() == ".fmu" && name != "BadStart" && !name.starts_with("Twin")) found.push_back(path);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::size_t different_binaries(const std::vector<fmi::Fmu>& fmus) {
  std::set<std::size_t> hashes;
  for (const fmi::Fmu& fmu : fmus) {
    for (const auto& entry : fs::recursive_directory_iterator(fmu.folder() / "binaries")) {
      if (entry.path().extension() == ".so") hashes.insert(std::hash<std::string>()(read_file(entry.path())));
    }
  }
  return hashes.size();
}

TEST(ManyFmus, TwoHundredOfThemLiveInOneProcessWithTwoThousandInstances) {
  constexpr int steps = 3;
  // The values of each FMU when it is alone in the process.
  std::vector<std::vector<double>> alone;
  const std::vector<fs::path> paths = every_fmu();
  for (const fs::path& path : paths) {
    const fmi::Fmu fmu = fmi::Fmu::open(path);
    Guest guest(fmu, "alone");
    guest.start();
    for (int n = 0; n < steps; ++n) guest.go_on(n);
    alone.push_back(guest.seen());
  }

  std::vector<fmi::Fmu> fmus;
  for (const fs::path& path : paths) fmus.push_back(fmi::Fmu::open(path));
  EXPECT_GE(different_binaries(fmus), 200u);
  std::vector<Guest> guests;
  for (int copy = 0; copy < 10; ++copy) {
    for (const fmi::Fmu& fmu : fmus) guests.emplace_back(fmu, "unit" + std::to_string(guests.size()));
  }
  EXPECT_GE(guests.size(), 2000u);
  for (Guest& guest : guests) guest.start();
  for (int n = 0; n < steps; ++n) {
    for (Guest& guest : guests) guest.go_on(n);
  }
  for (std::size_t i = 0; i < guests.size(); ++i) {
    const std::vector<double> together = guests[i].seen();
    const std::vector<double>& expected = alone[i % paths.size()];
    ASSERT_EQ(together.size(), expected.size());
    EXPECT_TRUE(together.empty() ||
                std::memcmp(together.data(), expected.data(), together.size() * sizeof(double)) == 0)
        << paths[i % paths.size()];
  }
}

// All variants have the same class name, but each has its own number and its own count.
TEST(Variants, OfOneClassNameAreApart) {
  std::vector<fmi::Fmu> fmus;
  for (int number = 1; number <= 30; ++number) fmus.push_back(open("Variant" + std::to_string(number), "fmi3"));
  std::vector<std::unique_ptr<fmi::CoSimulation>> instances;
  for (const fmi::Fmu& fmu : fmus) {
    instances.push_back(fmu.co_simulation({.name = "variant"}));
    instances.back()->enter_initialization({});
    instances.back()->exit_initialization();
  }
  for (int n = 0; n < 2; ++n) {
    for (auto& instance : instances) instance->do_step(n * 0.01, 0.01);
  }
  for (std::size_t i = 0; i < fmus.size(); ++i) {
    const describe::Description& d = fmus[i].description();
    EXPECT_EQ(get(*instances[i], d, "number"), static_cast<double>(i + 1));
    EXPECT_EQ(get(*instances[i], d, "calls"), get(*instances[0], fmus[0].description(), "calls"));
    EXPECT_NEAR(get(*instances[i], d, "x"), 1 + 0.02 * static_cast<double>(i + 1), 1e-12);
  }
}

// Loads a library with global symbols (RTLD_GLOBAL), as a careless importer does.
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
  EXPECT_EQ(after[1], calls_before + 1);  // calls of the other library are not counted
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
  const os::TempFolder folder("valgrind");
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
