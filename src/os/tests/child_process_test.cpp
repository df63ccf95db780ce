#include "os/child_process.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/tests/error_text.hpp"
#include "base/text.hpp"
#include "os/temp_folder.hpp"

namespace consort::os {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool is_running(pid_t pid) {
  try {
    const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
    return stat.substr(stat.rfind(')') + 2, 1) != "Z";
  } catch (const Error&) {
    return false;
  }
}

bool has_children() { return !(::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD); }

TEST(RunInChild, ReturnsTheStatusOfTheWork) {
  EXPECT_TRUE(run_in_child([] { return 0; }).succeeded());
  const ChildOutcome outcome = run_in_child([] { return 7; });
  EXPECT_EQ(outcome.exit_status, 7);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_FALSE(outcome.succeeded());
  EXPECT_EQ(run_in_child([] { return 256; }).exit_status, 1);
  EXPECT_FALSE(has_children());
}

TEST(RunInChild, ChangesNothingHere) {
  int number = 1;
  EXPECT_TRUE(run_in_child([&] { return ++number - 2; }).succeeded());
  EXPECT_EQ(number, 1);
}

TEST(RunInChild, WritesExceptionsToStandardErrorWithTheirStatus) {
  const ChildOutcome bad_input = run_in_child([]() -> int { throw input_error("bad input"); });
  EXPECT_EQ(bad_input.exit_status, 2);
  EXPECT_EQ(bad_input.standard_error, "bad input\n");
  EXPECT_EQ(run_in_child([]() -> int { throw run_error("failed"); }).exit_status, 1);
  EXPECT_EQ(run_in_child([]() -> int { throw std::runtime_error("other"); }).standard_error, "other\n");
  EXPECT_EQ(run_in_child([]() -> int { throw 1; }).exit_status, 1);
}

TEST(RunInChild, NamesTheSignalThatEndedTheWork) {
  const ChildOutcome outcome = run_in_child([] { return ::kill(::getpid(), SIGKILL); });
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_FALSE(outcome.succeeded());
}

TEST(RunInChild, EndsWorkThatTakesTooLongWithEverythingItStarted) {
  const TempFolder folder("test");
  const std::string file = (folder.path() / "pid").string();
  const auto start = std::chrono::steady_clock::now();
  const ChildOutcome outcome = run_in_child(
      [&] {
        const pid_t grandchild = ::fork();
        if (grandchild == 0) {
          for (;;) ::pause();
        }
        std::ofstream(file) << grandchild << std::endl;
        std::cerr << "before it hangs" << std::endl;
        for (;;) ::pause();
        return 0;
      },
      {.timeout_seconds = 0.3});
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_FALSE(outcome.succeeded());
  EXPECT_EQ(outcome.standard_error, "before it hangs\n");
  EXPECT_GE(seconds_since(start), 0.3);
  EXPECT_LT(seconds_since(start), 20);  // far more than needed: the machine may be busy
  EXPECT_FALSE(has_children());
  pid_t grandchild = 0;
  std::ifstream(file) >> grandchild;
  ASSERT_GT(grandchild, 0);
  for (int i = 0; i < 200 && is_running(grandchild); ++i) ::usleep(10'000);
  EXPECT_FALSE(is_running(grandchild));
}

TEST(RunInChild, DoesNotWaitForWhatTheChildLeavesBehind) {
  const auto start = std::chrono::steady_clock::now();
  const ChildOutcome outcome = run_in_child([] {
    if (::fork() == 0) {
      ::sleep(60);
      ::_exit(0);
    }
    return 3;
  });
  EXPECT_EQ(outcome.exit_status, 3);
  EXPECT_LT(seconds_since(start), 30);
}

TEST(RunInChild, EndsWorkThatIgnoresSignalsAndFloodsStandardError) {
  const ChildOutcome outcome = run_in_child(
      [] {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
        for (;;) std::fputs("flood of messages\n", stderr);
        return 0;
      },
      {.timeout_seconds = 0.2});
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(outcome.standard_error.size(), 64U * 1024);
}

TEST(RunInChild, KeepsTheLastPartOfALongStandardError) {
  const ChildOutcome outcome = run_in_child([] {
    for (int i = 0; i < 100'000; ++i) std::fprintf(stderr, "line %d\n", i);
    return 0;
  });
  EXPECT_LE(outcome.standard_error.size(), 64U * 1024);
  EXPECT_GT(outcome.standard_error.size(), 32U * 1024);
  EXPECT_THAT(outcome.standard_error, EndsWith("line 99999\n"));
}

TEST(RunInChild, LetsStandardErrorThroughWhenAskedTo) {
  testing::internal::CaptureStderr();
  const ChildOutcome outcome = run_in_child(
      [] {
        std::cerr << "passed through\n";
        return 0;
      },
      {.capture_standard_error = false});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "passed through\n");
  EXPECT_EQ(outcome.standard_error, "");
}

TEST(RunInChild, FlushesOutputOnceAndSilencesItWhenAskedTo) {
  testing::internal::CaptureStdout();
  std::printf("ours ");
  EXPECT_TRUE(run_in_child([] { return std::printf("child ") > 0 ? 0 : 1; }).succeeded());
  EXPECT_TRUE(
      run_in_child([] { return std::printf("hidden ") > 0 ? 0 : 1; }, {.silence_standard_output = true}).succeeded());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "ours child ");
}

TEST(RunInChild, LeavesOurTempFoldersAndRemovesItsOwn) {
  const TempFolder ours("test");
  const std::string file = (ours.path() / "name").string();
  EXPECT_TRUE(run_in_child([&] {
                const auto* leaked = new TempFolder("test");
                std::ofstream(file) << leaked->path().string();
                return 0;
              }).succeeded());
  std::string name;
  std::ifstream(file) >> name;
  EXPECT_THAT(name, HasSubstr("consort-test-"));
  EXPECT_FALSE(std::filesystem::exists(name));
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(RunInChild, SweepsTheTempFoldersOfAChildThatWasEnded) {
  const TempFolder ours("test");
  const std::string file = (ours.path() / "name").string();
  const ChildOutcome outcome = run_in_child([&] {
    const TempFolder abandoned("test");
    std::ofstream(file) << abandoned.path().string() << std::endl;
    return ::kill(::getpid(), SIGKILL);
  });
  EXPECT_EQ(outcome.signal, SIGKILL);
  std::string name;
  std::ifstream(file) >> name;
  EXPECT_THAT(name, HasSubstr("consort-test-"));
  // Another process may have started the removal and may still be busy.
  for (int i = 0; i < 500 && std::filesystem::exists(name); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(std::filesystem::exists(name));
}

TEST(RunInChild, EndsWithItsParent) {
  const TempFolder folder("test");
  const std::string file = (folder.path() / "pid").string();
  const pid_t parent = ::fork();
  if (parent == 0) {
    const ChildOutcome outcome = run_in_child([&] {
      std::ofstream(file) << ::getpid() << std::endl;
      for (;;) ::pause();
      return 0;
    });
    ::_exit(outcome.exit_status);
  }
  pid_t child = 0;
  for (int i = 0; i < 1000 && child == 0; ++i) {
    ::usleep(10'000);
    std::ifstream(file) >> child;
  }
  ASSERT_GT(child, 0);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  for (int i = 0; i < 1000 && is_running(child); ++i) ::usleep(10'000);
  EXPECT_FALSE(is_running(child));
}

volatile sig_atomic_t seen_here = 0;
void remember(int signal) { seen_here = signal; }

TEST(RunInChild, PassesAnInterruptOnAndSeesItHereAfterwards) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = remember;
  ::sigaction(SIGINT, &action, &before);
  seen_here = 0;
  const pid_t parent = ::getpid();
  const ChildOutcome outcome = run_in_child([&] {
    ::kill(parent, SIGINT);
    while (seen_here == 0) ::usleep(1000);  // the child has the earlier handler, too
    return 42;
  });
  EXPECT_EQ(outcome.exit_status, 42);
  EXPECT_EQ(seen_here, SIGINT);
  struct sigaction after {};
  ::sigaction(SIGINT, &before, &after);
  EXPECT_EQ(after.sa_handler, remember);
}

TEST(RunInChild, EndsAChildThatIgnoresAnInterruptWithTheSecondOne) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = remember;
  ::sigaction(SIGTERM, &action, &before);
  const pid_t parent = ::getpid();
  const ChildOutcome outcome = run_in_child([&] {
    ::signal(SIGTERM, SIG_IGN);
    for (;;) {
      ::kill(parent, SIGTERM);
      ::usleep(50'000);
    }
    return 0;
  });
  ::sigaction(SIGTERM, &before, nullptr);
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_FALSE(outcome.timed_out);
}

TEST(RunInChild, KeepsIgnoringWhatWasIgnored) {
  const auto before = ::signal(SIGINT, SIG_IGN);
  const pid_t parent = ::getpid();
  const ChildOutcome outcome = run_in_child([&] { return ::kill(parent, SIGINT); });
  ::signal(SIGINT, before);
  EXPECT_TRUE(outcome.succeeded());
}

TEST(RunInChild, CanBeNested) {
  const ChildOutcome outcome = run_in_child([] { return run_in_child([] { return 5; }).exit_status; });
  EXPECT_EQ(outcome.exit_status, 5);
}

}  // namespace
}  // namespace consort::os
