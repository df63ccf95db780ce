// Systems as bytes.
#include "graph/pack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "graph/compile.hpp"
#include "graph/tests/plant.hpp"

namespace consort::graph {
namespace {

System everything() {
  System system("rig");
  system.description = "all kinds of contents";
  auto& a = system.add("a", "a.fmu");
  a.set("k", "2", "kN/m").platform = "win64";
  a.interface = describe::InterfaceType::model_exchange;
  a.connectors.push_back({"u", describe::Causality::input, Type::Float64, "m", "f.yaml:1", {2, 3}, 4.5});
  a.tolerance = 1e-9;
  a.event_mode = false;
  a.substeps = 3;
  a.settings.back().elements = {"1", "x y"};
  a.settings.back().measure = describe::BaseUnit{{1, 0, -2}, 1000, 3};
  a.settings.back().transformation = Linear{2, 1};
  System inner("inner");
  inner.add("b", "model:pendulum");
  inner.connectors.push_back({"c", describe::Causality::output});
  inner.connect_value("2 * b.x", "c").where = "f.yaml:9";
  inner.units.push_back({"slug", describe::BaseUnit{{1}, 14.5939, 0}});
  inner.experiment.stop = 10;
  inner.events.push_back({"wall", "b.x < 0", {{EventAction::Kind::pulse, "b.F_x", "2", "f.yaml:7"}}, "f.yaml:6"});
  system.add_system(std::move(inner));
  system.connect("inner.c", "a.u").transformation = Mapping{{{"1", "on"}, {"2", "off"}}, true};
  return system;
}

TEST(PackedSystem, HasTheSameContents) {
  const System system = everything();
  const std::vector<Setting> settings = {{"a.k", "3", "N/m"}};
  const auto bytes = pack(system, settings);
  const auto [copy, last] = unpack(bytes);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].name + last[0].value + last[0].unit, "a.k3N/m");
  EXPECT_EQ(pack(copy, last), bytes);

  ASSERT_EQ(copy.components.size(), 1U);
  const auto& a = copy.components[0];
  EXPECT_EQ(a.source, "a.fmu");
  EXPECT_EQ(a.platform, "win64");
  EXPECT_EQ(a.tolerance, 1e-9);
  EXPECT_EQ(a.event_mode, false);
  EXPECT_EQ(a.early_return, std::nullopt);
  EXPECT_EQ(a.interface, describe::InterfaceType::model_exchange);
  EXPECT_EQ(a.substeps, 3U);
  EXPECT_EQ(a.connectors.at(0).value, 4.5);
  EXPECT_EQ(a.connectors.at(0).dimensions, (std::vector<std::uint64_t>{2, 3}));
  const auto& k = a.settings.at(0);
  EXPECT_EQ(k.elements.at(1), "x y");
  EXPECT_EQ(k.measure->exponents[2], -2);
  EXPECT_EQ(std::get<Linear>(k.transformation), (Linear{2, 1}));
  const auto& inner = copy.systems.at(0);
  EXPECT_EQ(inner.connections.at(0).value, "2 * b.x");
  EXPECT_EQ(inner.connections.at(0).where, "f.yaml:9");
  EXPECT_EQ(inner.units.at(0).base->factor, 14.5939);
  EXPECT_EQ(inner.experiment.stop, 10);
  EXPECT_EQ(inner.events.at(0).when, "b.x < 0");
  EXPECT_EQ(inner.events.at(0).actions.at(0).kind, EventAction::Kind::pulse);
  EXPECT_TRUE(std::get<Mapping>(copy.connections.at(0).transformation).partial);
}

TEST(PackedSystem, IsRefusedIfItIsCutOrLonger) {
  const auto bytes = pack(everything());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(static_cast<void>(unpack(bytes.substr(0, size))), Error) << size;
  EXPECT_THROW(static_cast<void>(unpack(bytes + '\0')), Error);
}

// Whatever a byte becomes, the reader ends with a system or with an error.
TEST(PackedSystem, SurvivesDamage) {
  const auto bytes = pack(everything());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 0x40, 0xff}) {
      auto damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      try {
        static_cast<void>(unpack(damaged));
      } catch (const Error&) {
        continue;
      }
    }
  }
}

}  // namespace
}  // namespace consort::graph
