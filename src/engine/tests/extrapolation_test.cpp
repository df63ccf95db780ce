// Inputs that follow polynomials through derivatives of outputs, too, in systems with exact solutions.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "os/temp_folder.hpp"
#include "quarter_car.hpp"
#include "record/result.hpp"
#include "systems.hpp"
#include "unit/linear_unit.hpp"

namespace consort::engine {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Two decays that drive each other: x' = -x + a, a' = -2 a - 3 x. The output of the second one is twice its state, and
// its connection halves it.
LinearSystem first() { return {{"u"}, {"y"}, {1}, {-1}, {1}, {1}}; }
LinearSystem second() { return {{"u"}, {"y"}, {0}, {-2}, {-3}, {2}}; }

graph::System pair() {
  graph::System s("pair");
  s.add("a", "model:first");
  s.add("b", "model:second");
  s.connect("b.y", "a.u", graph::Linear{0.5, 0});
  s.connect("a.y", "b.u");
  return s;
}

struct State {
  double x = 1;
  double a = 0;
};

// The state of the pair without coupling error: exp(M t), whose eigenvalues are -3/2 ± i w.
State exact(const State& from, double t) {
  const double w = std::sqrt(11.0) / 2;
  const double c = std::exp(-1.5 * t) * std::cos(w * t);
  const double s = std::exp(-1.5 * t) * std::sin(w * t) / w;
  return {c * from.x + s * (0.5 * from.x + from.a), c * from.a + s * (-3 * from.x - 0.5 * from.a)};
}

State state_of(Simulation& s) { return {number(s, "a.y"), number(s, "b.y") / 2}; }

// The largest error of steps after 0.2 s: the first steps have no past.
double error_of(const std::string& extrapolation, const std::string& stepper, double step) {
  auto o = options(2, step, stepper);
  o.run.extrapolation = extrapolation;
  o.run.iteration.tolerance = 1e-13;
  Simulation s(pair(), o, parts(first(), second()));
  s.initialize();
  while (s.time() < 0.2 - step / 2) s.step();
  const State begin = state_of(s);
  const Time since = s.time();
  double largest = 0;
  while (!s.done()) {
    s.step();
    const State right = exact(begin, s.time() - since);
    largest = std::max(largest, std::hypot(state_of(s).x - right.x, state_of(s).a - right.a));
  }
  return largest;
}

struct Case {
  const char* extrapolation;
  const char* stepper;
  double order;  // of the error at the end of the run
};
class Converges : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Hermite, Converges,
                         ::testing::Values(Case{"hermite-1", "jacobi", 2}, Case{"hermite-2", "jacobi", 4},
                                           Case{"hermite-1", "gauss-seidel", 2}, Case{"hermite-2", "gauss-seidel", 4},
                                           Case{"hermite-1", "iterated", 2}, Case{"hermite-2", "iterated", 4},
                                           Case{"poly-4", "jacobi", 4}),
                         [](const auto& c) {
                           std::string name = std::string(c.param.extrapolation) + "_" + c.param.stepper;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A polynomial of degree k has an error of order k + 1 over the run.
TEST_P(Converges, WithTheOrderOfItsPolynomials) {
  const auto& [extrapolation, stepper, order] = GetParam();
  const double coarse = error_of(extrapolation, stepper, 0.02);
  const double fine = error_of(extrapolation, stepper, 0.01);
  EXPECT_NEAR(std::log2(coarse / fine), order, 0.25) << coarse << ' ' << fine;
}

TEST(Hermite, IsNearerThanThePolynomialOfTheSameDegree) {
  EXPECT_LT(error_of("hermite-2", "jacobi", 0.02), 0.5 * error_of("poly-4", "jacobi", 0.02));
  EXPECT_LT(error_of("hermite-1", "jacobi", 0.02), 0.5 * error_of("poly-2", "jacobi", 0.02));
}

// With slopes a line is known from the start, not only after a step.
TEST(Hermite, BeginsWithOrderOne) {
  auto o = options(1, 1e-3);
  const auto after_one_step = [&](const char* extrapolation) {
    o.run.extrapolation = extrapolation;
    Simulation s(pair(), o, parts(first(), second()));
    s.initialize();
    s.step();
    return std::abs(state_of(s).x - exact({}, 1e-3).x);
  };
  // H³ compared with H².
  EXPECT_LT(after_one_step("hermite-2"), 1e-8);
  EXPECT_GT(after_one_step("poly-4"), 1e-6);
}

class Controlled : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(All, Controlled,
                         ::testing::Combine(::testing::Values("richardson", "modified"),
                                            ::testing::Values("hermite-1", "hermite-2")),
                         [](const auto& c) {
                           std::string name = std::string(std::get<0>(c.param)) + "_" + std::get<1>(c.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Some steps are rejected, so that slopes of the past are restored, too.
TEST_P(Controlled, KeepsTheErrorOfTheQuarterCarWithinAHundredTolerances) {
  const auto& [controller, extrapolation] = GetParam();
  const bool rejects = std::string(controller) == "richardson";
  std::uint64_t rejected = 0;
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    auto o = controlled(controller, 0, tolerance);
    o.run.extrapolation = extrapolation;
    Simulation s(car(), o, parts(chassis(), wheel()));
    record::Result result;
    record::MemorySink memory(result);
    record::Sink* const sinks[] = {&memory};
    const auto report = s.run(sinks);
    EXPECT_LT(error_at_end(result), 100 * tolerance) << tolerance;
    rejected += report.rejected;
  }
  if (rejects) {
    EXPECT_GT(rejected, 0U);
  }
}

// The estimate of a step's error, compared with that error.
TEST_P(Controlled, EstimatesTheErrorOfAStep) {
  const auto& [controller, extrapolation] = GetParam();
  auto o = options(2, 0.02);
  o.run.extrapolation = extrapolation;
  o.run.control.controller = controller;
  o.run.control.tolerance = 1e9;  // all steps are accepted and equal
  o.run.control.maximum = 0.02;
  o.run.record.variables = {"*.y", "trust.*"};
  Simulation s(pair(), o, parts(first(), second()));
  record::Result result;
  record::MemorySink memory(result);
  record::Sink* const sinks[] = {&memory};
  s.run(sinks);
  const auto& told = result["trust.a.y"].numbers;
  const auto state = [&](std::size_t i) { return State{result["a.y"].numbers[i], result["b.y"].numbers[i] / 2}; };
  double estimates = 0;
  double errors = 0;
  for (std::size_t i = 10; i < result.rows(); ++i) {
    estimates += std::abs(told[i]);
    errors += std::abs(exact(state(i - 1), result.time[i] - result.time[i - 1]).x - state(i).x);
  }
  EXPECT_NEAR(estimates / errors, 1, 0.1);  // tolerance: the next order of a step of 0.02 s
}

TEST(Hermite, RefusesUnitsThatTellNoSlopes) {
  auto silent = second();
  silent.tells_slopes = false;
  auto o = options(1, 0.1);
  o.run.extrapolation = "hermite-2";
  try {
    const Simulation s(pair(), o, parts(first(), silent));
    FAIL() << "unit 'b' tells no derivatives";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("'hermite-2'"), HasSubstr("unit 'b'"), HasSubstr("poly-4")));
    EXPECT_EQ(e.fault(), Fault::input);
    EXPECT_EQ(e.unit(), "b");
    EXPECT_EQ(e.setting(), "extrapolation");
  }
  // Units that drive no unit need not provide derivatives.
  graph::System chain("chain");
  chain.add("a", "model:first");
  chain.add("b", "model:second");
  chain.connect("a.y", "b.u");
  EXPECT_NO_THROW(Simulation(chain, o, parts(first(), silent)));
}

// Tables and scenarios work as with other extrapolations.
TEST(Hermite, LeavesTablesAndScenariosAlone) {
  const os::TempFolder folder;
  const auto table = folder.path() / "u.csv";
  std::ofstream(table) << "time,u\n0,0\n1,1\n2,0\n";
  graph::System system("driven");
  system.add("a", "model:first");
  system.add("b", "model:second");
  system.connect("u", "a.u");
  system.connect("a.y", "b.u");
  using Kind = graph::ScenarioAction::Kind;
  const auto run = [&](const char* extrapolation, double step) {
    auto o = options(2, step);
    o.run.extrapolation = extrapolation;
    o.run.input_file = table.string();
    o.run.scenario = {{Kind::ramp, 0.5, "b.u", "3", 0.5}, {Kind::release, 1.5, "b.u"}};
    Simulation s(system, o, parts(first(), second()));
    s.initialize();
    while (!s.done()) s.step();
    return std::pair(number(s, "a.y"), number(s, "b.y"));
  };
  const auto [a, b] = run("hermite-2", 0.05);
  const auto [a_without, b_without] = run("poly-4", 0.05);
  const auto [a_fine, b_fine] = run("poly-4", 1e-3);
  EXPECT_DOUBLE_EQ(a, a_without);
  EXPECT_NEAR(a, a_fine, 1e-12);  // the table is linear within every step
  EXPECT_LT(std::abs(b - b_fine), 0.1 * std::abs(b_without - b_fine)) << "a released input has a slope immediately";
}

}  // namespace
}  // namespace consort::engine
