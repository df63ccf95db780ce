#include "solve/problem.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solve/tests/problems.hpp"

namespace consort::solve {
namespace {

using testing::HasSubstr;

std::string refused(const Ode& ode) {
  return error_of([&] { check(ode); });
}

TEST(Problem, TakesFunctionsWithAndWithoutSwitches) {
  const Function<double, Time, ConstVector> plain = [](Time t, ConstVector) { return t; };
  const Function<double, Time, ConstVector> switched = [](Time t, ConstVector, const Switches& s) {
    return s[0] ? t : -t;
  };
  EXPECT_EQ(plain(2, {}, {}), 2);
  EXPECT_EQ(switched(2, {}, {true}), 2);
  EXPECT_EQ(switched(2, {}, {false}), -2);
  EXPECT_FALSE((Function<void, Time>()));
}

TEST(Problem, IsRefusedWithWhatIsWrongWithIt) {
  EXPECT_THAT(refused({}), HasSubstr("rhs"));
  Ode ode = oscillator();
  EXPECT_EQ(refused(ode), "no error");
  ode.y0[1] = std::nan("");
  EXPECT_THAT(refused(ode), HasSubstr("'v'"));
  ode = oscillator();
  ode.t0 = never;
  EXPECT_THAT(refused(ode), HasSubstr("finite time"));
  ode = oscillator();
  ode.components.names.pop_back();
  EXPECT_THAT(refused(ode), HasSubstr("1 names for 2"));
  ode = oscillator();
  ode.components.nominals = {1, 2, 3};
  EXPECT_THAT(refused(ode), HasSubstr("nominals"));
  ode = oscillator();
  ode.events.root_count = 1;
  EXPECT_THAT(refused(ode), HasSubstr("roots"));
  ode.events.roots = [](Time, ConstVector, Vector) {};
  EXPECT_THAT(refused(ode), HasSubstr("handle"));
  ode.events.handle = [](const EventInfo&, EventState&) {};
  ode.events.directions = {Direction::both, Direction::both};
  EXPECT_THAT(refused(ode), HasSubstr("directions"));
}

TEST(Problem, RefusesPatternsThatAreNone) {
  const std::vector<Pattern> bad{{{0, 1}, {0}},         // a column is missing
                                 {{0, 1, 3}, {0, 1}},   // fewer rows than entries
                                 {{0, 2, 1}, {0}},      // descending
                                 {{0, 1, 2}, {0, 2}},   // outside
                                 {{0, 1, 2}, {-1, 0}},  // outside
                                 {{0, 2, 2}, {1, 0}},   // rows descend
                                 {{0, 2, 2}, {1, 1}},   // twice
                                 {{1, 1, 2}, {0, 1}}};  // does not start at 0
  for (const auto& pattern : bad) {
    Ode ode = oscillator();
    ode.jacobian.pattern = pattern;
    EXPECT_THAT(refused(ode), HasSubstr("pattern"));
  }
  Ode ode = oscillator();
  ode.jacobian.sparse = [](Time, ConstVector, Vector) {};
  EXPECT_THAT(refused(ode), HasSubstr("pattern"));
}

TEST(Problem, OfADaeNeedsDerivativesOfTheRightSize) {
  Dae dae{.y0 = {1, 2}, .ydot0 = {0}, .residual = [](Time, ConstVector, ConstVector, Vector) {}};
  EXPECT_THAT(error_of([&] { check(dae); }), HasSubstr("ydot0"));
  dae.ydot0 = {0, never};
  EXPECT_THAT(error_of([&] { check(dae); }), HasSubstr("component 1"));
  dae.ydot0 = {0, 0};
  dae.differential = {true};
  EXPECT_THAT(error_of([&] { check(dae); }), HasSubstr("differential"));
}

TEST(Problem, AnOdeSeenAsADaeHasTheSameSolutionAndJacobian) {
  Ode ode = oscillator();
  ode.jacobian.dense = [](Time, ConstVector, Vector J) {
    J[0] = 0;
    J[1] = -1;
    J[2] = 1;
    J[3] = 0;
  };
  // The pattern has no diagonal; that of the Dae has one.
  ode.jacobian.pattern = {{0, 1, 2}, {1, 0}};
  ode.jacobian.sparse = [](Time, ConstVector, Vector values) {
    values[0] = -1;
    values[1] = 1;
  };
  ode.jacobian.times = [](Time, ConstVector, ConstVector v, Vector Jv) {
    Jv[0] = v[1];
    Jv[1] = -v[0];
  };
  const Dae dae = as_dae(ode);
  EXPECT_EQ(dae.ydot0, (std::vector<double>{0, -1}));
  std::vector<double> r(2);
  dae.residual(0, ode.y0, dae.ydot0, r, {});
  EXPECT_EQ(r, (std::vector<double>{0, 0}));

  std::vector<double> J(4);
  dae.jacobian.dense(0, ode.y0, dae.ydot0, 7, J, {});
  EXPECT_EQ(J, (std::vector<double>{7, 1, -1, 7}));
  EXPECT_EQ(dae.jacobian.pattern.starts, (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(dae.jacobian.pattern.rows, (std::vector<int>{0, 1, 0, 1}));
  std::vector<double> values(4);
  dae.jacobian.sparse(0, ode.y0, dae.ydot0, 7, values, {});
  EXPECT_EQ(values, J);
  const std::vector<double> v{2, 3};
  dae.jacobian.times(0, ode.y0, dae.ydot0, 7, v, r, {});
  EXPECT_EQ(r, (std::vector<double>{7 * 2 - 3, 7 * 3 + 2}));
}

TEST(Problem, TakesItsTolerancesFromOptionsThenComponentsThenNominals) {
  Components components{.nominals = {10, 0.1}};
  EXPECT_EQ(absolute_tolerances({.rtol = 1e-4}, components, 2),
            (std::vector<double>{1e-4 / 100 * 10, 1e-4 / 100 * 0.1}));
  components.absolute_tolerances = {3, 4};
  EXPECT_EQ(absolute_tolerances({}, components, 2), (std::vector<double>{3, 4}));
  EXPECT_EQ(absolute_tolerances({.atol = {5}}, components, 2), (std::vector<double>{5, 5}));
  components = {.nominals = {0, 1}};
  EXPECT_THAT(error_of([&] { (void)absolute_tolerances({}, components, 2); }), HasSubstr("component 0"));
}

}  // namespace
}  // namespace consort::solve
