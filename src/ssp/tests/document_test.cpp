#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ssp/read.hpp"
#include "ssp/tests/complete.hpp"
#include "ssp/write.hpp"

namespace consort::ssp {
namespace {

std::string texts(const Diagnostics& diagnostics) {
  std::string all;
  for (const auto& d : diagnostics.all()) all += d.text() + "\n";
  return all;
}

SystemStructure complete() {
  Diagnostics diagnostics;
  auto ssd = parse<SystemStructure>(std::string(testing::complete_ssd_2_0), "complete.ssd", diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << texts(diagnostics);
  return ssd;
}

TEST(SspDocument, ReadsEveryElementOfTheSchema) {
  const auto ssd = complete();
  EXPECT_EQ(ssd.name, "All of it");
  EXPECT_EQ(ssd.license, "L");
  ASSERT_EQ(ssd.system.connectors.size(), 18U);
  const auto& in = ssd.system.connectors[0];
  EXPECT_EQ(in.type.unit, "degC");
  EXPECT_EQ(in.geometry.at(0).system_inner_y, 0.25);
  EXPECT_EQ(in.line.number, 12U);
  const auto& array = ssd.system.connectors[1];
  ASSERT_EQ(array.dimensions.size(), 3U);
  EXPECT_EQ(array.dimensions[0].size, 3U);
  EXPECT_EQ(array.dimensions[1].size_connector, "n");
  const auto& tick = ssd.system.connectors[3].type;
  EXPECT_EQ(tick.kind, TypeKind::clock);
  EXPECT_EQ(tick.clock.priority, 3U);
  const auto& ticked = ssd.system.connectors[4];
  EXPECT_EQ(ticked.type.kind, TypeKind::int16);
  EXPECT_THAT(ticked.clocks, ::testing::ElementsAre("tick", "tock"));

  ASSERT_EQ(ssd.system.bindings.size(), 3U);
  const auto& inlined = ssd.system.bindings[1].inlined.at(0);
  ASSERT_EQ(inlined.parameters.size(), 10U);
  EXPECT_THAT(inlined.parameters[1].values, ::testing::ElementsAre("1", "2", "3"));
  EXPECT_THAT(inlined.parameters[6].values, ::testing::ElementsAre("two  words"));
  EXPECT_THAT(inlined.parameters[7].values, ::testing::ElementsAre("a b", ""));
  EXPECT_EQ(inlined.provenance.meta_data.at(0).signatures.at(0).source_base, "metaData");
  const auto& mapping = ssd.system.bindings[1].mapping.at(0).inlined.at(0);
  EXPECT_EQ(mapping.entries.at(0).transformation.offset, -1);
  EXPECT_EQ(mapping.entries.at(2).transformation.entries.at(1).second, "4");
  EXPECT_THAT(ssd.system.bindings[2].foreign, ::testing::HasSubstr("own:values"));

  using Kind = System::Kind;
  EXPECT_THAT(ssd.system.order, ::testing::ElementsAre(Kind::system, Kind::component, Kind::reference, Kind::component,
                                                       Kind::component, Kind::component, Kind::component));
  EXPECT_FALSE(ssd.system.components.at(1).source.has_value());
  EXPECT_THAT(ssd.system.connections.at(1).start_indices, ::testing::ElementsAre(1U, 2U));
  EXPECT_EQ(ssd.system.notes.at(0).text, "first\nsecond");
  EXPECT_EQ(ssd.units.at(0).base.offset, 273.15);
  EXPECT_EQ(ssd.default_experiment.at(0).stop_time, 20);
}

TEST(SspDocument, WritesWhatItReads) {
  const auto ssd = complete();
  const std::string text = write(ssd);
  Diagnostics diagnostics;
  const auto again = parse<SystemStructure>(text, "again.ssd", diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << texts(diagnostics);
  EXPECT_TRUE(again == ssd) << text;
  EXPECT_EQ(write(again), text);
}

TEST(SspDocument, AnnotationsKeepTheNamespacesThatTheyNeed) {
  const auto ssd = complete();
  EXPECT_EQ(ssd.system.connectors[0].annotations.at(0).xml,
            R"(<own:thing a="1" xmlns:own="http://example.org/own">text<own:deep/></own:thing>)");
  EXPECT_EQ(ssd.system.annotations.at(0).xml, R"(<d xmlns="http://example.org/default"><e/></d>)");
}

TEST(SspDocument, RefusesToWriteWhatIsNewerThanTheVersion) {
  auto ssd = complete();
  ssd.version = "1.0";
  EXPECT_THROW(static_cast<void>(write(ssd)), Error);
}

TEST(SspDocument, SaysWhatBreaksTheSchemaWithItsLine) {
  Diagnostics diagnostics;
  const auto ssd = parse<SystemStructure>(
      "<SystemStructureDescription version='1.0' name='x'>\n<System name='s' nmae='t'>\n<Connectors>\n"
      "<Connector kind='input'><Float64/></Connector>\n<Conector/></Connectors></System>"
      "<DefaultExperiment stopTime='ten'/></SystemStructureDescription>",
      "bad.ssd", diagnostics);
  EXPECT_EQ(ssd.system.connectors.size(), 1U);
  const auto all = texts(diagnostics);
  using ::testing::HasSubstr;
  EXPECT_THAT(all, HasSubstr("bad.ssd:2: warning: <System> has no attribute 'nmae' in the standard; did you mean"));
  EXPECT_THAT(all, HasSubstr("bad.ssd:4: error: <Connector> has no attribute 'name'; add it"));
  EXPECT_THAT(all, HasSubstr("Float64 is new in SSP 2.0"));
  EXPECT_THAT(all, HasSubstr("bad.ssd:5: warning: <Connectors> has no child <Conector> in the standard; did you mean"));
  EXPECT_THAT(all, HasSubstr("stopTime='ten' is not a number"));
}

TEST(SspDocument, RefusesAnotherKindOfFile) {
  Diagnostics diagnostics;
  EXPECT_THROW(static_cast<void>(parse<ParameterSet>("<a/>", "a.ssv", diagnostics)), Error);
  EXPECT_THROW(static_cast<void>(parse<ParameterSet>("<ssm:ParameterMapping/>", "a.ssv", diagnostics)), Error);
  EXPECT_THROW(static_cast<void>(parse<SystemStructure>("nothing", "a.ssd", diagnostics)), Error);
}

}  // namespace
}  // namespace consort::ssp
