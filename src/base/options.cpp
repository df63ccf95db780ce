#include "base/options.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/value.hpp"

namespace consort {

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;
constexpr std::size_t most_entries = 10'000;

std::string_view bare(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = trim(text.substr(1, text.size() - 2));
  return text;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return result;
}

// Sorted, because pairwise comparison would take seconds for a hostile file.
void refuse_duplicates(const std::vector<Options::Entry>& entries, const std::string& name) {
  std::vector<std::pair<std::string, std::size_t>> lines;
  for (const Options::Entry& entry : entries) lines.emplace_back(lower_case(entry.key), entry.line);
  std::sort(lines.begin(), lines.end());
  const auto twice =
      std::adjacent_find(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == lines.end()) return;
  throw input_error("{}, line {}: {} is given a second time, first in line {}; remove one of them", name,
                    (twice + 1)->second, quote(twice->first), twice->second);
}

}  // namespace

const Options::Entry* Options::find(std::string_view key) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return iequals(e.key, key); });
  return found == entries_.end() || found->value.empty() ? nullptr : &*found;
}

std::optional<std::string_view> Options::text(std::string_view key) const {
  const Entry* entry = find(key);
  return entry != nullptr ? std::optional<std::string_view>(entry->value) : std::nullopt;
}

std::optional<double> Options::number(std::string_view key) const {
  const Entry* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  try {
    return parse_element<double>(entry->value);
  } catch (const Error& error) {
    throw input_error("{}, line {}, {}: {}", name_, entry->line, quote(entry->key), error.what());
  }
}

Options read_options(const std::filesystem::path& file) {
  return parse_options(read_file(file, most_bytes), file.string());
}

Options parse_options(std::string_view text, std::string name_for_errors) {
  Options options;
  options.name_ = std::move(name_for_errors);
  require(text.size() <= most_bytes,
          "'{}' has {} bytes, more than the {} that are accepted for a file of settings; "
          "give the right file",
          options.name_, text.size(), most_bytes);
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  std::size_t line = 0;
  for (const std::string_view whole : split(text, '\n')) {
    ++line;
    const std::string_view setting = trim(whole);
    if (setting.empty() || setting.front() == '#') continue;
    const std::size_t at = setting.find_first_of(",=");
    const std::string_view key = bare(setting.substr(0, at));
    require(at != std::string_view::npos && !key.empty(),
            "{}, line {}: {} is not a setting; write Key,Value or key=value", options.name_, line, quote(setting));
    require(options.entries_.size() < most_entries, "{}, line {}: more than {} settings; give the right file",
            options.name_, line, most_entries);
    options.entries_.push_back({std::string(key), std::string(bare(setting.substr(at + 1))), line});
  }
  refuse_duplicates(options.entries_, options.name_);
  return options;
}

}  // namespace consort
