// What inputs were at the last communication points, and polynomials through it.
//
// All of it works with steps of any size; after an event the history is dropped and orders start at 0 again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/time.hpp"

namespace consort::couple {

inline constexpr int most_points = 4;  // polynomials of degree 3

// Weights that turn values at points into the derivatives of the polynomial through them: derivative m of the
// polynomial at `at` is Σ weight[m][k] · value[k]. `points` (at most most_points, all different).
using Weights = std::array<std::array<double, most_points>, most_points>;
[[nodiscard]] Weights derivative_weights(std::span<const Time> points, Time at);

class History {
 public:
  History() = default;
  explicit History(std::size_t width);

  [[nodiscard]] int points() const { return count_; }
  [[nodiscard]] Time time(int back) const { return times_[slot(back)]; }  // 0: the newest
  [[nodiscard]] std::span<const double> values(int back) const;

  // The newest point; a second one at the same time replaces the first.
  void push(Time t, std::span<const double> values);
  void drop() { count_ = 0; }
  // The points of another history of the same width. Where there are none, no values are copied.
  void take(const History& other) {
    count_ = other.count_;
    newest_ = other.newest_;
    if (count_ == 0) return;
    times_ = other.times_;
    width_ = other.width_;
    values_ = other.values_;
  }

  // For ByteWriter and ByteReader.
  template <class Archive>
  void fields(Archive& archive) {
    archive(count_, newest_, times_, values_);
  }
  // Whether what was read makes sense.
  [[nodiscard]] bool is_sound() const {
    return count_ >= 0 && count_ <= most_points && newest_ >= 0 && newest_ < most_points;
  }

 private:
  [[nodiscard]] std::size_t slot(int back) const {
    return static_cast<std::size_t>((newest_ + most_points - back) % most_points);
  }

  std::size_t width_ = 0;
  int count_ = 0;
  int newest_ = 0;
  std::array<Time, most_points> times_{};
  std::vector<double> values_{};  // slot after slot: one piece, since controllers copy it in every step
};

}  // namespace consort::couple
