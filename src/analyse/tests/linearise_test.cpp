#include "analyse/linearise.hpp"

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../../../models/coupled_mass.hpp"
#include "../../../models/heat_conductor.hpp"
#include "../../../models/linear_unit.hpp"
#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "unit/model_source.hpp"
#include "yaml/reader.hpp"

namespace consort::analyse::linearise_tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr double two_pi = 2 * std::numbers::pi;

std::string fmu(const std::string& name) { return places::fmus() + "/" + name + ".fmu"; }

std::shared_ptr<engine::Library> library() {
  auto made = std::make_shared<engine::Library>();
  made->add("linear_unit", unit::make_model_source(model::definition_of<::LinearUnit>, "LinearUnit"));
  made->add("heat_conductor", unit::make_model_source(model::definition_of<::HeatConductor>, "HeatConductor"));
  return made;
}

Linearisation of(const std::string& yaml, const LineariseRequest& request = {}) {
  const auto units = library();
  return linearise(yaml::parse_system("consort: 1\n" + yaml), *units, request);
}

LineariseRequest at(Time t, double tolerance = 1e-8) { return {.at = t, .tolerance = tolerance}; }

std::string refusal(const std::string& yaml, const LineariseRequest& request = {}) {
  try {
    static_cast<void>(of(yaml, request));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<double> row(const Matrix& m, std::size_t i) {
  std::vector<double> values;
  for (std::size_t j = 0; j < m.columns; ++j) values.push_back(m(i, j));
  return values;
}

TEST(Linearise, ARingOfLinearUnitsHasItsExactMatrix) {
  const auto lin = of(R"(
units: {a: {model: linear_unit}, b: {model: linear_unit}, c: {model: linear_unit}}
connections: [a.x -> b.u, b.x -> c.u, c.x -> a.u]
)");
  EXPECT_THAT(lin.states, ElementsAre("a.x", "b.x", "c.x"));
  EXPECT_THAT(row(lin.a, 0), ElementsAre(-1, 0, 1));
  EXPECT_THAT(row(lin.a, 1), ElementsAre(1, -1, 0));
  EXPECT_THAT(row(lin.a, 2), ElementsAre(0, 1, -1));
  EXPECT_THAT(lin.inputs, IsEmpty());
  EXPECT_EQ(lin.b.rows, 3U);
  EXPECT_EQ(lin.b.columns, 0U);
  EXPECT_THAT(lin.outputs, ElementsAre("a.x", "a.y", "b.x", "b.y", "c.x", "c.y"));
  EXPECT_THAT(row(lin.c, 1), ElementsAre(1, 0, 0.5)) << "a.y = a.x + a.u / 2, and a.u is c.x";
}

// u_a = x_b + u_b / 2 and u_b = x_a + u_a / 2, hence u_a = (4 x_b + 2 x_a) / 3.
TEST(Linearise, AnAlgebraicLoopIsSolvedInTheDerivatives) {
  const auto lin = of(R"(
units: {a: {model: linear_unit}, b: {model: linear_unit}}
connections: [a.y -> b.u, b.y -> a.u]
)");
  constexpr double rounding = 1e-14;  // of one solution of two linear equations
  EXPECT_NEAR(lin.a(0, 0), -1 + 2.0 / 3, rounding);
  EXPECT_NEAR(lin.a(0, 1), 4.0 / 3, rounding);
  EXPECT_NEAR(lin.a(1, 0), 4.0 / 3, rounding);
  EXPECT_NEAR(lin.a(1, 1), -1 + 2.0 / 3, rounding);
  ASSERT_THAT(lin.eigenvalues, SizeIs(2));
  EXPECT_NEAR(lin.eigenvalues[0].value.real(), 1, 1e-13);
  EXPECT_NEAR(lin.eigenvalues[1].value.real(), -5.0 / 3, 1e-13);
  EXPECT_NEAR(lin.eigenvalues[0].damping, -1, 1e-13);
}

const char* const two_masses = R"(
units: {one: {model: coupled_mass}, two: {model: coupled_mass}}
connections: [one.x -> two.x_other, one.v -> two.v_other, two.x -> one.x_other, two.v -> one.v_other]
)";

// In phase, the spring between the masses is not stretched: λ² + d_wall λ + k_wall; in opposite phase it counts twice.
TEST(Linearise, TwoCoupledMassesHaveTheirAnalyticModes) {
  const auto lin = of(two_masses, at(0.7));
  ASSERT_THAT(lin.eigenvalues, SizeIs(4));
  const double in_phase = std::sqrt(10.0), opposite = std::sqrt(10.0 + 2 * 25);
  EXPECT_NEAR(lin.eigenvalues[0].value.real(), -0.5, 1e-12);
  EXPECT_NEAR(lin.eigenvalues[0].value.imag(), std::sqrt(10 - 0.25), 1e-12);
  EXPECT_NEAR(lin.eigenvalues[0].frequency, in_phase / two_pi, 1e-12);
  EXPECT_NEAR(lin.eigenvalues[0].damped_frequency, std::sqrt(10 - 0.25) / two_pi, 1e-12);
  EXPECT_NEAR(lin.eigenvalues[0].damping, 1 / (2 * in_phase), 1e-12);
  EXPECT_EQ(lin.eigenvalues[1].value, std::conj(lin.eigenvalues[0].value));
  EXPECT_NEAR(lin.eigenvalues[2].frequency, opposite / two_pi, 1e-12);
  EXPECT_NEAR(lin.eigenvalues[2].damping, (1 + 2 * 0.1) / (2 * opposite), 1e-12);
}

TEST(Linearise, TwoUnitsHaveTheEigenvaluesOfTheWholeModel) {
  const auto split = of(two_masses, {.settings = {{"one.d_wall", "0.2"}, {"two.k_wall", "7"}}});
  const auto whole =
      of("units: {both: {model: two_mass}}\nset: {both.k1: 10, both.d1: 0.2, both.k2: 7, both.d2: 1, "
         "both.k: 25, both.d: 0.1}\n");
  ASSERT_EQ(split.eigenvalues.size(), whole.eigenvalues.size());
  for (std::size_t i = 0; i < split.eigenvalues.size(); ++i)
    EXPECT_LT(std::abs(split.eigenvalues[i].value - whole.eigenvalues[i].value), 1e-8) << "TwoMass: by differences";
}

TEST(Linearise, APendulumAtRestHasItsFrequencyAndDamping) {
  for (const double d : {0.0, 0.6}) {
    const auto lin =
        of(fmt::format("units: {{p: {{model: pendulum}}}}\nset: {{p.theta: 0, p.l: 2, p.m: 3, p.d: {}}}\n", d));
    ASSERT_THAT(lin.eigenvalues, SizeIs(2));
    const double omega = std::sqrt(9.81 / 2);
    EXPECT_NEAR(lin.eigenvalues[0].frequency, omega / two_pi, 1e-14);
    EXPECT_NEAR(lin.eigenvalues[0].damping, d / (3 * 4) / (2 * omega), 1e-14);
    EXPECT_TRUE(lin.is_equilibrium);
    EXPECT_THAT(lin.notes, IsEmpty());
  }
}

TEST(Linearise, EigenvectorsBelongToTheirEigenvalues) {
  auto request = at(0.3);
  request.eigenvectors = true;
  const auto lin = of(two_masses, request);
  ASSERT_THAT(lin.eigenvectors, SizeIs(4));
  for (std::size_t k = 0; k < 4; ++k) {
    const auto& v = lin.eigenvectors[k];
    double length = 0, largest = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      std::complex<double> product = 0;
      for (std::size_t j = 0; j < 4; ++j) product += lin.a(i, j) * v[j];
      EXPECT_LT(std::abs(product - lin.eigenvalues[k].value * v[i]), 1e-12);
      length += std::norm(v[i]);
      largest = std::max(largest, std::abs(v[i]));
    }
    EXPECT_NEAR(length, 1, 1e-12);
    EXPECT_TRUE(std::any_of(v.begin(), v.end(), [&](auto e) {
      return std::abs(e - std::complex<double>(largest)) < 1e-12;
    })) << "the largest element is real and positive";
  }
  EXPECT_THAT(of(two_masses).eigenvectors, IsEmpty());
}

