#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/quantity.hpp"
#include "expr/tests/names.hpp"

namespace consort::expr {
namespace units_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Units : public testing::Test {
 protected:
  Units() {
    names_.add("x", "m").add("y", "mm").add("t", "s").add("u").add("T", "degC").add("TK", "K").add("w", "rpm");
    names_.add("phi", "deg").add("p", "%").add_constant("k", 15, "kN/m").add_constant("g", 2);
    slots_ = {2, 500, 3, 7, 20, 300, 60, 180, 50};
    const std::vector<double> column{0, 100};
    names_.add_table("bare", std::make_shared<Table>("bare", column, column));
    names_.add_table("curve", std::make_shared<Table>("curve", column, column, unit_named("mm"), unit_named("kN/m")));
  }

  double value(std::string_view text, const std::string& target = {}) const {
    return compile(text, names_, options(target)).evaluate(slots_, 0);
  }
  std::string error_of(std::string_view text, const std::string& target = {}) const {
    return message_of([&] { static_cast<void>(compile(text, names_, options(target))); });
  }
  static CompileOptions options(const std::string& target) {
    CompileOptions o;
    o.expected = Expected::anything;
    if (!target.empty()) o.target = unit_named(target);
    return o;
  }

  Names names_;
  std::vector<double> slots_;
};

TEST_F(Units, AreSIInside) {
  EXPECT_EQ(value("x + y"), 2.5);
  EXPECT_EQ(value("3 [cm]"), 0.03);
  EXPECT_DOUBLE_EQ(value("w"), 60 * 0.10471975511965977);
  EXPECT_DOUBLE_EQ(value("phi"), 3.141592653589793);
  EXPECT_EQ(value("T"), 293.15);
  EXPECT_EQ(value("k * x"), 30000);
  EXPECT_EQ(value("p"), 0.5);
}

TEST_F(Units, OfTheTargetAreThoseOfTheResult) {
  EXPECT_DOUBLE_EQ(value("x + y", "mm"), 2500);
  EXPECT_DOUBLE_EQ(value("x", "cm"), 200);
  EXPECT_DOUBLE_EQ(value("w", "rpm"), 60);
  EXPECT_DOUBLE_EQ(value("T", "K"), 293.15);
  EXPECT_NEAR(value("TK", "degC"), 26.85, 1e-12);
  EXPECT_DOUBLE_EQ(value("2 * k", "kN/m"), 30);
  EXPECT_DOUBLE_EQ(value("k * y", "N"), 7500);
  EXPECT_DOUBLE_EQ(value("phi", "rad"), 3.141592653589793);
}

TEST_F(Units, NumbersWithoutThemStay) {
  EXPECT_EQ(value("2", "mm"), 2);
  EXPECT_EQ(value("0", "degC"), 0);
  EXPECT_EQ(value("2 * u + g", "mm"), 16);
  EXPECT_EQ(value("5 * sin(x / 2 [m] - 1) + 3", "mm"), 3);
  EXPECT_EQ(value("if(x > 1, 5, 2)", "mm"), 5);
  EXPECT_EQ(value("clamp(u, -10, 5)", "degC"), 5);
  EXPECT_EQ(value("u", "rpm"), 7);
  // A constant of any unit as a factor.
  EXPECT_EQ(value("2e5 * x^3", "N"), 1.6e6);
  EXPECT_EQ(value("x - 4"), -2);
}

TEST_F(Units, FitOrAreNamedInAnError) {
  for (const auto* text : {"x + y",
                           "x - 3 [mm]",
                           "x < y",
                           "min(x, y, 1 [m])",
                           "if(x > 0, x, y)",
                           "atan2(x, y)",
                           "mod(x, y)",
                           "clamp(x, 0, 1 [m])",
                           "sqrt(x^2 + y * 1 [m])",
                           "x / t + 1 [m/s]",
                           "sin(x / y)",
                           "exp(phi)",
                           "sin(w * t)",
                           "x^2 + y^2",
                           "x + 0",
                           "max(0, y)",
                           "y > 0",
                           "TK > 0",
                           "T - TK",
                           "T + 5 [K]",
                           "(T + TK) / 2",
                           "u + x",
                           "u * t + x",
                           "g * x < t",
                           "x^(1/2) + sqrt(y)",
                           "2^(x / y)",
                           "p + 1 [%]",
                           "y / x < 0.5",
                           "u == x",
                           "w / 1 [rpm] > 3000",
                           "w > 3000 [rpm]",
                           "table(bare, x)",
                           "table(curve, x) + k",
                           "floor(x / y)",
                           "abs(x) + sign(t) * 1 [m]",
                           "x + 3 * y",
                           "T - 5 [degC] + 1 [K]"})
    EXPECT_EQ(error_of(text), "(no error)") << text;

  for (const auto& [text, part] : {
           std::tuple{"x + t", "column 3: 'x' is in m, but 't' is in s; correct one of them"},
           {"x - k", "'k' is in kg/s2"},
           {"x < t", "'x' is in m, but 't' is in s"},
           {"x == t", "'x' is in m, but 't' is in s"},
           {"min(x, y, t)", "but 't' is in s"},
           {"clamp(x, 0, t)", "'t' is in s"},
           {"if(x > 0, x, t)", "'x' is in m, but 't' is in s"},
           {"atan2(x, t)", "but 't' is in s"},
           {"mod(x, t)", "but 't' is in s"},
           {"x * t + x", "'x * t' is in m.s, but 'x' is in m"},
           {"x / t + x", "'x / t' is in m/s"},
           {"x^2 + x", "'x^2' is in m2"},
           {"sqrt(x) + x", "'sqrt(x)' is in m^0.5"},
           {"1 [1] / (x * t) + x", "is in 1/(m.s)"},
           {"sin(x)", "'x' is in m, but 'sin' needs a number without a unit"},
           {"exp(y)", "for example y / 1 [mm]"},
           {"floor(y)", "for example y / 1 [mm]"},
           {"2^x", "an exponent needs a number without a unit"},
           {"x^u", "the base of a power with a variable exponent"},
           {"y < 50", "'50' has no unit of measure, but 'y' has one (mm) that is not the SI unit; write 50 [mm]"},
           {"w > 3000", "write 3000 [rpm]"},
           {"u + y", "write (u) * 1 [mm], or the unit that is meant"},
           {"2 * y + 3", "write 3 [mm]"},
           {"x + y + 3", "write 3 [mm]"},
           {"T > 0", "write 0 [degC]"},
           {"T + 5 [degC]", "count from the zero of their unit"},
           {"table(bare, y)", "the first column of table 'bare' has no unit of measure"},
           {"table(curve, t)", "'t' is in s, but the first column of table 'curve' is in mm"},
           {"p + 5", "write 5 [%]"},
       })
    EXPECT_THAT(error_of(text), HasSubstr(part)) << text;
}

TEST_F(Units, OfTheResultMustFitTheTarget) {
  EXPECT_THAT(error_of("x", "s"), HasSubstr("the result is in m, but the target is in s"));
  EXPECT_THAT(error_of("k * x", "m"), HasSubstr("the result is in kg.m/s2"));
  EXPECT_THAT(error_of("2 * t", "rpm"),
              AllOf(HasSubstr("the unit of the result is not known"), HasSubstr("for example 3 [1/s]")));
  EXPECT_EQ(error_of("2 * t", "rad/s"), "(no error)");
  EXPECT_EQ(error_of("-k * (x + y - 4 [m])", "N"), "(no error)");
  EXPECT_EQ(error_of("x > 3", "N"), "(no error)");
}

TEST_F(Units, ThatTheTargetLacksAreNoted) {
  EXPECT_THAT(compile("w", names_).notes(),
              ElementsAre("'w' gives a value in the SI unit (1/s), because the target has no unit of measure"));
  EXPECT_THAT(compile("x", names_).notes(), IsEmpty());
  EXPECT_THAT(compile("w", names_, options("rpm")).notes(), IsEmpty());
  EXPECT_THAT(compile("w / 1 [rpm]", names_).notes(), IsEmpty());
}

TEST_F(Units, OfTheResultAreKnownIfTheOperandsHaveThem) {
  const auto unit = [&](std::string_view text, const std::string& target = {}) {
    return compile(text, names_, options(target)).unit();
  };
  ASSERT_TRUE(unit("k * y"));
  EXPECT_THAT(unit("k * y")->exponents, ElementsAre(1, 1, -2, 0, 0, 0, 0, 0));
  EXPECT_EQ(unit("k * y")->factor, 1);
  EXPECT_EQ(unit("y", "mm")->factor, 1e-3);
  EXPECT_FALSE(unit("2 * y"));
  EXPECT_FALSE(unit("u"));
  EXPECT_FALSE(unit("sqrt(y)"));
  EXPECT_FALSE(unit("x > y"));
}

TEST_F(Units, OfTablesAreConverted) {
  EXPECT_DOUBLE_EQ(value("table(curve, 0.05 [m])"), 50e3);
  EXPECT_DOUBLE_EQ(value("table(curve, y / 10)", "kN/m"), 50);
  EXPECT_DOUBLE_EQ(value("table(bare, u)"), 7);
}

TEST(UnitText, IsReadable) {
  EXPECT_EQ(unit_text({}), "1");
  EXPECT_EQ(unit_text({1, 1, -2}), "kg.m/s2");
  EXPECT_EQ(unit_text({1, 0, -3, 0, -1}), "kg/(K.s3)");
  EXPECT_EQ(unit_text({0, 0, -1}), "1/s");
}

TEST(Tables, MustBeSortedAndFinite) {
  const auto error_of = [](std::vector<double> x, std::vector<double> y) {
    return message_of([&] { Table("clutch", std::move(x), std::move(y)); });
  };
  EXPECT_EQ(error_of({1, 2}, {3, 4}), "(no error)");
  EXPECT_EQ(error_of({1}, {3}), "(no error)");
  EXPECT_THAT(error_of({}, {}), HasSubstr("at least one row"));
  EXPECT_THAT(error_of({1, 2}, {3}), HasSubstr("2 values of x and 1 of y"));
  EXPECT_THAT(error_of({1, 1}, {3, 4}), HasSubstr("table 'clutch', row 2: x = 1 does not grow after 1"));
  EXPECT_THAT(error_of({1, NAN}, {3, 4}), HasSubstr("is not finite"));
}

}  // namespace units_test
}  // namespace consort::expr
