#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/tests/names.hpp"
#include "expr/tests/random_text.hpp"

namespace consort::expr {
namespace relations_test {

using testing::ElementsAre;

struct Case {
  Program p;
  std::vector<double> held;
  std::vector<double> indicators;

  explicit Case(std::string_view text, const Names& names,
                const CompileOptions& options = {.expected = Expected::anything})
      : p(compile(text, names, options)), held(p.relations().size()), indicators(held.size()) {}

  bool refresh(const std::vector<double>& slots, double t = 0) { return p.refresh(slots, t, held); }
  double value(const std::vector<double>& slots, double t = 0) { return p.evaluate(slots, t, held); }
  const std::vector<double>& look(const std::vector<double>& slots, double t = 0) {
    p.indicators(slots, t, held, indicators);
    return indicators;
  }
};

class OneRelation : public testing::Test {
 protected:
  OneRelation() { names_.add("x").add("y").add_discrete("n", Kind::integer); }
  Names names_;
};

TEST_F(OneRelation, IsHeldUntilItIsRefreshed) {
  Case c("if(x < 2, 10 * x, 20)", names_);
  ASSERT_EQ(c.p.relations().size(), 1U);
  EXPECT_TRUE(c.refresh({1, 0, 0}));
  EXPECT_THAT(c.held, ElementsAre(1));
  EXPECT_FALSE(c.refresh({1.5, 0, 0}));
  EXPECT_EQ(c.value({3, 0, 0}), 30);
  EXPECT_EQ(c.p.evaluate(std::vector<double>{3, 0, 0}, 0), 20);
  EXPECT_TRUE(c.refresh({3, 0, 0}));
  EXPECT_THAT(c.held, ElementsAre(0));
  EXPECT_EQ(c.value({3, 0, 0}), 20);
}

TEST_F(OneRelation, HasAnIndicatorWhoseSignIsTheOutcome) {
  for (const auto* text : {"x < y", "x <= y", "x > y", "x >= y", "min(x, y)", "max(x, y)", "abs(x - y)"}) {
    Case c(text, names_);
    ASSERT_EQ(c.p.relations().size(), 1U) << text;
    for (const double x : {1.0, 2.0, 3.0, std::nextafter(2.0, 3.0), std::nextafter(2.0, 1.0)}) {
      const std::vector<double> slots{x, 2, 0};
      c.refresh(slots);
      EXPECT_EQ(c.look(slots)[0] > 0, c.held[0] == 1) << text << ", x = " << x;
      EXPECT_EQ(std::abs(c.indicators[0]), std::abs(x - 2)) << text << ", x = " << x;
    }
  }
}

TEST_F(OneRelation, HoldsChoicesAndSigns) {
  Case least("min(x, y)", names_);
  least.refresh({1, 2, 0});
  EXPECT_EQ(least.value({5, 2, 0}), 5);
  Case most("max(x, y)", names_);
  most.refresh({1, 2, 0});
  EXPECT_EQ(most.value({5, 2, 0}), 2);
  Case size("abs(x)", names_);
  size.refresh({-1, 0, 0});
  EXPECT_EQ(size.value({3, 0, 0}), -3);
  Case range("clamp(x, 0, 1)", names_);
  ASSERT_EQ(range.p.relations().size(), 2U);
  range.refresh({0.5, 0, 0});
  EXPECT_EQ(range.value({3, 0, 0}), 3);
  range.refresh({3, 0, 0});
  EXPECT_EQ(range.value({0.5, 0, 0}), 1);
  range.refresh({-3, 0, 0});
  EXPECT_EQ(range.value({0.5, 0, 0}), 0);
}

TEST_F(OneRelation, OfASignSeesZeroAndBothSides) {
  Case c("sign(x)", names_);
  ASSERT_EQ(c.p.relations().size(), 2U);
  for (const double x : {-1.0, 0.0, 1.0}) {
    c.refresh({x, 0, 0});
    EXPECT_EQ(c.value({7, 0, 0}), x);
  }
  c.refresh({0, 0, 0});
  EXPECT_FALSE(c.look({0, 0, 0})[0] > 0);
  EXPECT_FALSE(c.indicators[1] > 0);
  EXPECT_TRUE(c.look({1e-300, 0, 0})[0] > 0);
  EXPECT_TRUE(c.look({-1e-300, 0, 0})[1] > 0);
}

TEST_F(OneRelation, OfAFloorHoldsTheWholeNumber) {
  Case c("floor(x)", names_);
  ASSERT_EQ(c.p.relations().size(), 1U);
  EXPECT_TRUE(c.p.relations()[0].whole_number);
  c.refresh({3.2, 0, 0});
  EXPECT_THAT(c.held, ElementsAre(3));
  EXPECT_EQ(c.value({9.9, 0, 0}), 3);
  EXPECT_FALSE(c.look({3, 0, 0})[0] > 0);
  EXPECT_FALSE(c.look({3.9, 0, 0})[0] > 0);
  EXPECT_TRUE(c.look({4.001, 0, 0})[0] > 0);
  EXPECT_TRUE(c.look({2.999, 0, 0})[0] > 0);
  Case m("mod(x, 2)", names_);
  m.refresh({5, 0, 0});
  EXPECT_THAT(m.held, ElementsAre(2));
  EXPECT_EQ(m.value({6.5, 0, 0}), 2.5);
  Case up("ceil(x)", names_);
  up.refresh({3.2, 0, 0});
  EXPECT_EQ(up.value({9, 0, 0}), 4);
}

TEST_F(OneRelation, CountsByChoice) {
  const auto* text = "if(x > 1, abs(x), floor(y)) + min(x, y) + sign(y)";
  EXPECT_EQ(Case(text, names_).p.relations().size(), 6U);
  EXPECT_EQ(Case(text, names_, {.relations = {.kinks = false}}).p.relations().size(), 4U);
  EXPECT_EQ(Case(text, names_, {.relations = {.jumps = false}}).p.relations().size(), 3U);
  EXPECT_EQ(Case(text, names_, {.relations = {.comparisons = false}}).p.relations().size(), 5U);
  Case live("min(x, y)", names_, {.relations = {.kinks = false}});
  EXPECT_EQ(live.value({5, 2, 0}), 2);
  EXPECT_EQ(live.value({1, 2, 0}), 1);
  // Equal comparisons count once, equality never.
  EXPECT_EQ(Case("if(x > 1, x, y) + if(x > 1, y, x) + if(1 < x, 1, 0) + if(x <= 1, 2, 3)", names_).p.relations().size(),
            1U);
  EXPECT_EQ(Case("if(x == 1, x, y)", names_).p.relations().size(), 0U);
}

TEST_F(OneRelation, KnowsWhatMovesIt) {
  Case c("if(n > 3, 1, 2) + if(time > 3, 1, 2) + if(x > 3, 1, 2) + if(floor(x) > 3, 1, 2) + if(time > n * 1 [s], 1, 2)",
         names_);
  ASSERT_EQ(c.p.relations().size(), 6U);
  const auto r = c.p.relations();
  std::vector<std::pair<bool, bool>> found;
  for (const auto& relation : r) found.emplace_back(relation.located, relation.time_only);
  EXPECT_THAT(found, ElementsAre(std::pair(false, false), std::pair(true, true), std::pair(true, false),
                                 std::pair(true, false), std::pair(false, false), std::pair(true, true)));
  EXPECT_EQ(to_text(c.p.tree(), r[2].node), "x > 3");
}

TEST_F(OneRelation, InABranchThatIsNotTakenShowsNoCrossing) {
  Case c("if(x > 0, if(sqrt(x) > 1, 1, 2), 3)", names_);
  const std::vector<double> negative{-1, 0, 0};
  EXPECT_FALSE(c.refresh(negative));
  EXPECT_EQ(c.value(negative), 3);
  for (const auto relation : {0, 1}) EXPECT_EQ(c.look(negative)[static_cast<std::size_t>(relation)], -1);
  c.refresh({4, 0, 0});
  EXPECT_THAT(c.held, ElementsAre(1, 1));
  EXPECT_TRUE(c.look(negative)[0] == 1 || c.look(negative)[1] == 1);
  EXPECT_TRUE(c.refresh(negative));
  EXPECT_EQ(c.value(negative), 3);
}

TEST_F(OneRelation, RefreshUsesPresentOutcomesOfNestedRelations) {
  Case c("abs(max(x, y)) > 3", names_);
  c.refresh({1, 2, 0});
  EXPECT_EQ(c.value({1, 2, 0}), 0);
  EXPECT_TRUE(c.refresh({-5, -4, 0}));
  EXPECT_EQ(c.value({-5, -4, 0}), 1);
  EXPECT_FALSE(c.refresh({-5, -4, 0}));
}

TEST_F(OneRelation, HeldAtThePresentOutcomesIsTheProgramItself) {
  Names names;
  names.add("x")
      .add("y")
      .add("z")
      .add("odd name")
      .add_table("t", std::make_shared<Table>("t", std::vector<double>{-1, 0, 1}, std::vector<double>{0, 2, 0}));
  std::size_t events = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    RandomText random(seed);
    const auto text = random.number(1 + static_cast<int>(seed % 4));
    Case c(text, names);
    for (int k = 0; k < 20; ++k) {
      const std::vector<double> slots{random.between(-2, 2), random.between(-2, 2), random.between(-2, 2), 0.3};
      const double t = random.between(0, 9);
      const auto before = c.held;
      const auto indicators = c.look(slots, t);
      const bool changed = c.refresh(slots, t);
      EXPECT_EQ(changed, before != c.held);
      ASSERT_EQ(c.value(slots, t), c.p.evaluate(slots, t)) << text;
      if (changed) ++events;
      // With all outcomes present, indicators agree with all outcomes.
      const auto now = c.look(slots, t);
      for (std::size_t r = 0; r < now.size(); ++r) {
        if (c.p.relations()[r].whole_number) {
          EXPECT_FALSE(now[r] > 0) << text;
        } else {
          EXPECT_EQ(now[r] > 0, c.held[r] == 1) << text;
        }
      }
    }
  }
  EXPECT_GT(events, 1000U);
}

}  // namespace relations_test
}  // namespace consort::expr
