// Performs one communication step: who steps when, with which inputs. Steppers hold no state of the run.
//
// A stepper is made for a plan and a fleet before the run; needs that units do not meet are an Error (input) then, with
// alternatives.
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
#include "graph/plan.hpp"
#include "graph/run_settings.hpp"

namespace consort::step {

using couple::Interval;
using couple::Past;

// Of a stepper that repeats steps: units that depend on each other and are iterated together, and the inputs of theirs
// that have to agree with outputs.
struct IteratedPart {
  std::vector<std::string> units;
  std::vector<std::string> variables;
};

class Stepper {
 public:
  explicit Stepper(couple::Point& point) : point_(point) {}
  virtual ~Stepper() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // What was decided where nobody said, one line each, for the report.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
  // Asks for the slots of what it remembers; once, before the first step.
  virtual void prepare(couple::RunState&) {}
  // What is iterated, in the order of RunState::tallies; empty for steppers that repeat nothing.
  [[nodiscard]] virtual std::vector<IteratedPart> iterated() const { return {}; }
  // Whether some inputs know the end of the step, because their source has been there already.
  [[nodiscard]] virtual bool sees_new_values() const = 0;
  // Whether all inputs that units drive do, so that none is extrapolated.
  [[nodiscard]] virtual bool interpolates() const { return false; }
  // Whether it can do without what is new: Past::alone.
  [[nodiscard]] virtual bool takes_past_alone() const { return false; }

  // From `state` at interval.t to interval.end, with all that belongs to a communication point. Completed, or terminate
  // when a unit asked to end the run; all units have done their steps either way, unless it is alone. Where
  // interval.may_discard also discarded: the step did not converge, units stand anywhere, and the caller takes it back.
  // Where interval.stop_at_event also event, at the time of the first one inside: units stand anywhere as well, but for
  // a unit that is alone and does not go back, whose step has ended there. Events at the end of the step are left to
  // the caller, in state.stopped. Throws Error (run) when a unit fails.
  unit::StepOutcome step(fleet::Fleet& fleet, couple::RunState& state, const Interval& interval);

  [[nodiscard]] couple::Point& point() const { return point_; }

 protected:
  // Between the beginning and the end of a communication step.
  virtual unit::StepOutcome take(fleet::Fleet& fleet, couple::RunState& state, const Interval& interval) = 0;

 private:
  couple::Point& point_;
};

struct StepperSetup {
  const graph::Plan& plan;
  const graph::RunSettings& settings;
  fleet::Fleet& fleet;
  couple::Point& point;
};

// Which settings a stepper reads that others do not.
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
// By name. When the name is empty: Gauss–Seidel where a unit with feed-through is driven by another, Jacobi otherwise
// and for controllers that compare extrapolated inputs. Throws Error (input) that lists those available.
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(const StepperSetup& setup);

}  // namespace consort::step
