// docs/settings.md and the settings in docs/schema/system.schema.json are made from the table. With the environment
// variable CONSORT_WRITE_DOCUMENTS these tests write them (`./dev docs`), otherwise they compare.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "settings/table.hpp"

namespace consort::settings {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

void expect_document(const fs::path& file, const std::string& text) {
  if (std::getenv("CONSORT_WRITE_DOCUMENTS") != nullptr) {
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(read_file(file), text) << file << " is not what the table of settings says; run ./dev docs";
}

std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

// Where a setting stands in C++ and Python.
std::string in_code(const Row& row) {
  const bool is_flat = row.section == Section::experiment || row.section == Section::run;
  return is_flat ? std::string(row.key) : fmt::format("{}.{}", name_of(row.section), row.key);
}

TEST(Documents, ListTheSettings) {
  std::string page =
      "# Settings\n\n"
      "<!-- Made from the table in src/settings/table.cpp by ./dev docs. -->\n\n"
      "Every setting of a run, by section of a [system file](systems.md). The same names are fields of\n"
      "`consort::System::settings()` in C++, keyword arguments of `System.run()` in Python (groups as dicts), and keys "
      "of\n"
      "`consort run --setting KEY=VALUE`. Times are in seconds, or a number and a unit of time (`10 ms`). A file can "
      "also say\n"
      "`schedule`, `scenario` and `bonds`, which are lists: [systems.md](systems.md#how-it-is-run).\n";
  std::string_view section;
  for (const auto& row : rows()) {
    if (name_of(row.section) != section) {
      section = name_of(row.section);
      page += fmt::format("\n## {}\n\n| key | values | default | meaning | command line |\n|---|---|---|---|---|\n",
                          section);
    }
    const std::string option =
        row.option.empty() ? fmt::format("`--setting {}=…`", path_of(row)) : fmt::format("`{}`", row.option);
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", in_code(row), cell(range_text(row)), cell(default_text(row)),
                        cell(std::string(row.help)), option);
  }
  expect_document(fs::path(places::source()) / "docs/settings.md", page);
}

Json schema_of(const Row& row) {
  Json d;
  d["description"] = std::string(row.help);
  const auto reference = [&](const char* name) { d["$ref"] = fmt::format("#/$defs/{}", name); };
  switch (row.kind) {
    case Kind::truth: d["type"] = "boolean"; break;
    case Kind::integer:
      d["type"] = "integer";
      d["minimum"] = static_cast<std::int64_t>(row.least);
      d["maximum"] = static_cast<std::int64_t>(row.most);
      break;
    case Kind::number:
      if (row.most == 0 && row.least == 0) {
        reference("positive");
      } else {
        d["type"] = "number";
        d["exclusiveMinimum"] = row.least;
        if (row.most > 0) d["maximum"] = row.most;
      }
      break;
    case Kind::seconds: reference("time"); break;
    case Kind::choice: d["enum"] = row.choices; break;
    case Kind::text:
    case Kind::file: reference("text"); break;
    case Kind::texts: reference("names"); break;
    case Kind::approximation:
      d["anyOf"] = Json::array({{{"type", "integer"},
                                 {"minimum", static_cast<std::int64_t>(row.least)},
                                 {"maximum", static_cast<std::int64_t>(row.most)}},
                                {{"type", "string"}, {"pattern", "^[a-z]|^[0-5]$"}}});
      break;
  }
  return d;
}

TEST(Documents, TheSchemaHasTheSettings) {
  const auto file = fs::path(places::source()) / "docs/schema/system.schema.json";
  Json schema = Json::parse(read_file(file));
  for (std::size_t i = 0; i < section_count; ++i) {
    const auto section = static_cast<Section>(i);
    auto& before = schema["$defs"][std::string(name_of(section))]["properties"];
    Json properties = Json::object();
    for (const auto& row : rows())
      if (row.section == section) properties[std::string(row.key)] = schema_of(row);
    // What the section holds beside settings.
    for (const char* key : {"schedule", "loops", "iteration", "control"})
      if (section == Section::run) properties[key] = before[key];
    before = std::move(properties);
  }
  expect_document(file, schema.dump(2) + "\n");
}

}  // namespace
}  // namespace consort::settings
