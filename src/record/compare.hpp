// Whether a result follows a reference: every point of it inside a tube around the reference, variable by variable.
//
// The tube at t reaches from the lowest to the highest value that the reference takes in [t - dt, t + dt], widened by
// tol on both sides:
//   dt  = band.time * length of the reference
//   tol = band.value * range of the reference signal (its highest less its lowest finite value).
// A signal that does not move (its range is below 1e-12 of its largest magnitude) has tol = band.value * that
// magnitude, and at least 1e-9. The reference is linear between rows, or held if either side says that the signal is
// discrete; rows of equal time (events) put all values in between into the tube.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "record/result.hpp"

namespace consort::record {

struct Band {
  double value = 0.1;     // half height of the tube, relative to the range of the signal
  double time = 0.02;     // half width of the tube, relative to the length of the reference
  double outliers = 0.0;  // fraction of the points that may lie outside
};

enum class Verdict : std::uint8_t { inside, outside, missing };
[[nodiscard]] std::string_view name_of(Verdict verdict);

struct SignalVerdict {
  std::string name;
  Verdict verdict = Verdict::inside;
  // How far the worst point is from what the reference takes in [t - dt, t + dt], relative to the range (to the
  // magnitude if it does not move, absolute if it is 0): inside means at most band.value. Infinite for NaN where there
  // must be none, and for a text that the reference does not have.
  double deviation = 0;
  Time at = 0;              // the time of that point
  std::size_t points = 0;   // rows of the result within the time span of the reference
  std::size_t outside = 0;  // how many of them are outside
  std::string reason;       // in plain words; empty when inside
  [[nodiscard]] double fraction_outside() const {
    return points == 0 ? 0 : static_cast<double>(outside) / static_cast<double>(points);
  }
};

struct Comparison {
  Band band;
  std::vector<SignalVerdict> signals;  // one per signal of the reference, in its order
  [[nodiscard]] bool inside() const;   // all of them

  [[nodiscard]] std::string text() const;  // a table for people
  [[nodiscard]] std::string json() const;  // the same for machines
};

// Compares every signal of the reference; what only the result has is not looked at. A result that starts late or ends
// early by more than dt is outside. NaN is inside where the reference is NaN too. Texts must be equal to one that is in
// force within [t - dt, t + dt]. Takes time proportional to the rows of both. Throws Error (input) for a reference
// without rows, times that decrease, and a band that is not a band.
[[nodiscard]] Comparison compare(const Result& reference, const Result& result, const Band& band = {});

}  // namespace consort::record
