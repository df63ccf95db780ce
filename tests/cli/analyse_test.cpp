// analyse: linear models of systems and FMUs.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const two_pendula = R"yaml(consort: 1
units: {left: {model: pendulum}, right: {model: pendulum}}
connections:
  - {to: left.F_x, value: "-4 [N/m] * (left.x - right.x)"}
  - {to: right.F_x, value: "-4 [N/m] * (right.x - left.x)"}
set: {left.theta: 0, right.theta: 0}
)yaml";

TEST(AnalyseLinearise, PrintsSizesAndEigenvalues) {
  const Desk desk;
  desk.write("pair.yaml", two_pendula);
  const auto ended = desk.run({"analyse", "linearise", "pair.yaml", "--at", "500 ms"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("pair at t = 0.5 s: 4 states, 6 inputs, 12 outputs (bdf, tolerance 1e-06)"),
                               HasSubstr("0 ± 3.13209i"), HasSubstr("0 ± 4.22019i"), HasSubstr("0.498488")));
  EXPECT_EQ(ended.err, "") << "no note: an equilibrium";
  EXPECT_THAT(desk.files(), ElementsAre("pair.yaml"));
}

TEST(AnalyseLinearise, WritesFilesAndJson) {
  const Desk desk;
  desk.write("pair.yaml", two_pendula);
  const auto ended = desk.run({"analyse", "linearise", "pair.yaml", "--set", "left.d=0.5", "--json", "-o", "a.json",
                               "-o", "a.mat", "-o", "a.h5"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["states"], (std::vector<std::string>{"left.theta", "left.omega", "right.theta", "right.omega"}));
  EXPECT_EQ(json["A"][1][0], -9.81 - 4);
  EXPECT_EQ(json["A"][1][1], -0.5);
  EXPECT_EQ(nlohmann::json::parse(desk.read("a.json")), json);
  EXPECT_THAT(desk.files(), ElementsAre("a.h5", "a.json", "a.mat", "pair.yaml"));
  EXPECT_EQ(desk.read("a.h5").substr(1, 3), "HDF");
}

TEST(AnalyseLinearise, TakesOneFmu) {
  const Desk desk;
  const auto ended =
      desk.run({"analyse", "linearise", fmu("fmi3/CoupledMass.fmu"), "--at", "1", "--set", "k=3", "--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["states"], (std::vector<std::string>{"x", "v"}));
  EXPECT_EQ(json["A"][1][0], -13);
  EXPECT_EQ(json["equilibrium"], false);
}

TEST(AnalyseLinearise, RefusesWhatItCannotLinearise) {
  const Desk desk;
  desk.write("pair.yaml", two_pendula);
  expect_one_paragraph(desk.run({"analyse"}), 2);
  expect_one_paragraph(desk.run({"analyse", "linearise"}), 2);
  expect_one_paragraph(desk.run({"analyse", "linearise", "nowhere.yaml"}), 2);
  expect_one_paragraph(desk.run({"analyse", "linearise", "pair.yaml", "--at", "soon"}), 2);
  expect_one_paragraph(desk.run({"analyse", "linearise", "pair.yaml", "--at", "-1"}), 2);
  expect_one_paragraph(desk.run({"analyse", "linearise", "pair.yaml", "-o", "a.csv"}), 2);
  expect_one_paragraph(desk.run({"analyse", "linearise", "pair.yaml", "--solver", "eular"}), 2);
  expect_one_paragraph(desk.run({"analyse", "linearise", "pair.yaml", "--set", "left.thet=1"}), 2);
  expect_one_paragraph(desk.run({"analyse", "linearise", fmu("fmi1/cs/CoupledMass.fmu")}), 2);
  expect_one_paragraph(desk.run({"analyse", "linearise", fmu("fmi1/me/CoupledMass.fmu")}), 2);
  EXPECT_THAT(desk.left_behind(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace consort::cli_tests
