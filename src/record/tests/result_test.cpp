#include "record/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace consort::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MemorySink, KeepsEveryTypeInTheOrderOfTheHeader) {
  Result result;
  MemorySink sink(result);
  sink.begin({{{"b", Type::Boolean, "", "", true},
               {"x", Type::Float64, "m", "", false},
               {"s", Type::String, "", "", true},
               {"y", Type::Float64, "", "", false},
               {"raw", Type::Binary, "", "", true},
               {"e", Type::Enumeration, "", "", true},
               {"n", Type::UInt8, "", "", true},
               {"c", Type::Clock, "", "", true}},
              {{"model", "M"}}});
  Columns row;
  row.column<Bool>() = {true};
  row.column<double>() = {1.5, -2.5};
  row.column<std::string>() = {"one"};
  row.column<Binary>() = {Binary{0x00, 0xfe}};
  row.column<EnumValue>() = {EnumValue(-3)};
  row.column<std::uint8_t>() = {200};
  row.column<Tick>() = {true};
  sink.write(0.25, row);
  row.column<double>()[1] = 7;
  sink.write(0.25, row);
  sink.end();

  EXPECT_EQ(result.rows(), 2U);
  EXPECT_THAT(result.time, ElementsAre(0.25, 0.25));
  EXPECT_THAT(result["b"].numbers, ElementsAre(1, 1));
  EXPECT_THAT(result["x"].numbers, ElementsAre(1.5, 1.5));
  EXPECT_THAT(result["y"].numbers, ElementsAre(-2.5, 7));
  EXPECT_THAT(result["s"].texts, ElementsAre("one", "one"));
  EXPECT_THAT(result["raw"].texts, ElementsAre("00fe", "00fe"));
  EXPECT_THAT(result["e"].numbers, ElementsAre(-3, -3));
  EXPECT_THAT(result["n"].numbers, ElementsAre(200, 200));
  EXPECT_THAT(result["c"].numbers, ElementsAre(1, 1));
  EXPECT_EQ(result["x"].signal.unit, "m");
  EXPECT_EQ(result.facts.at(0).value, "M");
}

TEST(MemorySink, StartsAgainWhenTheResultIsUsedTwice) {
  Result result;
  for (int run = 0; run < 2; ++run) {
    MemorySink sink(result);
    sink.begin({{{"x", Type::Float64, "", "", false}}, {}});
    Columns row;
    row.column<double>() = {1.0};
    sink.write(0, row);
    sink.end();
  }
  EXPECT_EQ(result.rows(), 1U);
  EXPECT_EQ(result.trajectories.size(), 1U);
}

TEST(Result, SuggestsTheNearestNameForAMistypedOne) {
  Result result;
  result.trajectories.push_back({{"velocity", Type::Float64, "", "", false}, {}, {}});
  EXPECT_EQ(result.find("velocty"), nullptr);
  try {
    (void)result["velocty"];
    FAIL() << "an unknown name was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input);
    EXPECT_THAT(e.what(), HasSubstr("'velocity'"));
  }
}

}  // namespace
}  // namespace consort::record
