// Ratio of the coupling errors of a coarse and a fine solution when inputs follow polynomials through past values.
//
// A step from Tn to Tn + 2H is done in two halves (fine) and in another, coarser way. Each part replaces inputs by
// polynomials through points, given as nodes (Tn - T) / H: 0 is Tn and -1 the middle. The error of such a polynomial at
// Tn + sH is proportional to Π (s + node). The error of states is its integral, the error of outputs with feed-through
// is its value at the end. If polynomials interpolate derivatives, too, a node counts once for its value and once for
// each derivative.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "couple/history.hpp"

namespace consort::couple {

class Nodes {
 public:
  void add(double node, int times = 1) {
    for (int i = 0; i < times && count_ < most_points; ++i) nodes_[static_cast<std::size_t>(count_++)] = node;
  }
  [[nodiscard]] int order() const { return count_ - 1; }
  [[nodiscard]] double product(double s) const;                 // Π (s + node)
  [[nodiscard]] double integral(double from, double to) const;  // of the product
  [[nodiscard]] std::span<const double> values() const {
    return std::span(nodes_).first(static_cast<std::size_t>(count_));
  }

 private:
  std::array<double, most_points> nodes_{};
  int count_ = 0;
};

// The nodes of a step that begins at `t` with inputs of this order: `t` and earlier points of the history.
[[nodiscard]] Nodes nodes_before(const History& history, const Memory& memory, Time t, Duration h, int order);
// The nodes of the second half, given those of the first; `each`: data per point, see History::each().
[[nodiscard]] Nodes nodes_of_second_half(const Nodes& first, int order, int each = 1);

struct ErrorRatio {
  double states = 2;   // outputs that depend on states: error of the coarse solution / error of the fine one
  double outputs = 2;  // outputs that depend directly on inputs
  int order = 0;       // the lowest order among the parts
};
// If the coarse solution has a lower order than the fine one, the ratio for equal steps of the lower order is used,
// which does not make the estimate too small.
[[nodiscard]] ErrorRatio error_ratio(const Nodes& coarse, const Nodes& first, const Nodes& second);
// The same if the inputs' values at the end of the step are known: polynomials interpolate the end value and as many of
// the earlier points in `coarse` and `first` as the order needs. Such inputs have no error at the end, so outputs have
// the same ratio as states.
[[nodiscard]] ErrorRatio interpolated_error_ratio(const Nodes& coarse, const Nodes& first, int order, int each = 1);
// For equal steps of this order: 2^(order + 1) if past points are as coarse as the step; if `shared_past`, the ratio
// for past points that both solutions share.
[[nodiscard]] ErrorRatio equal_steps_ratio(int order, bool shared_past, int each = 1);

}  // namespace consort::couple
