// compare, plot and cross-check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

TEST(Compare, TellsInsideFromOutsideByItsStatus) {
  const Desk desk;
  desk.write("a.csv", "time,x,y\n0,0,1\n1,1,1\n2,2,1\n");
  desk.write("near.csv", "time,x,y\n0,0,1\n1,1.01,1\n2,2,1\n");
  desk.write("far.csv", "time,x,y\n0,0,1\n1,1.5,1\n2,2,1\n");
  desk.write("less.csv", "time,x\n0,0\n1,1\n2,2\n");
  EXPECT_EQ(desk.run({"compare", "a.csv", "near.csv"}).status, 0);
  const auto far = desk.run({"compare", "a.csv", "far.csv"});
  EXPECT_EQ(far.status, 1);
  EXPECT_EQ(far.err, "");
  EXPECT_THAT(far.out, AllOf(HasSubstr("x"), HasSubstr("outside")));
  EXPECT_THAT(desk.run({"compare", "a.csv", "less.csv"}).out, HasSubstr("missing"));
  EXPECT_EQ(desk.run({"compare", "a.csv", "less.csv"}).status, 1);
  EXPECT_EQ(desk.run({"compare", "a.csv", "far.csv", "--band", "0.5"}).status, 0);
  EXPECT_EQ(desk.run({"compare", "a.csv", "near.csv", "--band", "0.001", "--time-band", "0"}).status, 1);
  EXPECT_EQ(desk.run({"compare", "a.csv", "far.csv", "--outliers", "0.5"}).status, 0);
}

