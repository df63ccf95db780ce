// The first variation of ẋ = f(t, x, u(t)) over a step: how the states at its end change when inputs are shifted.
//
// ẋ and ṡ = ∂f/∂x · s + ∂f/∂u · seed are integrated together by our own BDF; ṡ uses central differences of f along (s,
// seed). The result is smooth in all arguments, unlike the difference of two runs with step size control.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solve/problem.hpp"
#include "solve/solver.hpp"

namespace consort::unit {

class StepSensitivity {
 public:
  // f at (t, x) with `amount` times the seed added to the inputs.
  using Rate = std::function<void(Time t, solve::ConstVector x, double amount, solve::Vector dx)>;
  StepSensitivity(std::size_t states, Rate rate, double rtol);
  StepSensitivity(const StepSensitivity&) = delete;
  StepSensitivity& operator=(const StepSensitivity&) = delete;

  // Returns s at `to`, starting with s = 0 and states x at `from`. `seed_size` is the maximum of |seed| / max(1, |u|).
  [[nodiscard]] solve::ConstVector operator()(Time from, Time to, solve::ConstVector x, double seed_size);

 private:
  // ds = directional derivative of f at (t, x) along (s, seed).
  void variation(Time t, solve::ConstVector x, solve::ConstVector s, solve::Vector ds);

  std::size_t n_;
  Rate rate_;
  double rtol_;
  double seed_size_ = 1;
  solve::Ode ode_;
  std::unique_ptr<solve::Solver> solver_;
  std::vector<double> start_, tolerances_, shifted_, before_;
};

// Returns the step along a direction of this size for central differences. The cube root of epsilon balances truncation
// and rounding.
[[nodiscard]] double difference_step(double direction_size);

}  // namespace consort::unit
