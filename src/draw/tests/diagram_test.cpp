#include "draw/diagram.hpp"

#include <map>
#include <memory>
#include <random>
#include <regex>
#include <set>

#include <gmock/gmock.h>

#include "base/xml.hpp"
#include "draw/diagram_model.hpp"
#include "graph/compile.hpp"

namespace consort::draw {
namespace {

using namespace graph;
using testing::HasSubstr;
using testing::Not;

// Units of one kind: inputs u0…, outputs y0… that depend on all inputs or on no input.
class Shelf {
 public:
  void add(const std::string& source, int inputs, int outputs, bool through) {
    auto d = std::make_unique<describe::Description>();
    const auto variable = [&](const std::string& name, describe::Causality causality) {
      describe::Variable v;
      v.name = d->arena().store(name);
      v.reference = static_cast<ValueReference>(d->variables.size());
      v.causality = causality;
      d->variables.push_back(v);
      return static_cast<describe::VariableId>(d->variables.size() - 1);
    };
    for (int i = 0; i < inputs; ++i) variable("u" + std::to_string(i), describe::Causality::input);
    for (int o = 0; o < outputs; ++o)
      d->structure.outputs.push_back({variable("y" + std::to_string(o), describe::Causality::output), !through, {}});
    d->finish();
    descriptions_[source] = std::move(d);
  }
  Plan compile(const System& system) {
    return graph::compile(system, [this](const Component& c) -> const describe::Description& {
      return *descriptions_.at(c.source.string());
    });
  }

 private:
  std::map<std::string, std::unique_ptr<describe::Description>> descriptions_;
};

struct Diagram : testing::Test {
  Diagram() {
    shelf.add("through.fmu", 2, 2, true);
    shelf.add("state.fmu", 2, 2, false);
    shelf.add("wide.fmu", 40, 40, false);
  }
  std::string svg(const System& system) {
    const auto plan = shelf.compile(system);
    auto text = diagram_svg(system, plan);
    // Checks that the XML is well-formed and that nothing is outside the picture.
    EXPECT_NO_THROW(static_cast<void>(XmlDocument::parse(text, "diagram.svg")));
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_EQ(text.find("inf"), std::string::npos);
    return text;
  }
  Shelf shelf;
};

// Checks that every box is inside its enclosing box, that boxes do not overlap, and that every line runs axis-parallel
// from edge to edge.
void require_sound(const Block& b) {
  for (const auto& child : b.children) {
    EXPECT_GE(child.x, 0) << child.title;
    EXPECT_GE(child.y, 0) << child.title;
    EXPECT_LE(child.x + child.width, b.width) << child.title;
    EXPECT_LE(child.y + child.height, b.height) << child.title;
    for (const auto& other : b.children) {
      if (&other <= &child) continue;
      const bool apart = child.x + child.width <= other.x || other.x + other.width <= child.x ||
                         child.y + child.height <= other.y || other.y + other.height <= child.y;
      EXPECT_TRUE(apart) << child.title << " and " << other.title;
    }
    if (child.is_system) require_sound(child);
  }
  for (const auto& wire : b.wires) {
    ASSERT_GE(wire.corners.size(), 2U);
    for (std::size_t i = 0; i + 1 < wire.corners.size(); ++i) {
      const auto& p = wire.corners[i];
      const auto& q = wire.corners[i + 1];
      EXPECT_TRUE(std::abs(p.x - q.x) < 0.5 || std::abs(p.y - q.y) < 0.5) << wire.tip;
      EXPECT_TRUE(q.x >= 0 && q.x <= b.width && q.y >= 0 && q.y <= b.height) << wire.tip;
      // A line does not cross a box: its segments touch boxes only at their edges.
      for (const auto& child : b.children) {
        const double left = std::min(p.x, q.x), right = std::max(p.x, q.x), top = std::min(p.y, q.y),
                     bottom = std::max(p.y, q.y);
        const bool through = left < child.x + child.width - 1 && right > child.x + 1 &&
                             top < child.y + child.height - 1 && bottom > child.y + 1;
        EXPECT_FALSE(through) << wire.tip << " runs through " << child.title;
      }
    }
  }
}

Block laid_out(const System& system, const Plan& plan) {
  Block block = block_of(system, plan);
  lay_out(block);
  return block;
}

TEST_F(Diagram, ShowsUnitsPortsAndLines) {
  System s("pair");
  s.add("left", "state.fmu");
  s.add("right", "state.fmu");
  s.connect("left.y0", "right.u0");
  s.connect("right.y1", "left.u1");
  const auto text = svg(s);
  for (const auto* part : {">left<", ">right<", ">y0<", ">u1<", "left.y0 → right.u0", "right.y1 → left.u1", ">pair<"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("algebraic loop")));
  require_sound(laid_out(s, shelf.compile(s)));
}

TEST_F(Diagram, GoesFromLeftToRight) {
  System s("chain");
  for (const auto* name : {"c", "b", "a"}) s.add(name, "through.fmu");
  s.connect("a.y0", "b.u0");
  s.connect("b.y0", "c.u0");
  s.connect("a.y1", "c.u1");
  const auto block = laid_out(s, shelf.compile(s));
  EXPECT_LT(block.children[2].x + block.children[2].width, block.children[1].x);
  EXPECT_LT(block.children[1].x + block.children[1].width, block.children[0].x);
  require_sound(block);
}

TEST_F(Diagram, MarksLoopsAndExplainsThem) {
  System s("loop");
  s.add("a", "through.fmu");
  s.add("b", "through.fmu");
  s.add("c", "state.fmu");
  s.connect("a.y0", "b.u0");
  s.connect("b.y0", "a.u0");
  s.connect("a.y1", "c.u0");
  const auto text = svg(s);
  EXPECT_THAT(text, HasSubstr("algebraic loop 1: a.u0"));
  const std::regex loop_line("stroke=\"#D55E00\" fill=\"#D55E00\"><title>([^<]*)</title>");
  std::set<std::string> marked;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), loop_line); it != std::sregex_iterator(); ++it)
    marked.insert((*it)[1]);
  EXPECT_EQ(marked, (std::set<std::string>{"a.y0 → b.u0", "b.y0 → a.u0"}));
  const auto dot = diagram_dot(s, shelf.compile(s));
  EXPECT_THAT(dot, HasSubstr("class=\"loop1\""));
}

