// Reads an element of an SSP file for `fields()` (ssp/fields.hpp). Internal to ssp/.
//
// Names are compared without their prefix: many files confuse the namespaces, and no two children of an element differ
// only in their namespace (but see clocks()). A violation of the schema gives a diagnostic, and reading continues if
// possible.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "ssp/fields.hpp"

namespace consort::ssp {

[[nodiscard]] std::string_view local_name(std::string_view name);
// Read values in XSD notation, with white space around them allowed; nullopt for any other text.
[[nodiscard]] std::optional<double> read_double(std::string_view text);
[[nodiscard]] std::optional<bool> read_bool(std::string_view text);
template <class T>
[[nodiscard]] std::optional<T> read_number(std::string_view text) {
  if constexpr (std::is_floating_point_v<T>) {
    return read_double(text);
  } else {
    text = trim(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
}
// The contents of `node` as XML that declares the namespaces it uses.
[[nodiscard]] std::string inner_xml(pugi::xml_node node);

class XmlIn {
 public:
  static constexpr bool writes = false;

  XmlIn(const XmlDocument& document, pugi::xml_node node, Diagnostics& diagnostics, bool is_1_0 = false)
      : document_(document), node_(node), diagnostics_(diagnostics), is_1_0_(is_1_0) {}

  // Reads all of `x` and reports unknown attributes and children.
  template <class T>
  void read(T& x) {
    fields(*this, x);
    report_unknown();
  }

  void position(Line& line) { line.number = document_.line(node_); }
  void version(const std::string& text);
  void since_2_0(bool used, const char* what);

  template <class T>
  void attribute(const char* name, T& value, Need need = Need::optional) {
    const auto a = find(name);
    if (a) return convert(name, a.value(), value);
    if (need == Need::required)
      add(Severity::error, fmt::format("<{}> has no attribute '{}'; add it", node_.name(), name));
  }
  template <class T, class D>
  void defaulted(const char* name, T& value, const D& default_value) {
    if (const auto a = find(name)) return convert(name, a.value(), value);
    value = T(default_value);
  }
  template <class T>
  void numbers(const char* name, std::vector<T>& values, Need need = Need::optional) {
    std::string text;
    attribute(name, text, need);
    for (const auto part : split_white(text)) {
      const auto value = read_number<T>(part);
      if (!value)
        return add(Severity::error, fmt::format("{}=\"{}\" is not a list of numbers; correct it", name, text));
      values.push_back(*value);
    }
  }

  template <class T>
  void child(const char* name, T& x) {
    const auto node = single(name);
    if (node) return read_child(node, x);
    add(Severity::error, fmt::format("<{}> has no <{}>; add it", node_.name(), name));
  }
  template <class T>
  void children(const char* name, std::vector<T>& all) {
    const auto wanted = know(name);
    for (const auto node : node_.children())
      if (local_name(node.name()) == wanted) read_child(node, all.emplace_back());
  }
  // Reads a list with an element around it, such as <Connectors> around every <Connector>.
  template <class T>
  void list(std::string_view around, const char* name, std::vector<T>& all, Need need = Need::optional) {
    const auto wanted = know(around);
    int found = 0;
    for (const auto node : node_.children()) {
      if (local_name(node.name()) != wanted) continue;
      if (++found == 2)
        add(Severity::error, fmt::format("<{}> has several <{}>; all of them are read", node_.name(), around));
      XmlIn inside(document_, node, diagnostics_, is_1_0_);
      inside.children(name, all);
      inside.report_unknown();
    }
    if (found == 0 && need == Need::required)
      add(Severity::error, fmt::format("<{}> has no <{}>; add it", node_.name(), around));
  }

  void inner(std::string& xml);
  void data_type(DataType& type, Need need);
  void transformation(Transformation& t);
  void parameter_value(Parameter& parameter);
  void clocks(std::vector<std::string>& names);
  void elements(System& system);
  template <class T>
  void inlined(const char* name, std::vector<T>& all, std::string& foreign) {
    children(name, all);
    if (all.empty() && has_foreign()) inner(foreign);
  }
  template <class T>
  void inlined_in(std::string_view around, const char* name, std::vector<T>& all, std::string& foreign) {
    const auto node = single(around);
    if (!node) return;
    XmlIn inside(document_, node, diagnostics_, is_1_0_);
    inside.inlined(name, all, foreign);
  }

 private:
  [[nodiscard]] pugi::xml_attribute find(const char* name);
  [[nodiscard]] std::string_view know(std::string_view name);
  [[nodiscard]] pugi::xml_node single(std::string_view name);  // the first child; reports a second one as an error
  [[nodiscard]] bool has_foreign() const;                      // has children other than MetaData and Signature
  void report_unknown();
  void add(Severity severity, std::string message);
  void value_elements(pugi::xml_node node, std::vector<std::string>& values);

  template <class T>
  void read_child(pugi::xml_node node, T& x) {
    XmlIn(document_, node, diagnostics_, is_1_0_).read(x);
  }

  template <class T>
  void convert(const char* name, const char* text, std::optional<T>& value) {
    T read{};
    convert(name, text, read);
    value = std::move(read);
  }
  void convert(const char* /*name*/, const char* text, std::string& value) { value = text; }
  void convert(const char* name, const char* text, bool& value);
  template <class T>
  requires std::is_arithmetic_v<T>
  void convert(const char* name, const char* text, T& value) {
    if (const auto number = read_number<T>(text)) {
      value = *number;
    } else {
      add(Severity::error, fmt::format("{}={} is not a number that is allowed here; correct it", name, quote(text)));
    }
  }

  const XmlDocument& document_;
  pugi::xml_node node_;
  Diagnostics& diagnostics_;
  bool is_1_0_ = false;
  bool all_children_known_ = false;
  std::vector<std::string_view> attributes_{};  // known names, for report_unknown()
  std::vector<std::string_view> children_{};
};

}  // namespace consort::ssp
