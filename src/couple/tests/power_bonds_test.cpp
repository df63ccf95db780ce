#include "couple/power_bonds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/tests/plant.hpp"

namespace consort::couple {
namespace {

using graph::place_of;
using ::testing::HasSubstr;

constexpr describe::BaseUnit newton{{1, 1, -2, 0, 0, 0, 0, 0}, 1, 0};
constexpr describe::BaseUnit kilonewton{{1, 1, -2, 0, 0, 0, 0, 0}, 1000, 0};
constexpr describe::BaseUnit metre_per_second{{0, 1, -1, 0, 0, 0, 0, 0}, 1, 0};

const std::vector<graph::PowerBond> spring_and_mass{{"spring.F", "mass.v", "plant.yaml:7"}};

// A spring whose force acts on a mass and whose input is the mass's velocity.
struct Bonds : ::testing::Test {
  Bonds() {
    auto& spring = shelf.add("spring.fmu");
    spring.input("v", Type::Float64, "m/s").output("F", Type::Float64, "N").output("x");
    spring.define("N", newton).define("m/s", metre_per_second);
    auto& mass = shelf.add("mass.fmu");
    mass.input("F", Type::Float64, "N").output("v", Type::Float64, "m/s").output("a");
    mass.define("N", newton).define("m/s", metre_per_second);
    system.add("spring", "spring.fmu");
    system.add("mass", "mass.fmu");
  }
  void compile(graph::Linear force = {}, graph::Linear velocity = {}) {
    system.connect("spring.F", "mass.F", force);
    system.connect("mass.v", "spring.v", velocity);
    plan = shelf.compile(system);
    state.signals.inputs = plan.make_inputs();
    state.signals.outputs = plan.make_outputs();
  }
  void output(const char* path, double value) {
    state.signals.outputs.column<double>()[place_of(plan, path, false).element] = value;
  }
  [[nodiscard]] std::uint32_t input_place(const char* path) const { return place_of(plan, path, true).element; }
  void input(const char* path, double value) { state.signals.inputs.column<double>()[input_place(path)] = value; }
  // At the end of a step the spring has 10 N and the mass 2 m/s; the mass used 9 N, the spring 1.5 m/s.
  void set_signals() {
    output("spring.F", 10);
    output("mass.v", 2);
    input("mass.F", 9);
    input("spring.v", 1.5);
  }
  [[nodiscard]] std::string error(const std::vector<graph::PowerBond>& bonds) const {
    try {
      static_cast<void>(PowerBonds(plan, bonds));
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
      return e.what();
    }
    return "no error";
  }

