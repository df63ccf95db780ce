#include "expr/compile.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/core.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "expr/builder.hpp"
#include "expr/functions.hpp"
#include "expr/quantity.hpp"

namespace consort::expr {

namespace {

using Code = Builder::Code;
using Item = Builder::Item;

constexpr std::size_t most_quoted = 60;

// A sub-expression.
struct Term {
  Item item = 0;
  Quantity quantity{};
  bool condition = false;
  std::uint32_t node = 0;
};

class Compiler {
 public:
  Compiler(const Tree& tree, const Resolver& resolver, const CompileOptions& options)
      : tree_(tree), resolver_(resolver), options_(options), builder_(tree) {}

  Program operator()() {
    terms_.reserve(tree_.nodes.size());
    for (std::uint32_t k = 0; k < tree_.nodes.size(); ++k) {
      terms_.push_back(term(k));
      terms_.back().node = k;
    }
    const Term& result = terms_.back();
    if (options_.expected == Expected::number) static_cast<void>(number(result, "the target"));
    if (options_.expected == Expected::condition) static_cast<void>(condition(result, "the condition"));
    auto delivery = deliver(result);
    if (const auto never = builder_.impossible(result.item))
      fail(never->node,
           fmt::format("{} in {}: the value can never be computed; correct it", never->reason, text_of(never->node)));
    return builder_.finish(result.item, std::move(delivery));
  }

 private:
  // --- messages

  [[noreturn]] void fail(std::uint32_t node, std::string_view what) const {
    const auto place = tree_.where.empty() ? "" : fmt::format(" ({})", tree_.where);
    const auto column = character_count(std::string_view(tree_.text).substr(0, tree_.nodes[node].at)) + 1;
    throw input_error("expression {}{}, column {}: {}", quote(tree_.text), place, column, what);
  }
  [[nodiscard]] std::string text_of(std::uint32_t node) const { return quote(to_text(tree_, node), most_quoted); }

  // For use in a proposal: the sub-expression, unless it is long.
  [[nodiscard]] std::string written(std::uint32_t node) const {
    auto text = to_text(tree_, node);
    return text.size() > most_quoted ? "…" : text;
  }

  static std::string similar(std::string_view name, const std::vector<std::string>& names) {
    return suggestion(name, std::vector<std::string_view>(names.begin(), names.end()));
  }

  // --- arguments

  [[nodiscard]] const Term& child(const Node& node, std::uint32_t i) const { return terms_[tree_.child(node, i)]; }

  [[nodiscard]] static std::string name_of(const Node& node) {
    const auto* f = find_function(node.op);
    return f != nullptr ? fmt::format("'{}'", f->name) : "the operator";
  }

  const Term& number(const Term& term, std::string_view user) const {
    if (term.condition)
      fail(term.node, fmt::format("{0} is true or false, but {1} needs a number; write if({2}, 1, 0)",
                                  text_of(term.node), user, written(term.node)));
    return term;
  }
  const Term& condition(const Term& term, std::string_view user) const {
    if (!term.condition)
      fail(term.node, fmt::format("{} is a number, but {} needs true or false; write a comparison, for example {} > 0",
                                  text_of(term.node), user, written(term.node)));
    return term;
  }
  [[nodiscard]] const Term& number(const Node& node, std::uint32_t i) const {
    return number(child(node, i), name_of(node));
  }
  [[nodiscard]] const Term& condition(const Node& node, std::uint32_t i) const {
    return condition(child(node, i), name_of(node));
  }

  // --- units of measure

