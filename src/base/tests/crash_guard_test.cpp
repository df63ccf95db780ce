#include "base/crash_guard.hpp"

#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "base/temp_folder.hpp"
#include "base/text.hpp"

namespace consort {
namespace {

using testing::HasSubstr;
using testing::Not;

// What a process writes to stderr that guards itself and then does `work`.
template <class Work>
ChildOutcome crash(Work&& work) {
  return run_in_child(
      [&] {
        install_crash_guard();
        work();
        return 0;
      },
      {.timeout_seconds = 60});
}

void* unreadable_page() { return ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

void crash_by(int signal) { ::raise(signal); }

int overflow_stack(int depth) {
  volatile char page[4096];
  page[0] = static_cast<char>(depth);
  return depth > 0 ? overflow_stack(depth + 1) + page[0] : page[0];
}

std::string time_text(double time) {
  const ChildOutcome outcome = crash([&] {
    current_call_site() = {"u", "f", time};
    crash_by(SIGABRT);
  });
  const std::string& text = outcome.standard_error;
  const std::size_t begin = text.find("t = ") + 4;
  return text.substr(begin, text.find(" s (") - begin);
}

TEST(CrashGuard, NamesUnitCallTimeAndSignal) {
  const ChildOutcome outcome = crash([] {
    current_call_site() = {"wheel", "fmi2DoStep", 1.25};
    *static_cast<volatile char*>(unreadable_page()) = 1;
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(
      outcome.standard_error,
      "consort: unit 'wheel' crashed in fmi2DoStep at t = 1.25 s (segmentation fault); results recorded up to this "
      "time are kept; run it with --timeout to isolate it in a process of its own, and report it to the maker of the "
      "FMU\n");
}

TEST(CrashGuard, CatchesEverySignalOfACrash) {
  const std::vector<std::pair<int, const char*>> signals = {{SIGSEGV, "(segmentation fault)"},
                                                            {SIGBUS, "(bus error)"},
                                                            {SIGFPE, "(arithmetic exception)"},
                                                            {SIGILL, "(illegal instruction)"},
                                                            {SIGABRT, "(aborted)"}};
  for (const auto& [signal, text] : signals) {
    const int number = signal;
    const ChildOutcome outcome = crash([&] {
      current_call_site() = {"wheel", "fmi3DoStep", 2};
      crash_by(number);
    });
    EXPECT_EQ(outcome.exit_status, 1);
    EXPECT_THAT(outcome.standard_error,
                HasSubstr("unit 'wheel' crashed in fmi3DoStep at t = 2 s " + std::string(text)));
  }
}

TEST(CrashGuard, SaysSoWhenNoUnitWasCalled) {
  const ChildOutcome outcome = crash([] { std::abort(); });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.standard_error, HasSubstr("Consort itself crashed (aborted)"));
  EXPECT_THAT(outcome.standard_error, HasSubstr("please report"));
  EXPECT_THAT(outcome.standard_error, Not(HasSubstr("unit '")));
}

TEST(CrashGuard, FormatsTimeWithoutTheLibrary) {
  EXPECT_EQ(time_text(0), "0");
  EXPECT_EQ(time_text(0.1), "0.1");
  EXPECT_EQ(time_text(-12.000000001), "-12.000000001");
  EXPECT_EQ(time_text(0.9999999999), "1");
  EXPECT_EQ(time_text(123456789.5), "123456789.5");
  EXPECT_EQ(time_text(1.5e-7), "1.5e-7");
  EXPECT_EQ(time_text(2.5e20), "2.5e20");
  EXPECT_EQ(time_text(std::numeric_limits<double>::infinity()), "INF");
  EXPECT_EQ(time_text(std::numeric_limits<double>::quiet_NaN()), "NaN");
}

TEST(CrashGuard, ShowsANameOnOneLineWhateverItHolds) {
  const std::string name = "evil\n\x1b[2J" + std::string(10'000, 'x');
  const ChildOutcome outcome = crash([&] {
    current_call_site() = {name.c_str(), "fmi2Reset", 0};
    crash_by(SIGSEGV);
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.standard_error, HasSubstr("unit 'evil??[2Jxxx"));
  EXPECT_EQ(outcome.standard_error.find('\n'), outcome.standard_error.size() - 1);
}

TEST(CrashGuard, SurvivesAStackOverflow) {
  const ChildOutcome outcome = crash([] {
    current_call_site() = {"deep", "fmi2DoStep", 3};
    overflow_stack(1);
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.standard_error, HasSubstr("unit 'deep' crashed in fmi2DoStep"));
}

TEST(CrashGuard, SurvivesAStackOverflowOfAnotherThread) {
  const ChildOutcome outcome = crash([] {
    std::thread([] {
      use_crash_stack();
      current_call_site() = {"threaded", "fmi3DoStep", 4};
      overflow_stack(1);
    }).join();
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.standard_error, HasSubstr("unit 'threaded' crashed in fmi3DoStep"));
}

TEST(CrashGuard, EndsTheProcessWhenTheHandlerCrashes) {
  const ChildOutcome outcome = crash([] {
    current_call_site() = {static_cast<const char*>(unreadable_page()), "fmi2DoStep", 0};
    crash_by(SIGSEGV);
  });
  EXPECT_FALSE(outcome.timed_out);
  // ThreadSanitizer keeps the second signal from the handler: then it is the signal that ends the process.
  EXPECT_TRUE(outcome.exit_status == 1 || outcome.signal == SIGSEGV);
}

TEST(CrashGuard, KeepsCallSitesOfThreadsApart) {
  current_call_site() = {"main", "fmi2DoStep", 1};
  std::thread([] { EXPECT_EQ(current_call_site().call, nullptr); }).join();
  current_call_site() = {};
}

TEST(EmergencyFlush, WritesTheCompleteRecordsOfEveryBuffer) {
  const TempFolder folder("test");
  const std::string file = (folder.path() / "result.csv").string();
  const ChildOutcome outcome = crash([&] {
    const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
    const std::string buffer = "1,2\n3,4\n5,";
    EmergencyFlush first(out.get(), buffer.data());
    first.complete(8);
    EmergencyFlush detached(out.get(), "never\n");
    detached.complete(6);
    detached.detach();
    EmergencyFlush nothing(out.get(), "nothing complete yet");
    std::abort();
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(read_file(file), "1,2\n3,4\n");
}

TEST(EmergencyFlush, LeavesTheBuffersOfTheParentToTheParent) {
  const TempFolder folder("test");
  const std::string file = (folder.path() / "result.csv").string();
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT, 0600));
  EmergencyFlush ours(out.get(), "ours\n");
  ours.complete(5);
  EXPECT_EQ(crash([] { std::abort(); }).exit_status, 1);
  EXPECT_EQ(read_file(file), "");
}

TEST(EmergencyFlush, DoesNothingWhenAllSlotsAreTakenAndReusesFreeOnes) {
  const TempFolder folder("test");
  const std::string file = (folder.path() / "result.csv").string();
  const ChildOutcome outcome = crash([&] {
    const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
    std::vector<std::unique_ptr<EmergencyFlush>> taken;
    for (int i = 0; i < 70; ++i) taken.push_back(std::make_unique<EmergencyFlush>(out.get(), "x"));
    for (const auto& flush : taken) flush->complete(1);
    taken.erase(taken.begin(), taken.begin() + 10);
    EmergencyFlush late(out.get(), "y");
    late.complete(1);
    std::abort();
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(read_file(file), "y" + std::string(54, 'x'));
}

}  // namespace
}  // namespace consort
