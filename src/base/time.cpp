#include "base/time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace consort {

Grid::Grid(Time start, Time stop, Duration step) : start_(start), stop_(stop), step_(step) {
  require(std::isfinite(start) && std::isfinite(stop), "start and stop time must be finite numbers, got {} and {}",
          start, stop);
  require(std::isfinite(step) && step > 0, "the step size must be a positive number of seconds, got {}", step);
  require(stop >= start, "the stop time {} lies before the start time {}; choose a later stop time", stop, start);
  const double exact = (stop - start) / step;
  require(exact < 1e15, "a step of {} s from {} s to {} s makes more than 1e15 steps; choose a larger step", step,
          start, stop);
  const double nearest = std::round(exact);
  even_ = std::abs(exact - nearest) <= slack && (nearest >= 1 || stop == start);
  intervals_ = static_cast<std::uint64_t>(even_ ? nearest : std::ceil(exact));
  if (intervals_ == 0 && stop > start) intervals_ = 1;
  const Time farthest = std::max(std::abs(start), std::abs(stop));
  const Duration spacing = std::nextafter(farthest, std::numeric_limits<double>::infinity()) - farthest;
  tolerance_ = std::min(std::max(slack * step, 4 * spacing), step / 4);
}

}  // namespace consort
