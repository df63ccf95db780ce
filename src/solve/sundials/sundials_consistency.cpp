#include "solve/sundials/sundials_consistency.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/core.h>

namespace consort::solve {

namespace {

// The largest change of each residual when all values move by their tolerance.
std::vector<double> allowed_residuals(const DaeValues& values, ConstVector base, const Residual& residual) {
  const std::size_t n = values.y.size();
  std::vector<double> allowed(n);
  std::vector<double> changed(n);
  std::vector<double> y(values.y.begin(), values.y.end());
  std::vector<double> ydot(values.ydot.begin(), values.ydot.end());
  const auto add_effect_of = [&](double& value, double tolerance) {
    const double original = value;
    value += tolerance;
    residual(y, ydot, changed);
    value = original;
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isfinite(changed[i])) allowed[i] += std::abs(changed[i] - base[i]);
    }
  };
  for (std::size_t j = 0; j < n; ++j) {
    add_effect_of(y[j], values.atol[j] + values.rtol * std::abs(y[j]));
    add_effect_of(ydot[j], values.atol[j] + values.rtol * std::abs(ydot[j]));
  }
  return allowed;
}

}  // namespace

std::string inconsistency(const Dae& dae, const DaeValues& values, const Residual& residual) {
  const std::size_t n = values.y.size();
  std::vector<double> r(n);
  residual(values.y, values.ydot, r);
  if (std::all_of(r.begin(), r.end(), [](double value) { return value == 0; })) return {};

  const auto allowed = allowed_residuals(values, r, residual);
  std::vector<std::size_t> bad;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(std::abs(r[i]) <= allowed[i])) bad.push_back(i);
  }
  std::stable_sort(bad.begin(), bad.end(), [&](auto a, auto b) { return std::abs(r[a]) > std::abs(r[b]); });
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(bad.size(), shown); ++k) {
    text += fmt::format("{}residual {} ({}) is {:.6g}, at most {:.2g} is allowed", k == 0 ? "" : ", ", bad[k],
                        component_text(dae.components, bad[k]), r[bad[k]], allowed[bad[k]]);
  }
  if (bad.size() > shown) text += fmt::format(" and {} more", bad.size() - shown);
  return text;
}

}  // namespace consort::solve
