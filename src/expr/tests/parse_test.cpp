#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "expr/syntax.hpp"
#include "expr/tests/names.hpp"

namespace consort::expr {
namespace parse_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string canonical(std::string_view text) { return to_text(parse(text)); }
std::string error_of(std::string_view text) {
  return message_of([&] { static_cast<void>(parse(text, "system.yaml:3:7")); });
}

// With all parentheses, to see how operators bind.
std::string structure(const Tree& tree, std::uint32_t k) {
  const Node& node = tree.nodes[k];
  if (node.count == 0) return to_text(tree, k);
  std::string text = "(" + std::to_string(static_cast<int>(node.op));
  for (std::uint32_t i = 0; i < node.count; ++i) text += " " + structure(tree, tree.child(node, i));
  return text + ")";
}
std::string structure(std::string_view text) {
  const Tree tree = parse(text);
  return structure(tree, tree.root());
}

TEST(Parse, BindsOperatorsByStrength) {
  for (const auto& [text, meant] : {
           std::pair{"a - b - c", "(a - b) - c"},
           {"a / b * c", "(a / b) * c"},
           {"a + b * c", "a + (b * c)"},
           {"a * b + c", "(a * b) + c"},
           {"-2^2", "-(2^2)"},
           {"a^b^c", "a^(b^c)"},
           {"2^-3^2", "2^(-(3^2))"},
           {"-a * b", "(-a) * b"},
           {"a * -b", "a * (-b)"},
           {"a - -b", "a - (-b)"},
           {"- -a", "-(-a)"},
           {"+a", "a"},
           {"a + + b", "a + b"},
           {"not a < b", "not (a < b)"},
           {"not a and b", "(not a) and b"},
           {"a or b and c", "a or (b and c)"},
           {"a and b or c", "(a and b) or c"},
           {"a < b and b < c", "(a < b) and (b < c)"},
           {"a and not b", "a and (not b)"},
           {"not not a", "not (not a)"},
           {"a + b < c * d", "(a + b) < (c * d)"},
           {"if(a < b, c, d) + 1", "(if((a < b), c, d)) + 1"},
       }) {
    EXPECT_EQ(structure(text), structure(meant)) << text;
  }
  EXPECT_NE(structure("a - (b - c)"), structure("a - b - c"));
  EXPECT_NE(structure("(a^b)^c"), structure("a^b^c"));
  EXPECT_NE(structure("(-2)^2"), structure("-2^2"));
}

TEST(Parse, ReadsNumbersNamesAndUnits) {
  for (const auto& [text, expected] : {
           std::pair{"1", "1"},
           {"  .5 ", "0.5"},
           {"5.", "5"},
           {"1e3", "1000"},
           {"2.5E-3", "0.0025"},
           {"3[cm]", "3 [cm]"},
           {"3  [ W/(m2.K) ]", "3 [W/(m2.K)]"},
           {"1 [°C]", "1 [°C]"},
           {"left.x", "left.x"},
           {"a.y[2]", "a.y[2]"},
           {"A[ 1 , 02 ]", "A[1,2]"},
           {"A [1,2]", "A[1,2]"},
           {"a[1].b[2].c", "a[1].b[2].c"},
           {"`left.x`", "left.x"},
           {"`left`.x", "left.x"},
           {"`quarter-car`.x", "`quarter-car.x`"},
           {"unit.`der(x)`", "`unit.der(x)`"},
           {"`a``b`", "`a``b`"},
           {"`time`", "`time`"},
           {"`a[01]`", "`a[01]`"},
           {"time.x + pi.x", "time.x + pi.x"},
           {"pid.min + min", "pid.min + min"},
           {"größe", "größe"},
           {"true or false", "true or false"},
           {"2*pi*time", "2 * pi * time"},
           {"min ( a,b , c )", "min(a, b, c)"},
           {"table(clutch, 2 * x)", "table(clutch, 2 * x)"},
           {"table(`my table`, x)", "table(`my table`, x)"},
           {"a\n + \t b", "a + b"},
           {"not.5 < a", "not 0.5 < a"},
       }) {
    EXPECT_EQ(canonical(text), expected) << text;
  }
}

TEST(Parse, TellsWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("a + * b"),
            "expression 'a + * b' (system.yaml:3:7), column 5: '*' stands where a number, a name or '(' is expected; "
            "correct it");
  for (const auto& [text, column, part] : {
           std::tuple{"", 1, "is empty"},
           {"  ", 1, "is empty"},
           {"a +", 4, "the expression ends"},
           {"ä + (b", 5, "'(' is not closed"},
           {"a)", 2, "')' closes nothing"},
           {"a < b < c", 7, "comparisons are not chained"},
           {"a = b", 3, "write '=='"},
           {"a && b", 3, "write 'and'"},
           {"a || b", 3, "write 'or'"},
           {"!a", 1, "write 'not'"},
           {"a % b", 3, "mod(a, b)"},
           {"a ** b", 3, "written with '^'"},
           {"a b", 3, "an operator is expected before 'b'"},
           {"3cm", 2, "write '3 [c…]'"},
           {"3 [cm", 3, "'[' is not closed"},
           {"3 []", 3, "the unit of measure is empty"},
           {"x [m]", 3, "a unit of measure follows a number only"},
           {"(1 + 2) [m]", 9, "a unit of measure follows a number"},
           {"y[-1]", 2, "whole numbers"},
           {"y[1", 2, "is not closed"},
           {"1e999", 1, "too large"},
           {"sine(x)", 1, "did you mean 'sin'"},
           {"der(x)", 1, "in backquotes"},
           {"a.sin(x)", 6, "not a function"},
           {"sin()", 1, "'sin' has 0 arguments here; write sin(x)"},
           {"sin(a, b)", 1, "'sin' has 2 arguments"},
           {"min(a)", 1, "'min' has 1 argument here"},
           {"if(a, b)", 1, "if(condition, a, b)"},
           {"sin(a", 4, "'sin(' is not closed"},
           {"table(3, x)", 7, "the name of a table"},
           {"table(t)", 8, "',' is expected"},
           {"a + not b", 5, "parentheses"},
           {"a not b", 3, "'not' stands in front"},
           {"and b", 1, "where a value is expected"},
           {"`a", 1, "not closed"},
           {"``", 1, "is empty"},
           {"a\x01", 2, "control character"},
           {"\xff", 1, "UTF-8"},
           {"a # b", 3, "an operator is expected before '#'"},
           {"sin(a b)", 7, "an operator is expected"},
       }) {
    EXPECT_THAT(error_of(text), AllOf(HasSubstr("column " + std::to_string(column) + ":"), HasSubstr(part))) << text;
  }
}

