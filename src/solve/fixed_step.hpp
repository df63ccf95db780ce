// One step of an explicit one-step method, for systems that store their own states.
//
// A System has
//   std::size_t size() const;                   number of states
//   void read(double* x) const;                 its states, copied to x
//   void write(const double* x);                new states, copied from x
//   void rates(double t, double* dx);           the derivatives at its present states
// and `work` has room for step_work * size() numbers. After an exception from rates(), the first size() numbers of
// `work` are the states that the step started from.
#pragma once

#include <cstddef>
#include <cstdint>

namespace consort::solve {

enum class FixedStep : std::uint8_t { euler, heun, rk4 };

inline constexpr std::size_t step_work = 4;

namespace detail {

// to = x + a * k
inline void combine(double* to, const double* x, double a, const double* k, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = x[i] + a * k[i];
}

}  // namespace detail

template <class System>
void euler_step(System& system, double t, double h, double* work) {
  const std::size_t n = system.size();
  double* const x = work;
  double* const k = work + n;
  system.read(x);
  system.rates(t, k);
  detail::combine(k, x, h, k, n);
  system.write(k);
}

template <class System>
void heun_step(System& system, double t, double h, double* work) {
  const std::size_t n = system.size();
  double* const x = work;
  double* const k = work + n;
  double* const sum = work + 2 * n;
  double* const y = work + 3 * n;
  system.read(x);
  system.rates(t, sum);
  detail::combine(y, x, h, sum, n);
  system.write(y);
  system.rates(t + h, k);
  detail::combine(sum, sum, 1, k, n);
  detail::combine(y, x, h / 2, sum, n);
  system.write(y);
}

template <class System>
void rk4_step(System& system, double t, double h, double* work) {
  const std::size_t n = system.size();
  double* const x = work;
  double* const k = work + n;
  double* const sum = work + 2 * n;
  double* const y = work + 3 * n;
  system.read(x);
  system.rates(t, sum);
  detail::combine(y, x, h / 2, sum, n);
  system.write(y);
  system.rates(t + h / 2, k);
  detail::combine(sum, sum, 2, k, n);
  detail::combine(y, x, h / 2, k, n);
  system.write(y);
  system.rates(t + h / 2, k);
  detail::combine(sum, sum, 2, k, n);
  detail::combine(y, x, h, k, n);
  system.write(y);
  system.rates(t + h, k);
  detail::combine(sum, sum, 1, k, n);
  detail::combine(y, x, h / 6, sum, n);
  system.write(y);
}

template <class System>
void fixed_step(FixedStep method, System& system, double t, double h, double* work) {
  switch (method) {
    case FixedStep::euler: return euler_step(system, t, h, work);
    case FixedStep::heun: return heun_step(system, t, h, work);
    case FixedStep::rk4: return rk4_step(system, t, h, work);
  }
}

// Bisects a predicate that is false at 0 and true at 1: returns the smallest length found for which it is true, within
// `tolerance` (0 < tolerance < 1).
template <class Question>
double bisect(Question&& question, double tolerance) {
  double no = 0;
  double yes = 1;
  while (yes - no > tolerance) {
    const double middle = no + (yes - no) / 2;
    if (middle <= no || middle >= yes) break;
    (question(middle) ? yes : no) = middle;
  }
  return yes;
}

}  // namespace consort::solve
