#include "base/xml.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

#include <malloc.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort {

namespace {

// Converts Latin-1 to UTF-8, so that offsets and lines refer to the characters that the parser sees.
std::string utf8_of_latin1(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x80) {
      out.push_back(c);
    } else {
      out.push_back(static_cast<char>(0xC0 | (u >> 6)));
      out.push_back(static_cast<char>(0x80 | (u & 0x3F)));
    }
  }
  return out;
}

// The value of encoding="…" in the declaration; empty: not given.
std::string_view declared_encoding(std::string_view text) {
  if (!text.starts_with("<?xml")) return {};
  const std::string_view head = text.substr(0, std::min(text.find("?>"), std::size_t{256}));
  const auto at = head.find("encoding");
  if (at == std::string_view::npos) return {};
  const auto open = head.find_first_of("\"'", at);
  if (open == std::string_view::npos) return {};
  const auto close = head.find(head[open], open + 1);
  if (close == std::string_view::npos) return {};
  return head.substr(open + 1, close - open - 1);
}

bool is_one_byte_encoding(std::string_view name) {
  return iequals(name, "ISO-8859-1") || iequals(name, "latin1") || iequals(name, "windows-1252") ||
         iequals(name, "cp1252");
}

std::vector<std::uint32_t> find_line_starts(std::string_view text) {
  std::vector<std::uint32_t> starts{0};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  for (const char* p = begin;
       (p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)))) != nullptr;) {
    starts.push_back(static_cast<std::uint32_t>(++p - begin));
    if (p == end) break;
  }
  return starts;
}

// Depth-first without recursion. Returns the first node below the allowed depth, or a null node.
pugi::xml_node first_too_deep(pugi::xml_node root, std::uint32_t depth_limit) {
  std::uint32_t depth = 1;
  for (pugi::xml_node node = root; node;) {
    if (const auto child = node.first_child()) {
      if (++depth > depth_limit) return child;
      node = child;
      continue;
    }
    while (node && node != root && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    if (!node || node == root) break;
    node = node.next_sibling();
  }
  return {};
}

}  // namespace

XmlDocument::XmlDocument() = default;
XmlDocument::XmlDocument(XmlDocument&&) noexcept = default;
XmlDocument& XmlDocument::operator=(XmlDocument&&) noexcept = default;

XmlDocument::~XmlDocument() {
  constexpr std::size_t large = std::size_t{1} << 20;
  if (!document_ || text_.size() < large) return;
  // The parser's pages are mixed with other allocations, so the allocator would never return them by itself.
  document_.reset();
  ::malloc_trim(0);
}

XmlDocument XmlDocument::load(const std::filesystem::path& file, std::string shown, const XmlLimits& limits) {
  return parse(read_file(file, limits.bytes), std::move(shown), limits);
}

XmlDocument XmlDocument::parse(std::string text, std::string shown, const XmlLimits& limits) {
  require(text.size() <= std::min<std::size_t>(limits.bytes, UINT32_MAX),
          "{}: the document has {} bytes, more than the {} accepted", shown, text.size(), limits.bytes);
  XmlDocument document;
  document.shown_ = std::move(shown);
  document.text_ = std::move(text);
  std::string_view bytes = document.text_;
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const bool one_byte = is_one_byte_encoding(declared_encoding(bytes)) && !is_utf8(bytes);
  if (one_byte) document.text_ = utf8_of_latin1(document.text_);
  const bool wide = document.text_.find('\0') != std::string::npos;
  // The parser converts wide characters, so its offsets differ from those of the original bytes: no line numbers.
  if (!wide) document.line_starts_ = find_line_starts(document.text_);
  document.has_doctype_ = std::string_view(document.text_).substr(0, 65536).find("<!DOCTYPE") != std::string_view::npos;

  // Forces a heap buffer: the small-string buffer would move with the document.
  document.text_.reserve(64);
  document.document_ = std::make_unique<pugi::xml_document>();
  const auto encoding = wide ? pugi::encoding_auto : pugi::encoding_utf8;
  const auto result = document.document_->load_buffer_inplace(document.text_.data(), document.text_.size(),
                                                              pugi::parse_default, encoding);
  require(static_cast<bool>(result), "{}: this is not well-formed XML: {}; repair the file or export it again",
          document.place(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0))), result.description());
  require(!document.root().empty(), "{}: the document has no root element; repair the file or export it again",
          document.shown_);
  const auto deep = first_too_deep(document.root(), limits.depth);
  require(!deep, "{}: elements are nested more than {} deep; this is not a file that Consort reads",
          document.place(static_cast<std::size_t>(std::max<std::ptrdiff_t>(deep.offset_debug(), 0))), limits.depth);
  return document;
}

std::uint32_t XmlDocument::line(pugi::xml_node node) const {
  const auto offset = node.offset_debug();
  return offset < 0 ? 0 : line_at(static_cast<std::size_t>(offset));
}

std::uint32_t XmlDocument::line_at(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::uint32_t>(after - line_starts_.begin());
}

std::string XmlDocument::place(std::size_t offset) const {
  const std::uint32_t line = line_at(offset);
  return line == 0 ? shown_ : fmt::format("{}:{}", shown_, line);
}

std::string xml_text(pugi::xml_node node) {
  std::ostringstream out;
  node.print(out, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return std::move(out).str();
}

}  // namespace consort
