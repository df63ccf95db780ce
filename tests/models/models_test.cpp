// Properties of the models: physics, events, types.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/models/helpers.hpp"

namespace consort::models_test {
namespace {

struct Unit {
  Unit(const std::string& name, const std::string& folder, fmi::InstanceOptions options = {})
      : fmu(open(name, folder)), instance(fmu.co_simulation(std::move(options))) {}
  void start() {
    instance->enter_initialization({});
    instance->exit_initialization();
  }
  void run(double h, int steps) {
    for (int i = 0; i < steps; ++i) instance->do_step(i * h, h);
  }
  double operator[](const std::string& name) { return get(*instance, fmu.description(), name); }
  fmi::Fmu fmu;
  std::unique_ptr<fmi::CoSimulation> instance;
};

TEST(Pendulum, MovesTheSameByItsAngleAndByItsCoordinates) {
  Unit by_angle("Pendulum", "fmi3");
  Unit by_coordinates("PendulumCartesian", "fmi3");
  by_angle.start();
  by_coordinates.start();
  by_angle.run(1e-3, 2000);
  by_coordinates.run(1e-3, 2000);
  // RK4 with a step of 1 ms has an error of about 1e-10; the drift of the constraint is not larger.
  EXPECT_NEAR(by_angle["x"], by_coordinates["x"], 1e-8);
  EXPECT_NEAR(by_angle["y"], by_coordinates["y"], 1e-8);
  EXPECT_NEAR(by_coordinates["violation"], 0, 1e-9);
}

TEST(Dahlquist, DecaysAsTheExponentialFunction) {
  Unit unit("Dahlquist", "fmi2");
  unit.start();
  unit.run(0.01, 100);
  EXPECT_NEAR(unit["x"], std::exp(-1), 1e-9);  // RK4 with 0.01: 3e-11
}

TEST(TwoMass, LosesEnergyToItsDampers) {
  Unit unit("TwoMass", "fmi2");
  unit.start();
  double before = unit["energy"];
  for (int i = 0; i < 100; ++i) {
    unit.instance->do_step(i * 0.05, 0.05);
    EXPECT_LT(unit["energy"], before);
    before = unit["energy"];
  }
}

TEST(HeatConductor, ComesToALinearProfileOfTheChosenSize) {
  Unit unit("HeatConductor", "fmi3");
  const auto& d = unit.fmu.description();
  const ValueReference n = d[d.require_variable("n")].reference;
  const std::uint64_t cells = 4;
  ASSERT_NE(unit.instance->configuration(), nullptr);
  unit.instance->configuration()->enter_configuration();
  unit.instance->set<std::uint64_t>(std::span(&n, 1), std::span(&cells, 1));
  unit.instance->configuration()->exit_configuration();
  unit.start();
  unit.run(10, 10000);
  const ValueReference t = d[d.require_variable("t")].reference;
  std::vector<double> temperatures(4);
  unit.instance->get<double>(std::span(&t, 1), std::span(temperatures));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(temperatures[i], 373.15 - 80 * (static_cast<double>(i) + 0.5) / 4, 1e-6);
  }
}

TEST(Resource, ReadsItsFile) {
  for (const char* folder : {"fmi2", "fmi3"}) {
    Unit unit("Resource", folder);
    unit.start();
    EXPECT_EQ(unit["y"], 42);
  }
}

TEST(Feedthrough, FeedsEveryTypeThrough) {
  Unit unit("Feedthrough", "fmi3");
  const auto& d = unit.fmu.description();
  unit.start();
  const auto check = [&]<class T>(const char* name, std::vector<T> values) {
    const ValueReference in = d[d.require_variable(std::string(name) + "_in")].reference;
    const ValueReference out = d[d.require_variable(std::string(name) + "_out")].reference;
    unit.instance->set<T>(std::span(&in, 1), std::span<const T>(values));
    std::vector<T> seen(values.size());
    unit.instance->get<T>(std::span(&out, 1), std::span<T>(seen));
    EXPECT_TRUE(seen == values) << name;
  };
  check("float32", std::vector<float>{1.5F});
  check("float64", std::vector<double>{-1e300});
  check("int8", std::vector<std::int8_t>{-128});
  check("uint8", std::vector<std::uint8_t>{255});
  check("int16", std::vector<std::int16_t>{-32768});
  check("uint16", std::vector<std::uint16_t>{65535});
  check("int32", std::vector<std::int32_t>{-2147483647});
  check("uint32", std::vector<std::uint32_t>{4294967295U});
  check("int64", std::vector<std::int64_t>{-(std::int64_t{1} << 62)});
  check("uint64", std::vector<std::uint64_t>{~std::uint64_t{0}});
  check("boolean", std::vector<Bool>{true});
  check("string", std::vector<std::string>{"a \xc3\xa4 text"});
  check("binary", std::vector<Binary>{{0, 1, 255, 0}});
  check("enumeration", std::vector<EnumValue>{3});
  check("vector", std::vector<double>{3, 2, 1});
  check("matrix", std::vector<double>{6, 5, 4, 3, 2, 1});
  check("string_vector", std::vector<std::string>{"", "x"});
  check("sized", std::vector<double>{7, 8});
}

TEST(PidController, HoldsItsOutputBetweenSamples) {
  Unit unit("PidController", "fmi2");
  set(*unit.instance, unit.fmu.description(), "setpoint", 1);
  unit.start();
  const double first = unit["u"];
  EXPECT_NE(first, 0);
  for (int i = 0; i < 9; ++i) {
    unit.instance->do_step(i * 0.01, 0.01);
    EXPECT_EQ(unit["u"], first);
  }
  unit.instance->do_step(0.09, 0.01);
  EXPECT_NE(unit["u"], first);
}

TEST(Stair, StopsAtItsEventsForAnImporterWithEventMode) {
  Unit unit("Stair", "fmi3", {.name = "stair", .use_event_mode = true, .allow_early_return = true});
  unit.start();
  fmi::EventMode* events = unit.instance->event_mode();
  ASSERT_NE(events, nullptr);
  while (events->update_discrete_states().repeat) {
  }
  events->leave_event_mode();
  const fmi::StepReport report = unit.instance->do_step(0, 1.7);
  EXPECT_EQ(report.end, fmi::StepReport::End::early);
  EXPECT_TRUE(report.event_needed);
  EXPECT_EQ(report.reached, 1.0);
  events->enter_event_mode();
  const fmi::DiscreteUpdate update = events->update_discrete_states();
  EXPECT_EQ(update.next_event, 2.0);
  events->leave_event_mode();
  EXPECT_EQ(unit.instance->do_step(1.0, 0.7).end, fmi::StepReport::End::completed);
}

TEST(HydraulicLine, AsksForIntermediateUpdatesAndReturnsEarly) {
  std::vector<double> times;
  Unit unit(
      "HydraulicLine", "fmi3",
      {.name = "line", .allow_early_return = true, .intermediate_update = [&](const fmi::IntermediatePoint& point) {
         times.push_back(point.t);
         return fmi::IntermediateAnswer{point.t > 5e-5, point.t};
       }});
  unit.start();
  const fmi::StepReport report = unit.instance->do_step(0, 1e-4);
  EXPECT_EQ(times.size(), 3u);
  EXPECT_EQ(report.end, fmi::StepReport::End::early);
  EXPECT_NEAR(report.reached, 6e-5, 1e-12);
}

TEST(OneMass, HasDerivativesAlongDirectionsAndOfOutputs) {
  for (const char* folder : {"fmi2", "fmi3"}) {
    Unit unit("OneMass", folder);
    const auto& d = unit.fmu.description();
    unit.start();
    unit.run(0.01, 10);
    const std::vector<ValueReference> unknown{d[d.require_variable("der(v)")].reference};
    const std::vector<ValueReference> known{d[d.require_variable("x")].reference,
                                            d[d.require_variable("force")].reference};
    const std::vector<double> seed{1, 2};
    std::vector<double> result(1);
    ASSERT_NE(unit.instance->directional_derivatives(), nullptr);
    unit.instance->directional_derivatives()->directional(unknown, known, seed, result);
    EXPECT_DOUBLE_EQ(result[0], -10.0 + 2.0);
    ASSERT_NE(unit.instance->output_derivatives(), nullptr);
    const std::vector<std::int32_t> order{1};
    const std::vector<ValueReference> x{d[d.require_variable("x")].reference};
    unit.instance->output_derivatives()->output_derivatives(x, order, result);
    EXPECT_DOUBLE_EQ(result[0], unit["v"]);
  }
}

TEST(Thermostat, OfTheHowToKeepsTheRoomWarm) {
  for (const char* folder : {"fmi1/cs", "fmi2", "fmi3"}) {
    Unit unit("Thermostat", folder);
    unit.start();
    for (int i = 0; i < 600; ++i) {
      unit.instance->do_step(i * 60.0, 60);
      if (i < 200) continue;
      EXPECT_GE(unit["t_room"], 292.15 - 1e-9);
      EXPECT_LE(unit["t_room"], 294.15 + 1e-9);
    }
  }
}

}  // namespace
}  // namespace consort::models_test
