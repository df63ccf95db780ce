// Detects signals that grow without bound, as an unstable coupling makes them: such a run ends normally, but its
// numbers are useless.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace consort::report {

// Samples values in the first steps, and less often as a run gets longer, because only the course of the largest value
// over the whole run matters. Plain data, stored in the memory of a run.
class GrowthWatch {
 public:
  // True if look() is to be called after this step.
  [[nodiscard]] bool is_due() { return ++since_ >= stride_; }
  // Looks at `values` relative to `nominals`.
  void look(std::span<const double> values, std::span<const double> nominals);

  struct Growth {
    std::size_t signal = 0;  // index of the largest signal
    double value = 0;        // its last value
  };
  // The signal that grew by orders of magnitude in the second half of the samples and was still growing at the end.
  [[nodiscard]] std::optional<Growth> growth() const;

 private:
  void halve();

  static constexpr std::size_t most = 64;
  std::array<double, most> peaks_{};  // maximum per window of samples
  std::size_t windows_ = 0;           // complete windows
  double peak_ = 0;                   // maximum of the present window
  std::uint32_t samples_ = 0;         // in the present window
  std::uint64_t stride_ = 1;          // steps between samples
  std::uint64_t since_ = 0;
  Growth last_;
};

}  // namespace consort::report
