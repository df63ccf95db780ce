// The base of one-step methods with fixed step size; a method adds only the formula for one step.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/own/ode_solver.hpp"

namespace consort::solve {

struct FixedMemory {
  Time base = 0;            // steps end at base + n * step
  std::uint64_t count = 0;  // n
  bool has_rate = false;    // f1 is f(t, y); false after a restart
  std::vector<double> y0{};
  std::vector<double> f0{};  // at the ends of the last step
  std::vector<double> f1{};
  std::vector<double> jacobian{};  // implicit methods only
  double gamma = 0;                // of the factorised matrix; 0: no factorisation

  template <class Archive>
  void fields(Archive& archive) {
    archive(base, count, has_rate, y0, f0, f1, jacobian, gamma);
  }
};

class FixedSolver : public RememberingSolver<FixedMemory> {
 public:
  StepResult step(Time limit) override;
  void reinitialise(const Restart& restart) override;
  void interpolate(Time t, Vector y) const override;
  void interpolate_derivative(Time t, Vector ydot) const override;

 protected:
  FixedSolver(const SolverRow& row, const Ode& ode, const SolverOptions& options);

  // Computes y1, the state at t + h, from the state y at t, with f = f(t, y). Throws if a value is not finite.
  virtual void formula(Time t, Duration h, ConstVector y, ConstVector f, Vector y1) = 0;
  // f at the end of the step.
  virtual void end_rate(Time end, Duration h, ConstVector y, ConstVector y1, Vector f1);
  // Computes f(t, y); throws if a value is not finite.
  void rate(Time t, ConstVector y, Vector dy);

 private:
  std::vector<double> y1_;
  std::vector<double> f1_;
};

}  // namespace consort::solve
