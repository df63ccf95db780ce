// Step size control by energy: the powers seen by the two sides of a bond must not differ by more than the tolerance.
// Steps are never repeated, so units need not roll back; too large an error is found after the step and makes the next
// steps shorter. After Sadjina, Kyllingstad, Skjong and Pedersen, "Energy conservation and power bonds in
// co-simulations", which measures energy; here the power is compared with the largest power of the bond.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "couple/power_bonds.hpp"
#include "step/controller.hpp"
#include "step/step_size.hpp"

namespace consort::step {

namespace {

class EccoController final : public Controller {
 public:
  explicit EccoController(const ControllerSetup& setup)
      : bonds_(setup.bonds),
        rules_(step_size_rules(setup.settings.control, setup.grid)),
        tolerances_(tolerances(setup.settings.control, setup.tolerance)),
        local_order_(setup.stepper.point().order() + 1),
        stops_at_events_(setup.events != nullptr) {
    require_setting(
        "control.controller", bonds_ != nullptr && !bonds_->empty(),
        "the controller 'ecco' needs power bonds, but the system has no bonds; declare them "
        "('bonds: [{{effort: UNIT.OUTPUT, flow: UNIT.OUTPUT}}]' in YAML, System::bond in C++, system.bond in "
        "Python), or choose another controller");
    require_setting(
        "control.controller", setup.stepper.iterated().empty(),
        "the controller 'ecco' measures the difference between the two sides of a bond, but the stepper 'iterated' "
        "makes them agree with any step size; use 'richardson' with it, or 'ecco' with another stepper");
    require_variable_steps(setup, name());
    // Steps are not repeated, so the step size must grow slowly.
    rules_.grow = std::min(rules_.grow, 1.5);
    rules_.safety = std::min(rules_.safety, 0.8);
    make_notes(setup);
    if (setup.settings.control.maximum) return;
    rules_.maximum = std::min(rules_.maximum, longest * rules_.initial);
    notes_.push_back(note_on_maximum(rules_, longest, "first step"));
  }

