// Systems of industrial size. The time is printed but not checked because it depends on the load of the machine.
#include <chrono>
#include <iostream>

#include "ssp/tests/workshop.hpp"

namespace consort::ssp {
namespace {

TEST(LargePackages, AThousandComponentsWithTwentyThousandConnections) {
  constexpr int units = 1000, signals = 20;
  Workshop w;
  auto& plant = w.fmu("resources/a.fmu");
  std::string connectors;
  for (int s = 0; s < signals; ++s) {
    plant.input(fmt::format("u{}", s)).output(fmt::format("y{}", s)).depends_on({});
    connectors += fmt::format(R"(<ssd:Connector name="u{0}" kind="input"><ssc:Real unit="degC"/></ssd:Connector>)"
                              R"(<ssd:Connector name="y{0}" kind="output"><ssc:Real unit="K"/></ssd:Connector>)",
                              s);
  }
  std::string elements, connections;
  for (int u = 0; u < units; ++u) {
    elements += Workshop::component(fmt::format("unit{}", u), "resources/a.fmu",
                                    "<ssd:Connectors>" + connectors + "</ssd:Connectors>");
    for (int s = 0; s < signals; ++s)
      connections +=
          Workshop::connection(fmt::format("unit{}.y{}", u, s), fmt::format("unit{}.u{}", (u + s + 1) % units, s));
  }
  w.structure(Workshop::ssd(
      Workshop::elements(elements) + Workshop::connections(connections),
      R"(<ssd:Units><ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit><ssc:Unit name="K"><ssc:BaseUnit K="1"/></ssc:Unit></ssd:Units>)"));
  const auto file = w.packed();
  const auto begin = std::chrono::steady_clock::now();
  const auto& plan = w.plan(file);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(plan.units.size(), 1000U);
  EXPECT_EQ(plan.connections.size(), 20000U);
  EXPECT_EQ(plan.scalings.size(), 20000U);
  RecordProperty("seconds", fmt::format("{:.3f}", took.count()));
  std::cout << fmt::format("read and compiled in {:.3f} s\n", took.count());
}

}  // namespace
}  // namespace consort::ssp
