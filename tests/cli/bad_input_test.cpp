// Bad usage and bad input give one paragraph with file, place and remedy, status 2, and leave no files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Arguments = std::vector<std::string>;

// Expects an error whose text contains all of `parts`, and no new files.
void expect_refused(const Desk& desk, const Arguments& arguments, const std::vector<std::string>& parts,
                    int status = 2) {
  SCOPED_TRACE(::testing::PrintToString(arguments));
  const auto before = desk.files();
  const auto ended = desk.run(arguments);
  expect_one_paragraph(ended, status);
  for (const auto& part : parts) EXPECT_THAT(ended.err, HasSubstr(part));
  EXPECT_EQ(desk.files(), before) << "a stray file";
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

// --- usage

TEST(Usage, NeedsACommandAndKnowsItsNames) {
  const Desk desk;
  expect_refused(desk, {}, {"a command is required", "--help"});
  expect_refused(desk, {"simulat", "x.fmu"}, {"'simulat'", "did you mean 'simulate'", "--help"});
  expect_refused(desk, {"help", "simulat"}, {"'simulat'", "did you mean 'simulate'"});
  expect_refused(desk, {"simulat", "--help"}, {"'simulat'", "did you mean 'simulate'"});
  expect_refused(desk, {"new"}, {"a command is required", "consort new --help"});
  expect_refused(desk, {"car.yaml"}, {"consort run car.yaml"});
  expect_refused(desk, {"ball.fmu", "--stop-time", "3"}, {"consort simulate ball.fmu"});
}

TEST(Usage, NamesTheCommandWhoseArgumentsAreWrong) {
  const Desk desk;
  for (const char* const command : {"info", "check", "simulate", "cross-check", "compare", "plot"}) {
    expect_refused(desk, {command}, {"required", std::string("consort ") + command + " --help"});
    expect_refused(desk, {command, "a", "b", "c", "--no-such-option"}, {"consort"});
  }
  expect_refused(desk, {"simulate", fmu("fmi2/Dahlquist.fmu"), "--stop-time"}, {"--stop-time"});
  expect_refused(desk, {"simulate", fmu("fmi2/Dahlquist.fmu"), "--stop-time", "ten"}, {"--stop-time", "ten"});
  expect_refused(desk, {"simulate", fmu("fmi2/Dahlquist.fmu"), "--interface-type", "se"}, {"--interface-type", "se"});
  expect_refused(desk, {"simulate", fmu("fmi2/Dahlquist.fmu"), "--timeout", "-1"}, {"--timeout"});
}

TEST(Usage, SaysWhichOptionThereIsNotAndWhichWasMeant) {
  const Desk desk;
  const auto ball = fmu("fmi2/BouncingBall.fmu");
  expect_refused(desk, {"simulate", ball, "--sett", "e=1"}, {"there is no option '--sett'; did you mean '--set'?"});
  expect_refused(desk, {"simulate", ball, "--stop", "3"}, {"there is no option '--stop'; did you mean '--stop-time'?"});
  expect_refused(desk, {"run", "a.yaml", "--outputfile=b.csv"}, {"'--outputfile'; did you mean '--output-file'"});
  expect_refused(desk, {"simulate", ball, "more"}, {"unexpected argument 'more'", "consort simulate --help"});
}

TEST(Usage, KnowsOptionsInFrontOfACommandAndShortOnes) {
  const Desk desk;
  expect_refused(desk, {"--frobnicate"}, {"there is no option '--frobnicate'; 'consort --help'"});
  expect_refused(desk, {"--versoin"}, {"did you mean '--version'?"});
  expect_refused(desk, {"-x", "run", "a.yaml"}, {"there is no option '-x'"});
  expect_refused(desk, {"-v"}, {"there is no option '-v'; did you mean '-V'?"});
  expect_refused(desk, {"run", "a.yaml", "--version"}, {"'consort --version'"});
}

TEST(Usage, SaysWhichValuesAnOptionTakes) {
  const Desk desk;
  const auto ball = fmu("fmi2/BouncingBall.fmu");
  expect_refused(desk, {"simulate", ball, "--stop-time", "abc"}, {"--stop-time takes a number, not 'abc'"});
  expect_refused(desk, {"simulate", ball, "--stop-time"}, {"--stop-time needs a value"});
  expect_refused(desk, {"simulate", ball, "--stop-time", "1", "--stop-time", "2"},
                 {"--stop-time is given more than once"});
  expect_refused(desk, {"simulate", ball, "--interface-type", "mee"},
                 {"--interface-type takes cs or me, not 'mee'; did you mean 'me'?"});
  for (const char* const value : {"0", "-3", "abc"})
    expect_refused(desk, {"simulate", ball, "--timeout", value},
                   {"--timeout: '" + std::string(value) + "' is not a positive number"});
  expect_refused(desk, {"plot", "a.csv", "--width", "wide"}, {"--width: 'wide' is not a positive number"});
  expect_refused(desk, {"run", "a.yaml", "--no-output", "-o", "x.h5"}, {"cannot be combined with"});
}

TEST(Usage, NamesTheCommandForTheOtherKindOfFile) {
  const Desk desk;
  desk.write("a.yaml", "consort: 1\nunits: {}\n");
  expect_refused(desk, {"simulate", "a.yaml"}, {"a.yaml: is a system, not an FMU; run it with: consort run a.yaml"});
  expect_refused(desk, {"probe", "a.yaml"}, {"consort run a.yaml"});
  expect_refused(desk, {"run", "a.fmu"}, {"a.fmu: is an FMU, not a system; simulate it with: consort simulate a.fmu"});
}

TEST(Usage, NamesTheOnlyInterfaceOfAnFmu) {
  const Desk desk;
  expect_refused(desk, {"simulate", fmu("fmi1/cs/Dahlquist.fmu"), "--interface-type", "me", "-o", "-"},
                 {"offers Co-Simulation only, not Model Exchange; use --interface-type cs"});
}

TEST(Usage, HelpGoesToStandardOutput) {
  const Desk desk;
  const auto all = desk.run({"--help"});
  EXPECT_EQ(all.status, 0);
  for (const char* const command : {"info", "check", "simulate", "cross-check", "compare", "plot"}) {
    EXPECT_THAT(all.out, HasSubstr(command));
    const auto one = desk.run({command, "--help"});
    EXPECT_EQ(one.status, 0);
    EXPECT_THAT(one.out, HasSubstr("--"));
    EXPECT_EQ(one.err, "");
  }
  EXPECT_EQ(desk.run({"help"}).out, all.out);
  EXPECT_EQ(desk.run({"help", "new", "model"}).out, desk.run({"new", "model", "--help"}).out);
  for (const char* const way : {"--version", "-V", "version"}) {
    const auto version = desk.run({way});
    EXPECT_EQ(version.status, 0);
    EXPECT_THAT(version.out, HasSubstr("consort "));
  }
}

// --- files

TEST(BadFile, IsNamedByEveryCommandThatOpensFmus) {
  const Desk desk;
  desk.write("empty.fmu", "");
  desk.write("text.fmu", "this is not an archive");
  desk.write("cut.fmu", read_text(fmu("fmi2/Dahlquist.fmu")).substr(0, 5000));
  fs::create_directory(desk.folder() / "folder");
  for (const char* const command : {"info", "simulate"}) {
    expect_refused(desk, {command, "missing.fmu"}, {"missing.fmu"});
    expect_refused(desk, {command, "empty.fmu"}, {"empty.fmu"});
    expect_refused(desk, {command, "text.fmu"}, {"text.fmu"});
    expect_refused(desk, {command, "cut.fmu"}, {"cut.fmu"});
    expect_refused(desk, {command, "folder"}, {"folder", "modelDescription.xml"});
    expect_refused(desk, {command, "/dev/null"}, {"/dev/null"});
  }
}

TEST(BadFile, DescriptionsThatAreNotWellFormedAreRefusedWithTheLine) {
  const Desk desk;
  fs::create_directory(desk.folder() / "folder");
  desk.write("folder/modelDescription.xml", "<?xml version=\"1.0\"?>\n<fmiModelDescription\n  fmiVersion=2.0>\n");
  expect_refused(desk, {"info", "folder"}, {"modelDescription.xml:3"});
  desk.write("folder/modelDescription.xml", "<html/>\n");
  expect_refused(desk, {"info", "folder"}, {"modelDescription.xml"});
}

TEST(BadFile, AnFmuWithoutABinaryForThisMachineCanBeInspectedButNotRun) {
  const Desk desk;
  fs::create_directory(desk.folder() / "folder");
  desk.write("folder/modelDescription.xml", R"(<fmiModelDescription fmiVersion="2.0" modelName="M" guid="1">
<CoSimulation modelIdentifier="M"/><ModelVariables/><ModelStructure/></fmiModelDescription>)");
  EXPECT_EQ(desk.run({"info", "folder"}).status, 0);
  expect_refused(desk, {"simulate", "folder"}, {"folder", "64-bit Linux"});
}

// --- options of simulate

TEST(BadOption, OfSimulateIsRefusedBeforeAnythingIsWritten) {
  const Desk desk;
  const std::string model = fmu("fmi2/BouncingBall.fmu");
  const auto refused = [&](Arguments more, const std::vector<std::string>& parts) {
    more.insert(more.begin(), {"simulate", model});
    expect_refused(desk, more, parts);
  };
  refused({"--start-value", "hh=1"}, {"'hh'", "did you mean 'h'"});
  refused({"--start-value", "h=high"}, {"'h'", "high"});
  refused({"--start-value", "h"}, {"'h'", "NAME=VALUE"});
  refused({"--start-value", "=1"}, {"NAME=VALUE"});
  refused({"--start-value", "h=1", "--start-value", "h=2"}, {"'h'", "two start values"});
  refused({"--output-variable", "speed"}, {"speed"});
  refused({"--step-size", "0"}, {"step size"});
  refused({"--step-size", "-1"}, {"step size"});
  refused({"--step-size", "nan"}, {"step size"});
  refused({"--stop-time", "inf"}, {"finite"});
  refused({"--start-time", "2", "--stop-time", "1"}, {"stop time 1", "start time 2"});
  refused({"--output-interval", "0"}, {"0"});
  refused({"--tolerance", "-1"}, {"tolerance"});
  refused({"--tolerance", "0"}, {"tolerance"});
  refused({"--output-file", "result.xyz"}, {"result.xyz", ".csv"});
  refused({"--output-file", "no/such/folder/result.csv"}, {"no/such/folder/result.csv"});
  refused({"--output-file", "/proc/result.csv"}, {"/proc/result.csv"});
  refused({"--fmi-log-file", "no/such/folder/log.txt"}, {"no/such/folder/log.txt"});
  refused({"--input-file", "missing.csv"}, {"missing.csv"});
  refused({"--initial-fmu-state-file", "missing.state"}, {"missing.state"});
  refused({"--final-fmu-state-file", "no/such/folder/f.state"}, {"no/such/folder/f.state"});
}

TEST(BadOption, StateFilesOfAnFmuThatHasNoStatesAreRefusedBeforeTheRun) {
  const Desk desk;
  expect_refused(desk, {"simulate", fmu("fmi1/cs/Dahlquist.fmu"), "--final-fmu-state-file", "f.state"}, {"Dahlquist"});
}

TEST(BadInputFile, IsRefusedWithLineAndColumn) {
  const Desk desk;
  const auto refused = [&](const std::string& text, const std::vector<std::string>& parts) {
    desk.write("in.csv", text);
    expect_refused(desk, {"simulate", fmu("fmi2/Bad.fmu"), "--input-file", "in.csv"}, parts);
  };
  refused("", {"in.csv"});
  refused("time,u\n", {"in.csv"});
  refused("time,u\n0,1\n1,x\n", {"in.csv, line 3", "u"});
  refused("time,u\n0,1\n1\n", {"in.csv, line 3"});
  refused("time,u\n0,1\n2,1\n1,1\n", {"in.csv, line 4"});
  refused("time,w\n0,1\n", {"in.csv", "w"});
  refused("time,y\n0,1\n", {"in.csv", "y"});
  refused("time,u,u\n0,1,1\n", {"in.csv", "u"});
  refused("time,u\nnan,1\n", {"in.csv, line 2"});
  refused("time,\"u\n0,1\n", {"in.csv"});
}

// --- output that cannot be written

TEST(FullDisk, EndsASimulationWithStatus1) {
  const Desk desk;
  fs::create_symlink("/dev/full", desk.folder() / "full.csv");
  const auto ended = desk.run({"simulate", fmu("fmi2/BouncingBall.fmu"), "--output-file", "full.csv", "--quiet"});
  expect_one_paragraph(ended, 1);
  EXPECT_THAT(ended.err, HasSubstr("full.csv"));
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST(FullDisk, EndsEveryCommandThatPrintsWithStatus1) {
  const Desk desk;
  desk.write("a.csv", "time,x\n0,1\n1,2\n");
  const std::string model = fmu("fmi2/BouncingBall.fmu");
  for (const Arguments& arguments :
       {Arguments{"info", model}, Arguments{"info", "--json", model}, Arguments{"check", model},
        Arguments{"check", "--json", model}, Arguments{"compare", "a.csv", "a.csv"},
        Arguments{"compare", "--json", "a.csv", "a.csv"}, Arguments{"plot", "--terminal", "a.csv"},
        Arguments{"simulate", model, "--output-file", "-", "--quiet"}, Arguments{"--help"}, Arguments{"--version"}}) {
    const auto ended = desk.run(arguments, "/dev/full");
    SCOPED_TRACE(::testing::PrintToString(arguments));
    expect_one_paragraph(ended, 1);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("standard output")));
  }
}

