#include "base/csv.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "base/tests/places.hpp"

namespace consort {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(std::string text, const CsvLimits& limits = {}) {
  return error_text([&] { (void)parse_csv(std::move(text), "in.csv", limits); });
}

TEST(Csv, ReadsHeaderAndCells) {
  const CsvTable table = parse_csv("time,x,name\n0,1.5,a\n0.1,-2e3,b\n", "in.csv");
  EXPECT_THAT(table.header(), ElementsAre("time", "x", "name"));
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.cell(1, 2), "b");
  EXPECT_EQ(table.number(1, 1), -2000.0);
  EXPECT_EQ(table.line(1), 3U);
  EXPECT_EQ(table.find("x"), 1U);
  EXPECT_EQ(table.find("X"), std::nullopt);
}

TEST(Csv, ReadsTheLastLineWithoutNewLine) {
  const CsvTable table = parse_csv("a,b\n1,2", "in.csv");
  ASSERT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.cell(0, 1), "2");
}

TEST(Csv, AcceptsByteOrderMarkCrlfAndBlankLines) {
  const CsvTable table = parse_csv("\xEF\xBB\xBF\r\n\"time\",\"x\"\r\n\r\n  \r\n1,2\r\n\n\n3,4\r\n\r\n  ", "in.csv");
  EXPECT_THAT(table.header(), ElementsAre("time", "x"));
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.line(0), 5U);
  EXPECT_EQ(table.line(1), 8U);
  EXPECT_EQ(table.cell(0, 1), "2");
}

TEST(Csv, UnquotesCells) {
  const CsvTable table = parse_csv("\"A[1,2]\", \"say \"\"hi\"\"\" ,c\n\"x\ny\",\"\",\"\"\"\"\n1,2,3\n", "in.csv");
  EXPECT_THAT(table.header(), ElementsAre("A[1,2]", "say \"hi\"", "c"));
  EXPECT_EQ(table.cell(0, 0), "x\ny");
  EXPECT_EQ(table.cell(0, 1), "");
  EXPECT_EQ(table.cell(0, 2), "\"");
  EXPECT_EQ(table.line(1), 4U);
}

TEST(Csv, DropsBlanksAroundBareCellsOnly) {
  const CsvTable table = parse_csv("a , b\n 1 ,\" 2 \"\n", "in.csv");
  EXPECT_THAT(table.header(), ElementsAre("a", "b"));
  EXPECT_EQ(table.cell(0, 0), "1");
  EXPECT_EQ(table.cell(0, 1), " 2 ");
}

TEST(Csv, DetectsTheSeparatorOutsideQuotes) {
  EXPECT_EQ(parse_csv("time;A[1,1];A[1,2]\n0;1;2\n", "in.csv").columns(), 3U);
  EXPECT_EQ(parse_csv("time\tx,y\n0\t1\n", "in.csv").columns(), 2U);
  EXPECT_EQ(parse_csv("\"a;b\",\"c\td\"\n0,1\n", "in.csv").separator(), ',');
  EXPECT_EQ(parse_csv("a,b\nx;y,z\n", "in.csv").cell(0, 0), "x;y");
}

TEST(Csv, KeepsEmptyCellsBetweenTabs) {
  const CsvTable table = parse_csv("a\tb\tc\n\t\t\n1\t\t3\n", "in.csv");
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.cell(0, 2), "");
  EXPECT_EQ(table.cell(1, 1), "");
  EXPECT_EQ(table.cell(1, 2), "3");
}

TEST(Csv, ReadsASingleColumnAndAHeaderAlone) {
  EXPECT_EQ(parse_csv("time\n1\n\n2\n", "in.csv").rows(), 2U);
  EXPECT_EQ(parse_csv("time,x", "in.csv").rows(), 0U);
}

TEST(Csv, StaysValidWhenItIsMoved) {
  CsvTable table = parse_csv("a,b\n1,2\n", "in.csv");  // short enough for the small-string buffer
  const CsvTable moved = std::move(table);
  EXPECT_EQ(moved.cell(0, 1), "2");
  EXPECT_THAT(moved.header(), ElementsAre("a", "b"));
}

TEST(Csv, ReadsElementsOfAnyType) {
  const CsvTable table = parse_csv("i,b,s\n-3,true,two words\n", "in.csv");
  EXPECT_EQ(table.element<std::int32_t>(0, 0), -3);
  EXPECT_TRUE(table.element<Bool>(0, 1));
  EXPECT_EQ(table.element<std::string>(0, 2), "two words");
}

TEST(Csv, RefusesRaggedRowsWithTheirLine) {
  EXPECT_THAT(refusal("a,b\n1,2\n\n3\n"), HasSubstr("in.csv, line 4: only 1 cells where the header has 2"));
  EXPECT_THAT(refusal("a,b\n1,2,3\n"), HasSubstr("in.csv, line 2: more than 2 cells"));
  EXPECT_THAT(refusal("a\tb\n1,2\n"), HasSubstr("separated by tabs"));
  EXPECT_THAT(refusal("a,b\n\"x\ny\n\",1\n2\n"), HasSubstr("line 5"));
}

