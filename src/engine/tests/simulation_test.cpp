#include "engine/simulation.hpp"

#include <atomic>
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/error_text.hpp"
#include "base/tests/places.hpp"
#include "record/result.hpp"
#include "systems.hpp"

namespace consort::engine::simulation_test {

namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Three units in a row; each continues counting from the one before.
graph::System chain() {
  graph::System s("chain");
  for (const char* name : {"a", "b", "c"}) s.add(name, "model:counter");
  s.connect("a.y", "b.u");
  s.connect("b.y", "c.u");
  return s;
}

record::Result run(Simulation& simulation, report::SystemReport* report = nullptr) {
  record::Result result;
  record::MemorySink sink(result);
  record::Sink* const sinks[] = {&sink};
  const auto r = simulation.run(sinks);
  if (report != nullptr) *report = r;
  return result;
}

// --- steppers

TEST(Jacobi, UsesTheValuesOfTheStepBefore) {
  Simulation s(chain(), options(3, 1), library());
  const auto r = run(s);
  EXPECT_EQ(r["a.y"].numbers, (std::vector<double>{0, 1, 1, 1}));
  EXPECT_EQ(r["b.y"].numbers, (std::vector<double>{0, 1, 2, 2}));
  EXPECT_EQ(r["c.y"].numbers, (std::vector<double>{0, 1, 2, 3}));
}

TEST(GaussSeidel, UsesTheNewestValueOfUnitsAlreadyStepped) {
  Simulation s(chain(), options(2, 1, "gauss-seidel"), library());
  const auto r = run(s);
  EXPECT_EQ(r["b.y"].numbers, (std::vector<double>{0, 2, 2}));
  EXPECT_EQ(r["c.y"].numbers, (std::vector<double>{0, 3, 3}));
}

TEST(GaussSeidel, GoesInTheOrderThatTheUserGives) {
  auto o = options(2, 1, "gauss-seidel");
  o.run.order = {"c", "b", "a"};
  Simulation s(chain(), o, library());
  const auto r = run(s);
  EXPECT_EQ(r["c.y"].numbers, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(r["b.y"].numbers, (std::vector<double>{0, 1, 2}));
}

graph::ScheduleEntry unit(std::string name) { return {graph::ScheduleEntry::Kind::unit, std::move(name), {}}; }

TEST(Groups, InASerialGroupMembersSeeThoseBeforeThemAndInAParallelOneNobodyDoes) {
  auto o = options(1, 1, "scheduled");
  o.run.schedule = {{graph::ScheduleEntry::Kind::parallel, {}, {unit("a"), unit("b")}}, unit("c")};
  Simulation s(chain(), o, library());
  const auto r = run(s);
  EXPECT_EQ(r["b.y"].numbers, (std::vector<double>{0, 1})) << "a is in the same parallel group";
  EXPECT_EQ(r["c.y"].numbers, (std::vector<double>{0, 2})) << "b has stepped before";
}

TEST(Groups, OfSerialGroupsInParallelSeeTheirOwnNewValuesOnly) {
  auto o = options(1, 1, "scheduled");
  using graph::ScheduleEntry;
  o.run.schedule = {{ScheduleEntry::Kind::parallel,
                     {},
                     {ScheduleEntry{ScheduleEntry::Kind::serial, {}, {unit("a"), unit("c")}},
                      ScheduleEntry{ScheduleEntry::Kind::serial, {}, {unit("b")}}}}};
  Simulation s(chain(), o, library());
  const auto r = run(s);
  EXPECT_EQ(r["b.y"].numbers, (std::vector<double>{0, 1})) << "a is in another branch";
  EXPECT_EQ(r["c.y"].numbers, (std::vector<double>{0, 1})) << "b is in another branch";
}

TEST(Steppers, AnUnknownNameListsThoseAvailable) {
  try {
    Simulation s(chain(), options(1, 1, "gauss"), library());
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("jacobi"));
    EXPECT_THAT(e.what(), HasSubstr("gauss-seidel"));
  }
}

// The integrator holds its inputs, so it gets the mean over each step: a polynomial of degree k through k+1 points
// integrates polynomials of that degree exactly, once there are enough points.
TEST(Extrapolation, OfOrderKIntegratesPolynomialsOfDegreeKExactly) {
  for (int k = 0; k <= 3; ++k) {
    auto all = std::make_shared<Library>();
    all->add("source", source([k](double t) { return std::pow(t, k); }));
    all->add("integrator", integrator());
    graph::System system("s");
    system.add("p", "model:source");
    system.add("i", "model:integrator");
    system.connect("p.y", "i.u");
    auto o = options(2, 0.125);
    o.run.extrapolation = std::to_string(k);
    Simulation s(system, o, all);
    s.initialize();
    double begun = 0, value = 0;
    for (int n = 0; !s.done(); ++n) {
      s.step();
      if (n == k) {
        begun = s.time();
        value = number(s, "i.y");
      }
    }
    const auto integral = [k](double t) { return std::pow(t, k + 1) / (k + 1); };
    EXPECT_NEAR(number(s, "i.y") - value, integral(2) - integral(begun), 1e-12) << k;
  }
}

TEST(Extrapolation, OfAnOrderThatDoesNotExistIsRefused) {
  auto o = options(1, 1);
  for (const char* const name : {"6", "-1", "poly-7", "spline"}) {
    o.run.extrapolation = name;
    EXPECT_THROW(Simulation(chain(), o, library()), Error) << name;
  }
}

// Interpolation to the new value makes Gauss–Seidel exact for straight lines from the first step.
TEST(GaussSeidel, InterpolatesInputsOfUnitsThatHaveStepped) {
  auto all = std::make_shared<Library>();
  all->add("source", source([](double t) { return 3 * t; }));
  all->add("integrator", integrator());
  graph::System system("s");
  system.add("p", "model:source");
  system.add("i", "model:integrator");
  system.connect("p.y", "i.u");
  auto o = options(1, 0.25, "gauss-seidel");
  o.run.extrapolation = "1";
  Simulation s(system, o, all);
  s.initialize();
  while (!s.done()) s.step();
  EXPECT_NEAR(number(s, "i.y"), 1.5, 1e-14);
}

TEST(Substeps, AreEqualAndSeeThePolynomialWhereTheyAre) {
  auto all = std::make_shared<Library>();
  all->add("source", source([](double t) { return t; }));
  int steps = 0;
  all->add("watcher", [&steps](const std::string& name) {
    auto u = std::make_unique<unit::LambdaUnit>(name);
    const auto in = u->input("u", 0.0);
    const auto y = u->output("y", 0.0);
    u->on_step([&steps, in, y](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
      ++steps;
      EXPECT_NEAR(r.h, 0.125, 1e-15);
      v[y] += r.h * v[in];
      return unit::completed(r);
    });
    return u;
  });
  graph::System system("s");
  system.add("p", "model:source");
  system.add("w", "model:watcher").substeps = 4;
  system.connect("p.y", "w.u");
  auto o = options(2, 0.5, "gauss-seidel");
  o.run.extrapolation = "1";
  Simulation s(system, o, all);
  s.initialize();
  while (!s.done()) s.step();
  EXPECT_EQ(steps, 16);
  EXPECT_NEAR(number(s, "w.y"), 2.0, 1e-13);
}

TEST(Substeps, AreRecordedWhenAskedForAndOtherUnitsKeepTheirValuesThere) {
  graph::System system("s");
  system.add("two", "model:integrator").set("u", "1").substeps = 2;
  system.add("three", "model:integrator").set("u", "10").substeps = 3;
  system.add("one", "model:integrator").set("u", "100");
  system.connectors.push_back({"shown", describe::Causality::output});
  system.connect("two.y", "shown");
  auto o = options(1.2, 0.6);
  o.run.record.substeps = true;
  o.run.record.variables = {"*.y", "three.u", "shown"};
  for (const unsigned threads : {1U, 2U}) {
    o.run.threads = threads;
    Simulation s(system, o, library());
    const auto r = run(s);
    using ::testing::Pointwise;
    const auto near = ::testing::DoubleNear(1e-12);
    EXPECT_THAT(r.time, Pointwise(near, std::vector<double>{0, 0.2, 0.3, 0.4, 0.6, 0.8, 0.9, 1.0, 1.2}));
    EXPECT_THAT(r["two.y"].numbers, Pointwise(near, std::vector<double>{0, 0, 0.3, 0.3, 0.6, 0.6, 0.9, 0.9, 1.2}));
    EXPECT_THAT(r["three.y"].numbers, Pointwise(near, std::vector<double>{0, 2, 2, 4, 6, 8, 8, 10, 12}));
    EXPECT_THAT(r["one.y"].numbers, Pointwise(near, std::vector<double>{0, 0, 0, 0, 60, 60, 60, 60, 120}));
    EXPECT_EQ(r["three.u"].numbers, std::vector<double>(9, 10));
    EXPECT_EQ(r["shown"].numbers, r["two.y"].numbers);
  }
}

TEST(Substeps, AreRecordedOfTheStepsThatAre) {
  graph::System system("s");
  system.add("two", "model:integrator").set("u", "1").substeps = 2;
  auto o = options(4, 1);
  o.run.record.substeps = true;
  o.run.record.every = 2;
  Simulation s(system, o, library());
  const auto r = run(s);
  EXPECT_THAT(r.time, ::testing::ElementsAre(0, 1.5, 2, 3.5, 4));
  EXPECT_THAT(r["two.y"].numbers, ::testing::ElementsAre(0, 1.5, 2, 3.5, 4));
}

TEST(Simulation, GivesSolversOfFixedStepsTheCommunicationStep) {
  graph::System system("s");
  auto& x = system.add("x", std::filesystem::path(places::fmus()) / "fmi2" / "Dahlquist.fmu");
  x.interface = describe::InterfaceType::model_exchange;
  x.solver = "rk4";
  for (const double h : {0.1, 0.05}) {
    Simulation s(system, options(1, h));
    s.initialize();
    while (!s.done()) s.step();
    const double growth = 1 - h + h * h / 2 - h * h * h / 6 + h * h * h * h / 24;
    EXPECT_NEAR(number(s, "x.x"), std::pow(growth, std::round(1 / h)), 1e-12);
  }
}

// --- the run

TEST(Simulation, RecordsWhatPatternsChooseAndRefusesThoseThatMatchNothing) {
  auto o = options(2, 1);
  o.run.record.variables = {"?.u"};
  Simulation s(chain(), o, library());
  const auto r = run(s);
  ASSERT_EQ(r.trajectories.size(), 3U);
  EXPECT_EQ(r["b.u"].numbers, (std::vector<double>{0, 0, 1})) << "as it was in the step that led there";
  o.run.record.variables = {"a.z"};
  Simulation bad(chain(), o, library());
  EXPECT_THROW(run(bad), Error);
}

TEST(Simulation, WritesEveryNthRowAndTheLast) {
  auto o = options(1, 0.1);
  o.run.record.every = 4;
  Simulation s(chain(), o, library());
  const auto r = run(s);
  ASSERT_EQ(r.rows(), 4U);
  EXPECT_NEAR(r.time[1], 0.4, 1e-12);
  EXPECT_EQ(r.time[3], 1.0);
}

TEST(Simulation, CutsStepsAtOutputPoints) {
  auto o = options(1, 0.3);
  o.run.output_interval = 0.25;
  Simulation s(chain(), o, library());
  const auto r = run(s);
  ASSERT_EQ(r.rows(), 5U);
  for (std::size_t i = 0; i < r.rows(); ++i) EXPECT_NEAR(r.time[i], 0.25 * static_cast<double>(i), 1e-12);
}

TEST(Simulation, SaysWhatItAssumed) {
  SimulationOptions o;
  o.run.threads = 1;
  Simulation s(chain(), o, library());
  report::SystemReport report;
  run(s, &report);
  EXPECT_EQ(report.stop, 1);
  EXPECT_EQ(report.steps, 1000U);
  ASSERT_EQ(report.assumed.size(), 3U);
  EXPECT_THAT(report.text(), HasSubstr("assumed: stop time 1 s"));
  EXPECT_THAT(report.json(), HasSubstr("\"stepper\""));
}

TEST(Simulation, StopsOnRequestAndKeepsTheRowsUpToThere) {
  std::atomic<bool> stop{true};
  auto o = options(1, 0.1);
  o.stop_requested = &stop;
  Simulation s(chain(), o, library());
  report::SystemReport report;
  const auto r = run(s, &report);
  EXPECT_THAT(report.ended_early, HasSubstr("on request"));
  EXPECT_EQ(r.rows(), 2U);
}

TEST(Simulation, AUnitThatFailsIsNamedAndTheRowsBeforeStay) {
  auto all = library();
  all->add("failing", [](const std::string& name) {
    auto u = std::make_unique<unit::LambdaUnit>(name);
    (void)u->output("y", 0.0);
    u->on_step([name](unit::LambdaUnit::Values&, const unit::StepRequest& r) -> unit::StepOutcome {
      if (r.t >= 0.5) throw run_error("unit '{}' has had enough at t = {} s", name, r.t);
      return unit::completed(r);
    });
    return u;
  });
  graph::System system("s");
  system.add("good", "model:counter");
  system.add("bad", "model:failing");
  Simulation s(system, options(1, 0.25), all);
  record::Result result;
  record::MemorySink sink(result);
  record::Sink* const sinks[] = {&sink};
  try {
    s.run(sinks);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("unit 'bad'"));
  }
  EXPECT_EQ(result.rows(), 3U);
}

