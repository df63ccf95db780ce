#include "expr/builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "expr/evaluation.hpp"

namespace consort::expr {

Builder::Item Builder::add(const Value& value) {
  items_.push_back(value);
  return static_cast<Item>(items_.size() - 1);
}

Builder::Item Builder::constant(double value) {
  const auto [at, is_new] = constants_.try_emplace(std::bit_cast<std::uint64_t>(value), 0);
  if (is_new) {
    Value item;
    item.constant = value;
    at->second = add(item);
  }
  return at->second;
}

Builder::Item Builder::time() {
  if (!time_) {
    Value item;
    item.instruction.code = Code::time;
    item.moves = by_time;
    time_ = add(item);
  }
  return *time_;
}

Builder::Item Builder::operand(UsedOperand operand) {
  const auto [at, is_new] = by_name_.try_emplace(operand.name, 0);
  if (is_new) {
    Value item;
    item.instruction.code = Code::operand;
    item.operand = static_cast<std::uint32_t>(operands_.size());
    item.moves = operand.discrete ? 0 : by_operands;
    operands_.push_back(std::move(operand));
    at->second = add(item);
  }
  return at->second;
}

void Builder::name_constant(std::string name, double value, std::string unit) {
  for (const auto& known : named_)
    if (known.name == name) return;
  named_.push_back({std::move(name), value, std::move(unit)});
}

std::optional<double> Builder::value_of(Item item) const {
  const Value& value = items_[item];
  if (value.instruction.code != Code::constant) return std::nullopt;
  return value.constant;
}

// A value that is not finite is not folded: it may belong to a branch that is never taken.
std::optional<Builder::Item> Builder::folded(const Program::Instruction& i) const {
  if (i.code == Code::choose) {
    if (const auto condition = value_of(i.a)) return *condition != 0 ? i.b : i.c;
  }
  const bool is_and = i.code == Code::both;
  if (is_and || i.code == Code::either) {
    for (const Item one : {i.a, i.b})
      if (const auto value = value_of(one); value && (*value == 0) == is_and) return one;
  }
  return std::nullopt;
}

Builder::Item Builder::make(Code code, std::uint32_t node, Item a, Item b, Item c, bool counts) {
  Value value;
  value.instruction = {code, Program::none, a, b, c, node};
  if (const auto simpler = folded(value.instruction)) return *simpler;

  const auto count = static_cast<std::size_t>(Program::inputs_of(code));
  const std::array inputs{a, b, c};
  std::array<double, 3> constants{};
  bool all_constant = true;
  for (std::size_t k = 0; k < count; ++k) {
    const auto known = value_of(inputs[k]);
    all_constant = all_constant && known;
    constants[k] = known.value_or(0);
    value.inputs_move |= items_[inputs[k]].moves;
  }
  if (all_constant) {
    Program::Present outcomes;
    const Program::Instruction local{code, Program::none, 0, 1, code == Code::table ? c : 2, node};
    const double result = Program::apply(local, constants.data(), tables_.data(), outcomes);
    if (std::isfinite(result)) return constant(result);
  }
  const bool jumps = code == Code::greater || code == Code::floor;
  value.counts = counts && !all_constant;
  value.moves = value.counts && jumps ? 0 : value.inputs_move;
  const auto [at, is_new] = known_.try_emplace(Key{code, a, b, c, value.counts}, 0);
  if (is_new) at->second = add(value);
  return at->second;
}

Builder::Item Builder::table(std::shared_ptr<const Table> table, std::uint32_t node, Item x) {
  std::size_t k = 0;
  while (k < tables_.size() && tables_[k] != table) ++k;
  if (k == tables_.size()) tables_.push_back(std::move(table));
  return make(Code::table, node, x, 0, static_cast<std::uint32_t>(k));
}

// --- values that can never be computed

std::string Builder::reason_why_impossible(const Value& value) const {
  const auto& i = value.instruction;
  const auto count = Program::inputs_of(i.code);
  const auto a = count > 0 ? value_of(i.a) : std::nullopt;
  const auto b = count > 1 ? value_of(i.b) : std::nullopt;
  const bool by_zero = i.code == Code::divide && b && *b == 0;
  if (i.code == Code::choose || (!by_zero && (!a || (count > 1 && !b)))) return {};
  return Program::reason(i.code, a.value_or(0), b.value_or(0));
}

std::optional<Builder::Impossible> Builder::impossible(Item result) const {
  std::vector<bool> always(items_.size());
  always[result] = true;
  std::optional<Impossible> found;  // the last one found is the first in the order of evaluation
  for (Item k = result + 1; k-- > 0;) {
    if (!always[k]) continue;
    const auto& i = items_[k].instruction;
    if (auto reason = reason_why_impossible(items_[k]); !reason.empty()) found = {i.node, std::move(reason)};
    if (i.code == Code::both || i.code == Code::either) continue;
    const auto count = i.code == Code::choose ? 1 : Program::inputs_of(i.code);
    const std::array inputs{i.a, i.b, i.c};
    for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) always[inputs[n]] = true;
  }
  return found;
}

