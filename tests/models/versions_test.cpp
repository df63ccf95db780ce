// A model gives the same numbers in three versions of FMI and in a native run.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "glue/advance.hpp"
#include "models/bouncing_ball.hpp"
#include "models/clutch.hpp"
#include "models/coupled_mass.hpp"
#include "models/heat_conductor.hpp"
#include "models/hydraulic_tensioner.hpp"
#include "models/impulse_ball.hpp"
#include "models/pendulum.hpp"
#include "models/pendulum_cartesian.hpp"
#include "models/pid_controller.hpp"
#include "models/quarter_car_wheel_force.hpp"
#include "models/relay.hpp"
#include "models/sampled_pi.hpp"
#include "models/stair.hpp"
#include "models/van_der_pol.hpp"
#include "models/vehicle.hpp"
#include "tests/models/helpers.hpp"

namespace consort::models_test {
namespace {

namespace m = consort::model;

// All models with continuous inputs or states that have FMUs, except those that cannot run alone.
std::vector<std::string> all_models() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(places::fmus()) / "fmi1/cs")) {
    names.insert(entry.path().stem().string());
  }
  names.erase("BadStart");
  return {names.begin(), names.end()};
}

class AllModels : public testing::TestWithParam<std::string> {};

// Outputs after each of a number of steps, with inputs that vary around their start values.
std::vector<std::vector<double>> co_simulate(const std::string& name, const std::string& folder) {
  const fmi::Fmu fmu = open(name, folder);
  const describe::Description& d = fmu.description();
  auto instance = fmu.co_simulation({.name = name});
  const auto inputs = reals(d, describe::Causality::input);
  const auto outputs = reals(d, describe::Causality::output);
  const double h = d.default_experiment.stop_time.value_or(1) / 100;
  instance->enter_initialization({});
  instance->exit_initialization();
  std::vector<double> u = get(*instance, d, inputs);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(-0.01, 0.01);
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 50; ++i) {
    for (double& value : u) value += part(random) * std::max(1.0, std::abs(value));
    instance->set<double>(inputs, std::span<const double>(u));
    const fmi::StepReport report = instance->do_step(i * h, h);
    rows.push_back(get(*instance, d, outputs));
    if (report.terminate || report.end != fmi::StepReport::End::completed) break;
  }
  return rows;
}

void expect_same(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b,
                 const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size()) << what;
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      ASSERT_EQ(std::memcmp(&a[i][j], &b[i][j], sizeof(double)), 0)
          << what << ": row " << i << ", output " << j << ": " << a[i][j] << " and " << b[i][j];
    }
  }
}

TEST_P(AllModels, GiveTheSameNumbersInCoSimulationOfEveryVersion) {
  const auto rows = co_simulate(GetParam(), "fmi2");
  expect_same(rows, co_simulate(GetParam(), "fmi3"), "FMI 3.0");
  expect_same(rows, co_simulate(GetParam(), "fmi1/cs"), "FMI 1.0");
}

// Derivatives, event indicators and outputs at varying states.
std::vector<std::vector<double>> evaluate(const std::string& name, const std::string& folder) {
  const fmi::Fmu fmu = open(name, folder);
  const describe::Description& d = fmu.description();
  auto instance = fmu.model_exchange({.name = name});
  instance->enter_initialization({});
  instance->exit_initialization();
  while (instance->update_discrete_states().repeat) {
  }
  instance->leave_event_mode();
  std::vector<double> x(instance->continuous_states());
  instance->get_states(x);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> part(-0.1, 0.1);
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 20; ++i) {
    for (double& value : x) value += part(random);
    instance->set_time(i * 0.001);
    if (!x.empty()) instance->set_states(x);
    std::vector<double> row(x.size() + instance->event_indicators());
    if (!x.empty()) instance->get_derivatives(std::span(row).first(x.size()));
    if (row.size() > x.size()) instance->get_event_indicators(std::span(row).subspan(x.size()));
    for (const double y : get(*instance, d, reals(d, describe::Causality::output))) row.push_back(y);
    rows.push_back(row);
  }
  return rows;
}

