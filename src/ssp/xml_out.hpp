// Writes an element of an SSP file for `fields()` (ssp/fields.hpp). Internal to ssp/.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "ssp/fields.hpp"
#include "ssp/write.hpp"

namespace consort::ssp {

class XmlOut {
 public:
  static constexpr bool writes = true;

  explicit XmlOut(pugi::xml_node node, bool is_1_0 = false) : node_(node), is_1_0_(is_1_0) {}

  template <class T>
  void write(const T& x) {
    fields(*this, x);
  }

  void position(const Line& line) { line_ = line.number; }
  void version(const std::string& text) { is_1_0_ = text.starts_with("1."); }
  void since_2_0(bool used, const char* what) const;

  template <class T>
  void attribute(const char* name, const T& value, Need need = Need::optional) {
    if (need == Need::required || !is_empty(value)) put(name, value);
  }
  template <class T, class D>
  void defaulted(const char* name, const T& value, const D& default_value) {
    if (value != T(default_value)) put(name, value);
  }
  template <class T>
  void numbers(const char* name, const std::vector<T>& values, Need need = Need::optional) {
    if (values.empty() && need == Need::optional) return;
    std::string all;
    for (const auto& v : values) all += (all.empty() ? "" : " ") + text(v);
    put(name, all);
  }

  template <class T>
  void child(const char* name, const T& x) {
    XmlOut(node_.append_child(name), is_1_0_).write(x);
  }
  template <class T>
  void children(const char* name, const std::vector<T>& all) {
    for (const auto& x : all) child(name, x);
  }
  template <class T>
  void list(std::string_view around, const char* name, const std::vector<T>& all, Need need = Need::optional) {
    if (all.empty() && need == Need::optional) return;
    XmlOut(node_.append_child(std::string(around).c_str()), is_1_0_).children(name, all);
  }

  void inner(const std::string& xml);
  void data_type(const DataType& type, Need need);
  void transformation(const Transformation& t);
  void parameter_value(const Parameter& parameter);
  void clocks(const std::vector<std::string>& names);
  void elements(const System& system);
  template <class T>
  void inlined(const char* name, const std::vector<T>& all, const std::string& foreign) {
    children(name, all);
    if (!foreign.empty()) inner(foreign);
  }
  template <class T>
  void inlined_in(std::string_view around, const char* name, const std::vector<T>& all, const std::string& foreign) {
    if (all.empty() && foreign.empty()) return;
    XmlOut(node_.append_child(std::string(around).c_str()), is_1_0_).inlined(name, all, foreign);
  }

 private:
  static bool is_empty(const std::string& value) { return value.empty(); }
  static bool is_empty(double /*value*/) { return false; }
  static bool is_empty(std::int64_t /*value*/) { return false; }
  template <class T>
  static bool is_empty(const std::optional<T>& value) {
    return !value;
  }
  static std::string text(const std::string& value) { return value; }
  static std::string text(bool value) { return value ? "true" : "false"; }
  static std::string text(double value) { return double_text(value); }
  template <class T>
  requires std::is_integral_v<T>
  static std::string text(T value) { return fmt::format("{}", value); }
  template <class T>
  static std::string text(const std::optional<T>& value) {
    return text(*value);
  }
  template <class T>
  void put(const char* name, const T& value) {
    node_.append_attribute(name) = text(value).c_str();
  }

  pugi::xml_node node_;
  bool is_1_0_ = false;
  std::uint32_t line_ = 0;
};

}  // namespace consort::ssp
