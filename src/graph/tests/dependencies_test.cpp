#include "graph/dependencies.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "plant.hpp"

namespace consort::graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct Dependencies : testing::Test {
  Dependencies() {
    shelf.add("through.fmu").input("u").output("y").depends_on({"u"});
    shelf.add("integrator.fmu").input("u").output("y").depends_on({});
    shelf.add("silent.fmu").input("u").input("v").output("y").output("z");
    shelf.add("half.fmu").input("u").input("v").output("y").depends_on({"u"}).output("z").depends_on({});
  }
  Shelf shelf;
  System s;
};

TEST_F(Dependencies, FeedThroughIsWhatIsDeclaredAndEverythingWhereNothingIs) {
  for (const auto* kind : {"through", "integrator", "silent", "half"}) s.add(kind, std::string(kind) + ".fmu");
  for (const auto* to : {"through.u", "integrator.u", "silent.u", "silent.v", "half.u", "half.v"})
    s.connect("integrator.y", to);
  const auto plan = shelf.compile(s);
  EXPECT_THAT(plan.units[0].feed_through, ElementsAre(ElementsAre(0U)));
  EXPECT_THAT(plan.units[1].feed_through, ElementsAre(IsEmpty()));
  EXPECT_THAT(plan.units[2].feed_through, ElementsAre(ElementsAre(0U, 1U), ElementsAre(0U, 1U)));
  EXPECT_THAT(plan.units[3].feed_through, ElementsAre(ElementsAre(0U), IsEmpty()));
  EXPECT_TRUE(plan.units[0].has_feed_through());
  EXPECT_FALSE(plan.units[1].has_feed_through());
}

TEST_F(Dependencies, InputsThatNothingDrivesHaveNoFeedThrough) {
  s.add("through", "through.fmu");
  const auto plan = shelf.compile(s);
  EXPECT_TRUE(plan.units[0].feed_through.empty());
  EXPECT_FALSE(plan.units[0].has_feed_through());
}

TEST_F(Dependencies, FindsALoopAndNamesItsVariablesInOrder) {
  s.add("a", "through.fmu");
  s.add("b", "through.fmu");
  s.add("c", "integrator.fmu");
  s.connect("a.y", "b.u");
  s.connect("b.y", "a.u");
  s.connect("b.y", "c.u");
  const auto plan = shelf.compile(s);
  ASSERT_EQ(plan.loops.size(), 1U);
  EXPECT_THAT(plan.loops[0].units, ElementsAre(0U, 1U));
  EXPECT_EQ(plan.loops[0].inputs.size(), 2U);
  EXPECT_THAT(plan.loops[0].variables, ElementsAre("a.u", "a.y", "b.u", "b.y"));
}

TEST_F(Dependencies, ADelayBreaksALoop) {
  s.add("a", "through.fmu");
  s.add("b", "integrator.fmu");
  s.connect("a.y", "b.u");
  s.connect("b.y", "a.u");
  EXPECT_TRUE(shelf.compile(s).loops.empty());
}

TEST_F(Dependencies, AUnitMayBeALoopByItself) {
  s.add("a", "half.fmu");
  s.connect("a.y", "a.u");
  s.connect("a.z", "a.v");
  const auto plan = shelf.compile(s);
  ASSERT_EQ(plan.loops.size(), 1U);
  EXPECT_THAT(plan.loops[0].variables, ElementsAre("a.u", "a.y"));
  EXPECT_EQ(plan.loops[0].inputs.size(), 1U) << "v and z are not in the loop";
}

TEST_F(Dependencies, LoopsThatShareNothingAreSeparate) {
  for (const auto* name : {"a", "b", "c", "d"}) s.add(name, "through.fmu");
  s.connect("a.y", "b.u");
  s.connect("b.y", "a.u");
  s.connect("c.y", "d.u");
  s.connect("d.y", "c.u");
  const auto plan = shelf.compile(s);
  ASSERT_EQ(plan.loops.size(), 2U);
  EXPECT_THAT(plan.loops[0].units, ElementsAre(0U, 1U));
  EXPECT_THAT(plan.loops[1].units, ElementsAre(2U, 3U));
}

