#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <system_error>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace consort {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// --- edit distance

constexpr std::size_t longest_compared = 256;

// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, ignoring case;
// limit + 1 or more if the number exceeds `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::array<std::array<std::size_t, longest_compared + 1>, 3> rows;
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i - 1) % 3];
    row[0] = i;
    std::size_t best = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], rows[(i - 2) % 3][j - 2] + 1);
      }
      best = std::min(best, row[j]);
    }
    if (best > limit + 1) return limit + 1;
  }
  return rows[a.size() % 3][b.size()];
}

// --- files

Error cannot_read(const std::filesystem::path& file, int why) {
  return input_error("cannot read '{}': {}; check the path and the permissions", file.string(),
                     std::generic_category().message(why));
}

Error too_large(const std::filesystem::path& file, std::size_t limit) {
  return input_error("'{}' is larger than the {} bytes that are accepted for it; give a smaller file", file.string(),
                     limit);
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> split_white(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_white(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && !is_white(text[at])) ++at;
    parts.push_back(text.substr(begin, at - begin));
  }
  return parts;
}

bool iequals(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

bool is_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    const int following = lead >= 0xC2 && lead <= 0xDF   ? 1
                          : lead >= 0xE0 && lead <= 0xEF ? 2
                          : lead >= 0xF0 && lead <= 0xF4 ? 3
                                                         : 0;
    if (following == 0) return false;
    std::uint32_t code = static_cast<std::uint32_t>(lead) & (0x3FU >> following);
    for (int k = 0; k < following; ++k) {
      if (i == text.size()) return false;
      const auto byte = static_cast<unsigned char>(text[i++]);
      if ((byte & 0xC0) != 0x80) return false;
      code = code << 6 | (byte & 0x3FU);
    }
    const bool overlong = (following == 2 && code < 0x800) || (following == 3 && code < 0x10000);
    if (overlong || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return false;
  }
  return true;
}

std::string quote(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  if (cut) {
    text = text.substr(0, most);
    // Never cut in the middle of a character.
    std::size_t tail = 0;
    while (tail < 3 && tail < text.size() && (static_cast<unsigned char>(text[text.size() - 1 - tail]) & 0xC0) == 0x80)
      ++tail;
    if (!is_utf8(text) && is_utf8(text.substr(0, text.size() - std::min(text.size(), tail + 1))))
      text.remove_suffix(tail + 1);
  }
  const bool readable = is_utf8(text);
  std::string result = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool shown = byte >= 0x20 && byte != 0x7F && (byte < 0x80 || readable);
    result += shown ? c : '?';
  }
  return result + (cut ? "…'" : "'");
}

std::vector<std::string> nearest(std::string_view name, std::span<const std::string_view> candidates,
                                 std::size_t most) {
  if (name.empty() || name.size() > longest_compared) return {};
  struct Found {
    std::size_t distance;
    std::size_t index;
  };
  std::vector<Found> found;
  constexpr std::size_t shortest_beginning = 4;  // shorter prefixes are ambiguous
  const std::size_t limit = std::clamp<std::size_t>(name.size() / 3, 1, 6);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].empty() || candidates[i].size() > longest_compared) continue;
    const std::size_t distance = edit_distance(name, candidates[i], limit);
    // A change of every letter of a short name is not a typing mistake.
    if (distance <= limit && distance < std::max(name.size(), candidates[i].size())) {
      found.push_back({distance, i});
    } else if (name.size() >= shortest_beginning && candidates[i].starts_with(name)) {
      found.push_back({limit + 1, i});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.distance < b.distance; });
  if (found.size() > most) found.resize(most);
  std::vector<std::string> names;
  for (const Found& f : found) names.emplace_back(candidates[f.index]);
  return names;
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  const std::vector<std::string> names = nearest(name, candidates);
  if (names.empty()) return {};
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += quote(names[i]);
  }
  return text + "?";
}

std::string read_file(const std::filesystem::path& file, std::size_t limit) {
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in.valid()) throw cannot_read(file, errno);
  struct stat status {};
  if (::fstat(in.get(), &status) != 0) throw cannot_read(file, errno);
  if (S_ISDIR(status.st_mode)) throw input_error("'{}' is a folder; give a file", file.string());
  const auto expected = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (expected > limit) throw too_large(file, limit);

  // The size is only a hint: pipes and files of /proc have no size, and a file may grow while it is read.
  constexpr std::size_t piece = 64 * 1024;
  std::string content;
  std::size_t used = 0;
  content.resize(static_cast<std::size_t>(expected) + 1);
  for (;;) {
    if (used == content.size()) content.resize(used + std::max(used / 2, piece));
    const ssize_t got = ::read(in.get(), content.data() + used, content.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw cannot_read(file, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > limit) throw too_large(file, limit);
  }
  content.resize(used);
  return content;
}

std::size_t character_count(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "an unknown time";
  if (seconds < 0) return fmt::format("-{}", duration_text(-seconds));
  if (seconds < 0.9995) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e9) return fmt::format("{:.3g} days", seconds / 86400);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

}  // namespace consort