TEST(Csv, RefusesBrokenQuotes) {
  EXPECT_THAT(refusal("a,b\n1,\"2\n3,4\n"), HasSubstr("in.csv, line 2: a quote is opened and never closed"));
  EXPECT_THAT(refusal("a,b\n1,\"2\"x\n"), HasSubstr("line 2: 'x' after a closing quote"));
  EXPECT_THAT(refusal("\"a"), HasSubstr("line 1"));
}

TEST(Csv, RefusesWhatIsNoTable) {
  EXPECT_THAT(refusal(""), HasSubstr("'in.csv' is empty"));
  EXPECT_THAT(refusal("\xEF\xBB\xBF \r\n\n"), HasSubstr("is empty"));
  EXPECT_THAT(refusal(std::string("\xFF\xFE"
                                  "a\0",
                                  4)),
              HasSubstr("UTF-16"));
  EXPECT_THAT(refusal(std::string("PK\x03\x04\0\0\n1", 8)), HasSubstr("not a table"));
}

TEST(Csv, RefusesMoreThanItsLimits) {
  EXPECT_THAT(refusal("a,b,c\n", {.columns = 2}), HasSubstr("more than 2 columns"));
  EXPECT_THAT(refusal("a,b\n1,2\n3,4\n5,6\n", {.cells = 4}), HasSubstr("line 4: more than 4 cells"));
  EXPECT_THAT(refusal("a,b\n1,2\n", {.bytes = 5}), HasSubstr("more than the 5"));
  EXPECT_EQ(parse_csv("a,b\n1,2\n3,4\n", "in.csv", {.columns = 2, .cells = 4}).rows(), 2U);
}

TEST(Csv, NamesFileLineAndColumnOfACellThatIsNoNumber) {
  const CsvTable table = parse_csv("time,x\n0,\n1,abc\n", "in.csv");
  EXPECT_THAT(error_text([&] { (void)table.number(0, 1); }), HasSubstr("in.csv, line 2, column 'x': ''"));
  EXPECT_THAT(error_text([&] { (void)table.number(1, 1); }), HasSubstr("in.csv, line 3, column 'x': 'abc'"));
}

TEST(Csv, SaysThatADecimalCommaIsNotSupported) {
  const CsvTable table = parse_csv("time;x\n0,5;1\n", "in.csv");
  EXPECT_THAT(error_text([&] { (void)table.number(0, 0); }), HasSubstr("decimal comma is not supported"));
}

TEST(Csv, ReadsAFileAndNamesAMissingOne) {
  const std::string file = places::scratch() + "/csv_test.csv";
  std::ofstream(file) << "time,x\n0,1\n";
  EXPECT_EQ(read_csv(file).number(0, 1), 1.0);
  EXPECT_THAT(error_text([&] { (void)read_csv(file, {.bytes = 4}); }), HasSubstr(file));
  EXPECT_THAT(error_text([] { (void)read_csv("/no/such.csv"); }), HasSubstr("/no/such.csv"));
}

TEST(Csv, ReadsAHeaderWithoutTheRows) {
  const std::string file = places::scratch() + "/csv_header_test.csv";
  const auto header_of = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
    return read_csv_header(file);
  };
  EXPECT_THAT(header_of("\n\ntime, x ,\"a\nb\"\n0,not read\n"), ElementsAre("time", "x", "a\nb"));
  EXPECT_THAT(header_of("time;x,y"), ElementsAre("time", "x,y"));
  std::string wide = "time";
  for (int i = 0; i < 9000; ++i) wide += ",\"column " + std::to_string(i) + '"';
  EXPECT_EQ(header_of(wide + "\n0\n").size(), 9001U) << "longer than one block";
  EXPECT_THAT(error_text([&] { (void)header_of("\n \n"); }), HasSubstr("is empty"));
  EXPECT_THAT(error_text([&] { (void)header_of("time,\"x\n"); }), HasSubstr("never closed"));
  EXPECT_THAT(error_text([] { (void)read_csv_header("/no/such.csv"); }), HasSubstr("cannot read '/no/such.csv'"));
  EXPECT_THAT(error_text([] { (void)read_csv_header("/dev/null"); }), HasSubstr("not a regular file"));
}

TEST(Csv, ReadsManyRowsExactly) {
  std::string text = "time,x\n";
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + ", " + std::to_string(2 * i) + "\r\n";
  const CsvTable table = parse_csv(text, "in.csv");
  ASSERT_EQ(table.rows(), 50'000U);
  for (std::size_t i = 0; i < table.rows(); ++i) ASSERT_EQ(table.number(i, 1), 2.0 * static_cast<double>(i));
}

}  // namespace
}  // namespace consort
