// run with a tolerance instead of a step, with iterated steps and with checkpoints: every option has its effect, every
// mistake is reported before the run, and recorded rows are kept.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "record/formats.hpp"

namespace consort::cli_tests {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string car_text(const std::string& more = {}, const std::string& chassis = "fmi2/QuarterCarChassis.fmu") {
  return "consort: 1\nname: car\nunits:\n  chassis: " + fmu(chassis) + "\n  wheel: " + fmu("fmi3/QuarterCarWheel.fmu") +
         "\nconnections:\n  - wheel.z -> chassis.z_wheel\n  - wheel.v -> chassis.v_wheel\n"
         "  - chassis.z -> wheel.z_chassis\n  - chassis.v -> wheel.v_chassis\nset: {wheel.road: 10 cm}\n"
         "experiment: {stop: 0.5, step: 1 ms}\n" +
         more;
}

class Accuracy : public ::testing::Test {
 protected:
  Accuracy() { desk.write("car.yaml", car_text()); }

  [[nodiscard]] Ended run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"run", "car.yaml"});
    return desk.run(std::move(options));
  }
  // The report of a run with these options.
  [[nodiscard]] json report(std::vector<std::string> options) const {
    options.insert(options.end(), {"--report", "r.json", "-q", "--no-output"});
    const auto ended = run(std::move(options));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return json::parse(desk.read("r.json"));
  }
  [[nodiscard]] int steps(std::vector<std::string> options) const {
    options.insert(options.begin(), {"--controller", "richardson"});
    return report(std::move(options))["steps"].get<int>();
  }
  Desk desk;
};

TEST_F(Accuracy, OptionsOfStepSizeControlHaveTheirEffect) {
  const int usual = steps({"--coupling-tolerance", "1e-3"});
  EXPECT_GT(steps({"--coupling-tolerance", "1e-4"}), usual);
  EXPECT_GT(steps({"--tolerance", "1e-5"}), usual) << "the default of the coupling tolerance";
  EXPECT_LT(steps({"--coupling-tolerance", "1e-3", "--absolute-tolerance", "1e-1"}), usual);
  EXPECT_GT(steps({"--coupling-tolerance", "1e-3", "--tolerance-for", "run"}), usual);
  EXPECT_LT(steps({"--coupling-tolerance", "1e-3", "--extrapolation", "2"}), usual);
  EXPECT_GE(steps({"--coupling-tolerance", "1e-3", "--max-step", "2e-4"}), 2500);
  EXPECT_LE(steps({"--coupling-tolerance", "1e9", "--min-step", "0.05"}), 10);
}

TEST_F(Accuracy, OptionsOfIteratedStepsHaveTheirEffect) {
  const auto of = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--stepper", "iterated", "--step-size", "0.01"});
    return report(std::move(more))["iterations"][0];
  };
  const auto usual = of({});
  const auto fixed_point = of({"--iteration", "fixed-point"});
  EXPECT_GT(fixed_point["iterations"], usual["iterations"]);
  const auto finer = of({"--iteration-tolerance", "1e-10"});
  EXPECT_GT(finer["iterations"], usual["iterations"]);
  EXPECT_LE(finer["largest residual"], 1e-10);
  ASSERT_EQ(usual["variables"].size(), 2U);
  EXPECT_TRUE(usual["variables"][0]["name"].is_string());
}

TEST_F(Accuracy, SolversAreFinerThanTheCouplingUnlessSomebodySaysOtherwise) {
  const auto usual = report({"--controller", "richardson", "--coupling-tolerance", "1e-5"});
  EXPECT_THAT(usual["assumed"].dump(), HasSubstr("tolerance 1e-06 of the units' solvers"));
  const auto said = report({"--controller", "richardson", "--coupling-tolerance", "1e-5", "--tolerance", "1e-4"});
  EXPECT_THAT(said["notes"].dump(), HasSubstr("the solvers to 1e-06"));
  const auto fixed = report({"--tolerance", "1e-4"});
  EXPECT_THAT(fixed["notes"].dump(), Not(HasSubstr("solvers")));
}

