#include "describe/signals.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "describe/tests/builder.hpp"

namespace consort::describe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 0 x, 1 count, 2 vector (3 elements), 3 flag, 4 matrix (2 × n with n = 2), 5 y, 6 n, 7 text
Description sample() {
  Builder b;
  b.add("x", 10);
  b.add("count", 11, Type::Int32);
  b.dimensions(b.add("vector", 12), {fixed_size(3)});
  b.add("flag", 13, Type::Boolean);
  b.dimensions(b.add("matrix", 14), {fixed_size(2), sized_by(16)});
  b.add("y", 15);
  b.add_size("n", 16, 2);
  b.add("text", 17, Type::String);
  return b.finish();
}

TEST(SignalSet, PutsOneColumnPerTypeInTheOrderOfTheChoice) {
  const Description d = sample();
  const std::vector<VariableId> choice{5, 1, 2, 7, 0};
  const SignalSet set(d, choice);
  ASSERT_EQ(set.groups().size(), 3U);
  const auto& floats = set.groups()[0];
  EXPECT_EQ(floats.type, Type::Float64);
  EXPECT_THAT(floats.references, ElementsAre(15, 12, 10));
  EXPECT_THAT(floats.offsets, ElementsAre(0, 1, 4, 5));
  EXPECT_EQ(floats.elements(), 5U);
  EXPECT_EQ(set.groups()[1].type, Type::Int32);
  EXPECT_EQ(set.groups()[2].type, Type::String);
  EXPECT_EQ(set.place(2).first, 1U);
  EXPECT_EQ(set.place(2).count, 3U);
  EXPECT_EQ(set.place(1).type, Type::Int32);
  EXPECT_EQ(set.place(4).first, 4U);
  EXPECT_EQ(set.choice(), choice);
}

TEST(SignalSet, MakesColumnsOfTheRightSizeFilledWithNothing) {
  const Description d = sample();
  const Columns c = SignalSet(d, std::vector<VariableId>{0, 2, 3, 4}).make_columns();
  EXPECT_THAT(c.column<double>(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(c.size(Type::Boolean), 1U);
  EXPECT_EQ(c.size(Type::Int32), 0U);
}

TEST(SignalSet, MayChooseAVariableTwiceOrNone) {
  const Description d = sample();
  EXPECT_TRUE(SignalSet().empty());
  EXPECT_TRUE(SignalSet(d, {}).groups().empty());
  const SignalSet twice(d, std::vector<VariableId>{0, 0});
  EXPECT_THAT(twice.groups()[0].references, ElementsAre(10, 10));
}

TEST(SignalSet, TakesSizesThatStructuralParametersChanged) {
  const Description d = sample();
  const std::vector<VariableId> choice{4, 0};
  const std::vector<std::uint64_t> sizes{10, 1};
  const SignalSet set(d, choice, sizes);
  EXPECT_EQ(set.place(0).count, 10U);
  EXPECT_EQ(set.place(1).first, 10U);
  const std::vector<std::uint64_t> none{0, 1};
  EXPECT_EQ(SignalSet(d, choice, none).place(1).first, 0U);
}

TEST(SignalSet, TurnsNegatedAliasesAround) {
  Builder b(FmiVersion::v1);
  b.add("x", 1);
  b.add("minus x", 1).negated = true;
  b.add("i", 1, Type::Int32).negated = true;
  b.add("not b", 1, Type::Boolean).negated = true;
  b.add("s", 1, Type::String).negated = true;  // meaningless, must be ignored
  const Description d = b.finish();
  const SignalSet set(d, std::vector<VariableId>{0, 1, 2, 3, 4});
  Columns c = set.make_columns();
  c.column<double>() = {2, 2};
  c.column<std::int32_t>() = {7};
  c.column<Bool>() = {true};
  c.column<std::string>() = {"text"};
  set.negate(c);
  EXPECT_THAT(c.column<double>(), ElementsAre(2, -2));
  EXPECT_THAT(c.column<std::int32_t>(), ElementsAre(-7));
  EXPECT_FALSE(c.column<Bool>()[0]);
  EXPECT_EQ(c.column<std::string>()[0], "text");
  set.negate(c);
  EXPECT_THAT(c.column<double>(), ElementsAre(2, 2));
}

TEST(SignalSet, NegatesTheSmallestIntegerWithoutOverflow) {
  Builder b(FmiVersion::v1);
  b.add("i", 1, Type::Int32).negated = true;
  const Description d = b.finish();
  const SignalSet set(d, std::vector<VariableId>{0});
  Columns c = set.make_columns();
  c.column<std::int32_t>() = {std::numeric_limits<std::int32_t>::min()};
  set.negate(c);
  EXPECT_EQ(c.column<std::int32_t>()[0], std::numeric_limits<std::int32_t>::min());
}

TEST(SignalSet, RefusesMoreElementsThanItCanCount) {
  Builder b;
  b.add("x", 1);
  b.dimensions(b.add("large", 2), {fixed_size((1U << 30) + 1)});
  // The largest number of elements: adding one overflows.
  b.dimensions(b.add("endless", 3), {fixed_size(std::numeric_limits<std::uint64_t>::max())});
  const Description d = b.finish();
  const auto refusal = [&](std::vector<VariableId> choice) { return error_text([&] { (void)SignalSet(d, choice); }); };
  EXPECT_THAT(refusal({1}), HasSubstr("'large' of 'plant' alone has 1073741825"));
  EXPECT_THAT(refusal({2}), HasSubstr("'endless'"));
  EXPECT_THAT(refusal({0, 2}), HasSubstr("'endless'"));
}

TEST(ElementName, CountsFromOneInRowMajorOrder) {
  const Description d = sample();
  EXPECT_EQ(element_name(d, d[0], 0), "x");
  EXPECT_EQ(element_name(d, d[2], 2), "vector[3]");
  EXPECT_EQ(element_name(d, d[4], 0), "matrix[1,1]");
  EXPECT_EQ(element_name(d, d[4], 1), "matrix[1,2]");
  EXPECT_EQ(element_name(d, d[4], 2), "matrix[2,1]");
  EXPECT_EQ(element_name(d, d[4], 3), "matrix[2,2]");
}

TEST(ElementName, DoesWithoutASizeThatIsNotThere) {
  Builder b;
  b.dimensions(b.add("a", 1), {sized_by(99), sized_by(98)});
  b.dimensions(b.add("b", 2), {fixed_size(0)});
  const Description d = b.finish();
  EXPECT_EQ(element_name(d, d[0], 2), "a[3,1]");
  EXPECT_EQ(element_name(d, d[1], 0), "b[1]");
}

}  // namespace
}  // namespace consort::describe
