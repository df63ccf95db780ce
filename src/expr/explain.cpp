#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/text.hpp"
#include "expr/evaluation.hpp"
#include "expr/program.hpp"

namespace consort::expr {

namespace {

constexpr std::size_t most_text = 200;
constexpr std::size_t most_values_shown = 6;

std::string value_text(std::string_view name, double value, std::string_view unit) {
  return fmt::format("{} = {:.6g}{}{}", name, value, unit.empty() ? "" : " ", unit);
}

}  // namespace

int Program::inputs_of(Code code) {
  switch (code) {
    case Code::constant:
    case Code::operand:
    case Code::time: return 0;
    case Code::choose: return 3;
    case Code::add:
    case Code::subtract:
    case Code::multiply:
    case Code::divide:
    case Code::power:
    case Code::greater:
    case Code::equal:
    case Code::both:
    case Code::either:
    case Code::minimum:
    case Code::maximum:
    case Code::atan2: return 2;
    default: return 1;
  }
}

std::string Program::reason(Code code, double a, double b) {
  switch (code) {
    case Code::divide: return b == 0 ? "division by zero" : "overflow";
    case Code::sqrt: return "square root of a negative number";
    case Code::log: return a == 0 ? "logarithm of zero" : "logarithm of a negative number";
    case Code::asin: return "asin of a number outside of -1 … 1";
    case Code::acos: return "acos of a number outside of -1 … 1";
    case Code::power:
      if (a == 0 && b < 0) return "division by zero (a negative power of zero)";
      return a < 0 && b != std::floor(b) ? "fractional power of a negative number" : "overflow";
    default: return "overflow";
  }
}

std::string Program::place() const {
  const auto text = quote(tree_->text, most_text);
  return tree_->where.empty() ? fmt::format("expression {}", text)
                              : fmt::format("expression {} ({})", text, tree_->where);
}

// A sub-expression takes the nodes from its first leaf to itself.
std::string Program::values_in(std::uint32_t node, std::span<const double> slots, double t) const {
  std::uint32_t first = node;
  while (tree_->nodes[first].count > 0) first = tree_->child(tree_->nodes[first], 0);
  std::vector<std::string> found;
  const auto note = [&](std::string text) {
    if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(std::move(text));
  };
  for (auto k = first; k <= node; ++k) {
    const Node& n = tree_->nodes[k];
    if (n.op == Op::time) note(value_text("time", t, "s"));
    if (n.op != Op::variable) continue;
    for (const auto& o : operands_)
      if (o.name == tree_->name(n)) note(value_text(name_in_text(o.name), slots[o.slot], o.unit));
    for (const auto& c : named_)
      if (c.name == tree_->name(n)) note(value_text(name_in_text(c.name), c.value, c.unit));
  }
  return found.empty() ? "" : fmt::format(" ({})", some_of(found, most_values_shown));
}

template <class Outcomes>
std::string Program::explain_with(std::span<const double> slots, double t, Outcomes& outcomes) const {
  Frame frame;
  const double* const v = frame.values;
  run(slots, t, frame.values, outcomes);
  if (std::isfinite(delivered(v[result_]))) return {};
  if (std::isfinite(v[result_]))
    return fmt::format("overflow of the result in its unit{}", values_in(tree_->root(), slots, t));

  std::uint32_t at = result_;
  while (at >= first_result_) {
    const Instruction& i = instructions_[at - first_result_];
    std::array inputs{i.a, i.b, i.c};
    auto count = static_cast<std::size_t>(inputs_of(i.code));
    if (i.code == Code::choose && !std::isnan(v[i.a])) {
      inputs[0] = v[i.a] != 0 ? i.b : i.c;
      count = 1;
    }
    const auto end = inputs.begin() + static_cast<std::ptrdiff_t>(count);
    const auto cause = std::find_if(inputs.begin(), end, [&](auto input) { return !std::isfinite(v[input]); });
    if (cause == end)
      return fmt::format("{} in {}{}", reason(i.code, v[i.a], count > 1 ? v[i.b] : 0),
                         quote(to_text(*tree_, i.node), most_text), values_in(i.node, slots, t));
    at = *cause;
  }
  if (at == 0) return fmt::format("time is {}", t);
  if (at > operands_.size()) return "a constant is not finite";
  const UsedOperand& o = operands_[at - 1];
  return fmt::format("the value of {} is {}", quote(o.name, most_text), slots[o.slot]);
}

std::string Program::explain(std::span<const double> slots, double t) const {
  Present outcomes;
  return explain_with(slots, t, outcomes);
}

std::string Program::explain(std::span<const double> slots, double t, std::span<const double> held) const {
  CONSORT_ASSERT(held.size() == relations_.size());
  Held outcomes(held);
  return explain_with(slots, t, outcomes);
}

}  // namespace consort::expr
