#include "yaml/reader.hpp"

#include <map>

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace consort::yaml::reader_test {
namespace {

using namespace graph;
using testing::ElementsAre;

Document read(const std::string& body, const std::map<std::string, std::string>& files = {}) {
  return parse_system("consort: 1\n" + body, "folder/s.yaml", [&](const std::filesystem::path& file) {
    const auto found = files.find(file.string());
    if (found == files.end()) throw input_error("{}: there is no such file", file.string());
    return found->second;
  });
}
const std::string two = "units: {a: a.fmu, b: b.fmu}\n";

// --- units

TEST(YamlReader, ReadsUnitsInTheirShortForm) {
  const auto s = read("units:\n  a: a.fmu\n  b: ../other/b.fmu\n  c: /abs/c.fmu\n  d: model:gain\n").system;
  ASSERT_EQ(s.components.size(), 4U);
  EXPECT_EQ(s.components[0].source, "folder/a.fmu");
  EXPECT_EQ(s.components[1].source, "other/b.fmu");
  EXPECT_EQ(s.components[2].source, "/abs/c.fmu");
  EXPECT_EQ(s.components[3].source, "model:gain");
  EXPECT_EQ(s.components[1].where, "folder/s.yaml:4:3");
  EXPECT_EQ(s.name, "s");
  EXPECT_EQ(s.where, "folder/s.yaml:1:1");
}

TEST(YamlReader, ReadsClassesInPython) {
  const auto s = read("units:\n  a: {python: 'lib/pid.py:Pid', solver: rk4}\n  b: 'python:/x:y/pid.py:Pid'\n").system;
  EXPECT_EQ(s.components[0].source, "python:folder/lib/pid.py:Pid");
  EXPECT_EQ(s.components[0].python_file(), "folder/lib/pid.py");
  EXPECT_EQ(s.components[0].python_class(), "Pid");
  EXPECT_EQ(s.components[0].model_name(), "python:folder/lib/pid.py:Pid");
  EXPECT_TRUE(s.components[0].is_native());
  EXPECT_EQ(s.components[1].python_file(), "/x:y/pid.py");
}

TEST(YamlReader, ReadsEverythingThatAUnitMayHave) {
  const auto s = read(
                     "name: quarter car\ndescription: two masses\nunits:\n"
                     "  a: {fmu: a.fmu, interface: me, solver: bdf, substeps: 4, responds_without_step: true, start: "
                     "{m: 400, x0: 3 cm}}\n"
                     "  b:\n    model: gain\n    connectors: {y: {unit: degC, causality: output, type: Float32}}\n")
                     .system;
  EXPECT_EQ(s.name, "quarter car");
  EXPECT_EQ(s.description, "two masses");
  const auto& a = s.components[0];
  EXPECT_EQ(a.interface, describe::InterfaceType::model_exchange);
  EXPECT_EQ(a.solver, "bdf");
  EXPECT_EQ(a.substeps, 4U);
  EXPECT_TRUE(a.responds_without_step);
  ASSERT_EQ(a.settings.size(), 2U);
  EXPECT_EQ(a.settings[0].value, "400");
  EXPECT_EQ(a.settings[1].value, "3");
  EXPECT_EQ(a.settings[1].unit, "cm");
  EXPECT_EQ(a.settings[1].where, "folder/s.yaml:5:105");
  const auto& b = s.components[1];
  EXPECT_EQ(b.source, "model:gain");
  ASSERT_EQ(b.connectors.size(), 1U);
  EXPECT_EQ(b.connectors[0].unit, "degC");
  EXPECT_EQ(b.connectors[0].causality, describe::Causality::output);
  EXPECT_EQ(b.connectors[0].type, Type::Float32);
  EXPECT_FALSE(b.connectors[0].where.empty());
}

struct ValueCase {
  const char* text;
  const char* value;
  const char* unit;
};
class YamlValue : public testing::TestWithParam<ValueCase> {};

TEST_P(YamlValue, IsReadAsTextAndUnit) {
  const auto& c = GetParam();
  const auto s = read(two + "set:\n  a.k: " + c.text + "\n").system;
  ASSERT_EQ(s.settings.size(), 1U);
  EXPECT_EQ(s.settings[0].name, "a.k");
  EXPECT_EQ(s.settings[0].text(), c.value);
  EXPECT_EQ(s.settings[0].unit, c.unit);
}

TEST(YamlReader, KeepsTheElementsOfAListApart) {
  const auto s = read(two + "set: {a.k: [\"a b\", [c, \"\"]], a.l: {value: [1, 2], unit: cm}, a.m: a b}\n").system;
  ASSERT_EQ(s.settings.size(), 3U);
  EXPECT_EQ(s.settings[0].elements, (std::vector<std::string>{"a b", "c", ""}));
  EXPECT_EQ(s.settings[0].value, "");
  EXPECT_EQ(s.settings[1].elements, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(s.settings[1].unit, "cm");
  EXPECT_EQ(s.settings[2].value, "a b");
}

INSTANTIATE_TEST_SUITE_P(
    All, YamlValue,
    testing::Values(ValueCase{"3", "3", ""}, ValueCase{"-1.5e-3", "-1.5e-3", ""}, ValueCase{"3 cm", "3", "cm"},
                    ValueCase{"20 °C", "20", "°C"}, ValueCase{"1500 1/min", "1500", "1/min"},
                    ValueCase{"1 2 3", "1 2 3", ""}, ValueCase{"1 2 3 cm", "1 2 3", "cm"},
                    ValueCase{"[1, 2, 3]", "1 2 3", ""}, ValueCase{"[[1, 2], [3, 4]]", "1 2 3 4", ""},
                    ValueCase{"{value: [1, 2], unit: cm}", "1 2", "cm"}, ValueCase{"{value: 7}", "7", ""},
                    ValueCase{"true", "true", ""}, ValueCase{"'3 cm'", "3 cm", ""}, ValueCase{"\"\"", "", ""},
                    ValueCase{"two words", "two words", ""}, ValueCase{".inf", "INF", ""},
                    ValueCase{"-.INF", "-INF", ""}, ValueCase{".nan", "NaN", ""}, ValueCase{"'.nan'", ".nan", ""},
                    ValueCase{"0x1F", "0x1F", ""}, ValueCase{"on", "on", ""}));

// --- connections

struct ShortCase {
  const char* text;
  const char* to;
  double factor, offset;
};
class YamlConnection : public testing::TestWithParam<ShortCase> {};

TEST_P(YamlConnection, HasAShortForm) {
  const auto& c = GetParam();
  const auto s = read(two + "connections:\n  - " + c.text + "\n").system;
  ASSERT_EQ(s.connections.size(), 1U);
  const auto& made = s.connections[0];
  EXPECT_EQ(made.from.element, "a");
  EXPECT_EQ(made.to.text(), c.to);
  EXPECT_EQ(made.where, "folder/s.yaml:4:5");
  const auto* linear = std::get_if<Linear>(&made.transformation);
  const bool plain = c.factor == 1 && c.offset == 0;
  ASSERT_EQ(linear != nullptr, !plain);
  if (plain) return;
  EXPECT_EQ(linear->factor, c.factor);
  EXPECT_EQ(linear->offset, c.offset);
}

INSTANTIATE_TEST_SUITE_P(
    All, YamlConnection,
    testing::Values(ShortCase{"a.y -> b.u", "b.u", 1, 0}, ShortCase{"a.y→b.u", "b.u", 1, 0},
                    ShortCase{"a.y->b.u", "b.u", 1, 0}, ShortCase{"a.y -> b.u * 2", "b.u", 2, 0},
                    ShortCase{"a.y -> b.u * -2 + 1", "b.u", -2, 1}, ShortCase{"a.y -> b.u + 1e-3", "b.u", 1, 1e-3},
                    ShortCase{"a.y -> b.u - 273.15", "b.u", 1, -273.15}, ShortCase{"a.y -> b.u + -1", "b.u", 1, -1},
                    ShortCase{"a.y -> b.u * 1e-3 - 1e+2", "b.u", 1e-3, -100},
                    ShortCase{"a.A[1,2] -> b.B[2,1]", "b.B[2,1]", 1, 0}, ShortCase{"a.y -> b.x.u", "b.x.u", 1, 0},
                    ShortCase{"'a.y -> b.der(x)'", "b.der(x)", 1, 0}, ShortCase{"a.y -> b.u-1", "b.u-1", 1, 0}));

TEST(YamlReader, ReadsConnectionsInTheirLongForm) {
  const auto s = read(two +
                      "connections:\n"
                      "  - {from: a.y, to: b.u, factor: -1, offset: 2, convert_units: false}\n"
                      "  - {from: a.mode, to: b.mode, map: {off: 0, on: 1}}\n"
                      "  - {from: a.y, to: [b.v, b.w]}\n")
                     .system;
  ASSERT_EQ(s.connections.size(), 4U);
  EXPECT_TRUE(s.connections[0].suppress_unit_conversion);
  EXPECT_EQ(std::get<Linear>(s.connections[0].transformation).offset, 2);
  EXPECT_THAT(
      std::get<Mapping>(s.connections[1].transformation).entries,
      ElementsAre(std::pair<std::string, std::string>("off", "0"), std::pair<std::string, std::string>("on", "1")));
  EXPECT_EQ(s.connections[2].to.text(), "b.v");
  EXPECT_EQ(s.connections[3].to.text(), "b.w");
  EXPECT_FALSE(s.connections[3].suppress_unit_conversion);
}

TEST(YamlReader, ReadsConnectorsOfTheSystem) {
  const auto s = read("inputs: {speed: m/s, mode: {type: Int32}, bare: }\noutputs: [force]\nparameters: {k: }\n" + two +
                      "connections: [speed -> a.u, a.y -> force, k -> b.k]\n")
                     .system;
  ASSERT_EQ(s.connectors.size(), 5U);
  EXPECT_EQ(s.connectors[0].unit, "m/s");
  EXPECT_EQ(s.connectors[1].type, Type::Int32);
  EXPECT_EQ(s.connectors[3].causality, describe::Causality::output);
  EXPECT_EQ(s.connectors[4].causality, describe::Causality::parameter);
  for (const auto& c : s.connectors) EXPECT_THAT(c.where, testing::StartsWith("folder/s.yaml:"));
  EXPECT_EQ(s.connections[0].from.element, "");
}

TEST(YamlReader, ConnectsElementsOfConnectors) {
  const auto s =
      read("inputs: [ends]\noutputs: [t]\n" + two + "connections: ['ends[2] -> a.u', 'a.y -> t[1]']\n").system;
  ASSERT_EQ(s.connections.size(), 2U);
  EXPECT_EQ(s.connections[0].from.text(), "ends[2]");
  EXPECT_EQ(s.connections[1].to.text(), "t[1]");
  EXPECT_EQ(s.connectors.size(), 2U);
  EXPECT_THROW(static_cast<void>(read("inputs: [ends]\n" + two + "connections: ['other[2] -> a.u']\n")), Error);
}

TEST(YamlReader, ReadsUnitsOfMeasure) {
  const auto s = read(two + "units_of_measure: {slug: {kg: 1, factor: 14.59}, odd: }\n").system;
  ASSERT_EQ(s.units.size(), 2U);
  EXPECT_EQ(s.units[0].base->exponents[0], 1);
  EXPECT_EQ(s.units[0].base->factor, 14.59);
  EXPECT_FALSE(s.units[1].base.has_value());
}

// --- nested systems

TEST(YamlReader, ReadsSystemsInSystemsAndFromOtherFiles) {
  const auto s = read(
                     "units:\n"
                     "  front: {system: parts/axle.yaml, set: {wheel.k: 3}}\n"
                     "  rear: parts/axle.yaml\n"
                     "  load:\n    inputs: [F]\n    units: {mass: mass.fmu}\n    connections: [F -> mass.F]\n"
                     "connections: [front.F -> load.F]\n",
                     {{"folder/parts/axle.yaml",
                       "consort: 1\nname: ignored\nunits: {wheel: wheel.fmu}\noutputs: [F]\nconnections: [wheel.F -> "
                       "F]\nexperiment: {stop: 3}\nset: {wheel.k: 2}\n"}})
                     .system;
  ASSERT_EQ(s.systems.size(), 3U);
  EXPECT_EQ(s.systems[0].name, "front");
  EXPECT_EQ(s.systems[0].components[0].source, "folder/parts/wheel.fmu");
  EXPECT_EQ(s.systems[0].components[0].where, "folder/parts/axle.yaml:3:9");
  ASSERT_EQ(s.systems[0].settings.size(), 2U) << "settings from outside come last and override";
  EXPECT_EQ(s.systems[0].settings[1].value, "3");
  EXPECT_FALSE(s.systems[0].experiment.stop.has_value());
  EXPECT_EQ(s.systems[1].settings.size(), 1U);
  EXPECT_EQ(s.systems[2].components[0].source, "folder/mass.fmu");
  EXPECT_EQ(s.connections[0].from.element, "front");
}

// --- run settings

TEST(YamlReader, ReadsHowASystemIsRun) {
  const auto d =
      read(two +
           "experiment: {start: 1, stop: 2 min, step: 1 ms, tolerance: 1e-6, output_interval: 0.1}\n"
           "run:\n  stepper: scheduled\n  extrapolation: 2\n  threads: 3\n  order: [b, a]\n"
           "  schedule: [a, {parallel: [b, {serial: [c, d]}]}]\n"
           "  loops: {method: fixed-point, tolerance: 1e-10, max_iterations: 7}\n"
           "  iteration: {method: aitken, tolerance: 1e-9, max_iterations: 9, relaxation: 0.25, depth: 3, reuse: 2,\n"
           "              filter: 1e-3, jacobian: differences, scope: whole, sweep: serial, if_not_converged: go on}\n"
           "  control: {controller: modified, tolerance: 1e-5, maximum: 10 ms, rule: pi}\n"
           "  consistent: never\n  real_time: 2\n  input_file: in.csv\n"
           "record: {variables: ['a.*', b.y], every: 10, file: out/x.h5, compression: 4, substeps: true}\n");
  const auto& e = d.system.experiment;
  EXPECT_EQ(e.start, 1);
  EXPECT_EQ(e.stop, 120);
  EXPECT_EQ(e.step, 1e-3);
  EXPECT_EQ(e.tolerance, 1e-6);
  const auto& r = d.run;
  EXPECT_EQ(r.output_interval, 0.1);
  EXPECT_EQ(r.stepper, "scheduled");
  EXPECT_EQ(r.extrapolation, "2");
  EXPECT_EQ(r.threads, 3U);
  EXPECT_THAT(r.order, ElementsAre("b", "a"));
  ASSERT_EQ(r.schedule.size(), 2U);
  EXPECT_EQ(r.schedule[1].kind, ScheduleEntry::Kind::parallel);
  EXPECT_EQ(r.schedule[1].members[1].kind, ScheduleEntry::Kind::serial);
  EXPECT_EQ(r.schedule[1].members[1].members[0].unit, "c");
  EXPECT_EQ(r.loops.method, "fixed-point");
  EXPECT_EQ(r.loops.max_iterations, 7);
  EXPECT_EQ(r.iteration.method, "aitken");
  EXPECT_EQ(r.iteration.tolerance, 1e-9);
  EXPECT_EQ(r.iteration.max_iterations, 9);
  EXPECT_EQ(r.iteration.relaxation, 0.25);
  EXPECT_EQ(r.iteration.depth, 3);
  EXPECT_EQ(r.iteration.reuse, 2);
  EXPECT_EQ(r.iteration.filter, 1e-3);
  EXPECT_EQ(r.iteration.jacobian, IterationSettings::Jacobian::differences);
  EXPECT_EQ(r.iteration.scope, IterationSettings::Scope::whole);
  EXPECT_EQ(r.iteration.sweep, IterationSettings::Sweep::serial);
  EXPECT_EQ(r.iteration.if_not_converged, IterationSettings::IfNotConverged::go_on);
  EXPECT_EQ(r.control.controller, "modified");
  EXPECT_EQ(r.control.tolerance, 1e-5);
  EXPECT_EQ(r.control.maximum, 0.01);
  EXPECT_EQ(r.control.rule, StepControl::Rule::pi);
  EXPECT_EQ(r.consistent, Consistency::never);
  EXPECT_EQ(r.real_time, 2);
  EXPECT_EQ(r.input_file, "folder/in.csv");
  EXPECT_THAT(r.record.variables, ElementsAre("a.*", "b.y"));
  EXPECT_EQ(r.record.every, 10U);
  EXPECT_EQ(r.record.file, "folder/out/x.h5");
  EXPECT_EQ(r.record.compression, 4);
  EXPECT_TRUE(r.record.substeps);
  EXPECT_FALSE(r.stop.has_value()) << "that is for the command line";
}

TEST(YamlReader, ReadsScenarios) {
  const auto d = read(two +
                      "scenario:\n  - {at: 1.5, set: a.z, to: 0.2}\n  - {at: 2, hold: a.z}\n"
                      "  - {at: 3, ramp: a.z, to: 1, within: 500 ms}\n  - {at: 4, release: a.z}\n");
  ASSERT_EQ(d.run.scenario.size(), 4U);
  EXPECT_EQ(d.run.scenario[0].kind, ScenarioAction::Kind::set);
  EXPECT_EQ(d.run.scenario[0].value, "0.2");
  EXPECT_EQ(d.run.scenario[0].where, "folder/s.yaml:4:5");
  EXPECT_EQ(d.run.scenario[1].kind, ScenarioAction::Kind::hold);
  EXPECT_EQ(d.run.scenario[2].kind, ScenarioAction::Kind::ramp);
  EXPECT_EQ(d.run.scenario[2].duration, 0.5);
  EXPECT_EQ(d.run.scenario[3].kind, ScenarioAction::Kind::release);
  EXPECT_EQ(d.run.scenario[3].target, "a.z");
}

TEST(YamlReader, AMinimalSystemHasTheDefaults) {
  const auto d = read("units: {a: a.fmu}\n");
  EXPECT_TRUE(d.run.stepper.empty());
  EXPECT_EQ(d.run.loops.method, LoopSettings{}.method);
  EXPECT_FALSE(d.system.experiment.stop.has_value());
  EXPECT_EQ(d.run.record.every, 1U);
}

}  // namespace
}  // namespace consort::yaml::reader_test
