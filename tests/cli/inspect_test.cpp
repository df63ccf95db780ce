// info and check: output and exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AnyVersion : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(AllVersions, AnyVersion, ::testing::Values("fmi1/cs", "fmi2", "fmi3"),
                         [](const auto& version) { return std::string(version.param).substr(0, 4); });

TEST_P(AnyVersion, InfoShowsWhatAnFmuContains) {
  const Desk desk;
  const auto ended = desk.run({"info", fmu(std::string(GetParam()) + "/BouncingBall.fmu")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("BouncingBall"), HasSubstr("Co-Simulation"), HasSubstr("stop 3 s"),
                               HasSubstr("linux"), HasSubstr("acceleration of gravity"), HasSubstr("-9.81")));
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(desk.left_behind(), IsEmpty());
  EXPECT_THAT(desk.files(), IsEmpty());
}

TEST_P(AnyVersion, InfoAsJsonHasEveryVariable) {
  const Desk desk;
  const auto ended = desk.run({"info", "--json", fmu(std::string(GetParam()) + "/Dahlquist.fmu")});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json.at("modelName"), "Dahlquist");
  bool found = false;
  for (const auto& v : json.at("variables")) {
    if (v.at("name") != "k") continue;
    found = true;
    EXPECT_EQ(v.at("type"), "Float64");
    EXPECT_EQ(v.at("causality"), "parameter");
    EXPECT_EQ(v.at("unit"), "1/s");
    EXPECT_EQ(v.at("start"), "1");
  }
  EXPECT_TRUE(found);
}

TEST_P(AnyVersion, CheckFindsNoErrorInOurOwnFmus) {
  const Desk desk;
  for (const char* const model : {"BouncingBall", "Dahlquist", "Feedthrough", "Stair", "Bad"}) {
    const auto ended = desk.run({"check", "--strict", fmu(std::string(GetParam()) + "/" + model + ".fmu")});
    EXPECT_EQ(ended.status, 0) << model << "\n" << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("0 errors, 0 warnings"));
  }
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST(Info, HidesLocalVariablesUnlessAskedFor) {
  const Desk desk;
  EXPECT_THAT(desk.run({"info", fmu("fmi2/BouncingBall.fmu")}).out,
              AllOf(Not(HasSubstr("resting")), HasSubstr("--all shows them")));
  EXPECT_THAT(desk.run({"info", "--all", fmu("fmi2/BouncingBall.fmu")}).out, HasSubstr("resting"));
}

constexpr const char* broken_description = R"(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="Broken" guid="1">
  <CoSimulation modelIdentifier="Broken"/>
  <ModelVariables>
    <ScalarVariable name="p" valueReference="0" causality="parameter" variability="continuous"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="p" valueReference="1" causality="local"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure/>
</fmiModelDescription>
)";

TEST(Check, ListsProblemsWithLineAndRule) {
  const Desk desk;
  fs::create_directory(desk.folder() / "unpacked");
  desk.write("unpacked/modelDescription.xml", broken_description);
  EXPECT_EQ(desk.run({"check", "unpacked"}).status, 0) << "warnings alone";
  const auto ended = desk.run({"check", "--strict", "unpacked"});
  EXPECT_EQ(ended.status, 1) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("modelDescription.xml:5: "));
  EXPECT_THAT(ended.out, HasSubstr("[FMI 2.0"));

  const auto machine = desk.run({"check", "--json", "unpacked"});
  EXPECT_EQ(machine.status, 0);
  const auto json = nlohmann::json::parse(machine.out);
  EXPECT_EQ(json.at(0).at("warnings"), 2);
  EXPECT_FALSE(json.at(0).at("diagnostics").empty());
}

TEST(Check, GoesOnAfterAFileThatCannotBeOpened) {
  const Desk desk;
  const auto ended = desk.run({"check", "missing.fmu", fmu("fmi2/Dahlquist.fmu")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("missing.fmu: "), HasSubstr("1 error"), HasSubstr("Dahlquist.fmu: 0 errors")));
}

TEST(Check, OpensAFolderThatAnFmuWasUnpackedInto) {
  const Desk desk;
  fs::create_directory(desk.folder() / "unpacked");
  desk.write("unpacked/modelDescription.xml", broken_description);
  EXPECT_EQ(desk.run({"info", "unpacked"}).status, 0);
  EXPECT_EQ(desk.run({"info", "unpacked/"}).status, 0);
}

}  // namespace
}  // namespace consort::cli_tests