TEST_F(Dependencies, ConstantsAndParametersFollowNothing) {
  auto& plant = shelf.add("c.fmu");
  plant.input("u").output("y");
  plant.last().variability = describe::Variability::constant;
  s.add("c", "c.fmu");
  s.connect("c.y", "c.u");
  EXPECT_TRUE(shelf.compile(s).loops.empty());
}

TEST_F(Dependencies, GaussSeidelGoesFromSourcesToSinks) {
  s.add("sink", "through.fmu");
  s.add("middle", "through.fmu");
  s.add("source", "integrator.fmu");
  s.connect("source.y", "middle.u");
  s.connect("middle.y", "sink.u");
  EXPECT_THAT(shelf.compile(s).order, ElementsAre(2U, 1U, 0U));
}

TEST_F(Dependencies, WithinACycleFeedThroughDecidesTheOrder) {
  s.add("through", "through.fmu");
  s.add("state", "integrator.fmu");
  s.connect("through.y", "state.u");
  s.connect("state.y", "through.u");
  EXPECT_THAT(shelf.compile(s).order, ElementsAre(1U, 0U));
}

TEST_F(Dependencies, DeclarationDecidesWhereTheGraphDoesNot) {
  for (const auto* name : {"d", "b", "c", "a"}) s.add(name, "integrator.fmu");
  EXPECT_THAT(shelf.compile(s).order, ElementsAre(0U, 1U, 2U, 3U));
}

// --- properties of random systems

// Units with random inputs, outputs and dependencies (sometimes undeclared), connected at random.
struct RandomSystem {
  RandomSystem(unsigned seed, std::size_t units, double density) : random(seed) {
    std::vector<std::string> outputs, inputs;
    for (std::size_t u = 0; u < units; ++u) {
      const auto name = "u" + std::to_string(u);
      auto& plant = shelf.add(name + ".fmu");
      const auto ins = below(4), outs = 1 + below(3);
      std::vector<std::string> own;
      for (std::size_t i = 0; i < ins; ++i) own.push_back("i" + std::to_string(i));
      for (const auto& i : own) plant.input(i), inputs.push_back(name + "." + i);
      for (std::size_t o = 0; o < outs; ++o) {
        plant.output("o" + std::to_string(o));
        outputs.push_back(name + ".o" + std::to_string(o));
        if (below(5) == 0) continue;
        std::vector<std::string_view> on;
        for (const auto& i : own)
          if (below(3) == 0) on.push_back(i);
        plant.depends_on(on);
      }
      s.add(name, name + ".fmu");
    }
    for (const auto& i : inputs)
      if (std::uniform_real_distribution<>(0, 1)(random) < density) s.connect(outputs[below(outputs.size())], i);
  }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); }

  std::mt19937 random;
  Shelf shelf;
  System s;
};

using Signal = std::pair<UnitId, std::uint32_t>;

// Follows the evaluation symbolically: an output is fresh if it was read while all variables it depends on were fresh.
class Symbolic {
 public:
  explicit Symbolic(const Plan& plan) : plan_(plan) {
    for (const auto& c : plan.connections) source_[{c.to, c.input}] = {c.from, c.output};
  }

  void refresh(UnitId u, const std::set<Signal>& solved) {
    const auto& unit = plan_.units[u];
    for (std::uint32_t o = 0; o < unit.outputs.choice().size(); ++o) {
      bool is_fresh = true;
      for (std::uint32_t i = 0; i < unit.feed_through.size(); ++i) {
        const auto& followers = unit.feed_through[i];
        if (std::find(followers.begin(), followers.end(), o) == followers.end()) continue;
        is_fresh = is_fresh && (solved.contains({u, i}) || fresh_.contains(source_.at({u, i})));
      }
      if (is_fresh) fresh_.insert({u, o});
    }
  }

  void run() {
    for (const auto& item : plan_.evaluation) {
      if (item.unit != no_unit) {
        refresh(item.unit, {});
        continue;
      }
      const auto& loop = plan_.loops[item.loop];
      std::set<Signal> solved;
      for (const auto& input : loop.inputs) solved.insert({input.unit, input.input});
      for (const auto u : loop.units) refresh(u, solved);
    }
  }

  [[nodiscard]] std::size_t stale() const {
    std::size_t all = 0;
    for (const auto& u : plan_.units) all += u.outputs.choice().size();
    return all - fresh_.size();
  }

 private:
  const Plan& plan_;
  std::map<Signal, Signal> source_;
  std::set<Signal> fresh_;
};

