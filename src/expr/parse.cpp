#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "expr/functions.hpp"
#include "expr/syntax.hpp"

namespace consort::expr {

namespace {

constexpr std::size_t longest_unit = 64;

// A name as it stands in the text: a path, or a word or function if it is `plain`.
struct Name {
  std::string text;
  bool plain = true;  // one identifier without index and backquotes
  std::size_t at = 0;
};

class Parser {
 public:
  Parser(std::string_view text, std::string where) {
    tree_.text = text;
    tree_.where = std::move(where);
    text_ = tree_.text;
  }

  Tree operator()() {
    check_characters();
    skip();
    if (at_ == text_.size()) fail(0, "the expression is empty; write a value, for example 2 * left.x");
    alternatives();
    if (at_ < text_.size()) fail_after_value();
    return std::move(tree_);
  }

 private:
  // Counts the levels of the recursion.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.level_ > deepest_nesting)
        parser_.fail(parser_.at_, fmt::format("more than {} levels of parentheses, functions and signs; split the "
                                              "expression",
                                              deepest_nesting));
    }
    ~Level() { --parser_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  // --- characters

  void check_characters() {
    if (text_.size() > longest_text)
      fail(0, fmt::format("the text has {} bytes, but at most {} are read; split the expression", text_.size(),
                          longest_text));
    if (!is_utf8(text_)) fail(0, "the text is not UTF-8; write it again");
    const auto strange = std::find_if(text_.begin(), text_.end(), [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && !is_white(c)) || c == '\x7F';
    });
    if (strange != text_.end())
      fail(static_cast<std::size_t>(strange - text_.begin()), "a control character cannot be read; remove it");
  }

