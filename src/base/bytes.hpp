// Serialises a state: the fields in the order of its fields() function, in their memory representation.
//
// For checkpoints read by the same program on the same kind of machine, not for exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/value.hpp"

namespace consort {

class ByteWriter {
 public:
  template <class... T>
  void operator()(const T&... fields) {
    (write(fields), ...);
  }
  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void write(const T& value) { append(&value, sizeof value); }
  template <class T>
  void write(const std::vector<T>& values) {
    write(static_cast<std::uint64_t>(values.size()));
    if constexpr (std::is_trivially_copyable_v<T>) {
      append(values.data(), values.size() * sizeof(T));
    } else {
      for (const auto& value : values) write(value);
    }
  }
  void write(const std::vector<bool>& values) {
    write(static_cast<std::uint64_t>(values.size()));
    for (const bool value : values) bytes_.push_back(value ? 1 : 0);
  }
  void write(const std::string& text) {
    write(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  void write(const Columns& columns) {
    for_each_type([&]<class T>() { write(columns.column<T>()); });
  }
  void append(const void* data, std::size_t size) {
    if (size == 0) return;
    const auto* first = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<std::uint8_t> bytes_;
};

// The sizes of vectors and columns must match those of the fields, since a state never changes its shape. Texts and
// nested vectors may have any size. Throws Error (input).
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... fields) {
    (read(fields), ...);
  }
  // A vector of any size, limited by the remaining bytes.
  template <class T>
  void any_size(std::vector<T>& values) {
    std::uint64_t size = 0;
    read(size);
    check(size <= bytes_.size());  // an element has at least one byte
    if constexpr (std::is_trivially_copyable_v<T>) check(size <= bytes_.size() / sizeof(T));
    values.resize(size);
    read_elements(values);
  }
  void expect_end() const { check(bytes_.empty()); }
  // For checks of the restored values, beyond the byte format.
  static void check(bool condition) {
    require(condition,
            "the saved state is damaged or belongs to another problem, solver or version; start from the beginning or "
            "take another checkpoint");
  }

 private:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void read(T& value) { take(&value, sizeof value); }
  void read(bool& value) {
    std::uint8_t byte = 0;
    read(byte);
    check(byte <= 1);
    value = byte == 1;
  }
  template <class T>
  void read(std::vector<T>& values) {
    read_size(values.size());
    read_elements(values);
  }
  void read(std::string& text) {
    std::uint64_t size = 0;
    read(size);
    check(size <= bytes_.size());
    text.resize(size);
    take(text.data(), text.size());
  }
  void read(Columns& columns) {
    for_each_type([&]<class T>() { read(columns.column<T>()); });
  }

  template <class T>
  void read_elements(std::vector<T>& values) {
    if constexpr (std::is_same_v<T, bool> || std::is_base_of_v<Bool, T>) {  // only 0 and 1 are valid
      for (std::size_t i = 0; i < values.size(); ++i) {
        bool value = false;
        read(value);
        values[i] = value;
      }
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      take(values.data(), values.size() * sizeof(T));
    } else if constexpr (std::is_same_v<T, Binary>) {
      for (auto& value : values) any_size(value);
    } else {
      for (auto& value : values) read(value);
    }
  }
  void read_size(std::size_t expected) {
    std::uint64_t size = 0;
    read(size);
    check(size == expected);
  }
  void take(void* to, std::size_t size) {
    check(size <= bytes_.size());
    if (size != 0) std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }

  std::span<const std::uint8_t> bytes_;
};

// Converts bytes to text and back.
[[nodiscard]] inline std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}
[[nodiscard]] inline std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace consort