TEST(Simulation, AUnitMayEndTheRun) {
  auto all = library();
  all->add("ending", [](const std::string& name) {
    auto u = std::make_unique<unit::LambdaUnit>(name);
    (void)u->output("y", 0.0);
    u->on_step([](unit::LambdaUnit::Values&, const unit::StepRequest& r) -> unit::StepOutcome {
      if (r.t + r.h >= 0.5) return {r.t + r.h, unit::Why::terminate};
      return unit::completed(r);
    });
    return u;
  });
  graph::System system("s");
  system.add("e", "model:ending");
  Simulation s(system, options(1, 0.25), all);
  report::SystemReport report;
  const auto r = run(s, &report);
  EXPECT_THAT(report.ended_early, HasSubstr("unit 'e' asked to end"));
  EXPECT_EQ(r.time.back(), 0.5);
}

TEST(Simulation, IsSteppedByHandWithValuesInAndOut) {
  graph::System system("s");
  system.add("i", "model:integrator");
  system.connect("u", "i.u");
  Simulation s(system, options(1, 0.25), library());
  s.initialize();
  s.set("u", 2.0);
  s.step();
  EXPECT_EQ(number(s, "i.y"), 0.5);
  EXPECT_EQ(s.time(), 0.25);
  EXPECT_EQ(number(s, "u"), 2.0);
  EXPECT_THROW(s.set("i.u", 1.0), Error) << "it is driven by the connector";
  EXPECT_THROW((void)s.value("i.nothing"), Error);
}

