// Solves one algebraic loop of a group at the present point: u = c(g(u)), by Newton's method.
//
// The Jacobian is kept from solution to solution and evaluated again when the iteration becomes slow. It is part of the
// state of a run, so that a restored run repeats its results bit for bit; its factors are computed from it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace consort::group {

struct LoopStatistics {
  std::uint64_t solutions = 0;
  std::uint64_t iterations = 0;
  std::uint64_t jacobians = 0;
};

class LoopSolver {
 public:
  struct Problem {
    std::vector<std::string> variables;  // for messages
    std::vector<double> nominals;
    // image = c(g(u)).
    std::function<void(std::span<const double> u, std::span<double> image)> image;
    // ∂image/∂u at the present point, column after column. False: use differences.
    std::function<bool(std::span<double>)> jacobian;
  };
  explicit LoopSolver(Problem problem);
  ~LoopSolver();
  LoopSolver(LoopSolver&&) noexcept;
  LoopSolver& operator=(LoopSolver&&) = delete;

  // Begins at `u`, which is near the last solution, and ends at the solution; the problem was evaluated there last.
  // Throws fmi::Discarded with the variables and residuals if there is no solution, or if it is not unique (singular).
  void operator()(std::span<double> u, double tolerance, Time t);

  // ∂image/∂u as last evaluated; empty at first.
  [[nodiscard]] const std::vector<double>& memory() const { return jacobian_; }
  void restore(const std::vector<double>& memory);
  [[nodiscard]] const LoopStatistics& statistics() const { return statistics_; }

 private:
  [[nodiscard]] double residual(std::span<const double> u, double tolerance);  // relative to what is allowed
  void evaluate_jacobian(std::span<const double> u);
  [[nodiscard]] bool factorise();
  [[nodiscard]] std::string residual_text() const;

  Problem problem_;
  std::vector<double> jacobian_;
  std::vector<double> image_, difference_, shifted_;
  LoopStatistics statistics_;
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace consort::group
