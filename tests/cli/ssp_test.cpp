// SSP packages: run, check, info and convert.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "record/formats.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A decay that drives an input of a nested system, with values on two levels.
class Packages : public ::testing::Test {
 protected:
  Packages() {
    desk.write("pair.yaml",
               "consort: 1\nname: pair\nunits:\n  source: {fmu: " + fmu("fmi2/Dahlquist.fmu") +
                   ", start: {k: 2}}\n  box:\n    units: {feed: " + fmu("fmi3/Feedthrough.fmu") +
                   "}\n    inputs: [u]\n    connections: [u -> feed.float64_in]\nconnections:\n"
                   "  - {from: source.x, to: box.u, factor: 2, offset: 1}\nset: {box.feed.fixed_parameter: 7}\n"
                   "experiment: {stop: 1, step: 10 ms}\n");
  }
  [[nodiscard]] Ended run_ok(std::vector<std::string> arguments) const {
    auto ended = desk.run(std::move(arguments));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended;
  }
  [[nodiscard]] double last(const std::string& file, const std::string& variable) const {
    return record::read_result(desk.folder() / file)[variable].numbers.back();
  }
  Desk desk;
};

TEST_F(Packages, ConvertedThereAndBackGiveTheSameNumbers) {
  static_cast<void>(run_ok({"run", "pair.yaml", "--output-file", "yaml.csv", "-q"}));
  for (const auto* version : {"1.0", "2.0"}) {
    static_cast<void>(run_ok({"convert", "pair.yaml", "pair.ssp", "--ssp-version", version}));
    static_cast<void>(run_ok({"run", "pair.ssp", "--output-file", "ssp.csv", "-q"}));
    EXPECT_EQ(desk.read("ssp.csv"), desk.read("yaml.csv")) << version;
    static_cast<void>(run_ok({"check", "pair.ssp", "--strict"}));
  }
  static_cast<void>(run_ok({"convert", "pair.ssp", "back.yaml"}));
  static_cast<void>(run_ok({"run", "back.yaml", "--output-file", "back.csv", "-q"}));
  EXPECT_EQ(desk.read("back.csv"), desk.read("yaml.csv"));
  EXPECT_TRUE(desk.has("back/Dahlquist.fmu"));
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST_F(Packages, BringTheTableOfTheirInputsAlong) {
  desk.write("table.yaml", "consort: 1\nunits: {w: " + fmu("fmi2/Feedthrough.fmu") +
                               "}\ninputs: {road: m}\nconnections: [road -> w.float64_in]\n"
                               "experiment: {stop: 1, step: 0.1}\nrun: {input_file: road.csv}\n");
  desk.write("road.csv", "time,road\n0,0\n1,10\n");
  static_cast<void>(run_ok({"run", "table.yaml", "--output-file", "yaml.csv", "-q"}));
  static_cast<void>(run_ok({"convert", "table.yaml", "table.ssp"}));
  static_cast<void>(run_ok({"convert", "table.ssp", "back.yaml"}));
  static_cast<void>(run_ok({"run", "back.yaml", "--output-file", "back.csv", "-q"}));
  EXPECT_EQ(desk.read("back.csv"), desk.read("yaml.csv"));
  EXPECT_TRUE(desk.has("back/road.csv"));
}

TEST_F(Packages, TakeParametersFromFilesAndTheCommandLine) {
  static_cast<void>(run_ok({"convert", "pair.yaml", "pair.ssp"}));
  desk.write("values.ssv",
             "<ParameterSet version='1.0' name='v'><Parameters><Parameter name='source.k'><Real value='3'/></Parameter>"
             "<Parameter name='nobody.k'><Real value='3'/></Parameter></Parameters></ParameterSet>");
  desk.write("values.csv", "name,value\nsource.k,4\n");
  static_cast<void>(run_ok({"run", "pair.ssp", "--parameters", "values.ssv", "--output-file", "r.csv", "-q"}));
  EXPECT_NEAR(last("r.csv", "source.x"), std::exp(-3), 1e-2);
  static_cast<void>(run_ok(
      {"run", "pair.ssp", "--parameters", "values.ssv", "--parameters", "values.csv", "--output-file", "r.csv", "-q"}));
  EXPECT_NEAR(last("r.csv", "source.x"), std::exp(-4), 1e-2);
  static_cast<void>(
      run_ok({"run", "pair.ssp", "--parameters", "values.csv", "--set", "source.k=1", "--output-file", "r.csv", "-q"}));
  EXPECT_NEAR(last("r.csv", "source.x"), std::exp(-1), 1e-2);
  desk.write("wrong.csv", "name,value\nsource.none,4\n");
  const auto ended = desk.run({"run", "pair.ssp", "--parameters", "wrong.csv"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("wrong.csv:2"), HasSubstr("has no variable 'none'")));
}

TEST_F(Packages, AreShownAsATree) {
  static_cast<void>(run_ok({"convert", "pair.yaml", "pair.ssp"}));
  const auto shown = run_ok({"info", "pair.ssp"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("2 units, 1 nested systems"), HasSubstr("├─ source  Dahlquist.fmu, 1 value"),
                               HasSubstr("└─ box  system"), HasSubstr("   └─ feed  Feedthrough.fmu")));
  const auto json = nlohmann::json::parse(run_ok({"info", "pair.ssp", "--json"}).out);
  EXPECT_EQ(json["systems"][0]["units"][0]["name"], "feed");
  static_cast<void>(run_ok({"graph", "pair.ssp", "-o", "pair.svg"}));
}

TEST_F(Packages, ThatAreWrongAreDiagnosedWithFileAndLine) {
  fs::create_directories(desk.folder() / "car");
  desk.write("car/SystemStructure.ssd",
             "<SystemStructureDescription version='1.0' name='car'>\n<System name='s'><Elements>\n"
             "<Component name='wheel' source='resources/wheel.fmu'/>\n</Elements></System>\n"
             "</SystemStructureDescription>");
  const auto checked = desk.run({"check", "car"});
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.out, HasSubstr("car/SystemStructure.ssd:3: error: the component 'wheel' needs"));
  const auto ended = desk.run({"run", "car"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("the component 'wheel' needs 'car/resources/wheel.fmu', which does not exist"));
}

TEST_F(Packages, ThatCannotBeRunAreShownAndDrawn) {
  fs::create_directories(desk.folder() / "car");
  desk.write("car/SystemStructure.ssd",
             "<SystemStructureDescription version='1.0' name='car'>\n<System name='s'><Elements>\n"
             "<Component name='wheel' source='resources/wheel.fmu'><Connectors><Connector name='x' kind='output'/>"
             "</Connectors></Component><Component name='body' source='http://example.org/body.fmu'/>\n</Elements>"
             "<Connections><Connection startElement='wheel' startConnector='x' endElement='body' endConnector='z'/>"
             "</Connections></System>\n</SystemStructureDescription>");
  EXPECT_THAT(run_ok({"info", "car"}).out,
              AllOf(HasSubstr("├─ wheel  wheel.fmu"), HasSubstr("cannot be run"), HasSubstr("is not fetched")));
  const auto drawn = run_ok({"graph", "car", "-o", "car.svg"});
  EXPECT_THAT(drawn.out, HasSubstr("2 units, 1 connections"));
  EXPECT_THAT(desk.read("car.svg"), AllOf(HasSubstr("wheel.x → body.z"), HasSubstr(">body<")));
}

TEST_F(Packages, KeepSignalsThatAreSharedThroughYaml) {
  desk.write("bus.yaml", "consort: 1\nunits:\n  source: " + fmu("fmi2/Dahlquist.fmu") +
                             "\n  bus: {signals: {level: {type: Float64}}}\n  box:\n    units:\n      feed: " +
                             fmu("fmi3/Feedthrough.fmu") +
                             "\n      line: {signals: [level], of: bus}\n"
                             "    connections: [line.level -> feed.float64_in]\n"
                             "connections: [source.x -> bus.level]\nexperiment: {stop: 1, step: 10 ms}\n");
  static_cast<void>(run_ok({"run", "bus.yaml", "--output-file", "first.csv", "-q"}));
  EXPECT_LT(last("first.csv", "box.feed.float64_out"), 1);
  static_cast<void>(run_ok({"convert", "bus.yaml", "bus.ssp"}));
  static_cast<void>(run_ok({"check", "bus.ssp", "--strict"}));
  static_cast<void>(run_ok({"convert", "bus.ssp", "again.yaml"}));
  EXPECT_THAT(desk.read("again.yaml"), AllOf(HasSubstr("signals:"), HasSubstr("of: bus")));
  static_cast<void>(run_ok({"run", "again.yaml", "--output-file", "again.csv", "-q"}));
  EXPECT_EQ(desk.read("again.csv"), desk.read("first.csv"));
}

}  // namespace
}  // namespace consort::cli_tests
