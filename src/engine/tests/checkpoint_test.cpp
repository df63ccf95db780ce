// Checkpoints: a resumed run is equal to an uninterrupted run, and any other file contents are an Error.
#include "engine/checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "graph/table_system.hpp"
#include "os/temp_folder.hpp"
#include "record/formats.hpp"
#include "restart.hpp"
#include "systems.hpp"

namespace consort::engine {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

const fs::path fmus = places::fmus();

TEST(Restart, GoesOnInTheMiddleOfAScenario) {
  using Kind = graph::ScenarioAction::Kind;
  auto o = options(10, 0.01, "gauss-seidel");
  o.run.extrapolation = "1";
  o.run.scenario = {{Kind::ramp, 0.1, "n0.u1", "3", 0.5}, {Kind::hold, 0.2, "n2.u2"}, {Kind::release, 0.55, "n2.u2"}};
  expect_the_same_after_a_restart(ring("cs"), o, 30, 50);
}

TEST(Restart, GoesOnWithEventsAndTables) {
  const os::TempFolder folder;
  const auto table = folder.path() / "u.csv";
  std::ofstream(table) << "time,u\n0,0\n0.3,1\n0.3,2\n1,0\n";
  graph::System system("mixed");
  system.add("ball", fmus / "fmi3/BouncingBall.fmu").interface = describe::InterfaceType::model_exchange;
  system.add("stair", fmus / "fmi3/Stair.fmu");
  system.add("i", "model:integrator");
  system.connect("u", "i.u");
  auto o = options(3, 0.01, "jacobi");
  o.run.extrapolation = "1";
  o.run.input_file = table.string();
  // Before and after the first impact, and at the table's discontinuity.
  for (const int before : {20, 29, 60}) expect_the_same_after_a_restart(system, o, before, 60, library());
}

TEST(Restart, SaysWhichUnitsContinueWithANewSolver) {
  for (const std::string solver : {"cvode", "bdf"}) {
    graph::System system("one");
    auto& unit = system.add("n", fmus / "fmi2/Node.fmu");
    unit.interface = describe::InterfaceType::model_exchange;
    unit.solver = solver;
    const os::TempFolder folder;
    const std::string file = (folder.path() / "c").string();
    Simulation first(system, options(1, 0.1));
    first.initialize();
    first.step();
    first.save(file);
    Simulation second(system, options(1, 0.1));
    second.load(file);
    const auto exactness = AllOf(HasSubstr("unit 'n'"), HasSubstr("not exactly"));
    if (solver == "cvode") {
      EXPECT_THAT(second.report().notes, Contains(exactness));
    } else {
      EXPECT_THAT(second.report().notes, Not(Contains(exactness)));
    }
  }
}

// A unit whose first discarded step ruins its state, which is not known before; a resumed run knows it.
TEST(Restart, KnowsWhichUnitsDiscardSteps) {
  auto all = std::make_shared<Library>();
  all->add("moody", [](const std::string& name) {
    auto unit = std::make_unique<unit::LambdaUnit>(name);
    const auto y = unit->output("y", 0.0);
    unit->on_step([y](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
      v[y] += r.h;
      if (r.h <= 0.006) return unit::completed(r);
      v[y] += 1000;
      return unit::StepOutcome{r.t, unit::Why::discarded};
    });
    return unit;
  });
  graph::System system("moods");
  system.add("unit", "model:moody");
  const auto o = options(10, 0.01);
  expect_the_same_after_a_restart(system, o, 5, 5, all);

  const os::TempFolder folder;
  const std::string file = (folder.path() / "c").string();
  Simulation first(system, o, all);
  first.initialize();
  go_on(first, 5);
  first.save(file);
  Simulation second(system, o, all);
  second.load(file);
  go_on(second, 5);
  EXPECT_EQ(second.report().units[0].discarded, 10U);  // of both parts of the run
  EXPECT_EQ(second.report().units[0].repeated_as_is, 1U);
}

TEST(Restart, GoesOnWithLessThreadsAndALaterEnd) {
  const os::TempFolder folder;
  const std::string file = (folder.path() / "c").string();
  auto o = options(0.5, 0.01);
  Simulation first(ring("cs"), o);
  first.initialize();
  go_on(first, 10);
  first.save(file);
  o.run.stop = 20;
  o.run.threads = 3;
  o.run.record.variables = {"n0.*"};
  Simulation second(ring("cs"), o);
  EXPECT_NO_THROW(second.load(file));
  EXPECT_EQ(go_on(second, 10), go_on(first, 10));
}

// --- results

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

report::SystemReport run(const graph::System& system, const SimulationOptions& o, const fs::path& file) {
  Simulation s(system, o);
  const auto sink = record::make_sink(file);
  record::Sink* const sinks[] = {sink.get()};
  return s.run(sinks);
}

void expect_equal(const record::Result& a, const record::Result& b) {
  EXPECT_EQ(a.time, b.time);
  ASSERT_EQ(a.trajectories.size(), b.trajectories.size());
  for (std::size_t i = 0; i < a.trajectories.size(); ++i) {
    EXPECT_EQ(a.trajectories[i].signal.name, b.trajectories[i].signal.name);
    EXPECT_EQ(a.trajectories[i].numbers, b.trajectories[i].numbers);
  }
}

class ResultsAfterARestart : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, ResultsAfterARestart, ::testing::Values("csv", "h5"),
                         [](const auto& ending) { return std::string(ending.param); });

