#include "engine/start_values.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "fmi/fmu.hpp"
#include "unit/fmu_unit.hpp"
#include "unit/lambda_unit.hpp"

namespace consort::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Texts = std::vector<std::pair<std::string, std::string>>;

std::string refusal(const describe::Description& d, const Texts& texts) {
  try {
    static_cast<void>(resolve_start_values(d, texts));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    return error.what();
  }
  return "accepted";
}

const fmi::Fmu& feedthrough() {
  static const auto fmu = fmi::Fmu::open(std::filesystem::path(places::fmus()) / "fmi3/Feedthrough.fmu");
  return fmu;
}

// A fresh unit of an FMU with variables of all types, with these start values.
struct Started {
  explicit Started(const Texts& texts) : starts(resolve_start_values(feedthrough().description(), texts)) {
    apply_structural(starts, *unit);
    apply(starts, *unit);
    unit->enter_initialization({0, 1, 1e-4});
    unit->exit_initialization();
  }
  template <class T>
  [[nodiscard]] std::vector<T> values(const char* name) const {
    const auto id = feedthrough().description().require_variable(name);
    const auto signals = starts.signals(feedthrough().description(), std::span(&id, 1));
    Columns columns = signals.make_columns();
    unit->get(signals, columns);
    return columns.column<T>();
  }
  std::unique_ptr<unit::Unit> unit = unit::make_fmu_unit(feedthrough(), {});
  StartValues starts;
};

