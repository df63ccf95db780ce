#include "couple/gather.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/tests/plant.hpp"

namespace consort::couple {
namespace {

using graph::Conversion;
using graph::no_unit;
using graph::place_of;
using graph::UnitId;
using ::testing::HasSubstr;

// --- routes ----------------------------------------------------------------------------------------------------------

// a → b and c → b, an external signal → b; every element of the outputs has a different value.
struct Gathering : ::testing::Test {
  Gathering() {
    shelf.add("source.fmu").output("y").output("n", Type::Int32).output("s", Type::String);
    shelf.add("target.fmu").input("u").input("w").input("e").input("n", Type::Int32).input("s", Type::String);
    for (const char* const name : {"a", "c"}) system.add(name, "source.fmu");
    system.add("b", "target.fmu");
    system.connect("a.y", "b.u");
    system.connect("c.y", "b.w", {2, 3});
    system.connect("outside", "b.e");
    system.connect("a.n", "b.n");
    system.connect("c.s", "b.s");
    plan = shelf.compile(system);
    outputs = plan.make_outputs();
    inputs = plan.make_inputs();
    for (std::size_t i = 0; i < outputs.column<double>().size(); ++i)
      outputs.column<double>()[i] = 10.0 + static_cast<double>(i);
    inputs.column<double>().assign(inputs.column<double>().size(), -1);
    inputs.column<std::int32_t>().assign(inputs.column<std::int32_t>().size(), -1);
    set<std::int32_t>("a.n", 7);
    set<std::string>("c.s", "text");
  }
  template <class T>
  void set(const char* output, T value) {
    outputs.column<T>()[place_of(plan, output, false).element] = std::move(value);
  }
  template <class T = double>
  [[nodiscard]] T input(const char* path) const {
    return inputs.column<T>()[place_of(plan, path, true).element];
  }
  [[nodiscard]] double output(const char* path) const {
    return outputs.column<double>()[place_of(plan, path, false).element];
  }
  template <class Take>
  [[nodiscard]] Gather make(const std::vector<UnitId>& units, Take&& take) const {
    return {plan, Gather::Owners(plan), units, take};
  }

