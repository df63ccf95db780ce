// Groups: solutions against those of one model, Jacobians against differences, loops, saved states, bad input.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../models/coupled_mass.hpp"
#include "../../../models/coupled_mass_relative.hpp"
#include "../../../models/linear_unit.hpp"
#include "../../../models/pendulum.hpp"
#include "../../../models/quarter_car_chassis.hpp"
#include "../../../models/quarter_car_wheel.hpp"
#include "group/tests/group_rig.hpp"
#include "solve/bordered.hpp"
#include "solve/tests/allocations.hpp"

namespace consort::group {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// --- systems

// Two pendula that are joined by a spring, with pivots that move as `left` and `right` say: expressions of time.
GroupRig pendula(const std::string& left, const std::string& right) {
  constexpr double quarter = std::numbers::pi / 2;
  GroupRig rig;
  rig.add<Pendulum>("left").set("x_pivot", "-2").set("theta", fmt::format("{}", quarter));
  rig.add<Pendulum>("right").set("x_pivot", "2").set("theta", fmt::format("{}", -quarter));
  auto& system = rig.system;
  system.connectors.push_back({"k", describe::Causality::parameter, {}, "N/m"});
  system.connectors.back().value = 1;
  const std::string stretch = fmt::format("(left.x + ({}) * 1 [m] - right.x - ({}) * 1 [m])", left, right);
  system.connect_value("-k * " + stretch, "left.F_x");
  system.connect_value("k * " + stretch, "right.F_x");
  system.connect_value("-k * (left.y - right.y)", "left.F_y");
  system.connect_value("k * (left.y - right.y)", "right.F_y");
  system.connect_value(fmt::format("({}) * 1 [m/s2]", left), "left.u_pivot");  // -w'' of a sine is the sine
  system.connect_value(fmt::format("({}) * 1 [m/s2]", right), "right.u_pivot");
  return rig;
}

// Two lags with feed-through in a ring: an algebraic loop with the gain d1 · d2.
GroupRig ring(double d1, double d2) {
  GroupRig rig;
  rig.add<LinearUnit>("a").set("d", fmt::format("{}", d1));
  rig.add<LinearUnit>("b").set("d", fmt::format("{}", d2)).set("x", "0.5");
  rig.system.connect("a.y", "b.u");
  rig.system.connect("b.y", "a.u");
  return rig;
}

// Masses in a row with expressions, loops and an input from outside.
GroupRig mixture() {
  GroupRig rig;
  rig.add<LinearUnit>("a").set("d", "0.3");
  rig.add<LinearUnit>("b").set("d", "0.4").set("x", "0.5");
  rig.add<CoupledMass>("left");
  rig.add<CoupledMassRelative>("right");
  rig.input("w");
  rig.system.connect_value("sin(a.y) * b.x + 0.2 * w", "b.u");
  rig.system.connect("b.y", "a.u");
  rig.system.connect_value("left.x - right.x", "right.dx_other");
  rig.system.connect_value("left.v - right.v", "right.dv_other");
  rig.system.connect_value("right.x + max(a.x, 0) * 0.01 [m]", "left.x_other");
  rig.system.connect("right.v", "left.v_other");
  rig.system.connectors.push_back({"sum", describe::Causality::output});
  rig.system.connect_value("a.y * b.y + w", "sum");
  return rig;
}

// --- a group as a problem

// The right-hand side and its derivatives at a point.
class Probe {
 public:
  explicit Probe(GroupRig& rig) : instance_(rig.instance()), problem_(*instance_, instance_->description(), nullptr) {
    instance_->enter_initialization({0, {}, 1e-8});
    instance_->exit_initialization();
    EXPECT_TRUE(problem_.begin(0));
    y = problem_.ode().y0;
  }
  [[nodiscard]] std::size_t size() const { return y.size(); }
  [[nodiscard]] GroupInstance& instance() { return *instance_; }
  [[nodiscard]] const solve::Ode& ode() const { return problem_.ode(); }