TEST_F(Accuracy, TheReportSaysWhichEstimatesAreLow) {
  const auto notes = report({"--controller", "richardson"})["notes"].dump();
  EXPECT_THAT(notes, AllOf(HasSubstr("chassis.z, wheel.z are estimated low"), Not(HasSubstr("chassis.v,"))));
}

TEST_F(Accuracy, MistakesAreSaidBeforeTheRun) {
  struct Mistake {
    std::vector<std::string> options;
    const char* said;
  };
  for (const auto& m : {Mistake{{"--controller", "richardson", "--coupling-tolerance", "0"}, "> 0, got 0"},
                        Mistake{{"--controller", "modified", "--coupling-tolerance", "-1"}, "> 0, got -1"},
                        Mistake{{"--controller", "richardson", "--absolute-tolerance", "0"}, "> 0, got 0"},
                        Mistake{{"--controller", "richardson", "--coupling-tolerance", "fine"}, "fine"},
                        Mistake{{"--controller", "richardsen"}, "richardson"},
                        Mistake{{"--controller", "richardson", "--tolerance-for", "day"}, "one of step, run"},
                        Mistake{{"--controller", "richardson", "--min-step", "2", "--max-step", "1"}, "exchange them"},
                        Mistake{{"--controller", "ecco"}, "bonds"},
                        Mistake{{"--stepper", "iterated", "--controller", "modified"}, "richardson"},
                        Mistake{{"--stepper", "iterated", "--iteration", "newtom"}, "newton"},
                        Mistake{{"--stepper", "iterated", "--iteration-tolerance", "0"}, "> 0, got 0"},
                        Mistake{{"--checkpoint-every", "0"}, "must be positive"},
                        Mistake{{"--restart-from", "nowhere"}, "there is no checkpoint 'nowhere'"},
                        Mistake{{"--restart-from", "car.yaml"}, "is not a checkpoint"}}) {
    const auto ended = run(m.options);
    expect_one_paragraph(ended, 2);
    EXPECT_THAT(ended.err, HasSubstr(m.said));
  }
  EXPECT_FALSE(desk.has("car.h5"));
}

TEST_F(Accuracy, UnitsThatCannotGoBackAreNamedWithWaysOut) {
  desk.write("car.yaml", car_text({}, "fmi1/cs/QuarterCarChassis.fmu"));
  auto ended = run({"--controller", "richardson"});
  expect_one_paragraph(ended, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("'chassis'"), HasSubstr("ecco"), HasSubstr("fixed")));
  ended = run({"--stepper", "iterated"});
  expect_one_paragraph(ended, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("'chassis'"), HasSubstr("gauss-seidel")));
  ended = run({"--checkpoint-every", "0.1"});
  expect_one_paragraph(ended, 2);
  EXPECT_THAT(ended.err, HasSubstr("'chassis'"));
}

TEST_F(Accuracy, BondsWhoseProductIsNoPowerAreRefused) {
  desk.write("car.yaml", car_text("bonds: [{effort: chassis.z, flow: wheel.v}]\n"));
  const auto ended = run({});
  expect_one_paragraph(ended, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("car.yaml:"), HasSubstr("chassis.z"), HasSubstr("is not a power")));
}

TEST_F(Accuracy, AStepThatWouldBeTooSmallEndsTheRunWithItsReasonAndKeepsTheRows) {
  const auto ended = run({"--controller", "richardson", "--coupling-tolerance", "1e-4", "--min-step", "0.01", "-o",
                          "car.csv", "--set", "wheel.road=0 cm"});
  EXPECT_EQ(ended.status, 0) << "nothing moves: " << ended.err;
  desk.write("car.yaml", car_text("scenario:\n  - {at: 0.25, set: chassis.v_wheel, to: 2}\n"));
  const auto failed = run({"--controller", "richardson", "--coupling-tolerance", "1e-4", "--min-step", "0.01", "-o",
                           "car.csv", "--set", "wheel.road=0 cm"});
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.err, AllOf(HasSubstr("at t = 0.25 s"), HasSubstr("smallest step (0.01 s)"),
                                HasSubstr("times the allowed"), HasSubstr("errors of the last trials")));
  const auto kept = record::read_result(desk.folder() / "car.csv");
  EXPECT_GT(kept.rows(), 1U);
  EXPECT_EQ(kept.time.back(), 0.25);
}

