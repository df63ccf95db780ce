// run: systems of units.
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "base/text.hpp"
#include "program.hpp"
#include "record/formats.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A source whose output drives a follower that misbehaves on demand.
std::string pair_text(const std::string& more = {}, const std::string& follower = "fmi2/Bad.fmu") {
  return "consort: 1\nname: pair\nunits:\n  source: " + fmu("fmi3/Dahlquist.fmu") + "\n  follower: " + fmu(follower) +
         "\nconnections:\n  - source.x -> follower.u\nexperiment: {stop: 1, step: 10 ms}\n" + more;
}

std::vector<std::string> run_pair(std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "pair.yaml"});
  return more;
}

class RunPair : public ::testing::Test {
 protected:
  RunPair() { desk.write("pair.yaml", pair_text()); }
  [[nodiscard]] record::Result result(const std::string& file) const {
    return record::read_result(desk.folder() / file);
  }
  Desk desk;
};

// --- results and reports

TEST_F(RunPair, WritesItsResultBesideItselfWithAReport) {
  const auto ended = desk.run(run_pair());
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(desk.files(), ElementsAre("pair.h5", "pair.yaml"));
  EXPECT_THAT(ended.err, AllOf(HasSubstr("simulated 0 s to 1 s in 100 steps of 0.01 s"), HasSubstr("wrote pair.h5")));
  const auto r = result("pair.h5");
  EXPECT_EQ(r.rows(), 101U);
  EXPECT_NEAR(r["source.x"].numbers.back(), std::exp(-1), 1e-6);
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST_F(RunPair, GivesTheSameNumbersInEveryFormat) {
  for (const char* const file : {"a.csv", "a.h5", "a.mat"})
    ASSERT_EQ(desk.run(run_pair({"--output-file", file, "-q"})).status, 0) << file;
  const auto csv = result("a.csv");
  for (const char* const file : {"a.h5", "a.mat"}) {
    const auto other = result(file);
    ASSERT_EQ(other.rows(), csv.rows()) << file;
    for (const char* const name : {"source.x", "follower.y"})
      EXPECT_EQ(other[name].numbers, csv[name].numbers) << file << " " << name;
  }
  const auto out = desk.run(run_pair({"--output-file", "-", "-q"}));
  EXPECT_EQ(out.status, 0);
  EXPECT_EQ(out.out, desk.read("a.csv"));
}

TEST_F(RunPair, WithoutOutputOrWordsLeavesNothing) {
  const auto ended = desk.run(run_pair({"--no-output", "-q"}));
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.out + ended.err, "");
  EXPECT_THAT(desk.files(), ElementsAre("pair.yaml"));
}

TEST_F(RunPair, ReportsAsJsonAndAsText) {
  ASSERT_EQ(desk.run(run_pair({"--report", "r.json", "-q", "--no-output"})).status, 0);
  const auto report = nlohmann::json::parse(desk.read("r.json"));
  EXPECT_EQ(report["system"], "pair");
  EXPECT_EQ(report["steps"], 100);
  EXPECT_EQ(report["reached"], 1.0);
  ASSERT_EQ(report["units"].size(), 2U);
  EXPECT_EQ(report["units"][0]["name"], "source");
  EXPECT_EQ(report["units"][0]["kind"], "FMI 3.0");
  ASSERT_EQ(desk.run(run_pair({"--report", "r.txt", "-q", "--no-output"})).status, 0);
  EXPECT_THAT(desk.read("r.txt"), AllOf(HasSubstr("simulated 0 s to 1 s"), HasSubstr("follower")));
}

TEST_F(RunPair, WritesATimelineOfEveryUnit) {
  ASSERT_EQ(desk.run(run_pair({"--trace", "t.json", "-q", "--no-output"})).status, 0);
  const auto trace = nlohmann::json::parse(desk.read("t.json"));
  std::set<std::string> names;
  for (const auto& event : trace.is_array() ? trace : trace["traceEvents"])
    if (event.contains("name")) names.insert(event["name"].get<std::string>());
  EXPECT_THAT(names, AllOf(testing::Contains("source"), testing::Contains("follower")));
}

// --- options

