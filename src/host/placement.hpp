// Which unit of a wave goes into which thread's share: the longest first, each to the share that has least so far.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fleet/host.hpp"

namespace consort::host {

class Placement {
 public:
  // All memory is allocated here. Before any time is known, shares are equal in number.
  Placement(std::span<const fleet::Local> units, unsigned threads);

  [[nodiscard]] std::span<const fleet::Local> units() const { return units_; }  // as they were given
  [[nodiscard]] unsigned shares() const { return static_cast<unsigned>(ends_.size()); }
  // Never empty, in the order in which the units were given.
  [[nodiscard]] std::span<const fleet::Local> share(unsigned i) const {
    const std::size_t first = i == 0 ? 0 : ends_[i - 1];
    return std::span(placed_).subspan(first, ends_[i] - first);
  }

  // The seconds that each unit took just now, in the order in which they were given. Shares are made anew when they
  // have become markedly uneven; true if so.
  bool learn(std::span<const double> seconds);
  // What all are expected to take, and the longest share of them; 0 before any time is known.
  [[nodiscard]] double sum() const;
  [[nodiscard]] double longest() const;

 private:
  void place_in_a_row();
  void place_longest_first();
  void sort_into_shares();

  std::vector<fleet::Local> units_;
  std::vector<double> costs_;            // by place in units_; 0 before the first time
  std::vector<std::uint32_t> share_of_;  // by place in units_
  std::vector<fleet::Local> placed_;     // share after share
  std::vector<std::size_t> ends_;        // of the shares in placed_
  std::vector<std::uint32_t> order_;     // room to sort in
  mutable std::vector<double> loads_;    // room to add up in
};

}  // namespace consort::host