// --- against differences of the right-hand side ----------------------------------------------------------------------

const char* const nonlinear = R"(
units:
  p: {model: pendulum}
  q: {model: pendulum}
  v: {model: van_der_pol}
  c: {units: {mass: {model: quadratic_mass}}, solver: cvode, inputs: [force], connections: [force -> mass.force]}
  rod: {model: heat_conductor}
inputs: [push]
outputs: [heat, angle]
connections:
  - push -> p.F_y
  - {to: p.F_x, value: "sin(p.x / 1 [m]) * v.x0 * 1 [N] - 2 [N/m] * q.x"}
  - {to: q.F_x, value: "-q.x * p.x ^ 2 * 1 [N/m3]"}
  - {to: c.force, value: "p.omega * v.x1 / 3 * 1 [N.s]"}
  - {to: rod.t_left, value: "300 [K] + 10 [K] * v.x0 ^ 2"}
  - rod.q_left -> heat
  - p.theta -> angle
set: {rod.n: 3, push: 0.3, p.d: 0.1}
)";

TEST(Linearise, TheMatricesAreDifferencesOfTheRightHandSide) {
  const auto lin = of(nonlinear, at(1.25));
  ASSERT_THAT(lin.states, AllOf(Contains("rod.t[3]"), Contains("c.mass.v"), Contains("p.omega")));
  EXPECT_THAT(lin.inputs, ElementsAre("push"));
  EXPECT_THAT(lin.outputs, ElementsAre("heat", "angle"));
  EXPECT_THAT(lin.u0, ElementsAre(0.3));
  EXPECT_FALSE(lin.is_equilibrium);

  // The point again, as start values, with one of them shifted.
  const auto evaluate = [&](std::size_t shifted, double by) {
    LineariseRequest request;
    std::string rod;
    for (std::size_t i = 0; i < lin.states.size(); ++i) {
      const auto text = fmt::format("{:.17g}", lin.x0[i] + (i == shifted ? by : 0));
      if (lin.states[i].starts_with("rod.t["))
        rod += text + " ";
      else
        request.settings.push_back({lin.states[i], text});
    }
    request.settings.push_back({"rod.t", rod});
    const double push = lin.u0[0] + (shifted == lin.states.size() ? by : 0);
    request.settings.push_back({"push", fmt::format("{:.17g}", push)});
    return of(std::string(nonlinear) + "experiment: {start: 1.25}\n", request);
  };
  const auto same = evaluate(99, 0);
  for (std::size_t i = 0; i < lin.states.size(); ++i)
    EXPECT_NEAR(same.f0[i], lin.f0[i], 1e-9 * std::max(1.0, std::abs(lin.f0[i]))) << lin.states[i];
  for (std::size_t j = 0; j <= lin.states.size(); ++j) {
    const double h = 1e-5 * std::max(1.0, j < lin.states.size() ? std::abs(lin.x0[j]) : 1.0);
    const auto up = evaluate(j, h), down = evaluate(j, -h);
    const auto& by_rates = j < lin.states.size() ? lin.a : lin.b;
    const auto& by_outputs = j < lin.states.size() ? lin.c : lin.d;
    const std::size_t column = j < lin.states.size() ? j : 0;
    // Differences: h² times third derivatives, which are up to 10 here, and rounding errors over h.
    for (std::size_t i = 0; i < lin.states.size(); ++i)
      EXPECT_NEAR(by_rates(i, column), (up.f0[i] - down.f0[i]) / (2 * h), 1e-7) << lin.states[i] << " by " << j;
    for (std::size_t i = 0; i < lin.outputs.size(); ++i)
      EXPECT_NEAR(by_outputs(i, column), (up.y0[i] - down.y0[i]) / (2 * h), 1e-6) << lin.outputs[i] << " by " << j;
  }
}