  [[nodiscard]] std::vector<double> rhs(const std::vector<double>& at) {
    std::vector<double> dy(size());
    ode().rhs(0.3, at, dy, ode().events.switches);
    return dy;
  }
  // Column after column.
  [[nodiscard]] std::vector<double> jacobian() {
    const auto& given = ode().jacobian;
    std::vector<double> values(given.pattern.count()), full(size() * size(), 0.0);
    given.sparse(0.3, y, values, ode().events.switches);
    for (std::size_t j = 0; j < size(); ++j)
      for (int k = given.pattern.starts[j]; k < given.pattern.starts[j + 1]; ++k)
        full[j * size() + static_cast<std::size_t>(given.pattern.rows[static_cast<std::size_t>(k)])] =
            values[static_cast<std::size_t>(k)];
    return full;
  }
  [[nodiscard]] std::vector<double> differences() {
    std::vector<double> full;
    for (std::size_t j = 0; j < size(); ++j) {
      const double step = 1e-6 * std::max(1.0, std::abs(y[j]));
      auto at = y;
      at[j] = y[j] + step;
      const auto up = rhs(at);
      at[j] = y[j] - step;
      const auto down = rhs(at);
      for (std::size_t i = 0; i < size(); ++i) full.push_back((up[i] - down[i]) / (2 * step));
    }
    return full;
  }

  std::vector<double> y;

 private:
  std::unique_ptr<GroupInstance> instance_;
  unit::MeProblem problem_;
};

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i]))) << "entry " << i;
}

// --- solutions

// Values of one model with four states, integrated to 1e-12.
struct PendulaCase {
  const char* left;
  const char* right;
  std::array<double, 4> at_5;  // theta and omega of both
};
constexpr PendulaCase moved_alike{
    "sin(time * 1 [rad/s])", "sin(time * 1 [rad/s])", {-0.91921176, -1.31423156, 0.6057906, 1.32913196}};
constexpr PendulaCase mirrored{
    "sin(time * 1 [rad/s])", "-sin(time * 1 [rad/s])", {-0.63276769, -1.61895287, 0.63276769, 1.61895287}};

class Pendula : public ::testing::TestWithParam<std::string> {};

TEST_P(Pendula, SwingAsInOneModel) {
  for (const auto& wanted : {moved_alike, mirrored}) {
    auto rig = pendula(wanted.left, wanted.right);
    const auto unit = rig.unit(GetParam(), 1e-8);
    run(*unit, 0, 5);
    const char* const names[] = {"left.theta", "left.omega", "right.theta", "right.omega"};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(value(*unit, names[i]), wanted.at_5[i], 1e-5) << names[i];
  }
}

INSTANTIATE_TEST_SUITE_P(BySolver, Pendula, ::testing::Values("bdf", "dopri5", "cvode", "cvode-adams", "ida"),
                         [](const auto& solver) {
                           std::string name = solver.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Group, IsAQuarterCar) {
  GroupRig rig;
  rig.add<QuarterCarChassis>("chassis");
  rig.add<QuarterCarWheel>("wheel").set("road", "0.1");
  rig.system.connect("wheel.z", "chassis.z_wheel");
  rig.system.connect("wheel.v", "chassis.v_wheel");
  rig.system.connect("chassis.z", "wheel.z_chassis");
  rig.system.connect("chassis.v", "wheel.v_chassis");
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    const auto unit = rig.unit("bdf", tolerance);
    run(*unit, 0, 1, 0.1);
    const double allowed = 100 * tolerance;
    EXPECT_NEAR(value(*unit, "chassis.z"), 0.06528944, std::max(allowed, 6e-9));
    EXPECT_NEAR(value(*unit, "chassis.v"), -0.03060215, std::max(allowed, 6e-9));
    EXPECT_NEAR(value(*unit, "wheel.z"), 0.09660651, std::max(allowed, 6e-9));
    EXPECT_NEAR(value(*unit, "wheel.v"), 0.00429470, std::max(allowed, 6e-9));
  }
}

// ẋ1 = -x1 + u1, u1 = x2 + d2 u2, u2 = x1 + d1 u1.
TEST(Group, SolvesALoopInEveryEvaluation) {
  auto rig = ring(0.5, -0.8);
  Probe probe(rig);
  const double x1 = probe.y[0], x2 = probe.y[1];
  const double u1 = (x2 - 0.8 * x1) / (1 + 0.4);
  const double u2 = (x1 + 0.5 * x2) / (1 + 0.4);
  expect_near(probe.rhs(probe.y), {-x1 + u1, -x2 + u2}, 1e-14);
  EXPECT_EQ(probe.instance().loops().size(), 1U);
}

