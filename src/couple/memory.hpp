// What a run remembers beside its typed parts: slots of plain elements that open-ended parties (approximations, laws,
// constraints, accelerators, scenarios) ask for before the run.
//
// There are two arenas. What goes `back` is put back when a step is rejected; what `stays` is not. A history keeps its
// values in the one that stays and its ends in the other, so that going back copies no values. Whatever is derived from
// slots lives elsewhere and is made anew after going back.
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

// Where a party finds its elements in the arena that it asked. Elements begin as bytes of 0.
template <class T>
struct Slot {
  std::uint32_t offset = 0;
  std::uint32_t count = 0;
};

class Arena {
 public:
  // Before the run, in a fixed order, under a name of its own. Spans of other slots are not valid any more afterwards.
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
  // Of an arena with the same slots. Allocates the first time at most.
  void copy_from(const Arena& other) {
    bytes_.resize(other.bytes_.size());
    if (!bytes_.empty()) std::memcpy(bytes_.data(), other.bytes_.data(), bytes_.size());
  }

  // With the name and the size of every slot. read() throws Error (input) that names the slot which is another one.
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