TEST(Simulation, AValueSetForAnInputOfTheSystemLastsWhereNothingElseDrivesIt) {
  graph::System system("s");
  system.add("i", "model:integrator");
  system.add("j", "model:integrator");
  system.connect("u", "i.u");
  system.connect("u", "j.u", {2, 1});
  system.settings.push_back({"u", "3"});
  Simulation s(system, options(1, 0.25), library());
  const auto r = run(s);
  EXPECT_EQ(r["u"].numbers.front(), 3);
  EXPECT_EQ(r["i.y"].numbers.back(), 3);
  EXPECT_EQ(r["j.y"].numbers.back(), 7) << "2 u + 1";
}

TEST(Simulation, AnInputOfTheSystemThatIsNotSetHasTheStartValueOfWhatItDrives) {
  graph::System system("s");
  system.add("j", "model:integrator").set("u", "7");
  system.connect("u", "j.u", {2, 1});
  Simulation s(system, options(1, 0.25), library());
  const auto r = run(s);
  EXPECT_EQ(r["u"].numbers.front(), 3) << "so that 2 u + 1 is 7";
  EXPECT_EQ(r["j.y"].numbers.back(), 7);
}

TEST(Simulation, AStepBeforeInitializationIsRefused) {
  Simulation s(chain(), options(1, 1), library());
  EXPECT_THROW(s.step(), Error);
}

