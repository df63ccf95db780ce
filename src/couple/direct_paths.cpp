#include "couple/direct_paths.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace consort::couple {

namespace {

constexpr std::size_t most_outputs = 200;  // the matrix is dense

}  // namespace

DirectPaths::DirectPaths(const graph::Plan& plan, const std::vector<EstimatedOutput>& outputs) : size_(outputs.size()) {
  // Key: element of the outputs' column.
  std::unordered_map<std::uint32_t, std::uint32_t> direct;
  for (const auto& o : outputs) {
    if (o.feed_through) direct.emplace(o.element, static_cast<std::uint32_t>(direct_.size()));
    direct_.push_back(o.feed_through);
  }
  const auto find = [&](graph::UnitId unit, std::uint32_t output) {
    const auto place = plan.units[unit].outputs.place(output);
    if (place.type != Type::Float64) return graph::no_source;
    const auto found = direct.find(plan.units[unit].first_output[float64] + place.first);
    return found != direct.end() ? found->second : graph::no_source;
  };
  const auto is_scalar = [](const describe::SignalSet& set, std::uint32_t index) {
    return set.place(index).count == 1;
  };
  for (const auto& c : plan.connections) {
    if (c.from == graph::no_unit) continue;
    const auto from = find(c.from, c.output);
    const auto& to = plan.units[c.to];
    const auto place = to.inputs.place(c.input);
    if (from == graph::no_source || place.type != Type::Float64) continue;
    for (const auto output : to.feed_through[c.input]) {
      const auto follower = find(c.to, output);
      if (follower == graph::no_source) continue;
      in_series_ = true;
      if (size_ > most_outputs || place.count != 1 || !is_scalar(plan.units[c.from].outputs, c.output) ||
          !is_scalar(to.outputs, output)) {
        complete_ = false;
        continue;
      }
      const auto& d = *to.description;
      paths_.push_back({from, follower, c.to, d[to.inputs.choice()[c.input]].reference,
                        d[to.outputs.choice()[output]].reference,
                        plan.scaling_of(to.first_input[float64] + place.first).factor});
    }
  }
  if (paths_.empty()) return;
  dl_.assign(size_ * size_, 0.0);
  matrix_ = dl_;
  rhs_.resize(size_);
  static constexpr double seed = 1;
  sensitivities_.resize(paths_.size());
  for (std::size_t i = 0; i < paths_.size(); ++i)
    queries_.push_back(
        {paths_[i].unit, {&paths_[i].output, 1}, {&paths_[i].input, 1}, {&seed, 1}, {&sensitivities_[i], 1}});
}

bool DirectPaths::known(const fleet::Fleet& fleet) const {
  return complete_ &&
         std::all_of(paths_.begin(), paths_.end(), [&](const Path& p) { return fleet.traits(p.unit).derivatives; });
}

void DirectPaths::evaluate(fleet::Fleet& fleet) {
  fleet.differentiate(fleet::DerivativeOf::outputs, queries_);
  std::fill(dl_.begin(), dl_.end(), 0.0);
  for (std::size_t i = 0; i < paths_.size(); ++i)
    dl_[paths_[i].to * size_ + paths_[i].from] += paths_[i].factor * sensitivities_[i];
}

// (ratio C⁻¹ - I)⁻¹ = C (ratio I - C)⁻¹, by Gaussian elimination with pivoting, since the matrix is small.
bool DirectPaths::correct(const ErrorRatio& ratio, std::vector<double>& differences) {
  const std::size_t n = size_;
  const int order = ratio.order;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) matrix_[i * n + j] = (order + 1) * -dl_[i * n + j];
    matrix_[i * n + i] += (direct_[i] ? ratio.outputs : ratio.states) - 1;
    rhs_[i] = differences[i];
  }
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t i = column + 1; i < n; ++i)
      if (std::abs(matrix_[i * n + column]) > std::abs(matrix_[pivot * n + column])) pivot = i;
    if (!(std::abs(matrix_[pivot * n + column]) > 1e-6)) return false;
    if (pivot != column) {
      for (std::size_t j = 0; j < n; ++j) std::swap(matrix_[pivot * n + j], matrix_[column * n + j]);
      std::swap(rhs_[pivot], rhs_[column]);
    }
    for (std::size_t i = column + 1; i < n; ++i) {
      const double f = matrix_[i * n + column] / matrix_[column * n + column];
      if (f == 0) continue;
      for (std::size_t j = column; j < n; ++j) matrix_[i * n + j] -= f * matrix_[column * n + j];
      rhs_[i] -= f * rhs_[column];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) rhs_[i] -= matrix_[i * n + j] * rhs_[j];
    rhs_[i] /= matrix_[i * n + i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    double sum = rhs_[i];
    for (std::size_t j = 0; j < n; ++j) sum += (order + 1) * dl_[i * n + j] * rhs_[j];
    differences[i] = sum;
  }
  return true;
}

}  // namespace consort::couple
