#include "base/error.hpp"

#include <type_traits>

#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"

namespace consort {
namespace {

static_assert(std::is_nothrow_copy_constructible_v<Error> && std::is_nothrow_copy_assignable_v<Error>);

class Special : public Error {
 public:
  using Error::Error;
};

TEST(Error, KnowsNothingMoreThanItIsTold) {
  const Error plain = input_error("no file");
  EXPECT_EQ(plain.fields(), ErrorFields());
  EXPECT_EQ(plain.unit(), "");
  EXPECT_EQ(plain.call(), "");
  EXPECT_FALSE(plain.time().has_value());
  EXPECT_EQ(plain.setting(), "");
}

TEST(Error, TakesFieldsOneByOneAndKeepsItsTextAndFault) {
  const Error error = run_error("{} failed", 3).in_unit("wheel").in_call("fmi2DoStep").at(1.25).of_setting("step");
  EXPECT_STREQ(error.what(), "3 failed");
  EXPECT_EQ(error.fault(), Fault::run);
  EXPECT_EQ(error.fields(), (ErrorFields{"wheel", "fmi2DoStep", 1.25, "step"}));
}

TEST(Error, KeepsItsFieldsWhenItIsCopiedAssignedAndThrown) {
  Error copy = input_error("another");
  {
    const Error error = run_error("text").in_unit("wheel").at(0);
    copy = error;
  }
  EXPECT_EQ(copy.unit(), "wheel");
  EXPECT_EQ(copy.time(), 0.0);
  EXPECT_EQ(thrown_error([&] { throw copy; }, Fault::run).unit(), "wheel");
}

TEST(Error, StaysWhatItIsWhenACopyGetsAField) {
  const Error first = run_error("text").in_unit("wheel");
  const Error second = first.in_unit("axle");
  EXPECT_EQ(first.unit(), "wheel");
  EXPECT_EQ(second.unit(), "axle");
}

TEST(Error, HasNoFieldsAfterItWasMovedFromButCanBeAsked) {
  Error first = run_error("text").in_unit("wheel");
  const Error second = std::move(first);
  EXPECT_EQ(second.unit(), "wheel");
  EXPECT_NO_THROW(static_cast<void>(first.unit()));  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
}

TEST(Error, GetsAnotherTextWithTheSameFields) {
  const Error error = input_error("inner").of_setting("step").with_text("outer: inner");
  EXPECT_STREQ(error.what(), "outer: inner");
  EXPECT_EQ(error.fault(), Fault::input);
  EXPECT_EQ(error.setting(), "step");
}

TEST(Error, OfASubclassIsMadeWithFields) {
  EXPECT_EQ(Special(Fault::run, "text").fields(), ErrorFields());
  const Error error = thrown_error([] { throw Special(Fault::run, "text", {.unit = "wheel"}); }, Fault::run);
  EXPECT_EQ(error.unit(), "wheel");
}

TEST(Require, NamesTheUnitOrTheSetting) {
  EXPECT_NO_THROW(require_in_unit("wheel", true, "text"));
  EXPECT_NO_THROW(require_setting("step", true, "text"));
  const Error unit = thrown_error([] { require_in_unit("wheel", false, "{} is wrong", 1); });
  EXPECT_EQ(unit.unit(), "wheel");
  EXPECT_STREQ(unit.what(), "1 is wrong");
  EXPECT_EQ(unit.fault(), Fault::input);
  const Error setting = thrown_error([] { require_setting("step", false, "{} is wrong", 2); });
  EXPECT_EQ(setting.setting(), "step");
  EXPECT_STREQ(setting.what(), "2 is wrong");
}

TEST(WithUnit, ReturnsWhatTheBodyReturns) {
  int x = 3;
  EXPECT_EQ(&with_unit("wheel", [&]() -> int& { return x; }), &x);
  with_unit("wheel", [&] { x = 4; });
  EXPECT_EQ(x, 4);
}

TEST(WithUnit, NamesTheUnitOfAnErrorThatHasNone) {
  const Error error =
      thrown_error([] { with_unit("wheel", [] { throw input_error("no solver").of_setting("solver").at(2); }); });
  EXPECT_STREQ(error.what(), "unit 'wheel': no solver");
  EXPECT_EQ(error.fault(), Fault::input);
  EXPECT_EQ(error.fields(), (ErrorFields{"wheel", "", 2.0, "solver"}));
}

TEST(WithUnit, LeavesAnErrorThatHasAUnitAsItIs) {
  const auto body = [] { throw Special(Fault::run, "unit 'axle' broke", {.unit = "axle"}); };
  EXPECT_THROW(with_unit("wheel", body), Special);
  const Error error = thrown_error([&] { with_unit("wheel", body); }, Fault::run);
  EXPECT_STREQ(error.what(), "unit 'axle' broke");
  EXPECT_EQ(error.unit(), "axle");
}

// A solver may have the same name as the unit, so a name in the text is not evidence.
TEST(WithUnit, DoesNotTakeAQuotedNameForTheUnit) {
  const Error error =
      thrown_error([] { with_unit("cvode", [] { throw run_error("solver 'cvode' gave up"); }); }, Fault::run);
  EXPECT_STREQ(error.what(), "unit 'cvode': solver 'cvode' gave up");
}

TEST(WithUnit, PassesOtherExceptions) {
  EXPECT_THROW(with_unit("wheel", [] { throw std::bad_alloc(); }), std::bad_alloc);
}

}  // namespace
}  // namespace consort
