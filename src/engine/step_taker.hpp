// Steps a unit; what it discards is tried again in shorter steps, from where the discarded one began.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/time.hpp"
#include "engine/input_feed.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

class StepTaker {
 public:
  // Both must outlive it.
  StepTaker(unit::Unit& unit, InputFeed& inputs);

  // Sets the inputs, looked up from `input_time` on, and steps from t to t + h or less far; never returns `discarded`.
  // FMI 2.0, 4.2.4: after a discarded step a unit is in a state of its own that only its old state leads out of. So
  // from the first discarded step on the state of a unit that can save it and that takes steps of any size is saved
  // before every step, into the same place. Not before: most units never discard, each would pay for it, and there are
  // FMUs that crash when they are asked for their state. The first discarded step, and those of units that cannot save
  // their state, are asked again as they are, with a warning. Throws Error (run) when the unit takes no shorter step
  // either.
  unit::StepOutcome step(Time t, Duration h, Time input_time);

  // Frees the saved state; before the unit is terminated.
  void end() { before_.reset(); }

  [[nodiscard]] std::uint64_t discarded() const { return discarded_; }
  // Empty when all was well.
  [[nodiscard]] const std::string& warning() const { return warning_; }

 private:
  void save(Time t);
  // Back to where the discarded step began; false when the unit has to be taken as it is.
  bool go_back(Time t);
  unit::StepOutcome retry(unit::StepOutcome outcome, Time t, Duration h, Time input_time);

  unit::Unit& unit_;
  InputFeed& inputs_;
  unit::Rollback* states_ = nullptr;  // where discarded steps need it
  std::unique_ptr<unit::Snapshot> before_;
  bool saved_ = false;  // before_ is of the present step
  std::uint64_t discarded_ = 0;
  std::string warning_;
};

}  // namespace consort::engine
