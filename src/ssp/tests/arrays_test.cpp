// Array values on connectors of systems, signal dictionaries written to YAML and read back, arrays in SSP 1.0.
#include "ssp/check.hpp"
#include "ssp/from_system.hpp"
#include "ssp/tests/workshop.hpp"
#include "ssp/write.hpp"
#include "yaml/reader.hpp"
#include "yaml/writer.hpp"

namespace consort::ssp {
namespace {

using W = Workshop;
using graph::comes_from;
using ::testing::HasSubstr;

// --- values of arrays ------------------------------------------------------------------------------------------------

// A system "inner" with a parameter connector "k" of given dimensions and given inner connections.
struct ArrayValues : ::testing::Test {
  void build(const std::string& dimensions, const std::string& connections, const std::string& values) {
    w.fmu("one.fmu").parameter("p").parameter("q[2]");
    auto& many = w.fmu("many.fmu");
    many.parameter("v").sized({2, 2});
    many.last().start = static_cast<std::uint32_t>(many.d.starts.size());
    many.d.starts.push_back(Value(std::vector<double>{0.5}));
    many.parameter("vec").sized({4});
    const std::string inner = W::connectors({{"k", "parameter"}}, "<ssc:Float64/>" + dimensions) +
                              W::elements(W::component("one", "one.fmu") + W::component("many", "many.fmu")) +
                              W::connections(connections);
    w.structure(
        W::ssd(W::elements("<ssd:System name=\"inner\">" + inner + "</ssd:System>") + W::bindings(W::binding(values))));
  }
  static std::string four(const std::string& dimensions) {
    return R"(<ssv:Parameter name="inner.k"><ssv:Float64 value="1 2 3 4"/>)" + dimensions + "</ssv:Parameter>";
  }
  W w;
};
const std::string square = R"(<ssc:Dimension size="2"/><ssc:Dimension size="2"/>)";

TEST_F(ArrayValues, AreDividedAmongTheElementsThatAreConnected) {
  build(R"(<ssc:Dimension size="4"/>)",
        W::connection("k", "one.p", "startIndices=\"3\"") + W::connection("k", "one.q[2]", "startIndices=\"4\"") +
            W::connection("k", "many.vec"),
        four(R"(<ssc:Dimension size="4"/>)"));
  w.plan();
  EXPECT_EQ(w.start("inner.one.p"), "3");
  EXPECT_EQ(w.start("inner.one.q[2]"), "4");
  EXPECT_EQ(w.start("inner.many.vec"), "1 2 3 4");
}

TEST_F(ArrayValues, OfSeveralDimensionsAreDividedRowByRow) {
  build(square,
        W::connection("k", "one.p", "startIndices=\"2 1\"") +
            W::connection("k", "many.v", "startIndices=\"1 2\" endIndices=\"2 2\""),
        four(R"(<ssc:Dimension size="2"/><ssc:Dimension size="2"/>)"));
  w.plan();
  EXPECT_EQ(w.start("inner.one.p"), "3");
  EXPECT_EQ(w.start("inner.many.v"), "0.5 0.5 0.5 2") << "the other elements keep their start values";
}

TEST_F(ArrayValues, OneValueIsForAllElements) {
  build(square, W::connection("k", "one.p", "startIndices=\"2 2\"") + W::connection("k", "many.v"),
        W::real("inner.k", 7));
  w.plan();
  EXPECT_EQ(w.start("inner.one.p"), "7");
  EXPECT_EQ(w.start("inner.many.v"), "7");
}

TEST_F(ArrayValues, AreGivenByElement) {
  build(square, W::connection("k", "one.p", "startIndices=\"1 2\"") + W::connection("k", "many.v"),
        W::real("inner.k[1,2]", 9) + W::real("inner.many.vec[3]", 8));
  w.fmu_like("many.fmu").last().start = 0;
  w.plan();
  EXPECT_EQ(w.start("inner.one.p"), "9");
  EXPECT_EQ(w.start("inner.many.v"), "0.5 9 0.5 0.5");
  EXPECT_EQ(w.start("inner.many.vec"), "0.5 0.5 8 0.5");
}

TEST_F(ArrayValues, ThatAreTooShortAreAnError) {
  build(R"(<ssc:Dimension size="9"/>)", W::connection("k", "one.p", "startIndices=\"9\""),
        four(R"(<ssc:Dimension size="4"/>)"));
  EXPECT_THAT(w.error(), HasSubstr("'inner.k[9]' is connected, but the value of 'inner.k'"));
}

// --- dictionaries to YAML and back
// ------------------------------------------------------------------------------------

struct SharedSignals : ::testing::Test {
  SharedSignals() {
    w.fmu("resources/a.fmu").output("y", Type::Float64, "K").define("K", graph::kelvin);
    w.fmu("resources/b.fmu").input("u", Type::Float64, "K").define("K", graph::kelvin);
    const std::string bus = R"(<ssd:SignalDictionaryReference name="bus" dictionary="signals">)" +
                            W::connectors({{"sig", "inout"}}) + "</ssd:SignalDictionaryReference>";
    const std::string deep = "<ssd:System name=\"deep\">" +
                             W::elements(W::component("b", "resources/b.fmu", W::connectors({{"u", "input"}})) + bus) +
                             W::connections(W::connection("bus.sig", "b.u")) + "</ssd:System>";
    w.structure(W::ssd(
        W::elements(W::component("a", "resources/a.fmu", W::connectors({{"y", "output"}})) + bus + deep) +
        W::connections(W::connection("a.y", "bus.sig")) +
        R"(<ssd:SignalDictionaries><ssd:SignalDictionary name="signals"><ssb:SignalDictionary version="2.0">)"
        R"(<ssb:DictionaryEntry name="sig"><ssc:Float64 unit="degC"/></ssb:DictionaryEntry><ssb:Units>)"
        R"(<ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit></ssb:Units></ssb:SignalDictionary>)"
        R"(</ssd:SignalDictionary></ssd:SignalDictionaries>)"));
  }
  W w;
};

TEST_F(SharedSignals, SurviveYaml) {
  const auto& first = w.plan();
  EXPECT_TRUE(comes_from(first, "deep.b.u", "a.y"));
  const std::string text = yaml::write_system(w.document());
  EXPECT_THAT(text, HasSubstr("of: signals"));
  const auto again = yaml::parse_system(text);
  const auto plan = graph::compile(again.system, w.catalogue());
  EXPECT_TRUE(comes_from(plan, "deep.b.u", "a.y"));

  const auto out = from_system(again, {Version::v2_0, w.catalogue()});
  const auto& system = out.structure.system;
  ASSERT_EQ(system.dictionaries.size(), 1U);
  EXPECT_EQ(system.dictionaries[0].name, "signals");
  const auto& contents = system.dictionaries[0].inlined.at(0);
  ASSERT_EQ(contents.entries.size(), 1U);
  EXPECT_EQ(contents.entries[0].name, "sig");
  EXPECT_EQ(contents.entries[0].type.unit, "degC");
  ASSERT_EQ(contents.units.size(), 1U);
  EXPECT_EQ(contents.units[0].base.offset, 273.15);
  ASSERT_EQ(system.references.size(), 1U);
  EXPECT_EQ(system.references[0].dictionary, "signals");
  EXPECT_EQ(system.systems.at(0).references.at(0).connectors.at(0).kind, "inout");

  w.structure(write(out.structure));
  EXPECT_TRUE(comes_from(w.plan(), "deep.b.u", "a.y"));
}

TEST_F(SharedSignals, WrittenByHandAreConnectedWithoutReferences) {
  const auto document = yaml::parse_system(
      "consort: 1\nunits:\n  a: resources/a.fmu\n  b: resources/b.fmu\n  bus: {signals: {sig: degC}}\n"
      "connections: [a.y -> bus.sig, bus.sig -> b.u]\n");
  EXPECT_TRUE(comes_from(graph::compile(document.system, w.catalogue()), "b.u", "a.y"));
  w.structure(write(from_system(document, {Version::v1_0, w.catalogue()}).structure));
  EXPECT_TRUE(comes_from(w.plan(), "b.u", "a.y"));
}

TEST_F(SharedSignals, ThatNobodyHasAreAnError) {
  const auto document = yaml::parse_system("consort: 1\nunits:\n  r: {signals: [x], of: nothing}\n");
  try {
    static_cast<void>(graph::compile(document.system, w.catalogue()));
    ADD_FAILURE() << "compiled";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("'r' (system.yaml:3:3) refers to the signal dictionary 'nothing'"));
  }
}

// --- arrays in SSP 1.0 -----------------------------------------------------------------------------------------------

TEST(ArraysInVersion1, AreWrittenAsScalarsAndReadBackAsTheSamePlan) {
  W w;
  w.fmu("resources/a.fmu").output("y").sized({2, 2});
  auto& b = w.fmu("resources/b.fmu");
  b.input("u").sized({2, 2}).input("x").parameter("p").sized({3});
  b.last().start = 0;
  b.d.starts.push_back(Value(std::vector<double>{0}));
  graph::Document d;
  d.system.add("a", "a.fmu");
  d.system.add("b", "b.fmu").set("p", "1 2 3");
  d.system.connect("a.y", "b.u");
  d.system.connect("a.y[2,1]", "b.x");
  const auto out = from_system(d, {Version::v1_0, w.catalogue()});
  EXPECT_EQ(out.structure.system.connections.size(), 5U);
  for (const auto& c : out.structure.system.components)
    for (const auto& connector : c.connectors) EXPECT_TRUE(connector.dimensions.empty()) << connector.name;
  w.structure(write(out.structure));
  const auto& plan = w.plan();
  for (std::uint32_t e = 0; e < 4; ++e) EXPECT_TRUE(comes_from(plan, "b.u", "a.y", e, e));
  EXPECT_TRUE(comes_from(plan, "b.x", "a.y", 0, 2));
  EXPECT_EQ(w.start("b.p"), "1 2 3");
  Diagnostics diagnostics;
  check_connectors(w.document().system, w.catalogue(), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
}

}  // namespace
}  // namespace consort::ssp
