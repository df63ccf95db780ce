// Instantaneous dependencies among estimated outputs: the matrix D L, from directional derivatives of units. If two
// such paths are in series, an estimate without them is wrong in its leading order.
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
  // Finds the paths between outputs marked as feed-through.
  DirectPaths(const graph::Plan& plan, const std::vector<EstimatedOutput>& outputs);
  DirectPaths(DirectPaths&&) = default;  // queries_ points into the other vectors, whose memory stays in place
  DirectPaths& operator=(DirectPaths&&) = default;
  DirectPaths(const DirectPaths&) = delete;
  DirectPaths& operator=(const DirectPaths&) = delete;
  ~DirectPaths() = default;

  // True if an output with feed-through drives another such output; otherwise no correction is needed.
  [[nodiscard]] bool in_series() const { return in_series_; }
  // True if all units on such paths provide directional derivatives. False for paths through arrays and for more than
  // 200 estimated outputs.
  [[nodiscard]] bool known(const fleet::Fleet& fleet) const;

  // Evaluates D L at the present point. Called in steps only if paths are in series.
  void evaluate(fleet::Fleet& fleet);
  // Turns differences (fine - coarse) into estimates: (ratio C⁻¹ - I)⁻¹ differences with C = I + (order + 1) D L.
  // Outputs that depend on states have a ratio of their own and no paths. Returns false and changes nothing if the
  // matrix is singular.
  bool correct(const ErrorRatio& ratio, std::vector<double>& differences);

 private:
  struct Path {              // from one estimated output through an input to another one
    std::uint32_t from = 0;  // index of an estimated output
    std::uint32_t to = 0;
    graph::UnitId unit = 0;  // owner of the input
    ValueReference input = 0;
    ValueReference output = 0;
    double factor = 1;
  };
  std::vector<Path> paths_;
  std::vector<fleet::DerivativeQuery> queries_;  // by path
  std::vector<double> sensitivities_;
  bool in_series_ = false;
  bool complete_ = true;  // paths_ contains all paths
  std::size_t size_ = 0;
  std::vector<bool> direct_;  // by output: true if it depends directly on inputs
  std::vector<double> dl_, matrix_, rhs_;
};

}  // namespace consort::couple
