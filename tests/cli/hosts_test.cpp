// --host: units in processes of their own give the same bytes, and a lost process is an error that names its unit.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/tests/places.hpp"
#include "program.hpp"
#include "record/formats.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Arguments = std::vector<std::string>;

std::string example(const std::string& name) { return places::build() + "/examples/" + name + "/system.yaml"; }

// The bytes of the result as CSV.
std::string csv_of(const Desk& desk, const std::string& system, const Arguments& options, const std::string& host) {
  Arguments all = {"run", system, "-q", "--output-file", "-", "--host", host};
  all.insert(all.end(), options.begin(), options.end());
  const auto ended = desk.run(all);
  EXPECT_EQ(ended.status, 0) << system << " " << host << ": " << ended.err;
  return ended.out;
}

struct Same {
  const char* name;
  const char* system;
  Arguments options;
};
void PrintTo(const Same& same, std::ostream* out) { *out << same.name; }

class ProcessHost : public ::testing::TestWithParam<Same> {};
INSTANTIATE_TEST_SUITE_P(
    Systems, ProcessHost,
    ::testing::Values(Same{"QuarterCar", "quarter_car", {}}, Same{"Vehicle", "vehicle", {"--stop-time", "0.5"}},
                      Same{"Iterated", "iterated", {}},
                      Same{"Controlled", "quarter_car", {"--controller", "richardson", "--coupling-tolerance", "1e-5"}},
                      Same{"IteratedAndControlled", "iterated", {"--controller", "richardson", "--stop-time", "0.01"}}),
    [](const auto& same) { return std::string(same.param.name); });

