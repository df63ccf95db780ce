// The state of a solver as bytes: every field in the order of its fields() function, as it lies in memory.
//
// For checkpoints that are read back by the same program on a machine of the same kind, not for exchange.
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

namespace consort::solve {

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
    append(values.data(), values.size() * sizeof(T));
  }
  void write(const std::vector<bool>& values) {
    write(static_cast<std::uint64_t>(values.size()));
    for (const bool value : values) bytes_.push_back(value ? 1 : 0);
  }
  void write(const std::string& text) {
    write(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  void append(const void* data, std::size_t size) {
    if (size == 0) return;
    const auto* first = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<std::uint8_t> bytes_;
};

// Vectors must come with the sizes that the fields have: a state never changes its shape. Throws Error (input).
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... fields) {
    (read(fields), ...);
  }
  void expect_end() const { check(bytes_.empty()); }

 private:
  static void check(bool condition) {
    require(condition,
            "the saved solver state is damaged or belongs to another problem, solver or version; start from the "
            "beginning or "
            "take another checkpoint");
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void read(T& value) { take(&value, sizeof value); }
  template <class T>
  void read(std::vector<T>& values) {
    read_size(values.size());
    take(values.data(), values.size() * sizeof(T));
  }
  void read(std::vector<bool>& values) {
    read_size(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint8_t byte = 0;
      read(byte);
      check(byte <= 1);
      values[i] = byte == 1;
    }
  }
  void read(std::string& text) {
    std::uint64_t size = 0;
    read(size);
    check(size <= bytes_.size());
    text.resize(size);
    take(text.data(), text.size());
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

}  // namespace consort::solve
