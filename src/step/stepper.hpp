// Performs one communication step: the order in which units step, and their inputs. Steppers hold no state of the run.
//
// A stepper is created for a plan and a fleet before the run. If units do not meet its needs, creating it throws Error
// (input) with alternatives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "couple/interval.hpp"
#include "couple/point.hpp"
#include "couple/run_state.hpp"
#include "fleet/fleet.hpp"
#include "graph/document.hpp"
#include "graph/plan.hpp"

namespace consort::step {

using couple::Interval;
using couple::Past;

// For steppers that repeat steps: units that are iterated together, and their inputs that must agree with outputs.
struct IteratedPart {
  std::vector<std::string> units;
  std::vector<std::string> variables;
};

class Stepper {
 public:
  explicit Stepper(couple::Point& point) : point_(point) {}
  virtual ~Stepper() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Notes for the report on choices made by default, one line each.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
  // Reserves slots; once, before the first step.
  virtual void prepare(couple::RunState&) {}
  // The iterated parts, in the order of RunState::tallies; empty if the stepper repeats nothing.
  [[nodiscard]] virtual std::vector<IteratedPart> iterated() const { return {}; }
  // True if some inputs are known at the end of the step, because their source has already stepped.
  [[nodiscard]] virtual bool sees_new_values() const = 0;
  // True if all inputs driven by units are known at the end of the step, so that no input is extrapolated.
  [[nodiscard]] virtual bool interpolates() const { return false; }
  // True if it can step without new values: Past::alone.
  [[nodiscard]] virtual bool takes_past_alone() const { return false; }

  // Steps from `state` at interval.t to interval.end, with all work of a communication point. Returns:
  // - completed: all units have stepped.
  // - terminate: a unit asked to end the run. All units have stepped, too, unless there is only one.
  // - discarded, if interval.may_discard: the step did not converge. Units are undefined until the caller restores
  // them.
  // - event, if interval.stop_at_event: with the time of the first event inside. Units are undefined, too, except a
  // single unit that does not roll back: its step has ended there.
  // Events at the end of the step are left to the caller, in state.stopped. Throws Error (run) when a unit fails.
  unit::StepOutcome step(fleet::Fleet& fleet, couple::RunState& state, const Interval& interval);

  [[nodiscard]] couple::Point& point() const { return point_; }

  // True if this unit may discard a step if the interval allows it (Interval::units_may_discard): the unit and all
  // units that step before or together with it can roll back.
  [[nodiscard]] bool may_discard(graph::UnitId unit) const { return unit < may_discard_.size() && may_discard_[unit]; }

 protected:
  // For may_discard(): declares the units that step next, in the order of the step. Returns true if they may discard
  // it.
  bool declare_next(std::span<const graph::UnitId> units, const fleet::Fleet& fleet);
  // The part of a communication step between its beginning and its end.
  virtual unit::StepOutcome take(fleet::Fleet& fleet, couple::RunState& state, const Interval& interval) = 0;

 private:
  couple::Point& point_;
  bool all_go_back_ = true;  // the units declared so far
  std::vector<bool> may_discard_;
};

struct StepperSetup {
  const graph::Plan& plan;
  const graph::RunSettings& settings;
  fleet::Fleet& fleet;
  couple::Point& point;
};

// Settings that are used by some steppers only.
struct StepperReads {
  bool order = false;
  bool schedule = false;
  bool iteration = false;
};

// Rows of the table in steppers.cpp.
struct StepperRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Stepper> (*make)(const StepperSetup&) = nullptr;
  StepperReads reads{};
};
[[nodiscard]] std::span<const StepperRow> steppers();
// By name. If the name is empty: Gauss–Seidel if a unit with feed-through is driven by another unit; otherwise, and for
// controllers that compare extrapolated inputs, Jacobi. Throws Error (input) that lists the available steppers.
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(const StepperSetup& setup);

}  // namespace consort::step