  [[nodiscard]] char here(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void skip() {
    while (at_ < text_.size() && is_white(text_[at_])) ++at_;
  }
  bool take(std::string_view sign) {
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    skip();
    return true;
  }
  [[nodiscard]] bool next_is_word(std::string_view word) const {
    const auto rest = text_.substr(at_);
    if (!rest.starts_with(word)) return false;
    const char after = rest.size() > word.size() ? rest[word.size()] : ' ';
    if (after == '.') return rest.size() == word.size() + 1 || !begins_part(rest[word.size() + 1]);
    return !continues_name(after) && after != '[';
  }
  bool take_word(std::string_view word) {
    if (!next_is_word(word)) return false;
    at_ += word.size();
    skip();
    return true;
  }
  static bool begins_part(char c) { return starts_name(c) || c == '`'; }

  [[noreturn]] void fail(std::size_t at, std::string_view what) const {
    const auto place = tree_.where.empty() ? "" : fmt::format(" ({})", tree_.where);
    throw input_error("expression {}{}, column {}: {}", quote(tree_.text), place,
                      character_count(std::string_view(tree_.text).substr(0, at)) + 1, what);
  }

  // --- nodes

  std::uint32_t add(Op op, std::size_t at, std::initializer_list<std::uint32_t> children = {}) {
    return add(op, at, std::span(children.begin(), children.size()));
  }
  std::uint32_t add(Op op, std::size_t at, std::span<const std::uint32_t> children) {
    if (tree_.nodes.size() == most_nodes)
      fail(at, fmt::format("more than {} numbers, names and operators; split the expression", most_nodes));
    Node node;
    node.op = op;
    node.at = static_cast<std::uint32_t>(at);
    node.first = static_cast<std::uint32_t>(tree_.children.size());
    node.count = static_cast<std::uint32_t>(children.size());
    tree_.children.insert(tree_.children.end(), children.begin(), children.end());
    tree_.nodes.push_back(node);
    return tree_.root();
  }
  void set_name(std::uint32_t node, std::string name) {
    tree_.nodes[node].name = static_cast<std::uint32_t>(tree_.names.size());
    tree_.names.push_back(std::move(name));
  }

  // --- operators, from weak to strong

  std::uint32_t alternatives() {
    const Level level(*this);
    auto left = conjunction();
    for (;;) {
      const auto at = at_;
      if (!take_word("or")) return left;
      left = add(Op::logical_or, at, {left, conjunction()});
    }
  }

  std::uint32_t conjunction() {
    auto left = negation();
    for (;;) {
      const auto at = at_;
      if (!take_word("and")) return left;
      left = add(Op::logical_and, at, {left, negation()});
    }
  }

  std::uint32_t negation() {
    const auto at = at_;
    if (!take_word("not")) return comparison();
    const Level level(*this);
    return add(Op::logical_not, at, {negation()});
  }

  std::optional<Op> take_comparison() {
    static constexpr std::pair<std::string_view, Op> signs[] = {{"<=", Op::less_equal}, {">=", Op::greater_equal},
                                                                {"==", Op::equal},      {"!=", Op::not_equal},
                                                                {"<", Op::less},        {">", Op::greater}};
    for (const auto& [sign, op] : signs)
      if (take(sign)) return op;
    return std::nullopt;
  }

  std::uint32_t comparison() {
    const auto left = sum();
    const auto at = at_;
    const auto op = take_comparison();
    if (!op) return left;
    const auto right = sum();
    const auto second = at_;
    if (take_comparison()) fail(second, "comparisons are not chained; write 'a < b and b < c'");
    return add(*op, at, {left, right});
  }

  std::uint32_t sum() {
    auto left = product();
    for (;;) {
      const auto at = at_;
      if (take("+")) {
        left = add(Op::add, at, {left, product()});
      } else if (take("-")) {
        left = add(Op::subtract, at, {left, product()});
      } else {
        return left;
      }
    }
  }

  std::uint32_t product() {
    auto left = signed_value();
    for (;;) {
      const auto at = at_;
      if (text_.substr(at_).starts_with("**")) fail(at, "a power is written with '^'");
      if (take("*")) {
        left = add(Op::multiply, at, {left, signed_value()});
      } else if (take("/")) {
        left = add(Op::divide, at, {left, signed_value()});
      } else {
        return left;
      }
    }
  }

  std::uint32_t signed_value() {
    const auto at = at_;
    if (take("-")) {
      const Level level(*this);
      return add(Op::negate, at, {signed_value()});
    }
    if (take("+")) {
      const Level level(*this);
      return signed_value();
    }
    return power();
  }

  std::uint32_t power() {
    const auto base = value();
    const auto at = at_;
    if (!take("^")) return base;
    const Level level(*this);
    return add(Op::power, at, {base, signed_value()});
  }

  // --- values

  std::uint32_t value() {
    const char c = here();
    if (is_digit(c) || (c == '.' && is_digit(here(1)))) return number();
    if (begins_part(c)) return named();
    const auto at = at_;
    if (take("(")) {
      const auto inside = alternatives();
      close(at, "(");
      return inside;
    }
    if (c == '!') fail(at, "write 'not' instead of '!'");
    if (at == text_.size()) fail(at, "the expression ends where a number, a name or '(' is expected; complete it");
    fail(at, fmt::format("{} stands where a number, a name or '(' is expected; correct it", quote(character())));
  }

  // The character at the current place with all its bytes.
  [[nodiscard]] std::string_view character() const {
    std::size_t size = 1;
    while (at_ + size < text_.size() && (static_cast<unsigned char>(text_[at_ + size]) & 0xC0) == 0x80) ++size;
    return text_.substr(at_, size);
  }

  void close(std::size_t opened, std::string_view sign) {
    if (take(")")) return;
    if (at_ == text_.size()) fail(opened, fmt::format("'{}' is not closed; add ')'", sign));
    fail_after_value();
  }

  [[noreturn]] void fail_after_value() const {
    const char c = here();
    if (c == '=') fail(at_, "'=' does not compare; write '=='");
    if (c == '&') fail(at_, "write 'and' instead of '&'");
    if (c == '|') fail(at_, "write 'or' instead of '|'");
    if (c == '%') fail(at_, "there is no operator '%'; write mod(a, b) for the remainder, or 5 [%] for a unit");
    if (c == '[') fail(at_, "a unit of measure follows a number: 3 [cm], and an index follows a name: y[2]; remove it");
    if (c == ')') fail(at_, "')' closes nothing; remove it, or add '('");
    if (c == '(') fail(at_, "an operator is missing before '('; write for example '*'");
    if (next_is_word("not")) fail(at_, "'not' stands in front of a condition: write 'a and not b'");
    fail(at_, fmt::format("an operator is expected before {}; write for example '+' or '*'", quote(character())));
  }

  std::uint32_t number() {
    const auto at = at_;
    double value = 0;
    const auto* const end = text_.data() + text_.size();
    const auto [after, error] = std::from_chars(text_.data() + at_, end, value);
    at_ = static_cast<std::size_t>(after - text_.data());
    const auto digits = text_.substr(at, at_ - at);
    if (error != std::errc())
      fail(at, fmt::format("the number {} is too large or too small for a double; correct it", quote(digits, 30)));
    if (begins_part(here())) {
      const auto letter = character();
      fail(at_, fmt::format("'{0}{1}…' is neither a number nor a name; write '{0} [{1}…]' for a unit of measure, or "
                            "'{0} * {1}…' for a product",
                            digits.substr(0, 30), letter));
    }
    skip();
    const auto node = add(Op::number, at);
    tree_.nodes[node].value = value;
    if (here() == '[') set_name(node, unit());
    return node;
  }

  std::string unit() {
    const auto at = at_++;
    const auto end = text_.find(']', at_);
    if (end == std::string_view::npos) fail(at, "'[' is not closed; write the unit of measure as 3 [cm]");
    const auto name = trim(text_.substr(at_, end - at_));
    if (name.empty()) fail(at, "the unit of measure is empty; write for example 3 [cm]");
    if (name.size() > longest_unit)
      fail(at, fmt::format("{} is too long for a unit of measure; write for example 3 [cm]", quote(name, 30)));
    at_ = end + 1;
    skip();
    return std::string(name);
  }

  std::uint32_t named() {
    const Name name = path();
    if (name.plain) {
      if (const Word* word = find_word(name.text)) return word_value(*word, name.at);
      if (here() == '(') return call(name);
    } else if (here() == '(') {
      fail(at_, fmt::format("{} is a variable, not a function; write an operator before '('", quote(name.text)));
    }
    const auto node = add(Op::variable, name.at);
    set_name(node, name.text);
    return node;
  }

  std::uint32_t word_value(const Word& word, std::size_t at) {
    if (word.op == Op::logical_not)
      fail(at, "'not' cannot follow an operator that is stronger; write parentheses: (not a)");
    if (word.op == Op::logical_and || word.op == Op::logical_or)
      fail(at, fmt::format("'{0}' stands where a value is expected; write 'a {0} b', or `{0}` in backquotes for a "
                           "variable of that name",
                           word.name));
    const auto node = add(word.op, at);
    if (word.op == Op::truth) tree_.nodes[node].value = word.name == "true" ? 1 : 0;
    return node;
  }

  std::uint32_t call(const Name& name) {
    const Function* f = find_function(name.text);
    if (f == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& known : functions) names.push_back(known.name);
      fail(name.at, fmt::format("there is no function {}{}; for a variable with parentheses in its name, write the "
                                "name in backquotes",
                                quote(name.text), suggestion(name.text, names)));
    }
    const Level level(*this);
    const auto opened = at_;
    take("(");
    std::string table;
    if (f->op == Op::table) table = table_name();
    std::vector<std::uint32_t> arguments;
    if (here() != ')') {
      do {
        arguments.push_back(alternatives());
      } while (take(","));
    }
    close(opened, fmt::format("{}(", f->name));
    if (arguments.size() < f->least || arguments.size() > f->most)
      fail(name.at, fmt::format("'{}' has {} argument{} here; write {}", f->name, arguments.size(),
                                arguments.size() == 1 ? "" : "s", f->usage));
    const auto node = add(f->op, name.at, arguments);
    if (f->op == Op::table) set_name(node, std::move(table));
    return node;
  }

