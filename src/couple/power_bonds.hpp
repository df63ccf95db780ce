// Power exchanged between units: an output (effort) in one direction and another (flow) back, whose product is a power.
// Each side uses extrapolated or delayed values of the other, so the two powers differ; the difference is energy that
// the coupling creates or loses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "couple/run_state.hpp"
#include "graph/document.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

class PowerBonds {
 public:
  PowerBonds() = default;
  // Throws Error (input) if an output does not exist or does not drive the other output's unit, or if the product is
  // not a power.
  PowerBonds(const graph::Plan& plan, const std::vector<graph::PowerBond>& bonds);

  [[nodiscard]] bool empty() const { return bonds_.empty(); }
  [[nodiscard]] std::size_t size() const { return bonds_.size(); }
  [[nodiscard]] const std::string& name(std::size_t bond) const { return bonds_[bond].name; }
  [[nodiscard]] double nominal(std::size_t bond) const { return bonds_[bond].nominal; }  // power

  // Call it after a step of size h, before inputs change: adds power and residual to state.bonds. The residual is 0 for
  // a bond with an overridden input, because that input is not related to the connected output.
  void observe(RunState& state, Duration h, const std::function<bool(std::uint32_t)>& is_overridden = {}) const;

 private:
  struct End {                 // one signal of the bond: its source and its target
    std::uint32_t output = 0;  // element of the outputs' Float64 column
    std::uint32_t input = 0;   // element of the inputs' Float64 column
    double factor = 1;         // input = factor * output + offset
    double offset = 0;
  };
  struct Bond {
    std::string name;
    double nominal = 1;
    double into_flow = 1;  // 1: a positive effort acts on the flow's unit; -1: the connection changes its sign
    double scale = 1;      // W per product of the two outputs' units of measure
    End effort, flow;
  };
  // The value that the other side used at the end of the step, in the source's unit of measure.
  static double used(const End& end, const RunState& state, Duration h);

  std::vector<Bond> bonds_;
};

}  // namespace consort::couple
