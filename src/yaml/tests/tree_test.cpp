#include "yaml/tree.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace consort::yaml {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Node read(std::string_view text) {
  Budget budget;
  return parse(text, "t.yaml", budget);
}

std::string error_of(std::string_view text, Budget budget = {}) {
  try {
    static_cast<void>(parse(text, "t.yaml", budget));
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input);
    return e.what();
  }
  ADD_FAILURE() << "read without an error: " << text.substr(0, 80);
  return {};
}

TEST(YamlTree, KnowsWhereThingsStand) {
  const auto root = read("a: 1\nb:\n  - x\n  - 'y'\n");
  ASSERT_EQ(root.items.size(), 4U);
  EXPECT_EQ(root.items[2].line, 2U);
  const auto& list = root.items[3];
  EXPECT_EQ(list.items[1].line, 4U);
  EXPECT_EQ(list.items[1].column, 5U);
  EXPECT_TRUE(list.items[1].quoted);
  EXPECT_FALSE(list.items[0].quoted);
}

TEST(YamlTree, ResolvesAliasesAndMergedKeys) {
  const auto root = read("base: &b {x: 1, y: 2}\nother: {<<: *b, y: 3}\nmany: {<<: [*b, {z: 4}]}\n");
  const auto& other = root.items[3];
  ASSERT_EQ(other.items.size(), 4U);
  EXPECT_EQ(other.items[0].text, "y");
  EXPECT_EQ(other.items[1].text, "3") << "the mapping's own keys override merged ones";
  EXPECT_EQ(other.items[2].text, "x");
  EXPECT_EQ(root.items[5].items.size(), 6U);
}

TEST(YamlTree, RefusesWhatIsNoYamlWithThePlace) {
  EXPECT_THAT(error_of("a: [1, 2\nb: 3\n"), StartsWith("t.yaml:2:"));
  EXPECT_THAT(error_of("a: 1\n b: 2\n"), StartsWith("t.yaml:2:"));
  EXPECT_THAT(error_of("a: *nobody\n"), StartsWith("t.yaml:1:4: "));
  EXPECT_THAT(error_of("\t- a\n"), StartsWith("t.yaml:1:"));
}

TEST(YamlTree, RefusesKeysGivenTwice) {
  EXPECT_THAT(error_of("a: 1\nb: 2\na: 3\n"), testing::AllOf(StartsWith("t.yaml:3:1: 'a'"), HasSubstr("line 1")));
  EXPECT_THAT(error_of("? [1]\n: 2\n"), HasSubstr("a key must be a text"));
}

TEST(YamlTree, RefusesEmptyFilesAndSeveralDocuments) {
  for (const auto* text : {"", "\n\n", "# only a comment\n"}) EXPECT_THAT(error_of(text), HasSubstr("empty")) << text;
  EXPECT_THAT(error_of("a: 1\n---\nb: 2\n"), HasSubstr("more than one document"));
  EXPECT_EQ(read("---\na: 1\n...\n").items.size(), 2U);
}

TEST(YamlTree, RefusesOtherEncodingsAndControlCharacters) {
  EXPECT_THAT(error_of("a: \xFF\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(error_of(std::string_view("\xFF\xFE\x61\0:\0", 6)), HasSubstr("t.yaml"));
  EXPECT_THAT(error_of("a: 1\nb: \x04 2\n"), StartsWith("t.yaml:2:4: "));
  EXPECT_THAT(error_of(std::string_view("a: \0", 4)), HasSubstr("control character"));
}

TEST(YamlTree, BoundsTheDepth) {
  EXPECT_THAT(error_of(std::string(100'000, '[')), HasSubstr("levels"));
  EXPECT_THAT(error_of("a: " + std::string(80, '[') + std::string(80, ']')), HasSubstr("levels"));
  std::string steps;
  for (int i = 0; i < 80; ++i) steps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_THAT(error_of(steps), HasSubstr("levels"));
}

TEST(YamlTree, BoundsWhatAliasesMultiply) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto p = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ", " : "") + p;
    bomb += "]\n";
  }
  EXPECT_THAT(error_of(bomb), HasSubstr("more values than allowed"));
  EXPECT_THAT(error_of("a: &a [1, *a]\n"), HasSubstr("contains the alias"));
}

TEST(YamlTree, BoundsWhatAllFilesHoldTogether) {
  Budget budget;
  budget.nodes = 10;
  static_cast<void>(parse("[1, 2, 3, 4, 5]", "t.yaml", budget));
  EXPECT_EQ(budget.nodes, 4U);
  EXPECT_THROW(static_cast<void>(parse("[1, 2, 3, 4, 5]", "t.yaml", budget)), Error);
  budget = {};
  budget.bytes = 3;
  EXPECT_THAT(error_of("[1, 2]", budget), HasSubstr("bytes"));
}

}  // namespace
}  // namespace consort::yaml