  [[nodiscard]] Quantity join(std::uint32_t at, const Term& a, const Term& b, Joining how) const {
    const auto joined = expr::join(a.quantity, b.quantity, how);
    if (joined.misfit == Misfit::none) return joined.quantity;
    if (joined.misfit == Misfit::clash)
      fail(at, fmt::format("{} is in {}, but {} is in {}; correct one of them", text_of(a.node),
                           unit_text(a.quantity.exponents), text_of(b.node), unit_text(b.quantity.exponents)));
    const Term& with = a.quantity.has_unit() ? a : b;
    const Term& without = a.quantity.has_unit() ? b : a;
    const auto unit = own_unit(with);
    if (joined.misfit == Misfit::two_zeros)
      fail(at, fmt::format("{} and {} both count from the zero of their unit, so that they have no sum; write a "
                           "difference in K, for example 5 [K]",
                           text_of(a.node), text_of(b.node)));
    const bool literal = tree_.nodes[without.node].op == Op::number;
    const auto text = written(without.node);
    fail(at, fmt::format("{} has no unit of measure, but {} has one ({}) that is not the SI unit; write {}",
                         text_of(without.node), text_of(with.node), unit,
                         literal ? fmt::format("{} [{}]", text, unit)
                                 : fmt::format("({}) * 1 [{}], or the unit that is meant", text, unit)));
  }

  // The first unit in the sub-expression that is not an SI unit, if it measures the same; else the SI unit.
  [[nodiscard]] std::string own_unit(const Term& term) const {
    std::uint32_t first = term.node;
    while (tree_.nodes[first].count > 0) first = tree_.child(tree_.nodes[first], 0);
    for (auto k = first; k <= term.node; ++k)
      if (k < units_.size() && !units_[k].empty() && terms_[k].quantity.exponents == term.quantity.exponents)
        return units_[k];
    return unit_text(term.quantity.exponents);
  }

  void require_pure(const Term& term, std::string_view user) const {
    if (term.quantity.is == Quantity::Is::known && !term.quantity.is_pure())
      fail(term.node, fmt::format("{0} is in {1}, but {2} needs a number without a unit; divide by a reference value, "
                                  "for example {3} / 1 [{4}]",
                                  text_of(term.node), unit_text(term.quantity.exponents), user, written(term.node),
                                  own_unit(term)));
  }

  // Tells between a number in the target's unit and a value in SI units.
  [[nodiscard]] Builder::Delivery deliver(const Term& result) const {
    Builder::Delivery delivery;
    delivery.condition = result.condition;
    const Quantity& q = result.quantity;
    if (result.condition) return delivery;
    if (options_.target) delivery.unit = options_.target->base;
    if (!q.has_unit()) return delivery;
    if (!options_.target) {
      if (q.is == Quantity::Is::known) delivery.unit = si_unit(q.exponents);
      if (q.scaled && !q.is_pure())
        delivery.notes.push_back(
            fmt::format("{} gives a value in the SI unit ({}), because the target has no unit of "
                        "measure",
                        text_of(result.node), unit_text(q.exponents)));
      return delivery;
    }
    const Unit& target = *options_.target;
    const auto wanted = quantity_of(target.base);
    delivery.target = target.base;
    if (q.exponents == wanted.exponents) return delivery;
    if (q.is == Quantity::Is::known)
      fail(result.node, fmt::format("the result is in {}, but the target is in {}; correct the expression, or the unit "
                                    "of measure of the target",
                                    unit_text(q.exponents), unit_of(target)));
    if (wanted.scaled)
      fail(result.node,
           fmt::format("the unit of the result is not known, because numbers without a unit take part, and "
                       "the target is in {}, which is not the SI unit; write units of measure at the "
                       "numbers, for example 3 [{}]",
                       unit_of(target), unit_text(wanted.exponents)));
    return delivery;
  }
  // nullopt for roots that are no unit.
  [[nodiscard]] static std::optional<describe::BaseUnit> si_unit(const Exponents& exponents) {
    describe::BaseUnit unit;
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      if (!(std::abs(exponents[i]) <= 127) || exponents[i] != std::round(exponents[i])) return std::nullopt;
      unit.exponents[i] = static_cast<std::int8_t>(exponents[i]);
    }
    return unit;
  }
  [[nodiscard]] static std::string unit_of(const Unit& unit) {
    return unit.name.empty() ? unit_text(quantity_of(unit.base).exponents) : unit.name;
  }

