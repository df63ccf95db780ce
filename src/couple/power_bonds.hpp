// Power that units exchange: an output (effort) one way, another (flow) back, whose product is a power. Since each side
// works with what it knew of the other's, they do not see the same power; the difference is energy that the coupling
// made or lost.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "couple/run_state.hpp"
#include "graph/plan.hpp"
#include "graph/run_settings.hpp"

namespace consort::couple {

class PowerBonds {
 public:
  PowerBonds() = default;
  // Throws Error (input): outputs that there are not, that are not connected to the other one's unit, or whose product
  // is not a power.
  PowerBonds(const graph::Plan& plan, const std::vector<graph::PowerBond>& bonds);

  [[nodiscard]] bool empty() const { return bonds_.empty(); }
  [[nodiscard]] std::size_t size() const { return bonds_.size(); }
  [[nodiscard]] const std::string& name(std::size_t bond) const { return bonds_[bond].name; }
  [[nodiscard]] double nominal(std::size_t bond) const { return bonds_[bond].nominal; }  // power

  // After a step of size h, before inputs change: what the two sides saw, into state.bonds. Bonds with an input that
  // somebody overrides, so that it has nothing to do with what was connected, have no residual.
  void observe(RunState& state, Duration h, const std::function<bool(std::uint32_t)>& is_overridden = {}) const;

 private:
  struct End {                 // a signal of the bond, where it comes from and where it goes
    std::uint32_t output = 0;  // element of the outputs' Float64 column
    std::uint32_t input = 0;   // element of the inputs'
    double factor = 1;         // input = factor * output + offset
    double offset = 0;
  };
  struct Bond {
    std::string name;
    double nominal = 1;
    double into_flow = 1;  // 1: a positive effort acts on the flow's unit; -1: it arrives there with the other sign
    double scale = 1;      // W per product of the two units of measure
    End effort, flow;
  };
  // What the other side worked with at the end of the step, as the source measures it.
  static double used(const End& end, const RunState& state, Duration h);

  std::vector<Bond> bonds_;
};

}  // namespace consort::couple
