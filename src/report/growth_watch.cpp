#include "report/growth_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace consort::report {

namespace {

constexpr std::uint32_t samples_of_window = 2;  // two, because an oscillation may pass zero at a sample
constexpr std::size_t fewest = 6;               // minimum number of windows
constexpr double per_two_windows = 1.4;
constexpr double in_all = 1e3;

}  // namespace

void GrowthWatch::look(std::span<const double> values, std::span<const double> nominals) {
  since_ = 0;
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double size = std::abs(values[i]) / nominals[i];
    if (size <= largest) continue;
    if (std::isnan(size)) size = std::numeric_limits<double>::infinity();
    if (size > largest) last_ = {i, values[i]};
    largest = std::max(largest, size);
  }
  peak_ = std::max(peak_, largest);
  if (++samples_ < samples_of_window) return;
  peaks_[windows_++] = peak_;
  peak_ = 0;
  samples_ = 0;
  if (windows_ == most) halve();
}

// Merges pairs of windows and halves the sampling rate.
void GrowthWatch::halve() {
  for (std::size_t i = 0; i < most / 2; ++i) peaks_[i] = std::max(peaks_[2 * i], peaks_[2 * i + 1]);
  windows_ = most / 2;
  stride_ *= 2;
}

std::optional<GrowthWatch::Growth> GrowthWatch::growth() const {
  if (windows_ < fewest) return std::nullopt;
  const std::size_t first = windows_ / 2;
  for (std::size_t i = first; i + 2 < windows_; ++i)
    if (!(peaks_[i + 2] >= per_two_windows * peaks_[i])) return std::nullopt;
  if (!std::isfinite(peaks_[first]) || peaks_[first] <= 0 || !(peaks_[windows_ - 1] >= in_all * peaks_[first]))
    return std::nullopt;
  return last_;
}

}  // namespace consort::report
