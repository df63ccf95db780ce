// From a syntax tree to a program: names become operands, units of measure are checked, constants are folded.
#pragma once

#include <optional>
#include <string_view>

#include "expr/program.hpp"
#include "expr/resolver.hpp"
#include "expr/syntax.hpp"

namespace consort::expr {

enum class Expected : std::uint8_t {
  anything,
  number,
  condition,  // true or false, for `when` and `active`
};

// Which places count as relations. The others are evaluated as the operands are, also beside held relations. Equality
// (== and !=) never counts: it is for values that change at events only, and guards against division by zero.
struct Relations {
  bool comparisons = true;  // < <= > >=
  bool jumps = true;        // sign, floor, ceil, mod
  bool kinks = true;        // abs, min, max, clamp
};

struct CompileOptions {
  Expected expected = Expected::number;
  // Of the target. nullopt: none, or its definition is unknown; then the result stays in SI units.
  std::optional<Unit> target{};
  Relations relations{};
};

// Throws Error (input) for: an unknown name, function or unit of measure (with the nearest ones), units of measure that
// do not fit (both sides are named), a number where a condition is needed or the reverse, a value that can never be
// computed (1 / 0), and == of continuous values in a condition (which no event would find).
//
// Units of measure: operands with a unit enter in SI units. If units take part in the result, it is converted from SI
// units to the target's unit, and must fit it. If no unit takes part ("2", "2 * u" with u without a unit), the result
// is taken as a number in the target's unit. quantity.hpp has the rules between these cases.
[[nodiscard]] Program compile(const Tree& tree, const Resolver& resolver, const CompileOptions& options = {});
// parse() and compile().
[[nodiscard]] Program compile(std::string_view text, const Resolver& resolver, const CompileOptions& options = {},
                              std::string where = {});

}  // namespace consort::expr
