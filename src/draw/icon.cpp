#include "draw/icon.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string_view>

namespace consort::draw {

namespace {

constexpr std::uintmax_t largest = 256 * 1024;

// RFC 4648, 4.
std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? digits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

std::string_view media_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1A\n")) return "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  return bytes.substr(0, 4096).find("<svg") == std::string_view::npos ? "" : "image/svg+xml";
}

}  // namespace

std::string icon_uri(const std::filesystem::path& file) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(file, failed);
  if (failed || size == 0 || size > largest || !std::filesystem::is_regular_file(file, failed)) return {};
  std::ifstream in(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  const auto type = media_type(bytes);
  if (type.empty() || bytes.size() > largest) return {};
  return "data:" + std::string(type) + ";base64," + base64(bytes);
}

}  // namespace consort::draw
