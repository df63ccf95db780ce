#include "record/hdf5/hdf5_text_collection.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace consort::record {

namespace {

// Signature, version, 3 bytes, length. An object: index, references, 4 bytes, length, content; index 0 is the free
// space, whose length contains these 16 bytes.
constexpr std::size_t header_size = text_collection_header;
constexpr std::size_t length_at = 8;

std::uint64_t length_in(std::span<const char> bytes, std::size_t header) {
  std::uint64_t length = 0;  // little-endian, like the only platform
  std::memcpy(&length, bytes.data() + header + length_at, sizeof length);
  return length;
}

std::uint16_t index_in(std::span<const char> bytes, std::size_t header) {
  std::uint16_t index = 0;
  std::memcpy(&index, bytes.data() + header, sizeof index);
  return index;
}

void set_length(std::span<char> bytes, std::size_t header, std::uint64_t length) {
  std::memcpy(bytes.data() + header + length_at, &length, sizeof length);
}

// The place of the free space. Less than 16 bytes at the end are free without saying so. Nothing if damaged.
std::optional<std::size_t> free_space(std::span<const char> bytes) {
  std::size_t at = header_size;
  while (bytes.size() - at >= header_size) {
    const auto length = length_in(bytes, at);
    if (length > bytes.size() - at) return std::nullopt;
    if (index_in(bytes, at) == 0) return length == bytes.size() - at ? std::optional(at) : std::nullopt;
    at += header_size + (static_cast<std::size_t>(length) + 7) / 8 * 8;
    if (at > bytes.size()) return std::nullopt;
  }
  return at;
}

void put_free_space(std::span<char> bytes, std::size_t at, std::uint64_t length) {
  if (bytes.size() < header_size || at > bytes.size() - header_size) return;  // free without saying so
  char header[header_size] = {};
  std::memcpy(header + length_at, &length, sizeof length);
  std::copy(std::begin(header), std::end(header), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

bool is_text_collection(std::span<const char> bytes) {
  constexpr char head[] = {'G', 'C', 'O', 'L', 1, 0, 0, 0};
  return bytes.size() >= sizeof head && std::memcmp(bytes.data(), head, sizeof head) == 0;
}

std::size_t declared_size(std::span<const char> bytes) { return static_cast<std::size_t>(length_in(bytes, 0)); }

std::vector<std::vector<char>> steps_between(std::span<const char> before, std::span<const char> now,
                                             std::size_t page) {
  std::vector<std::vector<char>> steps;
  const auto place = before.size() < header_size || before.size() > now.size() ? std::nullopt : free_space(before);
  if (!place) return steps;
  const std::size_t free = *place;
  std::vector<char> image(now.begin(), now.end());
  std::copy(before.begin(), before.end(), image.begin());

  if (before.size() < now.size()) {
    // A second free space behind the former end, which no reader reaches yet; the new length; one free space for both.
    const std::size_t added = before.size() - free < header_size ? free : before.size();
    put_free_space(image, added, now.size() - added);
    steps.push_back(image);
    set_length(image, 0, now.size());
    steps.push_back(image);
    put_free_space(image, free, now.size() - free);
    steps.push_back(image);
  }
  const bool in_two_pages = (free + length_at) % page == 0;
  if (in_two_pages && now.size() - free >= 2 * header_size && index_in(now, free) != 0) {
    // A length that is right for the free space, if there is another one at the end, and for an object. Then its index.
    const std::size_t last = now.size() - header_size;
    put_free_space(image, last, header_size);
    steps.push_back(image);
    set_length(image, free, last - free);
    steps.push_back(image);
    std::copy_n(now.data() + free, length_at, image.data() + free);
    steps.push_back(image);
  }
  return steps;
}

}  // namespace consort::record
