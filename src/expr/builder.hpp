// Builds a Program: folds constants, finds equal sub-expressions, numbers relations, leaves out what is not needed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "expr/compile.hpp"
#include "expr/program.hpp"

namespace consort::expr {

class Builder {
 public:
  using Code = Program::Code;
  using Item = std::uint32_t;  // a value

  explicit Builder(const Tree& tree) : tree_(std::make_shared<const Tree>(tree)) {}

  Item constant(double value);
  Item time();
  Item operand(UsedOperand operand);  // equal names must be equal operands
  void name_constant(std::string name, double value, std::string unit);
  // `node` is the sub-expression that the instruction belongs to. `counts`: it is a relation, if its operands change.
  Item make(Code code, std::uint32_t node, Item a, Item b = 0, Item c = 0, bool counts = false);
  Item table(std::shared_ptr<const Table> table, std::uint32_t node, Item x);

  [[nodiscard]] std::optional<double> value_of(Item item) const;  // of a constant
  // Changes between events, if relations are held.
  [[nodiscard]] bool moves(Item item) const { return items_[item].moves != 0; }

  struct Impossible {
    std::uint32_t node = 0;
    std::string reason;  // "division by zero"
  };
  // A value that the result always needs and that can never be computed.
  [[nodiscard]] std::optional<Impossible> impossible(Item result) const;

  struct Delivery {
    bool condition = false;
    std::optional<describe::BaseUnit> target{};  // nullopt: the value as it is
    std::optional<describe::BaseUnit> unit{};    // of the delivered value, if it is known
    std::vector<std::string> notes{};
  };
  // Throws Error (input) if the program is too long. The builder is empty afterwards.
  [[nodiscard]] Program finish(Item result, Delivery delivery);

 private:
  static constexpr std::uint8_t by_time = 1;
  static constexpr std::uint8_t by_operands = 2;

  struct Value {
    Program::Instruction instruction{};  // its operands are items
    double constant = 0;
    std::uint32_t operand = 0;  // into operands_
    bool counts = false;
    std::uint8_t moves = 0;
    std::uint8_t inputs_move = 0;
  };
  using Key = std::tuple<Code, Item, Item, Item, bool>;

  Item add(const Value& value);
  [[nodiscard]] std::optional<Item> folded(const Program::Instruction& i) const;
  [[nodiscard]] std::vector<bool> needed_by(Item result) const;
  [[nodiscard]] std::string reason_why_impossible(const Value& value) const;
  void place_leaves(const std::vector<bool>& needed, Program& program);
  void place_instructions(const std::vector<bool>& needed, Program& program);

  std::shared_ptr<const Tree> tree_;
  std::vector<Value> items_;
  std::vector<UsedOperand> operands_;
  std::vector<Program::Named> named_;
  std::vector<std::shared_ptr<const Table>> tables_;
  std::map<Key, Item> known_;
  std::map<std::uint64_t, Item> constants_;
  std::map<std::string, Item> by_name_;
  std::optional<Item> time_;
  std::vector<std::uint32_t> places_;  // of items in the frame
};

}  // namespace consort::expr