TEST(Compare, SpeaksJson) {
  const Desk desk;
  desk.write("a.csv", "time,x\n0,0\n1,1\n");
  const auto ended = desk.run({"compare", "--json", "a.csv", "a.csv"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(nlohmann::json::accept(ended.out)) << ended.out;
}

TEST(Plot, DrawsSvgHtmlAndInTheTerminal) {
  const Desk desk;
  desk.write("ball.csv", "time,h,v\n0,1,0\n1,0,-1\n2,1,1\n");
  EXPECT_EQ(desk.run({"plot", "ball.csv"}).status, 0);
  EXPECT_THAT(desk.read("ball.svg"), AllOf(HasSubstr("<svg"), HasSubstr("</svg>")));
  EXPECT_EQ(desk.run({"plot", "ball.csv", "h", "--output-file", "h.html", "-o", "h.svg", "--title", "A <ball> & more"})
                .status,
            0);
  EXPECT_THAT(desk.read("h.html"), AllOf(HasSubstr("<html"), HasSubstr("A &lt;ball&gt; &amp; more")));
  EXPECT_THAT(desk.files(), ElementsAre("ball.csv", "ball.svg", "h.html", "h.svg"));
  const auto shown = desk.run({"plot", "ball.csv", "v", "--terminal", "--width", "60", "--height", "10"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, HasSubstr("v"));
  EXPECT_THAT(desk.files(), testing::SizeIs(4)) << "--terminal writes no file";
}

TEST(Plot, DrawsHowFarARunCanBeTrusted) {
  const Desk desk;
  desk.write("car.yaml", "consort: 1\nname: car\nunits:\n  chassis: " + fmu("fmi2/QuarterCarChassis.fmu") +
                             "\n  wheel: " + fmu("fmi3/QuarterCarWheel.fmu") +
                             "\nconnections:\n  - wheel.z -> chassis.z_wheel\n  - wheel.v -> chassis.v_wheel\n"
                             "  - chassis.z -> wheel.z_chassis\n  - chassis.v -> wheel.v_chassis\n"
                             "experiment: {stop: 0.2, step: 1 ms}\n");
  ASSERT_EQ(desk.run({"run", "car.yaml", "--controller", "richardson", "-o", "car.h5"}).status, 0);
  EXPECT_EQ(desk.run({"plot", "car.h5", "--trust"}).status, 0);
  EXPECT_THAT(desk.read("car_trust.svg"),
              AllOf(HasSubstr("step size"), HasSubstr("tolerance"), HasSubstr("wheel limits the step")));
  EXPECT_EQ(desk.run({"plot", "car.h5", "--trust", "--terminal"}).status, 0);
  // A run with a fixed step has no such data, and the error names the option that records them.
  ASSERT_EQ(desk.run({"run", "car.yaml", "-o", "fixed.csv"}).status, 0);
  const auto refused = desk.run({"plot", "fixed.csv", "--trust"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--controller richardson"));
}

// --- cross-check of a small tree

// A small tree like that of the FMI cross-check: a correct reference, a wrong reference, an FMU that fails, and an FMU
// that cannot be run.
class CrossCheckTree : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string good = desk.run({"simulate", fmu("fmi2/Dahlquist.fmu"), "--output-file", "-", "-q"}).out;
    add("good", fmu("fmi2/Dahlquist.fmu"), good);
    add("wrong", fmu("fmi2/Dahlquist.fmu"), "time,x\n0,1\n5,5\n10,9\n");
    add("failing", fmu("fmi2/BadStart.fmu"), "time,y\n0,0\n1,0\n");
    add("rejected", {}, "time,x\n0,1\n1,1\n");
    fs::create_directories(desk.folder() / "tree/fmi2/cs/linux64/us/1.0/alone");
    fs::copy(fmu("fmi2/Dahlquist.fmu"), desk.folder() / "tree/fmi2/cs/linux64/us/1.0/alone/alone.fmu");
  }
  void add(const std::string& name, const std::string& file, const std::string& reference) const {
    const std::string folder = "tree/fmi2/cs/linux64/us/1.0/" + name;
    fs::create_directories(desk.folder() / folder);
    if (file.empty())
      desk.write(folder + "/" + name + ".fmu", "not an archive");
    else
      fs::copy(file, desk.folder() / folder / (name + ".fmu"));
    desk.write(folder + "/" + name + "_ref.csv", reference);
    desk.write(folder + "/" + name + "_ref.opt", "StartTime,0\nStopTime,10\nStepSize,0\nRelTol,1e-4\n");
  }
  [[nodiscard]] std::string verdict(const std::string& name) const {
    const auto folder = desk.folder() / "cross-check-results/fmi2/cs/linux64/us/1.0" / name / name;
    std::string found;
    for (const char* const grade : {"passed", "failed", "rejected"}) {
      if (fs::exists(folder / grade)) found += grade;
    }
    return found;
  }
  const Desk desk;
};

TEST_F(CrossCheckTree, IsGradedInATableAndInFiles) {
  const auto ended = desk.run({"cross-check", "tree"});
  EXPECT_EQ(ended.status, 1) << "not all passed";
  EXPECT_THAT(ended.out, HasSubstr("4 cases: 1 passed (1 of them within 1 %), 2 failed, 1 rejected"));
  EXPECT_EQ(verdict("good"), "passed");
  EXPECT_EQ(verdict("wrong"), "failed");
  EXPECT_EQ(verdict("failing"), "failed");
  EXPECT_EQ(verdict("rejected"), "rejected");
  EXPECT_THAT(ended.out, HasSubstr("BadStart")) << "the reason is in the table";
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST_F(CrossCheckTree, IgnoresAToleranceThatIsNone) {
  const std::string folder = "tree/fmi2/me/us/1.0/stair";
  fs::create_directories(desk.folder() / folder);
  fs::copy(fmu("fmi2/Stair.fmu"), desk.folder() / folder / "stair.fmu");
  desk.write(folder + "/stair_ref.csv",
             desk.run({"simulate", fmu("fmi2/Stair.fmu"), "--interface-type", "me", "--output-file", "-", "-q"}).out);
  desk.write(folder + "/stair_ref.opt", "StartTime, 0\nStopTime, 10\nStepSize, 1\nRelTol, 1");
  const auto ended = desk.run({"cross-check", folder});
  EXPECT_EQ(ended.status, 0) << ended.out;
}

TEST_F(CrossCheckTree, SpeaksJsonAndTakesAPart) {
  const auto ended = desk.run({"cross-check", "--json", "tree/fmi2/cs/linux64/us/1.0/good", "--output-dir", "out"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json.at("passed"), 1);
  EXPECT_EQ(json.at("cases").at(0).at("result"), "passed");
  EXPECT_TRUE(desk.has("out"));
}

TEST_F(CrossCheckTree, ForgetsTheGradesOfTheLastRun) {
  EXPECT_EQ(desk.run({"cross-check", "tree"}).status, 1);
  EXPECT_EQ(desk.run({"cross-check", "tree", "--band", "100"}).status, 1);
  EXPECT_EQ(verdict("wrong"), "passed");
}

TEST_F(CrossCheckTree, SaysWhereTheResultsCannotGo) {
  desk.write("file", "");
  const auto ended = desk.run({"cross-check", "tree", "--output-dir", "file/below"});
  expect_one_paragraph(ended, 2);
  EXPECT_THAT(ended.err, HasSubstr("file/below"));
}

}  // namespace
}  // namespace consort::cli_tests
