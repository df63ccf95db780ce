#include "engine/tables_read.hpp"

#include <cstddef>
#include <system_error>

#include "base/digest.hpp"
#include "base/text.hpp"

namespace consort::engine {

namespace {

constexpr std::size_t most_contents = std::size_t{16} << 20;

}  // namespace

std::string TablesRead::read(const std::filesystem::path& file) {
  auto text = read_file(file);
  std::error_code failed;
  if (wanted_ || !std::filesystem::is_regular_file(file, failed)) keep(file, text);
  return text;
}

const TablesRead::Facts& TablesRead::facts(const std::filesystem::path& file) {
  const auto known = facts_.find(file.string());
  return known != facts_.end() ? known->second : keep(file, read_file(file));
}

const TablesRead::Facts& TablesRead::keep(const std::filesystem::path& file, std::string_view text) {
  auto& facts = facts_[file.string()];
  facts = {sha256_of(text), {}};
  if (text.size() <= most_contents) facts.contents = text;
  return facts;
}

}  // namespace consort::engine
