// How one instruction is evaluated; included by the sources of Program only.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "expr/program.hpp"

namespace consort::expr {

// Relations as the operands are.
class Program::Present {
 public:
  double operator()(std::uint32_t /*relation*/, double now) { return now; }
};

class Program::Held {
 public:
  explicit Held(std::span<const double> outcomes) : outcomes_(outcomes) {}
  double operator()(std::uint32_t relation, double now) { return relation == none ? now : outcomes_[relation]; }

 private:
  std::span<const double> outcomes_;
};

// As Present; outcomes are written down.
class Program::Refreshed {
 public:
  explicit Refreshed(std::span<double> outcomes) : outcomes_(outcomes) {}
  double operator()(std::uint32_t relation, double now) {
    if (relation != none && std::isfinite(now) && outcomes_[relation] != now) {
      outcomes_[relation] = now;
      changed_ = true;
    }
    return now;
  }
  [[nodiscard]] bool changed() const { return changed_; }

 private:
  std::span<double> outcomes_;
  bool changed_ = false;
};

// Not initialised: only the used part is written.
struct Program::Frame {
  Frame() {}                       // NOLINT(modernize-use-equals-default): `= default` would write zeros in Frame{}
  double values[2 * most_values];  // and their adjoints
};

namespace evaluation {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline double is_greater(double a, double b) { return a > b ? 1 : a <= b ? 0 : not_a_number; }
inline double is_equal(double a, double b) { return a == b ? 1 : std::isnan(a) || std::isnan(b) ? not_a_number : 0; }
inline double chosen(double outcome, double if_true, double if_false) {
  return outcome == 0 ? if_false : std::isnan(outcome) ? outcome : if_true;
}
inline double both(double a, double b) {
  return a == 0 || b == 0 ? 0 : std::isnan(a) || std::isnan(b) ? not_a_number : 1;
}
inline double either(double a, double b) {
  if ((a != 0 && !std::isnan(a)) || (b != 0 && !std::isnan(b))) return 1;
  return a == 0 && b == 0 ? 0 : not_a_number;
}

}  // namespace evaluation

template <class Outcomes>
double Program::apply(const Instruction& i, const double* v, const std::shared_ptr<const Table>* tables,
                      Outcomes& outcomes) {
  using namespace evaluation;
  const double a = v[i.a];
  switch (i.code) {
    case Code::add: return a + v[i.b];
    case Code::subtract: return a - v[i.b];
    case Code::multiply: return a * v[i.b];
    case Code::divide: return a / v[i.b];
    case Code::negate: return -a;
    case Code::power: return std::pow(a, v[i.b]);
    case Code::greater: return outcomes(i.relation, is_greater(a, v[i.b]));
    case Code::equal: return is_equal(a, v[i.b]);
    case Code::invert: return a == 0 ? 1 : std::isnan(a) ? a : 0;
    case Code::both: return both(a, v[i.b]);
    case Code::either: return either(a, v[i.b]);
    case Code::choose: return chosen(a, v[i.b], v[i.c]);
    case Code::minimum: return chosen(outcomes(i.relation, is_greater(a, v[i.b])), v[i.b], a);
    case Code::maximum: return chosen(outcomes(i.relation, is_greater(v[i.b], a)), v[i.b], a);
    case Code::absolute: return chosen(outcomes(i.relation, is_greater(-a, 0)), -a, a + 0.0);
    case Code::sqrt: return std::sqrt(a);
    case Code::exp: return std::exp(a);
    case Code::log: return std::log(a);
    case Code::sin: return std::sin(a);
    case Code::cos: return std::cos(a);
    case Code::tan: return std::tan(a);
    case Code::asin: return std::asin(a);
    case Code::acos: return std::acos(a);
    case Code::atan: return std::atan(a);
    case Code::atan2: return std::atan2(a, v[i.b]);
    case Code::sinh: return std::sinh(a);
    case Code::cosh: return std::cosh(a);
    case Code::tanh: return std::tanh(a);
    case Code::floor: return outcomes(i.relation, std::floor(a));
    case Code::table: return tables[i.c]->value(a);
    case Code::constant:
    case Code::operand:
    case Code::time: break;
  }
  return not_a_number;
}

template <class Outcomes>
void Program::run(std::span<const double> slots, double t, double* v, Outcomes& outcomes) const {
  CONSORT_ASSERT(slots.size() >= slots_needed_);
  v[0] = t;
  double* next = v + 1;
  for (const UsedOperand& o : operands_) {
    const double value = slots[o.slot];
    *next++ = o.factor == 1 && o.offset == 0 ? value : o.factor * value + o.offset;
  }
  if (!constants_.empty()) std::memcpy(next, constants_.data(), constants_.size() * sizeof(double));
  double* result = v + first_result_;
  const auto* const tables = tables_.data();
  for (const Instruction& i : instructions_) *result++ = apply(i, v, tables, outcomes);
}

}  // namespace consort::expr