TEST(Group, SaysThatALoopIsSingular) {
  auto rig = ring(0.5, 2);
  try {
    const auto unit = rig.unit();
    FAIL() << "the loop has the gain 1";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("no unique solution"), HasSubstr("a.u"), HasSubstr("b.u")));
  }
}

// --- derivatives

TEST(Group, HasTheJacobianOfItsRightHandSide) {
  auto a = pendula("sin(time * 1 [rad/s])", "0");
  auto b = ring(0.5, -0.8);
  auto c = mixture();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> shift(-0.3, 0.3);
  for (auto* const rig : {&a, &b, &c}) {
    Probe probe(*rig);
    for (int point = 0; point < 5; ++point) {
      for (auto& x : probe.y) x += shift(random);
      expect_near(probe.jacobian(), probe.differences(), 1e-6);
    }
  }
}

TEST(Group, HasDirectionalDerivativesByStatesAndInputs) {
  auto rig = mixture();
  Probe probe(rig);
  auto& group = probe.instance();
  const auto& d = group.description();
  const auto reference = [&](const char* name) { return d[d.require_variable(name)].reference; };
  const std::vector<ValueReference> unknowns{reference("sum"), reference("a.der(x)"), reference("right.der(v)"),
                                             reference("left.dx"), reference("b.y")};
  const auto at = [&](const std::vector<double>& y, double w) {
    group.set_time(0.3);
    group.set_states(y);
    const auto input = reference("w");
    group.set<double>(std::span(&input, 1), std::span<const double>(&w, 1));
    std::vector<double> values(unknowns.size());
    group.get<double>(unknowns, std::span(values));
    return values;
  };
  const double step = 1e-6;
  for (const char* const known : {"w", "a.x", "b.x", "left.x", "right.v"}) {
    const auto moved = [&](double by) {
      auto y = probe.y;
      const char* const states[] = {"a.x", "b.x", "left.x", "left.v", "right.x", "right.v"};
      for (std::size_t i = 0; i < std::size(states); ++i)
        if (std::string_view(states[i]) == known) y[i] += by;
      return at(y, 0.7 + (std::string_view(known) == "w" ? by : 0));
    };
    const auto up = moved(step), down = moved(-step);
    static_cast<void>(moved(0));
    const auto seed_reference = reference(known);
    const double seed = 1;
    std::vector<double> sensitivity(unknowns.size());
    group.directional(unknowns, std::span(&seed_reference, 1), std::span(&seed, 1), sensitivity);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      EXPECT_NEAR(sensitivity[i], (up[i] - down[i]) / (2 * step), 1e-7) << d[unknowns[i]].name << " by " << known;
  }
}

// The bordered form and the eliminated one are the same matrix.
TEST(Group, EliminatesItsInnerUnknowns) {
  auto rig = mixture();
  Probe probe(rig);
  const auto& given = probe.ode().jacobian;
  const std::size_t n = probe.size(), size = n + given.bordered.inner;
  EXPECT_EQ(given.bordered.inner, 6U);
  std::vector<double> values(given.bordered.pattern.count());
  given.bordered.values(0.3, probe.y, values, probe.ode().events.switches);
  EXPECT_EQ(given.bordered.pattern.starts.size(), size + 1);
  solve::Elimination eliminate(given.bordered, n);
  std::vector<double> reduced(eliminate.pattern().count());
  eliminate(values, reduced);
  const auto full = probe.jacobian();
  for (std::size_t j = 0; j < n; ++j)
    for (int k = eliminate.pattern().starts[j]; k < eliminate.pattern().starts[j + 1]; ++k)
      EXPECT_EQ(reduced[static_cast<std::size_t>(k)],
                full[j * n + static_cast<std::size_t>(eliminate.pattern().rows[static_cast<std::size_t>(k)])]);
}

// --- what a unit must be able to do

TEST(Group, EvaluatesWithoutAllocations) {
  auto rig = mixture();
  Probe probe(rig);
  std::vector<double> dy(probe.size());
  const auto evaluate = [&] { probe.ode().rhs(0.3, probe.y, dy, probe.ode().events.switches); };
  evaluate();
  probe.y[0] += 0.01;
  evaluate();
  const auto before = allocations();
  for (int i = 0; i < 100; ++i) {
    probe.y[0] += 0.001;
    evaluate();
  }
  EXPECT_EQ(allocations(), before);
}