  graph::Shelf shelf;
  graph::System system;
  graph::Plan plan;
  Columns outputs, inputs;
};

constexpr auto everything = [](UnitId, UnitId) { return true; };

TEST_F(Gathering, ScalesDerivativesWithoutTheOffset) {
  make(plan.all_units(), everything)
      .derivatives(outputs, outputs.column<double>().data(), inputs.column<double>().data(), 0, 1);
  EXPECT_EQ(input("b.u"), output("a.y"));
  EXPECT_EQ(input("b.w"), 2 * output("c.y"));
}

TEST_F(Gathering, MovesValuesOfAllTypesAndScalesThem) {
  make(plan.all_units(), everything)(outputs, inputs, 0);
  EXPECT_EQ(input("b.u"), output("a.y"));
  EXPECT_EQ(input("b.w"), 2 * output("c.y") + 3);
  EXPECT_EQ(input("b.e"), outputs.column<double>()[plan.externals.at(0).element]);
  EXPECT_EQ(input<std::int32_t>("b.n"), 7);
  EXPECT_EQ(input<std::string>("b.s"), "text");
}

TEST_F(Gathering, ScalesTheSourceAnewEveryTime) {
  const auto gather = make(plan.all_units(), everything);
  gather(outputs, inputs, 0);
  gather(outputs, inputs, 0);
  EXPECT_EQ(input("b.w"), 2 * output("c.y") + 3);
}

TEST_F(Gathering, LeavesInputsAloneWhoseSourceIsNotTaken) {
  const UnitId a = plan.require_unit("a");
  make(plan.all_units(), [&](UnitId source, UnitId) { return source == a; })(outputs, inputs, 0);
  EXPECT_EQ(input("b.u"), output("a.y"));
  EXPECT_EQ(input("b.w"), -1);
  EXPECT_EQ(input("b.e"), -1);
  EXPECT_EQ(input<std::int32_t>("b.n"), 7);
  EXPECT_EQ(input<std::string>("b.s"), "");
}

TEST_F(Gathering, TellsWhoDrivesWhom) {
  std::vector<std::pair<UnitId, UnitId>> asked;
  static_cast<void>(make(plan.all_units(), [&](UnitId source, UnitId target) {
    asked.emplace_back(source, target);
    return false;
  }));
  const UnitId a = plan.require_unit("a");
  const UnitId b = plan.require_unit("b");
  const UnitId c = plan.require_unit("c");
  using Pair = std::pair<UnitId, UnitId>;
  EXPECT_THAT(asked, ::testing::UnorderedElementsAre(Pair(a, b), Pair(c, b), Pair(no_unit, b), Pair(a, b), Pair(c, b)));
}

TEST_F(Gathering, IsEmptyWhereNothingArrives) {
  EXPECT_TRUE(Gather().empty());
  EXPECT_TRUE(make({plan.require_unit("a")}, everything).empty());
  EXPECT_TRUE(make(plan.all_units(), [](UnitId, UnitId) { return false; }).empty());
  const auto all = make(plan.all_units(), everything);
  EXPECT_FALSE(all.empty());
  EXPECT_EQ(all.real_inputs().size(), 3U);
}

TEST(Gather, ConvertsBetweenTypesOnTheWay) {
  graph::Shelf shelf;
  shelf.add("source.fmu").output("y");
  shelf.add("target.fmu").input("n", Type::Int32);
  graph::System system;
  system.add("a", "source.fmu");
  system.add("b", "target.fmu");
  system.connect("a.y", "b.n", {2, 0});
  const auto plan = shelf.compile(system);
  Columns outputs = plan.make_outputs();
  Columns inputs = plan.make_inputs();
  const Gather gather(plan, Gather::Owners(plan), plan.all_units(), everything);
  EXPECT_FALSE(gather.empty());
  outputs.column<double>()[0] = 20.8;
  gather(outputs, inputs, 0);
  EXPECT_EQ(inputs.column<std::int32_t>()[0], 42);  // 41.6
  outputs.column<double>()[0] = 3e9;
  try {
    gather(outputs, inputs, 0);
    FAIL() << "no ConversionFailed";
  } catch (const ConversionFailed& error) {
    EXPECT_EQ(error.fault(), Fault::run);
    EXPECT_THAT(error.what(), HasSubstr("a.y"));
    EXPECT_THAT(error.what(), HasSubstr("b.n"));
    EXPECT_THAT(error.what(), HasSubstr("Int32"));
  }
}

// --- single elements -------------------------------------------------------------------------------------------------

template <class From, class To>
To converted(From from, Conversion c = {}) {
  c.from = type_of<From>;
  c.to = type_of<To>;
  c.connection = "a.y → b.u";
  Columns outputs, inputs;
  outputs.column<From>().push_back(std::move(from));
  inputs.column<To>().resize(1);
  convert(c, outputs, inputs);
  return inputs.column<To>()[0];
}

Conversion linear(double factor, double offset) {
  Conversion c;
  c.factor = factor;
  c.offset = offset;
  return c;
}

TEST(Convert, RoundsToTheNearestIntegerAndHalvesToEven) {
  EXPECT_EQ((converted<double, std::int32_t>(2.4)), 2);
  EXPECT_EQ((converted<double, std::int32_t>(2.5)), 2);
  EXPECT_EQ((converted<double, std::int32_t>(3.5)), 4);
  EXPECT_EQ((converted<double, std::int32_t>(-2.6)), -3);
  EXPECT_EQ((converted<double, std::uint8_t>(-0.4)), 0);
  EXPECT_EQ((converted<double, EnumValue>(2.9)).value, 3);
}

TEST(Convert, ScalesBeforeItRounds) {
  EXPECT_EQ((converted<double, std::int32_t>(0.26, linear(10, 1))), 4);      // 3.6
  EXPECT_EQ((converted<std::int32_t, std::int32_t>(3, linear(0.5, 1))), 2);  // 2.5
  EXPECT_EQ((converted<std::int32_t, double>(3, linear(0.5, 1))), 2.5);
}

TEST(Convert, TakesTheWholeRangeOfATypeAndNothingBeyond) {
  EXPECT_EQ((converted<double, std::uint8_t>(255.4)), 255);
  EXPECT_THROW((converted<double, std::uint8_t>(255.6)), ConversionFailed);
  EXPECT_THROW((converted<double, std::uint8_t>(-1)), ConversionFailed);
  EXPECT_EQ((converted<double, std::int64_t>(-std::ldexp(1.0, 63))), std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW((converted<double, std::int64_t>(std::ldexp(1.0, 63))), ConversionFailed);
  EXPECT_THROW((converted<double, std::uint64_t>(std::ldexp(1.0, 64))), ConversionFailed);
  EXPECT_THROW((converted<double, std::int32_t>(std::nan(""))), ConversionFailed);
  EXPECT_THROW((converted<double, std::int32_t>(std::numeric_limits<double>::infinity())), ConversionFailed);
}

TEST(Convert, KeepsAllDigitsOfIntegers) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;  // the smallest integer that is not a double
  EXPECT_EQ((converted<std::int64_t, std::uint64_t>(odd)), static_cast<std::uint64_t>(odd));
  EXPECT_EQ((converted<std::int64_t, EnumValue>(odd)).value, odd);
  EXPECT_EQ((converted<EnumValue, std::int64_t>(EnumValue(odd))), odd);
  EXPECT_THROW((converted<std::int64_t, std::int32_t>(odd)), ConversionFailed);
  EXPECT_THROW((converted<std::int32_t, std::uint32_t>(-1)), ConversionFailed);
  EXPECT_THROW((converted<std::uint64_t, std::int64_t>(~std::uint64_t{0})), ConversionFailed);
}

TEST(Convert, TakesBooleansAsZeroAndOneAndWhatIsNotZeroAsTrue) {
  EXPECT_EQ((converted<Bool, double>(true)), 1);
  EXPECT_EQ((converted<Bool, std::int32_t>(false)), 0);
  EXPECT_TRUE((converted<double, Bool>(0.1)));
  EXPECT_FALSE((converted<double, Bool>(0)));
  EXPECT_TRUE((converted<std::int32_t, Bool>(-3)));
}

Conversion mapping(bool partial) {
  Conversion c;
  c.mapping.emplace_back(Value::scalar(std::int32_t{1}), Value::scalar(std::int32_t{10}));
  c.mapping.emplace_back(Value::scalar(std::int32_t{2}), Value::scalar(std::int32_t{20}));
  c.partial = partial;
  return c;
}

TEST(Convert, LooksUpMappings) {
  EXPECT_EQ((converted<std::int32_t, std::int32_t>(1, mapping(false))), 10);
  EXPECT_EQ((converted<std::int32_t, std::int32_t>(2, mapping(false))), 20);
  Conversion words;
  words.mapping.emplace_back(Value::scalar(std::string("on")), Value::scalar(Bool(true)));
  EXPECT_TRUE((converted<std::string, Bool>("on", words)));
}

TEST(Convert, NamesConnectionAndValueThatAMappingDoesNotKnow) {
  try {
    static_cast<void>(converted<std::int32_t, std::int32_t>(3, mapping(false)));
    FAIL() << "no ConversionFailed";
  } catch (const ConversionFailed& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.y → b.u"));
    EXPECT_THAT(error.what(), HasSubstr("the value 3"));
  }
}

TEST(Convert, LeavesWhatAPartialMappingDoesNotListAsItIs) {
  EXPECT_EQ((converted<std::int32_t, std::int32_t>(1, mapping(true))), 10);
  EXPECT_EQ((converted<std::int32_t, std::int32_t>(3, mapping(true))), 3);
}

}  // namespace
}  // namespace consort::couple
