#include "record/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/error.hpp"
#include "record/tube.hpp"

namespace consort::record {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// --- shared by all signals

struct Span {
  Time start = 0;
  Time end = 0;
  Duration dt = 0;        // half width of the tube
  Duration rounding = 0;  // times that differ by less count as equal
};

void check_order(const Result& result, std::string_view what) {
  for (std::size_t i = 0; i < result.rows(); ++i) {
    require(std::isfinite(result.time[i]), "the {} has the time {} in its row {}; times must be finite numbers", what,
            result.time[i], i + 1);
    require(i == 0 || result.time[i] >= result.time[i - 1],
            "the time of the {} goes back from {} to {} in its row {}; sort its rows by time", what,
            result.time[i == 0 ? 0 : i - 1], result.time[i], i + 1);
  }
}

Span span_of(const Result& reference, const Band& band) {
  Span span;
  span.start = reference.time.front();
  span.end = reference.time.back();
  span.rounding = 1e-12 * std::max(std::abs(span.start), std::abs(span.end));
  span.dt = band.time * (span.end - span.start) + span.rounding;
  return span;
}

// Returns the rows of the result within the span of the reference.
RowWindow rows_in(const Span& span, const Result& result) {
  const auto first = std::lower_bound(result.time.begin(), result.time.end(), span.start - span.rounding);
  const auto last = std::upper_bound(result.time.begin(), result.time.end(), span.end + span.rounding);
  return {static_cast<std::size_t>(first - result.time.begin()), static_cast<std::size_t>(last - result.time.begin())};
}

// --- one numeric signal

struct Scale {
  double unit = 1;       // deviations are relative to this
  double tolerance = 0;  // absolute tolerance
};

Scale scale_of(const std::vector<double>& reference, double band) {
  double low = infinite;
  double high = -infinite;
  for (const double v : reference) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (low > high) return {1, 1e-9};
  const double magnitude = std::max(std::abs(low), std::abs(high));
  const double range = high - low;
  if (range > 1e-12 * magnitude) return {range, band * range};
  return {magnitude > 0 ? magnitude : 1, std::max(band * magnitude, 1e-9)};
}

// Distance of y from the tube; 0 inside.
double distance(double y, const Tube& tube) {
  if (std::isnan(y)) return tube.has_nan ? 0 : infinite;
  if (tube.empty()) return infinite;
  if (y > tube.high) return y - tube.high;
  if (y < tube.low) return tube.low - y;
  return 0;
}

void count_point(SignalVerdict& verdict, Time t, double deviation, bool outside) {
  if (verdict.points == 0 || deviation > verdict.deviation) {
    verdict.deviation = deviation;
    verdict.at = t;
  }
  if (outside && verdict.outside == 0) verdict.reason = fmt::format("leaves the band at {:.6g} s", t);
  if (outside) ++verdict.outside;
  ++verdict.points;
}

struct Pair {
  const Result& reference;
  const Result& result;
  const Result::Trajectory& expected;
  const Result::Trajectory* actual;  // null: not in the result
};

void compare_numbers(const Pair& pair, const Span& span, const Band& band, SignalVerdict& verdict) {
  const bool held = pair.expected.signal.discrete || pair.actual->signal.discrete;
  const Scale scale = scale_of(pair.expected.numbers, band.value);
  MovingTube moving(pair.reference.time, pair.expected.numbers, held);
  const RowWindow rows = rows_in(span, pair.result);
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    const Time t = std::clamp(pair.result.time[i], span.start, span.end);
    const double off = distance(pair.actual->numbers[i], moving.move_to(t - span.dt, t + span.dt));
    count_point(verdict, pair.result.time[i], off / scale.unit, off > scale.tolerance);
  }
}

void compare_texts(const Pair& pair, const Span& span, SignalVerdict& verdict) {
  MovingTexts moving(pair.reference.time, pair.expected.texts);
  const RowWindow rows = rows_in(span, pair.result);
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    const Time t = std::clamp(pair.result.time[i], span.start, span.end);
    moving.move_to(t - span.dt, t + span.dt);
    const bool outside = !moving.contains(pair.actual->texts[i]);
    count_point(verdict, pair.result.time[i], outside ? infinite : 0, outside);
  }
}

// --- the verdict

// Returns why the result does not cover the span of the reference; empty if it does.
std::string gap(const Result& result, const Span& span) {
  if (result.rows() == 0) return "the result has no rows";
  if (result.time.front() > span.start + span.dt) {
    return fmt::format("the result starts at {:.6g} s, the reference at {:.6g} s", result.time.front(), span.start);
  }
  if (result.time.back() < span.end - span.dt) {
    return fmt::format("the result ends at {:.6g} s, the reference at {:.6g} s", result.time.back(), span.end);
  }
  const RowWindow rows = rows_in(span, result);
  if (rows.begin == rows.end) return "the result has no rows within the time of the reference";
  return {};
}

SignalVerdict judge(const Pair& pair, const Span& span, const Band& band) {
  const Result::Trajectory& expected = pair.expected;
  SignalVerdict verdict;
  verdict.name = expected.signal.name;
  if (pair.actual == nullptr) {
    verdict.verdict = Verdict::missing;
    verdict.reason = "not in the result";
    return verdict;
  }
  if (pair.actual->is_text() != expected.is_text()) {
    verdict.verdict = Verdict::outside;
    verdict.deviation = infinite;
    verdict.reason =
        expected.is_text() ? "numbers where the reference has texts" : "texts where the reference has numbers";
    return verdict;
  }
  if (expected.is_text()) {
    compare_texts(pair, span, verdict);
  } else {
    compare_numbers(pair, span, band, verdict);
  }
  const std::string missing_part = gap(pair.result, span);
  if (!missing_part.empty()) {
    verdict.verdict = Verdict::outside;
    verdict.reason = missing_part + (verdict.reason.empty() ? "" : "; " + verdict.reason);
  } else if (verdict.fraction_outside() > band.outliers) {
    verdict.verdict = Verdict::outside;
  } else {
    verdict.reason.clear();
  }
  return verdict;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::inside: return "inside";
    case Verdict::outside: return "outside";
    case Verdict::missing: break;
  }
  return "missing";
}

bool Comparison::inside() const {
  return std::all_of(signals.begin(), signals.end(), [](const auto& s) { return s.verdict == Verdict::inside; });
}

Comparison compare(const Result& reference, const Result& result, const Band& band) {
  require(band.value >= 0 && std::isfinite(band.value), "the band's height must be a number of 0 or more, got {}",
          band.value);
  require(band.time >= 0 && std::isfinite(band.time), "the band's width in time must be a number of 0 or more, got {}",
          band.time);
  require(band.outliers >= 0 && band.outliers <= 1, "the fraction of outliers must be between 0 and 1, got {}",
          band.outliers);
  require(reference.rows() > 0, "the reference has no rows; there is nothing to compare with");
  check_order(reference, "reference");
  check_order(result, "result");

  const Span span = span_of(reference, band);
  Comparison comparison{band, {}};
  comparison.signals.reserve(reference.trajectories.size());
  std::unordered_map<std::string_view, const Result::Trajectory*> by_name;
  for (const Result::Trajectory& t : result.trajectories) by_name.try_emplace(t.signal.name, &t);
  for (const Result::Trajectory& expected : reference.trajectories) {
    const auto found = by_name.find(expected.signal.name);
    const Result::Trajectory* actual = found == by_name.end() ? nullptr : found->second;
    comparison.signals.push_back(judge({reference, result, expected, actual}, span, band));
  }
  return comparison;
}

}  // namespace consort::record
