// Assigns the units of a wave to the shares of threads: longest unit first, each to the share with the least load.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fleet/host.hpp"

namespace consort::host {

class Placement {
 public:
  // Allocates all memory. Before times are known, all shares have the same number of units.
  Placement(std::span<const fleet::Local> units, unsigned threads);

  [[nodiscard]] std::span<const fleet::Local> units() const { return units_; }  // in the given order
  [[nodiscard]] unsigned shares() const { return static_cast<unsigned>(ends_.size()); }
  // A share is never empty; its units are in the given order.
  [[nodiscard]] std::span<const fleet::Local> share(unsigned i) const {
    const std::size_t first = i == 0 ? 0 : ends_[i - 1];
    return std::span(placed_).subspan(first, ends_[i] - first);
  }

  // Takes the latest time of each unit in seconds, in the given order. If the shares have become clearly uneven,
  // assigns units anew. Returns true if the longest share became shorter.
  bool learn(std::span<const double> seconds);
  // Expected seconds of all units and of the longest share; 0 before times are known.
  [[nodiscard]] double sum() const;
  [[nodiscard]] double longest() const;

 private:
  void place_in_a_row();
  void place_longest_first();
  void sort_into_shares();

  std::vector<fleet::Local> units_;
  std::vector<double> costs_;            // by index in units_; 0 before the first time
  std::vector<std::uint32_t> share_of_;  // by index in units_
  std::vector<fleet::Local> placed_;     // share after share
  std::vector<std::size_t> ends_;        // end of each share in placed_
  std::vector<std::uint32_t> order_;     // scratch for sorting
  mutable std::vector<double> loads_;    // scratch for sums by share
};

}  // namespace consort::host