TEST(Linearise, ThePointIsThatOfTheTrajectory) {
  const auto lin = of("units: {d: {model: dahlquist}}\n", at(2.5, 1e-9));
  ASSERT_THAT(lin.x0, SizeIs(1));
  EXPECT_NEAR(lin.x0[0], std::exp(-2.5), 1e-7);
  EXPECT_NEAR(lin.f0[0], -std::exp(-2.5), 1e-7);
  EXPECT_THAT(row(lin.a, 0), ElementsAre(-1));
  EXPECT_FALSE(lin.is_equilibrium);
  EXPECT_THAT(lin.notes, Contains(HasSubstr("d.x")));
}

TEST(Linearise, ARunThatComesToRestEndsInAnEquilibrium) {
  const auto lin = of(std::string(two_masses) + "set: {one.d_wall: 20, two.d_wall: 20}\n", at(60, 1e-6));
  EXPECT_TRUE(lin.is_equilibrium) << fmt::format("{}", fmt::join(lin.f0, ", "));
}

TEST(Linearise, EventsBeforeTheTimeHappen) {
  const std::string system = R"(
units: {p: {model: pendulum}}
set: {p.theta: 0}
events: [{when: "time > 1", do: [{set: p.torque, to: "9.81 / 2"}]}]
)";
  EXPECT_THAT(of(system, at(0.9)).is_equilibrium, true);
  const auto lin = of(system + "experiment: {start: 0}\n", at(1.5));
  EXPECT_GT(lin.x0[0], 0.1) << "the torque turned the pendulum";
  EXPECT_THAT(refusal("units: {p: {model: pendulum}}\nevents: [{when: \"time > 1\", do: [{stop: done}]}]\n", at(2)),
              AllOf(HasSubstr("ended at t = 1"), HasSubstr("choose a time before its end")));
}

