#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/tests/names.hpp"
#include "expr/tests/random_text.hpp"

namespace consort::expr {
namespace gradient_test {

using testing::DoubleNear;
using testing::ElementsAre;

struct Gradient {
  double value = 0;
  std::vector<double> by_operand;
  double by_time = 0;
};

Gradient gradient(const Program& p, const std::vector<double>& slots, double t) {
  Gradient g;
  g.by_operand.resize(p.operands().size());
  p.gradient(slots, t, g.value, g.by_operand, g.by_time);
  return g;
}
Gradient gradient(const Program& p, const std::vector<double>& slots, double t, const std::vector<double>& held) {
  Gradient g;
  g.by_operand.resize(p.operands().size());
  p.gradient(slots, t, held, g.value, g.by_operand, g.by_time);
  return g;
}

std::shared_ptr<const Table> hat() {
  return std::make_shared<Table>("hat", std::vector<double>{-1, 0, 1}, std::vector<double>{0, 2, 0});
}

TEST(Gradient, HasTheTextbookDerivatives) {
  Names names;
  names.add("x").add("y").add_table("t", hat());
  const auto of = [&](std::string_view text, double x, double y = 0) {
    const auto p = compile(text, names);
    return gradient(p, {x, y}, 0).by_operand;
  };
  EXPECT_THAT(of("x * y", 2, 3), ElementsAre(3, 2));
  EXPECT_THAT(of("x / y", 1, 2), ElementsAre(0.5, -0.25));
  EXPECT_THAT(of("x^y", 2, 3), ElementsAre(12, DoubleNear(8 * std::log(2), 1e-14)));
  EXPECT_THAT(of("x^2", 3), ElementsAre(6));
  EXPECT_THAT(of("x^4", -1), ElementsAre(-4));
  EXPECT_THAT(of("x^0.5", 4), ElementsAre(0.25));
  EXPECT_THAT(of("x^0", 0), ElementsAre(0));
  EXPECT_THAT(of("sqrt(x)", 4), ElementsAre(0.25));
  EXPECT_THAT(of("sqrt(x)", 0), ElementsAre(std::numeric_limits<double>::infinity()));
  EXPECT_THAT(of("log(x)", 4), ElementsAre(0.25));
  EXPECT_THAT(of("abs(x)", -4), ElementsAre(-1));
  EXPECT_THAT(of("table(t, x)", 0.5), ElementsAre(-2));
  EXPECT_THAT(of("table(t, x)", 0), ElementsAre(-2));
  EXPECT_THAT(of("table(t, x)", -1), ElementsAre(2));
  EXPECT_THAT(of("table(t, x)", 1), ElementsAre(0));
  EXPECT_THAT(of("floor(x) + sign(x)", 1.5), ElementsAre(0));
  EXPECT_THAT(of("mod(x, 2)", 1.5), ElementsAre(1));
  EXPECT_THAT(of("if(x > 1, x^2, 7 * x)", 0.5), ElementsAre(7));
  EXPECT_THAT(of("atan2(y, x)", 1, 1), ElementsAre(DoubleNear(0.5, 1e-15), DoubleNear(-0.5, 1e-15)));
}

TEST(Gradient, IsNotSpoiltByABranchThatIsNotTaken) {
  Names names;
  names.add("x");
  const auto p = compile("if(x == 0, 1, sin(x) / x) + min(x, sqrt(x))", names);
  EXPECT_THAT(gradient(p, {0}, 0).by_operand, ElementsAre(1));
}

TEST(Gradient, IsInUnitsOfSlotsAndTarget) {
  Names names;
  names.add("x", "mm").add("k", "kN/m");
  const auto p = compile("k * x", names, {.target = unit_named("N")});
  const auto g = gradient(p, {20, 3}, 0);
  EXPECT_DOUBLE_EQ(g.value, 60);
  EXPECT_THAT(g.by_operand, ElementsAre(DoubleNear(20, 1e-13), DoubleNear(3, 1e-14)));
  const auto q = compile("x / 2 [s] * time", names, {.target = unit_named("cm")});
  const auto h = gradient(q, {50}, 4);
  EXPECT_DOUBLE_EQ(h.value, 10);
  EXPECT_DOUBLE_EQ(h.by_operand[0], 0.2);
  EXPECT_DOUBLE_EQ(h.by_time, 2.5);
}

// Central differences of the held program have an error of the order of h^2; Richardson's extrapolation of two of them
// has one of h^4. With h = 1e-3 and rounding of 1e-16 / h, 1e-7 of the largest derivative is enough, except for
// table(), whose kinks are no relations: points whose two differences disagree are left out, and are few.
TEST(Gradient, EqualsDifferencesOfRandomExpressions) {
  Names names;
  names.add("x").add("y").add("z").add("odd name").add_table("t", hat());
  std::size_t compared = 0;
  std::size_t left_out = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomText random(seed);
    const auto text = random.number(1 + static_cast<int>(seed % 4));
    const auto p = compile(text, names);
    std::vector<double> slots{random.between(0.5, 1.5), random.between(0.5, 1.5), random.between(0.5, 1.5), 1.1};
    const double t = random.between(0.5, 1.5);
    std::vector<double> held(p.relations().size());
    p.refresh(slots, t, held);
    const auto g = gradient(p, slots, t, held);
    EXPECT_EQ(g.value, p.evaluate(slots, t, held)) << text;
    EXPECT_EQ(g.value, p.evaluate(slots, t)) << text;
    const auto live = gradient(p, slots, t);
    EXPECT_EQ(live.by_operand, g.by_operand) << text;
    EXPECT_EQ(live.by_time, g.by_time) << text;

    const auto check = [&](double exact, auto&& at) {
      const auto difference = [&](double h) { return (at(h) - at(-h)) / (2 * h); };
      const double coarse = difference(1e-3);
      const double fine = difference(5e-4);
      const double size = std::max({1.0, std::abs(coarse), std::abs(g.value)});
      if (!(std::abs(coarse - fine) < 1e-4 * size)) {
        ++left_out;
        return;
      }
      ++compared;
      EXPECT_NEAR(exact, (4 * fine - coarse) / 3, 1e-6 * size) << text;
    };
    for (std::size_t k = 0; k < p.operands().size(); ++k) {
      check(g.by_operand[k], [&](double h) {
        auto moved = slots;
        moved[p.operands()[k].slot] += h;
        return p.evaluate(moved, t, held);
      });
    }
    check(g.by_time, [&](double h) { return p.evaluate(slots, t + h, held); });
  }
  EXPECT_GT(compared, 5000U);
  EXPECT_LT(left_out, compared / 20);
}

TEST(RandomExpressions, AreTheSameAfterToText) {
  Names names;
  names.add("x").add("y").add("z").add("odd name").add_table("t", hat());
  for (unsigned seed = 0; seed < 2000; ++seed) {
    RandomText random(seed);
    const auto text = random.number(1 + static_cast<int>(seed % 4));
    const Tree tree = parse(text);
    const Tree again = parse(to_text(tree));
    ASSERT_TRUE(same(tree, again)) << text << " → " << to_text(tree);
    EXPECT_EQ(to_text(again), to_text(tree));
    const std::vector<double> slots{1, 0.7, 1.3, 0.9};
    EXPECT_EQ(compile(tree, names).evaluate(slots, 2), compile(again, names).evaluate(slots, 2));
  }
}

}  // namespace gradient_test
}  // namespace consort::expr