  // --- nodes

  // Adds the place in the expression to errors of the resolver.
  template <class F>
  auto in_place(std::uint32_t k, F&& find) const {
    try {
      return find();
    } catch (const Error& error) {
      if (error.fault() != Fault::input) throw;
      fail(k, error.what());
    }
  }

  Term term(std::uint32_t k) {
    units_.emplace_back();
    const Node& node = tree_.nodes[k];
    switch (node.op) {
      case Op::number: return literal(k, node);
      case Op::truth: return {.item = builder_.constant(node.value), .condition = true};
      case Op::pi: return {.item = builder_.constant(std::numbers::pi)};
      case Op::time: return {.item = builder_.time(), .quantity = quantity_of({.exponents = {0, 0, 1}})};
      case Op::variable: return variable(k, node);
      case Op::negate: return negated(k, node);
      case Op::add: return joined(k, node, Code::add, Joining::sum);
      case Op::subtract: return joined(k, node, Code::subtract, Joining::difference);
      case Op::multiply:
      case Op::divide: return product(k, node);
      case Op::power: return power(k, node);
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal: return comparison(k, node);
      case Op::equal:
      case Op::not_equal: return equality(k, node);
      case Op::logical_not: return {.item = builder_.make(Code::invert, k, condition(node, 0).item), .condition = true};
      case Op::logical_and: return logic(k, node, Code::both);
      case Op::logical_or: return logic(k, node, Code::either);
      case Op::choose: return choice(k, node);
      case Op::minimum: return extreme(k, node, Code::minimum);
      case Op::maximum: return extreme(k, node, Code::maximum);
      case Op::clamp: return clamped(k, node);
      case Op::absolute: return absolute(k, node);
      case Op::sign: return sign(k, node);
      case Op::floor:
      case Op::ceil: return rounded(k, node);
      case Op::mod: return remainder(k, node);
      case Op::sqrt: return root(k, node);
      case Op::atan2: return angle(k, node);
      case Op::table: return table(k, node);
      default: return elementary(k, node);
    }
  }

  Term literal(std::uint32_t k, const Node& node) {
    if (node.name == no_name)
      return {.item = builder_.constant(node.value),
              .quantity = {.is = node.value == 0 ? Quantity::Is::zero : Quantity::Is::bare}};
    const auto& name = tree_.name(node);
    const auto unit = in_place(k, [&] { return resolver_.unit(name); });
    if (!unit)
      fail(k, fmt::format("there is no unit of measure {}{}; correct it, or define it under 'units_of_measure'",
                          quote(name), resolver_.nearest_unit(name)));
    const auto quantity = quantity_of(*unit);
    if (quantity.scaled) units_[k] = name;
    return {.item = builder_.constant(unit->factor * node.value + unit->offset), .quantity = quantity};
  }

  Term variable(std::uint32_t k, const Node& node) {
    const auto& name = tree_.name(node);
    const auto found = in_place(k, [&] { return resolver_.find(name); });
    if (!found) fail_unknown(k, name);
    Term term{.condition = found->kind == Kind::boolean};
    describe::BaseUnit si;
    if (found->unit && !term.condition) {
      si = found->unit->base;
      term.quantity = quantity_of(si);
      if (term.quantity.scaled) units_[k] = found->unit->name;
    }
    const auto unit_name = found->unit ? found->unit->name : "";
    if (found->slot == Operand::no_slot) {
      if (!std::isfinite(found->value))
        fail(k, fmt::format("the value of {} is {}; give it a finite value", quote(name), found->value));
      builder_.name_constant(name, found->value, unit_name);
      term.item = builder_.constant(si.factor * found->value + si.offset);
    } else {
      const bool discrete = found->discrete || found->kind != Kind::real;
      term.item = builder_.operand({found->slot, found->kind, discrete, name, unit_name, si.factor, si.offset});
    }
    return term;
  }

