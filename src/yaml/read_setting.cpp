#include "yaml/read_setting.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "yaml/reader_parts.hpp"

namespace consort::yaml {

namespace {

using settings::Kind;
using settings::Row;
using settings::Value;

// A name, or an order as text: also in quotes, since JSON has no other texts.
std::string approximation(const Row& row, const View& view, const std::string& what) {
  const std::string& text = view.text(what);
  if (text.front() >= 'a' && text.front() <= 'z') return text;
  const auto order = read_number(text);
  if (!order || *order != std::floor(*order) || *order < row.least || *order > row.most)
    throw view.error("{} must be {}, got {}", what, settings::range_text(row), quote(text));
  return fmt::format("{}", *order);
}

Value value_of(const Row& row, const View& view, const std::filesystem::path& folder) {
  const std::string what = settings::path_of(row);
  using Limits = std::numeric_limits<std::int64_t>;
  switch (row.kind) {
    case Kind::truth: return view.truth(what);
    case Kind::integer: return view.integer(what, Limits::min(), Limits::max());
    case Kind::number: return view.number(what);
    case Kind::seconds: return view.seconds(what);
    case Kind::choice: return std::string(row.choices[view.choice(what, row.choices)]);
    case Kind::text: return view.text(what);
    case Kind::file: return folder.empty() ? view.text(what) : beside(folder, view.text(what)).string();
    case Kind::texts: return view.texts(what);
    case Kind::approximation: return approximation(row, view, what);
  }
  return {};
}

}  // namespace

void read_setting(const Row& row, const View& view, const std::filesystem::path& folder, RunSettings& run) {
  const Value value = value_of(row, view, folder);
  try {
    settings::assign(row, run, value);
  } catch (const Error& refused) {
    throw view.error("{}", refused.what());
  }
}

void read_section(settings::Section section, const Fields& fields, const std::filesystem::path& folder,
                  RunSettings& run) {
  for (const auto& row : settings::rows())
    if (row.section == section)
      if (const auto found = fields.find(row.key)) found->attempt([&] { read_setting(row, *found, folder, run); });
}

}  // namespace consort::yaml
