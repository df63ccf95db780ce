// How much larger the coupling error of a coarse solution is than that of a fine one, when inputs follow polynomials
// through what was known before.
//
// A step from Tn to Tn + 2H is done in two halves (fine) and in another, coarser way. Each part replaces the inputs by
// polynomials through points, given as nodes: (Tn - T) / H, so that 0 is Tn and -1 the middle. The error of such a
// polynomial at Tn + sH is proportional to Π (s + node); states feel its integral, outputs with feed-through its value
// at the end. Where polynomials go through derivatives, too, a node counts once for its value and once for each of
// them.
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
  [[nodiscard]] double integral(double from, double to) const;  // of it
  [[nodiscard]] std::span<const double> values() const {
    return std::span(nodes_).first(static_cast<std::size_t>(count_));
  }

 private:
  std::array<double, most_points> nodes_{};
  int count_ = 0;
};

// The nodes of a step that begins at `t` with inputs of this order: `t` itself, and what the history holds before it.
[[nodiscard]] Nodes nodes_before(const History& history, const Memory& memory, Time t, Duration h, int order);
// The nodes of the second half, when the first one had these; `each`: what points have, see History::each().
[[nodiscard]] Nodes nodes_of_second_half(const Nodes& first, int order, int each = 1);

struct ErrorRatio {
  double states = 2;   // outputs that follow states: error of the coarse solution / error of the fine one
  double outputs = 2;  // outputs that follow inputs directly
  int order = 0;       // the lowest that took part
};
// Where the coarse solution has a lower order than the fine one, the ratio for equal steps of that order stands in,
// which does not make the estimate smaller than it should be.
[[nodiscard]] ErrorRatio error_ratio(const Nodes& coarse, const Nodes& first, const Nodes& second);
// The same where inputs know the end of their step: their polynomials go through its value and through what `coarse`
// and `first` hold before, as far as the order wants. Errors of such inputs at the end are none, so that outputs have
// the ratio of states.
[[nodiscard]] ErrorRatio interpolated_error_ratio(const Nodes& coarse, const Nodes& first, int order, int each = 1);
// For equal steps of this order: 2^(order + 1) with points of the past that are as coarse as the step, otherwise with
// shared ones.
[[nodiscard]] ErrorRatio equal_steps_ratio(int order, bool shared_past, int each = 1);

}  // namespace consort::couple
