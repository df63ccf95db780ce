// Some of the variables of a block of values, set without the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "describe/signals.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

class Subset {
 public:
  Subset() = default;  // of nothing
  // `members` are indices into the choice of `all`, whose variables have `sizes` elements.
  Subset(const describe::Description& description, const describe::SignalSet& all, std::span<const std::size_t> members,
         std::span<const std::uint64_t> sizes);

  [[nodiscard]] bool empty() const { return signals_.empty(); }
  // Takes the members from `values`, which are laid out as `all`, and sets them. Allocates nothing after the first
  // time, except for texts and binaries.
  void set(unit::Variables& unit, const Columns& values);

 private:
  describe::SignalSet signals_;
  Columns values_;
  std::vector<std::uint32_t> from_;  // per member: its first element in the column of its type in `all`
};

// The same for clocks, of which those are set that tick: what is set must be active (FMI 3.0, 2.2.9).
class Ticks {
 public:
  Ticks() = default;
  Ticks(const describe::Description& description, const describe::SignalSet& all, std::span<const std::size_t> clocks,
        std::span<const std::uint64_t> sizes);
  void set(unit::Variables& unit, const Columns& values);

 private:
  std::vector<Subset> clocks_;
  std::vector<std::uint32_t> from_;
};

}  // namespace consort::engine
