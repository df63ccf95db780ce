#include "base/xml.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "base/tests/places.hpp"

namespace consort {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(std::string text, const XmlLimits& limits = {}) {
  return error_text([&] { (void)XmlDocument::parse(std::move(text), "a.xml", limits); });
}

std::string nested(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += "<e>\n";
  for (std::size_t i = 0; i < depth; ++i) text += "</e>";
  return text;
}

// Converts ASCII to UTF-16, little-endian with a byte order mark.
std::string utf16(std::string_view ascii) {
  std::string out = "\xFF\xFE";
  for (const char c : ascii) {
    out += c;
    out += '\0';
  }
  return out;
}

TEST(Xml, KnowsTheLineOfEveryElement) {
  const auto document = XmlDocument::parse("<?xml version=\"1.0\"?>\n<a>\n\n  <b/>\n  <c\n   x=\"1\"/></a>\n", "a.xml");
  const auto root = document.root();
  EXPECT_EQ(document.line(root), 2U);
  EXPECT_EQ(document.line(root.child("b")), 4U);
  EXPECT_EQ(document.line(root.child("c")), 5U);
  EXPECT_EQ(document.line({}), 0U);
  EXPECT_EQ(document.shown(), "a.xml");
  EXPECT_FALSE(document.has_doctype());
}

TEST(Xml, CountsLinesOfWindowsAndBehindAByteOrderMark) {
  const auto document = XmlDocument::parse("\xEF\xBB\xBF<?xml version=\"1.0\"?>\r\n<a>\r\n<b/></a>", "a.xml");
  EXPECT_EQ(document.line(document.root()), 2U);
  EXPECT_EQ(document.line(document.root().child("b")), 3U);
}

TEST(Xml, StaysValidWhenItIsMoved) {
  // Short enough for the small-string buffer.
  auto first = XmlDocument::parse("<a x='y'/>", "a.xml");
  const auto second = std::move(first);
  EXPECT_STREQ(second.root().name(), "a");
  EXPECT_STREQ(second.root().attribute("x").value(), "y");
  EXPECT_EQ(second.line(second.root()), 1U);
}

TEST(Xml, NamesTheLineOfWhatIsNotWellFormed) {
  EXPECT_THAT(refusal("<a>\n<b>\n</a>"),
              AllOf(StartsWith("a.xml:3: this is not well-formed XML"), HasSubstr("repair")));
  EXPECT_THAT(refusal("<a>\n<b x=1/>\n</a>"), StartsWith("a.xml:2: "));
  EXPECT_THAT(refusal("<a"), StartsWith("a.xml:1: "));
  EXPECT_THAT(refusal("<a>"), StartsWith("a.xml:1: "));
  EXPECT_THAT(refusal("<a>\n\n&#x;<"), StartsWith("a.xml:3: "));
}

TEST(Xml, RefusesDocumentsWithoutARoot) {
  for (const char* text : {"", " \n ", "<?xml version=\"1.0\"?>", "<!-- nothing -->", "plain text", "\xEF\xBB\xBF"}) {
    EXPECT_THAT(refusal(text), StartsWith("a.xml")) << text;
  }
}

TEST(Xml, RefusesElementsThatAreNestedTooDeep) {
  EXPECT_NO_THROW((void)XmlDocument::parse(nested(64), "a.xml"));
  EXPECT_THAT(refusal(nested(65)), StartsWith("a.xml:65: elements are nested more than 64 deep"));
  // Far deeper than a recursive walk would survive.
  EXPECT_THAT(refusal(nested(1'000'000)), HasSubstr("more than 64 deep"));
  EXPECT_THAT(refusal("<a><b/><b><c/></b></a>", {.depth = 2}), HasSubstr("more than 2 deep"));
  EXPECT_NO_THROW((void)XmlDocument::parse("<a><b/><b/></a>", "a.xml", {.depth = 2}));
}

TEST(Xml, RefusesWhatIsTooLarge) {
  const std::string text = "<a>" + std::string(100, ' ') + "</a>";
  EXPECT_THAT(refusal(text, {.bytes = 100}), AllOf(StartsWith("a.xml: "), HasSubstr("107 bytes")));
  EXPECT_NO_THROW((void)XmlDocument::parse(text, "a.xml", {.bytes = 107}));
}

TEST(Xml, NeverFollowsADocumentType) {
  const auto document = XmlDocument::parse(
      "<!DOCTYPE a [\n<!ENTITY e SYSTEM \"file:///etc/passwd\">\n<!ENTITY f \"&e;&e;&e;\">]>\n<a x=\"&e;&f;\">&e;</a>",
      "a.xml");
  EXPECT_TRUE(document.has_doctype());
  EXPECT_STREQ(document.root().attribute("x").value(), "&e;&f;");
  EXPECT_STREQ(document.root().text().as_string(), "&e;");
  EXPECT_EQ(document.line(document.root()), 4U);
}

TEST(Xml, ReadsLatin1WhereItIsDeclared) {
  for (const char* encoding : {"ISO-8859-1", "iso-8859-1", "latin1", "windows-1252"}) {
    const std::string text = std::string("<?xml version='1.0' encoding='") + encoding +
                             "'?>\n<a>\n<b name='Stra\xDF"
                             "e'/></a>";
    const auto document = XmlDocument::parse(text, "a.xml");
    EXPECT_STREQ(document.root().child("b").attribute("name").value(), "Straße") << encoding;
    EXPECT_EQ(document.line(document.root().child("b")), 3U);
  }
}

TEST(Xml, BelievesBytesThatAreUtf8EvenWhereLatin1IsDeclared) {
  const auto document = XmlDocument::parse("<?xml version='1.0' encoding='ISO-8859-1'?><a name='Straße'/>", "a.xml");
  EXPECT_STREQ(document.root().attribute("name").value(), "Straße");
}

TEST(Xml, ReadsUtf16ButDoesNotKnowItsLines) {
  const auto document = XmlDocument::parse(utf16("<a>\n<b name='x'/>\n</a>"), "a.xml");
  EXPECT_STREQ(document.root().child("b").attribute("name").value(), "x");
  EXPECT_EQ(document.line(document.root().child("b")), 0U);
  EXPECT_THAT(refusal(utf16("<a>\n<b>\n</a>")), StartsWith("a.xml: this is not well-formed XML"));
}

TEST(Xml, SurvivesZeroBytes) {
  using namespace std::string_literals;
  EXPECT_THAT(refusal("<a>\0</b>"s), StartsWith("a.xml"));
  EXPECT_THAT(refusal("\0\0\0\0"s), StartsWith("a.xml"));
  EXPECT_THAT(refusal("<\0a\0"s), StartsWith("a.xml"));
}

TEST(Xml, LoadsAFile) {
  const std::string file = places::scratch() + "/xml_test.xml";
  std::ofstream(file) << "<a>\n</a>";
  EXPECT_STREQ(XmlDocument::load(file, "shown.xml").root().name(), "a");
  EXPECT_THAT(error_text([&] { (void)XmlDocument::load(file, "shown.xml", {.bytes = 3}); }), HasSubstr("3"));
  EXPECT_THAT(error_text([] { (void)XmlDocument::load("/no/such.xml", "shown.xml"); }), HasSubstr("/no/such.xml"));
}

TEST(Xml, WritesAnElementAsText) {
  const auto document = XmlDocument::parse("<a>\n <b x='1 &lt; 2'>t<c/></b>\n</a>", "a.xml");
  EXPECT_EQ(xml_text(document.root().child("b")), "<b x=\"1 &lt; 2\">t<c/></b>");
  EXPECT_EQ(xml_text({}), "");
}

TEST(Xml, TellsNamesApartByTheirKeys) {
  static_assert(xml_key("name") != xml_key("Name"));
  static_assert(xml_key("") != xml_key("a"));
  EXPECT_EQ(xml_key("valueReference"), xml_key(std::string("valueReference")));
}

}  // namespace
}  // namespace consort
