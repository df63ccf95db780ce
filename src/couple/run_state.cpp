#include "couple/run_state.hpp"

namespace consort::couple {

RunState make_run_state(const graph::Plan& plan) {
  RunState state;
  state.signals.inputs = plan.make_inputs();
  state.signals.outputs = plan.make_outputs();
  state.signals.next_event.assign(plan.units.size(), unit::never);
  state.history = History(state.signals.inputs.column<double>().size());
  state.coarse = state.history;
  return state;
}

}  // namespace consort::couple
