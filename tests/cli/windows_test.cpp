// FMUs for Windows, run through Wine: the numbers of the native binaries, and nothing that remains when a side ends.
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "program.hpp"
#include "record/formats.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The command line of a process, with blanks between the arguments; empty if it is gone or a zombie.
std::string command_line(const fs::path& process) {
  const int file = ::open((process / "cmdline").c_str(), O_RDONLY | O_CLOEXEC);
  std::string text(4096, '\0');
  const ssize_t n = file < 0 ? 0 : ::read(file, text.data(), text.size());
  if (file >= 0) ::close(file);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  for (char& c : text)
    if (c == '\0') c = ' ';
  return text;
}

// The process that calls a binary for this one, also if this one is gone; 0 if there is none.
pid_t caller_of(pid_t engine) {
  const std::string segment = "/proc/" + std::to_string(engine) + "/fd/";
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string command = command_line(entry.path());
    if (command.find("consort-caller-win64.exe") != std::string::npos && command.find(segment) != std::string::npos)
      return static_cast<pid_t>(std::stoi(name));
  }
  return 0;
}

template <class Condition>
bool within(std::chrono::seconds patience, Condition&& condition) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

class Windows : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto shown = Desk().run({"wine"}).out;
    if (shown.find("win64: FMUs run\n") == std::string::npos) GTEST_SKIP() << shown;
  }
  // A quarter car, with keys of its two units.
  static void write_car(const Desk& desk, const std::string& name, const std::string& chassis, const std::string& wheel,
                        const std::string& run = "stepper: jacobi") {
    desk.write(name, "consort: 1\nunits:\n  chassis: {fmu: " + fmu("fmi2/QuarterCarChassis.fmu") + ", " + chassis +
                         "}\n  wheel: {fmu: " + fmu("fmi3/QuarterCarWheel.fmu") + ", " + wheel +
                         "}\nconnections: [wheel.z -> chassis.z_wheel, wheel.v -> chassis.v_wheel, "
                         "chassis.z -> wheel.z_chassis, chassis.v -> wheel.v_chassis]\nset: {wheel.road: 10 cm}\n"
                         "experiment: {stop: 0.2, step: 1 ms}\nrun: {" +
                         run + "}\n");
  }
  static std::string result_of(const Desk& desk, const std::string& system, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"run", system, "-q", "--output-file", system + ".csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ended = desk.run(arguments);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return desk.read(system + ".csv");
  }
};

TEST_F(Windows, BinariesGiveTheNumbersOfTheNativeOnes) {
  const Desk desk;
  for (const std::string file : {"fmi1/cs/BouncingBall", "fmi2/VanDerPol", "fmi3/BouncingBall", "fmi3/Stair"})
    for (const std::string interface : {"cs", "me"}) {
      if (interface == "me" && file.starts_with("fmi1")) continue;
      const auto run = [&](const std::string& platform) {
        const auto ended = desk.run({"simulate", fmu(file + ".fmu"), "-q", "--interface-type", interface, "--platform",
                                     platform, "--output-file", platform + ".csv"});
        EXPECT_EQ(ended.status, 0) << ended.err;
        return desk.read(platform + ".csv");
      };
      EXPECT_EQ(run("win64"), run("linux64")) << file << ' ' << interface;
    }
}

TEST_F(Windows, UnitsAreCoupledWithNativeOnesInEveryWay) {
  const Desk desk;
  write_car(desk, "native.yaml", "platform: linux64", "platform: linux64");
  write_car(desk, "mixed.yaml", "platform: win64", "platform: linux64");
  const std::string expected = result_of(desk, "native.yaml");
  EXPECT_EQ(result_of(desk, "mixed.yaml"), expected);
  EXPECT_EQ(result_of(desk, "mixed.yaml", {"--threads", "2"}), expected);
  EXPECT_EQ(result_of(desk, "mixed.yaml", {"--host", "process"}), expected);
  EXPECT_EQ(result_of(desk, "native.yaml", {"--platform", "win64"}), expected);  // the file's platform counts
  // Rollback, Model Exchange with its solver here, step size control.
  const std::string control = "control: {controller: richardson, tolerance: 1e-5}";
  write_car(desk, "native_me.yaml", "interface: me", "interface: me, platform: linux64", control);
  write_car(desk, "windows_me.yaml", "interface: me, platform: win64", "interface: me, platform: win64", control);
  EXPECT_EQ(result_of(desk, "windows_me.yaml"), result_of(desk, "native_me.yaml"));
}