TEST_P(ResultsAfterARestart, AreThoseOfTheRunThatWasNotInterrupted) {
  const os::TempFolder folder;
  const std::string ending = GetParam();
  const auto whole = folder.path() / ("whole." + ending), parts = folder.path() / ("parts." + ending);
  auto o = options(5, 0.001, "gauss-seidel");
  o.run.record.every = 3;
  run(ring("cs"), o, whole);
  o.run.stop = 3.3;
  o.checkpoint_every = 1;
  o.checkpoint_file = (folder.path() / "c").string();
  const auto report = run(ring("cs"), o, parts);
  EXPECT_THAT(report.text(), HasSubstr("3 checkpoints, the last one at t = 3 s"));
  o.run.stop = 5;
  o.checkpoint_every.reset();
  o.restart_from = o.checkpoint_file;
  const auto second = run(ring("cs"), o, parts);
  expect_equal(record::read_result(whole), record::read_result(parts));
  if (ending == "csv") {
    EXPECT_EQ(text_of(whole), text_of(parts));
  }
  EXPECT_EQ(second.rows, record::read_result(whole).rows());
  EXPECT_EQ(second.steps, 5000U);
  // Resumes again from there: rows written after the checkpoint are removed again.
  run(ring("cs"), o, parts);
  expect_equal(record::read_result(whole), record::read_result(parts));
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) files += entry.is_regular_file() ? 1U : 0U;
  EXPECT_EQ(files, 3U) << "nothing else is left";
}

TEST_P(ResultsAfterARestart, AreNotMixedWithOthers) {
  const os::TempFolder folder;
  const auto file = folder.path() / ("r." + std::string(GetParam()));
  auto o = options(0.1, 0.01);
  o.checkpoint_every = 0.1;
  o.checkpoint_file = (folder.path() / "c").string();
  run(ring("cs"), o, file);
  o.checkpoint_every.reset();
  o.restart_from = o.checkpoint_file;
  o.run.stop = 0.2;
  o.run.record.variables = {"n1.y1"};
  const auto before = text_of(file);
  try {
    run(ring("cs"), o, file);
    FAIL() << "other variables";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("other variables"), HasSubstr("--output-file")));
  }
  EXPECT_EQ(text_of(file), before);
  o.run.record.variables = {};
  auto shorter = o;
  shorter.restart_from.clear();
  shorter.run.stop = 0.05;
  run(ring("cs"), shorter, file);
  EXPECT_THROW(run(ring("cs"), o, file), Error);
  EXPECT_EQ(record::read_result(file).rows(), 6U);
}

TEST(ResultAfterARestart, BeginsWithTheCheckpointInANewFile) {
  const os::TempFolder folder;
  auto o = options(0.1, 0.01);
  o.checkpoint_every = 0.05;
  o.checkpoint_file = (folder.path() / "c").string();
  run(ring("cs"), o, folder.path() / "first.csv");
  o.restart_from = o.checkpoint_file;
  o.run.stop = 0.15;
  std::vector<Progress> seen;
  o.progress = [&](const Progress& p) { seen.push_back(p); };
  const auto report = run(ring("cs"), o, folder.path() / "second.csv");
  // Durations are those of the resumed part.
  EXPECT_NEAR(report.began, 0.1, 1e-12);
  EXPECT_THAT(report.text(), HasSubstr("times real time from 0.1"));
  for (const auto& p : seen) EXPECT_EQ(p.since, report.began);
  const auto result = record::read_result(folder.path() / "second.csv");
  EXPECT_NEAR(result.time.front(), 0.1, 1e-12);
  EXPECT_EQ(result.rows(), 6U);
}

