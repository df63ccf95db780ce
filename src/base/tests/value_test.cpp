#include "base/value.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"

namespace consort {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::string text_of(T element) {
  std::string text;
  append_element(text, element);
  return text;
}

TEST(ParseElement, ReadsNumbersWithBlanksAroundThem) {
  EXPECT_EQ(parse_element<double>(" \t1.5e-3\r\n"), 1.5e-3);
  EXPECT_EQ(parse_element<double>("+2"), 2.0);
  EXPECT_EQ(parse_element<double>(".5"), 0.5);
  EXPECT_EQ(parse_element<double>("5."), 5.0);
  EXPECT_EQ(parse_element<float>("-0.1"), -0.1F);
  EXPECT_EQ(parse_element<std::int8_t>(" -128 "), -128);
  EXPECT_EQ(parse_element<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_element<std::int64_t>("+7"), 7);
  EXPECT_EQ(parse_element<EnumValue>("-3").value, -3);
}

TEST(ParseElement, ReadsTheSpecialValuesOfXmlInAnyCase) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parse_element<double>("INF"), inf);
  EXPECT_EQ(parse_element<double>("-inf"), -inf);
  EXPECT_TRUE(std::isnan(parse_element<double>("NaN")));
  EXPECT_TRUE(std::isnan(parse_element<float>("-nan")));
}

