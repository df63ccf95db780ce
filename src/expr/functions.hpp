// The functions of expressions by name.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "expr/syntax.hpp"

namespace consort::expr {

inline constexpr std::uint32_t any_number = 1000;

struct Function {
  std::string_view name;
  Op op;
  std::uint32_t least;  // number of arguments
  std::uint32_t most;
  std::string_view usage;
};

inline constexpr std::array functions{
    Function{"if", Op::choose, 3, 3, "if(condition, a, b)"},
    Function{"min", Op::minimum, 2, any_number, "min(a, b)"},
    Function{"max", Op::maximum, 2, any_number, "max(a, b)"},
    Function{"clamp", Op::clamp, 3, 3, "clamp(x, low, high)"},
    Function{"abs", Op::absolute, 1, 1, "abs(x)"},
    Function{"sign", Op::sign, 1, 1, "sign(x)"},
    Function{"sqrt", Op::sqrt, 1, 1, "sqrt(x)"},
    Function{"exp", Op::exp, 1, 1, "exp(x)"},
    Function{"log", Op::log, 1, 1, "log(x)"},
    Function{"sin", Op::sin, 1, 1, "sin(x)"},
    Function{"cos", Op::cos, 1, 1, "cos(x)"},
    Function{"tan", Op::tan, 1, 1, "tan(x)"},
    Function{"asin", Op::asin, 1, 1, "asin(x)"},
    Function{"acos", Op::acos, 1, 1, "acos(x)"},
    Function{"atan", Op::atan, 1, 1, "atan(x)"},
    Function{"atan2", Op::atan2, 2, 2, "atan2(y, x)"},
    Function{"sinh", Op::sinh, 1, 1, "sinh(x)"},
    Function{"cosh", Op::cosh, 1, 1, "cosh(x)"},
    Function{"tanh", Op::tanh, 1, 1, "tanh(x)"},
    Function{"floor", Op::floor, 1, 1, "floor(x)"},
    Function{"ceil", Op::ceil, 1, 1, "ceil(x)"},
    Function{"mod", Op::mod, 2, 2, "mod(a, b)"},
    Function{"table", Op::table, 1, 1, "table(name, x)"},  // one argument beside the name
};

// Words that are no variables.
struct Word {
  std::string_view name;
  Op op;
};
inline constexpr std::array words{Word{"pi", Op::pi},          Word{"time", Op::time},       Word{"true", Op::truth},
                                  Word{"false", Op::truth},    Word{"and", Op::logical_and}, Word{"or", Op::logical_or},
                                  Word{"not", Op::logical_not}};

[[nodiscard]] constexpr const Function* find_function(std::string_view name) {
  for (const auto& f : functions)
    if (f.name == name) return &f;
  return nullptr;
}
[[nodiscard]] constexpr const Function* find_function(Op op) {
  for (const auto& f : functions)
    if (f.op == op) return &f;
  return nullptr;
}
[[nodiscard]] constexpr const Word* find_word(std::string_view name) {
  for (const auto& w : words)
    if (w.name == name) return &w;
  return nullptr;
}

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
[[nodiscard]] constexpr bool continues_name(char c) { return starts_name(c) || is_digit(c); }

}  // namespace consort::expr
