// Zip archives written byte by byte, so that every field can be falsified. Entries are stored, not compressed.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace consort::os {

struct RawEntry {
  std::string name{};
  std::string content{};
  std::uint32_t mode = S_IFREG | 0644;             // of Unix, in the external attributes
  std::uint8_t system = 3;                         // Unix
  std::uint16_t flags = 0;                         // 1: encrypted, 0x800: the name is UTF-8
  std::uint16_t method = 0;                        // 8: deflate
  std::optional<std::uint32_t> declared_size{};    // nullopt: the true size
  std::optional<std::uint32_t> declared_packed{};  // likewise
  std::optional<std::uint32_t> declared_crc{};
};

class RawZip {
 public:
  RawZip& add(const RawEntry& entry) {
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    header(bytes_, 0x04034b50, entry, std::nullopt);
    bytes_ += entry.name + entry.content;
    header(directory_, 0x02014b50, entry, offset);
    directory_ += entry.name;
    ++count_;
    return *this;
  }

  [[nodiscard]] std::string bytes() const {
    std::string all = bytes_ + directory_;
    put(all, 0x06054b50, 4);
    put(all, 0, 4);
    put(all, count_, 2);
    put(all, count_, 2);
    put(all, directory_.size(), 4);
    put(all, bytes_.size(), 4);
    put(all, 0, 2);
    return all;
  }

  static std::uint32_t crc(std::string_view data) {
    std::uint32_t sum = 0xFFFFFFFFU;
    for (const char c : data) {
      sum ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    return ~sum;
  }

 private:
  static void put(std::string& to, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xFF);
  }

  static void header(std::string& to, std::uint32_t signature, const RawEntry& entry,
                     std::optional<std::uint32_t> offset) {
    const auto size = static_cast<std::uint32_t>(entry.content.size());
    put(to, signature, 4);
    if (offset) put(to, static_cast<std::uint64_t>(entry.system) << 8 | 20, 2);
    put(to, 20, 2);
    put(to, entry.flags, 2);
    put(to, entry.method, 2);
    put(to, 0x00210000, 4);  // time and date: 1 January 1980
    put(to, entry.declared_crc.value_or(crc(entry.content)), 4);
    put(to, entry.declared_packed.value_or(size), 4);
    put(to, entry.declared_size.value_or(size), 4);
    put(to, entry.name.size(), 2);
    put(to, 0, 2);  // extra fields
    if (!offset) return;
    put(to, 0, 2);  // comment
    put(to, 0, 2);  // disk
    put(to, 0, 2);  // internal attributes
    put(to, std::uint64_t{entry.mode} << 16, 4);
    put(to, *offset, 4);
  }

  std::string bytes_;
  std::string directory_;
  std::uint16_t count_ = 0;
};

}  // namespace consort::os