  [[noreturn]] void fail_unknown(std::uint32_t k, std::string_view name) const {
    const auto* f = find_function(name);
    if (f != nullptr) fail(k, fmt::format("there is no variable {}; write {} for the function", quote(name), f->usage));
    fail(k, fmt::format("there is no variable {}{}; correct the name, and write names with other characters than "
                        "letters, digits, '_' and '.' in backquotes",
                        quote(name), similar(name, resolver_.names())));
  }

  Term negated(std::uint32_t k, const Node& node) {
    const Term& a = number(node, 0);
    Term term{.item = builder_.make(Code::negate, k, a.item), .quantity = a.quantity};
    term.quantity.shifted = false;
    return term;
  }

  Term joined(std::uint32_t k, const Node& node, Code code, Joining how) {
    const Term& a = number(node, 0);
    const Term& b = number(node, 1);
    return {.item = builder_.make(code, k, a.item, b.item), .quantity = join(k, a, b, how)};
  }

  Term product(std::uint32_t k, const Node& node) {
    const Term& a = number(node, 0);
    const Term& b = number(node, 1);
    const bool divides = node.op == Op::divide;
    return {.item = builder_.make(divides ? Code::divide : Code::multiply, k, a.item, b.item),
            .quantity = expr::product(a.quantity, b.quantity, divides ? -1 : 1)};
  }

  Term power(std::uint32_t k, const Node& node) {
    const Term& base = number(node, 0);
    const Term& exponent = number(node, 1);
    require_pure(exponent, "an exponent");
    const auto n = builder_.value_of(exponent.item);
    if (!n) require_pure(base, "the base of a power with a variable exponent");
    Term term{.quantity = n ? expr::power(base.quantity, *n) : Quantity{}};
    if (n && (*n == 2 || *n == 3)) {  // exact, and much faster
      term.item = builder_.make(Code::multiply, k, base.item, base.item);
      if (*n == 3) term.item = builder_.make(Code::multiply, k, term.item, base.item);
    } else {
      term.item = builder_.make(Code::power, k, base.item, exponent.item);
    }
    return term;
  }

  Term comparison(std::uint32_t k, const Node& node) {
    const Term& a = number(node, 0);
    const Term& b = number(node, 1);
    static_cast<void>(join(k, a, b, Joining::same));
    // a < b is b > a, and a <= b is not (a > b), so that the indicator of a > b is > 0 or not exactly with the outcome.
    const bool swapped = node.op == Op::less || node.op == Op::greater_equal;
    const bool inverted = node.op == Op::less_equal || node.op == Op::greater_equal;
    const auto greater = swapped ? greater_than(k, b.item, a.item, options_.relations.comparisons)
                                 : greater_than(k, a.item, b.item, options_.relations.comparisons);
    return {.item = inverted ? builder_.make(Code::invert, k, greater) : greater, .condition = true};
  }
  Item greater_than(std::uint32_t k, Item a, Item b, bool counts) {
    return builder_.make(Code::greater, k, a, b, 0, counts);
  }

  Term equality(std::uint32_t k, const Node& node) {
    const Term& a = child(node, 0);
    const Term& b = child(node, 1);
    if (a.condition || b.condition) {
      static_cast<void>(condition(a, "a comparison with true or false"));
      static_cast<void>(condition(b, "a comparison with true or false"));
    } else {
      static_cast<void>(join(k, a, b, Joining::same));
    }
    if (options_.expected == Expected::condition && (builder_.moves(a.item) || builder_.moves(b.item)))
      fail(k, fmt::format("{} compares values that change continuously and are equal for no time that could be found; "
                          "write a condition with '<' or '>'",
                          text_of(k)));
    const auto equal = builder_.make(Code::equal, k, a.item, b.item);
    return {.item = node.op == Op::equal ? equal : builder_.make(Code::invert, k, equal), .condition = true};
  }

