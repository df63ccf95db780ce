// Checks for each variable whether all points of a result lie inside a tube around the reference.
//
// The tube at t extends from the lowest to the highest value of the reference in [t - dt, t + dt], widened by tol on
// both sides:
//   dt  = band.time * length of the reference
//   tol = band.value * range of the reference signal (its highest minus its lowest finite value).
// A constant signal (range below 1e-12 of its largest magnitude) has tol = band.value * that magnitude, but at least
// 1e-9. The reference is linear between rows, or held if either side declares the signal discrete. At rows of equal
// time (events), the tube contains all values in between.
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
  double outliers = 0.0;  // allowed fraction of points outside
};

enum class Verdict : std::uint8_t { inside, outside, missing };
[[nodiscard]] std::string_view name_of(Verdict verdict);

struct SignalVerdict {
  std::string name;
  Verdict verdict = Verdict::inside;
  // Distance of the worst point from the values of the reference in [t - dt, t + dt], relative to the range (constant
  // signal: relative to the magnitude; magnitude 0: absolute). Inside means at most band.value. Infinite for an
  // unexpected NaN or text.
  double deviation = 0;
  Time at = 0;              // time of the worst point
  std::size_t points = 0;   // rows of the result within the time span of the reference
  std::size_t outside = 0;  // number of these rows that are outside
  std::string reason;       // explanation for the user; empty: inside
  [[nodiscard]] double fraction_outside() const {
    return points == 0 ? 0 : static_cast<double>(outside) / static_cast<double>(points);
  }
};

struct Comparison {
  Band band;
  std::vector<SignalVerdict> signals;  // one per signal of the reference, in that order
  [[nodiscard]] bool inside() const;   // true if all signals are inside

  [[nodiscard]] std::string text() const;  // a table for the user
  [[nodiscard]] std::string json() const;  // the same as JSON
};

// Compares every signal of the reference; ignores signals that only the result has. A result that starts late or ends
// early by more than dt is outside. NaN is inside if the reference is NaN as well. A text must equal a text of the
// reference within [t - dt, t + dt]. Run time is proportional to the rows of both. Throws Error (input) if the
// reference has no rows, times decrease or the band is invalid.
[[nodiscard]] Comparison compare(const Result& reference, const Result& result, const Band& band = {});

}  // namespace consort::record
