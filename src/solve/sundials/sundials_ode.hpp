// Shared by CVODE and ARKODE: an explicit ODE and its Jacobian behind SUNDIALS' C callbacks. `user_data` is the
// SundialsOde.
#pragma once

#include <optional>
#include <vector>

#include "solve/problem.hpp"
#include "solve/sundials/sundials_jacobian.hpp"
#include "solve/sundials/sundials_solver.hpp"

namespace consort::solve {

class SundialsOde : public SundialsSolver {
 protected:
  SundialsOde(const SolverRow& row, const Ode& ode, const SolverOptions& options);

  static int rhs(sunrealtype t, N_Vector y, N_Vector dy, void* self);
  static int jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix jacobian, void* self, N_Vector, N_Vector,
                      N_Vector);
  static int jacobian_times(N_Vector v, N_Vector jv, sunrealtype t, N_Vector y, N_Vector fy, void* self, N_Vector);

  void make_linear_part();  // for implicit methods
  [[nodiscard]] const Ode& ode() const { return ode_; }
  [[nodiscard]] LinearPart& linear() { return *linear_; }
  void first_derivative(Vector out) const override;

 private:
  static Problem common_part(const Ode& ode);  // of a checked Ode
  bool fill_values(Time t, ConstVector y, ConstVector fy);

  const Ode& ode_;
  std::optional<LinearPart> linear_;
  // For coloured differences.
  std::vector<double> moved_;
  std::vector<double> changed_;
  std::vector<double> steps_;
};

}  // namespace consort::solve
