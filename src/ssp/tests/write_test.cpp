#include "ssp/write.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <pugixml.hpp>

#include "base/text.hpp"
#include "os/child_process.hpp"
#include "ssp/annotations.hpp"
#include "ssp/from_system.hpp"
#include "ssp/read.hpp"
#include "ssp/tests/complete.hpp"
#include "ssp/tests/workshop.hpp"
#include "yaml/reader.hpp"

namespace consort::ssp {
namespace {

using graph::comes_from;
using graph::route_of;
using ::testing::HasSubstr;

// A nested system with all features of connections and values.
graph::Document document() {
  graph::System inner("inner");
  inner.connectors.push_back({"in", describe::Causality::input, {}, "degC", {}});
  inner.connectors.push_back({"k", describe::Causality::parameter, {}, "", {}});
  inner.add("b", "b.fmu").set("n", "3").set("k", "1").set("k", "2");
  inner.connections.push_back({{"", "in"}, {"b", "u"}, {}, false, {}});
  inner.connections.push_back({{"", "k"}, {"b", "j"}, {}, false, {}});
  graph::System s("whole");
  s.description = "all of it";
  auto& a = s.add("a", "a.fmu");
  a.substeps = 3;
  a.interface = describe::InterfaceType::co_simulation;
  s.add_system(std::move(inner));
  s.connections.push_back({{"a", "y"}, {"inner", "in"}, graph::Linear{2, 1}, false, {}});
  s.connections.push_back({{"a", "flag"}, {"c", "flag"}, graph::Mapping{{{"true", "false"}}, true}, false, {}});
  s.add("c", "c.fmu");
  s.connections.push_back({{"a", "v[2]"}, {"c", "x"}, {}, true, {}});
  s.settings.push_back({"c.T", "20", "degC", {}});
  s.settings.push_back({"inner.k", "7", {}, {}});
  graph::Setting mapped{"c.p", "2", "bar", {}};
  mapped.transformation = graph::Linear{10, 0};
  s.settings.push_back(mapped);
  s.experiment = {1, 9, 0.25, 1e-6};
  graph::Document d;
  d.system = std::move(s);
  d.run.stepper = "gauss-seidel";
  d.run.order = {"a", "inner.b", "c"};
  d.run.record.variables = {"*.y"};
  d.run.scenario.push_back({graph::ScenarioAction::Kind::set, 2, "c.x", "5", 0, {}});
  return d;
}

// Adds the same units to both workshops.
void stock(Workshop& w, const std::string& folder) {
  w.fmu(folder + "a.fmu")
      .output("y", Type::Float64, "degC")
      .define("degC", graph::celsius)
      .output("flag", Type::Boolean);
  w.fmu(folder + "b.fmu")
      .input("u", Type::Float64, "K")
      .parameter("n", Type::Int32)
      .parameter("k")
      .parameter("j")
      .define("K", graph::kelvin);
  w.fmu(folder + "c.fmu")
      .input("flag", Type::Boolean)
      .input("x")
      .parameter("T", Type::Float64, "K")
      .parameter("p", Type::Float64, "Pa")
      .define("K", graph::kelvin)
      .define("Pa", graph::pascal);
}
void add_array(graph::Plant& plant) { plant.output("v").sized({3}); }

struct Written : ::testing::TestWithParam<Version> {
  Written() {
    stock(w, "resources/");
    add_array(w.fmu_like("a.fmu"));
    catalogue = w.catalogue();
  }
  Workshop w;
  graph::Catalogue catalogue;
};

TEST_P(Written, SystemsAreReadBackAsTheSamePlan) {
  const auto d = document();
  const auto out = from_system(d, {GetParam(), catalogue});
  w.structure(write(out.structure));
  const auto& plan = w.plan();
  EXPECT_EQ(plan.name, "whole");
  ASSERT_EQ(plan.units.size(), 3U);
  EXPECT_TRUE(comes_from(plan, "inner.b.u", "a.y"));
  const auto route = route_of(plan, "inner.b.u");
  EXPECT_EQ(route->factor, 2);
  EXPECT_NEAR(route->offset, 1 + 273.15, 1e-12);  // transformed in degC, then converted
  const auto flag = route_of(plan, "c.flag");
  ASSERT_TRUE(flag && flag->conversion != nullptr);
  EXPECT_TRUE(flag->conversion->partial);
  EXPECT_TRUE(comes_from(plan, "c.x", "a.v", 0, 1));
  EXPECT_EQ(w.start("c.T"), "293.15");
  EXPECT_EQ(w.start("c.p"), "2e+06");
  EXPECT_EQ(w.start("inner.b.j"), "7");
  EXPECT_EQ(w.start("inner.b.k"), "2");
  EXPECT_EQ(w.start("inner.b.n"), "3");

  const auto& again = w.document();
  EXPECT_EQ(again.system.components.at(0).substeps, 3U);
  EXPECT_EQ(again.system.components.at(0).interface, describe::InterfaceType::co_simulation);
  EXPECT_EQ(again.system.experiment.start, 1);
  EXPECT_EQ(again.system.experiment.stop, 9);
  EXPECT_EQ(again.system.experiment.step, 0.25);
  EXPECT_EQ(again.system.experiment.tolerance, 1e-6);
  EXPECT_EQ(again.run.stepper, "gauss-seidel");
  EXPECT_EQ(again.run.order, d.run.order);
  EXPECT_EQ(again.run.record, d.run.record);
  ASSERT_EQ(again.run.scenario.size(), 1U);
  EXPECT_EQ(again.run.scenario[0].target, "c.x");
}

// Validates with the SSP schemas, if CONSORT_SSP_SCHEMAS names a folder that has them in the folders 1.0 and 2.0.
bool is_valid(const std::string& text, const std::string& version, const std::string& schema, std::string& said) {
  const os::TempFolder folder("schema");
  std::ofstream(folder.path() / "file.xml") << text;
  const std::string command =
      fmt::format("xmllint --noout --schema '{}/{}/{}.xsd' '{}' > '{}' 2>&1", std::getenv("CONSORT_SSP_SCHEMAS"),
                  version, schema, (folder.path() / "file.xml").string(), (folder.path() / "said").string());
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): a fixed program
  said = read_file(folder.path() / "said");
  return status == 0;
}

TEST_P(Written, FilesAreValidByTheSchemas) {
  if (std::getenv("CONSORT_SSP_SCHEMAS") == nullptr) GTEST_SKIP() << "set CONSORT_SSP_SCHEMAS";
  const auto d = document();
  const auto out = from_system(d, {GetParam(), catalogue});
  std::string said;
  EXPECT_TRUE(is_valid(write(out.structure), std::string(name_of(GetParam())), "SystemStructureDescription", said))
      << said << write(out.structure);
  for (const auto& binding : out.structure.system.bindings)
    for (const auto& set : binding.inlined)
      EXPECT_TRUE(is_valid(write(set), std::string(name_of(GetParam())), "SystemStructureParameterValues", said))
          << said;
  for (const auto& binding : out.structure.system.bindings)
    for (const auto& mapping : binding.mapping)
      EXPECT_TRUE(is_valid(write(mapping.inlined.at(0)), std::string(name_of(GetParam())),
                           "SystemStructureParameterMapping", said))
          << said;
}

INSTANTIATE_TEST_SUITE_P(Ssp, Written, ::testing::Values(Version::v1_0, Version::v2_0),
                         [](const auto& one) { return one.param == Version::v1_0 ? "v1_0" : "v2_0"; });

TEST(CompleteFile, IsValidByTheSchemasAfterItWasWritten) {
  if (std::getenv("CONSORT_SSP_SCHEMAS") == nullptr) GTEST_SKIP() << "set CONSORT_SSP_SCHEMAS";
  Diagnostics diagnostics;
  const auto ssd = parse<SystemStructure>(std::string(testing::complete_ssd_2_0), "complete.ssd", diagnostics);
  std::string said;
  EXPECT_TRUE(is_valid(write(ssd), "2.0", "SystemStructureDescription", said)) << said;
  EXPECT_TRUE(is_valid(write(ssd.system.bindings.at(1).inlined.at(0)), "2.0", "SystemStructureParameterValues", said))
      << said;
  EXPECT_TRUE(
      is_valid(write(ssd.system.dictionaries.at(0).inlined.at(0)), "2.0", "SystemStructureSignalDictionary", said))
      << said;
}

// A native model has no file, but a name that Consort knows.
TEST(Export, WritesNativeModelsByTheirNames) {
  graph::Document d;
  d.system.add("gain", "model:gain").solver = "rk4";
  const auto out = from_system(d, {});
  EXPECT_TRUE(out.resources.empty());
  Workshop w;
  w.structure(write(out.structure));
  const auto read = read_system(w.folder());
  const auto& again = read.system.components.at(0);
  EXPECT_EQ(again.source, "model:gain");
  EXPECT_EQ(again.solver, "rk4");
  EXPECT_TRUE(again.is_native());
}

TEST(Export, RefusesClassesInPython) {
  graph::Document d;
  d.system.add("pid", "python:/folder/pid.py:Pid");
  EXPECT_THAT([&] { static_cast<void>(from_system(d, {})); },
              ::testing::ThrowsMessage<Error>(HasSubstr("export the unit as an FMU first")));
}

TEST(Export, NamesEveryFmuOnce) {
  graph::Document d;
  d.system.add("a", "x/unit.fmu");
  d.system.add("b", "x/unit.fmu");
  d.system.add("c", "y/unit.fmu");
  const auto out = from_system(d, {});
  ASSERT_EQ(out.resources.size(), 2U);
  EXPECT_EQ(out.structure.system.components.at(0).source, "resources/unit.fmu");
  EXPECT_EQ(out.structure.system.components.at(1).source, "resources/unit.fmu");
  EXPECT_EQ(out.structure.system.components.at(2).source, "resources/unit_2.fmu");
}

TEST(Conversion, OfAPackageKeepsEverythingElse) {
  Workshop w;
  w.fmu("resources/a.fmu").parameter("k");
  w.file("resources/v.ssv", Workshop::ssv(Workshop::real("k", 4)));
  w.file("extra/org.example/notes.txt", "keep me");
  w.structure(Workshop::ssd(
      Workshop::elements(Workshop::component(
          "a", "resources/a.fmu", Workshop::bindings(R"(<ssd:ParameterBinding source="resources/v.ssv"/>)"))) +
          R"(<ssd:Annotations><ssc:Annotation type="org.example"><e xmlns="urn:e"/></ssc:Annotation></ssd:Annotations>)",
      "", "2.0"));
  Workshop to;
  const auto file = to.folder().parent_path() / "old.ssp";
  convert_package(w.packed(), file, Version::v1_0);
  const os::TempFolder unpacked("old");
  os::unpack(file, unpacked.path());
  EXPECT_EQ(read_file(unpacked.path() / "extra/org.example/notes.txt"), "keep me");
  const auto ssd = read_file(unpacked.path() / "SystemStructure.ssd");
  EXPECT_THAT(ssd, HasSubstr("version=\"1.0\""));
  EXPECT_THAT(ssd, HasSubstr("<e xmlns=\"urn:e\""));
  EXPECT_THAT(read_file(unpacked.path() / "resources/v.ssv"), HasSubstr("version=\"1.0\""));
  static_cast<void>(w.plan(file));
  EXPECT_EQ(w.start("a.k"), "4");
}

// --- annotations of other tools --------------------------------------------------------------------------------------

std::string annotated(std::string_view element, std::string_view type, std::string_view content) {
  return fmt::format(
      R"(<ssd:{0}><ssd:Annotations><ssc:Annotation type="{1}">{2}</ssc:Annotation></ssd:Annotations></ssd:{0}>)",
      element, type, content);
}

struct Tools : ::testing::Test {
  Tools() {
    for (const auto* name : {"a", "b", "c"}) static_cast<void>(w.fmu(std::string(name) + ".fmu"));
  }
  const std::string units = Workshop::elements(Workshop::component("a", "a.fmu") + Workshop::component("b", "b.fmu") +
                                               Workshop::component("c", "c.fmu"));
  static std::string note(std::string_view type, std::string_view content) {
    return fmt::format(R"(<ssd:Annotations><ssc:Annotation type="{}">{}</ssc:Annotation></ssd:Annotations>)", type,
                       content);
  }
  Workshop w;
};

TEST_F(Tools, StepsOfOspAreUsed) {
  w.structure(Workshop::ssd(
      units,
      annotated("DefaultExperiment", "com.opensimulationplatform",
                R"(<osp:Algorithm xmlns:osp="u"><osp:FixedStepAlgorithm baseStepSize="1e-4"/></osp:Algorithm>)")));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.document().system.experiment.step, 1e-4);
  EXPECT_THAT(w.document().system.notes, ::testing::Contains(HasSubstr("com.opensimulationplatform")));
}