TEST_P(ProcessHost, GivesTheSameBytes) {
  const Desk desk;
  const auto& [name, system, options] = GetParam();
  const auto serial = csv_of(desk, example(system), options, "serial");
  EXPECT_GT(std::count(serial.begin(), serial.end(), '\n'), 20) << "a result with rows is compared";
  // Not EXPECT_EQ, which would print both results.
  EXPECT_TRUE(csv_of(desk, example(system), options, "process") == serial);
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST(TwoHosts, InOneSystemGiveTheSameBytes) {
  const Desk desk;
  const auto car = [](const std::string& host) {
    return "consort: 1\nunits:\n  chassis: " + fmu("fmi2/QuarterCarChassis.fmu") +
           "\n  wheel: {fmu: " + fmu("fmi3/QuarterCarWheel.fmu") + ", host: " + host +
           "}\nconnections: [wheel.z -> chassis.z_wheel, wheel.v -> chassis.v_wheel, chassis.z -> wheel.z_chassis,\n"
           "              chassis.v -> wheel.v_chassis]\n"
           "set: {wheel.road: 10 cm}\nexperiment: {stop: 1, step: 1 ms}\n";
  };
  desk.write("one.yaml", car("serial"));
  desk.write("two.yaml", car("process"));
  for (const Arguments& options : {Arguments{}, Arguments{"--stepper", "gauss-seidel"},
                                   Arguments{"--stepper", "iterated"}, Arguments{"--controller", "richardson"}})
    EXPECT_TRUE(csv_of(desk, "two.yaml", options, "threads") == csv_of(desk, "one.yaml", options, "serial"))
        << ::testing::PrintToString(options);
}

// Two pendula in one process: an FMU and a native model, joined by expressions.
std::string pendula() {
  return "consort: 1\nunits:\n"
         "  pendula:\n    solver: {name: bdf, tolerance: 1e-8}\n"
         "    parameters: {k: {value: 1 N/m}}\n"
         "    units: {left: {fmu: " +
         fmu("fmi2/Pendulum.fmu") +
         ", interface: me}, right: {model: pendulum}}\n"
         "    outputs: {gap: {value: \"right.x - left.x\", unit: m}}\n"
         "    connections:\n"
         "      - {to: left.F_x, value: \"-k * (left.x - right.x)\"}\n"
         "      - {to: right.F_x, value: \"k * (left.x - right.x)\"}\n"
         "set: {pendula.left.theta: 57.3 deg, pendula.right.x_pivot: 3, pendula.k: 2000 N/km}\n"
         "record: {variables: [\"pendula.*\"]}\n"
         "experiment: {stop: 2, step: 10 ms}\n";
}

TEST(Group, GivesTheSameBytesInAProcessOfItsOwn) {
  const Desk desk;
  desk.write("pendula.yaml", pendula());
  for (const Arguments& options : {Arguments{}, Arguments{"--controller", "richardson", "--coupling-tolerance", "1e-5"},
                                   Arguments{"--set", "pendula.right.theta=0.5"}}) {
    const auto serial = csv_of(desk, "pendula.yaml", options, "serial");
    EXPECT_GT(std::count(serial.begin(), serial.end(), '\n'), 20);
    EXPECT_TRUE(csv_of(desk, "pendula.yaml", options, "process") == serial) << ::testing::PrintToString(options);
    EXPECT_TRUE(csv_of(desk, "pendula.yaml", options, "threads") == serial) << ::testing::PrintToString(options);
  }
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

// --- lost workers

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> all;
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", parent));
  for (pid_t child = 0; file >> child;) all.push_back(child);
  return all;
}

// Processor time of a process in s.
double processor_time(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string word;
  double ticks = 0;
  for (int i = 1; i <= 15 && file >> word; ++i)
    if (i >= 14) ticks += std::stod(word);
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// The worker that computes without end, as a unit that hangs does; 0 if there is none within 30 s.
pid_t busy_child_of(pid_t parent) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < end) {
    for (const pid_t child : children_of(parent))
      if (processor_time(child) > 1) return child;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return 0;
}

class KilledWorker : public ::testing::TestWithParam<Arguments> {};
INSTANTIATE_TEST_SUITE_P(Runs, KilledWorker,
                         ::testing::Values(Arguments{}, Arguments{"--controller", "richardson"},
                                           Arguments{"--stepper", "iterated"}));

// A unit that hangs is surely within a step: of a trial, if steps are controlled or iterated.
TEST_P(KilledWorker, EndsTheRunWithAnErrorThatNamesTheUnitAndTheRowsStay) {
  const Desk desk;
  desk.write("pair.yaml", "consort: 1\nunits: {source: " + fmu("fmi3/Dahlquist.fmu") +
                              ", follower: " + fmu("fmi2/Bad.fmu") +
                              "}\nconnections: [source.x -> follower.u]\n"
                              "set: {follower.deed: hang, follower.when: 0.5}\n"
                              "experiment: {stop: 1, step: 10 ms}\n");
  for (const char* const file : {"a.csv", "a.h5", "a.mat"}) {
    Arguments all = {"run", "pair.yaml", "-q", "--host", "process", "--output-file", file};
    all.insert(all.end(), GetParam().begin(), GetParam().end());
    auto program = desk.start(all);
    const pid_t worker = busy_child_of(program.process());
    ASSERT_NE(worker, 0);
    ::kill(worker, SIGKILL);
    const auto ended = program.wait();
    expect_one_paragraph(ended, 1);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("'follower'"), HasSubstr("signal 9")));
    const auto result = record::read_result(desk.folder() / file);
    EXPECT_GT(result.rows(), 5U);
    EXPECT_GT(result.time.back(), 0.3) << "all rows before the step are kept";
    EXPECT_LT(result.time.back(), 0.5);
    EXPECT_THAT(desk.left_behind(), IsEmpty());
  }
}

// The unit that is lost is the group, since its members share the process.
TEST(KilledGroup, EndsTheRunWithAnErrorThatNamesIt) {
  const Desk desk;
  desk.write("pair.yaml",
             "consort: 1\nunits:\n  pair:\n    solver: dopri5\n    units: {good: {model: dahlquist}, bad: {fmu: " +
                 fmu("fmi2/Bad.fmu") +
                 "}}\n"
                 "set: {pair.bad.deed: hang, pair.bad.when: 0.5}\n"
                 "experiment: {stop: 1, step: 10 ms}\n");
  auto program = desk.start({"run", "pair.yaml", "-q", "--host", "process", "--output-file", "a.csv"});
  const pid_t worker = busy_child_of(program.process());
  ASSERT_NE(worker, 0);
  ::kill(worker, SIGKILL);
  const auto ended = program.wait();
  expect_one_paragraph(ended, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("unit 'pair'"), HasSubstr("signal 9")));
  EXPECT_GT(record::read_result(desk.folder() / "a.csv").rows(), 5U);
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

}  // namespace
}  // namespace consort::cli_tests
