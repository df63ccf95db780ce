// Units in their own processes: processes that end, hang or misbehave.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "host/tests/process_run.hpp"

namespace consort::host {
namespace {

using fleet::Verb;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// True if this process has a child process, running or ended.
bool has_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// --- processes that end ---------------------------------------------------------------------------------------------

// Returns the error of the third step of the second of three units.
std::string third_step(ProcessRun& run) {
  EXPECT_TRUE(run.step());
  EXPECT_TRUE(run.step());
  try {
    run.step();
    return "nothing";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::run);
    return error.what();
  }
}

std::vector<fleet::UnitSpec> with_bad_one(const std::string& how) {
  return {{.name = "first", .model = "count plain"},
          {.name = "wheel", .model = "bad " + how + " 3"},
          {.name = "last", .model = "count plain"}};
}

TEST(LostUnit, IsNamedWithWhatItWasDoingAndHowItEnded) {
  for (const auto& [how, text] : {std::pair("exits", "ended with exit status 7"),
                                  {"aborts", "was ended by signal 6 (Aborted)"},
                                  {"crashes", "was ended by signal 11 (Segmentation fault)"},
                                  {"raises", "was ended by signal 11 (Segmentation fault)"}}) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (how == std::string("raises")) continue;  // the sanitizer handles the signal, and no second fault follows
#endif
    ProcessRun run(with_bad_one(how));
    testing::internal::CaptureStderr();
    const auto said = third_step(run);
    testing::internal::GetCapturedStderr();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    EXPECT_THAT(said, HasSubstr("unit 'wheel': its process "));  // a sanitizer ends the process in its own way
#else
    EXPECT_THAT(said, HasSubstr(std::string("unit 'wheel': its process ") + text + " in step at t = 1 s; "));
#endif
    // The other units completed the step.
    EXPECT_EQ(run.outputs(), (std::vector<double>{3, 2, 3}));
  }
}

TEST(LostUnit, FailsAtOnceFromThenOnAndLeavesTheOthersAlone) {
  ProcessRun run(with_bad_one("exits"));
  run.fleet->save(run.system.snapshot);
  third_step(run);
  const auto begin = Clock::now();
  const auto lost =
      ThrowsMessage<Error>(HasSubstr("unit 'wheel' is lost: its process ended with exit status 7 in step"));
  EXPECT_THAT([&] { run.step(); }, lost);
  EXPECT_THAT([&] { run.fleet->save(run.system.snapshot); }, lost);
  EXPECT_THAT([&] { run.fleet->restore(run.system.snapshot); }, lost);
  Columns values = run.system.blocks[1].outputs->make_columns();
  EXPECT_THAT([&] { run.fleet->get(1, *run.system.blocks[1].outputs, values); }, lost);
  EXPECT_NO_THROW(run.fleet->terminate(run.system.all));
  EXPECT_NO_THROW(run.fleet->get(2, *run.system.blocks[2].outputs, values));
  EXPECT_LT(seconds_since(begin), 1.0);
}

TEST(LostUnit, IsNoticedWhenItIsKilledInAStep) {
  ProcessRun run(with_bad_one("sleeps"));
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::kill(run.process(1), SIGKILL);
  });
  const auto begin = Clock::now();
  const auto said = third_step(run);
  killer.join();
  EXPECT_THAT(said, HasSubstr("unit 'wheel': its process was ended by signal 9 (Killed) in step at t = 1 s"));
  EXPECT_GE(seconds_since(begin), 0.15);
  EXPECT_LT(seconds_since(begin), 5.0);
}

TEST(LostUnit, IsNoticedWhenItIsKilledBetweenSteps) {
  ProcessRun run({{.name = "a", .model = "count plain"}, {.name = "b", .model = "count plain"}});
  run.step();
  ::kill(run.process(1), SIGKILL);
  EXPECT_THAT([&] { run.step(); }, ThrowsMessage<Error>(HasSubstr("unit 'b': its process was ended by signal 9")));
}

TEST(LostUnit, IsNoticedInARestore) {
  ProcessRun run({{.name = "a", .model = "count plain"}, {.name = "b", .model = "count plain"}});
  run.step();
  run.fleet->save(run.system.snapshot);
  ::kill(run.process(0), SIGKILL);
  EXPECT_THAT(
      [&] { run.fleet->restore(run.system.snapshot); },
      ThrowsMessage<Error>(AllOf(HasSubstr("unit 'a': its process was ended by signal 9"), HasSubstr("restor"))));
}

TEST(LostUnit, IsNoticedWhileUnitsAreMade) {
  HostSetup setup = test_setup();
  setup.worker = "/bin/true";  // ends immediately
  const std::vector<fleet::UnitSpec> specs = {{.name = "wheel", .model = "count plain"}};
  EXPECT_THAT([&] { static_cast<void>(make_process_host(setup)->make(specs)); },
              ThrowsMessage<Error>(HasSubstr("unit 'wheel': its process ended with exit status 0 in instantiation")));
  EXPECT_FALSE(has_children());
}

// --- units that misbehave -------------------------------------------------------------------------------------------

