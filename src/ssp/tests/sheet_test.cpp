#include "ssp/sheet.hpp"

#include "ssp/tests/workshop.hpp"

namespace consort::ssp {
namespace {

constexpr std::string_view box = R"(<ssd:ElementGeometry x1="{}" y1="{}" x2="{}" y2="{}"/>)";

TEST(Sheet, HasTheGeometryOfAllLevelsAndFiles) {
  Workshop w;
  w.fmu("resources/a.fmu").input("u").output("y");
  const std::string connectors =
      R"(<ssd:Connectors><ssd:Connector name="u" kind="input"><ssd:ConnectorGeometry x="0" y="0.25" systemInnerX="-90" )"
      R"(systemInnerY="10"/></ssd:Connector></ssd:Connectors>)";
  const std::string inside =
      connectors + R"(<ssd:ElementGeometry x1="5" y1="6" x2="7" y2="8" rotation="90"/>)" +
      Workshop::elements(Workshop::component("a", "resources/a.fmu", fmt::format(fmt::runtime(box), 1, 2, 3, 4))) +
      R"(<ssd:SystemGeometry x1="-100" y1="-50" x2="100" y2="50"/>)";
  w.file("other.ssd", Workshop::ssd(Workshop::elements(Workshop::component(
                          "far", "resources/a.fmu", fmt::format(fmt::runtime(box), 10, 20, 30, 40)))));
  w.structure(Workshop::ssd(
      Workshop::elements(Workshop::component("a", "resources/a.fmu", fmt::format(fmt::runtime(box), 0, 0, 1, 1)) +
                         Workshop::component("outside", "other.ssd") +
                         fmt::format(R"(<ssd:System name="inner">{}</ssd:System>)", inside)) +
      Workshop::connections(
          Workshop::connection("a.y", "inner.u", {}, R"(<ssd:ConnectionGeometry pointsX="1 2" pointsY="3 4"/>)")) +
      R"(<ssd:GraphicalElements><ssd:Note x1="0" y1="0" x2="9" y2="9" text="hello"/></ssd:GraphicalElements>)"));
  const auto document = read_system(w.folder(), {.look = true});
  const auto& sheet = *document.sheet;
  ASSERT_EQ(sheet.elements.size(), 2U);
  EXPECT_EQ(sheet.elements[0].name, "a");
  EXPECT_EQ(sheet.elements[1].name, "inner");
  EXPECT_EQ(sheet.elements[1].box->x1, 5);
  EXPECT_EQ(sheet.elements[1].box->y2, 8);
  EXPECT_EQ(sheet.elements[1].rotation, 90);
  ASSERT_EQ(sheet.elements[1].connectors.size(), 1U);
  EXPECT_EQ(sheet.elements[1].connectors[0].edge->y, 0.25);
  ASSERT_EQ(sheet.lines.size(), 1U);
  EXPECT_EQ(sheet.lines[0].from, "a.y");
  EXPECT_EQ(sheet.lines[0].to, "inner.u");
  EXPECT_EQ(sheet.lines[0].corners.at(1).x, 2);
  EXPECT_EQ(sheet.lines[0].corners.at(1).y, 4);
  ASSERT_EQ(sheet.notes.size(), 1U);
  EXPECT_EQ(sheet.notes[0].text, "hello");
  ASSERT_EQ(sheet.systems.size(), 2U);
  EXPECT_EQ(sheet.systems[0].name, "outside");
  EXPECT_EQ(sheet.systems[0].elements.at(0).name, "far");
  EXPECT_EQ(sheet.systems[1].name, "inner");
  EXPECT_EQ(sheet.systems[1].bounds->x1, -100);
  EXPECT_EQ(sheet.systems[1].connectors.at(0).inside->x, -90);
}

TEST(Sheet, LeavesOutWhatNoDrawingHas) {
  Workshop w;
  w.fmu("resources/a.fmu").input("u");
  w.structure(Workshop::ssd(Workshop::elements(
      Workshop::component("flat", "resources/a.fmu", fmt::format(fmt::runtime(box), 1, 1, 1, 5)) +
      Workshop::component("endless", "resources/a.fmu", fmt::format(fmt::runtime(box), 0, 0, "INF", 1)) +
      Workshop::component("nobody", "resources/a.fmu", fmt::format(fmt::runtime(box), "NaN", 0, 1, 1)))));
  EXPECT_TRUE(read_system(w.folder()).sheet->elements.empty());
}

}  // namespace
}  // namespace consort::ssp
