// Watches for signals that grow without end, as an unstable coupling makes them: a run that explodes ends like any
// other, and its numbers must not look like results.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace consort::report {

// Values are looked at in the first steps, and ever more rarely as a run gets longer: what counts is the course of the
// largest one over the run as a whole.
// Plain data, which is part of what a run remembers.
class GrowthWatch {
 public:
  // Whether it wants to see the values after this step.
  [[nodiscard]] bool is_due() { return ++since_ >= stride_; }
  // `values`, each in parts of its `nominals`.
  void look(std::span<const double> values, std::span<const double> nominals);

  struct Growth {
    std::size_t signal = 0;  // the largest one
    double value = 0;        // its last
  };
  // What has grown by orders of magnitude in the second half of what was seen, and went on growing to the end.
  [[nodiscard]] std::optional<Growth> growth() const;

 private:
  void halve();

  static constexpr std::size_t most = 64;
  std::array<double, most> peaks_{};  // of the samples of a window each
  std::size_t windows_ = 0;           // complete ones
  double peak_ = 0;                   // of the present window
  std::uint32_t samples_ = 0;         // in it
  std::uint64_t stride_ = 1;          // steps from sample to sample
  std::uint64_t since_ = 0;
  Growth last_;
};

}  // namespace consort::report