  Term logic(std::uint32_t k, const Node& node, Code code) {
    return {.item = builder_.make(code, k, condition(node, 0).item, condition(node, 1).item), .condition = true};
  }

  Term choice(std::uint32_t k, const Node& node) {
    const Term& which = condition(node, 0);
    const Term& a = child(node, 1);
    const Term& b = child(node, 2);
    Term term{.condition = a.condition};
    if (a.condition != b.condition)
      fail(k, fmt::format("of {} and {}, one is a number and the other true or false; make both the same",
                          text_of(a.node), text_of(b.node)));
    if (!a.condition) term.quantity = join(k, a, b, Joining::same);
    term.item = builder_.make(Code::choose, k, which.item, a.item, b.item);
    return term;
  }

  Term extreme(std::uint32_t k, const Node& node, Code code) {
    Term term = number(node, 0);
    for (std::uint32_t i = 1; i < node.count; ++i) {
      const Term& next = number(node, i);
      term.quantity = join(k, term, next, Joining::same);
      term.item = builder_.make(code, k, term.item, next.item, 0, options_.relations.kinks);
    }
    return term;
  }

  Term clamped(std::uint32_t k, const Node& node) {
    const Term& x = number(node, 0);
    const Term& low = number(node, 1);
    const Term& high = number(node, 2);
    const auto low_value = builder_.value_of(low.item);
    const auto high_value = builder_.value_of(high.item);
    static_cast<void>(join(k, low, high, Joining::same));
    if (low_value && high_value && *low_value > *high_value)
      fail(k, fmt::format("the lower limit {} is above the upper limit {}; exchange them", text_of(low.node),
                          text_of(high.node)));
    Term term = x;
    term.quantity = join(k, term, high, Joining::same);
    term.quantity = join(k, term, low, Joining::same);
    term.item = builder_.make(Code::minimum, k, x.item, high.item, 0, options_.relations.kinks);
    term.item = builder_.make(Code::maximum, k, term.item, low.item, 0, options_.relations.kinks);
    return term;
  }

  Term absolute(std::uint32_t k, const Node& node) {
    const Term& a = number(node, 0);
    return {.item = builder_.make(Code::absolute, k, a.item, 0, 0, options_.relations.kinks), .quantity = a.quantity};
  }

  Term sign(std::uint32_t k, const Node& node) {
    const auto a = number(node, 0).item;
    const auto zero = builder_.constant(0);
    const auto positive = greater_than(k, a, zero, options_.relations.jumps);
    const auto negative = greater_than(k, zero, a, options_.relations.jumps);
    return {.item = builder_.make(Code::subtract, k, positive, negative)};
  }

  Item whole(std::uint32_t k, Item a) { return builder_.make(Code::floor, k, a, 0, 0, options_.relations.jumps); }

  Term rounded(std::uint32_t k, const Node& node) {
    const Term& a = number(node, 0);
    require_pure(a, name_of(node));
    if (node.op == Op::floor) return {.item = whole(k, a.item)};
    return {.item = builder_.make(Code::negate, k, whole(k, builder_.make(Code::negate, k, a.item)))};
  }

  Term remainder(std::uint32_t k, const Node& node) {
    const Term& a = number(node, 0);
    const Term& b = number(node, 1);
    const auto quantity = join(k, a, b, Joining::same);
    const auto times = whole(k, builder_.make(Code::divide, k, a.item, b.item));
    const auto part = builder_.make(Code::multiply, k, b.item, times);
    return {.item = builder_.make(Code::subtract, k, a.item, part), .quantity = quantity};
  }

  Term root(std::uint32_t k, const Node& node) {
    const Term& a = number(node, 0);
    return {.item = builder_.make(Code::sqrt, k, a.item), .quantity = expr::power(a.quantity, 0.5)};
  }

