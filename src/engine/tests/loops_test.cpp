// Algebraic loops at initialization and at communication points, with units that evaluate outputs without a step.
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "record/result.hpp"
#include "systems.hpp"

namespace consort::engine {

namespace {

using namespace testing;
using ::testing::HasSubstr;

// y = x + d u, x' = -x + u, x(0) = 1: each output is the other unit's input.
graph::System pair(const std::string& folder, double d1, double d2, const char* interface = "me") {
  graph::System s("pair");
  const auto file = std::filesystem::path(places::fmus()) / folder / "LinearUnit.fmu";
  for (const char* name : {"a", "b"}) {
    auto& unit = s.add(name, file);
    unit.interface = std::string(interface) == "me" ? describe::InterfaceType::model_exchange
                                                    : describe::InterfaceType::co_simulation;
  }
  s.components[0].set("d", std::to_string(d1));
  s.components[1].set("d", std::to_string(d2));
  s.connect("a.y", "b.u");
  s.connect("b.y", "a.u");
  return s;
}

// y_a = 1 + d1 y_b, y_b = 1 + d2 y_a.
double solution(double d1, double d2) { return (1 + d1) / (1 - d1 * d2); }

class Loops : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, Loops, ::testing::Values("newton", "fixed-point", "kinsol"), [](const auto& method) {
  const std::string name = method.param;
  return name.substr(0, name.find('-'));
});

TEST_P(Loops, AreSolvedAtInitializationInEveryVersionAndInterface) {
  for (const char* folder : {"fmi2", "fmi3"}) {
    for (const char* interface : {"me", "cs"}) {
      auto o = options(1, 0.1);
      o.run.loops.method = GetParam();
      o.run.loops.tolerance = 1e-11;
      Simulation s(pair(folder, 0.5, -0.8, interface), o);
      s.initialize();
      EXPECT_NEAR(number(s, "a.y"), solution(0.5, -0.8), 1e-9) << folder << " " << interface;
      EXPECT_NEAR(number(s, "b.y"), solution(-0.8, 0.5), 1e-9) << folder << " " << interface;
      const auto report = s.report();
      ASSERT_EQ(report.loops.size(), 1U);
      EXPECT_EQ(report.loops[0].solved, 1U);
      EXPECT_LE(report.loops[0].largest_residual, 1e-11);
    }
  }
}

TEST(LoopsOfGainAboveOne, AreSolvedByNewtonAndNameTheirVariablesWhereFixedPointDiverges) {
  auto o = options(1, 0.1);
  Simulation newton(pair("fmi2", 2, 3), o);
  newton.initialize();
  EXPECT_NEAR(number(newton, "a.y"), solution(2, 3), 1e-7);
  o.run.loops.method = "fixed-point";
  o.run.loops.max_iterations = 50;
  Simulation fixed_point(pair("fmi2", 2, 3), o);
  try {
    fixed_point.initialize();
    FAIL();
  } catch (const Error& e) {
    for (const char* part : {"a.y", "b.u", "b.y", "a.u", "residuals", "fixed-point"})
      EXPECT_THAT(e.what(), HasSubstr(part));
  }
}

TEST(LoopsWithoutASolution, AreAnErrorThatShowsTheResiduals) {
  Simulation s(pair("fmi2", 1, 1), options(1, 0.1));
  try {
    s.initialize();
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("does not converge"));
  }
}

// The consistent scheme: the coupled system is x' = A x for any feed-through, also if explicit schemes diverge.
TEST(ConsistentOutputs, KeepSystemsWithStrongFeedThroughStable) {
  const double d = -3;  // an explicit scheme needs |d1 d2| < 1
  auto o = options(2, 0.01);
  o.run.extrapolation = "1";
  Simulation s(pair("fmi2", d, 3), o);
  s.initialize();
  while (!s.done()) s.step();
  EXPECT_LT(std::abs(number(s, "a.x")), 10);
  o.run.consistent = graph::Consistency::never;
  Simulation explicit_one(pair("fmi2", d, 3), o);
  explicit_one.initialize();
  bool blew_up = false;
  try {
    while (!explicit_one.done()) explicit_one.step();
    blew_up = !(std::abs(number(explicit_one, "a.x")) < 1e3);
  } catch (const Error&) {
    blew_up = true;  // the solver failed because numbers became too large
  }
  EXPECT_TRUE(blew_up);
}

TEST(ConsistentOutputs, ThatUnitsCannotGiveAreReported) {
  Simulation s(pair("fmi2", 0.2, 0.3, "cs"), options(1, 0.1));
  EXPECT_THAT(s.report().text(), HasSubstr("feed-through of a, b is seen at the end of each step"));
}

TEST(Fmi1Units, TakePartInInitializationAndWhatWasAssumedIsSaid) {
  graph::System s("mixed");
  const std::filesystem::path fmus(places::fmus());
  s.add("old", fmus / "fmi1/cs/LinearUnit.fmu").set("d", "0.5");
  s.add("modern", fmus / "fmi2/LinearUnit.fmu").set("d", "0.25");
  s.connect("old.y", "modern.u");
  s.connect("modern.y", "old.u");
  Simulation simulation(s, options(1, 0.1));
  simulation.initialize();
  EXPECT_EQ(number(simulation, "modern.y"), 1 + 0.25 * number(simulation, "old.y"));
  EXPECT_THAT(simulation.report().text(), HasSubstr("unit 'old' (FMI 1.0) has no initialization mode"));
  while (!simulation.done()) simulation.step();
  EXPECT_TRUE(std::isfinite(number(simulation, "old.y")));
}

}  // namespace

}  // namespace consort::engine
