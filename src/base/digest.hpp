// SHA-256 (FIPS 180-4), to identify the file from which a result was made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace consort {

class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  [[nodiscard]] std::string finish();  // 64 hexadecimal digits; call once

 private:
  void block(const std::uint8_t* bytes);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> rest_{};
  std::size_t filled_ = 0;
  std::uint64_t length_ = 0;
};

[[nodiscard]] std::string sha256_of(std::string_view text);
// Throws Error (input) if the file cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace consort