// --- inputs and outputs ----------------------------------------------------------------------------------------------

TEST(Linearise, WithoutConnectorsTheUnconnectedInputsAndAllOutputsCount) {
  const auto lin = of("units: {a: {model: linear_unit}, b: {model: linear_unit}}\nconnections: [a.y -> b.u]\n");
  EXPECT_THAT(lin.inputs, ElementsAre("a.u"));
  EXPECT_THAT(lin.outputs, ElementsAre("a.x", "a.y", "b.x", "b.y"));
  EXPECT_THAT(row(lin.b, 0), ElementsAre(1));
  EXPECT_THAT(row(lin.b, 1), ElementsAre(0.5)) << "through a.y";
  EXPECT_EQ(lin.d(1, 0), 0.5);
  EXPECT_EQ(lin.d(3, 0), 0.25) << "through a.y and b.y";
}

TEST(Linearise, ConnectorsOfTheSystemComeFirst) {
  const auto lin = of(R"(
units: {a: {model: linear_unit}, b: {model: linear_unit}}
inputs: [drive]
outputs: [last, twice]
connections: [{from: drive, to: b.u, factor: 3}, b.y -> last, {to: twice, value: "2 * b.x + drive"}]
set: {drive: 0.25}
)");
  EXPECT_THAT(lin.inputs, ElementsAre("drive"));
  EXPECT_THAT(lin.outputs, ElementsAre("last", "twice"));
  EXPECT_THAT(lin.u0, ElementsAre(0.25));
  EXPECT_THAT(row(lin.b, 0), ElementsAre(0));
  EXPECT_THAT(row(lin.b, 1), ElementsAre(3));
  EXPECT_THAT(row(lin.c, 1), ElementsAre(0, 2));
  EXPECT_EQ(lin.d(0, 0), 1.5);
  EXPECT_EQ(lin.d(1, 0), 1);
}

TEST(Linearise, GroupsAndSystemsInsideAreTakenApart) {
  const auto lin = of(R"(
units:
  inner: {units: {a: {model: linear_unit}}, solver: rk4, inputs: [u], outputs: [y], connections: [u -> a.u, a.y -> y]}
  deep: {units: {more: {units: {b: {model: linear_unit, solver: dopri5}}, inputs: [u], connections: [u -> b.u]}}, inputs: [u], connections: [u -> more.u]}
connections: [inner.y -> deep.u]
)");
  EXPECT_THAT(lin.states, ::testing::UnorderedElementsAre("inner.a.x", "deep.more.b.x"));
  EXPECT_EQ(lin.solver, "bdf");
}

TEST(Linearise, SaysWhatIsNotApplied) {
  const auto lin = of(R"(
units: {p: {model: pendulum}}
inputs: [push]
connections: [push -> p.F_x]
run: {input_file: push.csv}
scenario: [{at: 1, set: p.d, to: 2}]
)");
  EXPECT_THAT(lin.notes, Contains(AllOf(HasSubstr("push.csv"), HasSubstr("start values"))));
  EXPECT_THAT(lin.notes, Contains(HasSubstr("scenario")));
}

TEST(Linearise, ToleranceAndSolverAreThoseOfTheSystemOrTheRequest) {
  const std::string units = "units: {d: {model: dahlquist}}\n";
  EXPECT_EQ(of(units).tolerance, 1e-6);
  EXPECT_EQ(of(units + "experiment: {tolerance: 1.0e-9}\n").tolerance, 1e-9);
  EXPECT_EQ(of(units, {.tolerance = 1e-3}).tolerance, 1e-3);
  const auto lin = of(units, {.at = 1.0, .solver = "rk4"});
  EXPECT_EQ(lin.solver, "rk4");
  EXPECT_NEAR(lin.x0[0], std::exp(-1.0), 1e-10) << "steps of 1 ms";
  EXPECT_THAT(refusal(units, {.solver = "rk5"}), HasSubstr("rk4"));
}