TEST_F(Windows, FmuThatCrashesIsNamedAndItsRowsAreKept) {
  const Desk desk;
  const auto ended = desk.run({"simulate", fmu("win64/fmi2/Bad.fmu"), "-q", "--start-value", "deed=crash",
                               "--step-size", "0.01", "--output-file", "bad.csv"});
  expect_one_paragraph(ended, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("unit 'Bad' (FMI 2.0): fmi2DoStep did not return at t = 0.49"),
                               HasSubstr("crashed: it wrote to the invalid address"), HasSubstr("in Bad.dll")));
  EXPECT_NEAR(record::read_result(desk.folder() / "bad.csv").time.back(), 0.49, 0.0101);
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST_F(Windows, FmuThatHangsIsEnded) {
  const Desk desk;
  const auto ended = desk.run({"simulate", fmu("win64/fmi3/Bad.fmu"), "-q", "--start-value", "deed=hang",
                               "--call-limit", "0.5", "--output-file", "bad.csv"});
  expect_one_paragraph(ended, 1);
  EXPECT_THAT(ended.err, HasSubstr("did not return in time and was ended"));
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

// Two sides end at random times; a third of the cases during the start.
TEST_F(Windows, NothingRemainsWhenEitherSideIsKilled) {
  std::mt19937 random(4711);
  for (int i = 0; i < 12; ++i) {
    const Desk desk;
    auto program = desk.start({"simulate", fmu("win64/fmi2/Dahlquist.fmu"), "-q", "--stop-time", "1e6", "--step-size",
                               "1e-3", "--output-interval", "1", "--output-file", "long.csv"});
    const pid_t engine = program.process();
    pid_t caller = 0;
    const bool kills_engine = i % 2 == 0;
    if (i % 3 != 0) {
      ASSERT_TRUE(within(std::chrono::seconds(60), [&] { return (caller = caller_of(engine)) != 0; }));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 300));
    if (caller == 0) caller = caller_of(engine);
    if (kills_engine || caller == 0) {
      program.send(SIGKILL);
      EXPECT_EQ(program.wait().signal, SIGKILL);
    } else {
      // A program that ends before it has loaded its binary is started once more.
      EXPECT_TRUE(within(std::chrono::seconds(60), [&] {
        if (const pid_t running = caller_of(engine); running != 0) ::kill(running, SIGKILL);
        return command_line("/proc/" + std::to_string(engine)).empty();
      }));
      const auto ended = program.wait();
      EXPECT_EQ(ended.status, 1) << ended.err;
    }
    EXPECT_TRUE(within(std::chrono::seconds(20), [&] { return caller_of(engine) == 0; })) << i;
  }
}

TEST_F(Windows, TwentyUnitsRunAtOnce) {
  const Desk desk;
  const auto chain = [&](const std::string& platform) {
    std::string units;
    for (int i = 0; i < 20; ++i)
      units += "  u" + std::to_string(i) + ": {fmu: " + fmu("fmi2/Dahlquist.fmu") + ", platform: " + platform + "}\n";
    desk.write(platform + ".yaml", "consort: 1\nunits:\n" + units + "experiment: {stop: 0.1, step: 10 ms}\n");
    return result_of(desk, platform + ".yaml", {"--threads", "2"});
  };
  EXPECT_EQ(chain("win64"), chain("linux64"));
}

TEST_F(Windows, InfoAndTheCommandSayHowTheyRun) {
  const Desk desk;
  EXPECT_THAT(desk.run({"info", fmu("win64/fmi2/Bad.fmu")}).out,
              HasSubstr("runs as cs         through Wine (win64)\n"));
  EXPECT_THAT(desk.run({"info", fmu("fmi2/Bad.fmu")}).out, HasSubstr("natively (linux64)\n"));
  const auto shown = desk.run({"wine"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, AllOf(HasSubstr("win64: FMUs run\n"), HasSubstr("Wine: /")));
  const auto wrong = desk.run({"simulate", fmu("win64/fmi2/Bad.fmu"), "--platform", "linux64"});
  expect_one_paragraph(wrong, 2);
  EXPECT_THAT(wrong.err, HasSubstr("has no binary for linux64, but for win64; leave the platform out to take any"));
  const auto unknown = desk.run({"simulate", fmu("win64/fmi2/Bad.fmu"), "--platform", "win95"});
  expect_one_paragraph(unknown, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown platform 'win95'; available: linux64, win64, linux32, win32"));
}

}  // namespace
}  // namespace consort::cli_tests