TEST(FullDisk, KeepsPlotsAndStatesFromBeingReportedAsWritten) {
  const Desk desk;
  desk.write("a.csv", "time,x\n0,1\n1,2\n");
  fs::create_symlink("/dev/full", desk.folder() / "full.svg");
  fs::create_symlink("/dev/full", desk.folder() / "full.state");
  fs::create_symlink("/dev/full", desk.folder() / "full.log");
  const auto plot = desk.run({"plot", "a.csv", "--output-file", "full.svg"});
  expect_one_paragraph(plot, 1);
  EXPECT_THAT(plot.err, HasSubstr("full.svg"));
  const auto state = desk.run({"simulate", fmu("fmi2/BouncingBall.fmu"), "--final-fmu-state-file", "full.state", "-q"});
  expect_one_paragraph(state, 1);
  EXPECT_THAT(state.err, HasSubstr("full.state"));
}

// --- results

TEST(BadResult, IsRefusedByCompareAndPlot) {
  const Desk desk;
  desk.write("good.csv", "time,x\n0,1\n1,2\n");
  desk.write("ragged.csv", "time,x\n0,1\n1\n");
  desk.write("empty.csv", "");
  desk.write("unknown.txt", "time,x\n");
  for (const char* const bad : {"missing.csv", "ragged.csv", "empty.csv", "unknown.txt"}) {
    expect_refused(desk, {"compare", "good.csv", bad}, {bad});
    expect_refused(desk, {"compare", bad, "good.csv"}, {bad});
    expect_refused(desk, {"plot", bad}, {bad});
  }
  expect_refused(desk, {"plot", "good.csv", "xx"}, {"xx", "did you mean"});
  expect_refused(desk, {"plot", "good.csv", "--output-file", "plot.pdf"}, {"plot.pdf", ".svg"});
  expect_refused(desk, {"compare", "good.csv", "good.csv", "--band", "-1"}, {"band"});
}

TEST(BadTree, IsRefusedByCrossCheck) {
  const Desk desk;
  fs::create_directory(desk.folder() / "empty");
  expect_refused(desk, {"cross-check", "missing"}, {"missing"});
  expect_refused(desk, {"cross-check", "empty"}, {"empty", "_ref.csv"});
}

}  // namespace
}  // namespace consort::cli_tests
