#include "draw/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/core.h>

namespace consort::draw {

namespace {

// step = multiple * 10^power
struct Step {
  double multiple = 1;
  int power = 0;
  [[nodiscard]] double value() const {
    return power >= 0 ? multiple * std::pow(10, power) : multiple / std::pow(10, -power);
  }
};

Step step_for(double length, int most) {
  const double least = length / std::max(1, most);
  Step step;
  step.power = static_cast<int>(std::floor(std::log10(least)));
  for (const double multiple : {1.0, 2.0, 5.0}) {
    step.multiple = multiple;
    if (step.value() >= least * (1 - 1e-9)) return step;
  }
  return {1, step.power + 1};
}

// Returns the exponent of engineering notation for numbers that would otherwise be long.
int exponent_for(double magnitude) {
  if (magnitude == 0 || (magnitude >= 1e-2 && magnitude < 1e5)) return 0;
  return 3 * static_cast<int>(std::floor(std::log10(magnitude) / 3));
}

// Returns n steps in units of 10^exponent, computed from integers so that 0.3 is not 0.30000000000000004.
std::string label(double n, const Step& step, int exponent) {
  const int power = step.power - exponent;
  const double value = power >= 0 ? n * step.multiple * std::pow(10, power) : n * step.multiple / std::pow(10, -power);
  std::string text = fmt::format("{:.{}f}", std::abs(value), std::max(0, -power));
  return (n < 0 ? "−" : "") + text;
}

void place_ticks(Axis& axis, int most) {
  axis.ticks.clear();
  const Step step = step_for(axis.high - axis.low, most);
  const double size = step.value();
  const double last = std::floor(axis.high / size + 1e-9);
  for (double n = std::ceil(axis.low / size - 1e-9); n <= last; ++n) {
    axis.ticks.push_back({std::clamp(n * size, axis.low, axis.high), label(n, step, axis.exponent)});
  }
}

void widen(double& low, double& high) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    low = 0;
    high = 1;
  }
  // Do not magnify rounding errors of a constant. The clamp to half of the largest double keeps the length finite.
  const double magnitude = std::max(std::abs(low), std::abs(high));
  low = std::clamp(low, -8e307, 8e307);
  high = std::clamp(high, -8e307, 8e307);
  if (high - low > 1e-12 * magnitude && high - low > 1e-300) return;
  const double half = magnitude > 1e-300 ? 0.1 * std::min(magnitude, 8e307) : 1.0;
  low -= half;
  high += half;
}

}  // namespace

std::string Axis::factor() const {
  if (exponent == 0) return {};
  static constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "×10⁻" : "×10";
  for (const char c : std::to_string(std::abs(exponent))) text += digits[static_cast<std::size_t>(c - '0')];
  return text;
}

std::string time_title(const Axis& time) {
  switch (time.exponent) {
    case 0: return "Time [s]";
    case -3: return "Time [ms]";
    case -6: return "Time [µs]";
    case -9: return "Time [ns]";
    default: return "Time [" + time.factor() + " s]";
  }
}

Axis make_axis(double low, double high, int most, double margin) {
  widen(low, high);
  const double room = margin * (high - low);
  Axis axis;
  axis.low = low - room;
  axis.high = high + room;
  axis.exponent = exponent_for(std::max(std::abs(axis.low), std::abs(axis.high)));
  // A scale needs at least two ticks.
  for (int n = most; axis.ticks.size() < 2 && n < most + 10; ++n) place_ticks(axis, n);
  return axis;
}

Axis make_logarithmic_axis(double low, double high, int most, double margin) {
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) return make_axis(0, 1, most, margin);
  // Widen the range so that it contains two ticks of 1, 2, 5.
  if (high - low < 0.8) {
    const double more = 0.5 * (0.8 - (high - low));
    low -= more;
    high += more;
  }
  const double room = margin * (high - low);
  Axis axis;
  axis.low = low - room;
  axis.high = high + room;
  const double first = std::floor(axis.low);
  const double last = std::floor(axis.high);
  const double decades = axis.high - axis.low;
  const double every = std::max(1.0, std::ceil(decades / std::max(2, most)));
  const bool between = 3 * decades <= std::max(4, most);
  for (double power = first; power <= last; power += 1) {
    if (std::fmod(power, every) != 0) continue;
    for (const double multiple : {1.0, 2.0, 5.0}) {
      const double value = power + std::log10(multiple);
      if (value < axis.low || value > axis.high || (multiple > 1 && !between)) continue;
      axis.ticks.push_back({value, fmt::format("{:g}", multiple * std::pow(10, power))});
    }
  }
  return axis;
}

}  // namespace consort::draw