  graph::Shelf shelf;
  graph::System system;
  graph::Plan plan;
  RunState state;
};

TEST_F(Bonds, SeeTheDifferenceOfWhatWasTakenAndWhatWasGiven) {
  compile();
  set_signals();
  const PowerBonds bonds(plan, spring_and_mass);
  ASSERT_EQ(bonds.size(), 1U);
  EXPECT_FALSE(bonds.empty());
  EXPECT_EQ(bonds.name(0), "spring.F · mass.v");
  EXPECT_EQ(bonds.nominal(0), 1);
  bonds.observe(state, 0.5);
  ASSERT_EQ(state.bonds.size(), 1U);
  EXPECT_EQ(state.bonds[0].power, 20);
  EXPECT_EQ(state.bonds[0].residual, 9 * 2 - 10 * 1.5);
}

TEST_F(Bonds, AddUpEnergyOverSteps) {
  compile();
  set_signals();
  const PowerBonds bonds(plan, spring_and_mass);
  bonds.observe(state, 0.5);  // 3 W too much
  output("mass.v", -4);
  bonds.observe(state, 0.25);  // -36 - 15 = -51 W, at -40 W
  const auto& s = state.bonds[0];
  EXPECT_EQ(s.power, -40);
  EXPECT_EQ(s.residual, -51);
  EXPECT_EQ(s.largest, 51);
  EXPECT_EQ(s.peak, 40);
  EXPECT_EQ(s.made, 1.5 - 12.75);
  EXPECT_EQ(s.lost_or_made, 1.5 + 12.75);
  EXPECT_EQ(s.carried, 10 + 10);
}

TEST_F(Bonds, HaveNoResidualWhereBothSidesKnewTheTruth) {
  compile();
  set_signals();
  input("mass.F", 10);
  input("spring.v", 2);
  PowerBonds(plan, spring_and_mass).observe(state, 0.5);
  EXPECT_EQ(state.bonds[0].power, 20);
  EXPECT_EQ(state.bonds[0].residual, 0);
}

TEST_F(Bonds, FollowTheInputsToTheEndOfTheStep) {
  compile();
  set_signals();
  const std::size_t n = state.signals.inputs.column<double>().size();
  state.signals.order.assign(plan.units.size(), 0);
  state.signals.set_order(2);
  state.signals.derivatives.assign(2 * n, 0.0);
  state.signals.derivatives[input_place("mass.F")] = 4;
  state.signals.derivatives[n + input_place("mass.F")] = 16;
  PowerBonds(plan, spring_and_mass).observe(state, 0.5);
  // 9 + 0.5 · 4 + 0.5² / 2 · 16 = 13 N
  EXPECT_EQ(state.bonds[0].residual, 13 * 2 - 10 * 1.5);
}

TEST_F(Bonds, MeasureAsTheSourceDoes) {
  compile({2, 1}, {4, -2});
  set_signals();
  input("mass.F", 2 * 9 + 1);
  input("spring.v", 4 * 1.5 - 2);
  PowerBonds(plan, spring_and_mass).observe(state, 0.5);
  EXPECT_EQ(state.bonds[0].residual, 3);
}

TEST_F(Bonds, CountTheOtherWayWhereTheEffortArrivesWithTheOtherSign) {
  compile({-1, 0});
  set_signals();
  input("mass.F", -9);
  PowerBonds(plan, spring_and_mass).observe(state, 0.5);
  EXPECT_EQ(state.bonds[0].power, 20);
  EXPECT_EQ(state.bonds[0].residual, -3);
}

TEST_F(Bonds, HaveNoResidualWhereSomebodyOverridesAnInput) {
  compile();
  set_signals();
  const PowerBonds bonds(plan, spring_and_mass);
  for (const char* const path : {"mass.F", "spring.v"}) {
    bonds.observe(state, 0.5, [&](std::uint32_t input) { return input == input_place(path); });
    EXPECT_EQ(state.bonds[0].residual, 0) << path;
    EXPECT_EQ(state.bonds[0].power, 20) << path;
  }
  bonds.observe(state, 0.5, [](std::uint32_t) { return false; });
  EXPECT_EQ(state.bonds[0].residual, 3);
}

TEST_F(Bonds, AreInWattsWhateverTheUnitsOfMeasureAre) {
  auto& press = shelf.add("spring.fmu");
  press.input("v", Type::Float64, "m/s").output("F", Type::Float64, "kN");
  press.define("kN", kilonewton).define("m/s", metre_per_second);
  press.last().nominal = 3;
  compile();
  set_signals();
  input("mass.F", 9000);  // in N
  const PowerBonds bonds(plan, spring_and_mass);
  bonds.observe(state, 0.5);
  EXPECT_EQ(bonds.nominal(0), 3000);
  EXPECT_EQ(state.bonds[0].power, 20'000);
  EXPECT_EQ(state.bonds[0].residual, 3000);
}

TEST_F(Bonds, RefuseWhatIsNoBond) {
  compile();
  const auto refused = [&](const char* effort, const char* flow) {
    const auto text = error({{effort, flow, "plant.yaml:7"}});
    EXPECT_THAT(text, HasSubstr("plant.yaml:7"));
    return text;
  };
  EXPECT_THAT(refused("spring.G", "mass.v"), HasSubstr("G"));
  EXPECT_THAT(refused("spring.v", "mass.v"), HasSubstr("'spring.v' of a power bond is not an output"));
  EXPECT_THAT(refused("spring.F", "spring.x"), HasSubstr("belong to one unit"));
  EXPECT_THAT(refused("spring.x", "mass.v"), HasSubstr("'spring.x' does not drive unit 'mass'"));
  EXPECT_THAT(refused("spring.F", "mass.a"), HasSubstr("'mass.a' does not drive unit 'spring'"));
}

TEST_F(Bonds, RefuseWhatIsNoPower) {
  auto& mass = shelf.add("mass.fmu");
  mass.input("F", Type::Float64, "N").output("v", Type::Float64, "m").define("N", newton).define("m", graph::metre);
  auto& spring = shelf.add("spring.fmu");
  spring.input("v", Type::Float64, "m").output("F", Type::Float64, "N").define("N", newton).define("m", graph::metre);
  compile();
  EXPECT_THAT(error(spring_and_mass), HasSubstr("is not a power"));
}

TEST_F(Bonds, RefuseAFactorThatForgetsTheSignal) {
  compile({0, 1});
  EXPECT_THAT(error(spring_and_mass), HasSubstr("factor 0"));
}

TEST(PowerBonds, AreNoneByDefault) {
  const PowerBonds none;
  EXPECT_TRUE(none.empty());
  RunState state;
  state.bonds.resize(2);
  none.observe(state, 0.1);
  EXPECT_TRUE(state.bonds.empty());
}

}  // namespace
}  // namespace consort::couple