TEST_F(Diagram, DrawsNestedSystemsAsFramesWithTheirConnectors) {
  System inner("inner");
  inner.add("x", "through.fmu");
  inner.connect("in", "x.u0");
  inner.connect("x.y0", "out");
  System s("top");
  s.add("a", "through.fmu");
  s.add_system(std::move(inner));
  s.connect("speed", "a.u1");
  s.connect("a.y0", "inner.in");
  s.connect("inner.out", "a.u0");
  s.connect("inner.out", "force");
  const auto plan = shelf.compile(s);
  const auto text = svg(s);
  for (const auto* part : {">inner<", ">in<", ">out<", ">speed<", ">force<", "stroke-dasharray=\"5 3\""})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_EQ(plan.loops.size(), 1U);
  // The loop is marked inside and outside the frame, but not on the line to the connector.
  for (const auto* part : {"a.y0 → inner.in", "in → x.u0", "x.y0 → out", "inner.out → a.u0"})
    EXPECT_THAT(text, HasSubstr("fill=\"#D55E00\"><title>" + std::string(part))) << part;
  EXPECT_THAT(text, Not(HasSubstr("fill=\"#D55E00\"><title>inner.out → force")));
  require_sound(laid_out(s, plan));
  EXPECT_THAT(diagram_dot(s, plan), HasSubstr("subgraph cluster_"));
}

TEST_F(Diagram, ManySignalsOfAPairAreOneLine) {
  System s("wide");
  s.add("a", "wide.fmu");
  s.add("b", "wide.fmu");
  for (int i = 0; i < 40; ++i) s.connect("a.y" + std::to_string(i), "b.u" + std::to_string(i));
  const auto block = laid_out(s, shelf.compile(s));
  ASSERT_EQ(block.wires.size(), 1U);
  EXPECT_EQ(block.wires[0].signals, 40U);
  EXPECT_THAT(svg(s), HasSubstr("40 to b"));
  EXPECT_THAT(diagram_dot(s, shelf.compile(s)), HasSubstr("40 signals"));
}

TEST_F(Diagram, NamesFromAnywhereDoNoHarm) {
  System s("<b>&\"quoted\" ]]>");
  s.add("a<script>\"'&", "state.fmu");
  s.add(std::string("line\nbreak\x01\xFF"), "state.fmu");
  s.add(std::string(500, 'w'), "state.fmu");
  s.components[0].source = "state.fmu";
  const auto text = svg(s);
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  const auto dot = diagram_dot(s, shelf.compile(s));
  EXPECT_THAT(dot, HasSubstr("\\\"quoted\\\""));
}

TEST_F(Diagram, AnEmptySystemIsAPicture) {
  EXPECT_THAT(svg(System("nothing")), HasSubstr("nothing"));
  System s("one");
  s.add("a", "state.fmu");
  s.connect("a.y0", "a.u0");
  require_sound(laid_out(s, shelf.compile(s)));
  static_cast<void>(svg(s));
}

TEST_F(Diagram, IsTheSameEveryTime) {
  System s("ring");
  for (int i = 0; i < 6; ++i) s.add("u" + std::to_string(i), "through.fmu");
  for (int i = 0; i < 6; ++i) s.connect("u" + std::to_string(i) + ".y0", "u" + std::to_string((i + 1) % 6) + ".u0");
  EXPECT_EQ(svg(s), svg(s));
}

TEST_F(Diagram, OfRandomSystemsNothingOverlaps) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    System s("random");
    const auto units = 2 + random() % 30;
    for (std::size_t i = 0; i < units; ++i)
      s.add("u" + std::to_string(i), random() % 2 == 0 ? "through.fmu" : "state.fmu");
    for (std::size_t i = 0; i < units; ++i)
      for (const auto* input : {".u0", ".u1"})
        if (random() % 3 != 0)
          s.connect("u" + std::to_string(random() % units) + (random() % 2 == 0 ? ".y0" : ".y1"),
                    "u" + std::to_string(i) + input);
    require_sound(laid_out(s, shelf.compile(s)));
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST_F(Diagram, LargeSystemsAreDrawn) {
  System s("large");
  constexpr int n = 500;
  for (int i = 0; i < n; ++i) s.add("u" + std::to_string(i), "state.fmu");
  for (int i = 0; i < n; ++i) {
    s.connect("u" + std::to_string(i) + ".y0", "u" + std::to_string((i + 1) % n) + ".u0");
    s.connect("u" + std::to_string(i) + ".y1", "u" + std::to_string((i + n - 1) % n) + ".u1");
  }
  const auto plan = shelf.compile(s);
  EXPECT_THAT(diagram_svg(s, plan), HasSubstr("u499"));
}

}  // namespace
}  // namespace consort::draw