TEST_F(Tools, SimulationInformationOfOpenModelicaIsUsed) {
  w.structure(Workshop::ssd(
      units + note("org.openmodelica",
                   R"(<oms:Annotations xmlns:oms="u"><oms:SimulationInformation>)"
                   R"(<oms:FixedStepMaster description="oms-ma" stepSize="0.002" relativeTolerance="1e-5"/>)"
                   R"(</oms:SimulationInformation></oms:Annotations>)"),
      annotated(
          "DefaultExperiment", "org.openmodelica",
          R"(<oms:Annotations xmlns:oms="u"><oms:SimulationInformation resultFile="x.mat" loggingInterval="0.5"/></oms:Annotations>)")));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.document().system.experiment.step, 0.002);
  EXPECT_EQ(w.document().system.experiment.tolerance, 1e-5);
  EXPECT_EQ(w.document().run.output_interval, 0.5);
  EXPECT_TRUE(w.document().run.record.file.empty());
}

TEST_F(Tools, SolversOfOpenModelicaAreOurs) {
  w.structure(
      Workshop::ssd(units + note("org.openmodelica",
                                 R"(<oms:Annotations xmlns:oms="u"><oms:SimulationInformation><oms:VariableStepSolver )"
                                 R"(description="cvode" relativeTolerance="1e-7" maximumStepSize="0.01"/>)"
                                 R"(</oms:SimulationInformation></oms:Annotations>)")));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.document().system.components.at(0).solver, "bdf");
  EXPECT_EQ(w.document().system.experiment.tolerance, 1e-7);
  EXPECT_EQ(w.document().system.experiment.step, 0.01);
}