TEST(Simulation, TakesTheSystemsInputsFromATable) {
  graph::System system("s");
  system.add("i", "model:integrator");
  system.connect("u", "i.u");
  const std::string file = places::scratch() + "/system_inputs.csv";
  std::ofstream(file) << "\"time\",\"u\"\n0,0\n1,2\n1,0\n2,0\n";
  auto o = options(2, 0.4);
  o.run.input_file = file;
  Simulation s(system, o, library());
  const auto r = run(s);
  EXPECT_NEAR(r["i.y"].numbers.back(), 1.0, 1e-12) << "steps end at the jump, and inputs have the right mean";
}

TEST(Simulation, PolynomialsDoNotGoThroughAJumpOfAnInput) {
  graph::System system("s");
  system.add("i", "model:integrator");
  system.connect("u", "i.u");
  const std::string file = places::scratch() + "/jump.csv";
  std::ofstream(file) << "\"time\",\"u\"\n0,0\n1,2\n1,0\n2,0\n";
  auto o = options(2, 0.25);
  o.run.extrapolation = "1";
  o.run.input_file = file;
  Simulation s(system, o, library());
  const auto r = run(s);
  ASSERT_EQ(r.time[4], 1);
  EXPECT_NEAR(r["i.y"].numbers[4], 1, 1e-12) << "a table is known in advance: nothing is extrapolated";
  EXPECT_EQ(r["i.y"].numbers.back(), r["i.y"].numbers[4]) << "there is nothing after the jump";
}

