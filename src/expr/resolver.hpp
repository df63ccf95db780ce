// What the names of an expression stand for.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "describe/measure.hpp"
#include "expr/table.hpp"

namespace consort::expr {

enum class Kind : std::uint8_t { real, integer, boolean };  // enumerations are integers; Booleans are 0 or 1

// A variable, whose values stand in a flat array of doubles (Program::evaluate), or a constant.
struct Operand {
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t slot = no_slot;  // no_slot: a constant
  double value = 0;              // of a constant
  Kind kind = Kind::real;
  // Changes at events only. Integers and Booleans always do, whatever is written here.
  bool discrete = false;
  // Of the value in the slot, or of the constant. nullopt: none, or its definition is unknown; the numbers stay as they
  // are. For a relative quantity (a difference of temperatures) give an offset of 0.
  std::optional<Unit> unit{};

  [[nodiscard]] static Operand of_slot(std::uint32_t slot, std::optional<Unit> unit = {}) {
    Operand o;
    o.slot = slot;
    o.unit = std::move(unit);
    return o;
  }
  [[nodiscard]] static Operand of_discrete(std::uint32_t slot, Kind kind = Kind::real, std::optional<Unit> unit = {}) {
    Operand o = of_slot(slot, std::move(unit));
    o.kind = kind;
    o.discrete = true;
    return o;
  }
  [[nodiscard]] static Operand constant(double value, std::optional<Unit> unit = {}, Kind kind = Kind::real) {
    Operand o;
    o.value = value;
    o.kind = kind;
    o.unit = std::move(unit);
    return o;
  }
};

// Called by compile() only. Its functions may throw Error (input) with a better reason ("is a text"); the place in the
// expression is added.
class Resolver {
 public:
  Resolver() = default;
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;
  virtual ~Resolver() = default;

  // nullopt: there is no such variable. The name is that of references(): "a.y[2]" may be a variable of this name, or
  // an element of "a.y".
  [[nodiscard]] virtual std::optional<Operand> find(std::string_view name) const = 0;
  // All names that find() knows, for "did you mean"; called only for an unknown name.
  [[nodiscard]] virtual std::vector<std::string> names() const { return {}; }

  // The unit of measure of a literal: "cm". nullopt: it is not known.
  [[nodiscard]] virtual std::optional<describe::BaseUnit> unit(std::string_view name) const = 0;
  // "; did you mean 'mm'?", or nothing.
  [[nodiscard]] virtual std::string nearest_unit(std::string_view /*name*/) const { return {}; }

  // Null: there is no such table.
  [[nodiscard]] virtual std::shared_ptr<const Table> table(std::string_view /*name*/) const { return nullptr; }
  [[nodiscard]] virtual std::vector<std::string> tables() const { return {}; }
};

}  // namespace consort::expr
