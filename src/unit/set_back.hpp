// Rollback of a Model Exchange instance that cannot save its state: time, continuous states and continuous inputs are
// set back (A 4.3.3). This is sufficient only if the instance remembers nothing else, which is tested four times:
//
//   by the description  no event indicators, no clocks, no discrete variables except inputs: declared_memory()
//   before a save       so far no announced time event, no event requested after a step, no end requested by an event
//   by a probe          before the first save: the model is evaluated, moved to trial points nearby and back, and
//                       evaluated again
//   at every return     values are compared with those at the save; discrete inputs and parameters are unchanged
//
// Compared are states, derivatives and Float64 outputs. A function of time, states and inputs repeats them bit for bit.
// An FMU with an inner iteration that begins with its last result does not. Differences are accepted up to a thousandth
// of the tolerance of the solver: of a value, or of the change of a state if the difference in its derivative acted for
// the whole run. Then the error of the solver hides them.
//
// A memory that influences none of these values at the point of return, such as the later part of a delay, is not seen.
//
// Call order: begin() after initialization; save() and, any number of times, require_return(), set back,
// check_return(). Nothing is evaluated before the first save.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "describe/description.hpp"
#include "fmi/instance.hpp"
#include "solve/problem.hpp"
#include "unit/me_problem.hpp"
#include "unit/polynomial_inputs.hpp"

namespace consort::unit {

// The reason why an instance has memory beside its continuous states, as a clause: "it has event indicators". Empty if
// the description declares no such memory.
[[nodiscard]] std::string declared_memory(const describe::Description& description);

class SetBack {
 public:
  // Part of a snapshot.
  struct Memory {
    Time t = 0;
    std::uint64_t held_passed = 0;  // see PolynomialInputs
    std::vector<double> values{};   // empty if the instance has ended
  };

  // All must outlive this object. The inputs are those of the problem. `structural` holds the changed values of
  // structural parameters.
  SetBack(fmi::ModelExchange& instance, const describe::Description& description, MeProblem& problem,
          PolynomialInputs& inputs, const std::map<ValueReference, std::uint64_t>& structural)
      : instance_(instance), description_(description), problem_(problem), inputs_(inputs), structural_(structural) {}

  // `stop`: of the run, if known; `rtol`: of the solver.
  void begin(Time start, std::optional<Time> stop, double rtol);

  // In continuous-time mode at (t, y). The instance is there afterwards. Does not allocate if `to` was used before.
  // Throws Error (run) with the reason if the instance has memory.
  void save(Time t, solve::ConstVector y, Memory& to);
  // Call in continuous-time mode, before anything is set back. Throws Error (run) if the instance cannot return.
  void require_return(const Memory& to) const;
  // Call when problem and inputs have been set back to the save. Moves the instance to (t, y); throws Error (run) if
  // its values differ from those at the save.
  void check_return(solve::ConstVector y, const Memory& saved);

 private:
  void find_outputs();
  void find_limits();
  void require_no_events(Time t) const;
  void probe(Time t, solve::ConstVector y);
  Time move(Time t, solve::ConstVector y, double fraction, double sign);  // returns the time of the trial point
  void evaluate(Time t, std::vector<double>& values);                     // at the point that was set
  void compare(Time t, solve::ConstVector y, const std::vector<double>& expected, std::string_view when);
  [[nodiscard]] double allowed(std::size_t i, double expected, solve::ConstVector y) const;
  [[nodiscard]] std::string name_of(std::size_t i) const;
  [[noreturn]] void refuse(Time t, const std::string& reason) const;

  fmi::ModelExchange& instance_;
  const describe::Description& description_;
  MeProblem& problem_;
  PolynomialInputs& inputs_;
  const std::map<ValueReference, std::uint64_t>& structural_;
  std::size_t states_ = 0;
  Time stop_ = 0;
  Duration duration_ = 1;
  double rtol_ = 0;
  bool probed_ = false;
  std::optional<Error> refusal_;  // the probe's
  struct Limits {
    double nominal = 1, min = 0, max = 0;
  };
  std::vector<Limits> limits_;                     // by state
  std::vector<describe::VariableId> derivatives_;  // by state; empty if the description does not tell
  std::vector<ValueReference> outputs_;
  std::vector<describe::VariableId> output_variables_;  // by element
  std::vector<double> now_, x_, direction_;
};

}  // namespace consort::unit
