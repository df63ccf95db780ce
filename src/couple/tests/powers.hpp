// Powers of time and their derivatives, which polynomials must follow exactly.
#pragma once

namespace consort::couple {

inline double power(double t, int n) {
  double p = 1;
  for (int i = 0; i < n; ++i) p *= t;
  return p;
}

// The m-th derivative of t^n.
inline double derivative(double t, int n, int m) {
  double factor = 1;
  for (int i = 0; i < m; ++i) factor *= n - i;
  return m > n ? 0.0 : factor * power(t, n - m);
}

}  // namespace consort::couple
