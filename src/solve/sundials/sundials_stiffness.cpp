#include "solve/sundials/sundials_stiffness.hpp"

#include <cmath>

namespace consort::solve {

double stability_interval(const ARKodeButcherTableMem& table) {
  const auto stages = static_cast<std::size_t>(table.stages);
  std::vector<double> k(stages);
  const auto amplification = [&](double z) {
    double result = 1;
    for (std::size_t i = 0; i < stages; ++i) {
      k[i] = 1;
      for (std::size_t j = 0; j < i; ++j) k[i] += table.A[i][j] * k[j];
      k[i] *= z;
      result += table.b[i] * k[i];
    }
    return result;
  };
  constexpr double step = 0.01;
  constexpr double margin = 1e-9;  // |R| = 1 at the start
  double z = step;
  while (z < 100 && std::abs(amplification(-z)) <= 1 + margin) z += step;
  return z - step;
}

StiffnessWatch::StiffnessWatch(std::size_t n, double stability_interval)
    : interval_(stability_interval), direction_(n), base_(n), moved_(n), changed_(n) {
  // Any direction that is not orthogonal to the eigenvector is suitable; this one is unlikely to be orthogonal.
  for (std::size_t i = 0; i < n; ++i) direction_[i] = std::cos(static_cast<double>(i) + 1);
}

void StiffnessWatch::prepare(ConstVector y, ConstVector atol, double rtol) {
  for (std::size_t i = 0; i < direction_.size(); ++i) {
    moved_[i] = y[i] + direction_[i] * (atol[i] + rtol * std::abs(y[i]));
  }
}

bool StiffnessWatch::judge(Duration h, ConstVector atol, double rtol, ConstVector y) {
  double before = 0;
  double after = 0;
  for (std::size_t i = 0; i < direction_.size(); ++i) {
    const double weight = 1 / (atol[i] + rtol * std::abs(y[i]));
    const double moved = (moved_[i] - y[i]) * weight;
    before += moved * moved;
    direction_[i] = (changed_[i] - base_[i]) * weight;
    after += direction_[i] * direction_[i];
  }
  if (!(before > 0) || !(after > 0) || !std::isfinite(after)) {
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] = std::cos(static_cast<double>(i) + 1);
    return false;
  }
  const double root_n = std::sqrt(static_cast<double>(direction_.size()));
  for (double& d : direction_) d *= root_n / std::sqrt(after);

  constexpr int hits_for_stiff = 15;
  constexpr int misses_for_not = 6;
  constexpr double near_the_end = 0.9;  // the step size oscillates around the end of the interval
  if (std::abs(h) * std::sqrt(after / before) >= near_the_end * interval_) {
    misses_ = 0;
    ++hits_;
  } else if (++misses_ >= misses_for_not) {
    hits_ = 0;
  }
  return hits_ >= hits_for_stiff;
}

}  // namespace consort::solve