TEST_F(RunPair, SettingsOfTheCommandLineBeatTheFile) {
  desk.write("pair.yaml", pair_text("set: {source.k: 5}\n"));
  ASSERT_EQ(desk.run(run_pair({"--set", "source.k=2", "--set", "source.x=3", "--output-file", "a.csv", "-q"})).status,
            0);
  EXPECT_NEAR(result("a.csv")["source.x"].numbers.back(), 3 * std::exp(-2), 1e-6);
}

TEST_F(RunPair, RecordsWhatWasChosen) {
  ASSERT_EQ(
      desk.run(run_pair({"--output-variable", "*.x", "--output-variable", "source.k", "--output-file", "a.csv", "-q"}))
          .status,
      0);
  const auto csv = desk.read("a.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), R"("time","source.x","source.k","follower.x")");
}

TEST_F(RunPair, ListsSetTheElementsOfArraysOneByOne) {
  desk.write("lists.yaml", "consort: 1\nunits:\n  feed:\n    fmu: " + fmu("fmi3/Feedthrough.fmu") +
                               "\n    start: {string_vector_in: [\"a b\", c], int32_vector_in: [7, 8], "
                               "matrix_in: [[1, 2, 3], [4, 5, 6]]}\n"
                               "inputs: {v: km}\nconnections: [v -> feed.vector_in]\nset: {v: [1, 2, 3]}\n"
                               "experiment: {stop: 1, step: 0.5}\nrecord: {variables: [\"feed.*\"]}\n");
  const auto expect_elements = [&](const std::string& file) {
    const auto r = result(file);
    EXPECT_EQ(r["feed.string_vector_out[1]"].texts.back(), "a b") << file;
    EXPECT_EQ(r["feed.string_vector_out[2]"].texts.back(), "c") << file;
    EXPECT_EQ(r["feed.vector_out[3]"].numbers.back(), 3000) << file;
    EXPECT_EQ(r["feed.int32_vector_out[2]"].numbers.back(), 8) << file;
    EXPECT_EQ(r["feed.matrix_out[2,3]"].numbers.back(), 6) << file;
  };
  const auto run_ok = [&](std::vector<std::string> arguments) {
    const auto ended = desk.run(std::move(arguments));
    EXPECT_EQ(ended.status, 0) << ended.err;
  };
  run_ok({"run", "lists.yaml", "-q"});
  expect_elements("lists.h5");
  run_ok({"run", "lists.h5", "-q"});
  expect_elements("lists_again.h5");
  run_ok({"convert", "lists.yaml", "lists.ssp"});
  run_ok({"run", "lists.ssp", "-q", "-o", "packed.h5"});
  expect_elements("packed.h5");
  desk.write("action.yaml",
             desk.read("lists.yaml") + "scenario: [{at: 0.5, set: feed.string_vector_in, to: [\"a b\", c]}]\n");
  const auto refused = desk.run({"run", "action.yaml"});
  expect_one_paragraph(refused, 2);
  EXPECT_THAT(refused.err, HasSubstr("one value or a list of numbers, but 'a b' is a text"));
}

TEST_F(RunPair, RecordsAtOutputPointsOnly) {
  ASSERT_EQ(desk.run(run_pair({"--output-interval", "0.25", "--output-file", "a.csv", "-q"})).status, 0);
  EXPECT_THAT(result("a.csv").time, ElementsAre(0, 0.25, 0.5, 0.75, 1));
}

TEST_F(RunPair, StepperAndExtrapolationChangeWhatTheFollowerSees) {
  const auto last = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--output-file", "a.csv", "-q", "--step-size", "0.1"});
    EXPECT_EQ(desk.run(run_pair(options)).status, 0);
    return result("a.csv")["follower.y"].numbers.back();
  };
  const double exact = 2 * std::exp(-1);  // y' = e^-t - y, y(0) = 1: (1 + t) e^-t
  const double held = std::abs(last({"--stepper", "jacobi"}) - exact);
  const double ahead = std::abs(last({"--stepper", "gauss-seidel"}) - exact);
  const double linear = std::abs(last({"--stepper", "jacobi", "--extrapolation", "1"}) - exact);
  const double between = std::abs(last({"--stepper", "gauss-seidel", "--extrapolation", "1"}) - exact);
  EXPECT_GT(held, 5e-3);
  EXPECT_GT(ahead, 5e-3);
  EXPECT_LT(linear, held / 5);
  EXPECT_LT(between, linear);
}

