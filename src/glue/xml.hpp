// A small XML writer for model descriptions: elements, attributes, indentation.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace consort::glue {

class Xml {
 public:
  Xml() : text_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") {}

  Xml& open(std::string_view element) {
    finish_tag();
    text_.append(2 * open_.size(), ' ').append("<").append(element);
    open_.emplace_back(element);
    in_tag_ = true;
    return *this;
  }
  // Call directly after open() or another attribute().
  Xml& attribute(std::string_view name, std::string_view value) {
    text_.append(" ").append(name).append("=\"").append(escaped(value)).append("\"");
    return *this;
  }
  Xml& attribute(std::string_view name, const char* value) { return attribute(name, std::string_view(value)); }
  Xml& attribute(std::string_view name, const std::string& value) { return attribute(name, std::string_view(value)); }
  template <class T>
  requires std::is_arithmetic_v<T> Xml& attribute(std::string_view name, T value) {
    return attribute(name, std::string_view(number(value)));
  }
  Xml& optional(std::string_view name, std::string_view value) {
    return value.empty() ? *this : attribute(name, value);
  }
  Xml& content(std::string_view value) {
    text_.append(">").append(escaped(value)).append("</").append(open_.back()).append(">\n");
    open_.pop_back();
    in_tag_ = false;
    return *this;
  }
  Xml& close() {
    const std::string element = open_.back();
    open_.pop_back();
    if (in_tag_) {
      text_.append("/>\n");
      in_tag_ = false;
    } else {
      text_.append(2 * open_.size(), ' ').append("</").append(element).append(">\n");
    }
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

  // The shortest text that reads back as the same number; "true" or "false" for a Boolean.
  template <class T>
  static std::string number(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else {
      char digits[64];
      const auto result = std::to_chars(digits, digits + sizeof digits, value);
      std::string text(digits, result.ptr);
      if (text == "inf") return "INF";
      if (text == "-inf") return "-INF";
      if (text == "nan" || text == "-nan") return "NaN";
      return text;
    }
  }

 private:
  static std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
      switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        case '\n': result += "&#10;"; break;
        case '\t': result += "&#9;"; break;
        case '\r': result += "&#13;"; break;
        default: result += c;
      }
    }
    return result;
  }
  void finish_tag() {
    if (in_tag_) text_ += ">\n";
    in_tag_ = false;
  }

  std::string text_;
  std::vector<std::string> open_;
  bool in_tag_ = false;
};

}  // namespace consort::glue
