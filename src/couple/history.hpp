// Inputs at the last communication points, and polynomials through them.
//
// Works with steps of any size. An event drops the history; orders then start again at 0, or at 1 if first derivatives
// are known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/time.hpp"
#include "couple/memory.hpp"
#include "fleet/signals.hpp"

namespace consort::couple {

inline constexpr int most_points = fleet::highest_order + 1;

// Weights that turn values at points into derivatives of the polynomial through them: derivative m at `at` is Σ
// weight[m][k] · value[k], for m and k less than the number of points. All points differ; at most most_points.
using Weights = std::array<std::array<double, most_points>, most_points>;
void derivative_weights(std::span<const Time> points, Time at, Weights& weights);
[[nodiscard]] Weights derivative_weights(std::span<const Time> points, Time at);
// The same for values and derivatives (Hermite): a repetition of a point directly behind it stands for its next
// derivative.
void hermite_weights(std::span<const Time> points, Time at, Weights& weights);

// A ring of points in the memory of a run. Values are in the arena that is not restored, the ends of the ring in the
// one that is. Spare places make it possible to restore the ends without copying values, if at most `most_undone`
// points were pushed in between.
class History {
 public:
  static constexpr int most_undone = 2;
  // The ends of the ring.
  struct Ends {
    std::int32_t count = 0;
    std::int32_t newest = 0;
    std::uint64_t pushed = 0;  // points so far, without points that were undone
  };

  History() = default;
  // Reserves the slots; before the run. `derivatives`: number of derivatives per point.
  History(Memory& memory, const std::string& name, std::size_t width, int derivatives = 0);

  [[nodiscard]] int points(const Memory& memory) const { return memory.back.at(ends_).count; }
  [[nodiscard]] Time time(const Memory& memory, int back) const {  // 0: the newest
    return memory.stays[times_][place(memory, back)];
  }
  [[nodiscard]] std::span<const double> values(const Memory& memory, int back) const { return data(memory, back, 0); }
  // Derivative `order` of a point; 0: its values.
  [[nodiscard]] std::span<const double> data(const Memory& memory, int back, int order) const {
    return memory.stays[values_].subspan((place(memory, back) * each_ + static_cast<std::size_t>(order)) * width_,
                                         width_);
  }
  // Number of data per point: value and derivatives.
  [[nodiscard]] int each() const { return static_cast<int>(each_); }

  // Adds the newest point; a second point at the same time replaces the first. `derivatives`: sorted by order.
  void push(Memory& memory, Time t, std::span<const double> values, std::span<const double> derivatives = {}) const;
  // Copies a point of another history with the same shape.
  void push(Memory& memory, const History& other, int back) const;
  void drop(Memory& memory) const { memory.back.at(ends_).count = 0; }

  [[nodiscard]] const Ends& ends(const Memory& memory) const { return memory.back.at(ends_); }
  // Makes points available again that were dropped since `before`.
  void take_up(Memory& memory, const Ends& before) const;

  // False if data read from a checkpoint are invalid.
  [[nodiscard]] bool is_sound(const Memory& memory) const {
    const auto& e = ends(memory);
    return e.count >= 0 && e.count <= most_points && e.newest >= 0 && e.newest < places;
  }

 private:
  static constexpr int places = most_points + most_undone;
  [[nodiscard]] std::size_t place(const Memory& memory, int back) const {
    const int at = memory.back.at(ends_).newest - back;
    return static_cast<std::size_t>(at < 0 ? at + places : at);
  }

  [[nodiscard]] std::span<double> new_point(Memory& memory, Time t) const;

  std::size_t width_ = 0;
  std::size_t each_ = 1;
  Slot<Ends> ends_;
  Slot<Time> times_;
  Slot<double> values_;  // place by place, each with values followed by derivatives
};

}  // namespace consort::couple