TEST_F(RunPair, GivesTheSameBytesForEveryNumberOfThreads) {
  ASSERT_EQ(desk.run(run_pair({"--threads", "1", "--output-file", "one.csv", "-q"})).status, 0);
  ASSERT_EQ(desk.run(run_pair({"--threads", "2", "--output-file", "two.csv", "-q"})).status, 0);
  ASSERT_EQ(desk.run(run_pair({"--threads", "7", "--output-file", "seven.csv", "-q"})).status, 0);
  EXPECT_EQ(desk.read("one.csv"), desk.read("two.csv"));
  EXPECT_EQ(desk.read("one.csv"), desk.read("seven.csv"));
  expect_one_paragraph(desk.run(run_pair({"--threads", "0", "-q"})), 2);
}

TEST_F(RunPair, InRealTimeTakesAsLongAsItSimulates) {
  const auto seconds = [&](std::vector<std::string> options) {
    const auto begun = std::chrono::steady_clock::now();
    const auto ended = desk.run(run_pair(std::move(options)));
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("real time: "));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  EXPECT_GE(seconds({"--no-output", "--stop-time", "0.3", "--realtime"}), 0.3);
  EXPECT_GE(seconds({"--no-output", "--realtime", "2"}), 0.5);
  expect_one_paragraph(desk.run(run_pair({"--no-output", "-q", "--realtime", "-1"})), 2);
}

// --- mistakes

TEST_F(RunPair, WrongNamesSuggestTheNearest) {
  const auto refused = [&](std::vector<std::string> options, const std::string& words) {
    options.push_back("-q");
    const auto ended = desk.run(run_pair(std::move(options)));
    expect_one_paragraph(ended, 2);
    EXPECT_THAT(ended.err, HasSubstr(words));
  };
  refused({"--set", "sorce.k=2"}, "'source'");
  refused({"--set", "source.kk=2"}, "'k'");
  refused({"--set", "source.k=two"}, "'two'");
  refused({"--set", "source.k"}, "UNIT.VARIABLE=VALUE");
  refused({"--output-variable", "folower.y"}, "'follower.y'");
  refused({"--stepper", "jacoby"}, "jacobi");
  refused({"--loop-method", "newtown"}, "newton");
  refused({"--extrapolation", "poli-2"}, "poly-2");
  refused({"--host", "proces"}, "process");
  refused({"--step-size", "0"}, "> 0");
  refused({"--stop-time", "-1"}, "not before the start time");
  refused({"--output-file", "a.xyz"}, ".csv");
  refused({"--input-file", "nowhere.csv"}, "nowhere.csv");
  EXPECT_THAT(desk.files(), ElementsAre("pair.yaml")) << "no run was started";
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST_F(RunPair, MistakesInTheFileAreNamedWithTheirPlace) {
  desk.write("pair.yaml", pair_text("  - 7\n"));
  const auto broken = desk.run(run_pair({"-q"}));
  expect_one_paragraph(broken, 2);
  EXPECT_THAT(broken.err, HasSubstr("pair.yaml:"));
  desk.write("pair.yaml", pair_text("set: {source.kk: 1}\n"));
  const auto unknown = desk.run(run_pair({"-q"}));
  expect_one_paragraph(unknown, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("pair.yaml:9:"), HasSubstr("'k'")));
  expect_one_paragraph(desk.run({"run", "nowhere.yaml", "-q"}), 2);
  expect_one_paragraph(desk.run({"run", fmu("fmi2/Bad.fmu"), "-q"}), 2);
  expect_one_paragraph(desk.run({"run"}), 2);
}

// --- units that fail

class FailingUnit : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(AllFormats, FailingUnit, ::testing::Values("csv", "h5", "mat"));

