// Time to evaluate and to differentiate expressions.
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "expr/compile.hpp"
#include "measure.hpp"

namespace consort::bench {
namespace {

constexpr int calls = 200'000;
constexpr int runs = 30;

class Pendula : public expr::Resolver {
 public:
  [[nodiscard]] std::optional<expr::Operand> find(std::string_view name) const override {
    const expr::Unit metre{"m", {{0, 1}, 1, 0}};
    if (name == "k") return expr::Operand::constant(2, expr::Unit{"N/m", {{1, 0, -2}, 1, 0}});
    if (name == "left.x") return expr::Operand::of_slot(0, metre);
    if (name == "right.x") return expr::Operand::of_slot(1, metre);
    if (name == "w1") return expr::Operand::of_slot(2, metre);
    return expr::Operand::of_slot(3);
  }
  [[nodiscard]] std::optional<describe::BaseUnit> unit(std::string_view /*name*/) const override {
    return describe::BaseUnit{{0, 1}, 1, 0};
  }
};

// Nanoseconds per call.
template <class Work>
double time_of(std::vector<double>& slots, Work&& work) {
  double sum = 0;
  const double best = best_of(runs, [&] {
    for (int k = 0; k < calls; ++k) {
      slots[0] = 1 + 1e-9 * k;
      sum += work();
    }
  });
  volatile double used = sum;
  static_cast<void>(used);
  return 1e9 * best / calls;
}

void measure(std::string_view text) {
  const auto p = expr::compile(text, Pendula());
  std::vector<double> slots{1, 2, 0.5, 0.7};
  std::vector<double> held(p.relations().size());
  std::vector<double> by_operand(p.operands().size());
  double value = 0;
  double by_time = 0;
  p.refresh(slots, 0, held);
  const double now = time_of(slots, [&] { return p.evaluate(slots, 1); });
  const double smooth = time_of(slots, [&] { return p.evaluate(slots, 1, held); });
  const double gradient = time_of(slots, [&] {
    p.gradient(slots, 1, held, value, by_operand, by_time);
    return by_operand[0];
  });
  fmt::print("{:<42} {:>9.1f} {:>9.1f} {:>9.1f}\n", text, now, smooth, gradient);
}

}  // namespace
}  // namespace consort::bench

int main() {
  fmt::print("{:<42} {:>9} {:>9} {:>9}\n", "expression (ns)", "value", "held", "gradient");
  for (const auto* text : {"-k * (left.x + w1 - right.x - 4 [m])", "clamp(10 * u, -10, 10)",
                           "if(left.x < 0 [m], 1, u^2) + min(u, 3, 2 * u)", "sin(2 * pi * u) * exp(-u)"})
    consort::bench::measure(text);
  return 0;
}
