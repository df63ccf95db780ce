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
#include "couple/run_state.hpp"
#include "graph/plan.hpp"
#include "graph/run_settings.hpp"
#include "unit/fleet.hpp"

namespace consort::step {

// What inputs know when a step begins.
enum class Past : std::uint8_t {
  usual,  // outputs as they are at its beginning, and what was known before as far as the order of inputs needs it
  kept,   // the same, and it is kept for a step with `alone`, whatever the order
  alone,  // what was known before: inputs go on as in the step before, as if nothing new had been seen since
};

struct Interval {
  Time t = 0;
  Duration h = 0;
  Time end = 0;  // t + h as it is counted, not added up
  bool may_roll_back = false;
  Past past = Past::usual;
};

// Of a stepper that repeats steps: units that depend on each other and are iterated together, and the inputs of theirs
// that have to agree with outputs.
struct IteratedPart {
  std::vector<std::string> units;
  std::vector<std::string> variables;
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // What was decided where nobody said, one line each, for the report.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
  // Gives a state room for what the stepper remembers in it; once, before the first step.
  virtual void prepare(couple::RunState&) const {}
  // What is iterated, in the order of RunState::tallies; empty for steppers that repeat nothing.
  [[nodiscard]] virtual std::vector<IteratedPart> iterated() const { return {}; }
  // Whether some inputs know the end of the step, because their source has been there already.
  [[nodiscard]] virtual bool sees_new_values() const = 0;
  // Whether all inputs that units drive do, so that none is extrapolated.
  [[nodiscard]] virtual bool interpolates() const { return false; }
  // Whether it can do without what is new: Past::alone.
  [[nodiscard]] virtual bool takes_past_alone() const { return false; }
  // From `state` at interval.t to interval.end. Completed, or terminate when a unit asked to end the run; all units
  // have done their steps either way. Where interval.may_roll_back also discarded: the step did not converge, units
  // stand anywhere, and the caller takes it back. Throws Error (run) when a unit fails.
  virtual unit::StepOutcome step(unit::Fleet& fleet, couple::RunState& state, const Interval& interval) = 0;
};

// Changes inputs between routing and stepping: scenarios, faults. Null functions are not called.
using InputHook = std::function<void(couple::RunState& state, std::span<const graph::UnitId> units)>;

struct StepperSetup {
  const graph::Plan& plan;
  const graph::RunSettings& settings;
  unit::Fleet& fleet;
  InputHook hook{};
  unit::Timeline* timeline = nullptr;  // that a stepper's own work shows in; null: none
};

// Which settings a stepper reads that others do not.
struct StepperReads {
  bool order = false;
  bool groups = false;
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
