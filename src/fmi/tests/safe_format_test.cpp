#include "fmi/safe_format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fmi/tests/description_text.hpp"
#include "fmi/variable_names.hpp"

namespace consort::fmi {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string format(const char* text, ...) {
  std::va_list arguments;
  va_start(arguments, text);
  std::string out = safe_format(text, arguments);
  va_end(arguments);
  return out;
}

const char* address(std::uintptr_t number) { return reinterpret_cast<const char*>(number); }

TEST(SafeFormat, KnowsTheConversionsOfPrintf) {
  EXPECT_EQ(format("%d %i %u %x %X %o %c", -1, 2, 3U, 255, 255, 8, 'z'), "-1 2 3 ff FF 10 z");
  EXPECT_EQ(format("%5d|%-5d|%05d|%+d", 42, 42, 42, 42), "   42|42   |00042|+42");
  EXPECT_EQ(format("%ld %lld %lu %zu %jd %td", -1L, -2LL, 3UL, std::size_t{4}, std::intmax_t{5}, std::ptrdiff_t{6}),
            "-1 -2 3 4 5 6");
  EXPECT_EQ(format("%hd %hhd", 7, 8), "7 8");
  EXPECT_EQ(format("%llu", 18446744073709551615ULL), "18446744073709551615");
  EXPECT_EQ(format("%f %.2f %e %g %G %a", 1.5, 1.255, 1500.0, 0.5, 1e30, 1.0),
            "1.500000 1.25 1.500000e+03 0.5 1E+30 0x1p+0");
  EXPECT_EQ(format("%Lf", 2.5L), "2.500000");
  EXPECT_EQ(format("%lf", 2.5), "2.500000");
  EXPECT_EQ(format("%s and %10s and %-4s| and %.2s", "one", "two", "x", "three"),
            "one and        two and x   | and th");
  EXPECT_EQ(format("100%%"), "100%");
  EXPECT_THAT(format("%p", address(0x1234)), HasSubstr("1234"));
  EXPECT_EQ(format("plain"), "plain");
  EXPECT_EQ(format(""), "");
}

TEST(SafeFormat, TakesWidthAndPrecisionFromTheArguments) {
  EXPECT_EQ(format("%*d|%-*d|%.*f", 5, 1, 3, 2, 1, 2.25), "    1|2  |2.2");
  EXPECT_EQ(format("%*d|", -4, 7), "7   |");
  EXPECT_EQ(format("%.*f", -1, 1.5), "1.500000");  // a negative precision means no precision
}

TEST(SafeFormat, NeverWritesThroughAnArgument) {
  int untouched = 42;
  EXPECT_EQ(format("a%nb %d", &untouched, 7), "ab 7");
  EXPECT_EQ(untouched, 42);
  EXPECT_EQ(format("%hhn%ln", nullptr, address(1)), "");
}

TEST(SafeFormat, SurvivesPointersToNowhere) {
  EXPECT_EQ(format("%s|%s|%s", address(1), nullptr, "good"), "(bad pointer)|(null)|good");
  EXPECT_EQ(format("%s", address(0xdeadbeefdeadbeefULL)), "(bad pointer)");
  EXPECT_EQ(format(nullptr), "(null)");
  EXPECT_EQ(format(address(16)), "(bad pointer)");
}

TEST(SafeFormat, StopsAtTheEndOfMappedMemory) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  char* const bytes = static_cast<char*>(memory);
  ASSERT_EQ(mprotect(bytes + page, page, PROT_NONE), 0);
  // No terminating zero before the unreadable page.
  for (std::size_t i = page - 300; i < page; ++i) bytes[i] = 'x';
  EXPECT_EQ(safe_copy(bytes + page - 300), std::string(300, 'x'));
  EXPECT_EQ(format("%.3s", bytes + page - 2), "xx");
  EXPECT_EQ(safe_copy(bytes + page), "(bad pointer)");
  munmap(memory, 2 * page);
}

TEST(SafeFormat, BoundsWhatComesOut) {
  EXPECT_EQ(format("%1000000000d", 5), "5");
  EXPECT_LT(format("%999d", 5).size(), 1000U);
  EXPECT_LE(format("%.1000000000f", 1.0).size(), 1600U);
  EXPECT_LE(format("%*d", 2147483647, 5).size(), 512U);
  EXPECT_LE(format("%*d", -2147483647 - 1, 5).size(), 512U);
  EXPECT_LT(format("%.999f", 1e308).size(), 1600U);
  const std::string flags = "%" + std::string(1000, '-') + "d";
  EXPECT_EQ(format(flags.c_str(), 5), "5");
  const std::string endless(1'000'000, 'x');
  EXPECT_EQ(format(endless.c_str()).size(), 65536U);
  std::string many;
  for (int i = 0; i < 200; ++i) many += "%900d";
  EXPECT_LE(format(many.c_str(), 1, 2, 3, 4, 5, 6, 7, 8, 9).size(), 65536U);
  EXPECT_EQ(safe_copy(endless.c_str(), 10), "xxxxxxxxxx");
}

TEST(SafeFormat, LeavesPerCentSignsOfPlainTextAlone) {
  EXPECT_EQ(format("50%"), "50%");
  EXPECT_EQ(format("50%, done"), "50%, done");
  EXPECT_EQ(format("%k %y", 1), "%k %y");
  EXPECT_EQ(format("a%5"), "a%5");
  EXPECT_EQ(format("%l"), "%l");
  EXPECT_EQ(format("%1$s", "x"), "%1$s");
}

TEST(SafeFormat, DoesNotReadWideStrings) { EXPECT_EQ(format("%ls|%d", L"wide", 3), "(wide text)|3"); }

TEST(SafeFormat, FormatsMoreConversionsThanThereAreArguments) {
  // The missing arguments have arbitrary values; the call must only return.
  EXPECT_THAT(format("x %d %d %f %s %s %s %s %s %s %s %s"), StartsWith("x "));
  // Enough conversions to read past the end of the stack if all were followed.
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "%d ";
  EXPECT_THAT(format(many.c_str()), testing::EndsWith("%d %d %d "));
}

TEST(ExpandVariableNames, PutsNamesInPlaceOfReferences) {
  const auto read = variables_v2(
      "<ScalarVariable name='height' valueReference='7'><Real/></ScalarVariable>"
      "<ScalarVariable name='count' valueReference='7'><Integer/></ScalarVariable>"
      "<ScalarVariable name='on' valueReference='7'><Boolean/></ScalarVariable>"
      "<ScalarVariable name='text' valueReference='7'><String/></ScalarVariable>");
  const auto expand = [&](const std::string& message) { return expand_variable_names(message, read.d); };
  EXPECT_EQ(expand("#r7# #i7# #b7# #s7# #e7#"), "height count on text count");
  EXPECT_EQ(expand("##"), "#");
  EXPECT_EQ(expand("a ## b #r7#"), "a # b height");
  EXPECT_EQ(expand("#r8#"), "#r8#");
  EXPECT_EQ(expand("#x7#"), "#x7#");
  EXPECT_EQ(expand("#r#"), "#r#");
  EXPECT_EQ(expand("#r7"), "#r7");
  EXPECT_EQ(expand("#"), "#");
  EXPECT_EQ(expand("part #1: #r7#"), "part #1: height");
  EXPECT_EQ(expand("#r-7#"), "#r-7#");
  EXPECT_EQ(expand("#r99999999999999999999#"), "#r99999999999999999999#");
  EXPECT_EQ(expand(""), "");
}

}  // namespace
}  // namespace consort::fmi
