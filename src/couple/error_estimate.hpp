// The coupling error of a step, from two solutions: the estimated outputs, their weights, and the norm.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "couple/error_ratio.hpp"
#include "couple/run_state.hpp"
#include "graph/document.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

// An element of an output whose error is estimated.
struct EstimatedOutput {
  std::uint32_t element = 0;  // of the outputs' Float64 column
  graph::UnitId unit = 0;
  describe::VariableId variable = 0;
  std::string name;  // "chassis.F"
  double nominal = 1;
  bool feed_through = false;  // depends on inputs driven by other units, in the same instant
  bool second_hand = false;   // depends only on states whose derivatives declare no inputs: a position
  bool may_jump = false;      // not declared continuous: no step size may reduce a difference
};

// All Float64 outputs that are connected to an input of a unit, and those of driven units that drive no other unit:
// there the errors of a chain arrive. (If such a unit has no variables of causality output, its recorded variables
// stand for them.) Their declared variability does not matter, because some tools declare every output discrete. In the
// order of the outputs. `is_late`: by unit; true if outputs with direct feed-through are evaluated with the inputs of
// the step instead of consistent ones.
[[nodiscard]] std::vector<EstimatedOutput> estimated_outputs(const graph::Plan& plan, const std::vector<bool>& is_late);

class ErrorEstimate {
 public:
  struct Weights {
    double relative = 1e-4;
    double absolute = 1e-4;  // times the nominal value
    graph::StepControl::Norm norm = graph::StepControl::Norm::root_mean_square;
  };
  ErrorEstimate(std::vector<EstimatedOutput> outputs, Weights weights);

  [[nodiscard]] const std::vector<EstimatedOutput>& outputs() const { return outputs_; }
  [[nodiscard]] bool has_feed_through() const { return has_feed_through_; }

  // Stores the outputs of the coarse solution.
  void keep_coarse(const Columns& outputs);
  // Compares with the outputs of the fine solution. Returns the norm: at most 1 for a step within the tolerance, NaN if
  // a value is NaN. `share`: the part of the tolerance that this step may use; outputs that depend directly on inputs
  // may use all of it, because their errors do not add up from step to step.
  double compare(const Columns& fine, const ErrorRatio& ratio, double share = 1);
  // The same with a correction: `correct` turns the differences (fine - coarse) of all outputs into estimates; if it
  // returns false, the ratio is used instead.
  template <class Correct>
  double compare(const Columns& fine, const ErrorRatio& ratio, double share, Correct&& correct) {
    find_differences(fine);
    return correct(estimates_) ? weigh(share) : compare(fine, ratio, share);
  }
  // The outputs of the fine solution in the last comparison.
  [[nodiscard]] const std::vector<double>& values() const { return fine_; }
  // Exact minus computed, per output.
  [[nodiscard]] const std::vector<double>& estimates() const { return estimates_; }
  // The output with the largest error relative to its tolerance; and that error.
  [[nodiscard]] std::size_t worst() const { return worst_; }
  [[nodiscard]] double largest() const { return largest_; }
  // The allowed error of an output in the last comparison.
  [[nodiscard]] double allowed(std::size_t output) const {
    return (least_[output] + weights_.relative * std::abs(fine_[output])) * (direct_[output] != 0 ? 1 : share_);
  }

  // Adds the last comparison to the controller's state. Call it after an accepted step.
  void count(ControlState& control) const;

 private:
  void find_differences(const Columns& fine);
  double weigh(double share);
  template <class Estimate, class Allowed>
  double sum_up(Estimate estimate, Allowed allowed);

  std::vector<EstimatedOutput> outputs_;
  Weights weights_;
  bool has_feed_through_ = false;
  // By output, as separate arrays: every step reads only these.
  std::vector<std::uint32_t> elements_;
  std::vector<double> least_;  // tolerance for a value of 0
  std::vector<std::uint8_t> direct_;
  std::vector<double> coarse_, fine_, estimates_;
  std::size_t worst_ = 0;
  double largest_ = 0;
  double share_ = 1;
};

}  // namespace consort::couple
