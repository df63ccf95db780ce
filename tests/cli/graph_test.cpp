// graph: draws a system file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string system_text(const std::string& connections) {
  return "consort: 1\nname: pair\nunits:\n  a: " + fmu("fmi3/Feedthrough.fmu") +
         "\n  b: " + fmu("fmi2/Feedthrough.fmu") + "\nconnections:\n" + connections;
}

TEST(Graph, DrawsASystemWithItsLoops) {
  const Desk desk;
  desk.write("pair.yaml", system_text("  - a.float64_out -> b.float64_in\n"
                                      "  - b.float64_out -> a.float64_in\n"));
  const auto ended = desk.run({"graph", "pair.yaml"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("2 units, 2 connections, 1 algebraic loops"), HasSubstr("a.float64_in")));
  EXPECT_THAT(desk.read("pair.svg"), AllOf(HasSubstr("<svg"), HasSubstr(">pair<"), HasSubstr("algebraic loop 1")));
  EXPECT_THAT(desk.left_behind(), IsEmpty());
}

TEST(Graph, WritesEveryFileThatIsAskedFor) {
  const Desk desk;
  desk.write("pair.yaml", system_text("  - a.float64_out -> b.float64_in\n"));
  EXPECT_EQ(desk.run({"graph", "pair.yaml", "-o", "x.svg", "-o", "x.dot", "--title", "two of them"}).status, 0);
  EXPECT_THAT(desk.files(), ElementsAre("pair.yaml", "x.dot", "x.svg"));
  EXPECT_THAT(desk.read("x.svg"), HasSubstr(">two of them<"));
  EXPECT_THAT(desk.read("x.dot"), HasSubstr("digraph \"two of them\""));
}