// --- errors

std::string failure(const std::function<void()>& what, Fault fault = Fault::input) {
  try {
    what();
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), fault) << e.what();
    return e.what();
  }
  return "nothing happened";
}

TEST(Checkpoints, SayBeforeTheRunWhichUnitCannotWriteDownItsState) {
  graph::System system("old");
  system.add("a", fmus / "fmi1/cs/LinearUnit.fmu");
  auto o = options(1, 0.1);
  o.checkpoint_every = 0.5;
  EXPECT_THAT(failure([&] { Simulation s(system, o); }), HasSubstr("unit 'a' (FMI 1.0)"));
  o.checkpoint_every = -1;
  EXPECT_THAT(failure([&] { Simulation s(ring("cs"), o); }), HasSubstr("positive"));
}

TEST(Checkpoints, SayWhatIsDifferent) {
  const os::TempFolder folder;
  const std::string file = (folder.path() / "c").string();
  auto o = options(1, 0.01);
  Simulation s(ring("cs"), o);
  s.initialize();
  s.save(file);
  const auto with = [&](auto change) {
    auto other = options(1, 0.01);
    auto system = ring("cs");
    change(other, system);
    return failure([&] { Simulation(system, other).load(file); });
  };
  EXPECT_THAT(with([](auto& other, auto&) { other.run.step = 0.02; }), AllOf(HasSubstr("0.01"), HasSubstr("0.02")));
  EXPECT_THAT(with([](auto& other, auto&) { other.run.stepper = "gauss-seidel"; }),
              AllOf(HasSubstr("stepper: jacobi"), HasSubstr("stepper: gauss-seidel")));
  EXPECT_THAT(with([](auto&, auto& system) { system.components[2].substeps = 4; }), HasSubstr("unit n2"));
  EXPECT_THAT(with([](auto&, auto& system) { system.connections.pop_back(); }), HasSubstr("connections"));
  EXPECT_THAT(with([](auto&, auto& system) { system.components[0].source = fmus / "fmi3/Node.fmu"; }),
              HasSubstr("unit n0"));
  EXPECT_THAT(with([](auto&, auto& system) { system.components[1].set("a", "2"); }),
              AllOf(HasSubstr("n1.a"), Not(HasSubstr("n2"))));
  EXPECT_EQ(with([](auto& other, auto&) { other.run.stop = 2; }), "nothing happened");
}

TEST(Checkpoints, AfterTheStopTimeAreErrors) {
  const os::TempFolder folder;
  const std::string file = (folder.path() / "c").string();
  Simulation s(ring("cs"), options(1, 0.1));
  s.initialize();
  while (!s.done()) s.step();
  s.save(file);
  EXPECT_THAT(failure([&] { Simulation(ring("cs"), options(0.5, 0.1)).load(file); }), HasSubstr("after the stop time"));
}

TEST(Checkpoints, DoNotFitOtherTables) {
  const os::TempFolder folder;
  const std::string file = (folder.path() / "c").string();
  const auto element = folder.path() / "element.csv", inputs = folder.path() / "inputs.csv";
  const auto write = [](const fs::path& table, const char* rows) { std::ofstream(table) << "time,u\n" << rows; };
  write(element, "0,0\n1,1\n");
  write(inputs, "0,0\n1,2\n");
  graph::System system("driven");
  system.add("a", "model:integrator");
  system.add("b", "model:integrator");
  system.add_system(graph::table_system("table", element, {"time", "u"}, {}));
  system.connect("table.u", "a.u");
  system.connect("u", "b.u");
  auto o = options(1, 0.1);
  o.run.input_file = inputs.string();
  const auto resume = [&] {
    Simulation s(system, o, library());
    s.load(file);
  };
  {
    Simulation s(system, o, library());
    s.initialize();
    go_on(s, 3);
    s.save(file);
  }
  EXPECT_NO_THROW(resume());
  write(element, "0,0\n1,3\n");
  EXPECT_THAT(failure(resume), AllOf(HasSubstr("it has 'table table: "), HasSubstr("this run has 'table table: ")));
  write(element, "0,0\n1,1\n");
  EXPECT_NO_THROW(resume());
  write(inputs, "0,0\n1,3\n");
  EXPECT_THAT(failure(resume), HasSubstr("'table of inputs: "));
}

