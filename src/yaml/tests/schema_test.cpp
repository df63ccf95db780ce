#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "samples.hpp"
#include "yaml/keys.hpp"
#include "yaml/reader.hpp"
#include "yaml/view.hpp"

namespace consort::yaml {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const fs::path schema_file = fs::path(places::source()) / "docs/schema/system.schema.json";

Json schema() { return Json::parse(read_file(schema_file)); }

const Json& definition(const Json& root, std::string_view name) {
  return name == "system_file" ? root : root.at("$defs").at(std::string(name));
}

TEST(Schema, HasExactlyTheKeysOfTheReader) {
  const Json root = schema();
  for (const auto& table : all_key_tables()) {
    const Json& d = definition(root, table.name);
    std::set<std::string> expected(table.keys.begin(), table.keys.end()), found;
    for (const auto& [key, value] : d.at("properties").items()) found.insert(key);
    EXPECT_EQ(found, expected) << table.name;
    EXPECT_EQ(d.at("additionalProperties"), Json(false)) << table.name;
  }
}

TEST(Schema, DefinesNoMappingThatTheReaderDoesNotKnow) {
  std::set<std::string> known;
  for (const auto& table : all_key_tables()) known.emplace(table.name);
  const Json root = schema();
  for (const auto& [name, d] : root.at("$defs").items())
    EXPECT_TRUE(known.contains(name) || !d.contains("properties")) << name;
}

TEST(Schema, KnowsEveryType) {
  const Json root = schema();
  std::set<std::string> expected;
  for (std::size_t i = 0; i < type_count; ++i) expected.emplace(name_of(static_cast<Type>(i)));
  const auto names = root.at("$defs").at("connector").at("properties").at("type").at("enum");
  EXPECT_EQ(names.get<std::set<std::string>>(), expected);
}

// --- documents validated by Python's jsonschema

// Converts a document to JSON as a YAML library would, for the validator.
Json json_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return nullptr;
    case Node::Kind::list: {
      Json list = Json::array();
      for (const auto& item : node.items) list.push_back(json_of(item));
      return list;
    }
    case Node::Kind::mapping: {
      Json mapping = Json::object();
      for (std::size_t i = 0; i < node.items.size(); i += 2) mapping[node.items[i].text] = json_of(node.items[i + 1]);
      return mapping;
    }
    case Node::Kind::scalar: break;
  }
  if (node.quoted) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  const auto number = read_number(node.text);
  if (!number || !std::isfinite(*number)) return node.text;
  return *number == std::floor(*number) && std::abs(*number) < 1e15 ? Json(static_cast<std::int64_t>(*number))
                                                                    : Json(*number);
}

bool has_validator() {
  return std::system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") == 0;
}  // NOLINT(cert-env33-c)

bool is_valid(std::string_view text) {
  Budget budget;
  const auto file = fs::path(places::scratch()) / fmt::format("schema_test_{}.json", ::getpid());
  std::ofstream(file) << json_of(parse(text, "s.yaml", budget));
  const std::string script =
      "import json,sys,jsonschema; s=json.load(open(sys.argv[1])); v=jsonschema.Draft202012Validator; "
      "v.check_schema(s); sys.exit(0 if v(s).is_valid(json.load(open(sys.argv[2]))) else 3)";
  const int status = std::system(  // NOLINT(cert-env33-c)
      fmt::format("/usr/bin/python3 -c '{}' '{}' '{}'", script, schema_file.string(), file.string()).c_str());
  EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3)) << "the schema is broken";
  fs::remove(file);
  return WEXITSTATUS(status) == 0;
}

bool is_readable(const std::string& text) {
  try {
    static_cast<void>(parse_system(text));
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(Schema, AgreesWithTheReaderOnWhatIsASystem) {
  if (!has_validator()) GTEST_SKIP() << "Python's jsonschema is not installed (python3-jsonschema)";
  const std::string start = "consort: 1\nunits: {a: a.fmu}\n";
  const std::pair<std::string, bool> cases[] = {
      {std::string(everything), true},
      {start, true},
      {"units: {}\n", false},
      {start + "conections: []\n", false},
      {start + "run: {extrapolation: 6}\n", false},
      {start + "run: {extrapolation: poly-3}\n", true},
      {start + "run: {extrapolation: hermite-2}\n", true},
      {start + "connections: [{from: a.y, to: a.u, map: {1: 2}, factor: 2}]\n", false},
      {start + "connections: [a.y]\n", false},
      {start + "scenario: [{at: 1, set: a.u}]\n", false},
      {start + "experiment: {stop: soon}\n", false},
      {start + "run: {schedule: [{serial: [a], parallel: [a]}]}\n", false},
      {"consort: 1\nunits: {a: {solver: bdf}}\n", false},
      {"consort: 1\nunits: {a: {fmu: a.fmu, model: b}}\n", false},
      {"consort: 1\nunits: {a: {python: 'a.py:A', solver: bdf}}\n", true},
      {"consort: 1\nunits: {a: {python: a.py}}\n", false},
      {start + "set: {a.k: {unit: cm}}\n", false},
  };
  for (const auto& [text, valid] : cases) {
    EXPECT_EQ(is_readable(text), valid) << text;
    EXPECT_EQ(is_valid(text), valid) << text;
  }
}

TEST(Schema, AcceptsTheExamples) {
  if (!has_validator()) GTEST_SKIP() << "Python's jsonschema is not installed (python3-jsonschema)";
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(places::source()) / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto text = read_file(entry.path());
    if (text.find("consort:") == std::string::npos) continue;
    EXPECT_NO_THROW(static_cast<void>(read_system(entry.path()))) << entry.path();
    EXPECT_TRUE(is_valid(text)) << entry.path();
  }
}

TEST(Documentation, ShowsASystemThatCanBeRead) {
  const auto page = read_file(fs::path(places::source()) / "docs/systems.md");
  const std::string begin = "```yaml\nconsort: 1";
  const auto at = page.find(begin);
  ASSERT_NE(at, std::string::npos);
  const auto first = at + std::string("```yaml\n").size();
  const auto text = page.substr(first, page.find("```", first) - first);
  const auto document = parse_system(text);
  EXPECT_EQ(document.system.connections.size(), 3U);
  EXPECT_EQ(document.run.scenario.size(), 1U);
  if (has_validator()) {
    EXPECT_TRUE(is_valid(text));
  }
}

// Every key is explained.
TEST(Documentation, NamesEveryKey) {
  const auto docs = fs::path(places::source()) / "docs";
  const auto page = read_file(docs / "systems.md") + read_file(docs / "settings.md");
  for (const auto& table : all_key_tables())
    for (const auto key : table.keys) EXPECT_NE(page.find(key), std::string::npos) << table.name << ": " << key;
}

}  // namespace
}  // namespace consort::yaml
