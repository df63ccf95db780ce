#include "host/placement.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace consort::host {

Placement::Placement(std::span<const fleet::Local> units, unsigned threads)
    : units_(units.begin(), units.end()),
      costs_(units.size(), 0.0),
      share_of_(units.size(), 0),
      placed_(units.size()),
      ends_(std::min<std::size_t>(threads, units.size())),
      order_(units.size()),
      loads_(ends_.size()) {
  CONSORT_ASSERT(threads > 0 && !units.empty());
  for (std::size_t i = 0; i < units_.size(); ++i)
    share_of_[i] = static_cast<std::uint32_t>(i * ends_.size() / units_.size());
  sort_into_shares();
}

bool Placement::learn(std::span<const double> seconds) {
  CONSORT_ASSERT(seconds.size() == units_.size());
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    double& cost = costs_[i];
    // An interrupted thread makes a unit look slow once: longer times get a small weight, shorter times a large one.
    const double now = cost > 0 ? std::min(seconds[i], 4 * cost) : seconds[i];
    cost = cost > 0 ? cost + (now < cost ? 0.5 : 0.25) * (now - cost) : now;
  }
  constexpr double marked = 1.1;
  const double mean = sum() / static_cast<double>(ends_.size());
  const double least = std::max(mean, *std::max_element(costs_.begin(), costs_.end()));
  if (longest() <= marked * least) return false;
  const double before = longest();
  place_longest_first();
  const double longest_first = longest();
  // Neighbours in the same share avoid cache lines shared between threads; that justifies a slight imbalance.
  place_in_a_row();
  if (longest() > 1.03 * longest_first) place_longest_first();
  sort_into_shares();
  return longest() < before;
}

// Forms shares of consecutive units; each ends where its sum is closest to its part of the total.
void Placement::place_in_a_row() {
  const double total = sum();
  const std::size_t shares = ends_.size();
  std::size_t share = 0;
  std::size_t in_share = 0;
  double sum = 0;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const double goal = total * static_cast<double>(share + 1) / static_cast<double>(shares);
    const bool full = in_share > 0 && sum + 0.5 * costs_[i] > goal;
    const bool needed = units_.size() - i == shares - share - 1;  // no share may stay empty
    if (share + 1 < shares && (full || (needed && in_share > 0))) {
      ++share;
      in_share = 0;
    }
    share_of_[i] = static_cast<std::uint32_t>(share);
    sum += costs_[i];
    ++in_share;
  }
}

void Placement::place_longest_first() {
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return costs_[a] != costs_[b] ? costs_[a] > costs_[b] : a < b; });
  std::fill(loads_.begin(), loads_.end(), 0.0);
  for (std::size_t n = 0; n < order_.size(); ++n) {
    // The first units go to one share each, so that no share is empty.
    const auto least = n < loads_.size() ? loads_.begin() + static_cast<std::ptrdiff_t>(n)
                                         : std::min_element(loads_.begin(), loads_.end());
    *least += costs_[order_[n]];
    share_of_[order_[n]] = static_cast<std::uint32_t>(least - loads_.begin());
  }
}

void Placement::sort_into_shares() {
  std::size_t end = 0;
  for (std::size_t s = 0; s < ends_.size(); ++s) {
    for (std::size_t i = 0; i < units_.size(); ++i)
      if (share_of_[i] == s) placed_[end++] = units_[i];
    ends_[s] = end;
  }
}

double Placement::sum() const { return std::accumulate(costs_.begin(), costs_.end(), 0.0); }

double Placement::longest() const {
  std::fill(loads_.begin(), loads_.end(), 0.0);
  for (std::size_t i = 0; i < costs_.size(); ++i) loads_[share_of_[i]] += costs_[i];
  return *std::max_element(loads_.begin(), loads_.end());
}

}  // namespace consort::host
