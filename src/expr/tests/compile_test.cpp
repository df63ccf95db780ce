#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/tests/allocations.hpp"
#include "expr/tests/names.hpp"

namespace consort::expr {
namespace compile_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double infinity = std::numeric_limits<double>::infinity();

double value(std::string_view text, std::vector<double> slots = {}, double t = 0) {
  Names names;
  names.add("x").add("y").add("z").add_discrete("b", Kind::boolean).add_discrete("n", Kind::integer);
  names.add_constant("k", 3).add_table(
      "t", std::make_shared<Table>("t", std::vector<double>{0, 1, 3}, std::vector<double>{10, 20, 0}));
  slots.resize(5);
  return compile(text, names, {.expected = Expected::anything}).evaluate(slots, t);
}

TEST(Evaluate, FollowsTheUsualRules) {
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("7 - 2 - 1"), 4);
  EXPECT_EQ(value("8 / 4 / 2"), 1);
  EXPECT_EQ(value("x * y + z", {2, 3, 4}), 10);
  EXPECT_EQ(value("2 * k * x", {5}), 30);
  EXPECT_EQ(value("x^2 + y^3 + z^4 + y^0.5", {2, 4, 2}), 4 + 64 + 16 + 2);
  EXPECT_EQ(value("time - pi", {}, 5), 5 - std::numbers::pi);
  EXPECT_EQ(value("min(x, y, z) + max(x, y, z)", {3, 1, 2}), 4);
  EXPECT_EQ(value("clamp(x, 0, 1) + clamp(y, 0, 1) + clamp(z, 0, 1)", {-1, 0.5, 7}), 1.5);
  EXPECT_EQ(value("abs(x) + sign(y) + sign(z) * 10 + sign(x - x)", {-2, -3, 4}), 2 - 1 + 10);
  EXPECT_EQ(value("floor(x) + 10 * ceil(x) + 100 * floor(y) + 1000 * ceil(y)", {1.5, -1.5}), 1 + 20 - 200 - 1000);
  EXPECT_EQ(value("mod(x, 3)", {7}), 1);
  EXPECT_EQ(value("mod(x, 3)", {-1}), 2);
  EXPECT_EQ(value("mod(x, -3)", {1}), -2);
  EXPECT_EQ(value("atan2(x, y)", {1, -1}), std::atan2(1, -1));
  EXPECT_DOUBLE_EQ(value("sqrt(x) + exp(y) + log(z)", {4, 1, 2}), 2 + std::exp(1) + std::log(2));
  EXPECT_DOUBLE_EQ(value("sin(x) + cos(x) + tan(x) + asin(y) + acos(y) + atan(x)", {0.7, 0.3}),
                   std::sin(0.7) + std::cos(0.7) + std::tan(0.7) + std::asin(0.3) + std::acos(0.3) + std::atan(0.7));
  // The compiler may compute the expected value more exactly than the library does.
  EXPECT_DOUBLE_EQ(value("sinh(x) + cosh(x) + tanh(x)", {0.7}), std::sinh(0.7) + std::cosh(0.7) + std::tanh(0.7));
}

TEST(Evaluate, ComparesAndCombines) {
  for (const double x : {1.0, 2.0, 3.0}) {
    EXPECT_EQ(value("x < 2", {x}), x < 2);
    EXPECT_EQ(value("x <= 2", {x}), x <= 2);
    EXPECT_EQ(value("x > 2", {x}), x > 2);
    EXPECT_EQ(value("x >= 2", {x}), x >= 2);
    EXPECT_EQ(value("x == 2", {x}), x == 2);
    EXPECT_EQ(value("x != 2", {x}), x != 2);
    EXPECT_EQ(value("not x < 2", {x}), !(x < 2));
    EXPECT_EQ(value("x > 1 and x < 3", {x}), x > 1 && x < 3);
    EXPECT_EQ(value("x < 2 or x > 2", {x}), x != 2);
    EXPECT_EQ(value("if(x < 2, 10, 20)", {x}), x < 2 ? 10 : 20);
    EXPECT_EQ(value("if(x < 2, x > 0, x > 2)", {x}), x != 2);
  }
  EXPECT_EQ(value("b and n == 3", {0, 0, 0, 1, 3}), 1);
  EXPECT_EQ(value("b == (n == 3)", {0, 0, 0, 1, 2}), 0);
  EXPECT_EQ(value("true and not false"), 1);
}

TEST(Evaluate, InterpolatesTables) {
  for (const auto& [x, y] :
       {std::pair{-1.0, 10.0}, {0.0, 10.0}, {0.5, 15.0}, {1.0, 20.0}, {2.0, 10.0}, {3.0, 0.0}, {9.0, 0.0}})
    EXPECT_EQ(value("table(t, x)", {x}), y) << x;
  EXPECT_EQ(value("table(t, 2 * k)"), 0);
  EXPECT_TRUE(std::isnan(value("table(t, x)", {NAN})));
}

