// Small systems of units made of lambdas, for tests of the engine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/library.hpp"
#include "engine/simulation.hpp"
#include "unit/lambda_unit.hpp"

namespace consort::engine::testing {

// y is `answer` of the time at the end of each step, and initially of the start time.
inline Library::Factory source(std::function<double(double)> answer) {
  return [answer](const std::string& name) {
    auto unit = std::make_unique<unit::LambdaUnit>(name);
    const auto y = unit->output("y", answer(0));
    unit->on_step([y, answer](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
      v[y] = answer(r.t + r.h);
      return unit::completed(r);
    });
    return unit;
  };
}

// y is the integral of u, which is held over a step.
inline Library::Factory integrator(double start = 0) {
  return [start](const std::string& name) {
    auto unit = std::make_unique<unit::LambdaUnit>(name);
    const auto u = unit->input("u", 0.0);
    const auto y = unit->output("y", start);
    unit->on_step([u, y](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
      v[y] += r.h * v[u];
      return unit::completed(r);
    });
    return unit;
  };
}

// y is gain times u of the last step, plus one: feed-through that needs a step.
inline Library::Factory counter(double gain = 1) {
  return [gain](const std::string& name) {
    auto unit = std::make_unique<unit::LambdaUnit>(name);
    const auto u = unit->input("u", 0.0);
    const auto y = unit->output("y", 0.0);
    unit->on_step([u, y, gain](unit::LambdaUnit::Values& v, const unit::StepRequest& r) {
      v[y] = gain * v[u] + 1;
      return unit::completed(r);
    });
    return unit;
  };
}

inline std::shared_ptr<Library> library() {
  auto all = std::make_shared<Library>();
  all->add("counter", counter());
  all->add("integrator", integrator());
  return all;
}

inline SimulationOptions options(double stop, double step, std::string stepper = "jacobi") {
  SimulationOptions o;
  o.run.stop = stop;
  o.run.step = step;
  o.run.tolerance = 1e-6;
  o.run.stepper = std::move(stepper);
  o.run.threads = 1;
  return o;
}

inline double number(Simulation& s, const std::string& path) { return s.value(path).elements<double>().front(); }

}  // namespace consort::engine::testing
