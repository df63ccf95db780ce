// Strings and binaries of fixed capacity. A model's memory is one flat block, so its state is saved by copying the
// block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace consort::model {

// A text of at most `Capacity` bytes; longer text is truncated. Always NUL-terminated.
template <std::size_t Capacity>
struct Text {
  char data[Capacity + 1] = {};

  constexpr Text() = default;
  constexpr Text(std::string_view text) { assign(text); }  // NOLINT(google-explicit-constructor): reads as a string
  constexpr Text(const char* text) { assign(text); }       // NOLINT(google-explicit-constructor)

  constexpr void assign(std::string_view text) {
    const std::size_t size = text.size() < Capacity ? text.size() : Capacity;
    for (std::size_t i = 0; i <= Capacity; ++i) data[i] = i < size ? text[i] : '\0';
  }
  [[nodiscard]] constexpr std::string_view view() const { return data; }
};

// At most `Capacity` arbitrary bytes.
template <std::size_t Capacity>
struct Bytes {
  std::uint32_t size = 0;
  std::uint8_t data[Capacity] = {};

  constexpr Bytes() = default;
  constexpr Bytes(const char* bytes) : Bytes(std::string_view(bytes)) {}  // NOLINT(google-explicit-constructor)
  constexpr Bytes(std::string_view bytes) {                               // NOLINT(google-explicit-constructor)
    size = static_cast<std::uint32_t>(bytes.size() < Capacity ? bytes.size() : Capacity);
    for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<std::uint8_t>(bytes[i]);
  }
};

}  // namespace consort::model