TEST_P(FailingUnit, ThatCrashesIsNamedWithCallAndTimeAndTheRowsStay) {
  const Desk desk;
  desk.write("pair.yaml", pair_text("set: {follower.deed: crash, follower.when: 0.5}\n"));
  const std::string file = std::string("a.") + GetParam();
  const auto ended = desk.run({"run", "pair.yaml", "-q", "--output-file", file});
  expect_one_paragraph(ended, 1);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("'follower'"), HasSubstr("fmi2DoStep"), HasSubstr("t = 0.49")));
  const auto r = record::read_result(desk.folder() / file);
  EXPECT_NEAR(r.time.back(), 0.49, 1e-9);
  EXPECT_EQ(r.rows(), 50U);
  EXPECT_EQ(desk.run({"info", fmu("fmi2/Dahlquist.fmu")}).status, 0);
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST_P(FailingUnit, ThatReportsAnErrorIsQuotedAndTheRowsStay) {
  const Desk desk;
  for (const char* const version : {"fmi1/cs/Bad.fmu", "fmi2/Bad.fmu", "fmi3/Bad.fmu"}) {
    desk.write("pair.yaml", pair_text("set: {follower.deed: error, follower.when: 0.5}\n", version));
    const std::string file = std::string("a.") + GetParam();
    const auto ended = desk.run({"run", "pair.yaml", "-q", "--output-file", file});
    EXPECT_EQ(ended.status, 1) << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("'follower'"), HasSubstr("DoStep"), HasSubstr("t = 0.49"),
                                 HasSubstr("an error, as demanded")));
    EXPECT_EQ(record::read_result(desk.folder() / file).rows(), 50U);
    EXPECT_THAT(desk.left_behind(), IsEmpty());
  }
}

TEST(RunUnits, ThatDiscardLongStepsGetShorterOnesAndAreCounted) {
  const Desk desk;
  desk.write("pair.yaml", pair_text("set: {follower.deed: discard, follower.when: 0.5}\n"));
  const auto ended = desk.run({"run", "pair.yaml", "--output-file", "a.csv"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("discarded steps"));
  EXPECT_EQ(record::read_result(desk.folder() / "a.csv").time.back(), 1);
}

TEST(RunUnits, ThatGiveNoNumbersAreReported) {
  const Desk desk;
  desk.write("pair.yaml", pair_text("set: {follower.deed: not a number, follower.when: 0.5}\n"));
  const auto ended = desk.run({"run", "pair.yaml", "--output-file", "a.csv"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("warning: 'follower.y' is not a number"), HasSubstr("t = 0.5")));
}

TEST(RunTime, AValueThatCannotBeConvertedIsNamedWithItsTime) {
  const Desk desk;
  desk.write("stair.yaml", "consort: 1\nunits:\n  s: " + fmu("fmi3/Stair.fmu") +
                               "\n  f: " + fmu("fmi3/Feedthrough.fmu") +
                               "\nconnections:\n  - {from: s.counter, to: f.int32_in, map: {1: 1, 2: 5}}\n"
                               "experiment: {stop: 4, step: 0.5}\n");
  const auto ended = desk.run({"run", "stair.yaml", "-o", "stair.csv"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err,
              AllOf(HasSubstr("in the events at t = 2 s"), HasSubstr("s.counter → f.int32_in (stair.yaml:6:5)"),
                    HasSubstr("no entry for the value 3")));
  EXPECT_EQ(record::read_result(desk.folder() / "stair.csv").time.back(), 1.5) << "rows recorded so far are kept";
}

TEST(RunTime, NumbersThatAreNoneAreToldEvenWhenQuiet) {
  const Desk desk;
  desk.write("nan.yaml", "consort: 1\nunits:\n  a: {fmu: " + fmu("fmi2/Feedthrough.fmu") +
                             ", start: {float64_in: nan}}\nexperiment: {stop: 1, step: 0.5}\n");
  const auto ended = desk.run({"run", "nan.yaml", "-q", "-o", "nan.csv"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("warning: 'a."), HasSubstr("NaN"), HasSubstr("t = 0 s")));
}

TEST_F(RunPair, NothingThatIsReadIsReplaced) {
  desk.write("in.csv", "time\n0\n");
  const std::string before = read_file(desk.folder() / "pair.yaml");
  for (const char* const option : {"--output-file", "--report", "--trace", "--fmi-log-file"}) {
    const auto ended = desk.run(run_pair({option, "./pair.yaml"}));
    EXPECT_EQ(ended.status, 2) << option;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("is read by this run"), HasSubstr(option)));
  }
  const auto checkpoint = desk.run(run_pair({"--checkpoint-every", "1", "--checkpoint-file", "pair.yaml"}));
  EXPECT_EQ(checkpoint.status, 2) << checkpoint.err;
  EXPECT_EQ(read_file(desk.folder() / "pair.yaml"), before);
  const auto twice = desk.run(run_pair({"--report", "a.csv", "--output-file", "a.csv"}));
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, AllOf(HasSubstr("--output-file"), HasSubstr("--report")));
}

