// A resolver with a few variables, for tests.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "expr/compile.hpp"

namespace consort::expr {

inline Unit unit_named(const std::string& name) {
  static const std::map<std::string, describe::BaseUnit, std::less<>> units{
      {"1", {{}, 1, 0}},
      {"%", {{}, 0.01, 0}},
      {"m", {{0, 1}, 1, 0}},
      {"mm", {{0, 1}, 1e-3, 0}},
      {"cm", {{0, 1}, 1e-2, 0}},
      {"s", {{0, 0, 1}, 1, 0}},
      {"m/s", {{0, 1, -1}, 1, 0}},
      {"N", {{1, 1, -2}, 1, 0}},
      {"N/m", {{1, 0, -2}, 1, 0}},
      {"kN/m", {{1, 0, -2}, 1e3, 0}},
      {"rad", {{0, 0, 0, 0, 0, 0, 0, 1}, 1, 0}},
      {"deg", {{0, 0, 0, 0, 0, 0, 0, 1}, 0.017453292519943295, 0}},
      {"rad/s", {{0, 0, -1, 0, 0, 0, 0, 1}, 1, 0}},
      {"rpm", {{0, 0, -1, 0, 0, 0, 0, 1}, 0.10471975511965977, 0}},
      {"K", {{0, 0, 0, 0, 1}, 1, 0}},
      {"degC", {{0, 0, 0, 0, 1}, 1, 273.15}}};
  return {name, units.at(name)};
}

class Names : public Resolver {
 public:
  Names() = default;

  // Slots are given in the order of calls.
  Names& add(const std::string& name, const std::string& unit = {}) {
    return put(name, Operand::of_slot(slots_++, some(unit)));
  }
  Names& add_discrete(const std::string& name, Kind kind, const std::string& unit = {}) {
    return put(name, Operand::of_discrete(slots_++, kind, some(unit)));
  }
  Names& add_constant(const std::string& name, double value, const std::string& unit = {}) {
    return put(name, Operand::constant(value, some(unit)));
  }
  Names& add_table(const std::string& name, std::shared_ptr<const Table> table) {
    tables_[name] = std::move(table);
    return *this;
  }

  [[nodiscard]] std::optional<Operand> find(std::string_view name) const override {
    const auto found = operands_.find(name);
    if (name == "text") throw input_error("'text' is a text");
    return found == operands_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, operand] : operands_) names.push_back(name);
    return names;
  }
  [[nodiscard]] std::optional<describe::BaseUnit> unit(std::string_view name) const override {
    try {
      return unit_named(std::string(name)).base;
    } catch (const std::out_of_range&) {
      return std::nullopt;
    }
  }
  [[nodiscard]] std::string nearest_unit(std::string_view /*name*/) const override { return "; did you mean 'mm'?"; }
  [[nodiscard]] std::shared_ptr<const Table> table(std::string_view name) const override {
    const auto found = tables_.find(name);
    return found == tables_.end() ? nullptr : found->second;
  }
  [[nodiscard]] std::vector<std::string> tables() const override {
    std::vector<std::string> names;
    for (const auto& [name, table] : tables_) names.push_back(name);
    return names;
  }

 private:
  static std::optional<Unit> some(const std::string& unit) {
    return unit.empty() ? std::nullopt : std::optional(unit_named(unit));
  }
  Names& put(const std::string& name, Operand operand) {
    operands_[name] = std::move(operand);
    return *this;
  }

  std::map<std::string, Operand, std::less<>> operands_;
  std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables_;
  std::uint32_t slots_ = 0;
};

// The text of the Error (input) that f throws; "(no error)" without one.
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.fault() == Fault::input ? error.what() : "(an error of a run)";
  }
  return "(no error)";
}

}  // namespace consort::expr
