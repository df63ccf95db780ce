// The table of all unit implementations for the conformance suite: add one row for a new implementation.
//
// Every row makes units of those models below that it supports; tests that need another model are skipped.
//   LinearUnit   x' = u - x, y = x + d u with x = 1 and d = 0.5: supported by every row
//   CoupledMass  two inputs (x_other, v_other), two states, feed-through to dx and dv
//   Feedthrough  an input and an output of every type
//   Stair        time events, and a request to end the run
//   Bad          errors and discarded steps on demand
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "../../../models/bad.hpp"
#include "../../../models/coupled_mass.hpp"
#include "../../../models/feedthrough.hpp"
#include "../../../models/linear_unit.hpp"
#include "base/tests/places.hpp"
#include "fmi/tests/fmu_files.hpp"
#include "unit/fmu_unit.hpp"
#include "unit/lambda_unit.hpp"
#include "unit/linear_unit.hpp"
#include "unit/tests/adapted_units.hpp"
#include "unit/tests/custom_models.hpp"

namespace consort::unit {

// --- functions that make units; the unit is null if the model is not supported

inline Adapted make_co_simulation(const std::string& folder, const std::string& model, bool use_event_mode = false) {
  Adapted result;
  result.fmu =
      std::make_unique<fmi::Fmu>(fmi::Fmu::open(std::filesystem::path(places::fmus()) / folder / (model + ".fmu")));
  result.unit = make_fmu_unit(*result.fmu, {.name = "adapted", .use_event_mode = use_event_mode});
  return result;
}

// An FMU that could save its state but does not declare it.
inline Adapted make_forgetful(int version, const std::string& model) {
  const std::string name = version == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState";
  fmi::UnpackedFmu changed(version, model);
  changed.replace(name + "=\"true\"", name + "=\"false\"");  // the first interface is Model Exchange
  Adapted result;
  result.fmu = std::make_unique<fmi::Fmu>(changed.open());
  result.unit = make_me_unit(*result.fmu, {.name = "adapted"});
  return result;
}

inline Adapted make_native(const std::string& model) {
  if (model == "LinearUnit") return adapt_model<::LinearUnit>(model);
  if (model == "CoupledMass") return adapt_model<CoupledMass>(model);
  if (model == "Feedthrough") return adapt_model<Feedthrough>(model);
  if (model == "Stair") return adapt_model<Stair>(model);
  if (model == "Bad") return adapt_model<Bad>(model);
  return {};
}

inline Adapted make_linear(const std::string& model, bool answers_at_once) {
  LinearSystem system;
  if (model == "LinearUnit") system = {{"u"}, {"x", "y"}, {1}, {-1}, {1}, {1, 1}, {0, 0.5}};
  if (model == "CoupledMass")
    system = {{"x_other", "v_other"},   {"x", "v", "dx", "dv"},    {1, 0}, {0, 1, -35, -1.1}, {0, 0, 25, 0.1},
              {1, 0, 0, 1, 1, 0, 0, 1}, {0, 0, 0, 0, -1, 0, 0, -1}};
  if (system.outputs.empty()) return {};
  system.answers_at_once = answers_at_once;
  return {nullptr, std::make_unique<LinearUnit>("adapted", std::move(system))};
}

inline Adapted make_lambda(const std::string& model) {
  if (model != "LinearUnit") return {};
  auto unit = std::make_unique<LambdaUnit>("adapted");
  const auto u = unit->input("u", 0.0);
  const auto x = unit->output("x", 1.0);
  const auto y = unit->output("y", 1.0);
  const auto d = unit->parameter("d", 0.5);
  unit->on_initialize([=](LambdaUnit::Values& v) { v[y] = v[x] + v[d] * v[u]; });
  unit->on_step([=](LambdaUnit::Values& v, const StepRequest& r) {
    v[x] = v[u] + (v[x] - v[u]) * std::exp(-r.h);
    v[y] = v[x] + v[d] * v[u];
    return completed(r);
  });
  return {nullptr, std::move(unit)};
}

// --- the table

struct UnitKind {
  const char* name;
  Adapted (*make)(const std::string& model);
  // For the model LinearUnit after steps of 0.1 s with values of magnitude 1. Exported FMUs take one step of the
  // classical Runge-Kutta method: h⁴ / 120. Solvers have a tolerance of 1e-8 and a global error of 100 times that.
  // Exact units have rounding errors.
  double accuracy;
};

constexpr double runge_kutta = 1e-6, solver = 1e-6, rounding = 1e-14;

#ifdef CONSORT_UNIT_KINDS  // a folder with units of its own runs the suite with these
}  // namespace consort::unit
#include CONSORT_UNIT_KINDS
namespace consort::unit {
#else
inline const UnitKind unit_kinds[] = {
    {"Fmi1CoSimulation", [](const std::string& m) { return make_co_simulation("fmi1/cs", m); }, runge_kutta},
    {"Fmi2CoSimulation", [](const std::string& m) { return make_co_simulation("fmi2", m); }, runge_kutta},
    {"Fmi3CoSimulation", [](const std::string& m) { return make_co_simulation("fmi3", m); }, runge_kutta},
    {"Fmi3EventMode", [](const std::string& m) { return make_co_simulation("fmi3", m, true); }, runge_kutta},
    {"Fmi1ModelExchange", [](const std::string& m) { return adapt_fmu("fmi1/me/" + m + ".fmu"); }, solver},
    {"Fmi2ModelExchange", [](const std::string& m) { return adapt_fmu("fmi2/" + m + ".fmu"); }, solver},
    {"Fmi3ModelExchange", [](const std::string& m) { return adapt_fmu("fmi3/" + m + ".fmu"); }, solver},
    {"Fmi2WithoutSavedStates", [](const std::string& m) { return make_forgetful(2, m); }, solver},
    {"Fmi3WithoutSavedStates", [](const std::string& m) { return make_forgetful(3, m); }, solver},
    {"NativeModel", make_native, solver},
    {"CustomModel", make_custom, solver},
    {"LinearUnit", [](const std::string& m) { return make_linear(m, false); }, rounding},
    {"LinearUnitThatAnswersAtOnce", [](const std::string& m) { return make_linear(m, true); }, rounding},
    {"LambdaUnit", make_lambda, rounding},
};
#endif

// --- helper functions of the tests

// Ends event mode: updates until no further update is requested.
inline EventOutcome settle(Events& events) {
  EventOutcome last;
  for (int i = 0; i < 100; ++i) {
    last = events.update();
    if (last.terminate) return last;
    if (!last.repeat) {
      events.leave_event_mode();
      return last;
    }
  }
  ADD_FAILURE() << "the events do not settle";
  return last;
}

// True if only the importer handles the events.
inline bool needs_event_mode(const Adapted& a) {
  return a.unit->events() != nullptr && !a.unit->handles_events_inside();
}

// Such a unit is in event mode after its initialization (FMI 3.0, 2.3.4).
inline void finish_initialization(const Adapted& a) {
  a.unit->exit_initialization();
  if (needs_event_mode(a)) settle(*a.unit->events());
}

inline void start(const Adapted& a, Time t = 0) {
  a.unit->enter_initialization({t, {}, 1e-8});
  finish_initialization(a);
}

// Returns x of the model LinearUnit at t, starting from x(0). `u`: value and derivatives of u at 0.
inline double exact_lag(double x, std::span<const double> u, Time t) {
  // The particular solution is p = u - u' + u'' - …, with every derivative of the polynomial evaluated at t and at 0.
  const auto derivative = [&](std::size_t order, Time at) {
    double sum = 0;
    double term = 1;
    for (std::size_t k = order; k < u.size(); ++k) {
      sum += u[k] * term;
      term *= at / static_cast<double>(k - order + 1);
    }
    return sum;
  };
  const auto particular = [&](Time at) {
    double sum = 0;
    for (std::size_t k = 0; k < u.size(); ++k) sum += (k % 2 == 0 ? 1 : -1) * derivative(k, at);
    return sum;
  };
  return particular(t) + (x - particular(0)) * std::exp(-t);
}

// Takes steps of 0.1 s with an input that depends only on the step number and sometimes jumps. Returns all observable
// values for bitwise comparison.
inline std::vector<double> run_lag(const Adapted& a, int from, int to) {
  std::vector<double> seen;
  for (int i = from; i < to; ++i) {
    a.set_value("u", i % 5 == 0 ? 2.0 : std::sin(0.1 * i));
    if (a.unit->input_order() > 0) a.set_derivatives("u", {std::cos(0.1 * i)});
    const auto outcome = a.unit->step({0.1 * i, 0.1, true});
    seen.insert(seen.end(), {outcome.reached, static_cast<double>(outcome.why)});
    for (const char* const name : {"u", "x", "y"}) seen.push_back(a.value(name));
  }
  return seen;
}

// Kind and text of the exception. The test fails if there is no exception or if it is not an Error.
struct Caught {
  Fault fault = Fault::run;
  std::string text{};
};
template <class F>
Caught caught(F&& body) {
  try {
    body();
  } catch (const Error& error) {
    return {error.fault(), error.what()};
  } catch (const std::exception& e) {
    ADD_FAILURE() << "not an Error: " << e.what();
    return {};
  }
  ADD_FAILURE() << "no Error";
  return {};
}

class UnitConformance : public ::testing::TestWithParam<UnitKind> {
 protected:
  // True for co-simulation FMUs, whose own code serves the calls.
  [[nodiscard]] static bool is_co_simulation() {
    const std::string name = GetParam().name;
    return name.find("CoSimulation") != std::string::npos || name.find("EventMode") != std::string::npos;
  }
  [[nodiscard]] static Adapted make(const std::string& model = "LinearUnit") { return GetParam().make(model); }
  [[nodiscard]] static Adapted make_started(const std::string& model = "LinearUnit") {
    auto result = make(model);
    if (result.unit) start(result);
    return result;
  }
  [[nodiscard]] static double accuracy() { return GetParam().accuracy; }
};

}  // namespace consort::unit
