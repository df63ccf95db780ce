// A parser for untrusted XML, in place: limited size and depth, no external entities, a line number for every node.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

namespace consort {

struct XmlLimits {
  std::size_t bytes = std::size_t{2} << 30;
  std::uint32_t depth = 64;
};

class XmlDocument {
 public:
  XmlDocument(XmlDocument&&) noexcept;
  XmlDocument& operator=(XmlDocument&&) noexcept;
  ~XmlDocument();  // returns the memory of a large document to the system

  // `shown` is the document's name in messages. Throws Error (input) with the line if the document is not well-formed,
  // too large or too deep. A document type declaration is never followed; has_doctype() tells whether there is one.
  static XmlDocument load(const std::filesystem::path& file, std::string shown, const XmlLimits& limits = {});
  static XmlDocument parse(std::string text, std::string shown, const XmlLimits& limits = {});

  [[nodiscard]] pugi::xml_node root() const { return document_->document_element(); }
  [[nodiscard]] const std::string& shown() const { return shown_; }
  [[nodiscard]] bool has_doctype() const { return has_doctype_; }
  // 1-based line of the node's start; 0: unknown, as in UTF-16 and UTF-32 documents.
  [[nodiscard]] std::uint32_t line(pugi::xml_node node) const;

 private:
  XmlDocument();
  [[nodiscard]] std::uint32_t line_at(std::size_t offset) const;
  [[nodiscard]] std::string place(std::size_t offset) const;  // "shown:line", or "shown" if the line is unknown

  std::string shown_;
  std::string text_;  // owns the characters that the nodes point to
  std::vector<std::uint32_t> line_starts_;
  std::unique_ptr<pugi::xml_document> document_;
  bool has_doctype_ = false;
};

// The node and its descendants as XML text without added white space.
[[nodiscard]] std::string xml_text(pugi::xml_node node);

// For `switch (xml_key(attribute.name())) { case xml_key("name"): … }`; equal labels fail to compile.
[[nodiscard]] constexpr std::uint32_t xml_key(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace consort