TEST_F(RunPair, WhatCannotBeWrittenIsSaidBeforeTheRun) {
  for (const char* const option : {"--report", "--trace", "--output-file"}) {
    const auto ended = desk.run(run_pair({option, "nowhere/a.csv"}));
    EXPECT_EQ(ended.status, 2) << option;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("nowhere/a.csv"), Not(HasSubstr("simulated"))));
  }
}

// A co-simulation FMU need not respond to inputs without a step (FMI 2.0, 4.2). --probe finds FMUs that do.
TEST(RunUnits, ThatAnswerWithoutAStepAreFoundByProbing) {
  const Desk desk;
  desk.write("pass.yaml", "consort: 1\nunits:\n  source: " + fmu("fmi3/Dahlquist.fmu") +
                              "\n  pass: " + fmu("fmi2/Feedthrough.fmu") +
                              "\nconnections:\n  - source.x -> pass.float64_in\n"
                              "experiment: {stop: 1, step: 0.1}\nrun: {stepper: jacobi}\n");
  const auto lag = [&](std::vector<std::string> options, std::string& words) {
    options.insert(options.begin(), {"run", "pass.yaml", "--output-file", "a.csv"});
    const auto ended = desk.run(options);
    EXPECT_EQ(ended.status, 0) << ended.err;
    words = ended.err;
    const auto r = record::read_result(desk.folder() / "a.csv");
    return r["pass.float64_out"].numbers[5] - r["source.x"].numbers[5];
  };
  std::string words;
  EXPECT_GT(lag({}, words), 0.01);
  EXPECT_THAT(words, HasSubstr("feed-through of pass"));
  EXPECT_EQ(lag({"--probe"}, words), 0);
  EXPECT_THAT(words, Not(HasSubstr("feed-through of pass")));
}

// --- users and disks

class LongRun : public ::testing::TestWithParam<const char*> {
 protected:
  LongRun() : file_(std::string("long.") + GetParam()) { desk.write("pair.yaml", pair_text()); }
  // Starts a run that would not end, and waits until it has recorded some rows.
  Program start(std::uintmax_t bytes = 100'000) {
    auto program = desk.start(run_pair({"--stop-time", "1e9", "--step-size", "1e-3", "--output-file", file_}));
    EXPECT_TRUE(wait_for_size(desk.folder() / file_, bytes));
    return program;
  }
  void expect_whole_rows() {
    const auto r = record::read_result(desk.folder() / file_);
    ASSERT_GT(r.rows(), 1000U);
    for (std::size_t i = 0; i < r.rows(); ++i) ASSERT_EQ(r.time[i], static_cast<double>(i) * 1e-3);
    for (const double y : r["follower.y"].numbers) ASSERT_TRUE(y > 0 || r.rows() > 700'000);
  }
  std::string file_;
  Desk desk;
};
INSTANTIATE_TEST_SUITE_P(AllFormats, LongRun, ::testing::Values("csv", "h5", "mat"));

TEST_P(LongRun, StopsCleanlyOnCtrlCAndKeepsItsRows) {
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove(desk.folder() / file_);
    auto program = start();
    program.send(signal);
    const auto ended = program.wait();
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("ended early: stopped on request at t = "), HasSubstr("wrote " + file_)));
    expect_whole_rows();
    EXPECT_THAT(desk.left_behind(), IsEmpty());
  }
}

TEST_P(LongRun, ThatIsKilledLeavesAReadableResult) {
  auto program = start();
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // rows reach the disk within a second
  program.send(SIGKILL);
  EXPECT_EQ(program.wait().signal, SIGKILL);
  expect_whole_rows();
  EXPECT_EQ(desk.run({"info", fmu("fmi2/Dahlquist.fmu")}).status, 0);
  EXPECT_THAT(desk.left_behind(), IsEmpty()) << "removed by the next run";
}

