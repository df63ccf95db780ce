// What units are asked for and what they answer, as flat data: the same between threads and between processes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "base/value.hpp"
#include "fleet/signals.hpp"
#include "unit/unit.hpp"

namespace consort::fleet {

using unit::EventOutcome;
using unit::StepOutcome;
using unit::StepRequest;
using unit::Why;

// Rounding of sums of times: what is nearer than this to the end of a step from a to b is its end.
[[nodiscard]] inline Duration slack(Time a, Time b) {
  return 1e-9 * (b - a) + 1e-14 * std::max(std::abs(a), std::abs(b));
}

enum class Verb : std::uint8_t {
  step,      // takes inputs, steps, answers outputs
  evaluate,  // takes inputs, answers outputs; for units that respond without a step
  read,      // answers outputs
  update,    // in event mode: takes inputs, updates its discrete states once, answers outputs; Reply::repeat
  give,      // takes inputs
};
inline constexpr std::size_t verb_count = 5;

// What a wave is asked to do. All of it stays in place until the wave is waited for.
struct Work {
  Verb verb = Verb::step;
  const StepRequest* request = nullptr;
  Signals* signals = nullptr;
};

// What happened beside whole steps.
struct StepCounts {
  std::uint64_t early_returns = 0;
  std::uint64_t discarded = 0;
  std::uint64_t repeated_as_is = 0;  // of these, tried again without going back to where the step began
  std::uint64_t events = 0;          // inside of steps

  void add(const StepCounts& more) {
    early_returns += more.early_returns;
    discarded += more.discarded;
    repeated_as_is += more.repeated_as_is;
    events += more.events;
  }
};

// What a unit has to tell after a step beside its outputs. A unit that did as it was asked has no reply.
struct Reply {
  StepOutcome outcome{};          // completed, terminate, or event where the request was to stop at one
  StepCounts counts{};            // of this step
  Time first_event = never;       // the first one inside of the step
  bool next_event_moved = false;  // Signals::next_event is another one now
  bool repeat = false;            // after an update: it asks for another one
};

// A directional derivative: sensitivity = ∂unknowns/∂knowns · seed, as in unit::Derivatives and unit::StepDerivatives.
struct DerivativeQuery {
  UnitId unit = 0;
  std::span<const ValueReference> unknowns{};
  std::span<const ValueReference> knowns{};
  std::span<const double> seed{};
  std::span<double> sensitivity{};
};
enum class DerivativeOf : std::uint8_t {
  outputs,  // at the present point
  step,     // at the end of the last step
};

// What came of the units that were served: an error, and who has something to tell.
class Served {
 public:
  // Room for so many units, so that nothing is allocated later.
  explicit Served(std::size_t units = 0) { told_.reserve(units); }

  void tell(UnitId id) { told_.push_back(id); }
  void fail(UnitId id, std::exception_ptr why) noexcept;
  // Takes over what another thread or host has, which is as new afterwards.
  void add(Served& other) noexcept {
    if (other.is_quiet()) [[likely]]
      return;
    take(other);
  }
  // Nothing to tell and no error.
  [[nodiscard]] bool is_quiet() const { return told_.empty() && !error_; }
  // Throws the error of the unit with the lowest id, if there is one, which is then forgotten.
  void rethrow();
  void clear() { told_.clear(); }
  void sort();
  [[nodiscard]] std::span<const UnitId> told() const { return told_; }

 private:
  void take(Served& other) noexcept;

  std::vector<UnitId> told_;
  UnitId failed_ = 0;  // of those that failed the lowest; where there is an error
  std::exception_ptr error_{};
};

}  // namespace consort::fleet
