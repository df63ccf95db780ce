#include "engine/step_taker.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace consort::engine {

using unit::StepOutcome;
using unit::Why;

StepTaker::StepTaker(unit::Unit& unit, InputFeed& inputs) : unit_(unit), inputs_(inputs) {
  if (unit.variable_step() && !unit.can_reject_steps()) states_ = unit.rollback();
}

StepOutcome StepTaker::step(Time t, Duration h, Time input_time) {
  if (discarded_ > 0 && states_ != nullptr) [[unlikely]]
    save(t);
  inputs_.set_for_step(input_time, h);
  // Restoring the state of t itself is not restoring one from before t, so the unit may forget those.
  const StepOutcome outcome = unit_.step({t, h, false});
  if (outcome.why != Why::discarded) [[likely]]
    return outcome;
  return retry(outcome, t, h, input_time);
}

// A unit that cannot do what it says it can is run all the same, as one that does not say so.
void StepTaker::save(Time t) {
  try {
    before_ = states_->save(std::move(before_));
    saved_ = true;
  } catch (const Error& error) {
    saved_ = false;
    states_ = nullptr;
    warning_ += fmt::format("; its state could not be saved at t = {} s, so this holds for later steps as well ({})", t,
                            error.what());
  }
}

bool StepTaker::go_back(Time t) {
  if (saved_) {
    states_->restore(*before_);
    return true;
  }
  if (unit_.can_reject_steps()) return true;
  if (warning_.empty()) {
    warning_ = fmt::format(
        "the unit discarded a step at t = {} s and {}: it was asked again as it was, and what follows may depend on "
        "the "
        "step that it discarded; compare with a run of smaller steps",
        t,
        states_ != nullptr ? "could not be set back, since its state is saved from the first discarded step on only"
                           : "cannot be set back to where the step began");
  }
  return false;
}

StepOutcome StepTaker::retry(StepOutcome outcome, Time t, Duration h, Time input_time) {
  const Duration asked = h;
  for (int attempt = 0; outcome.why == Why::discarded; ++attempt) {
    ++discarded_;
    const Duration done = outcome.reached - t;
    const bool part = done > 0 && done < h;
    if (part && !saved_) return {outcome.reached, Why::early};
    if (!unit_.variable_step() || attempt == 10) {
      throw run_error("unit '{}' discarded the step of {} s at t = {} s; try a smaller --step-size", unit_.name(),
                      asked, t)
          .in_unit(unit_.name())
          .at(t);
    }
    // What it says it can do comes first.
    h = part && attempt == 0 ? done : h / 2;
    if (go_back(t)) inputs_.set_for_step(input_time, h);
    outcome = unit_.step({t, h, false});
    if (outcome.why == Why::completed) outcome.why = Why::early;
  }
  return outcome;
}

}  // namespace consort::engine
