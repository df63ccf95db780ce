#include <gtest/gtest.h>

#include "describe/check.hpp"

namespace consort::describe {
namespace {

TEST(StructuredName, AllowsWhatTheGrammarHas) {
  for (const char* name :
       {"x", "_x", "x1", "a.b.c", "a[1]", "a[1,2]", "a[1, 2].b[3]", "der(x)", "der(a.b[2])", "der(x,2)", "der(x, 12)",
        "'any thing but a quote'", "a.'5'.b", R"('with \' inside')", R"('\\')", "der('x y')", "'[]().,'", "'ö'"}) {
    EXPECT_TRUE(is_structured_name(name)) << name;
  }
}

TEST(StructuredName, RefusesEverythingElse) {
  for (const char* name :
       {"",         "1x",      "a b",   "a.",    ".a",     "a..b",    "a[",      "a[]",     "a[1",
        "a[x]",     "a[1,]",   "a[-1]", "der(",  "der()",  "der(x",   "der(x))", "der(x,)", "der(x,y)",
        "der(x)y",  "der(x) ", "''",    "'open", R"('\')", R"('a\)",  "a'b'",    "a-b",     "x[1]y",
        "der(x).y", " x",      "ö",     "a.b]",  "der(1)", "x[1][2]", "x\n",     "a[1].",   "("}) {
    EXPECT_FALSE(is_structured_name(name)) << name;
  }
}

TEST(StructuredName, StopsAtAZeroByteInside) { EXPECT_FALSE(is_structured_name(std::string_view("a\0b", 3))); }

TEST(StructuredName, TakesLongNamesInLinearTime) {
  std::string name = "a";
  for (int i = 0; i < 200'000; ++i) name += ".b[1,2]";
  EXPECT_TRUE(is_structured_name(name));
  EXPECT_FALSE(is_structured_name(name + "."));
}

}  // namespace
}  // namespace consort::describe