// Its members are in a frame, and an expression is a line from each of its variables.
TEST(Graph, DrawsTheMembersOfAGroup) {
  const Desk desk;
  const std::string group =
      "solver: bdf\n"
      "units: {left: {fmu: " +
      fmu("fmi2/Pendulum.fmu") +
      ", interface: me}, right: {model: pendulum}}\n"
      "parameters: {k: {value: 1 N/m}}\n"
      "connections: [{to: left.F_x, value: \"-k * (left.x - right.x)\"}]\n";
  desk.write("whole.yaml", "consort: 1\n" + group);
  desk.write("inside.yaml", "consort: 1\nunits: {pair: {system: whole.yaml}}\n");
  for (const std::string name : {"whole", "inside"}) {
    const auto ended = desk.run({"graph", name + ".yaml", "-o", name + ".svg", "-o", name + ".dot"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(desk.read(name + ".svg"), AllOf(HasSubstr(">left<"), HasSubstr(">right<"), HasSubstr(">F_x<")));
    EXPECT_THAT(desk.read(name + ".dot"), AllOf(HasSubstr("left"), HasSubstr("F_x")));
  }
  EXPECT_THAT(desk.read("inside.svg"), HasSubstr(">pair (bdf)<"));
  const auto info = desk.run({"info", "inside.yaml"});
  EXPECT_THAT(info.out, AllOf(HasSubstr("group of 2 units, bdf"), HasSubstr("left.F_x"), HasSubstr("-k * (left.x")));
}

TEST(Check, ReportsEveryErrorInAGroup) {
  const Desk desk;
  desk.write(
      "pair.yaml",
      "consort: 1\nunits:\n  pair:\n    solver: bdf\n    units: {left: {model: pendulum}, right: {model: pendulum}}\n"
      "    connections:\n"
      "      - {to: left.F_x, value: \"2 * right.xx\"}\n"
      "      - {to: right.F_x, value: \"left.theta + left.x\"}\n"
      "      - left.nothing -> right.F_y\n");
  const auto ended = desk.run({"check", "pair.yaml"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("right.xx"), HasSubstr("left.nothing"), HasSubstr("left.theta"),
                               HasSubstr("pair.yaml: 3 errors")));
}

// YAML to SSP and back: the same run.
TEST(Convert, KeepsGroups) {
  const Desk desk;
  desk.write("pair.yaml",
             "consort: 1\nname: rig\nunits:\n  pair:\n    solver: {name: dopri5, tolerance: 1e-9}\n"
             "    parameters: {k: {value: 2 N/m}}\n"
             "    units: {left: {fmu: " +
                 fmu("fmi2/Pendulum.fmu") +
                 ", interface: me}, right: {model: pendulum}}\n"
                 "    outputs: {gap: {value: \"right.x - left.x\", unit: m}}\n"
                 "    connections:\n"
                 "      - {to: left.F_x, value: \"-k * (left.x - right.x)\"}\n"
                 "      - {from: right.theta, to: left.torque, convert_units: false}\n"
                 "set: {pair.left.theta: 0.25, pair.k: 3}\n"
                 "experiment: {stop: 1, step: 10 ms}\n"
                 "record: {variables: [\"pair.*\"]}\n");
  const auto rows = [&](const std::string& file) {
    const auto ended = desk.run({"run", file, "-q", "--output-file", "-"});
    EXPECT_EQ(ended.status, 0) << file << ended.err;
    return ended.out;
  };
  const auto expected = rows("pair.yaml");
  EXPECT_GT(expected.size(), 1000U);
  for (const auto& [from, to] :
       {std::pair{"pair.yaml", "pair.ssp"}, {"pair.ssp", "back.yaml"}, {"pair.yaml", "copy.yaml"}}) {
    const auto ended = desk.run({"convert", from, to});
    EXPECT_EQ(ended.status, 0) << ended.err << ended.out;
    EXPECT_TRUE(rows(to) == expected) << to;
  }
}

// A package without its FMUs, which is drawn with the connectors that it declares: b stands to the left of a.
std::string package_text(bool with_geometry) {
  const auto component = [&](const std::string& name, const std::string& connector, const std::string& kind, int x) {
    return "<ssd:Component name='" + name + "' type='application/x-fmu-sharedlibrary' source='resources/" + name +
           ".fmu'><ssd:Connectors><ssd:Connector name='" + connector + "' kind='" + kind +
           "'><ssc:Real/></ssd:Connector></ssd:Connectors>" +
           (with_geometry ? "<ssd:ElementGeometry x1='" + std::to_string(x) + "' y1='0' x2='" + std::to_string(x + 50) +
                                "' y2='30'/>"
                          : "") +
           "</ssd:Component>";
  };
  return "<ssd:SystemStructureDescription name='p' version='1.0' "
         "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription' "
         "xmlns:ssc='http://ssp-standard.org/SSP1/SystemStructureCommon'><ssd:System name='p'><ssd:Elements>" +
         component("a", "y", "output", 200) + component("b", "u", "input", 0) +
         "</ssd:Elements><ssd:Connections><ssd:Connection startElement='a' startConnector='y' endElement='b' "
         "endConnector='u'/></ssd:Connections></ssd:System></ssd:SystemStructureDescription>";
}

TEST(Graph, UsesPositionsOfAPackageUnlessTheLayoutIsAutomatic) {
  const Desk desk;
  desk.write("placed.ssd", package_text(true));
  desk.write("plain.ssd", package_text(false));
  for (const std::vector<std::string>& command : {std::vector<std::string>{"graph", "placed.ssd", "-o", "placed.svg"},
                                                  {"graph", "placed.ssd", "-o", "auto.svg", "--layout", "auto"},
                                                  {"graph", "plain.ssd", "-o", "plain.svg"}})
    EXPECT_EQ(desk.run(command).status, 0);
  EXPECT_EQ(desk.read("auto.svg"), desk.read("plain.svg"));
  EXPECT_NE(desk.read("placed.svg"), desk.read("plain.svg"));
}

TEST(Graph, RefusesWhatItCannotDrawWithThePlace) {
  const Desk desk;
  desk.write("bad.yaml", system_text("  - a.float64_out -> c.float64_in\n"));
  const auto unknown = desk.run({"graph", "bad.yaml"});
  expect_one_paragraph(unknown, 2);
  EXPECT_THAT(unknown.err, HasSubstr("bad.yaml:7:5: "));
  desk.write("missing.yaml", "consort: 1\nunits: {a: nowhere.fmu}\n");
  const auto missing = desk.run({"graph", "missing.yaml"});
  expect_one_paragraph(missing, 2);
  EXPECT_THAT(missing.err, HasSubstr("nowhere.fmu"));
  expect_one_paragraph(desk.run({"graph", "bad.yaml", "-o", "x.png"}), 2);
  EXPECT_THAT(desk.files(), ElementsAre("bad.yaml", "missing.yaml"));
}

}  // namespace
}  // namespace consort::cli_tests