TEST_F(Accuracy, ARunThatWasKilledGoesOnToTheSameResult) {
  const std::vector<std::string> options{
      "--controller", "richardson", "--coupling-tolerance", "1e-8", "--stop-time", "2", "-q"};
  for (const char* const name : {"whole.h5", "whole.csv"}) {
    auto whole = options;
    whole.insert(whole.end(), {"-o", name});
    ASSERT_EQ(run(whole).status, 0);
  }
  for (const std::string ending : {".h5", ".csv"}) {
    auto interrupted = options;
    interrupted.insert(interrupted.begin(), {"run", "car.yaml"});
    interrupted.insert(interrupted.end(), {"-o", "part" + ending, "--checkpoint-every", "0.1"});
    fs::remove(desk.folder() / "car.checkpoint");
    {
      auto program = desk.start(interrupted);
      ASSERT_TRUE(wait_for_size(desk.folder() / "car.checkpoint", 1));
      program.send(SIGKILL);
      program.wait();
    }
    auto again = options;
    again.insert(again.end(), {"-o", "part" + ending, "--restart-from", "car.checkpoint"});
    const auto ended = run(again);
    ASSERT_EQ(ended.status, 0) << ended.err;
    const auto whole = record::read_result(desk.folder() / ("whole" + ending));
    const auto part = record::read_result(desk.folder() / ("part" + ending));
    EXPECT_EQ(part.time, whole.time) << ending;
    for (const char* const signal : {"chassis.z", "wheel.v", "trust.error"})
      EXPECT_EQ(part[signal].numbers, whole[signal].numbers) << ending << ' ' << signal;
  }
}

TEST_F(Accuracy, ARestartDoesNotGoOnWithTheResultOfAnotherRun) {
  for (const std::string ending : {".h5", ".csv"}) {
    const std::string other = "other" + ending;
    ASSERT_EQ(run({"--set", "wheel.road=50 cm", "-o", other, "-q"}).status, 0);
    const auto before = desk.read(other);
    ASSERT_EQ(run({"--checkpoint-every", "0.25", "--stop-time", "0.25", "-o", "mine" + ending, "-q"}).status, 0);
    const auto ended = run({"--restart-from", "car.checkpoint", "-o", other, "-q"});
    expect_one_paragraph(ended, 2);
    EXPECT_THAT(ended.err, HasSubstr("was written by another run"));
    EXPECT_EQ(desk.read(other), before);
    EXPECT_EQ(run({"--restart-from", "car.checkpoint", "-o", "mine" + ending, "-q"}).status, 0);
    const auto fresh = run({"--restart-from", "car.checkpoint", "-o", "rest" + ending});
    EXPECT_THAT(fresh.err, HasSubstr("rows begin at t = 0.25 s"));
  }
  EXPECT_EQ(run({"--checkpoint-every", "0.25", "-o", "a.mat"}).status, 2);
  EXPECT_THAT(run({"--checkpoint-every", "100", "--no-output"}).err, HasSubstr("no checkpoint was written"));
}

TEST_F(Accuracy, UnitsOfMeasureOfFmi1AreKnownByTheirNames) {
  desk.write("wheel.yaml", "consort: 1\nunits: {wheel: " + fmu("fmi1/cs/QuarterCarWheel.fmu") +
                               "}\nset: {wheel.road: 10 cm}\nexperiment: {stop: 0.1, step: 1 ms}\n");
  ASSERT_EQ(desk.run({"run", "wheel.yaml", "-q", "-o", "cm.csv"}).status, 0);
  ASSERT_EQ(desk.run({"run", "wheel.yaml", "-q", "-o", "m.csv", "--set", "wheel.road=0.1"}).status, 0);
  EXPECT_EQ(desk.read("cm.csv"), desk.read("m.csv"));
}

}  // namespace
}  // namespace consort::cli_tests