TEST(Evaluate, IsNotFiniteIfAValueIsNeededThatIsNot) {
  EXPECT_EQ(value("1 / x"), infinity);
  for (const auto* text : {"min(1, y)", "min(y, 1)", "max(1, y)", "max(y, 1)", "clamp(y, 0, 1)", "abs(y)", "sign(y)",
                           "floor(y)", "mod(y, 2)", "if(y > 0, 1, 2)", "y > 0", "not y > 0", "y == 0", "y != 1",
                           "y > 0 and x == 0", "y > 0 or x > 0", "table(t, y)"})
    EXPECT_TRUE(std::isnan(value(text, {0, NAN}))) << text;
  // The value is not needed.
  EXPECT_EQ(value("if(x == 0, 1, sin(x) / x)"), 1);
  EXPECT_EQ(value("x > 0 and log(x) > 1", {-1}), 0);
  EXPECT_EQ(value("log(x) > 1 and x > 0", {-1}), 0);
  EXPECT_EQ(value("x < 0 or log(x) > 1", {-1}), 1);
}

TEST(Compile, FoldsConstantsAndLeavesOutWhatIsNotNeeded) {
  Names names;
  names.add("x").add("y").add_constant("k", 2);
  const auto constant = compile("k * (3 + 4)^2 / sqrt(4) + sin(0)", names);
  EXPECT_TRUE(constant.is_constant());
  EXPECT_EQ(constant.evaluate({}, 0), 49);
  const auto branch = compile("if(k > 1, x, 1 / 0 + y)", names);
  ASSERT_EQ(branch.operands().size(), 1U);
  EXPECT_EQ(branch.operands()[0].name, "x");
  EXPECT_THAT(branch.relations(), IsEmpty());
  EXPECT_EQ(compile("if(k == 0, 0, x / k)", names).operands().size(), 1U);
}

TEST(Compile, ListsOperandsOnceAndKnowsWhatTheyAre) {
  Names names;
  names.add("x", "mm").add_discrete("n", Kind::integer).add("y").add_discrete("d", Kind::real);
  const auto p = compile("y + d + y / (x / 1 [mm])", names);
  ASSERT_EQ(p.operands().size(), 3U);
  EXPECT_EQ(p.operands()[0].slot, 2U);
  EXPECT_FALSE(p.operands()[0].discrete);
  EXPECT_TRUE(p.operands()[1].discrete);
  EXPECT_EQ(p.operands()[2].name, "x");
  EXPECT_EQ(p.operands()[2].unit, "mm");
  EXPECT_EQ(p.operands()[2].factor, 1e-3);
  EXPECT_EQ(p.slots_needed(), 4U);
  EXPECT_TRUE(p.depends_on_discrete());
  EXPECT_TRUE(p.depends_on_continuous());
  EXPECT_FALSE(p.uses_time());
  EXPECT_FALSE(p.changes_at_events_only());

  const auto q = compile("2 * n + d", names);
  EXPECT_TRUE(q.depends_on_discrete());
  EXPECT_FALSE(q.depends_on_continuous());
  EXPECT_TRUE(q.changes_at_events_only());
  EXPECT_TRUE(compile("time", names).depends_on_continuous());
  EXPECT_TRUE(compile("if(y > 2, 1, 2) + floor(y) + sign(y)", names).changes_at_events_only());
  EXPECT_FALSE(compile("if(y > 2, 1, y)", names).changes_at_events_only());
  EXPECT_FALSE(compile("if(y > 2, 1, 2)", names, {.relations = {.comparisons = false}}).changes_at_events_only());
}

TEST(Compile, TellsWhatIsWrongAndWhere) {
  Names names;
  names.add("left.x").add("left.v").add_discrete("flag", Kind::boolean).add_constant("k", 0);
  names.add_table("clutch", std::make_shared<Table>("clutch", std::vector<double>{0}, std::vector<double>{1}));
  names.add_constant("bad", NAN);
  const auto error_of = [&](std::string_view text, Expected expected = Expected::number) {
    return message_of([&] { static_cast<void>(compile(text, names, {.expected = expected}, "s.yaml:2:1")); });
  };
  EXPECT_THAT(error_of("2 * lft.x"),
              AllOf(HasSubstr("(s.yaml:2:1), column 5: there is no variable 'lft.x'; did you mean 'left.x'"),
                    HasSubstr("backquotes")));
  EXPECT_THAT(error_of("sin * 2"), HasSubstr("write sin(x)"));
  EXPECT_THAT(error_of("2 * text"), HasSubstr("column 5: 'text' is a text"));
  EXPECT_THAT(error_of("table(cluch, 1)"), HasSubstr("there is no table 'cluch'; did you mean 'clutch'"));
  EXPECT_THAT(error_of("3 [mn]"), HasSubstr("there is no unit of measure 'mn'; did you mean 'mm'"));
  EXPECT_THAT(error_of("2 * (left.x > 3)"), HasSubstr("write if(left.x > 3, 1, 0)"));
  EXPECT_THAT(error_of("flag"), HasSubstr("'flag' is true or false, but the target needs a number"));
  EXPECT_THAT(error_of("left.x", Expected::condition), HasSubstr("write a comparison, for example left.x > 0"));
  EXPECT_THAT(error_of("left.x and flag"), HasSubstr("'left.x' is a number"));
  EXPECT_THAT(error_of("if(left.x, 1, 2)"), HasSubstr("'if' needs true or false"));
  EXPECT_THAT(error_of("if(flag, 1, flag)"), HasSubstr("make both the same"));
  EXPECT_THAT(error_of("flag == left.x"), HasSubstr("true or false"));
  EXPECT_THAT(error_of("left.x == 1", Expected::condition), HasSubstr("write a condition with '<' or '>'"));
  EXPECT_THAT(error_of("flag == true", Expected::condition), "(no error)");
  EXPECT_THAT(error_of("left.x / k"), HasSubstr("division by zero in 'left.x / k': the value can never be computed"));
  EXPECT_THAT(error_of("1 + sqrt(-1)"), HasSubstr("square root of a negative number in 'sqrt(-1)'"));
  EXPECT_THAT(error_of("log(k)"), HasSubstr("logarithm of zero"));
  EXPECT_THAT(error_of("clamp(left.x, 1, -1)"), HasSubstr("exchange them"));
  EXPECT_THAT(error_of("bad"), HasSubstr("the value of 'bad' is nan"));
}

