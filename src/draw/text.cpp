#include "draw/text.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

namespace consort::draw {

namespace {

// One character and the number of its bytes; 0 bytes: not UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

Character character_at(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k])); };
  const std::uint32_t lead = byte(i);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || i + length > text.size()) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i + k) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

bool is_shown(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;  // control characters
  // Line separators and marks that change the writing direction.
  if (code == 0x2028 || code == 0x2029 || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069))
    return false;
  return code != 0xFFFE && code != 0xFFFF;
}

bool is_wide(std::uint32_t code) {
  return (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
         (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFF00 && code <= 0xFF60) || (code >= 0x1F300 && code <= 0x1FAFF);
}

bool is_combining(std::uint32_t code) { return (code >= 0x300 && code <= 0x36F) || code == 0x200B || code == 0x200D; }

std::size_t columns_of(std::uint32_t code) { return is_combining(code) ? 0 : is_wide(code) ? 2 : 1; }

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    if (c.bytes > 0 && is_shown(c.code)) {
      out.append(text.substr(i, c.bytes));
    } else {
      out += "\xEF\xBF\xBD";  // U+FFFD
    }
    i += std::max<std::size_t>(c.bytes, 1);
  }
  return out;
}

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out.push_back(c);
    }
  }
  return out;
}

std::string json_string(std::string_view text) {
  std::string out;
  for (const char c : nlohmann::json(printable(text)).dump()) {
    // Escape characters that the HTML parser could read as a tag or an entity.
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Character c = character_at(text, i);
    columns += columns_of(c.code);
    i += std::max<std::size_t>(c.bytes, 1);
  }
  return columns;
}

std::string shorten(std::string_view text, std::size_t most) {
  if (columns_of(text) <= most) return std::string(text);
  if (most == 0) return {};
  // Keep both ends, because structured names differ at the end.
  const std::size_t head = (most - 1) / 2;
  const std::size_t tail = most - 1 - head;
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); i += std::max<std::size_t>(character_at(text, i).bytes, 1))
    starts.push_back(i);
  std::size_t front = 0;
  std::size_t used = 0;
  for (; front < starts.size(); ++front) {
    const std::size_t next = columns_of(character_at(text, starts[front]).code);
    if (used + next > head) break;
    used += next;
  }
  std::size_t back = starts.size();
  used = 0;
  for (; back > front; --back) {
    const std::size_t next = columns_of(character_at(text, starts[back - 1]).code);
    if (used + next > tail) break;
    used += next;
  }
  std::string out(text.substr(0, starts[front]));
  out += "…";
  if (back < starts.size()) out += text.substr(starts[back]);
  return out;
}

double width_in_pixels(std::string_view text, double font_size) {
  return 0.57 * font_size * static_cast<double>(columns_of(text));
}

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

}  // namespace consort::draw
