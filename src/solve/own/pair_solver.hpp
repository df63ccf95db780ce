// Explicit pairs with step size control: the loop around the stages, shared by all pairs.
//
// The controller is that of Hairer's DOPRI5 (Solving Ordinary Differential Equations I, II.4): proportional and
// integral, with a stabilisation that may be zero. The test for stiffness is also his (IV.2).
#pragma once

#include <cstddef>
#include <vector>

#include "solve/own/ode_solver.hpp"

namespace consort::solve {

struct PairMemory {
  Duration h = 0;            // step size to try next; 0: not yet known
  double last_error = 1e-4;  // of the previous step
  bool has_rate = false;     // f is f(t, y)
  int stiff = 0;             // steps that looked stiff; not_stiff: others since then
  int not_stiff = 0;
  std::vector<double> f{};
  std::vector<double> dense{};  // the method's dense output of the last step

  template <class Archive>
  void fields(Archive& archive) {
    archive(h, last_error, has_rate, stiff, not_stiff, f, dense);
  }
};

class PairSolver : public RememberingSolver<PairMemory> {
 public:
  StepResult step(Time limit) override;
  void reinitialise(const Restart& restart) override;

 protected:
  struct Control {
    double exponent;      // of the error in the next step size
    double beta;          // of the previous error in the next step size
    double growth;        // maximum in one step
    double stable_limit;  // slightly below the |h * lambda| at which the method becomes unstable
    std::size_t dense;    // number of vectors of dense output
  };
  PairSolver(const SolverRow& row, const Ode& ode, const SolverOptions& options, Control control);

  // Computes y1_, f1_ = f(t + h, y1_) and error_ from common_.y and memory_.f. False: a stage was not finite; stage()
  // has stored its component and time.
  virtual bool stages(Duration h) = 0;
  // An estimate of |h * lambda| from the stages.
  [[nodiscard]] virtual double stiffness(Duration h) const = 0;
  // Fills memory_.dense for the step. The state at its beginning is still in common_.y and memory_.f.
  virtual void prepare_dense(Duration h) = 0;

  // Evaluates one stage, f(t, y), into dy; false: not finite.
  bool stage(Time t, ConstVector y, Vector dy);
  // |f1_ - f| / |y1_ - y|, for stiffness().
  [[nodiscard]] double slope(ConstVector f, ConstVector y) const;
  [[nodiscard]] Vector dense(std::size_t k) { return Vector(memory_.dense).subspan(k * size(), size()); }
  [[nodiscard]] ConstVector dense(std::size_t k) const {
    return ConstVector(memory_.dense).subspan(k * size(), size());
  }
  // The position of t in the last step, from 0 to 1.
  [[nodiscard]] double part(Time t) const {
    return common_.t > common_.from ? (t - common_.from) / (common_.t - common_.from) : 1;
  }

  // NOLINTBEGIN(cppcoreguidelines-non-private-member-variables-in-classes): the methods work on them
  std::vector<double> y1_;
  std::vector<double> f1_;
  std::vector<double> error_;
  // NOLINTEND(cppcoreguidelines-non-private-member-variables-in-classes)

 private:
  void start(Time limit);
  void accept(Time end, Duration h, double error, Duration next);
  void check_stiffness(Duration h);
  [[noreturn]] void fail_small_step(Duration h, bool finite) const;

  Control control_;
  std::size_t bad_ = 0;
  Time bad_time_ = 0;
};

}  // namespace consort::solve
