#include "yaml/writer.hpp"

#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "base/error.hpp"
#include "samples.hpp"
#include "yaml/reader.hpp"

namespace consort::yaml {
namespace {

using namespace graph;

// --- a document as text, without places: two documents are equal if their texts are equal

std::string text_of(const Setting& s) {
  return fmt::format("{}={}({})[{}]", s.name, s.value, fmt::join(s.elements, "|"), s.unit);
}

std::string text_of(const Connector& c) {
  return fmt::format("{}:{}:{}:{}:{}", c.name, static_cast<int>(c.causality), c.type ? name_of(*c.type) : "-", c.unit,
                     c.value.value_or(0));
}

std::string text_of(const Connection& c) {
  std::string text = c.from.element + "|" + c.from.connector + ">" + c.to.element + "|" + c.to.connector;
  if (const auto* l = std::get_if<Linear>(&c.transformation)) text += fmt::format("*{}+{}", l->factor, l->offset);
  if (const auto* m = std::get_if<Mapping>(&c.transformation))
    for (const auto& [from, to] : m->entries) text += " " + from + "=" + to;
  return text + "=" + c.value + (c.suppress_unit_conversion ? "!" : "");
}

std::string text_of(const System& s, bool root) {
  std::string text =
      fmt::format("system {} '{}' {} {} {}\n", s.name, s.description, s.solver, s.tolerance.value_or(0), s.host);
  for (const auto& e : s.events) {
    text += "event " + e.name + " " + e.when;
    for (const auto& a : e.actions) text += fmt::format(" {}:{}={}", static_cast<int>(a.kind), a.target, a.value);
  }
  for (const auto& u : s.units) {
    text += "measure " + u.name;
    if (u.base) {
      for (const auto e : u.base->exponents) text += fmt::format(" {}", static_cast<int>(e));
      text += fmt::format(" {} {}", u.base->factor, u.base->offset);
    }
    text += "\n";
  }
  for (const auto& c : s.connectors) text += "connector " + text_of(c) + "\n";
  for (const auto& c : s.components) {
    text +=
        fmt::format("unit {} {} {} {} {} {}\n", c.name, c.source.string(),
                    c.interface ? static_cast<int>(*c.interface) : -1, c.solver, c.substeps, c.responds_without_step);
    for (const auto& one : c.settings) text += "  " + text_of(one) + "\n";
    for (const auto& one : c.connectors) text += "  " + text_of(one) + "\n";
  }
  for (const auto& inner : s.systems) text += text_of(inner, false);
  for (const auto& c : s.connections) text += text_of(c) + "\n";
  for (const auto& one : s.settings) text += "set " + text_of(one) + "\n";
  const auto& e = s.experiment;
  if (root)
    text += fmt::format("{} {} {} {}\n", e.start.value_or(-99), e.stop.value_or(-99), e.step.value_or(-99),
                        e.tolerance.value_or(-99));
  return text + "end\n";
}

std::string text_of(const ScheduleEntry& g) {
  std::string text = fmt::format("({}{}", static_cast<int>(g.kind), g.unit);
  for (const auto& m : g.members) text += text_of(m);
  return text + ")";
}

std::string text_of(const Document& d) {
  const auto& r = d.run;
  std::string text = text_of(d.system, true);
  text += fmt::format("{} {} {} {} {} {}", r.stepper, r.extrapolation, fmt::join(r.order, ","), r.threads.value_or(0),
                      static_cast<int>(r.consistent), r.output_interval.value_or(-99));
  text += fmt::format(" {} {} {}", r.loops.method, r.loops.tolerance, r.loops.max_iterations);
  const auto& i = r.iteration;
  text += fmt::format(" {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(i.sweep), i.method, i.tolerance,
                      i.max_iterations, i.relaxation.value_or(0), i.depth.value_or(0), i.reuse, i.filter,
                      static_cast<int>(i.jacobian), static_cast<int>(i.scope), static_cast<int>(i.if_not_converged));
  const auto& c = r.control;
  text += fmt::format(" {} {} {} {} {} {}", c.controller, c.tolerance.value_or(-99), c.absolute.value_or(-99),
                      c.initial.value_or(-99), c.minimum.value_or(-99), c.maximum.value_or(-99));
  text += fmt::format(" {} {} {} {} {} {} {}", c.safety, c.shrink, c.grow, static_cast<int>(c.rule),
                      static_cast<int>(c.norm), static_cast<int>(c.divisor), static_cast<int>(c.tolerance_for));
  for (const auto& g : r.schedule) text += text_of(g);
  text += fmt::format(" {} {} {} {} {}", fmt::join(r.record.variables, ","), r.record.every, r.record.file,
                      r.record.compression, r.record.substeps);
  text += fmt::format(" {} {}\n", r.input_file, r.real_time.value_or(-99));
  for (const auto& b : r.bonds) text += fmt::format("bond {} {}\n", b.effort, b.flow);
  for (const auto& a : r.scenario)
    text += fmt::format("{} {} {} {} {}\n", static_cast<int>(a.kind), a.at, a.target, a.value, a.duration);
  return text;
}

TEST(YamlWriter, WritesWhatIsReadBackAsTheSame) {
  const auto first = parse_system(everything, "folder/s.yaml");
  const auto written = write_system(first, "folder");
  const auto second = parse_system(written, "folder/s.yaml");
  EXPECT_EQ(text_of(first), text_of(second)) << written;
  EXPECT_EQ(write_system(second, "folder"), written);
}

TEST(YamlWriter, WritesPathsRelativeToTheFolder) {
  auto d = parse_system("consort: 1\nunits: {a: a.fmu, b: ../b.fmu, c: /x/c.fmu}\n", "/some/folder/s.yaml");
  const auto text = write_system(d, "/some/folder");
  EXPECT_THAT(text, testing::HasSubstr("fmu: a.fmu\n"));
  EXPECT_THAT(text, testing::HasSubstr("fmu: ../b.fmu\n"));
  EXPECT_EQ(text_of(parse_system(text, "/some/folder/s.yaml")), text_of(d));
  EXPECT_EQ(text_of(parse_system(write_system(d, "/elsewhere"), "/elsewhere/s.yaml")).size(), text_of(d).size());
}

TEST(YamlWriter, WritesClassesInPythonRelativeToTheFolder) {
  Document d;
  d.system.add("pid", "python:/rigs/lib/pid.py:Pid");
  d.system.add("p", "model:pendulum");
  const auto text = write_system(d, "/rigs");
  EXPECT_NE(text.find("lib/pid.py:Pid"), std::string::npos) << text;
  EXPECT_EQ(text.find("/rigs"), std::string::npos) << text;
  const auto again = parse_system(write_system(d));
  EXPECT_EQ(again.system.components.at(0).source, "python:/rigs/lib/pid.py:Pid");
  EXPECT_EQ(again.system.components.at(1).source, "model:pendulum");
}

TEST(YamlWriter, KeepsTheLastOfSeveralSettings) {
  Document d;
  d.system.add("a", "a.fmu").set("k", "1").set("m", "2").set("k", "3", "N/m");
  const auto again = parse_system(write_system(d));
  const auto& settings = again.system.components[0].settings;
  ASSERT_EQ(settings.size(), 2U);
  EXPECT_EQ(settings[1].value, "3");
  EXPECT_EQ(settings[1].unit, "N/m");
}

TEST(YamlWriter, KeepsTheElementsOfListsApart) {
  Document d;
  d.system.add("a", "a.fmu").settings = {
      {.name = "k", .value = {}, .elements = {"a b", "", "3", "3 cm", "\"", ".nan", "null"}},
      {.name = "l", .value = {}, .unit = "cm", .elements = {"1", "-INF"}}};
  const auto again = parse_system(write_system(d));
  EXPECT_EQ(text_of(again), text_of(d));
}

TEST(YamlWriter, AnEmptySystemCanBeReadBack) {
  const auto d = parse_system(write_system(Document()));
  EXPECT_TRUE(d.system.components.empty());
  EXPECT_EQ(d.system.name, "system");
}

TEST(YamlWriter, RefusesWhatTheFormatCannotSay) {
  Document d;
  d.system.add("a", "a.fmu").set("k", "\xFF");
  EXPECT_THROW(static_cast<void>(write_system(d)), Error);
  d = Document();
  d.system.add("a", "a.fmu").interface = describe::InterfaceType::scheduled_execution;
  EXPECT_THROW(static_cast<void>(write_system(d)), Error);
}

// Names, values and texts made of characters that have a meaning in YAML.
TEST(YamlWriter, SurvivesTextsThatLookLikeYaml) {
  const std::vector<std::string> parts{"a",  "1", " ", ".",    "-", ":", ": ", " #", "#", "'",  "\"",   "\\",   "\n",
                                       "\t", "[", "]", "{",    "}", ",", "&",  "*",  "!", "|",  ">",    "%",    "@",
                                       "`",  "?", "~", "null", "ü", "°", "=",  "+",  "e", "<<", "true", ".inf", "cm"};
  std::mt19937 random(3);
  const auto make = [&](std::size_t most) {
    std::string text = "x";
    for (std::size_t n = random() % most; n > 0; --n) text += parts[random() % parts.size()];
    if (random() % 2 == 0) text.erase(0, 1);
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    Document d;
    d.system.description = "x" + make(6);
    auto& unit = d.system.add("unit", "a.fmu");
    unit.set(make(5), make(6), random() % 2 == 0 ? "x" + make(3) : "");
    unit.solver = "x" + make(3);
    d.run.record.variables = {"x" + make(4)};
    d.run.scenario.push_back({ScenarioAction::Kind::set, 1, "x" + make(3), make(5), 0, {}});
    const auto text = write_system(d);
    ASSERT_EQ(text_of(parse_system(text)), text_of(d)) << text;
  }
}

TEST(YamlWriter, KeepsGroupsExpressionsAndEvents) {
  const auto read = parse_system(R"(
consort: 1
name: rig
solver: {name: radau5, tolerance: 1e-9}
parameters: {k: {value: 15, unit: kN/m}}
units:
  left: {model: pendulum}
  right: {fmu: p.fmu, interface: me}
outputs: {gap: {value: "right.x - left.x", unit: m}}
connections:
  - {to: left.F_x, value: "-k * (left.x - right.x) + if(left.x < 0, 1, 2) * 1 [N]"}
  - right.x -> left.torque
events:
  - {name: wall, when: "left.x < 0", do: [{set: left.omega, to: "-left.omega"}, {stop: "it is over: #1"}]}
  - {when: "left.x > 1", do: [{release: left.F_x}, {pulse: left.F_x, to: "3"}]}
)");
  EXPECT_EQ(read.system.solver, "radau5");
  EXPECT_EQ(read.system.tolerance, 1e-9);
  const auto text = write_system(read);
  const auto again = parse_system(text);
  EXPECT_EQ(text_of(again.system, true), text_of(read.system, true)) << text;
  ASSERT_EQ(again.system.events.size(), 2U);
  EXPECT_EQ(again.system.events[0].actions.at(1).value, "it is over: #1");

  graph::System bare("rig");
  bare.components = read.system.components;
  bare.connectors = read.system.connectors;
  read_words(write_words(read.system), "words", bare);
  EXPECT_EQ(bare.events.size(), 2U);
  EXPECT_EQ(bare.solver, "radau5");
  EXPECT_EQ(bare.connections.size(), 2U) << "the output and the expression; not the connection of the standard";
}

}  // namespace
}  // namespace consort::yaml
