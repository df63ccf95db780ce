#include <memory>

#include "solve/own/fixed_solver.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {
namespace {

class ExplicitEuler : public FixedSolver {
 public:
  ExplicitEuler(const SolverRow& row, const Ode& ode, const SolverOptions& options) : FixedSolver(row, ode, options) {}

 private:
  void formula(Time /*t*/, Duration h, ConstVector y, ConstVector f, Vector y1) override {
    for (std::size_t i = 0; i < y.size(); ++i) y1[i] = y[i] + h * f[i];
  }
};

}  // namespace

std::unique_ptr<Solver> make_explicit_euler(const SolverRow& row, const Ode& ode, const SolverOptions& options) {
  return std::make_unique<ExplicitEuler>(row, ode, options);
}

}  // namespace consort::solve