  [[nodiscard]] std::string_view name() const override { return "ecco"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

  [[nodiscard]] std::vector<std::string> warnings(const couple::RunState& state) const override {
    const auto& c = state.control;
    std::vector<std::string> all;
    double made = 0, carried = 0;
    for (const auto& b : state.bonds) {
      made += std::abs(b.made);
      carried += b.carried;
    }
    if (!has_power(state) && c.accepted > 0)
      all.push_back(
          fmt::format("no power bond carried any power, so there was nothing to estimate: the controller 'ecco' took "
                      "fixed steps of {:.6g} s, the initial size, whose error is not known; declare the bonds that "
                      "carry power, or use another controller",
                      rules_.initial));
    constexpr double much = 0.05;
    if (made > much * carried)
      all.push_back(
          fmt::format("the coupling made or lost {:.0f} % of the energy that power bonds carried: reduce the "
                      "largest step ('maximum') or the tolerance",
                      100 * made / carried));
    if (5 * c.exceeded <= c.accepted) return all;
    all.push_back(
        fmt::format("the two sides of power bonds differed by more than the tolerance in {} of {} steps, at most by a "
                    "factor of {:.3g}: the result is less accurate than requested; reduce the largest step "
                    "('maximum'), or use 'richardson' if the units can roll back",
                    c.exceeded, c.accepted, c.largest_error));
    return all;
  }

  unit::StepOutcome advance(Stepper& stepper, fleet::Fleet& fleet, couple::RunState& state, Time limit) override {
    auto& control = state.control;
    const Time t = state.t;
    const Attempt attempt = next_attempt(rules_, control, t, limit);
    ++control.unit_steps;
    const auto outcome =
        stepper.step(fleet, state, {t, attempt.end - t, attempt.end, stops_at_events_, Past::usual, stops_at_events_});
    if (outcome.why == unit::Why::event) return outcome;
    auto* const worst = worst_of(state);
    const double error = norm(state);
    // The residual crosses zero from time to time, which does not justify longer steps: earlier errors fade slowly.
    constexpr double most_lingering = 1e6;
    const double lingering = std::min(std::max(error, fading * control.lingering), most_lingering);
    double factor = step_factor(rules_, error > 1 ? error : lingering, 0, local_order_);
    if (error <= 1) factor = std::max(factor, 1.0);
    if (error == 0 && !has_power(state)) factor = 1;  // nothing says that a longer step is good enough
    control.next = factor * attempt.step;
    if (error <= 1 && attempt.cut) control.next = std::max(control.next, attempt.wanted);
    if (control.next < rules_.minimum && attempt.step <= rules_.minimum * (1 + 1e-9)) throw too_small(state, error);
    control.lingering = lingering * std::pow(factor, local_order_);
    count_accepted(control, attempt, t, error);
    if (control.error_decided && worst != nullptr) ++worst->limited;
    return outcome;
  }

 private:
  void make_notes(const ControllerSetup& setup) {
    notes_.emplace_back(
        "errors are estimated only from power bonds, and steps are not repeated: an error may exceed the tolerance "
        "before steps become shorter");
    const auto& bonds = setup.settings.bonds;
    std::vector<std::string> others;
    for (const auto& o : couple::estimated_outputs(setup.plan, setup.is_late))
      if (std::none_of(bonds.begin(), bonds.end(),
                       [&](const auto& b) { return o.name == b.effort || o.name == b.flow; }))
        others.push_back(o.name);
    if (!others.empty())
      notes_.push_back(fmt::format("{} {} not part of a power bond: {} error has no influence on the step size",
                                   some_of(others, 4), others.size() == 1 ? "is" : "are",
                                   others.size() == 1 ? "its" : "their"));
  }

  // Bonds show an unstable step only when it is too late. So steps exceed this multiple of the initial step only if the
  // user sets a maximum.
  static constexpr double longest = 10;
  static constexpr double fading = 0.8;  // of errors, from step to step

  [[nodiscard]] Error too_small(couple::RunState& state, double error) const {
    const auto* const worst = worst_of(state);
    return run_error(
               "the two sides of the power bond {} differ by {:.3g} W at t = {} s, {:.3g} times the tolerance, even "
               "with the smallest step ({:.3g} s); raise the relative or the absolute tolerance, or check for a "
               "discontinuity there",
               bonds_->name(static_cast<std::size_t>(worst - state.bonds.data())), std::abs(worst->residual), state.t,
               error, rules_.minimum)
        .at(state.t);
  }

  // The error relative to the tolerance.
  [[nodiscard]] double error_of(const couple::RunState& state, std::size_t bond) const {
    const auto& b = state.bonds[bond];
    return std::abs(b.residual) / (tolerances_.absolute * bonds_->nominal(bond) + tolerances_.relative * b.peak);
  }
  [[nodiscard]] couple::BondState* worst_of(couple::RunState& state) const {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < state.bonds.size(); ++i)
      if (error_of(state, i) > error_of(state, worst)) worst = i;
    return state.bonds.empty() ? nullptr : &state.bonds[worst];
  }
  [[nodiscard]] static bool has_power(const couple::RunState& state) {
    return std::any_of(state.bonds.begin(), state.bonds.end(),
                       [](const auto& b) { return b.peak > 0 || b.largest > 0; });
  }
  [[nodiscard]] double norm(const couple::RunState& state) const {
    double sum = 0;
    for (std::size_t i = 0; i < state.bonds.size(); ++i) {
      const double e = error_of(state, i);
      sum += e * e;
    }
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(state.bonds.size(), 1)));
  }

  const couple::PowerBonds* bonds_;
  StepSizeRules rules_;
  Tolerances tolerances_;
  int local_order_;
  bool stops_at_events_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<Controller> make_ecco(const ControllerSetup& setup) { return std::make_unique<EccoController>(setup); }

}  // namespace consort::step
