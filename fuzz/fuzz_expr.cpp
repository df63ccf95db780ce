// Any text as an expression must give an Error, or a tree whose text gives the same tree, and a program that can be
// evaluated: held at the present outcomes it has the present value, and a value that is not finite has a reason.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "expr/compile.hpp"

namespace {

using namespace consort;

constexpr std::uint32_t slot_count = 64;

// Every name is a variable: its last letter says of which kind.
class AnyName : public expr::Resolver {
 public:
  std::optional<expr::Operand> find(std::string_view name) const override {
    const auto slot = static_cast<std::uint32_t>(std::hash<std::string_view>()(name) % slot_count);
    switch (name.back()) {
      case 'b': return expr::Operand::of_discrete(slot, expr::Kind::boolean);
      case 'n': return expr::Operand::of_discrete(slot, expr::Kind::integer);
      case 'm': return expr::Operand::of_slot(slot, expr::Unit{"mm", {{0, 1}, 1e-3, 0}});
      case 'T': return expr::Operand::of_slot(slot, expr::Unit{"degC", {{0, 0, 0, 0, 1}, 1, 273.15}});
      case 'k': return expr::Operand::constant(0.5);
      case '?': return std::nullopt;
      default: return expr::Operand::of_slot(slot);
    }
  }
  std::vector<std::string> names() const override { return {"left.x", "right.x"}; }
  std::optional<describe::BaseUnit> unit(std::string_view name) const override {
    if (name == "m") return describe::BaseUnit{{0, 1}, 1, 0};
    if (name == "mm") return describe::BaseUnit{{0, 1}, 1e-3, 0};
    if (name == "K") return describe::BaseUnit{{0, 0, 0, 0, 1}, 1, 0};
    return std::nullopt;
  }
  std::shared_ptr<const expr::Table> table(std::string_view name) const override {
    static const auto hat =
        std::make_shared<const expr::Table>("hat", std::vector<double>{-1, 0, 1}, std::vector<double>{0, 2, 0});
    return name == "?" ? nullptr : hat;
  }
};

bool equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void evaluate(const expr::Program& p, const std::vector<double>& slots, double t) {
  std::vector<double> held(p.relations().size());
  std::vector<double> indicators(held.size());
  std::vector<double> by_operand(p.operands().size());
  double by_time = 0;
  double value = 0;
  p.refresh(slots, t, held);
  CONSORT_ASSERT(!p.refresh(slots, t, held));
  p.indicators(slots, t, held, indicators);
  for (const double indicator : indicators) CONSORT_ASSERT(std::isfinite(indicator));
  const double now = p.evaluate(slots, t);
  p.gradient(slots, t, value, by_operand, by_time);
  CONSORT_ASSERT(equal(value, now));
  p.gradient(slots, t, held, value, by_operand, by_time);
  CONSORT_ASSERT(equal(value, p.evaluate(slots, t, held)));
  if (std::isfinite(now)) CONSORT_ASSERT(equal(value, now));
  CONSORT_ASSERT(std::isfinite(now) == p.explain(slots, t).empty());
  CONSORT_ASSERT(std::isfinite(value) == p.explain(slots, t, held).empty());
}

void compile(const expr::Tree& tree, expr::Expected expected) {
  expr::CompileOptions options;
  options.expected = expected;
  if (tree.text.size() % 2 == 0) options.target = expr::Unit{"mm", {{0, 1}, 1e-3, 0}};
  const auto program = expr::compile(tree, AnyName(), options);
  for (const double scale : {0.0, 1.0, -3.7, 1e200}) {
    std::vector<double> slots(slot_count);
    for (std::size_t k = 0; k < slots.size(); ++k) slots[k] = scale * static_cast<double>(k % 7) - 1;
    evaluate(program, slots, scale / 2);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto tree = expr::parse({reinterpret_cast<const char*>(data), size}, "fuzz.yaml:1:1");
    CONSORT_ASSERT(tree.nodes.size() <= expr::most_nodes);
    const auto text = expr::to_text(tree);
    if (text.size() <= expr::longest_text) CONSORT_ASSERT(expr::same(tree, expr::parse(text)));
    for (const auto& r : expr::references(tree).variables) CONSORT_ASSERT(!r.name.empty() && r.at < size);
    compile(tree, expr::Expected::anything);
    compile(tree, expr::Expected::condition);
  } catch (const Error& error) {
    CONSORT_ASSERT(error.fault() == Fault::input);
  }
  return 0;
}
