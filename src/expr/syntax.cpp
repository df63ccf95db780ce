#include "expr/syntax.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "base/value.hpp"
#include "expr/functions.hpp"

namespace consort::expr {

namespace {

// Strength of binding; a child that binds more weakly than its place asks for is put in parentheses.
constexpr int weakest = 0;
constexpr int of_or = 1;
constexpr int of_and = 2;
constexpr int of_not = 3;
constexpr int of_comparison = 4;
constexpr int of_sum = 5;
constexpr int of_product = 6;
constexpr int of_sign = 7;
constexpr int of_power = 8;
constexpr int of_value = 9;

struct Operator {
  Op op;
  std::string_view sign;
  int strength;
  int left;  // that operands need
  int right;
};

constexpr std::array operators{
    Operator{Op::logical_or, " or ", of_or, of_or, of_and},
    Operator{Op::logical_and, " and ", of_and, of_and, of_not},
    Operator{Op::less, " < ", of_comparison, of_sum, of_sum},
    Operator{Op::less_equal, " <= ", of_comparison, of_sum, of_sum},
    Operator{Op::greater, " > ", of_comparison, of_sum, of_sum},
    Operator{Op::greater_equal, " >= ", of_comparison, of_sum, of_sum},
    Operator{Op::equal, " == ", of_comparison, of_sum, of_sum},
    Operator{Op::not_equal, " != ", of_comparison, of_sum, of_sum},
    Operator{Op::add, " + ", of_sum, of_sum, of_product},
    Operator{Op::subtract, " - ", of_sum, of_sum, of_product},
    Operator{Op::multiply, " * ", of_product, of_product, of_sign},
    Operator{Op::divide, " / ", of_product, of_product, of_sign},
    Operator{Op::power, "^", of_power, of_value, of_sign},
};

const Operator* find_operator(Op op) {
  const auto* const found = std::find_if(operators.begin(), operators.end(), [&](const auto& o) { return o.op == op; });
  return found == operators.end() ? nullptr : found;
}

// Without recursion, because a sum of a thousand terms is a thousand levels deep.
class Writer {
 public:
  explicit Writer(const Tree& tree) : tree_(tree) {}

  std::string operator()(std::uint32_t root) {
    std::string text;
    todo_.push_back({.node = root, .needs = weakest});
    while (!todo_.empty()) {
      const Piece piece = todo_.back();
      todo_.pop_back();
      if (piece.sign.empty()) {
        expand(piece, text);
      } else {
        text += piece.sign;
      }
    }
    return text;
  }

 private:
  struct Piece {
    std::string_view sign{};  // empty: a node
    std::uint32_t node = 0;
    int needs = weakest;
  };

  void expand(const Piece& piece, std::string& text) {
    const Node& node = tree_.nodes[piece.node];
    if (const auto* op = find_operator(node.op)) {
      in_order(op->strength < piece.needs, {{.node = tree_.child(node, 0), .needs = op->left},
                                            {.sign = op->sign},
                                            {.node = tree_.child(node, 1), .needs = op->right}});
    } else if (node.op == Op::negate) {
      in_order(of_sign < piece.needs, {{.sign = "-"}, {.node = tree_.child(node, 0), .needs = of_sign}});
    } else if (node.op == Op::logical_not) {
      in_order(of_not < piece.needs, {{.sign = "not "}, {.node = tree_.child(node, 0), .needs = of_not}});
    } else if (const auto* function = find_function(node.op)) {
      write_call(node, *function, text);
    } else {
      write_value(node, text);
    }
  }

  void in_order(bool parentheses, std::initializer_list<Piece> pieces) {
    if (parentheses) todo_.push_back({.sign = ")"});
    for (const auto* piece = pieces.end(); piece != pieces.begin();) todo_.push_back(*--piece);
    if (parentheses) todo_.push_back({.sign = "("});
  }

  void write_call(const Node& node, const Function& function, std::string& text) {
    text += function.name;
    text += '(';
    if (node.op == Op::table) text += name_in_text(tree_.name(node)) + ", ";
    todo_.push_back({.sign = ")"});
    for (std::uint32_t i = node.count; i-- > 0;) {
      todo_.push_back({.node = tree_.child(node, i)});
      if (i > 0) todo_.push_back({.sign = ", "});
    }
  }

  void write_value(const Node& node, std::string& text) const {
    if (node.op == Op::variable) {
      text += name_in_text(tree_.name(node));
    } else if (node.op == Op::number) {
      append_element(text, node.value);
      if (node.name != no_name) text += " [" + tree_.name(node) + "]";
    } else if (node.op == Op::truth) {
      text += node.value != 0 ? "true" : "false";
    } else {
      text += node.op == Op::pi ? "pi" : "time";
    }
  }

  const Tree& tree_;
  std::vector<Piece> todo_;
};

// Reads what parse() reads as a path and would not change.
class PlainPath {
 public:
  explicit PlainPath(std::string_view name) : rest_(name) {}

  bool operator()() {
    if (find_word(rest_) != nullptr) return false;
    do {
      if (!part()) return false;
    } while (take('.'));
    return rest_.empty();
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool part() {
    if (rest_.empty() || !starts_name(rest_.front())) return false;
    while (!rest_.empty() && continues_name(rest_.front())) rest_.remove_prefix(1);
    if (!take('[')) return true;
    do {
      if (!whole_number()) return false;
    } while (take(','));
    return take(']');
  }
  bool whole_number() {
    const auto digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (digits == 0 || digits > 18 || (digits > 1 && rest_.front() == '0')) return false;
    rest_.remove_prefix(digits);
    return true;
  }

  std::string_view rest_;
};

void note(std::vector<Reference>& list, const std::string& name, std::uint32_t at) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Reference& r) { return r.name == name; });
  if (found == list.end()) list.push_back({name, at});
}

}  // namespace

References references(const Tree& tree) {
  References found;
  for (const Node& node : tree.nodes) {
    if (node.op == Op::variable) note(found.variables, tree.name(node), node.at);
    if (node.op == Op::table) note(found.tables, tree.name(node), node.at);
    if (node.op == Op::time) found.time = true;
  }
  return found;
}

std::string name_in_text(std::string_view name) {
  if (PlainPath(name)()) return std::string(name);
  std::string text = "`";
  for (const char c : name) {
    text += c;
    if (c == '`') text += c;
  }
  return text + "`";
}

std::string to_text(const Tree& tree) { return to_text(tree, tree.root()); }
std::string to_text(const Tree& tree, std::uint32_t node) { return Writer(tree)(node); }

Tree rename(const Tree& tree, const NewName& variable, const NewName& table) {
  Tree renamed = tree;
  for (const Node& node : renamed.nodes) {
    if (node.op == Op::variable && variable) renamed.names[node.name] = variable(tree.name(node));
    if (node.op == Op::table && table) renamed.names[node.name] = table(tree.name(node));
  }
  return parse(to_text(renamed), tree.where);
}

bool same(const Tree& a, const Tree& b) {
  if (a.nodes.size() != b.nodes.size() || a.children != b.children) return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const Node& x = a.nodes[i];
    const Node& y = b.nodes[i];
    if (x.op != y.op || std::bit_cast<std::uint64_t>(x.value) != std::bit_cast<std::uint64_t>(y.value) ||
        x.first != y.first || x.count != y.count)
      return false;
    if ((x.name == no_name) != (y.name == no_name)) return false;
    if (x.name != no_name && a.name(x) != b.name(y)) return false;
  }
  return true;
}

}  // namespace consort::expr
