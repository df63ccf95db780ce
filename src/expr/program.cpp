#include "expr/program.hpp"

#include <algorithm>

#include "expr/evaluation.hpp"

namespace consort::expr {

bool Program::depends_on_discrete() const {
  return std::any_of(operands_.begin(), operands_.end(), [](const auto& o) { return o.discrete; });
}

bool Program::depends_on_continuous() const {
  return uses_time_ || std::any_of(operands_.begin(), operands_.end(), [](const auto& o) { return !o.discrete; });
}

double Program::evaluate(std::span<const double> slots, double t) const {
  Frame frame;
  Present outcomes;
  run(slots, t, frame.values, outcomes);
  return delivered(frame.values[result_]);
}

double Program::evaluate(std::span<const double> slots, double t, std::span<const double> held) const {
  CONSORT_ASSERT(held.size() == relations_.size());
  Frame frame;
  Held outcomes(held);
  run(slots, t, frame.values, outcomes);
  return delivered(frame.values[result_]);
}

bool Program::refresh(std::span<const double> slots, double t, std::span<double> held) const {
  CONSORT_ASSERT(held.size() == relations_.size());
  if (relations_.empty()) return false;
  Frame frame;
  Refreshed outcomes(held);
  run(slots, t, frame.values, outcomes);
  return outcomes.changed();
}

void Program::indicators(std::span<const double> slots, double t, std::span<const double> held,
                         std::span<double> values) const {
  CONSORT_ASSERT(held.size() == relations_.size() && values.size() == relations_.size());
  if (relations_.empty()) return;
  Frame frame;
  Held outcomes(held);
  run(slots, t, frame.values, outcomes);
  for (const Instruction& i : instructions_)
    if (i.relation != none) values[i.relation] = indicator(i, frame.values, held[i.relation]);
}

double Program::indicator(const Instruction& i, const double* v, double held) const {
  double value = 0;
  if (i.code == Code::floor) {
    const double above = v[i.a] - held;
    value = above > 0.5 ? above - 1 : -above;
  } else if (i.code == Code::absolute) {
    value = -v[i.a];
  } else if (i.code == Code::maximum) {
    value = v[i.b] - v[i.a];
  } else {
    value = v[i.a] - v[i.b];
  }
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return i.code != Code::floor && held != 0 ? 1 : -1;
  return std::copysign(1, value);
}

// --- derivatives

template <class Outcomes>
void Program::add_adjoints(const Instruction& i, const double* v, const std::shared_ptr<const Table>* tables,
                           double result, double adjoint, double* adjoints, Outcomes& outcomes) {
  using namespace evaluation;
  const double a = v[i.a];
  double& to_a = adjoints[i.a];
  switch (i.code) {
    case Code::add: to_a += adjoint, adjoints[i.b] += adjoint; break;
    case Code::subtract: to_a += adjoint, adjoints[i.b] -= adjoint; break;
    case Code::multiply: to_a += adjoint * v[i.b], adjoints[i.b] += adjoint * a; break;
    case Code::divide: to_a += adjoint / v[i.b], adjoints[i.b] -= adjoint * result / v[i.b]; break;
    case Code::negate: to_a -= adjoint; break;
    case Code::power: {
      const double exponent = v[i.b];
      if (exponent != 0) to_a += adjoint * exponent * std::pow(a, exponent - 1);
      if (a != 0) adjoints[i.b] += adjoint * result * std::log(a);
      break;
    }
    case Code::choose: adjoints[a != 0 ? i.b : i.c] += adjoint; break;
    case Code::minimum: adjoints[outcomes(i.relation, is_greater(a, v[i.b])) != 0 ? i.b : i.a] += adjoint; break;
    case Code::maximum: adjoints[outcomes(i.relation, is_greater(v[i.b], a)) != 0 ? i.b : i.a] += adjoint; break;
    case Code::absolute: to_a += outcomes(i.relation, is_greater(-a, 0)) != 0 ? -adjoint : adjoint; break;
    case Code::sqrt: to_a += adjoint / (2 * result); break;
    case Code::exp: to_a += adjoint * result; break;
    case Code::log: to_a += adjoint / a; break;
    case Code::sin: to_a += adjoint * std::cos(a); break;
    case Code::cos: to_a -= adjoint * std::sin(a); break;
    case Code::tan: to_a += adjoint * (1 + result * result); break;
    case Code::asin: to_a += adjoint / std::sqrt((1 - a) * (1 + a)); break;
    case Code::acos: to_a -= adjoint / std::sqrt((1 - a) * (1 + a)); break;
    case Code::atan: to_a += adjoint / (1 + a * a); break;
    case Code::atan2: {
      const double r = std::hypot(a, v[i.b]);
      to_a += adjoint * (v[i.b] / r) / r;
      adjoints[i.b] -= adjoint * (a / r) / r;
      break;
    }
    case Code::sinh: to_a += adjoint * std::cosh(a); break;
    case Code::cosh: to_a += adjoint * std::sinh(a); break;
    case Code::tanh: to_a += adjoint * (1 - result) * (1 + result); break;
    case Code::table: to_a += adjoint * tables[i.c]->slope(a); break;
    default: break;  // comparisons, logic and floor: constant between their jumps
  }
}

template <class Outcomes>
void Program::differentiate(std::span<const double> slots, double t, Outcomes& outcomes, double& value,
                            std::span<double> d_operands, double& d_time) const {
  CONSORT_ASSERT(d_operands.size() == operands_.size());
  Frame frame;
  const std::size_t count = first_result_ + instructions_.size();
  double* const v = frame.values;
  double* const d = v + count;
  run(slots, t, v, outcomes);
  std::fill_n(d, count, 0.0);
  d[result_] = convert_ ? 1 / target_factor_ : 1;
  for (std::size_t k = instructions_.size(); k-- > 0;) {
    const double adjoint = d[first_result_ + k];
    // A branch that is not taken may have infinite derivatives.
    if (adjoint != 0) add_adjoints(instructions_[k], v, tables_.data(), v[first_result_ + k], adjoint, d, outcomes);
  }
  value = delivered(v[result_]);
  for (std::size_t k = 0; k < operands_.size(); ++k) d_operands[k] = d[1 + k] * operands_[k].factor;
  d_time = d[0];
}

void Program::gradient(std::span<const double> slots, double t, double& value, std::span<double> d_operands,
                       double& d_time) const {
  Present outcomes;
  differentiate(slots, t, outcomes, value, d_operands, d_time);
}

void Program::gradient(std::span<const double> slots, double t, std::span<const double> held, double& value,
                       std::span<double> d_operands, double& d_time) const {
  CONSORT_ASSERT(held.size() == relations_.size());
  Held outcomes(held);
  differentiate(slots, t, outcomes, value, d_operands, d_time);
}

}  // namespace consort::expr