TEST(ParseElement, RoundsWhatIsBeyondTheRangeOfTheType) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parse_element<double>("1.79769313486232E+308"), inf);  // the largest double, printed with 15 digits
  EXPECT_EQ(parse_element<double>("-1e400"), -inf);
  EXPECT_EQ(parse_element<double>("1e99999999999999999999999"), inf);
  EXPECT_EQ(parse_element<double>("1e-99999999999999999999999"), 0.0);
  EXPECT_EQ(parse_element<double>("0.0000001e-330"), 0.0);
  EXPECT_EQ(parse_element<double>("1" + std::string(500, '0')), inf);
  EXPECT_EQ(parse_element<double>("0." + std::string(500, '0') + "1"), 0.0);
  EXPECT_TRUE(std::signbit(parse_element<double>("-1e-400")));
  EXPECT_EQ(parse_element<float>("1e39"), std::numeric_limits<float>::infinity());
  EXPECT_EQ(parse_element<double>("4.9e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(ParseElement, RefusesWhatIsNotANumberAndQuotesIt) {
  for (const char* text :
       {"", " ", "1,5", "1.5x", "0x10", "--1", "+-1", "- 1", "e5", "1e", "infinit", "nan(1)", "1 2", "."}) {
    EXPECT_THAT(error_text([&] { (void)parse_element<double>(text); }), HasSubstr(text)) << text;
  }
  for (const char* text : {"", "1.0", "1e3", "0x1", "+", "-", "++1", "1 2", "١"}) {
    EXPECT_THAT(error_text([&] { (void)parse_element<std::int32_t>(text); }),
                HasSubstr("is not a value of type Int32"));
  }
}

TEST(ParseElement, NamesTheRangeOfIntegersThatDoNotFit) {
  EXPECT_THAT(error_text([] { (void)parse_element<std::uint8_t>("256"); }), HasSubstr("from 0 to 255"));
  EXPECT_THAT(error_text([] { (void)parse_element<std::uint32_t>("-1"); }), HasSubstr("from 0 to 4294967295"));
  EXPECT_THAT(error_text([] { (void)parse_element<std::int8_t>("-129"); }), HasSubstr("from -128 to 127"));
}

TEST(ParseElement, TakesFourWordsForBooleans) {
  EXPECT_TRUE(parse_element<Bool>(" true "));
  EXPECT_TRUE(parse_element<Tick>("1"));
  EXPECT_FALSE(parse_element<Bool>("false"));
  EXPECT_FALSE(parse_element<Bool>("0"));
  EXPECT_THAT(error_text([] { (void)parse_element<Bool>("yes"); }), HasSubstr("give true, false, 1 or 0"));
  EXPECT_THAT(error_text([] { (void)parse_element<Tick>(""); }), HasSubstr("Clock"));
}

TEST(ParseElement, ReadsBinaryAsHexadecimalDigits) {
  EXPECT_THAT(parse_element<Binary>("00fFA5"), ElementsAre(0x00, 0xFF, 0xA5));
  EXPECT_TRUE(parse_element<Binary>("").empty());
  EXPECT_THAT(error_text([] { (void)parse_element<Binary>("abc"); }), HasSubstr("3 digits"));
  EXPECT_THAT(error_text([] { (void)parse_element<Binary>("0g"); }), HasSubstr("hexadecimal digits only"));
}

TEST(ParseElement, QuotesOnlyTheBeginningOfLongTextOnOneLine) {
  const std::string text = error_text([] { (void)parse_element<double>("x\n\x01" + std::string(100'000, 'y')); });
  EXPECT_LT(text.size(), 300U);
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(AppendElement, WritesTheShortestTextThatReadsBackExactly) {
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(0.1F), "0.1");
  EXPECT_EQ(text_of(std::int8_t{-5}), "-5");
  EXPECT_EQ(text_of(std::uint8_t{200}), "200");
  EXPECT_EQ(text_of(Bool(true)), "true");
  EXPECT_EQ(text_of(EnumValue(2)), "2");
  EXPECT_EQ(text_of(Binary{0x0A, 0xFF}), "0aff");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "-INF");
  EXPECT_EQ(text_of(std::numeric_limits<float>::quiet_NaN()), "NaN");
}

TEST(AppendElement, GivesBackEveryBitOfRandomDoubles) {
  std::mt19937_64 random(1);  // fixed seed: a failure can be repeated
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t bits = random();
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    if (!std::isfinite(number)) continue;
    const auto again = parse_element<double>(text_of(number));
    EXPECT_EQ(std::memcmp(&again, &number, sizeof number), 0) << text_of(number);
  }
}

TEST(Value, ReadsListsOfEveryNumericType) {
  EXPECT_THAT(Value::parse(Type::Float64, " 1 2.5\n\t3 ").elements<double>(), ElementsAre(1, 2.5, 3));
  EXPECT_THAT(Value::parse(Type::UInt8, "1 255", 2).elements<std::uint8_t>(), ElementsAre(1, 255));
  EXPECT_EQ(Value::parse(Type::Boolean, "true 0 1").size(), 3U);
  EXPECT_EQ(Value::parse(Type::Float64, "").size(), 0U);
}

TEST(Value, TakesTheWholeTextAsOneString) {
  const Value value = Value::parse(Type::String, "  two words ");
  EXPECT_THAT(value.elements<std::string>(), ElementsAre("  two words "));
  EXPECT_THAT(error_text([] { (void)Value::parse(Type::String, "a b", 2); }), HasSubstr("2 of type String"));
}

TEST(Value, ReadsNoBytesAsOneEmptyBinary) {
  EXPECT_EQ(Value::parse(Type::Binary, "", 1).size(), 1U);
  EXPECT_EQ(Value::parse(Type::Binary, "00 ff", 2).size(), 2U);
}

TEST(Value, RefusesAnotherNumberOfElements) {
  EXPECT_THAT(error_text([] { (void)Value::parse(Type::Float64, "1 2", 3); }), HasSubstr("has 2 elements, but 3"));
  EXPECT_THAT(error_text([] { (void)Value::parse(Type::Float64, "1 2 3 4", 3); }),
              HasSubstr("more elements than the 3"));
  EXPECT_THAT(error_text([] { (void)Value::parse(Type::Float64, "", 1); }), HasSubstr("0 elements"));
}

TEST(Value, DoesNotReserveMemoryForACountThatIsOnlyClaimed) {
  const std::size_t claimed = std::numeric_limits<std::size_t>::max();
  EXPECT_THAT(error_text([&] { (void)Value::parse(Type::Float64, "1 2", claimed); }), HasSubstr("2 elements"));
  EXPECT_THAT(error_text([&] { (void)Value::parse(Type::Binary, "", claimed); }), HasSubstr("0 elements"));
}

TEST(Value, WritesWhatParseReads) {
  for (const auto& [type, text] : {std::pair{Type::Float64, "1 -2.5 INF"},
                                   {Type::Int16, "-1 2"},
                                   {Type::Boolean, "true false"},
                                   {Type::String, "a b"},
                                   {Type::Binary, "00ff"},
                                   {Type::Enumeration, "1 2"},
                                   {Type::Clock, "true"}}) {
    const Value value = Value::parse(type, text);
    EXPECT_EQ(value.type(), type);
    EXPECT_EQ(value.text(), text);
    EXPECT_EQ(Value::parse(type, value.text()), value);
  }
}

TEST(Value, DiffersInTypeOrElements) {
  EXPECT_FALSE(Value::scalar(1.0) == Value::scalar(1.0F));
  EXPECT_FALSE(Value::scalar(Bool(true)) == Value::scalar(Tick(true)));
  EXPECT_FALSE(Value::scalar(1.0) == Value(std::vector<double>{1.0, 1.0}));
  EXPECT_TRUE(Value() == Value(std::vector<double>{}));
}

TEST(Columns, KeepsBooleansAndClocksApart) {
  Columns columns;
  columns.column<Bool>().resize(2);
  columns.column<Tick>().resize(1);
  columns.column<std::string>().emplace_back("a");
  EXPECT_EQ(columns.size(Type::Boolean), 2U);
  EXPECT_EQ(columns.size(Type::Clock), 1U);
  columns.clear();
  for (std::size_t i = 0; i < type_count; ++i) EXPECT_EQ(columns.size(static_cast<Type>(i)), 0U);
}

TEST(Type, NamesFollowTheStandardInTheOrderOfTheElementTypes) {
  EXPECT_EQ(name_of(Type::Float32), "Float32");
  EXPECT_EQ(name_of(type_of<double>), "Float64");
  EXPECT_EQ(name_of(type_of<Bool>), "Boolean");
  EXPECT_EQ(name_of(type_of<Tick>), "Clock");
  EXPECT_EQ(name_of(type_of<EnumValue>), "Enumeration");
}

}  // namespace
}  // namespace consort