TEST_F(Tools, OrdersOfFmigoAreGroups) {
  w.structure(
      Workshop::ssd(units + note("se.umu.math.umit.fmigo-master.executionorder",
                                 R"(<f:ExecutionOrder xmlns:f="u"><f:p><f:s><f:c>root.a</f:c><f:c>root.b</f:c></f:s>)"
                                 R"(<f:c>root.c</f:c></f:p></f:ExecutionOrder>)")));
  static_cast<void>(w.plan());
  const auto& run = w.document().run;
  EXPECT_EQ(run.stepper, "scheduled");
  ASSERT_EQ(run.schedule.size(), 1U);
  EXPECT_EQ(run.schedule[0].kind, graph::ScheduleEntry::Kind::parallel);
  ASSERT_EQ(run.schedule[0].members.size(), 2U);
  EXPECT_EQ(run.schedule[0].members[0].kind, graph::ScheduleEntry::Kind::serial);
  EXPECT_EQ(run.schedule[0].members[0].members.at(1).unit, "b");
  EXPECT_EQ(run.schedule[0].members[1].unit, "c");
}

TEST_F(Tools, TimesOfFmigoAreUsedAndItsConstraintsAreNot) {
  w.structure(Workshop::ssd(units + note("se.umu.math.umit.fmigo-master.arguments",
                                         R"(<f:MasterArguments xmlns:f="u" timestep="0.125" duration="8"/>)")));
  static_cast<void>(w.plan());
  EXPECT_EQ(w.document().system.experiment.step, 0.125);
  EXPECT_EQ(w.document().system.experiment.stop, 8);
  w.structure(Workshop::ssd(
      units +
      note(
          "se.umu.math.umit.ssp.kinematicconstraints",
          R"(<f:KinematicConstraints xmlns:f="u"><f:ShaftConstraint element1="a" connector1="x" element2="b" connector2="y" holonomic="true"/></f:KinematicConstraints>)")));
  EXPECT_THAT(w.error(), HasSubstr("the constraint between 'a' and 'b' ties their motions together"));
}

