// FMUs that crash, hang, fail or return nonsense, and runs that are interrupted.
#include <chrono>
#include <cmath>
#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "record/formats.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class BadFmu : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::vector<std::string> simulate(const std::string& deed, std::vector<std::string> more = {}) {
    std::vector<std::string> all{"simulate",      fmu(std::string(GetParam()) + "/Bad.fmu"),
                                 "--start-value", "deed=" + deed,
                                 "--start-value", "when=0.5",
                                 "--step-size",   "0.01",
                                 "--output-file", "bad.csv"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(AllVersions, BadFmu, ::testing::Values("fmi1/cs", "fmi2", "fmi3"),
                         [](const auto& version) { return std::string(version.param).substr(0, 4); });

// Rows up to the step in which the FMU misbehaves (0.01 s each, from 0.5 s on).
void expect_rows_until_half_time(const Desk& desk) {
  const auto result = record::read_result(desk.folder() / "bad.csv");
  ASSERT_GE(result.rows(), 50U);
  EXPECT_NEAR(result.time.back(), 0.49, 0.0101);
  EXPECT_TRUE(desk.read("bad.csv").ends_with("\n"));
}

TEST_P(BadFmu, ThatCrashesIsNamedWithCallAndTimeAndItsRowsAreKept) {
  const Desk desk;
  const auto ended = desk.run(simulate("crash", {"-q"}));
  expect_one_paragraph(ended, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("'Bad'"), HasSubstr("DoStep"), HasSubstr("t = 0.49")));
  expect_rows_until_half_time(desk);
  // The next process removes the files that the crashed process left.
  EXPECT_EQ(desk.run({"info", fmu("fmi2/Dahlquist.fmu")}).status, 0);
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST_P(BadFmu, ThatCrashesInAThreadOfItsOwnIsSuspected) {
  const Desk desk;
  const auto ended = desk.run(simulate("crash in thread", {"-q"}));
  expect_one_paragraph(ended, 1);
  EXPECT_THAT(ended.err, HasSubstr("in a thread that is not Consort's, probably started by an FMU: 'Bad'"));
  expect_rows_until_half_time(desk);
}

#if defined(__SANITIZE_THREAD__)
constexpr bool signals_wait_for_calls = true;
#else
constexpr bool signals_wait_for_calls = false;
#endif
// ThreadSanitizer handles a signal only at the next intercepted call, and an endless loop makes no such call.
#define CONSORT_SKIP_WHERE_SIGNALS_WAIT() \
  if (signals_wait_for_calls) GTEST_SKIP() << "signals do not reach an endless loop under ThreadSanitizer"

TEST_P(BadFmu, ThatHangsIsEndedWhenItsTimeIsUp) {
  CONSORT_SKIP_WHERE_SIGNALS_WAIT();
  const Desk desk;
  const auto begun = std::chrono::steady_clock::now();
  const auto ended = desk.run(simulate("hang", {"-q", "--timeout", "2"}));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("'Bad'"), HasSubstr("DoStep"), HasSubstr("t = 0.49")))
      << "the place of the hang";
  EXPECT_THAT(ended.err, AllOf(HasSubstr("Bad.fmu"), HasSubstr("2 s"))) << "the time limit that ended it";
  expect_rows_until_half_time(desk);
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST_P(BadFmu, ThatCrashesWithATimeoutIsNamedOnce) {
  const Desk desk;
  const auto ended = desk.run(simulate("crash", {"-q", "--timeout", "30"}));
  expect_one_paragraph(ended, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("'Bad'"), HasSubstr("DoStep")));
  expect_rows_until_half_time(desk);
}

TEST_P(BadFmu, ThatFailsIsQuoted) {
  const Desk desk;
  for (const auto& [deed, words] :
       {std::pair("error", "an error, as demanded"), std::pair("fatal", "a fatal error, as demanded")}) {
    const auto ended = desk.run(simulate(deed, {"-q"}));
    EXPECT_EQ(ended.status, 1);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("'Bad'"), HasSubstr("DoStep"), HasSubstr("t = 0.49"), HasSubstr(words)));
    expect_rows_until_half_time(desk);
    EXPECT_THAT(desk.left_behind(), IsEmpty());
  }
}

TEST_P(BadFmu, ThatDiscardsLongStepsGetsShorterOnes) {
  const Desk desk;
  const auto ended = desk.run(simulate("discard"));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("discarded steps: "));
  EXPECT_EQ(record::read_result(desk.folder() / "bad.csv").time.back(), 1);
}

TEST_P(BadFmu, ThatReturnsNoNumbersIsReported) {
  const Desk desk;
  const auto ended = desk.run(simulate("not a number"));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("warning: 'y' is not a number"), HasSubstr("t = 0.5")));
  EXPECT_TRUE(std::isnan(record::read_result(desk.folder() / "bad.csv")["y"].numbers.back()));
}

