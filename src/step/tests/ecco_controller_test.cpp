#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "step/tests/coupled_system.hpp"

namespace consort::step::ecco_controller_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Duration first = 0.01;

graph::RunSettings settings(const Model& model, const std::string& controller = "ecco") {
  graph::RunSettings run;
  run.stepper = "jacobi";
  run.extrapolation = "0";
  run.control.controller = controller;
  run.control.initial = first;
  run.control.tolerance = 1e-2;
  run.bonds = model.bonds;
  return run;
}

Model at_rest() {
  Model m = mass_and_spring();
  for (auto& unit : m.units) unit.system.start = {0};
  return m;
}

// A third unit that no bond knows.
Model watched() {
  Model m = mass_and_spring();
  m.units.push_back({"watch", follower()});
  m.connections.emplace_back("mass.v", "watch.u");
  return m;
}

TEST(Ecco, KeepsTheFirstStepAndSaysSoIfNoBondCarriesPower) {
  Coupled s(at_rest(), settings(at_rest()), 1, Grid(0, 100, 0.1));
  for (int i = 1; i <= 20; ++i) {
    s.advance(100);
    EXPECT_NEAR(s.state.t, i * first, 1e-12);
  }
  EXPECT_THAT(s.controller->warnings(s.state),
              Contains(AllOf(HasSubstr("no power bond carried any power"), HasSubstr("fixed steps of 0.01 s"))));
}

TEST(Ecco, DoesNotSpeakOfMissingPowerIfThereIsSome) {
  Coupled s(mass_and_spring(), settings(mass_and_spring()), 1, Grid(0, 100, 0.1));
  EXPECT_THAT(s.controller->warnings(s.state), Not(Contains(HasSubstr("carried any power")))) << "before the run";
  for (int i = 0; i < 20; ++i) s.advance(100);
  EXPECT_THAT(s.controller->warnings(s.state), Not(Contains(HasSubstr("carried any power"))));
}

// The powers agree at first; after the mass has moved, they do not, and steps become shorter than they could be.
TEST(Ecco, GrowsStepsWhilePowersAgree) {
  auto run = settings(mass_and_spring());
  run.control.tolerance = 1e3;
  Coupled s(mass_and_spring(), run, 1, Grid(0, 100, 0.1));
  for (int i = 0; i < 20; ++i) s.advance(100);
  EXPECT_NEAR(s.state.control.taken, 10 * first, 1e-12) << "the maximum unless the user sets one";
  run.control.maximum = 0.5;
  Coupled free(mass_and_spring(), run, 1, Grid(0, 100, 0.1));
  for (int i = 0; i < 40; ++i) free.advance(100);
  EXPECT_NEAR(free.state.control.taken, 0.5, 1e-12);
}

TEST(Ecco, NamesOutputsThatNoBondContains) {
  const Coupled s(watched(), settings(watched()), 1, Grid(0, 100, 0.1));
  EXPECT_THAT(s.controller->notes(),
              Contains(AllOf(HasSubstr("watch.y"), HasSubstr("not part of a power bond"), Not(HasSubstr("mass.v")))));
}

TEST(LargestSteps, AreNamedIfTheyAreChosenByTheController) {
  for (const auto& [controller, basis] :
       {std::pair{"ecco", "10 times the first step"}, std::pair{"richardson", "100 times the communication step"}}) {
    auto run = settings(mass_and_spring(), controller);
    const Coupled chosen(mass_and_spring(), run, 1, Grid(0, 100, 0.1));
    EXPECT_THAT(chosen.controller->notes(), Contains(HasSubstr(basis)));
    run.control.maximum = 1;
    const Coupled given(mass_and_spring(), run, 1, Grid(0, 100, 0.1));
    EXPECT_THAT(given.controller->notes(), Not(Contains(HasSubstr("no maximum is set"))));
  }
}

}  // namespace
}  // namespace consort::step::ecco_controller_test