TEST(RandomGraphs, TheEvaluationRefreshesEveryOutputAfterAllThatItDependsOn) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    RandomSystem r(seed, 2 + seed % 12, 0.3 + 0.1 * (seed % 8));
    const auto plan = r.shelf.compile(r.s);
    Symbolic symbolic(plan);
    symbolic.run();
    ASSERT_EQ(symbolic.stale(), 0U) << "seed " << seed;
  }
}

TEST(RandomGraphs, EveryLoopIsEvaluatedOnceAndHasInputsAndUnits) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomSystem r(seed, 8, 0.9);
    const auto plan = r.shelf.compile(r.s);
    std::vector<int> times(plan.loops.size(), 0);
    for (const auto& item : plan.evaluation)
      if (item.unit == no_unit) ++times.at(item.loop);
    EXPECT_THAT(times, testing::Each(1));
    for (const auto& loop : plan.loops) {
      EXPECT_FALSE(loop.inputs.empty());
      EXPECT_TRUE(std::is_sorted(loop.units.begin(), loop.units.end()));
      const std::set<std::string> names(loop.variables.begin(), loop.variables.end());
      EXPECT_EQ(names.size(), loop.variables.size()) << "each variable is named once, seed " << seed;
    }
  }
}

// reachability(p)[a][b]: connections lead from unit a to unit b.
std::vector<std::vector<bool>> reachability(const Plan& plan) {
  const auto n = plan.units.size();
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
  for (const auto& c : plan.connections) reach[c.from][c.to] = true;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (reach[i][k] && reach[k][j]) reach[i][j] = true;
  return reach;
}

TEST(RandomGraphs, TheOrderGoesBackwardsOnlyWithinCycles) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomSystem r(seed, 3 + seed % 15, 0.2 + 0.1 * (seed % 8));
    const auto plan = r.shelf.compile(r.s);
    std::vector<std::size_t> place(plan.units.size(), plan.units.size());
    for (std::size_t i = 0; i < plan.order.size(); ++i) place[plan.order[i]] = i;
    ASSERT_EQ(plan.order.size(), plan.units.size());
    EXPECT_THAT(place, testing::Each(testing::Lt(plan.units.size()))) << "every unit is in the order";
    const auto reach = reachability(plan);
    for (const auto& c : plan.connections)
      EXPECT_TRUE(place[c.from] < place[c.to] || reach[c.to][c.from]) << "seed " << seed;
  }
}

// Brute force: two vertices are in one component if they reach each other.
TEST(RandomGraphs, ComponentsAreThoseOfMutualReachabilityAndInTopologicalOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto n = static_cast<std::uint32_t>(1 + random() % 12);
    std::vector<std::vector<std::uint32_t>> edges(n);
    for (std::uint32_t v = 0; v < n; ++v)
      for (std::uint32_t w = 0; w < n; ++w)
        if (random() % 6 == 0) edges[v].push_back(w);
    std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
    for (std::uint32_t v = 0; v < n; ++v)
      for (const auto w : edges[v]) reach[v][w] = true;
    for (std::uint32_t k = 0; k < n; ++k)
      for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < n; ++j)
          if (reach[i][k] && reach[k][j]) reach[i][j] = true;
    const auto components = components_in_order(edges);
    std::vector<std::size_t> of(n, n);
    for (std::size_t c = 0; c < components.size(); ++c)
      for (const auto v : components[c]) of[v] = c;
    for (std::uint32_t v = 0; v < n; ++v) {
      ASSERT_LT(of[v], components.size());
      for (std::uint32_t w = 0; w < n; ++w) {
        EXPECT_EQ(of[v] == of[w], v == w || (reach[v][w] && reach[w][v]));
      }
      for (const auto w : edges[v]) EXPECT_LE(of[v], of[w]);
    }
  }
}

TEST(LargeGraphs, AChainOfManyUnitsDoesNotExhaustTheStack) {
  std::vector<std::vector<std::uint32_t>> edges(300'000);
  for (std::uint32_t v = 0; v + 1 < edges.size(); ++v) edges[v].push_back(v + 1);
  EXPECT_EQ(components_in_order(edges).size(), edges.size());
  edges.back().push_back(0);
  EXPECT_EQ(components_in_order(edges).size(), 1U);
}

}  // namespace
}  // namespace consort::graph
