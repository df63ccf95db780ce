#include "os/crash_guard.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "os/child_process.hpp"
#include "os/temp_folder.hpp"

namespace consort::os {
namespace {

// Marks the thread as being in foreign code until its end.
void stand_in(const CallSite& site) {
  static thread_local CallSite here;
  here = site;
  current_call_site() = &here;
}

using testing::HasSubstr;
using testing::Not;

// The stderr output of a process that installs the guard and then does `work`.
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
    stand_in({"u", "f", time});
    crash_by(SIGABRT);
  });
  const std::string& text = outcome.standard_error;
  const std::size_t begin = text.find("t = ") + 4;
  return text.substr(begin, text.find(" s (") - begin);
}

TEST(CrashGuard, NamesUnitCallTimeAndSignal) {
  const ChildOutcome outcome = crash([] {
    stand_in({"wheel", "fmi2DoStep", 1.25});
    *static_cast<volatile char*>(unreadable_page()) = 1;
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(
      outcome.standard_error,
      "consort: unit 'wheel' crashed in fmi2DoStep at t = 1.25 s (segmentation fault); results recorded up to this "
      "time are kept; report it to the maker of the "
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
      stand_in({"wheel", "fmi3DoStep", 2});
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

// --- in host programs

extern "C" void exit_with_77(int) { ::_exit(77); }

TEST(CrashReport, TellsWhichUnitItWasAndLeavesTheEndToTheProgram) {
  for (const int number : {SIGABRT, SIGSEGV}) {
    const ChildOutcome outcome = run_in_child(
        [&] {
          ::signal(number, exit_with_77);
          install_crash_report();
          install_crash_report();
          stand_in({"wheel", "fmi2DoStep", 1.25});
          if (number == SIGABRT) std::abort();
          return int{*static_cast<volatile char*>(unreadable_page())};
        },
        {.timeout_seconds = 60});
    EXPECT_EQ(outcome.exit_status, 77);
    EXPECT_THAT(outcome.standard_error, HasSubstr("unit 'wheel' crashed in fmi2DoStep at t = 1.25 s"));
  }
}

TEST(CrashReport, HasNothingToSayAboutCrashesOutsideOfUnits) {
  const ChildOutcome outcome = run_in_child(
      [&]() -> int {
        ::signal(SIGABRT, exit_with_77);
        install_crash_report();
        std::abort();
      },
      {.timeout_seconds = 60});
  EXPECT_EQ(outcome.exit_status, 77);
  EXPECT_EQ(outcome.standard_error, "");
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
    stand_in({name.c_str(), "fmi2Reset", 0});
    crash_by(SIGSEGV);
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.standard_error, HasSubstr("unit 'evil??[2Jxxx"));
  EXPECT_EQ(outcome.standard_error.find('\n'), outcome.standard_error.size() - 1);
}

TEST(CrashGuard, SurvivesAStackOverflow) {
  const ChildOutcome outcome = crash([] {
    stand_in({"deep", "fmi2DoStep", 3});
    overflow_stack(1);
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.standard_error, HasSubstr("unit 'deep' crashed in fmi2DoStep"));
}

TEST(CrashGuard, SurvivesAStackOverflowOfAnotherThread) {
  const ChildOutcome outcome = crash([] {
    std::thread([] {
      use_crash_stack();
      stand_in({"threaded", "fmi3DoStep", 4});
      overflow_stack(1);
    }).join();
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.standard_error, HasSubstr("unit 'threaded' crashed in fmi3DoStep"));
}

TEST(CrashGuard, PutsACrashInAForeignThreadDownToTheUnitsThatAreLoaded) {
  const ChildOutcome outcome = crash([] {
    const LoadedUnit wheel("wheel"), axle("axle");
    { const LoadedUnit gone("gone"); }
    stand_in({"wheel", "fmi2DoStep", 1});  // of another thread than the one that crashes
    std::thread([] { crash_by(SIGSEGV); }).join();
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.standard_error,
              HasSubstr("in a thread that is not Consort's, probably started by an FMU: 'wheel', 'axle'; results"));
  EXPECT_THAT(outcome.standard_error, Not(HasSubstr("Consort itself")));
  EXPECT_THAT(outcome.standard_error, Not(HasSubstr("gone")));
}

TEST(CrashGuard, KnowsThreadsThatUseItsStackAsOurs) {
  const ChildOutcome outcome = crash([] {
    const LoadedUnit wheel("wheel");
    std::thread([] {
      use_crash_stack();
      crash_by(SIGSEGV);
    }).join();
  });
  EXPECT_THAT(outcome.standard_error, HasSubstr("Consort itself crashed"));
}

TEST(CrashGuard, ShortensNamesOfUnitsAndDoesWithoutThoseThatFindNoPlace) {
  const ChildOutcome outcome = crash([] {
    std::vector<std::unique_ptr<LoadedUnit>> all;
    for (int i = 0; i < 70; ++i) all.push_back(std::make_unique<LoadedUnit>((std::string(100, 'x') + "end").c_str()));
    all.erase(all.begin() + 1, all.end());
    std::thread([] { crash_by(SIGSEGV); }).join();
  });
  EXPECT_THAT(outcome.standard_error, HasSubstr("by an FMU: '" + std::string(63, 'x') + "'; results"));
}

TEST(CrashGuard, NamesNoUnitWhenNoneIsLoaded) {
  const ChildOutcome outcome = crash([] { std::thread([] { crash_by(SIGABRT); }).join(); });
  EXPECT_THAT(outcome.standard_error,
              HasSubstr("(aborted) in a thread that is not Consort's, probably started by an FMU; "));
}

TEST(CrashGuard, EndsTheProcessWhenTheHandlerCrashes) {
  const ChildOutcome outcome = crash([] {
    stand_in({static_cast<const char*>(unreadable_page()), "fmi2DoStep", 0});
    crash_by(SIGSEGV);
  });
  EXPECT_FALSE(outcome.timed_out);
  // ThreadSanitizer withholds the second signal from the handler; then the signal itself ends the process.
  EXPECT_TRUE(outcome.exit_status == 1 || outcome.signal == SIGSEGV);
}

TEST(CrashGuard, KeepsCallSitesOfThreadsApart) {
  stand_in({"main", "fmi2DoStep", 1});
  std::thread([] { EXPECT_EQ(current_call_site(), nullptr); }).join();
  current_call_site() = nullptr;
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

// --- end of the process on request

void end_on_alarm(int) { end_process_from_handler(130, "enough"); }

TEST(EmergencyFlush, SavesTheRecordsWhenAHandlerEndsTheProcess) {
  const TempFolder folder("test");
  const std::string file = (folder.path() / "result.csv").string();
  const ChildOutcome outcome = crash([&] {
    const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
    EmergencyFlush buffer(out.get(), "1,2\n3,");
    buffer.complete(4);
    ::signal(SIGALRM, end_on_alarm);
    ::raise(SIGALRM);
    ::_exit(77);
  });
  EXPECT_EQ(outcome.exit_status, 130);
  EXPECT_EQ(outcome.standard_error, "enough\n");
  EXPECT_EQ(read_file(file), "1,2\n");
}

TEST(EmergencyFlush, LetsItsOwnerFinishWritingBeforeAHandlerEndsTheProcess) {
  const TempFolder folder("test");
  const std::string file = (folder.path() / "result.csv").string();
  const ChildOutcome outcome = crash([&] {
    const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
    EmergencyFlush first(out.get(), "first\n"), second(out.get(), "second\n");
    first.complete(6);
    second.complete(7);
    ::signal(SIGALRM, end_on_alarm);
    {
      const EmergencyFlush::Writing writing(first);
      if (::write(out.get(), "fir", 3) != 3) ::_exit(70);
      ::raise(SIGALRM);  // returns
      if (::write(out.get(), "st\n", 3) != 3) ::_exit(71);
    }
    ::_exit(77);
  });
  EXPECT_EQ(outcome.exit_status, 130);
  EXPECT_EQ(read_file(file), "first\nsecond\n") << "each once";
}

TEST(EmergencyFlush, WaitsForAnotherThreadThatWritesWhenThisOneCrashes) {
  const TempFolder folder("test");
  const std::string file = (folder.path() / "result.csv").string();
  const ChildOutcome outcome = crash([&] {
    const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
    EmergencyFlush buffer(out.get(), "once\n");
    buffer.complete(5);
    std::atomic<bool> writes{false};
    std::thread writer([&] {
      const EmergencyFlush::Writing writing(buffer);
      writes = true;
      ::usleep(50'000);
      if (::write(out.get(), "once\n", 5) != 5) ::_exit(70);
    });
    while (!writes) ::usleep(100);
    crash_by(SIGSEGV);
    writer.join();
  });
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(read_file(file), "once\n");
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
}  // namespace consort::os