TEST(Parse, RefusesWhatIsTooLong) {
  EXPECT_THAT(error_of(std::string(longest_text + 1, ' ')), HasSubstr("at most"));
  EXPECT_THAT(error_of(std::string(10'000, '(')), HasSubstr("levels"));
  EXPECT_THAT(error_of(std::string(10'000, '-') + "1"), HasSubstr("levels"));
  std::string powers = "2";
  std::string calls;
  std::string negations;
  std::string terms = "1";
  for (int k = 0; k < 1000; ++k) {
    powers += "^2";
    calls += "sin(";
    negations += "not ";
    terms += "+1";
  }
  EXPECT_THAT(error_of(powers), HasSubstr("levels"));
  EXPECT_THAT(error_of(calls), HasSubstr("levels"));
  EXPECT_THAT(error_of(negations + "true"), HasSubstr("levels"));
  EXPECT_THAT(error_of(terms), HasSubstr("more than 2000"));
  EXPECT_EQ(canonical(std::string(150, '(') + "a" + std::string(150, ')')), "a");
}

TEST(Parse, WritesALongChainWithoutRecursion) {
  std::string text = "1";
  for (int k = 0; k < 900; ++k) text += k % 2 == 0 ? " + 1" : " - 1";
  EXPECT_EQ(canonical(text), text);
}

TEST(References, AreNormalisedAndListedOnce) {
  const auto found = references(parse("left.x + A[ 1,2 ] * `left`.x + table(clutch, `der(x)`) + sin(right.x)"));
  EXPECT_FALSE(found.time);
  EXPECT_THAT(found.variables, ElementsAre(Reference{"left.x", 0}, Reference{"A[1,2]", 9}, Reference{"der(x)", 45},
                                           Reference{"right.x", 61}));
  EXPECT_THAT(found.tables, ElementsAre(Reference{"clutch", 31}));
  EXPECT_TRUE(references(parse("2 * time")).time);
}

TEST(Rename, ChangesVariablesAndTables) {
  const Tree tree = parse("k * x [1] + table(t, x[1]) - 3 [cm]", "a.yaml:1:1");
  const auto prefixed = [](std::string_view name) { return "axle 1." + std::string(name); };
  const Tree renamed = rename(tree, prefixed, [](std::string_view) { return std::string("u"); });
  EXPECT_EQ(renamed.text, "`axle 1.k` * `axle 1.x[1]` + table(u, `axle 1.x[1]`) - 3 [cm]");
  EXPECT_EQ(renamed.where, "a.yaml:1:1");
  EXPECT_EQ(to_text(rename(tree, {})), to_text(tree));
}

TEST(ToText, ParsesToTheSameTree) {
  for (const auto* text : {"-(a + b)",
                           "(-2)^2",
                           "-2^2",
                           "(a^b)^c",
                           "a^b^c",
                           "a^-b",
                           "a^(-b)^c",
                           "a - (b - c)",
                           "a - (b + c)",
                           "a / (b * c)",
                           "a * (b / c)",
                           "not (a and b)",
                           "(not a) and b",
                           "not a < b",
                           "(not a) == b",
                           "(a < b) == (c < d)",
                           "(a or b) and c",
                           "a or (b or c)",
                           "if(a < b, -c, -(-c))",
                           "`and` + `not`.x",
                           "-(-a)",
                           "(a + b)^2",
                           "2^(a + b)",
                           "- (a * b)",
                           "a * -(b + c)",
                           "(a < b) and not (c or d)",
                           "clamp(x, -1 [m], 1 [m])",
                           "1e-300 + 1e300",
                           "0.1 + 123456789.123",
                           "table(`a b`, y) + table(t.u[1], x)"}) {
    const Tree tree = parse(text);
    const Tree again = parse(to_text(tree));
    EXPECT_TRUE(same(tree, again)) << text << " → " << to_text(tree);
  }
  EXPECT_FALSE(same(parse("a + b"), parse("a - b")));
  EXPECT_FALSE(same(parse("a + b"), parse("a + c")));
  EXPECT_FALSE(same(parse("1 [m]"), parse("1")));
  EXPECT_FALSE(same(parse("1"), parse("2")));
  EXPECT_FALSE(same(parse("a - (b - c)"), parse("a - b - c")));
}

}  // namespace parse_test
}  // namespace consort::expr
