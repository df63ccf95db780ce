#include "glue/description.hpp"

#include <array>
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "glue/xml.hpp"

namespace consort::glue {
namespace {

namespace m = consort::model;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Sample {
  double u = 1;
  double x = 2, der_x = 0;
  std::array<std::array<double, 2>, 2> matrix{{{1, 2}, {3, 4}}};
  double y = 0;
  m::Bytes<4> raw = "ab";
  static constexpr auto describe() {
    using M = Sample;
    return m::declare({.description = "a < b & \"c\""}, m::input<&M::u>("N", "force"),
                      m::state<&M::x, &M::der_x>("m", "place").depends_on<&M::u>(), m::parameter<&M::matrix>("matrix"),
                      m::output<&M::y>("m", "output").depends_on<&M::x>(), m::input<&M::raw>("bytes"));
  }
  void derivatives() { der_x = u; }
  void outputs() { y = x; }
};

const Exported sample = export_model<Sample>("Sample");

TEST(Description, EscapesWhatXmlDoesNotTake) {
  EXPECT_THAT(describe_fmi2(sample, {}), HasSubstr("description=\"a &lt; b &amp; &quot;c&quot;\""));
}

TEST(Description, OfFmi2NumbersElementsAndLeavesBinariesOut) {
  const std::string text = describe_fmi2(sample, {});
  EXPECT_THAT(text, HasSubstr("name=\"matrix[2,1]\" valueReference=\"6\""));
  EXPECT_THAT(text, Not(HasSubstr("raw")));
  EXPECT_THAT(text, HasSubstr("<Unknown index=\"4\" dependencies=\"2\"/>"));  // der(x) by u
  EXPECT_THAT(text, HasSubstr("<Unknown index=\"9\" dependencies=\"3\"/>"));  // y by x
}

TEST(Description, OfFmi3HasArraysAndBinaries) {
  const std::string text = describe_fmi3(sample, {});
  EXPECT_THAT(text, HasSubstr("start=\"1 2 3 4\""));
  EXPECT_THAT(text, HasSubstr("<Dimension start=\"2\"/>"));
  EXPECT_THAT(text, HasSubstr("<Start value=\"6162\"/>"));
  EXPECT_THAT(text, HasSubstr("maxSize=\"4\""));
}

TEST(Description, OfFmi1HasOneInterface) {
  EXPECT_THAT(describe_fmi1(sample, {.model_exchange = false, .co_simulation = true, .generation_tool = "x"}),
              HasSubstr("CoSimulation_StandAlone"));
  EXPECT_THAT(describe_fmi1(sample, {.model_exchange = true, .co_simulation = false, .generation_tool = "x"}),
              Not(HasSubstr("CoSimulation_StandAlone")));
}

TEST(Description, HasTheInterfacesThatWereAskedFor) {
  const std::string text =
      describe_fmi3(sample, {.model_exchange = false, .co_simulation = true, .generation_tool = "x"});
  EXPECT_THAT(text, Not(HasSubstr("<ModelExchange")));
  EXPECT_THAT(text, HasSubstr("<CoSimulation"));
}

TEST(Token, IsTheSameForTheSameModelAndAnotherForAnother) {
  const m::Layout layout(*sample.definition, m::Layout::Style::scalars);
  EXPECT_EQ(token_of(sample, layout).text(), token_of(export_model<Sample>("Sample"), layout).text());
  EXPECT_NE(token_of(sample, layout).text(), token_of(export_model<Sample>("Sample2"), layout).text());
  EXPECT_EQ(token_of(sample, layout).text().size(), 38u);
}

struct Undeclared {
  double u = 0, w = 0;
  double y = 0;
  static constexpr auto describe() {
    using M = Undeclared;
    return m::declare({}, m::input<&M::u>("one"), m::input<&M::w>("two").between(1, 2),
                      m::output<&M::y>("both").depends_on<&M::u>());
  }
  void outputs() { y = u + w; }
};

TEST(FindMistakes, NamesADependencyThatIsNotDeclaredAndAStartOutOfRange) {
  const auto mistakes = find_mistakes(export_model<Undeclared>("Undeclared"));
  ASSERT_EQ(mistakes.size(), 2u);
  EXPECT_THAT(mistakes[0], HasSubstr("'w' starts outside of its range"));
  EXPECT_THAT(mistakes[1], HasSubstr("'y' changes with 'w'"));
  EXPECT_THAT(find_mistakes(sample), IsEmpty());
}

TEST(Xml, WritesNumbersThatReadBackExactly) {
  EXPECT_EQ(Xml::number(0.1), "0.1");
  EXPECT_EQ(Xml::number(1e300), "1e+300");
  EXPECT_EQ(Xml::number(-std::numeric_limits<double>::infinity()), "-INF");
  EXPECT_EQ(Xml::number(true), "true");
  EXPECT_EQ(Xml::number(std::uint8_t{200}), "200");
}

}  // namespace
}  // namespace consort::glue