// During the life of the object, started programs cannot write files beyond this size.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_P(LongRun, OnAFullDiskEndsWithAnErrorAndKeepsWhatWasWritten) {
  auto program = [&] {
    const FileSizeLimit limit(16 << 20);  // more than unpacking the FMUs needs
    return desk.start(run_pair({"--stop-time", "1e9", "--step-size", "1e-3", "--output-file", file_, "-q"}));
  }();
  const auto ended = program.wait(std::chrono::seconds(120));
  expect_one_paragraph(ended, 1);
  EXPECT_THAT(ended.err, HasSubstr(file_));
  EXPECT_LE(fs::file_size(desk.folder() / file_), std::uintmax_t{16} << 20);
  expect_whole_rows();
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST(RunInRealTime, CtrlCDoesNotWaitForTheEndOfALongStep) {
  const Desk desk;
  desk.write("pair.yaml", pair_text());
  auto program = desk.start(run_pair({"--step-size", "0.5", "--output-file", "a.csv", "--realtime", "0.005"}));
  ASSERT_TRUE(wait_for_size(desk.folder() / "a.csv", 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  program.send(SIGINT);
  const auto begun = std::chrono::steady_clock::now();
  const auto ended = program.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20)) << "the step takes 100 s";
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("stopped on request"));
}

TEST(RunProgress, IsOneLineASecondWhereThereIsNoTerminal) {
  const Desk desk;
  desk.write("pair.yaml", pair_text());
  auto program = desk.start(run_pair({"--stop-time", "1e9", "--no-output"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  program.send(SIGINT);
  const auto ended = program.wait();
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("progress t="), HasSubstr(" stop=1000000000 "), HasSubstr(" rtf=")));
  EXPECT_THAT(ended.err, Not(HasSubstr("\r")));
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

// --- checkpoints

class RunWithCheckpoints : public ::testing::Test {
 protected:
  RunWithCheckpoints() {
    desk.write("two.yaml", "consort: 1\nunits:\n  a: " + fmu("fmi3/Dahlquist.fmu") + "\n  b: {fmu: " +
                               fmu("fmi2/Dahlquist.fmu") + ", interface: me}\nexperiment: {stop: 1, step: 1 ms}\n");
  }
  [[nodiscard]] std::vector<std::string> run(std::vector<std::string> more) const {
    more.insert(more.begin(), {"run", "two.yaml", "--set", "a.k=0.01", "--set", "b.k=0.01"});
    return more;
  }
  Desk desk;
};

TEST_F(RunWithCheckpoints, GoesOnAfterItWasKilledAsIfItHadNotBeen) {
  auto killed = desk.start(run({"--stop-time", "1e9", "--checkpoint-every", "0.5", "--output-file", "r.csv", "-q"}));
  ASSERT_TRUE(wait_for_size(desk.folder() / "r.csv", 200'000));
  killed.send(SIGKILL);
  EXPECT_EQ(killed.wait().signal, SIGKILL);
  ASSERT_TRUE(desk.has("two.checkpoint"));
  const double stop = std::floor(record::read_result(desk.folder() / "r.csv").time.back()) + 1;
  const auto stop_text = std::to_string(stop);
  const auto ended =
      desk.run(run({"--stop-time", stop_text, "--restart-from", "two.checkpoint", "--output-file", "r.csv"}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("resumed from the checkpoint two.checkpoint at t = "));
  EXPECT_EQ(desk.run(run({"--stop-time", stop_text, "--output-file", "whole.csv", "-q"})).status, 0);
  EXPECT_EQ(desk.read("r.csv"), desk.read("whole.csv"));
}

TEST_F(RunWithCheckpoints, SaysWhatIsWrongWithOne) {
  desk.write("bad", "consort checkpoint 3\nnonsense");
  expect_one_paragraph(desk.run(run({"--restart-from", "bad", "-q"})), 2);
  expect_one_paragraph(desk.run(run({"--restart-from", "nowhere", "-q"})), 2);
  expect_one_paragraph(desk.run(run({"--checkpoint-every", "0", "-q"})), 2);
  expect_one_paragraph(desk.run(run({"--checkpoint-file", "c", "-q"})), 2);
  ASSERT_EQ(desk.run(run({"--checkpoint-every", "0.5", "-q"})).status, 0);
  const auto other = desk.run(run({"--restart-from", "two.checkpoint", "--step-size", "0.002", "-q"}));
  expect_one_paragraph(other, 2);
  EXPECT_THAT(other.err, HasSubstr("0.002"));
}

}  // namespace
}  // namespace consort::cli_tests