// --- the program

std::vector<bool> Builder::needed_by(Item result) const {
  std::vector<bool> needed(items_.size());
  needed[result] = true;
  for (Item k = result + 1; k-- > 0;) {
    if (!needed[k]) continue;
    const auto& i = items_[k].instruction;
    const std::array inputs{i.a, i.b, i.c};
    for (std::size_t n = 0; n < static_cast<std::size_t>(Program::inputs_of(i.code)); ++n) needed[inputs[n]] = true;
  }
  return needed;
}

void Builder::place_leaves(const std::vector<bool>& needed, Program& program) {
  for (Item k = 0; k < items_.size(); ++k) {
    if (!needed[k] || items_[k].instruction.code != Code::operand) continue;
    auto& operand = operands_[items_[k].operand];
    program.slots_needed_ = std::max(program.slots_needed_, std::size_t{operand.slot} + 1);
    program.operands_.push_back(std::move(operand));
    places_[k] = static_cast<std::uint32_t>(program.operands_.size());
  }
  const auto first_constant = static_cast<std::uint32_t>(1 + program.operands_.size());
  for (Item k = 0; k < items_.size(); ++k) {
    if (!needed[k] || items_[k].instruction.code != Code::constant) continue;
    places_[k] = first_constant + static_cast<std::uint32_t>(program.constants_.size());
    program.constants_.push_back(items_[k].constant);
  }
  program.first_result_ = first_constant + static_cast<std::uint32_t>(program.constants_.size());
  program.uses_time_ = time_ && needed[*time_];
}

void Builder::place_instructions(const std::vector<bool>& needed, Program& program) {
  for (Item k = 0; k < items_.size(); ++k) {
    const Value& value = items_[k];
    auto i = value.instruction;
    const auto count = Program::inputs_of(i.code);
    if (!needed[k] || count == 0) continue;
    i.a = places_[i.a];
    i.b = count > 1 ? places_[i.b] : 0;
    if (i.code != Code::table) i.c = count > 2 ? places_[i.c] : 0;
    if (value.counts) {
      i.relation = static_cast<std::uint32_t>(program.relations_.size());
      program.relations_.push_back({.node = i.node,
                                    .whole_number = i.code == Code::floor,
                                    .located = value.inputs_move != 0,
                                    .time_only = value.inputs_move == by_time});
    }
    places_[k] = program.first_result_ + static_cast<std::uint32_t>(program.instructions_.size());
    program.instructions_.push_back(i);
  }
}

Program Builder::finish(Item result, Delivery delivery) {
  Program program;
  program.tree_ = tree_;
  const auto needed = needed_by(result);
  places_.assign(items_.size(), 0);
  place_leaves(needed, program);
  place_instructions(needed, program);
  require(program.first_result_ + program.instructions_.size() <= Program::most_values,
          "{}: the expression needs more than {} values; split it", program.place(), Program::most_values);
  program.result_ = places_[result];
  program.tables_ = std::move(tables_);
  program.named_ = std::move(named_);
  program.condition_ = delivery.condition;
  program.event_valued_ = items_[result].moves == 0;
  program.notes_ = std::move(delivery.notes);
  program.unit_ = delivery.unit;
  if (delivery.target && (delivery.target->factor != 1 || delivery.target->offset != 0)) {
    program.convert_ = true;
    program.target_factor_ = delivery.target->factor;
    program.target_offset_ = delivery.target->offset;
  }
  return program;
}

}  // namespace consort::expr