  std::string table_name() {
    const auto at = at_;
    if (!begins_part(here())) fail(at, "the name of a table is expected; write table(name, x)");
    Name name = path();
    if (!take(",")) fail(at_, "',' is expected after the name of the table; write table(name, x)");
    return std::move(name.text);
  }

  // --- names

  Name path() {
    Name name;
    name.at = at_;
    for (;;) {
      if (here() == '`') {
        name.text += quoted_part();
        name.plain = false;
      } else {
        const auto begin = at_;
        while (continues_name(here())) ++at_;
        name.text += text_.substr(begin, at_ - begin);
      }
      if (here() == '[') {
        name.text += index();
        name.plain = false;
      }
      if (here() != '.' || !begins_part(here(1))) break;
      ++at_;
      name.text += '.';
      name.plain = false;
    }
    skip();
    if (here() == '[') {  // also after blanks
      name.text += index();
      name.plain = false;
      skip();
    }
    return name;
  }

  std::string quoted_part() {
    const auto begin = at_++;
    std::string part;
    for (;; ++at_) {
      if (at_ == text_.size()) fail(begin, "the backquote is not closed; add '`' after the name");
      if (here() == '`') {
        ++at_;
        if (here() != '`') break;
      }
      part += here();
    }
    if (trim(part).empty()) fail(begin, "the name between backquotes is empty; write a name");
    return part;
  }

  // "[ 1, 02 ]" → "[1,2]"
  std::string index() {
    const auto begin = at_;
    take("[");
    std::string text = "[";
    for (;;) {
      std::uint64_t number = 0;
      const auto* const end = text_.data() + text_.size();
      const auto [after, error] = std::from_chars(text_.data() + at_, end, number);
      if (error != std::errc())
        fail(
            begin,
            "an index of a variable is a list of whole numbers: y[2], A[1,2]; a unit of measure follows a number only, "
            "and other names are written in backquotes");
      at_ = static_cast<std::size_t>(after - text_.data());
      skip();
      text += std::to_string(number);
      if (!take(",")) break;
      text += ',';
    }
    if (here() != ']') fail(begin, "'[' of the index is not closed; write y[2] or A[1,2]");
    ++at_;
    return text + "]";
  }

  Tree tree_;
  std::string_view text_;
  std::size_t at_ = 0;
  int level_ = 0;
};

}  // namespace

Tree parse(std::string_view text, std::string where) { return Parser(text, std::move(where))(); }

}  // namespace consort::expr
