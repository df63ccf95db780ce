// Systems whose elements have positions on a sheet, with y pointing up.
#include <fstream>
#include <map>
#include <memory>
#include <regex>

#include <gmock/gmock.h>

#include "base/xml.hpp"
#include "draw/diagram.hpp"
#include "draw/diagram_model.hpp"
#include "graph/compile.hpp"
#include "os/temp_folder.hpp"

namespace consort::draw::diagram_places_test {
namespace {

using namespace graph;
using testing::HasSubstr;

// Units with an input u and an output y without direct feed-through.
const describe::Description& description() {
  static const auto one = [] {
    auto d = std::make_unique<describe::Description>();
    for (const auto& [name, causality] :
         {std::pair{"u", describe::Causality::input}, {"y", describe::Causality::output}}) {
      describe::Variable v;
      v.name = d->arena().store(name);
      v.reference = static_cast<ValueReference>(d->variables.size());
      v.causality = causality;
      d->variables.push_back(v);
    }
    d->structure.outputs.push_back({1, true, {}});
    d->finish();
    return d;
  }();
  return *one;
}

Plan compiled(const System& s) {
  return compile(s, [](const Component&) -> const describe::Description& { return description(); });
}

Block laid_out(const System& s, const Sheet& sheet) {
  const auto plan = compiled(s);
  Block block = block_of(s, plan, &sheet);
  lay_out(block);
  return block;
}

struct Placed : testing::Test {
  Placed() {
    s.add("low", "a.fmu");
    s.add("high", "a.fmu");
    s.connect("low.y", "high.u");
    sheet.elements = {{"low", Rectangle{0, 0, 40, 30}}, {"high", Rectangle{100, 60, 140, 90}}};
  }
  System s{"pair"};
  Sheet sheet;
};

TEST_F(Placed, BoxesKeepTheirPlacesUpToOneScaleAndYPointsUp) {
  const auto b = laid_out(s, sheet);
  const auto& low = b.children[0];
  const auto& high = b.children[1];
  EXPECT_GT(low.y, high.y);
  const double scale = low.width / 40;
  EXPECT_NEAR(low.height, 30 * scale, 1e-9);
  EXPECT_NEAR(high.width, 40 * scale, 1e-9);
  EXPECT_NEAR(high.x - low.x, 100 * scale, 1e-9);
  EXPECT_NEAR(low.y - high.y, 60 * scale, 1e-9);
  // Boxes are large enough for their texts.
  EXPECT_EQ(low.scale, 1);
  EXPECT_GE(low.width, 90);
  EXPECT_LE(high.x + high.width, b.width);
  EXPECT_LE(low.y + low.height, b.height);
}

// Returns the rectangle drawn under a title.
Rectangle drawn(const std::string& svg, const std::string& title) {
  const std::regex pattern(
      "<title>" + title +
      "</title><rect x=\"([-.0-9e]+)\" y=\"([-.0-9e]+)\" width=\"([.0-9e]+)\" height=\"([.0-9e]+)\"");
  std::smatch found;
  if (!std::regex_search(svg, found, pattern)) ADD_FAILURE() << title << " is not drawn";
  const auto number = [&](std::size_t i) { return std::stod(found[i].str()); };
  return {number(1), number(2), number(1) + number(3), number(2) + number(4)};
}

TEST_F(Placed, BoxesAreInThePictureWhereTheSheetHasThem) {
  const auto plan = compiled(s);
  const auto svg = diagram_svg(s, plan, {"", &sheet});
  const auto low = drawn(svg, "low"), high = drawn(svg, "high"), all = drawn(svg, "pair");
  const double scale = (low.x2 - low.x1 + 1) / 40;  // the line is drawn inside the box
  EXPECT_NEAR(high.x1 - low.x1, 100 * scale, 1e-3);
  EXPECT_NEAR(low.y1 - high.y1, 60 * scale, 1e-3);
  EXPECT_NEAR(high.y2 - high.y1 + 1, 30 * scale, 1e-3);
  EXPECT_TRUE(low.x1 > all.x1 && high.x2 < all.x2 && high.y1 > all.y1 && low.y2 < all.y2);
}

TEST_F(Placed, TheBoundsOfTheSystemAreItsPaper) {
  sheet.bounds = Rectangle{-20, -10, 160, 100};
  const auto b = laid_out(s, sheet);
  const double scale = b.children[0].width / 40;
  EXPECT_GE(b.width, 180 * scale);
  EXPECT_GE(b.height, 110 * scale);
  EXPECT_GE(b.children[0].x, 20 * scale);
}

TEST_F(Placed, OfBoundsThatAreNearlyEmptyOnlyAMarginRemains) {
  sheet.bounds = Rectangle{-1000, -1000, 1000, 1000};
  const auto b = laid_out(s, sheet);
  const double scale = b.children[0].width / 40;
  EXPECT_EQ(b.children[0].scale, 1);
  EXPECT_GE(b.width, (140 + 2 * 21) * scale);  // 15 % of 140
  EXPECT_LE(b.width, (140 + 2 * 21) * scale + 60);
  EXPECT_LE(b.height, (90 + 2 * 21) * scale + 60);
}

TEST_F(Placed, BoxesThatOverlapOrAreTooSmallAreIllegible) {
  EXPECT_EQ(why_illegible(s, compiled(s), sheet), "");
  sheet.elements[1].box = Rectangle{30, 20, 70, 50};
  EXPECT_EQ(why_illegible(s, compiled(s), sheet), "") << "a corner is covered";
  sheet.elements[1].box = Rectangle{10, 0, 50, 30};
  EXPECT_EQ(why_illegible(s, compiled(s), sheet), "the boxes of 'low' and 'high' overlap");
  sheet.elements[1].box = Rectangle{5000, 0, 5040, 30};
  EXPECT_EQ(why_illegible(s, compiled(s), sheet), "the box of 'low' is too small for its texts");
}

TEST_F(Placed, ConnectorsAreWhereTheySayOnTheirBox) {
  sheet.elements[0].connectors = {{"y", graph::Point{0.5, 1}}};
  sheet.elements[1].connectors = {{"u", graph::Point{1, 0.25}}};
  const auto b = laid_out(s, sheet);
  const auto& y = b.children[0].outputs.at(0);
  EXPECT_NEAR(y.x, b.children[0].width / 2, 1e-9);
  EXPECT_NEAR(y.y, 0, 1e-9);
  EXPECT_EQ(y.side, Side::top);
  const auto& u = b.children[1].inputs.at(0);
  EXPECT_NEAR(u.x, b.children[1].width, 1e-9);
  EXPECT_NEAR(u.y, 0.75 * b.children[1].height, 1e-9);
  const auto& corners = b.wires.at(0).corners;
  EXPECT_NEAR(corners.front().x, b.children[0].x + y.x, 1e-9);
  EXPECT_NEAR(corners.front().y, b.children[0].y, 1e-9);
  EXPECT_NEAR(corners.back().x, b.children[1].x + u.x, 1e-9);
}

TEST_F(Placed, ABoxWhoseCornersAreSwappedIsTurnedOver) {
  sheet.elements[0].box = Rectangle{40, 0, 0, 30};
  sheet.elements[0].connectors = {{"y", graph::Point{1, 0.5}}};
  const auto b = laid_out(s, sheet);
  EXPECT_NEAR(b.children[0].outputs.at(0).x, 0, 1e-9);
  EXPECT_EQ(b.children[0].outputs.at(0).side, Side::left);
}

TEST_F(Placed, ABoxIsRotatedCounterClockwiseAroundItsMiddle) {
  sheet.elements[0].box = Rectangle{0, 0, 60, 20};
  sheet.elements[0].rotation = 90;
  sheet.elements[0].connectors = {{"y", graph::Point{1, 0.5}}};  // the right edge becomes the top edge
  const auto b = laid_out(s, sheet);
  const auto& low = b.children[0];
  EXPECT_NEAR(low.height / low.width, 3, 1e-9);
  EXPECT_NEAR(low.outputs.at(0).x, low.width / 2, 1e-9);
  EXPECT_NEAR(low.outputs.at(0).y, 0, 1e-9);
}

TEST_F(Placed, AnIconFillsItsBoxAndIsTurnedByItself) {
  const os::TempFolder folder("icon");
  const auto file = folder.path() / "icon.svg";
  std::ofstream(file) << "<svg/>";
  sheet.elements[0].icon = Icon{file, 90, true, true};
  sheet.elements[0].box = Rectangle{40, 0, 0, 30};
  const auto plan = compiled(s);
  const auto svg = diagram_svg(s, plan, {"", &sheet});
  EXPECT_THAT(svg, HasSubstr("data:image/svg+xml;base64,PHN2Zy8+"));
  EXPECT_THAT(svg, HasSubstr("xMidYMid meet"));
  EXPECT_THAT(svg, HasSubstr("rotate(-90.00) scale(-1 1)"));
  static_cast<void>(XmlDocument::parse(svg, "drawing"));
  std::ofstream(file) << std::string(300'000, ' ') << "<svg/>";
  EXPECT_EQ(diagram_svg(s, plan, {"", &sheet}).find("<image"), std::string::npos) << "too large";
  std::ofstream(file) << "<html/>";
  EXPECT_EQ(diagram_svg(s, plan, {"", &sheet}).find("<image"), std::string::npos) << "no picture";
}

TEST_F(Placed, LinesGoThroughTheirCornersInEitherDirectionOfWriting) {
  const std::vector<graph::Point> corners{{70, 15}, {80, 15}, {80, 75}};
  sheet.lines = {{"low.y", "high.u", corners}};
  const auto b = laid_out(s, sheet);
  const double scale = b.children[0].width / 40;
  const auto& wire = b.wires.at(0).corners;
  ASSERT_EQ(wire.size(), 5U);
  EXPECT_NEAR(wire[1].x - b.children[0].x, 70 * scale, 1e-9);
  EXPECT_NEAR(wire[2].x - wire[1].x, 10 * scale, 1e-9);
  EXPECT_NEAR(wire[2].y - wire[3].y, 60 * scale, 1e-9);
  sheet.lines = {{"high.u", "low.y", {corners.rbegin(), corners.rend()}}};
  const auto turned = laid_out(s, sheet);
  ASSERT_EQ(turned.wires.at(0).corners.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(turned.wires[0].corners[i].x, wire[i].x);
    EXPECT_EQ(turned.wires[0].corners[i].y, wire[i].y);
  }
}

TEST_F(Placed, ElementsWithoutAPlaceStandBelow) {
  s.add("new", "a.fmu");
  const auto b = laid_out(s, sheet);
  EXPECT_GT(b.children[2].y, b.children[0].y + b.children[0].height);
  EXPECT_LE(b.children[2].y + b.children[2].height, b.height);
}

TEST_F(Placed, ASheetWithoutBoxesChangesNothing) {
  Sheet empty;
  empty.notes = {{{0, 0, 1, 1}, "a note"}};
  const auto plan = compiled(s);
  EXPECT_EQ(diagram_svg(s, plan, {"", &empty}), diagram_svg(s, plan));
}

struct NestedPlaced : testing::Test {
  NestedPlaced() {
    System inner("axle");
    inner.add("wheel", "a.fmu");
    inner.connect("force", "wheel.u");
    inner.connect("wheel.y", "speed");
    outer.add("motor", "a.fmu");
    outer.add_system(std::move(inner));
    outer.connect("motor.y", "axle.force");
    sheet.elements = {{"motor", Rectangle{0, 0, 20, 20}},
                      {"axle", Rectangle{60, 0, 120, 20}, 0, {}, {{"force", graph::Point{0, 0.25}}}}};
  }
  System outer{"car"};
  Sheet sheet;
};

TEST_F(NestedPlaced, ASystemStandsInItsPlaceWithItsInsideLaidOut) {
  const auto b = laid_out(outer, sheet);
  const auto& axle = b.children[1];
  const double scale = b.children[0].width * b.children[0].scale / 20;
  const double middle = b.children[0].x + 90 * scale;
  EXPECT_NEAR(axle.x + axle.width * axle.scale / 2, middle, 1e-6);
  EXPECT_LE(axle.width * axle.scale, 60 * scale + 1e-6);
  EXPECT_LE(axle.height * axle.scale, 20 * scale + 1e-6);
  ASSERT_EQ(axle.children.size(), 1U);
  EXPECT_LT(axle.children[0].x + axle.children[0].width, axle.width);
  // The line from outside ends at the connector of the frame.
  EXPECT_NEAR(b.wires.at(0).corners.back().x, axle.x, 1e-6);
  EXPECT_NEAR(b.wires.at(0).corners.back().y, axle.y + axle.inputs.at(0).y * axle.scale, 1e-6);
}

TEST_F(NestedPlaced, TheInsideHasASheetOfItsOwn) {
  Sheet inner;
  inner.name = "axle";
  inner.bounds = Rectangle{0, 0, 100, 100};
  inner.elements = {{"wheel", Rectangle{40, 40, 60, 60}}};
  inner.connectors = {{"force", graph::Point{0, 0.25}, graph::Point{10, 90}}};
  sheet.systems = {inner};
  const auto b = laid_out(outer, sheet);
  const auto& axle = b.children[1];
  const auto& wheel = axle.children.at(0);
  const double scale = b.children[0].width * b.children[0].scale / 20;
  EXPECT_NEAR(axle.width * axle.scale, 60 * scale, 1e-6);  // fills its given extent
  EXPECT_NEAR(axle.height * axle.scale, 20 * scale, 1e-6);
  const double inner_scale = wheel.width * wheel.scale / 20;
  const auto& force = axle.inputs.at(0);
  ASSERT_TRUE(force.inside);
  EXPECT_NEAR(wheel.x - force.inside->x, 30 * inner_scale, 1e-6);
  EXPECT_NEAR(wheel.y - force.inside->y, 30 * inner_scale, 1e-6);
  EXPECT_NEAR(force.y, 0.75 * axle.height, 1e-6);  // outside, at the edge
  EXPECT_NEAR(b.wires.at(0).corners.back().y, axle.y + 0.75 * axle.height * axle.scale, 1e-6);
}

TEST_F(NestedPlaced, ConnectorsAreInsideWhereTheirPlaceAtTheEdgeSays) {
  Sheet inner;
  inner.name = "axle";
  inner.bounds = Rectangle{-50, 0, 50, 100};
  inner.elements = {{"wheel", Rectangle{-10, 40, 10, 60}}};
  inner.connectors = {{"force", graph::Point{0, 0.25}}, {"speed", graph::Point{1, 0.75}}};
  sheet.systems = {inner};
  const auto b = laid_out(outer, sheet);
  const auto& axle = b.children[1];
  const auto& wheel = axle.children.at(0);
  const double scale = wheel.width * wheel.scale / 20;
  ASSERT_TRUE(axle.inputs.at(0).inside && axle.outputs.at(0).inside);
  EXPECT_NEAR(wheel.x - axle.inputs[0].inside->x, 40 * scale, 1e-6);
  EXPECT_NEAR(axle.inputs[0].inside->y - wheel.y, 35 * scale, 1e-6);
  EXPECT_NEAR(axle.outputs[0].inside->x - wheel.x, 60 * scale, 1e-6);
  EXPECT_NEAR(wheel.y - axle.outputs[0].inside->y, 15 * scale, 1e-6);
}

TEST_F(NestedPlaced, ASystemInASmallBoxWouldNeedAnIllegiblyLargePicture) {
  EXPECT_EQ(why_illegible(outer, compiled(outer), sheet), "");
  sheet.elements[0].box = Rectangle{0, 0, 300, 200};
  sheet.elements[1].box = Rectangle{400, 0, 430, 20};
  EXPECT_THAT(
      why_illegible(outer, compiled(outer), sheet),
      testing::MatchesRegex("the picture would be [0-9]+ pixels wide and [0-9]+ pixels high for its smallest box"));
}

TEST_F(NestedPlaced, ThePictureIsSoundXmlAndShowsNotesAndSmallBoxesSmaller) {
  sheet.elements[1].box = Rectangle{60, 0, 60.5, 0.5};
  sheet.bounds = Rectangle{0, 0, 2000, 100};
  sheet.notes = {{{0, 60, 50, 90}, "first <line>\nsecond"}};
  const auto plan = compiled(outer);
  const auto text = diagram_svg(outer, plan, {"", &sheet});
  EXPECT_NO_THROW(static_cast<void>(XmlDocument::parse(text, "diagram.svg")));
  EXPECT_THAT(text, HasSubstr("first &lt;line&gt;</text>"));
  EXPECT_THAT(text, HasSubstr(">second</text>"));
  EXPECT_THAT(text, HasSubstr("<g transform=\"translate("));
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace consort::draw::diagram_places_test