TEST(Group, RepeatsItsResultsAfterARestore) {
  for (const char* const solver : {"bdf", "dopri5"}) {
    auto rig = mixture();
    const auto unit = rig.unit(solver);
    set_value(*unit, "w", 0.4);
    run(*unit, 0, 1);
    const auto saved = unit->rollback()->save();
    const auto bytes = unit->rollback()->serialize(*saved);
    run(*unit, 1, 2);
    const double a = value(*unit, "a.x"), v = value(*unit, "left.v");
    unit->rollback()->restore(*saved);
    run(*unit, 1, 2);
    EXPECT_EQ(value(*unit, "a.x"), a) << solver;
    EXPECT_EQ(value(*unit, "left.v"), v) << solver;
    const auto other = rig.unit(solver);
    other->rollback()->restore(*other->rollback()->deserialize(bytes));
    run(*other, 1, 2);
    EXPECT_EQ(value(*other, "a.x"), a) << solver;
  }
}

TEST(Group, GivesItsOutputsAndInnerVariables) {
  auto rig = mixture();
  const auto unit = rig.unit();
  set_value(*unit, "w", 2.0);
  EXPECT_NEAR(value(*unit, "sum"), value(*unit, "a.y") * value(*unit, "b.y") + 2, 1e-12);
  EXPECT_NEAR(value(*unit, "b.u"), std::sin(value(*unit, "a.y")) * value(*unit, "b.x") + 0.4, 1e-9);
  EXPECT_EQ(value(*unit, "a.d"), 0.3);
}

TEST(Group, KnowsWhatItsOutputsDependOn) {
  auto rig = mixture();
  const auto& d = rig.compile()->description();
  const auto w = d.require_variable("w");
  const auto depends = [&](const char* name) {
    for (const auto& unknown : d.structure.outputs)
      if (d[unknown.variable].name == name) {
        const auto all = d.structure.of(unknown);
        return std::any_of(all.begin(), all.end(), [&](const auto& x) { return x.variable == w; });
      }
    ADD_FAILURE() << name;
    return false;
  };
  EXPECT_TRUE(depends("sum"));
  EXPECT_TRUE(depends("a.y")) << "through the loop";
  EXPECT_TRUE(depends("b.y"));
  EXPECT_FALSE(depends("a.x"));
  EXPECT_FALSE(depends("right.x"));
  EXPECT_EQ(d[d.require_variable("b.u")].causality, describe::Causality::local);
  EXPECT_EQ(d[w].causality, describe::Causality::input);
}

// --- bad input

TEST(Group, RefusesSystemsThatItCannotSolve) {
  auto solver = ring(0, 0);
  solver.system.components[0].solver = "rk4";
  EXPECT_THAT(refusal([&] { solver.compile(); }), AllOf(HasSubstr("'a'"), HasSubstr("solver of its own")));
  auto interface = ring(0, 0);
  interface.system.components[1].interface = describe::InterfaceType::co_simulation;
  EXPECT_THAT(refusal([&] { interface.compile(); }), AllOf(HasSubstr("'b'"), HasSubstr("Co-Simulation")));
  auto nested = ring(0, 0);
  graph::System inner("inner");
  inner.solver = "bdf";
  nested.system.add_system(inner);
  EXPECT_THAT(refusal([&] { nested.compile(); }), AllOf(HasSubstr("'inner'"), HasSubstr("a solver of its own")));
  GroupRig nothing;
  EXPECT_THAT(refusal([&] { nothing.compile(); }), HasSubstr("no units"));
}

TEST(Group, NamesTheExpressionThatHasNoValue) {
  auto rig = ring(0.1, 0.1);
  rig.system.connections.clear();
  rig.system.connect_value("1 / (a.x - a.x)", "b.u");
  EXPECT_THAT(refusal([&] { run(*rig.unit(), 0, 1); }), AllOf(HasSubstr("1 / (a.x - a.x)"), HasSubstr("zero")));
}

}  // namespace
}  // namespace consort::group