  Term angle(std::uint32_t k, const Node& node) {
    const Term& y = number(node, 0);
    const Term& x = number(node, 1);
    static_cast<void>(join(k, y, x, Joining::same));
    return {.item = builder_.make(Code::atan2, k, y.item, x.item)};
  }

  Term elementary(std::uint32_t k, const Node& node) {
    static constexpr std::pair<Op, Code> codes[] = {
        {Op::exp, Code::exp},   {Op::log, Code::log},   {Op::sin, Code::sin},   {Op::cos, Code::cos},
        {Op::tan, Code::tan},   {Op::asin, Code::asin}, {Op::acos, Code::acos}, {Op::atan, Code::atan},
        {Op::sinh, Code::sinh}, {Op::cosh, Code::cosh}, {Op::tanh, Code::tanh}};
    const auto* const found =
        std::find_if(std::begin(codes), std::end(codes), [&](const auto& pair) { return pair.first == node.op; });
    CONSORT_ASSERT(found != std::end(codes));
    const Term& a = number(node, 0);
    require_pure(a, name_of(node));
    return {.item = builder_.make(found->second, k, a.item)};
  }

  Term table(std::uint32_t k, const Node& node) {
    const auto& name = tree_.name(node);
    const auto table = in_place(k, [&] { return resolver_.table(name); });
    if (!table)
      fail(k, fmt::format("there is no table {}{}; correct the name, or add it under 'tables'", quote(name),
                          similar(name, resolver_.tables())));
    const Term& x = number(node, 0);
    Term term{.item = x.item};
    const auto& unit_of_x = table->unit_of_x();
    if (x.quantity.has_unit() && !unit_of_x && x.quantity.scaled)
      fail(k, fmt::format("the first column of table {} has no unit of measure, but {} has one ({}) that is not the SI "
                          "unit; write table({}, {} / 1 [{}]) or the unit that is meant",
                          quote(name), text_of(x.node), own_unit(x), name_in_text(name), written(x.node), own_unit(x)));
    if (x.quantity.has_unit() && unit_of_x) {
      const auto wanted = quantity_of(unit_of_x->base);
      if (x.quantity.is == Quantity::Is::known && x.quantity.exponents != wanted.exponents)
        fail(k, fmt::format("{} is in {}, but the first column of table {} is in {}; correct one of them",
                            text_of(x.node), unit_text(x.quantity.exponents), quote(name), unit_of(*unit_of_x)));
      term.item = shifted(k, term.item, -unit_of_x->base.offset);
      if (unit_of_x->base.factor != 1)
        term.item = builder_.make(Code::divide, k, term.item, builder_.constant(unit_of_x->base.factor));
    }
    term.item = builder_.table(table, k, term.item);
    if (const auto& unit = table->unit_of_y()) {
      term.quantity = quantity_of(unit->base);
      if (term.quantity.scaled) units_[k] = unit->name;
      if (unit->base.factor != 1)
        term.item = builder_.make(Code::multiply, k, term.item, builder_.constant(unit->base.factor));
      term.item = shifted(k, term.item, unit->base.offset);
    }
    return term;
  }
  Item shifted(std::uint32_t k, Item a, double by) {
    return by == 0 ? a : builder_.make(Code::add, k, a, builder_.constant(by));
  }

  const Tree& tree_;
  const Resolver& resolver_;
  const CompileOptions& options_;
  Builder builder_;
  std::vector<Term> terms_;         // by node
  std::vector<std::string> units_;  // by node: of a literal, variable or table, if it is not the SI unit
};

}  // namespace

Program compile(const Tree& tree, const Resolver& resolver, const CompileOptions& options) {
  return Compiler(tree, resolver, options)();
}

Program compile(std::string_view text, const Resolver& resolver, const CompileOptions& options, std::string where) {
  return compile(parse(text, std::move(where)), resolver, options);
}

}  // namespace consort::expr