// --- scenarios

TEST(Scenario, SetsHoldsRampsAndReleases) {
  auto all = std::make_shared<Library>();
  all->add("source", source([](double t) { return t; }));
  all->add("integrator", integrator());
  graph::System system("s");
  system.add("p", "model:source");
  system.add("i", "model:integrator");
  system.connect("p.y", "i.u");
  auto o = options(6, 0.5);
  using Kind = graph::ScenarioAction::Kind;
  o.run.scenario = {{Kind::set, 1, "i.u", "10", 0, {}},
                    {Kind::ramp, 2, "i.u", "20", 1, {}},
                    {Kind::hold, 4, "i.u", {}, 0, {}},
                    {Kind::release, 5, "i.u", {}, 0, {}}};
  o.run.record.variables = {"i.*"};
  Simulation s(system, o, all);
  const auto r = run(s);
  const auto at = [&](double t) {
    for (std::size_t i = 0; i < r.rows(); ++i)
      if (std::abs(r.time[i] - t) < 1e-9) return r["i.u"].numbers[i];
    return std::nan("");
  };
  EXPECT_EQ(at(1.5), 10);
  EXPECT_EQ(at(2.5), 12.5) << "the mean of the first half of the ramp";
  EXPECT_EQ(at(3.5), 20);
  EXPECT_EQ(at(4.5), 20);
  EXPECT_EQ(at(5.5), 5) << "released: the value of the source at 5";
}

TEST(Scenario, BadTargetsAndValuesAreRefusedBeforeTheRun) {
  auto o = options(1, 0.5);
  using Kind = graph::ScenarioAction::Kind;
  o.run.scenario = {{Kind::set, 0.1, "a.w", "1", 0, {}}};
  EXPECT_THROW(Simulation(chain(), o, library()), Error);
  o.run.scenario = {{Kind::set, 0.1, "a.u", "fast", 0, {}}};
  EXPECT_THROW(Simulation(chain(), o, library()), Error);
}

// --- settings without an effect

TEST(Simulation, WarnsOfSettingsThatHaveNoEffect) {
  const auto warnings = [](const auto& set) {
    auto o = options(1, 0.5, "jacobi");
    set(o.run);
    return Simulation(chain(), o, library()).report().warnings;
  };
  using Kind = graph::ScenarioAction::Kind;
  EXPECT_THAT(warnings([](auto&) {}), IsEmpty());
  EXPECT_THAT(warnings([](auto& r) { r.iteration.method = "aitken"; }), ElementsAre(HasSubstr("'iterated'")));
  EXPECT_THAT(warnings([](auto& r) { r.control.maximum = 0.1; }),
              ElementsAre(HasSubstr("control.maximum has no effect")));
  EXPECT_THAT(warnings([](auto& r) { r.order = {"a", "b", "c"}; }), ElementsAre(HasSubstr("'gauss-seidel'")));
  EXPECT_THAT(warnings([](auto& r) {
                r.schedule = {{graph::ScheduleEntry::Kind::unit, "a", {}}};
              }),
              ElementsAre(HasSubstr("'scheduled'")));
  EXPECT_THAT(warnings([](auto& r) {
                r.scenario = {{Kind::set, 2, "b.u", "1", 0, "file:7:3"}};
              }),
              ElementsAre(AllOf(HasSubstr("file:7:3: "), HasSubstr("after the stop time, 1 s"))));
  EXPECT_THAT(warnings([](auto& r) { r.stepper = "gauss-seidel", r.order = {"b"}; }),
              ElementsAre(HasSubstr("leaves out a, c; they go last")));
  EXPECT_THAT(warnings([](auto& r) {
                r.stepper = "scheduled", r.schedule = {{graph::ScheduleEntry::Kind::unit, "b", {}}};
              }),
              ElementsAre(HasSubstr("leaves out a, c; they go first")));
}