TEST(StartValues, AreReadByTheTypeOfTheVariable) {
  const Started s(Texts{{"float32_in", "1.5"},
                        {"float64_in", " -2.5e-3 "},
                        {"int8_in", "-128"},
                        {"uint8_in", "255"},
                        {"int16_in", "-32768"},
                        {"uint16_in", "65535"},
                        {"int32_in", "-2147483648"},
                        {"uint32_in", "4294967295"},
                        {"int64_in", "-9223372036854775808"},
                        {"uint64_in", "18446744073709551615"},
                        {"boolean_in", "true"},
                        {"string_in", "two words = one text"},
                        {"binary_in", "00ff"}});
  EXPECT_THAT(s.values<float>("float32_out"), ElementsAre(1.5F));
  EXPECT_THAT(s.values<double>("float64_out"), ElementsAre(-2.5e-3));
  EXPECT_THAT(s.values<std::int8_t>("int8_out"), ElementsAre(-128));
  EXPECT_THAT(s.values<std::uint8_t>("uint8_out"), ElementsAre(255));
  EXPECT_THAT(s.values<std::int16_t>("int16_out"), ElementsAre(-32768));
  EXPECT_THAT(s.values<std::uint16_t>("uint16_out"), ElementsAre(65535));
  EXPECT_THAT(s.values<std::int32_t>("int32_out"), ElementsAre(std::numeric_limits<std::int32_t>::min()));
  EXPECT_THAT(s.values<std::uint32_t>("uint32_out"), ElementsAre(4294967295U));
  EXPECT_THAT(s.values<std::int64_t>("int64_out"), ElementsAre(std::numeric_limits<std::int64_t>::min()));
  EXPECT_THAT(s.values<std::uint64_t>("uint64_out"), ElementsAre(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_THAT(s.values<Bool>("boolean_out"), ElementsAre(true));
  EXPECT_THAT(s.values<std::string>("string_out"), ElementsAre("two words = one text"));
  EXPECT_THAT(s.values<Binary>("binary_out"), ElementsAre(Binary{0, 255}));
}

TEST(StartValues, OfEnumerationsMayBeNamesOfItems) {
  const Started by_name(Texts{{"enumeration_in", "third"}});
  EXPECT_THAT(by_name.values<EnumValue>("enumeration_out"), ElementsAre(EnumValue(3)));
  const Started by_number(Texts{{"enumeration_in", "2"}});
  EXPECT_THAT(by_number.values<EnumValue>("enumeration_out"), ElementsAre(EnumValue(2)));
}

TEST(StartValues, OfEnumerationsThatAreNoItemListTheItems) {
  EXPECT_THAT(refusal(feedthrough().description(), {{"enumeration_in", "thrid"}}),
              AllOf(HasSubstr("enumeration_in"), HasSubstr("'thrid'"), HasSubstr("'third'")));
  EXPECT_THAT(refusal(feedthrough().description(), {{"enumeration_in", "77"}}),
              AllOf(HasSubstr("enumeration_in"), HasSubstr("77 is not one of its values"), HasSubstr("'third' (3)")));
}

TEST(StartValues, FillArraysInRowMajorOrder) {
  const Started s(Texts{{"matrix_in", "1 2 3  4 5 6.5"}, {"int32_vector_in", "-1 7"}});
  EXPECT_THAT(s.values<double>("matrix_out"), ElementsAre(1, 2, 3, 4, 5, 6.5));
  EXPECT_THAT(s.values<std::int32_t>("int32_vector_out"), ElementsAre(-1, 7));
}

TEST(StartValues, FillAWholeArrayWithOneNumber) {
  const Started s(Texts{{"vector_in", "4"}});
  EXPECT_THAT(s.values<double>("vector_out"), ElementsAre(4, 4, 4));
}

TEST(StartValues, RefuseArraysOfAnotherSize) {
  try {
    const Started s(Texts{{"vector_in", "1 2"}});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'vector_in'"), HasSubstr("3 elements"), HasSubstr("2 start values")));
  }
}

TEST(StartValues, OfStructuralParametersChangeTheSizesOfArrays) {
  const Started s(Texts{{"sized_in", "9 8 7 6"}, {"n", "4"}});
  EXPECT_THAT(s.values<double>("sized_out"), ElementsAre(9, 8, 7, 6));
  const auto& d = feedthrough().description();
  const auto& v = d[d.require_variable("sized_out")];
  EXPECT_EQ(s.starts.element_count(d, v), 4U);
  EXPECT_EQ(s.starts.element_name(d, v, 3), "sized_out[4]");
  const auto& matrix = d[d.require_variable("matrix_out")];
  EXPECT_EQ(s.starts.element_name(d, matrix, 5), "matrix_out[2,3]");
}

TEST(StartValues, SuggestTheNearestNameForOneThatDoesNotExist) {
  EXPECT_THAT(refusal(feedthrough().description(), {{"float64_im", "1"}}),
              AllOf(HasSubstr("float64_im"), HasSubstr("did you mean"), HasSubstr("'float64_in'")));
}

TEST(StartValues, QuoteWhatIsNotAValue) {
  const auto& d = feedthrough().description();
  EXPECT_THAT(refusal(d, {{"float64_in", "1,5"}}), AllOf(HasSubstr("'float64_in'"), HasSubstr("1,5")));
  EXPECT_THAT(refusal(d, {{"int8_in", "128"}}), AllOf(HasSubstr("'int8_in'"), HasSubstr("128")));
  EXPECT_THAT(refusal(d, {{"uint8_in", "-1"}}), HasSubstr("-1"));
  EXPECT_THAT(refusal(d, {{"int32_in", "1.5"}}), HasSubstr("1.5"));
  EXPECT_THAT(refusal(d, {{"boolean_in", "yes"}}), HasSubstr("yes"));
  EXPECT_THAT(refusal(d, {{"binary_in", "0g"}}), HasSubstr("0g"));
  EXPECT_NE(refusal(d, {{"float64_in", ""}}), "accepted");
}

TEST(StartValues, SayWhyAVariableCannotBeSet) {
  EXPECT_THAT(refusal(feedthrough().description(), {{"float64_out", "1"}}),
              AllOf(HasSubstr("'float64_out'"), HasSubstr("output"), HasSubstr("parameters, inputs")));
  EXPECT_THAT(refusal(feedthrough().description(), {{"sum_of_parameters", "1"}}), HasSubstr("calculatedParameter"));
}

TEST(StartValues, RefuseTwoForOneVariable) {
  EXPECT_THAT(refusal(feedthrough().description(), {{"float64_in", "1"}, {"int8_in", "1"}, {"float64_in", "2"}}),
              AllOf(HasSubstr("'float64_in'"), HasSubstr("two start values")));
}

TEST(StartValues, NeedNoConfigurationModeWithoutStructuralParameters) {
  unit::LambdaUnit unit("plain");
  const auto a = unit.parameter("a", 1.0);
  double seen = 0;
  unit.on_initialize([&](unit::LambdaUnit::Values& v) { seen = v[a]; });
  auto starts = resolve_start_values(unit.description(), {{"a", "3"}});
  apply_structural(starts, unit);
  apply(starts, unit);
  unit.enter_initialization({0, 1, 1e-4});
  unit.exit_initialization();
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace consort::engine