TEST(BadUnit, MayPrintAndCloseEverything) {
  for (const char* const how : {"prints", "closes"}) {
    ProcessRun run(with_bad_one(how));
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(run.step()) << how;
    EXPECT_EQ(run.outputs(), (std::vector<double>{5, 5, 5}));
    run.fleet.reset();
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    testing::internal::GetCapturedStderr();
  }
}

TEST(BadUnit, MayThrowAnything) {
  ProcessRun run(with_bad_one("throws"));
  EXPECT_THAT(third_step(run), HasSubstr("unit 'wheel': an exception of unknown type"));
  EXPECT_TRUE(run.step());
}

TEST(BadUnit, IsNamedWhenItCannotBeMade) {
  const std::vector<fleet::UnitSpec> specs = {{.name = "first", .model = "count plain"},
                                              {.name = "front.axle", .model = "refuses"}};
  try {
    static_cast<void>(make_process_host(test_setup())->make(specs));
    FAIL() << "the fleet was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_THAT(error.what(), HasSubstr("unit 'front.axle': there is no test unit 'refuses'"));
  }
  EXPECT_FALSE(has_children());
}

TEST(BadUnit, ThatHangsIsEndedWithTheFleet) {
  auto run = std::make_unique<ProcessRun>(with_bad_one("sleeps"));
  run->step();
  run->step();
  const unit::StepRequest request{1, 0.5, false};
  run->fleet->submit(run->system.wave, Verb::step, request, run->system.signals);
  const auto begin = Clock::now();
  run.reset();
  EXPECT_LT(seconds_since(begin), 4.0);
  EXPECT_FALSE(has_children());
}

// --- life -----------------------------------------------------------------------------------------------------------

TEST(Workers, ComeAndGoWithoutATrace) {
  const std::vector<fleet::UnitSpec> specs(5, {.name = "unit", .model = "count plain"});
  static_cast<void>(ProcessRun(specs));  // opens descriptors that are opened only once
  const auto before = open_descriptors();
  for (int i = 0; i < 10; ++i) {
    ProcessRun run(specs);
    run.step();
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

std::string status_of(pid_t process, const std::string& key) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key + ":")) return line.substr(line.find_first_not_of(" \t", key.size() + 1));
  return {};
}

TEST(Workers, InheritNothingButTheirMemory) {
  const int leaked = ::open("/dev/zero", O_RDONLY);  // without O_CLOEXEC
  ASSERT_GE(leaked, 0);
  const std::vector<fleet::UnitSpec> specs = {{.name = "a", .model = "count plain"}};
  ProcessRun run(specs);
  ::close(leaked);
  const auto folder = std::filesystem::path("/proc") / std::to_string(run.process(0)) / "fd";
  std::vector<std::string> targets;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto number = std::stoi(entry.path().filename());
    if (number > 2) targets.push_back(std::filesystem::read_symlink(entry).string());
  }
  EXPECT_THAT(targets, ElementsAre(HasSubstr("memfd:consort-unit")));
  EXPECT_EQ(std::filesystem::read_symlink(folder / "0"), "/dev/null");
  EXPECT_EQ(std::filesystem::read_symlink(folder / "1"), std::filesystem::read_symlink(folder / "2"));
  EXPECT_EQ(::getpgid(run.process(0)), run.process(0));
}

TEST(Workers, DoNotMindInterruptsOrTheEndOfTheThreadThatStartedThem) {
  std::unique_ptr<ProcessRun> run;
  std::thread([&] {
    run = std::make_unique<ProcessRun>(
        std::vector<fleet::UnitSpec>{{.name = "a", .model = "count plain"}, {.name = "b", .model = "count plain"}});
  }).join();
  for (const int signal : {SIGINT, SIGTERM}) ::kill(run->process(0), signal);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run->step());
}

TEST(Workers, EndWithTheirEngine) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t engine = ::fork();
  ASSERT_GE(engine, 0);
  if (engine == 0) {
    // One unit that waits for requests, and one that hangs in its step.
    ProcessRun run({{.name = "waits", .model = "count plain"}, {.name = "hangs", .model = "bad sleeps 1"}});
    const pid_t workers[2] = {run.process(0), run.process(1)};
    const unit::StepRequest request{0, 0.5, false};
    run.fleet->submit(run.system.wave, Verb::step, request, run.system.signals);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    static_cast<void>(!::write(ends[1], workers, sizeof workers));
    ::kill(::getpid(), SIGKILL);
  }
  pid_t workers[2] = {};
  ASSERT_EQ(::read(ends[0], workers, sizeof workers), static_cast<ssize_t>(sizeof workers));
  ::close(ends[0]);
  ::close(ends[1]);
  ::waitpid(engine, nullptr, 0);
  // The process that adopts orphans may be slow to reap them.
  const auto runs = [](pid_t worker) {
    const auto state = status_of(worker, "State");
    return !state.empty() && state[0] != 'Z' && state[0] != 'X';
  };
  const auto begin = Clock::now();
  while ((runs(workers[0]) || runs(workers[1])) && seconds_since(begin) < 5)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(runs(workers[0]));
  EXPECT_FALSE(runs(workers[1]));
}

}  // namespace
}  // namespace consort::host
