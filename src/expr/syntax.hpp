// The text of an expression as a syntax tree: "-k * (left.x + w1 - right.x - 4 [m])".
//
// Operators from weak to strong, all from the left unless noted:
//   or   and   not   < <= > >= == != (two operands, no chains)   + -   * /   unary -   ^ (from the right; -2^2 = -4)
// Functions: if(c, a, b), min(a, b, …), max(a, b, …), clamp(x, low, high), abs, sign, sqrt, exp, log (natural), sin,
// cos, tan, asin, acos, atan, atan2(y, x), sinh, cosh, tanh, floor, ceil, mod(a, b) = a - b floor(a / b),
// table(name, x). A function is a name that is followed by "(".
// Values: numbers, numbers with a unit of measure (3 [cm]), pi, time (s), true, false, and variables.
// Variables: "left.x", elements "a.y[2]" and "A[1,2]", and any text in backquotes, for the whole name or for one part
// of it: `quarter-car`.x. Two backquotes inside stand for one. An index follows a name, a unit of measure a number.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace consort::expr {

enum class Op : std::uint8_t {
  number,  // `value`, with the unit of measure `name` if there is one
  truth,   // `value` is 0 or 1
  pi,
  time,
  variable,  // `name`
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_not,
  logical_and,
  logical_or,
  choose,  // if(c, a, b)
  minimum,
  maximum,
  clamp,
  absolute,
  sign,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  floor,
  ceil,
  mod,
  table,  // of the table `name`
};

inline constexpr std::uint32_t no_name = std::numeric_limits<std::uint32_t>::max();

struct Node {
  Op op = Op::number;
  std::uint32_t at = 0;  // byte in Tree::text where the operator, function, name or number stands
  double value = 0;
  std::uint32_t name = no_name;  // into Tree::names
  std::uint32_t first = 0;       // into Tree::children
  std::uint32_t count = 0;
};

// Children precede their parents, so that one pass from the front evaluates the tree; the root is the last node.
struct Tree {
  std::string text;
  std::string where;  // "system.yaml:12:5", for messages; may be empty
  std::vector<Node> nodes;
  std::vector<std::uint32_t> children;
  std::vector<std::string> names;

  [[nodiscard]] std::uint32_t child(const Node& node, std::uint32_t i) const { return children[node.first + i]; }
  [[nodiscard]] const std::string& name(const Node& node) const { return names[node.name]; }
  [[nodiscard]] std::uint32_t root() const { return static_cast<std::uint32_t>(nodes.size() - 1); }
};

// Longer texts are refused. The limits also bound the memory and the stack that an expression needs.
inline constexpr std::size_t longest_text = 20'000;  // bytes
inline constexpr std::size_t most_nodes = 2'000;
inline constexpr int deepest_nesting = 200;

// Throws Error (input) if the text is not an expression: the message has `where`, the column and what to write.
[[nodiscard]] Tree parse(std::string_view text, std::string where = {});

struct Reference {
  std::string name;  // without backquotes and blanks: "a.y[2]", "quarter-car.x"
  std::uint32_t at;  // byte in the text where it first occurs

  bool operator==(const Reference&) const = default;
};
struct References {
  std::vector<Reference> variables;  // each once, in the order of their first occurrence
  std::vector<Reference> tables;
  bool time = false;
};
[[nodiscard]] References references(const Tree& tree);

// A text that parse() turns into the same tree.
[[nodiscard]] std::string to_text(const Tree& tree);
[[nodiscard]] std::string to_text(const Tree& tree, std::uint32_t node);  // of a sub-expression
// The name of a variable as it is written in an expression: in backquotes if it is no plain path.
[[nodiscard]] std::string name_in_text(std::string_view name);

// A copy with other names of variables and tables. The text of the result is to_text().
using NewName = std::function<std::string(std::string_view)>;
[[nodiscard]] Tree rename(const Tree& tree, const NewName& variable, const NewName& table = {});

// The same operators, values and names, wherever they stand.
[[nodiscard]] bool same(const Tree& a, const Tree& b);

}  // namespace consort::expr
