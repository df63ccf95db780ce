// The first variation of ẋ = f(t, x, u(t)) over a step: how the states at its end change when inputs are shifted.
//
// ẋ and ṡ = ∂f/∂x · s + ∂f/∂u · seed are integrated together by our own BDF, the second with central differences of f
// along (s, seed). That is smooth in everything, other than the difference of two runs with step size control.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "solve/problem.hpp"
#include "solve/solver.hpp"

namespace consort::unit {

class StepSensitivity {
 public:
  // f at (t, x) with `amount` of the seed added to the inputs.
  using Rate = std::function<void(Time t, solve::ConstVector x, double amount, solve::Vector dx)>;
  StepSensitivity(std::size_t states, Rate rate, double rtol);
  StepSensitivity(const StepSensitivity&) = delete;
  StepSensitivity& operator=(const StepSensitivity&) = delete;

  // s at `to` from s = 0 at `from`, where the states are x. `seed_size` is the largest of |seed| / max(1, |u|).
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

// The amount by which to go along a direction of this size for central differences: the relative step that balances
// truncation and rounding is the cube root of epsilon.
[[nodiscard]] double difference_step(double direction_size);

}  // namespace consort::unit
