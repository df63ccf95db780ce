// Requests to units and their answers as flat data, for use between threads and between processes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
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

// Tolerance for rounding of times: a time closer than this to the end of a step from a to b counts as the end.
[[nodiscard]] inline Duration slack(Time a, Time b) {
  return 1e-9 * (b - a) + 1e-14 * std::max(std::abs(a), std::abs(b));
}

enum class Verb : std::uint8_t {
  step,      // sets inputs, steps, reads outputs
  evaluate,  // sets inputs, reads outputs; for units that respond without a step
  read,      // reads outputs
  update,    // in event mode: sets inputs, updates discrete states once, reads outputs; see Reply::repeat
  give,      // sets inputs
};
inline constexpr std::size_t verb_count = 5;

// The request to a wave. Pointers must stay valid until the caller has waited for the wave.
struct Work {
  Verb verb = Verb::step;
  const StepRequest* request = nullptr;
  Signals* signals = nullptr;
};

// Counts of irregular outcomes of steps.
struct StepCounts {
  std::uint64_t early_returns = 0;
  std::uint64_t discarded = 0;
  std::uint64_t repeated_as_is = 0;  // discarded steps retried without restoring the state at the beginning of the step
  std::uint64_t events = 0;          // inside steps

  void add(const StepCounts& more) {
    early_returns += more.early_returns;
    discarded += more.discarded;
    repeated_as_is += more.repeated_as_is;
    events += more.events;
  }
};

// Report of a unit after a step, in addition to its outputs. A unit that completed the step without incident has no
// reply.
struct Reply {
  StepOutcome outcome{};          // completed; terminate; event or discarded, if the request allows it
  StepCounts counts{};            // of this step
  Time first_event = never;       // time of the first event inside the step
  bool next_event_moved = false;  // Signals::next_event has changed
  bool repeat = false;            // after an update: the unit requests another one
  std::string warning{};          // for the report; almost always empty
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
  outputs,  // at the current communication point
  step,     // at the end of the last step
};

// Result of serving units: the units that have a reply, and an error if any.
class Served {
 public:
  // Reserves memory for so many units, so that later calls do not allocate.
  explicit Served(std::size_t units = 0) { told_.reserve(units); }

  void tell(UnitId id) { told_.push_back(id); }
  void fail(UnitId id, std::exception_ptr why) noexcept;
  // Merges the result of another thread or host and resets it.
  void add(Served& other) noexcept {
    if (other.is_quiet()) [[likely]]
      return;
    take(other);
  }
  // True if no unit has a reply and there is no error.
  [[nodiscard]] bool is_quiet() const { return told_.empty() && !error_; }
  // Throws the error of the unit with the lowest id, if any, and clears it.
  void rethrow();
  void clear() { told_.clear(); }
  void sort();
  [[nodiscard]] std::span<const UnitId> told() const { return told_; }

 private:
  void take(Served& other) noexcept;

  std::vector<UnitId> told_;
  UnitId failed_ = 0;  // lowest id of the failed units; valid if error_ is set
  std::exception_ptr error_{};
};

}  // namespace consort::fleet
