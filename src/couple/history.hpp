// What inputs were at the last communication points, and polynomials through it.
//
// All of it works with steps of any size; after an event the history is dropped and orders start at 0 again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
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
  [[nodiscard]] std::span<const double> values(int back) const {
    return {values_.data() + slot(back) * width_, width_};
  }

  // The newest point; a second one at the same time replaces the first.
  void push(Time t, std::span<const double> values);
  void drop() { count_ = 0; }
  // Where it is, to go back to: a step that is rejected takes its points back with it. There are spare slots, so that
  // no value has to be copied for it, as long as at most `most_undone` points come in between.
  static constexpr int most_undone = 2;
  struct Mark {
    int count = 0;
    int newest = 0;
    std::uint64_t pushed = 0;
  };
  [[nodiscard]] Mark mark() const { return {count_, newest_, pushed_}; }
  void go_back(const Mark& mark) {
    CONSORT_ASSERT(pushed_ - mark.pushed <= most_undone);
    count_ = mark.count;
    newest_ = mark.newest;
    pushed_ = mark.pushed;
  }
  // As if nothing had been dropped since.
  void take_up(const Mark& mark) {
    CONSORT_ASSERT(pushed_ - mark.pushed <= most_undone);
    count_ = std::min(mark.count + static_cast<int>(pushed_ - mark.pushed), most_points);
  }

  // For ByteWriter and ByteReader.
  template <class Archive>
  void fields(Archive& archive) {
    archive(count_, newest_, times_, values_);
  }
  // Whether what was read makes sense.
  [[nodiscard]] bool is_sound() const {
    return count_ >= 0 && count_ <= most_points && newest_ >= 0 && newest_ < slots;
  }

 private:
  [[nodiscard]] std::size_t slot(int back) const {
    const int at = newest_ - back;
    return static_cast<std::size_t>(at < 0 ? at + slots : at);
  }

  static constexpr int slots = most_points + most_undone;

  std::size_t width_ = 0;
  int count_ = 0;
  int newest_ = 0;
  std::uint64_t pushed_ = 0;  // points so far, less those that were taken back
  std::array<Time, slots> times_{};
  std::vector<double> values_{};  // slot after slot
};

}  // namespace consort::couple
