// Step size control by energy: the power that the two sides of a bond see must not differ by more than the tolerance
// allows. No step is repeated, so that units need not roll back; an error that is too large shows afterwards and makes
// the next steps shorter. After Sadjina, Kyllingstad, Skjong and Pedersen, "Energy conservation and power bonds in
// co-simulations", which measures energy; here the power is compared with the largest that the bond has carried.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "couple/power_bonds.hpp"
#include "step/controller.hpp"
#include "step/step_size.hpp"

namespace consort::step {

namespace {

class EccoController final : public Controller {
 public:
  explicit EccoController(const ControllerSetup& setup)
      : bonds_(setup.bonds),
        rules_(step_size_rules(setup.settings.control, setup.grid.step(), setup.grid.stop() - setup.grid.start())),
        tolerances_(tolerances(setup.settings.control, setup.tolerance)),
        local_order_(setup.settings.extrapolation + 1) {
    require(
        bonds_ != nullptr && !bonds_->empty(),
        "the controller 'ecco' follows the power that units exchange, but no power bonds are declared; add them to the "
        "system's file (bonds: [{{effort: UNIT.OUTPUT, flow: UNIT.OUTPUT}}]), or use 'richardson'");
    require(setup.stepper.iterations().empty(),
            "the controller 'ecco' goes by what the two sides of a bond disagree on, and the stepper 'iterated' makes "
            "them agree whatever the step; use 'richardson' with it, or 'ecco' with another stepper");
    require_variable_steps(setup, name());
    // What went wrong cannot be taken back: grow with care.
    rules_.grow = std::min(rules_.grow, 1.5);
    rules_.safety = std::min(rules_.safety, 0.8);
  }

  [[nodiscard]] std::string_view name() const override { return "ecco"; }
  [[nodiscard]] std::vector<std::string> notes() const override {
    return {
        "errors are judged by the power bonds alone, and steps are not repeated: an error may exceed the tolerance "
        "before steps become shorter"};
  }

  unit::StepOutcome advance(Stepper& stepper, unit::Fleet& fleet, couple::RunState& state, Time limit) override {
    auto& control = state.control;
    if (control.next <= 0) control.next = rules_.initial;
    const Duration wanted = std::clamp(control.next, rules_.minimum, rules_.maximum);
    const Duration step = fit_step(wanted, limit - state.t);
    const Time end = step >= limit - state.t ? limit : state.t + step;
    const Duration taken = end - state.t;
    ++control.unit_steps;
    const auto outcome = stepper.step(fleet, state, {state.t, taken, end, false});
    const double error = norm(state);
    const double factor = step_factor(rules_, error, control.error, local_order_);
    control.next = std::max(factor * step, step < wanted && error <= 1 ? wanted : 0.0);
    control.taken = taken;
    control.error = error;
    ++control.accepted;
    return outcome;
  }

 private:
  [[nodiscard]] double norm(const couple::RunState& state) const {
    double sum = 0;
    for (std::size_t i = 0; i < state.bonds.size(); ++i) {
      const auto& b = state.bonds[i];
      const double e = b.residual / (tolerances_.absolute * bonds_->nominal(i) + tolerances_.relative * b.peak);
      sum += e * e;
    }
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(state.bonds.size(), 1)));
  }

  const couple::PowerBonds* bonds_;
  StepSizeRules rules_;
  Tolerances tolerances_;
  int local_order_;
};

}  // namespace

std::unique_ptr<Controller> make_ecco(const ControllerSetup& setup) { return std::make_unique<EccoController>(setup); }

}  // namespace consort::step