// --- FMUs ------------------------------------------------------------------------------------------------------------

TEST(Linearise, FmusHaveTheMatricesOfTheNativeModel) {
  const auto native = of("units: {CoupledMass: {model: coupled_mass}}\n", at(0.5));
  for (const char* const version : {"fmi2", "fmi3"}) {
    const auto units = library();
    auto request = at(0.5);
    const auto document = document_of_fmu(fmu(std::string(version) + "/CoupledMass"));
    request.only_unit = document.system.name;
    const auto lin = linearise(document, *units, request);
    EXPECT_THAT(lin.states, ElementsAre("x", "v")) << version;
    EXPECT_THAT(lin.inputs, ElementsAre("x_other", "v_other")) << version;
    EXPECT_EQ(lin.a.values, native.a.values) << version;
    EXPECT_EQ(lin.b.values, native.b.values) << version;
    EXPECT_EQ(lin.c.values, native.c.values) << version;
    EXPECT_EQ(lin.d.values, native.d.values) << version;
    EXPECT_NEAR(lin.x0[0], native.x0[0], 1e-9) << version;
    EXPECT_THAT(lin.notes, SizeIs(1)) << "not an equilibrium, and nothing about Co-Simulation";
  }
}

TEST(Linearise, UnitsThatShowNoStatesAreNamed) {
  const auto system = fmt::format("units:\n  good: {{model: pendulum}}\n  cs: {0}\n  inner: {{units: {{cs: {0}}}}}\n",
                                  fmu("fmi1/cs/CoupledMass"));
  EXPECT_THAT(refusal(system), AllOf(HasSubstr("'cs', 'inner.cs' offer Co-Simulation only"), Not(HasSubstr("good")),
                                     HasSubstr("use FMUs with Model Exchange")));
  EXPECT_THAT(refusal(fmt::format("units: {{old: {}}}\n", fmu("fmi1/me/CoupledMass"))),
              AllOf(HasSubstr("unit 'old' is an FMU of FMI 1.0"), HasSubstr("FMI 2.0 or 3.0")));
}

TEST(Linearise, RefusesWrongTimes) {
  const std::string system = "units: {p: {model: pendulum}}\nexperiment: {start: 2, stop: 3}\n";
  EXPECT_EQ(of(system).time, 2);
  EXPECT_THAT(refusal(system, at(1)), HasSubstr("before the start of the system, 2 s"));
  EXPECT_THAT(refusal(system, at(std::nan(""))), HasSubstr("must be finite"));
}

TEST(Linearise, DerivativesThatAreNotFiniteAreErrors) {
  EXPECT_THAT(refusal("units: {p: {model: pendulum}, q: {model: pendulum}}\nset: {p.theta: 0}\nconnections: [{to: "
                      "q.F_x, value: \"sqrt(p.theta) * 1 [N]\"}]\n"),
              AllOf(HasSubstr("q."), HasSubstr("p.theta")));
}

// --- JSON ------------------------------------------------------------------------------------------------------------

TEST(Linearise, JsonHasEverything) {
  auto request = at(0.5);
  request.eigenvectors = true;
  const auto lin = of(two_masses, request);
  const auto json = nlohmann::json::parse(json_of(lin));
  EXPECT_EQ(json["states"], lin.states);
  EXPECT_EQ(json["x0"].get<std::vector<double>>(), lin.x0) << "all digits";
  EXPECT_EQ(json["A"][1][0], lin.a(1, 0));
  EXPECT_EQ(json["A"].size(), 4U);
  EXPECT_EQ(json["C"].size(), lin.outputs.size());
  EXPECT_EQ(json["eigenvalues"][2]["frequency"], lin.eigenvalues[2].frequency);
  EXPECT_EQ(json["eigenvectors"].size(), 4U);
  EXPECT_EQ(json["equilibrium"], false);
  const auto zero =
      nlohmann::json::parse(json_of(of("units: {m: {model: coupled_mass}}\nset: {m.k: 0, m.k_wall: 0, "
                                       "m.d: 0, m.d_wall: 0}\n")));
  EXPECT_TRUE(zero["eigenvalues"][0]["damping"].is_null()) << "the eigenvalue 0 has no damping";
}

}  // namespace
}  // namespace consort::analyse::linearise_tests
