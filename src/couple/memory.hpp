// Memory of a run besides its typed parts: slots of plain elements, reserved before the run by extensible parts
// (approximations, control laws, constraints, accelerators, scenarios).
//
// There are two arenas. Slots in `back` are restored when a step is rejected; slots in `stays` are not. A history keeps
// its values in `stays` and its ends in `back`, so that no values are copied to restore it. Data derived from slots are
// stored elsewhere and computed again after restoring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace consort::couple {

// Position of a party's elements in the arena that reserved them. Bytes are initially 0.
template <class T>
struct Slot {
  std::uint32_t offset = 0;
  std::uint32_t count = 0;
};

class Arena {
 public:
  // Call it before the run, in a fixed order, with a unique name. Invalidates spans of other slots.
  template <class T>
  requires std::is_trivially_copyable_v<T> &&(alignof(T) <= 8)
      [[nodiscard]] Slot<T> reserve(std::string name, std::size_t count = 1) {
    return {reserve_bytes(std::move(name), count, sizeof(T)), static_cast<std::uint32_t>(count)};
  }

  template <class T>
  [[nodiscard]] std::span<T> operator[](Slot<T> slot) {
    return {reinterpret_cast<T*>(bytes_.data() + slot.offset), slot.count};
  }
  template <class T>
  [[nodiscard]] std::span<const T> operator[](Slot<T> slot) const {
    return {reinterpret_cast<const T*>(bytes_.data() + slot.offset), slot.count};
  }
  // The only element.
  template <class T>
  [[nodiscard]] T& at(Slot<T> slot) {
    return (*this)[slot].front();
  }
  template <class T>
  [[nodiscard]] const T& at(Slot<T> slot) const {
    return (*this)[slot].front();
  }

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  // Copies an arena with the same slots. Allocates at most the first time.
  void copy_from(const Arena& other) {
    bytes_.resize(other.bytes_.size());
    if (!bytes_.empty()) std::memcpy(bytes_.data(), other.bytes_.data(), bytes_.size());
  }

  // Includes the name and the size of every slot. read() throws Error (input) that names a slot that differs.
  void write(ByteWriter& writer) const;
  void read(ByteReader& reader);

 private:
  struct Entry {
    std::string name;
    std::uint32_t offset = 0;
    std::uint64_t size = 0;  // bytes
  };
  std::uint32_t reserve_bytes(std::string name, std::size_t count, std::size_t size);

  std::vector<std::byte> bytes_;
  std::vector<Entry> entries_;
};

struct Memory {
  Arena back;
  Arena stays;
};

}  // namespace consort::couple
