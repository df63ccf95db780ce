#include "base/digest.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"

namespace consort {

namespace {

__extension__ using Wide = unsigned __int128;

// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
std::array<std::uint32_t, 64> make_constants() {
  std::array<std::uint32_t, 64> constants{};
  std::size_t found = 0;
  for (unsigned candidate = 2; found < constants.size(); ++candidate) {
    bool prime = true;
    for (unsigned divisor = 2; divisor * divisor <= candidate; ++divisor) prime = prime && candidate % divisor != 0;
    if (!prime) continue;
    // The integer r with r³ <= p·2⁹⁶ < (r+1)³ contains these bits at its end; the float is a first guess.
    auto r = static_cast<std::uint64_t>(std::cbrt(static_cast<long double>(candidate)) * 4294967296.0L);
    const auto cubes_to_less = [&](std::uint64_t x) {
      const auto square = static_cast<Wide>(x) * x;
      const auto high = (square >> 64) * x;
      const auto low = static_cast<Wide>(static_cast<std::uint64_t>(square)) * x;
      return high + (low >> 64) < (static_cast<Wide>(candidate) << 32);
    };
    while (!cubes_to_less(r)) --r;
    while (cubes_to_less(r + 1)) ++r;
    constants[found++] = static_cast<std::uint32_t>(r);
  }
  return constants;
}

}  // namespace

void Sha256::block(const std::uint8_t* bytes) {
  static const auto constants = make_constants();
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint8_t* const b = bytes + 4 * i;
    w[i] = (std::uint32_t{b[0]} << 24) | (std::uint32_t{b[1]} << 16) | (std::uint32_t{b[2]} << 8) | std::uint32_t{b[3]};
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const auto s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const auto s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto v = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto s1 = std::rotr(v[4], 6) ^ std::rotr(v[4], 11) ^ std::rotr(v[4], 25);
    const auto choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
    const auto t1 = v[7] + s1 + choice + constants[i] + w[i];
    const auto s0 = std::rotr(v[0], 2) ^ std::rotr(v[0], 13) ^ std::rotr(v[0], 22);
    const auto majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    v = {t1 + s0 + majority, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
  }
  for (std::size_t i = 0; i < 8; ++i) state_[i] += v[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
  length_ += bytes.size();
  for (const auto byte : bytes) {
    rest_[filled_++] = static_cast<std::uint8_t>(byte);
    if (filled_ < rest_.size()) continue;
    block(rest_.data());
    filled_ = 0;
  }
}

std::string Sha256::finish() {
  const std::uint64_t bits = length_ * 8;
  std::vector<std::byte> end{std::byte{0x80}};
  while ((length_ + end.size()) % 64 != 56) end.push_back(std::byte{0});
  for (int i = 7; i >= 0; --i) end.push_back(static_cast<std::byte>(bits >> (8 * i)));
  add(end);
  std::string text;
  for (const auto word : state_) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256_of(std::string_view text) {
  Sha256 digest;
  digest.add(std::as_bytes(std::span(text)));
  return digest.finish();
}

std::string sha256_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  require(in.is_open(), "{}: cannot be read; check its name and permissions", file.string());
  Sha256 digest;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    digest.add(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(in.gcount()))));
  }
  return digest.finish();
}

}  // namespace consort