TEST(Simulation, WarnsOfRealsThatAreDeclaredDiscreteAndThereforeNeitherExtrapolatedNorIterated) {
  graph::System s("s");
  for (const auto* name : {"a", "b"}) s.add(name, places::fmus() + "/fmi2/Feedthrough.fmu");
  s.connect("a.float64_out", "b.float64_in");
  s.connect("a.float64_discrete_out", "b.float64_discrete_in");
  const auto warnings = [&](const std::string& stepper, const std::string& extrapolation) {
    auto o = options(1, 0.5, stepper);
    o.run.extrapolation = extrapolation;
    return Simulation(s, o, library()).report().warnings;
  };
  EXPECT_THAT(warnings("jacobi", "0"), IsEmpty());
  EXPECT_THAT(warnings("jacobi", "1"),
              ElementsAre(AllOf(HasSubstr("one connection is not extrapolated"), HasSubstr("declared discrete"),
                                HasSubstr("a.float64_discrete_out -> b.float64_discrete_in"))));
  EXPECT_THAT(warnings("iterated", "0"), Contains(HasSubstr("not iterated")));
}

TEST(Simulation, WarnsOfASolverForAUnitThatBringsItsOwnAndRefusesWrongNames) {
  graph::System s("s");
  s.add("d", places::fmus() + "/fmi2/Dahlquist.fmu").solver = "dopri5";
  EXPECT_THAT(Simulation(s, options(1, 0.5)).report().warnings,
              Contains(AllOf(HasSubstr("'dopri5' has no effect"), HasSubstr("interface: me"))));
  s.components.front().interface = describe::InterfaceType::model_exchange;
  EXPECT_THAT(Simulation(s, options(1, 0.5)).report().warnings, Not(Contains(HasSubstr("has no effect"))));
  s.components.front().interface = describe::InterfaceType::co_simulation;
  s.components.front().solver = "dopri6";
  const Error error = thrown_error([&] { Simulation(s, options(1, 0.5)); });
  EXPECT_THAT(error.what(), StartsWith("unit 'd': there is no solver 'dopri6'"));
  EXPECT_EQ(error.fields(), (ErrorFields{"d", "", {}, "solver"}));
}

// --- threads

TEST(Simulation, GivesTheSameNumbersForEveryNumberOfThreads) {
  const auto numbers = [](unsigned threads) {
    graph::System system("s");
    for (int i = 0; i < 7; ++i) system.add("n" + std::to_string(i), "model:nonlinear");
    for (int i = 0; i < 7; ++i)
      system.connect("n" + std::to_string(i) + ".y", "n" + std::to_string((i + 3) % 7) + ".u");
    auto all = library();
    all->add("nonlinear", [](const std::string& name) {
      auto u = std::make_unique<unit::LambdaUnit>(name);
      const auto in = u->input("u", 0.1);
      const auto y = u->output("y", 0.3 + 0.01 * static_cast<double>(name.back() - '0'));
      u->on_step([in, y](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
        v[y] += r.h * std::sin(3 * v[in] - v[y]);
        return unit::completed(r);
      });
      return u;
    });
    auto o = options(5, 0.01);
    o.run.threads = threads;
    Simulation s(system, o, all);
    std::vector<double> last;
    const auto r = run(s);
    for (const auto& trajectory : r.trajectories) last.push_back(trajectory.numbers.back());
    return last;
  };
  const auto serial = numbers(1);
  EXPECT_EQ(numbers(2), serial);
  EXPECT_EQ(numbers(5), serial);
}

}  // namespace

}  // namespace consort::engine::simulation_test