TEST_P(BadFmu, ThatLogsFormatsIsHeardAndHarmless) {
  const Desk desk;
  for (const char* const deed : {"log percent", "log percent n", "log bad pointer"}) {
    const auto ended = desk.run(simulate(deed, {"-q"}));
    EXPECT_EQ(ended.status, 0) << deed << "\n" << ended.err;
    EXPECT_EQ(ended.signal, 0) << deed;
    EXPECT_THAT(ended.err, HasSubstr("[warning] Bad")) << deed;
  }
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST(BadStart, ThatCrashesWhenItIsInstantiatedLeavesNoResult) {
  const Desk desk;
  for (const char* const version : {"fmi1/cs", "fmi2", "fmi3"}) {
    const auto ended = desk.run({"simulate", fmu(std::string(version) + "/BadStart.fmu"), "-q"});
    expect_one_paragraph(ended, 1);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("'BadStart'"), HasSubstr("nstantiate")));
    EXPECT_THAT(desk.files(), IsEmpty());
  }
}

// --- users

// Starts a run that would not end, and waits until it has recorded some rows.
Program start_long_run(const Desk& desk, std::vector<std::string> more = {}) {
  std::vector<std::string> all{"simulate", fmu("fmi2/Dahlquist.fmu"), "--stop-time", "1e9", "--step-size",
                               "1e-3",     "--output-file",           "long.csv"};
  all.insert(all.end(), more.begin(), more.end());
  auto program = desk.start(all);
  EXPECT_TRUE(wait_for_size(desk.folder() / "long.csv", 100'000));
  return program;
}

void expect_whole_rows(const Desk& desk) {
  const auto result = record::read_result(desk.folder() / "long.csv");
  ASSERT_GT(result.rows(), 1000U);
  for (std::size_t i = 0; i < result.rows(); ++i) ASSERT_EQ(result.time[i], static_cast<double>(i) * 1e-3);
}

TEST(Interrupt, StopsCleanlyAndKeepsTheResult) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Desk desk;
    auto program = start_long_run(desk);
    program.send(signal);
    const auto ended = program.wait();
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("ended early: stopped on request at t = "));
    EXPECT_THAT(ended.err, HasSubstr("wrote long.csv"));
    expect_whole_rows(desk);
    EXPECT_THAT(desk.left_behind(), IsEmpty());
  }
}

TEST(Interrupt, ReachesARunWithATimeout) {
  const Desk desk;
  auto program = start_long_run(desk, {"--timeout", "100"});
  program.send(SIGINT);
  const auto ended = program.wait();
  EXPECT_THAT(ended.err, HasSubstr("ended early: stopped on request at t = "));
  expect_whole_rows(desk);
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

// Rows that are still in the buffer when an FMU hangs must not be lost at the second Ctrl-C.
TEST_P(BadFmu, ThatHangsIsEndedByTheSecondInterruptWithAllItsRows) {
  CONSORT_SKIP_WHERE_SIGNALS_WAIT();
  for (const bool child : {false, true}) {
    const Desk desk;
    auto program = desk.start(child ? simulate("hang", {"--timeout", "100"}) : simulate("hang"));
    ASSERT_TRUE(wait_for_size(desk.folder() / "bad.csv", 1));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    program.send(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    program.send(SIGINT);
    const auto ended = program.wait();
    // With a timeout, the waiting parent process ends by the signal, as a shell expects of an interrupted program.
    if (child) {
      EXPECT_EQ(ended.signal, SIGINT);
    } else {
      EXPECT_EQ(ended.status, 130);
    }
    EXPECT_THAT(ended.err, HasSubstr("second request to stop"));
    expect_rows_until_half_time(desk);
    EXPECT_EQ(desk.run({"info", fmu("fmi2/Dahlquist.fmu")}).status, 0);
    EXPECT_THAT(desk.left_behind(), IsEmpty());
  }
}

TEST(Interrupt, TwiceWhileRowsAreWrittenKeepsThemWholeAndOnce) {
  for (int round = 0; round < 5; ++round) {
    const Desk desk;
    auto program = start_long_run(desk);
    program.send(SIGINT);
    program.send(SIGINT);
    const auto ended = program.wait();
    EXPECT_TRUE(ended.status == 0 || ended.status == 130) << ended.status << ended.err;
    expect_whole_rows(desk);
  }
}

TEST(Kill, LeavesAReadableResultAndAFolderThatTheNextRunSweeps) {
  const Desk desk;
  auto program = start_long_run(desk);
  EXPECT_THAT(desk.left_behind(), SizeIs(1)) << "the unpacked FMU";
  program.send(SIGKILL);
  const auto ended = program.wait();
  EXPECT_EQ(ended.signal, SIGKILL);
  expect_whole_rows(desk);
  EXPECT_THAT(desk.left_behind(), SizeIs(1)) << "a killed process cannot remove its files";
  EXPECT_EQ(desk.run({"simulate", fmu("fmi2/Dahlquist.fmu")}).status, 0);
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST(Progress, IsOneLineASecondWhereThereIsNoTerminal) {
  const Desk desk;
  auto program = start_long_run(desk);
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  program.send(SIGINT);
  const auto ended = program.wait();
  EXPECT_THAT(ended.err, HasSubstr("progress t="));
  EXPECT_THAT(ended.err, AllOf(HasSubstr(" stop=1000000000 "), HasSubstr(" rtf="), HasSubstr(" left=")));
  EXPECT_THAT(ended.err, Not(HasSubstr("\r")));
}

}  // namespace
}  // namespace consort::cli_tests