TEST_P(AllModels, GiveTheSameNumbersInModelExchangeOfEveryVersion) {
  const auto rows = evaluate(GetParam(), "fmi2");
  expect_same(rows, evaluate(GetParam(), "fmi3"), "FMI 3.0");
  expect_same(rows, evaluate(GetParam(), "fmi1/me"), "FMI 1.0");
}

INSTANTIATE_TEST_SUITE_P(Exported, AllModels, testing::ValuesIn(all_models()),
                         [](const auto& model) { return model.param; });

// The native run: the same stepper, linked into this test.
template <class M>
std::vector<std::vector<double>> run_native(const std::string& name) {
  const fmi::Fmu fmu = open(name, "fmi2");
  const describe::Description& d = fmu.description();
  const glue::Exported exported = glue::export_model<M>("native");
  const m::Host host;
  const m::Layout layout(m::definition_of<M>, m::Layout::Style::scalars);
  m::Instance instance(layout, host);
  glue::Stepper stepper(exported, instance);
  instance.enter_initialization(0, std::numeric_limits<double>::infinity());
  instance.leave_initialization(m::step_mode);
  stepper.start();
  const auto inputs = reals(d, describe::Causality::input);
  const auto outputs = reals(d, describe::Causality::output);
  const auto read = [&](ValueReference reference) {
    const m::Slot& slot = layout.slots()[reference];
    instance.refresh(slot.needs);
    double value;
    std::memcpy(&value, instance.at(slot), sizeof value);
    return value;
  };
  const double h = m::definition_of<M>.info.stop_time / 100;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(-0.01, 0.01);
  std::vector<std::vector<double>> rows;
  std::vector<double> u;
  for (const ValueReference r : inputs) u.push_back(read(r));
  for (int i = 0; i < 50; ++i) {
    for (std::size_t j = 0; j < u.size(); ++j) {
      u[j] += part(random) * std::max(1.0, std::abs(u[j]));
      std::memcpy(instance.at(layout.slots()[inputs[j]]), &u[j], sizeof(double));
    }
    instance.touch();
    const bool ends = stepper.advance(i * h, h).terminate;
    std::vector<double> row;
    for (const ValueReference r : outputs) row.push_back(read(r));
    rows.push_back(row);
    if (ends) break;
  }
  return rows;
}

template <class M>
void expect_native_as_exported(const std::string& name) {
  const auto native = run_native<M>(name);
  for (const char* folder : {"fmi1/cs", "fmi2", "fmi3"}) expect_same(native, co_simulate(name, folder), name.c_str());
}

TEST(NativeModel, GivesTheNumbersOfItsFmus) {
  expect_native_as_exported<BouncingBall>("BouncingBall");
  expect_native_as_exported<Clutch>("Clutch");
  expect_native_as_exported<CoupledMass>("CoupledMass");
  expect_native_as_exported<HeatConductor>("HeatConductor");
  expect_native_as_exported<HydraulicTensioner>("HydraulicTensioner");
  expect_native_as_exported<ImpulseBall>("ImpulseBall");
  expect_native_as_exported<Pendulum>("Pendulum");
  expect_native_as_exported<PendulumCartesian>("PendulumCartesian");
  expect_native_as_exported<PidController>("PidController");
  expect_native_as_exported<QuarterCarWheelForce>("QuarterCarWheelForce");
  expect_native_as_exported<Relay>("Relay");
  expect_native_as_exported<SampledPi>("SampledPi");
  expect_native_as_exported<Stair>("Stair");
  expect_native_as_exported<VanDerPol>("VanDerPol");
  expect_native_as_exported<Vehicle>("Vehicle");
}

}  // namespace
}  // namespace consort::models_test
