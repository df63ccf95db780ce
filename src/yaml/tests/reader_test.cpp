#include "yaml/reader.hpp"

#include <gtest/gtest.h>

namespace consort::yaml {
namespace {

TEST(YamlReader, ReadsTheShortForms) {
  const auto d = parse_system(
      "consort: 1\nunits:\n  a: a.fmu\n  b: {fmu: b.fmu}\nconnections:\n  - a.y -> b.u * -2 + 1e-3\n", "folder/s.yaml");
  ASSERT_EQ(d.system.components.size(), 2U);
  EXPECT_EQ(d.system.components[0].source, "folder/a.fmu");
  EXPECT_EQ(d.system.name, "s");
  ASSERT_EQ(d.system.connections.size(), 1U);
  const auto& linear = std::get<graph::Linear>(d.system.connections[0].transformation);
  EXPECT_EQ(linear.factor, -2);
  EXPECT_EQ(linear.offset, 1e-3);
  EXPECT_EQ(d.system.connections[0].where, "folder/s.yaml:6:5");
}

}  // namespace
}  // namespace consort::yaml
