// Shared by the three description parsers: conversion of attributes with a diagnostic for unreadable ones, and the
// version-neutral parts. Contains nothing that differs between versions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/core.h>

#include "base/diagnostic.hpp"
#include "base/xml.hpp"
#include "describe/description.hpp"

namespace consort::fmi {

class DescriptionReader {
 public:
  DescriptionReader(const XmlDocument& document, describe::Description& description, Diagnostics& diagnostics)
      : document_(document), description_(description), diagnostics_(diagnostics) {}

  [[nodiscard]] describe::Description& description() { return description_; }
  [[nodiscard]] std::uint32_t line(pugi::xml_node node) const { return document_.line(node); }
  [[nodiscard]] std::string_view keep(const char* text) { return description_.arena().store(text); }

  template <class... Args>
  void report(Severity severity, pugi::xml_node at, std::string_view rule, fmt::format_string<Args...> text,
              Args&&... args) {
    diagnostics_.add(
        {severity, document_.shown(), line(at), std::string(rule), fmt::format(text, std::forward<Args>(args)...)});
  }
  // Reports an attribute or element that the schema does not allow there; it is ignored.
  void unknown_attribute(pugi::xml_node at, pugi::xml_attribute attribute);
  void unknown_element(pugi::xml_node element);

  // --- attributes; an unreadable value is reported and replaced by `fallback`
  [[nodiscard]] double number(pugi::xml_node at, pugi::xml_attribute attribute, double fallback);
  [[nodiscard]] bool boolean(pugi::xml_node at, pugi::xml_attribute attribute, bool fallback);
  [[nodiscard]] std::uint32_t natural(pugi::xml_node at, pugi::xml_attribute attribute, std::uint32_t fallback);
  [[nodiscard]] std::uint64_t natural64(pugi::xml_node at, pugi::xml_attribute attribute, std::uint64_t fallback);
  [[nodiscard]] std::int64_t integer(pugi::xml_node at, pugi::xml_attribute attribute, std::int64_t fallback,
                                     std::int64_t least, std::int64_t most);
  [[nodiscard]] std::optional<double> optional_number(pugi::xml_node at, const char* name);

  // A text attribute. If a mandatory one is missing, it is reported, and the result is empty.
  [[nodiscard]] std::string text(pugi::xml_node at, const char* name, bool mandatory, std::string_view rule = {});

  // --- parts shared by the versions
  void model_attributes(pugi::xml_node root);  // modelName, description, author, version, copyright, license, …
  void default_experiment(pugi::xml_node element);
  void log_categories(pugi::xml_node element);
  // <Unit name><BaseUnit …/><DisplayUnit …/></Unit> of FMI 2.0 and 3.0.
  void unit_definitions(pugi::xml_node element);
  // Children of <VendorAnnotations> or <Annotations> as XML text, each with the name from its `key` attribute.
  void annotations(pugi::xml_node element, const char* key);

  // The unit of this name. An unknown unit is added without a definition, and reported if the version requires one.
  describe::MeasureId unit(pugi::xml_node at, const char* name, bool must_be_defined);
  describe::DisplayUnitId display_unit(pugi::xml_node at, describe::MeasureId unit, const char* name);
  // Index of the type of this name; an unknown name is reported.
  std::uint32_t declared_type(pugi::xml_node at, const char* name, std::string_view rule);

  // Copies unit, range and quantity from the declared type if the variable does not give them.
  void inherit(describe::Variable& variable, bool has_quantity, bool has_unit, bool has_display, bool has_min,
               bool has_max) const;

  // Reads the start value of a variable from its attribute; an unreadable value is reported and left out.
  void start(pugi::xml_node at, describe::Variable& variable, std::string_view text);
  void start(describe::Variable& variable, Value value);

  // The default of `initial` by the tables of FMI 2.0 and 3.0.
  static describe::Initial default_initial(describe::Causality causality, describe::Variability variability);

  // Adds a dependency list ("3 7 9") and its kinds; `to_variable` maps a number of the list to a variable.
  template <class F>
  void dependencies(pugi::xml_node at, describe::Unknown& unknown, std::string_view rule, F&& to_variable) {
    read_dependencies(
        at, unknown, rule, [](void* f, std::uint32_t n) { return (*static_cast<F*>(f))(n); },
        const_cast<void*>(static_cast<const void*>(&to_variable)));
  }

 private:
  void read_dependencies(pugi::xml_node at, describe::Unknown& unknown, std::string_view rule,
                         describe::VariableId (*to_variable)(void*, std::uint32_t), void* context);

  const XmlDocument& document_;
  describe::Description& description_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string_view, describe::MeasureId> unit_ids_;
  std::unordered_map<std::string_view, std::uint32_t> type_ids_;
};

// Enumerations from their XML spelling; nullopt if unknown.
[[nodiscard]] std::optional<describe::Causality> parse_causality(std::string_view text);
[[nodiscard]] std::optional<describe::Variability> parse_variability(std::string_view text);
[[nodiscard]] std::optional<describe::Initial> parse_initial(std::string_view text);

}  // namespace consort::fmi