TEST(Checkpoints, ThatAreDamagedAreErrors) {
  const Checkpoint c{"identity\n", 1.5, 7, "row", "run", {"a", "", "ccc"}};
  const auto bytes = encode(c);
  const auto back = decode(bytes, "c");
  EXPECT_EQ(back.identity, c.identity);
  EXPECT_EQ(back.t, 1.5);
  EXPECT_EQ(back.rows, 7U);
  EXPECT_EQ(back.units, c.units);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(failure([&] { static_cast<void>(decode(std::span(bytes).first(size), "c")); }), HasSubstr("'c'"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto flipped = bytes;
    flipped[i] ^= 0x10;
    EXPECT_THAT(failure([&] { static_cast<void>(decode(flipped, "c")); }), HasSubstr("'c'"));
  }
}

// Their checksum is right, but the run state had other fields.
TEST(Checkpoints, OfEarlierVersionsAreErrors) {
  const auto bytes = encode({"identity\n", 1.5, 7, "row", "run", {"a"}});
  const std::string present(bytes.begin(), std::find(bytes.begin(), bytes.end(), '\n'));
  ASSERT_EQ(present, "consort checkpoint 5");
  for (char version = '1'; version < '5'; ++version) {
    auto earlier = bytes;
    earlier[present.size() - 1] = static_cast<std::uint8_t>(version);
    EXPECT_THAT(failure([&] { static_cast<void>(decode(earlier, "c")); }),
                HasSubstr("not a checkpoint of this version"));
  }
}

// Changed contents with a valid checksum are an Error, or a state that can be resumed.
TEST(Checkpoints, ThatLieAreErrorsOrHarmless) {
  const os::TempFolder folder;
  const std::string file = (folder.path() / "c").string();
  graph::System system("pair");
  system.add("a", "model:integrator");
  system.add("b", "model:integrator");
  system.connect("a.y", "b.u");
  system.connect("b.y", "a.u");
  auto o = options(1, 0.1, "iterated");
  o.run.extrapolation = "2";
  o.run.scenario = {{graph::ScenarioAction::Kind::ramp, 0, "a.u", "3", 0.8}};
  Simulation s(system, o, library());
  s.initialize();
  go_on(s, 3);
  s.save(file);
  const Checkpoint good = read_checkpoint(file);
  const auto attempt = [&](const Checkpoint& c) {
    const auto bytes = encode(c);  // not write_checkpoint(), which waits for the disk
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    try {
      s.load(file);
      s.step();
    } catch (const Error&) {  // as expected
    }
  };
  for (std::size_t i = 0; i < good.run.size(); ++i) {
    Checkpoint bad = good;
    bad.run[i] = static_cast<char>(bad.run[i] ^ (i % 2 == 0 ? 0xff : 0x01));
    attempt(bad);
  }
  for (std::size_t i = 0; i < good.units[0].size(); ++i) {
    Checkpoint bad = good;
    bad.units[0][i] = static_cast<char>(bad.units[0][i] ^ 0x7f);
    attempt(bad);
  }
  Checkpoint bad = good;
  bad.units.pop_back();
  attempt(bad);
  write_checkpoint(file, good);
  EXPECT_NO_THROW(s.load(file));
}

TEST(Checkpoints, ThatCannotBeWrittenLeaveTheOldOneAndTheRunAlone) {
  const os::TempFolder folder;
  const auto file = folder.path() / "c";
  const Checkpoint c{"identity\n", 1.5, 7, "row", "run", {}};
  write_checkpoint(file, c);
  EXPECT_THAT(failure([&] { write_checkpoint(folder.path() / "nowhere" / "c", c); }, Fault::run), HasSubstr("nowhere"));
  EXPECT_EQ(read_checkpoint(file).t, 1.5);
  auto o = options(0.1, 0.01);
  o.checkpoint_every = 0.02;
  o.checkpoint_file = (folder.path() / "nowhere" / "c").string();
  const auto report = run(ring("cs"), o, folder.path() / "r.csv");
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_THAT(report.warnings[0], AllOf(HasSubstr("no checkpoint at t = 0.02 s"), HasSubstr("nowhere")));
  EXPECT_EQ(report.steps, 10U);
}

TEST(Checkpoints, AreWrittenWhenARunIsStopped) {
  const os::TempFolder folder;
  std::atomic<bool> stop{false};
  auto o = options(1e6, 0.01);
  o.checkpoint_every = 1e5;
  o.checkpoint_file = (folder.path() / "c").string();
  o.stop_requested = &stop;
  o.progress = [&](const Progress& p) { stop = p.t > 0.1; };
  const auto report = run(ring("cs"), o, folder.path() / "r.csv");
  EXPECT_EQ(read_checkpoint(o.checkpoint_file).t, report.reached);
}

}  // namespace
}  // namespace consort::engine
