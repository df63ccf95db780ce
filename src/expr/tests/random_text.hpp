// Random expressions, for property tests.
#pragma once

#include <array>
#include <random>
#include <string>

namespace consort::expr {

class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  // Of the variables x, y, z and time, without units; well defined and smooth between relations for 0.5 … 1.5.
  std::string number(int depth) {
    if (depth == 0) return leaf();
    const auto a = [&] { return number(depth - 1); };
    switch (random_() % 22) {
      case 0: return "(" + a() + " + " + a() + ")";
      case 1: return "(" + a() + " - " + a() + ")";
      case 2: return "(" + a() + ") * (" + a() + ")";
      case 3: return "(" + a() + ") / (2 + sin(" + a() + "))";
      case 4: return "-(" + a() + ")";
      case 5: return "sin(" + a() + ")";
      case 6: return "cos(" + a() + ")";
      case 7: return "exp(tanh(" + a() + "))";
      case 8: return "log(1.5 + tanh(" + a() + "))";
      case 9: return "sqrt(1 + (" + a() + ")^2)";
      case 10: return "atan(" + a() + ")";
      case 11: return "atan2(" + a() + ", 2 + cos(" + a() + "))";
      case 12: return "asin(0.9 * sin(" + a() + "))";
      case 13: return "acos(0.9 * cos(" + a() + "))";
      case 14: return "(1.5 + sin(" + a() + "))^(" + a() + ")";
      case 15: return "min(" + a() + ", " + a() + ", " + a() + ")";
      case 16: return "max(" + a() + ", " + a() + ")";
      case 17: return "abs(" + a() + ")";
      case 18: return "if(" + condition(depth - 1) + ", " + a() + ", " + a() + ")";
      case 19: return "mod(" + a() + ", 2)";
      case 20: return "table(t, " + a() + ") + sinh(tanh(" + a() + ")) - cosh(tanh(" + a() + "))";
      default:
        return "clamp(" + a() + ", -1, 1) + sign(" + a() + ") + floor(" + a() + ") - ceil(" + a() + ") + tan(tanh(" +
               a() + "))";
    }
  }
  std::string condition(int depth) {
    static constexpr std::array signs{" < ", " <= ", " > ", " >= "};
    const auto comparison = number(depth) + signs[random_() % 4] + number(depth);
    if (depth == 0) return comparison;
    switch (random_() % 4) {
      case 0: return "not (" + comparison + ")";
      case 1: return comparison + " and " + condition(depth - 1);
      case 2: return "(" + comparison + " or " + condition(depth - 1) + ")";
      default: return comparison;
    }
  }

  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_()) % limit; }

 private:
  std::string leaf() {
    static constexpr std::array leaves{"x", "y", "z", "time / 1 [s]", "0.75", "2", "pi", "`odd name`"};
    return leaves[random_() % leaves.size()];
  }

  std::mt19937 random_;
};

}  // namespace consort::expr
