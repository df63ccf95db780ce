// Sets some variables of a block of values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "describe/signals.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

class Subset {
 public:
  Subset() = default;  // an empty subset
  // `members` are indices into the choice of `all`, whose variables have `sizes` elements.
  Subset(const describe::Description& description, const describe::SignalSet& all, std::span<const std::size_t> members,
         std::span<const std::uint64_t> sizes);

  [[nodiscard]] bool empty() const { return signals_.empty(); }
  // Sets the members from `values`, which have the layout of `all`. After the first call it allocates only for texts
  // and binaries.
  void set(unit::Variables& unit, const Columns& values);

 private:
  describe::SignalSet signals_;
  Columns values_;
  std::vector<std::uint32_t> from_;  // by member: its first element in the column of its type in `all`
};

// The same for clocks: sets only clocks that tick, because a clock must be active when it is set (FMI 3.0, 2.2.9).
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
