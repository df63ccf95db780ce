// Tests a unit that saves its state while the run sets it back, because some FMUs do not restore what changed in an
// event: Dymola before 2017 and CATIA forget discrete variables, and the run would give wrong numbers without a word.
//
//   at every return       outputs and discrete variables are compared with those at the save
//   by a second step      now and then, a step from a saved state is taken twice, with a return in between; both must
//                         agree
//
// Two steps of an FMU with its own solver are not equal bit for bit, because the solver starts anew after a return. So
// Float64 values may differ by a tenth of their change in the step and one per cent of their value, everything else
// must be equal. A state event that coincides with the end of the step can then still happen in one of the two only. So
// the first step that differs is a warning, and the second one an error. A difference right after a return is an error.
//
// After an error every return throws it again, because a controller takes an error in a step that may be too long for
// the reason to repeat it.
//
// Nothing is read before the first return, so that runs that save states without setting units back (for checkpoints)
// make no extra calls. Without allocations after the first save of each snapshot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/value.hpp"
#include "describe/signals.hpp"
#include "unit/unit.hpp"

namespace consort::fleet {

class ReturnCheck {
 public:
  // The values of a snapshot.
  struct Memory {
    bool known = false;
    Time t = 0;
    Columns outputs, discrete;
  };

  // Both must outlive this object. `outputs`: of the unit that are read after each step.
  ReturnCheck(unit::Unit& unit, const describe::SignalSet& outputs);

  // After a save at time t.
  void save(Memory& to, Time t);
  // After a return to the save. Throws Error (run) that names the unit and the first variable that differs.
  void returned(const Memory& saved);
  // After a step from the save: true if the step should be taken again. The values are kept for compare().
  [[nodiscard]] bool wants_repetition(const Memory& saved);
  // After the second one of two equal steps from the save to t. Returns a warning for the report if
  // they differ for the first time, otherwise an empty text. Throws Error (run) if they differ again.
  [[nodiscard]] std::string compare(const Memory& saved, Time t);

 private:
  [[noreturn]] void refuse(const std::string& text, Time t);
  void read(Memory& to);
  void find_discrete();
  [[nodiscard]] bool crossed_event(const Memory& saved) const;
  // Calls `differs(variable's name, first value, second value)` for the first value that differs too much.
  template <class Allowed, class Differs>
  bool find(const Memory& a, const Memory& b, Allowed&& allowed, Differs&& differs) const;

  unit::Unit& unit_;
  const describe::SignalSet& outputs_;
  describe::SignalSet discrete_;  // without the outputs
  bool has_found_discrete_ = false;
  bool armed_ = false;  // the unit was set back
  std::optional<Error> refusal_;
  std::uint64_t steps_ = 0, with_events_ = 0, different_ = 0;
  Memory now_, once_;  // the present values; those after the first one of two steps
};

}  // namespace consort::fleet
