// How estimated outputs follow each other within one instant: the matrix D L, from directional derivatives of units.
// Where two such paths follow each other, an estimate that does not know them is wrong in its leading order.
#pragma once

#include <cstdint>
#include <vector>

#include "couple/error_estimate.hpp"
#include "fleet/fleet.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

class DirectPaths {
 public:
  DirectPaths() = default;
  // Between those outputs that are marked as feed-through.
  DirectPaths(const graph::Plan& plan, const std::vector<EstimatedOutput>& outputs);
  DirectPaths(DirectPaths&&) = default;  // queries point into the vectors, which stay where they are
  DirectPaths& operator=(DirectPaths&&) = default;
  DirectPaths(const DirectPaths&) = delete;
  DirectPaths& operator=(const DirectPaths&) = delete;
  ~DirectPaths() = default;

  // Whether an output that follows inputs drives another such output: otherwise there is nothing to correct.
  [[nodiscard]] bool in_series() const { return in_series_; }
  // Whether all units on such paths tell their derivatives. Those of arrays are not asked for, nor more than some
  // hundred.
  [[nodiscard]] bool known(const fleet::Fleet& fleet) const;

  // At the present point. Off the step path where nothing is in series.
  void evaluate(fleet::Fleet& fleet);
  // differences (fine - coarse) become estimates: (ratio C⁻¹ - I)⁻¹ differences with C = I + (order + 1) D L, where
  // outputs that follow states have a ratio of their own and no paths. False, and nothing changed, when the matrix is
  // singular.
  bool correct(const ErrorRatio& ratio, std::vector<double>& differences);

 private:
  struct Path {              // from one estimated output over an input to another
    std::uint32_t from = 0;  // estimated outputs
    std::uint32_t to = 0;
    graph::UnitId unit = 0;  // whose input it is
    ValueReference input = 0;
    ValueReference output = 0;
    double factor = 1;
  };
  std::vector<Path> paths_;
  std::vector<fleet::DerivativeQuery> queries_;  // by path
  std::vector<double> sensitivities_;
  bool in_series_ = false;
  bool complete_ = true;  // paths_ has them all
  std::size_t size_ = 0;
  std::vector<bool> direct_;  // by output: it follows inputs
  std::vector<double> dl_, matrix_, rhs_;
};

}  // namespace consort::couple