TEST_F(Tools, OurOwnRunSettingsThatCannotBeReadSayWhere) {
  w.structure(Workshop::ssd(
      units, note(run_annotation, R"(<c:Run xmlns:c="urn:consort:ssp:1">run: {steper: jacobi}</c:Run>)")));
  EXPECT_THAT(w.error(), HasSubstr("steper"));
}

// --- what only Consort's annotation says

TEST(Groups, KeepSolverExpressionsParametersAndEvents) {
  graph::System pair("pair");
  pair.solver = "radau5";
  pair.tolerance = 1e-9;
  pair.host = "process";
  pair.add("left", "a.fmu");
  pair.add("right", "b.fmu");
  pair.connectors.push_back({"k", describe::Causality::parameter, {}, "N/m", {}});
  pair.connectors.back().value = 2.5;
  pair.connectors.push_back({"gap", describe::Causality::output, {}, "m", {}});
  pair.connect_value("left.y - right.y", "gap");
  pair.connect_value("-k * (left.y - 4 [m]) < 3 and \"a\" == \"<&>\"", "right.u").where = "file";
  pair.connect("right.y", "left.u");
  pair.events.push_back(
      {"wall",
       "left.y < 0",
       {{graph::EventAction::Kind::set, "left.x", "-left.x", {}}, {graph::EventAction::Kind::stop, {}, "it fell", {}}},
       {}});
  graph::Document d;
  d.system.name = "rig";
  d.system.add_system(pair);
  const auto out = from_system(d, {});
  const auto& inner = out.structure.system.systems.at(0);
  ASSERT_EQ(inner.annotations.size(), 1U);
  EXPECT_EQ(inner.annotations[0].type, system_annotation);
  EXPECT_EQ(inner.connections.size(), 1U) << "expressions are no connections of the standard";

  pugi::xml_document xml;
  ASSERT_TRUE(xml.load_string(inner.annotations[0].xml.c_str()));
  graph::System back("pair");
  back.add("left", "a.fmu");
  back.add("right", "b.fmu");
  back.connectors.push_back({"k", describe::Causality::parameter});
  back.connectors.push_back({"gap", describe::Causality::output});
  yaml::read_words(xml.document_element().child_value(), "annotation", back);
  EXPECT_EQ(back.solver, "radau5");
  EXPECT_EQ(back.tolerance, 1e-9);
  EXPECT_EQ(back.host, "process");
  EXPECT_EQ(back.connectors[0].value, 2.5);
  ASSERT_EQ(back.connections.size(), 2U);
  EXPECT_EQ(back.connections[0].value, pair.connections[0].value);
  EXPECT_EQ(back.connections[1].value, pair.connections[1].value);
  EXPECT_EQ(back.connections[1].to.text(), "right.u");
  ASSERT_EQ(back.events.size(), 1U);
  EXPECT_EQ(back.events[0].when, "left.y < 0");
  ASSERT_EQ(back.events[0].actions.size(), 2U);
  EXPECT_EQ(back.events[0].actions[0].target, "left.x");
  EXPECT_EQ(back.events[0].actions[1].value, "it fell");
}

}  // namespace
}  // namespace consort::ssp
