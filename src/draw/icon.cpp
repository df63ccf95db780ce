#include "draw/icon.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string_view>

#include "draw/text.hpp"

namespace consort::draw {

namespace {

constexpr std::uintmax_t largest = 256 * 1024;

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
