// Chains of units whose outputs depend directly on inputs: estimates must take these paths into account.
#include "couple/direct_paths.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "graph/compile.hpp"
#include "host/hosts.hpp"
#include "unit/linear_unit.hpp"

namespace consort::couple {
namespace {

// y = gain u, without delay.
unit::LinearSystem gain(double value, bool differentiates = true) {
  return {{"u"}, {"y"}, {}, {}, {}, {}, {value}, {}, true, true, differentiates};
}

struct Chain {
  // Units "0", "1", … with these gains; each drives the next one with a factor, and the last one drives the first.
  Chain(const std::vector<unit::LinearSystem>& systems, double factor, bool closed = true) {
    graph::System system("chain");
    std::vector<fleet::UnitSpec> specs;
    for (std::size_t i = 0; i < systems.size(); ++i) {
      made.push_back(std::make_unique<unit::LinearUnit>(std::to_string(i), systems[i]));
      system.add(std::to_string(i), std::to_string(i));
      specs.push_back({.name = std::to_string(i)});
    }
    for (std::size_t i = 0; i + (closed ? 0 : 1) < systems.size(); ++i)
      system.connect(std::to_string(i) + ".y", std::to_string((i + 1) % systems.size()) + ".u", {factor, 0});
    plan = graph::compile(system, [&](const graph::Component& c) -> const describe::Description& {
      return made[std::stoul(c.name)]->description();
    });
    for (graph::UnitId u = 0; u < plan.units.size(); ++u)
      outputs.push_back({.element = plan.units[u].first_output[float64], .unit = u, .name = "y", .feed_through = true});
    host::HostSetup setup;
    setup.factory = [&](const fleet::UnitSpec& spec) {
      return std::make_unique<unit::LinearUnit>(spec.name, systems[std::stoul(spec.name)]);
    };
    host = host::find_host("serial").make(setup);
    fleet = std::make_unique<fleet::Fleet>(specs, *host);
    std::vector<fleet::Blocks> blocks;
    for (const auto& u : plan.units) blocks.push_back({&u.inputs, &u.outputs, u.first_input, u.first_output, 1});
    fleet->connect(blocks);
    fleet->enter_initialization(plan.all_units(), {});
    fleet->exit_initialization(plan.all_units());
    paths = DirectPaths(plan, outputs);
  }
  std::vector<std::unique_ptr<unit::LinearUnit>> made;  // owned here for their descriptions
  graph::Plan plan;
  std::vector<EstimatedOutput> outputs;
  std::unique_ptr<fleet::Host> host;
  std::unique_ptr<fleet::Fleet> fleet;
  DirectPaths paths;
};

constexpr ErrorRatio ratio{.states = 4, .outputs = 8, .order = 1};

TEST(DirectPaths, AreNoneWhereNoOutputFollowsAnother) {
  const Chain alone({gain(2)}, 1, false);
  EXPECT_FALSE(alone.paths.in_series());
  EXPECT_TRUE(alone.paths.known(*alone.fleet));
  Chain chain({gain(2), gain(3)}, 1, false);
  EXPECT_TRUE(chain.paths.in_series());
  // Outputs that depend on states are not part of a path.
  chain.outputs[0].feed_through = false;
  EXPECT_FALSE(DirectPaths(chain.plan, chain.outputs).in_series());
}

TEST(DirectPaths, AreKnownWhereUnitsTellTheirDerivatives) {
  const Chain chain({gain(2), gain(3)}, 1);
  EXPECT_TRUE(chain.paths.known(*chain.fleet));
  const Chain silent({gain(2), gain(3, false)}, 1);
  EXPECT_TRUE(silent.paths.in_series());
  EXPECT_FALSE(silent.paths.known(*silent.fleet));
}

// (ratio C⁻¹ - I) e = d with C = I + (order + 1) D L: inserting the corrected values gives the difference.
TEST(DirectPaths, CorrectWhatTheyHaveSeen) {
  Chain chain({gain(0.5), gain(-0.25)}, 2);
  chain.paths.evaluate(*chain.fleet);
  std::vector<double> e{1, -2};
  ASSERT_TRUE(chain.paths.correct(ratio, e));
  // D L is (0, 1; -0.5, 0), so that C is (1, 2; -1, 1) and its inverse (1, -2; 1, 1) / 3.
  EXPECT_NEAR(ratio.outputs * (e[0] - 2 * e[1]) / 3 - e[0], 1, 1e-12);
  EXPECT_NEAR(ratio.outputs * (e[0] + e[1]) / 3 - e[1], -2, 1e-12);
}

TEST(DirectPaths, OfSmallGainsLeaveTheScalarRatio) {
  Chain chain({gain(1e-15), gain(1e-15)}, 1);
  chain.paths.evaluate(*chain.fleet);
  std::vector<double> e{7, -14};
  ASSERT_TRUE(chain.paths.correct(ratio, e));
  EXPECT_NEAR(e[0], 1, 1e-12);
  EXPECT_NEAR(e[1], -2, 1e-12);
}

// (ratio - 1) I - (order + 1) D L has no inverse, because the gains make 2 · 3.5 = 7.
TEST(DirectPaths, ChangeNothingWhereTheMatrixIsSingular) {
  Chain chain({gain(3.5), gain(3.5)}, 1);
  chain.paths.evaluate(*chain.fleet);
  std::vector<double> e{7, -14};
  EXPECT_FALSE(chain.paths.correct(ratio, e));
  EXPECT_EQ(e, (std::vector<double>{7, -14}));
}

}  // namespace
}  // namespace consort::couple