TEST(Compile, AcceptsWhatIsLong) {
  Names names;
  std::string text = "0";
  for (int k = 0; k < 600; ++k) {
    const auto name = "x" + std::to_string(k);
    names.add(name);
    text += "+sign(" + name + ")";
  }
  EXPECT_EQ(compile(text, names).evaluate(std::vector<double>(600, -2.0), 0), -600);
}

TEST(Explain, NamesTheFirstSubExpressionThatIsNotFinite) {
  Names names;
  names.add("left.x", "m").add("u").add("v", "mm").add_constant("k", 2).add_discrete("b", Kind::boolean);
  std::vector<double> slots{2, -1, 3, 0};
  const auto why = [&](std::string_view text) { return compile(text, names).explain(slots, 0.5); };
  EXPECT_EQ(why("3 + 1 / (left.x - 2 [m])"), "division by zero in '1 / (left.x - 2 [m])' (left.x = 2 m)");
  EXPECT_EQ(why("sin(sqrt(u)) + 1"), "square root of a negative number in 'sqrt(u)' (u = -1)");
  EXPECT_EQ(why("log(u) / (u + 1)"), "logarithm of a negative number in 'log(u)' (u = -1)");
  EXPECT_EQ(why("k / (u + 1) * u"), "division by zero in 'k / (u + 1)' (k = 2, u = -1)");
  EXPECT_EQ(why("asin(u - 1)"), "asin of a number outside of -1 … 1 in 'asin(u - 1)' (u = -1)");
  EXPECT_EQ(why("u^(time / 1 [s])"),
            "fractional power of a negative number in 'u^(time / 1 [s])' (u = -1, time = 0.5 s)");
  EXPECT_EQ(why("mod(time / 1 [s], u + 1)"), "division by zero in 'mod(time / 1 [s], u + 1)' (time = 0.5 s, u = -1)");
  EXPECT_EQ(why("exp(-u * 1000)"), "overflow in 'exp(-u * 1000)' (u = -1)");
  EXPECT_EQ(why("min(0, 0 / (u + 1))"), "division by zero in '0 / (u + 1)' (u = -1)");
  EXPECT_EQ(why("if(u < 0, u, log(u))"), "");
  EXPECT_EQ(why("if(u < 0, log(u), u)"), "logarithm of a negative number in 'log(u)' (u = -1)");
  const auto held = compile("if(u < 0, log(u), u)", names);
  EXPECT_EQ(held.explain(slots, 0, std::vector<double>{0}), "");
  EXPECT_EQ(held.explain(slots, 0, std::vector<double>{1}), "logarithm of a negative number in 'log(u)' (u = -1)");
  EXPECT_EQ(held.place(), "expression 'if(u < 0, log(u), u)'");
  slots[2] = NAN;
  EXPECT_EQ(why("if(b, 1, v / 1 [m])"), "the value of 'v' is nan");
}

TEST(Evaluate, AllocatesNothing) {
  Names names;
  names.add("x", "mm").add("y").add_table(
      "t", std::make_shared<Table>("t", std::vector<double>{0, 1}, std::vector<double>{0, 1}));
  const auto p =
      compile("if(y > 1, sin(y), floor(y)) + table(t, y) + min(y, 3) + (x / 1 [m])^2.5 + mod(time / 1 [s], 2)", names);
  const std::vector<double> slots{1, 2};
  std::vector<double> held(p.relations().size());
  std::vector<double> indicators(held.size());
  std::vector<double> d(p.operands().size());
  double result = 0;
  double d_time = 0;
  const auto before = allocations();
  result += p.evaluate(slots, 1);
  p.refresh(slots, 1, held);
  result += p.evaluate(slots, 1, held);
  p.indicators(slots, 1, held, indicators);
  p.gradient(slots, 1, result, d, d_time);
  p.gradient(slots, 1, held, result, d, d_time);
  EXPECT_EQ(allocations() - before, 0U);
  EXPECT_TRUE(std::isfinite(result));
}

}  // namespace compile_test
}  // namespace consort::expr
