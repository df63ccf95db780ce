// The same system on every host: the same numbers, bit for bit, and errors that name the unit.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "engine/simulation.hpp"
#include "systems.hpp"

namespace consort::engine {
namespace {

using ::testing::HasSubstr;
using testing::options;

namespace fs = std::filesystem;

fs::path fmu(const std::string& name) { return fs::path(places::fmus()) / (name + ".fmu"); }

graph::System quarter_car(const std::string& interface) {
  graph::System s("quarter car");
  s.add("chassis", fmu("fmi2/QuarterCarChassis"));
  s.add("wheel", fmu("fmi3/QuarterCarWheel")).set("road", "0.1");
  if (interface == "me")
    for (auto& c : s.components) c.interface = describe::InterfaceType::model_exchange;
  s.connect("wheel.z", "chassis.z_wheel");
  s.connect("wheel.v", "chassis.v_wheel");
  s.connect("chassis.z", "wheel.z_chassis");
  s.connect("chassis.v", "wheel.v_chassis");
  return s;
}

// All steps with all digits.
std::string course(const graph::System& system, SimulationOptions o, const std::string& host) {
  o.run.host = host;
  Simulation s(system, o);
  s.initialize();
  std::string text;
  for (int i = 0; i < 60 && !s.done(); ++i) {
    s.step();
    text += fmt::format("{}", s.time());
    for (const char* const path : {"chassis.z", "chassis.v", "wheel.z", "wheel.v"}) text += " " + s.value(path).text();
    text += "\n";
  }
  return text;
}

class Hosts : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("CONSORT_WORKER", places::worker().c_str(), 1); }
};

TEST_F(Hosts, GiveTheSameNumbersForEveryStepperAndController) {
  struct Case {
    const char* stepper;
    const char* order;
    const char* controller;
    const char* interface;
  };
  for (const auto& c :
       {Case{"jacobi", "0", "", "cs"}, Case{"gauss-seidel", "2", "", "cs"}, Case{"iterated", "1", "", "me"},
        Case{"jacobi", "1", "richardson", "me"}, Case{"jacobi", "0", "modified", "cs"},
        Case{"iterated", "0", "richardson", "me"}, Case{"jacobi", "hermite-2", "", "me"},
        Case{"gauss-seidel", "hermite-1", "", "me"}, Case{"jacobi", "hermite-2", "richardson", "me"}}) {
    auto o = options(1, 2e-3, c.stepper);
    o.run.extrapolation = c.order;
    o.run.control.controller = c.controller;
    const auto system = quarter_car(c.interface);
    const auto expected = course(system, o, "serial");
    EXPECT_GT(expected.size(), 1000U);
    for (const char* const host : {"threads", "process"})
      EXPECT_EQ(course(system, o, host), expected) << c.stepper << c.order << c.controller << c.interface << host;
  }
}

TEST_F(Hosts, MayBeSeveralInOneSystem) {
  auto system = quarter_car("cs");
  const auto o = options(1, 2e-3, "gauss-seidel");
  const auto expected = course(system, o, "serial");
  system.components[1].host = "process";
  EXPECT_EQ(course(system, o, "threads"), expected);
}

TEST_F(Hosts, ThatDoNotExistAreNamedWithThoseThatDo) {
  try {
    course(quarter_car("cs"), options(1, 1e-2), "cloud");
    FAIL() << "there is no such host";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("cloud"));
    EXPECT_THAT(e.what(), HasSubstr("process"));
  }
}

// Processes started by this one that have not ended.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  std::ifstream file(fmt::format("/proc/self/task/{}/children", ::getpid()));
  for (pid_t pid = 0; file >> pid;) all.push_back(pid);
  return all;
}

TEST_F(Hosts, LoseAUnitWithAnErrorThatNamesIt) {
  for (const char* const controller : {"", "richardson"}) {
    auto o = options(10, 1e-3, "jacobi");
    o.run.host = "process";
    o.run.control.controller = controller;
    Simulation s(quarter_car("me"), o);
    s.initialize();
    for (int i = 0; i < 5; ++i) s.step();
    const auto workers = children();
    ASSERT_EQ(workers.size(), 2U);
    ::kill(workers[1], SIGKILL);
    try {
      for (int i = 0; i < 5; ++i) s.step();
      FAIL() << "the wheel is gone";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("'wheel'")) << controller;
      EXPECT_THAT(e.what(), HasSubstr("signal 9")) << controller;
    }
  }
  EXPECT_TRUE(children().empty()) << "no process is left";
}

}  // namespace
}  // namespace consort::engine
