// The next event that an instance has announced.
//
// Some tools (OpenModelica) write only those fields of an event update that have changed. Therefore an announced event
// is passed to the next update and remains announced unless the FMU writes the fields, until its time has come.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/time.hpp"

namespace consort::fmi {

class Announcement {
 public:
  Announcement() = default;
  explicit Announcement(Time now) : now_(now) {}

  // The instance is at this time.
  void reach(Time now) { now_ = now; }
  // The instance has stepped by h to this time. An event that the end misses by a rounding error has come.
  void step_to(Time now, Duration h) { now_ = now + 1e-9 * h; }

  // The announced event if it still lies ahead: the initial value for an update.
  [[nodiscard]] std::optional<Time> ahead() const { return now_ < next_ ? std::optional(next_) : std::nullopt; }
  // Takes the value after the update.
  void take(std::optional<Time> next) { next_ = next.value_or(none); }

  // As part of a saved state. split_off() removes what append_to() appended; throws Error (input) if it is missing.
  void append_to(std::vector<std::uint8_t>& state) const {
    const auto first = state.size();
    state.resize(first + size);
    std::memcpy(state.data() + first, &now_, sizeof now_);
    std::memcpy(state.data() + first + sizeof now_, &next_, sizeof next_);
  }
  [[nodiscard]] static Announcement split_off(std::span<const std::uint8_t>& state) {
    ByteReader::check(state.size() >= size);
    ByteReader reader(state.last(size));
    state = state.first(state.size() - size);
    Announcement result;
    reader(result.now_, result.next_);
    return result;
  }

 private:
  static constexpr Time none = -std::numeric_limits<Time>::infinity();
  static constexpr std::size_t size = 2 * sizeof(Time);

  Time now_ = 0;
  Time next_ = none;
};

}  // namespace consort::fmi
