#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "consort/model.hpp"
#include "consort/model/units.hpp"
#include "model/layout.hpp"

namespace consort::model {
namespace {

struct Sample {
  double u = 1;
  double x = 2, der_x = 0;
  std::array<double, 3> v{1, 2, 3};
  double y = 0;
  std::int32_t count = 7;

  static constexpr auto describe() {
    return declare({.description = "A sample"}, input<&Sample::u>("N", "force"),
                   state<&Sample::x, &Sample::der_x>("m/s", "speed").output().depends_on<&Sample::u>(),
                   parameter<&Sample::v>("m", "places"), output<&Sample::y>("K", "heat").display("degC"),
                   local<&Sample::count>("a number").exact());
  }
  void derivatives() { der_x = u; }
  void outputs() { y = x; }
};

TEST(Declaration, TakesNamesAndTypesFromTheMembers) {
  const Definition& d = definition_of<Sample>;
  ASSERT_EQ(d.variable_count, 6u);
  EXPECT_EQ(d.variables[0].name, "u");
  EXPECT_EQ(d.variables[0].kind, Kind::float64);
  EXPECT_EQ(d.variables[1].name, "x");
  EXPECT_EQ(d.variables[1].causality, Causality::output);
  EXPECT_TRUE(d.variables[1].is_state());
  EXPECT_EQ(d.variables[2].member, "der_x");
  EXPECT_TRUE(d.variables[2].is_rate);
  EXPECT_EQ(d.variables[3].rank, 1u);
  EXPECT_EQ(d.variables[3].capacity(), 3u);
  EXPECT_EQ(d.variables[5].kind, Kind::int32);
  EXPECT_EQ(d.variables[5].variability, Variability::discrete);
}

TEST(Declaration, HasOnlyTheFunctionsThatTheModelHas) {
  const Definition& d = definition_of<Sample>;
  EXPECT_NE(d.derivatives, nullptr);
  EXPECT_NE(d.outputs, nullptr);
  EXPECT_EQ(d.event, nullptr);
  EXPECT_EQ(d.directional, nullptr);
}

TEST(Declaration, FindsMistakesWhileCompiling) {
  using detail::first_mistake;
  using detail::Mistake;
  constexpr auto mistake = []<class... V>(V... v) {
    return first_mistake(std::array<Variable, sizeof...(V)>{v...}).mistake;
  };
  constexpr auto u = [] { return input<&Sample::u>("N", "force"); };
  static_assert(mistake(u()) == Mistake::none);
  static_assert(mistake(u(), u()) == Mistake::declared_twice);
  static_assert(mistake(u(), local<&Sample::y>("m", "").named("u")) == Mistake::declared_twice);
  static_assert(mistake(input<&Sample::u>("furlong", "")) == Mistake::unit_is_not_known);
  static_assert(mistake(input<&Sample::count>("m", "")) == Mistake::unit_of_something_without_one);
  static_assert(mistake(u().display("m")) == Mistake::display_unit_measures_something_else);
  static_assert(mistake(local<&Sample::y>("").named("der(x)")) == Mistake::derivative_without_a_state);
  static_assert(mistake(u().between(2, 1)) == Mistake::range_is_empty);
  static_assert(mistake(parameter<&Sample::v>("").discrete()) == Mistake::parameter_varies);
  static_assert(mistake(output<&Sample::y>("").depends_on<&Sample::count>()) == Mistake::depends_on_something_else);
  static_assert(mistake(parameter<&Sample::v>("").sized_by<&Sample::count>()) == Mistake::sized_by_something_else);
  static_assert(mistake(local<&Sample::y>("").named("a\nb")) == Mistake::name_is_not_usable);
}

TEST(Units, AreProductsAndQuotientsOfKnownNames) {
  const auto check = [](const char* text, std::array<int, 8> exponents, double factor) {
    const Unit unit = parse_unit(text);
    ASSERT_TRUE(unit.known) << text;
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(unit.exponents[i], exponents[i]) << text;
    EXPECT_DOUBLE_EQ(unit.factor, factor) << text;
  };
  check("m/s2", {0, 1, -2, 0, 0, 0, 0, 0}, 1);
  check("N.m", {1, 2, -2, 0, 0, 0, 0, 0}, 1);
  check("W/(m2.K)", {1, 0, -3, 0, -1, 0, 0, 0}, 1);
  check("km/h", {0, 1, -1, 0, 0, 0, 0, 0}, 1000.0 / 3600);
  check("1/min", {0, 0, -1, 0, 0, 0, 0, 0}, 1.0 / 60);
  check("s-1", {0, 0, -1, 0, 0, 0, 0, 0}, 1);
  check("mm2", {0, 2, 0, 0, 0, 0, 0, 0}, 1e-6);
  EXPECT_EQ(parse_unit("degC").offset, 273.15);
  EXPECT_EQ(parse_unit("W/degC").offset, 0);
}

TEST(Units, RefuseWhatCanBeReadInTwoWaysOrNotAtAll) {
  for (const char* text : {"m/s/s", "m/s.kg", "m/(s", "m)", "furlong", "m..s", "/s", "m/", "m-", "m s", "2", "12"}) {
    EXPECT_FALSE(parse_unit(text).known) << text;
  }
}

TEST(Units, OfDerivativesAreKnownAgain) {
  EXPECT_EQ(rate_unit("m"), "m/s");
  EXPECT_EQ(rate_unit("m/s"), "m/s2");
  EXPECT_EQ(rate_unit("W/(m2.K)"), "W/(m2.K.s)");
  EXPECT_EQ(rate_unit("km/h"), "km/(h.s)");
  EXPECT_EQ(rate_unit(""), "");
  for (const char* text : {"m", "m/s", "rad/s2", "1", "W/(m2.K)", "J/K"})
    EXPECT_TRUE(parse_unit(rate_unit(text)).known);
}

TEST(Text, CutsWhatIsTooLong) {
  EXPECT_EQ(Text<3>("abcdef").view(), "abc");
  EXPECT_EQ(Text<3>("ab").view(), "ab");
  EXPECT_EQ(Bytes<2>("xyz").size, 2u);
}

TEST(Layout, NumbersElementsOrVariables) {
  const Layout arrays(definition_of<Sample>, Layout::Style::arrays);
  EXPECT_EQ(arrays.slots().size(), 7u);
  EXPECT_EQ(arrays.slots()[4].capacity, 3u);
  const Layout scalars(definition_of<Sample>, Layout::Style::scalars);
  EXPECT_EQ(scalars.slots().size(), 9u);
  EXPECT_EQ(scalars.slots()[5].offset, scalars.slots()[4].offset + sizeof(double));
  EXPECT_EQ(scalars.states(), std::vector<std::uint32_t>{2});
  EXPECT_EQ(scalars.rate_of(2), 3u);
  EXPECT_EQ(scalars.find(9), nullptr);
}

}  // namespace
}  // namespace consort::model
