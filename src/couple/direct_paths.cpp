#include "couple/direct_paths.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace consort::couple {

namespace {

constexpr auto real = static_cast<std::size_t>(Type::Float64);
constexpr std::size_t most_outputs = 200;  // the matrix is dense

double factor_of(const graph::Plan& plan, std::uint32_t input) {
  const auto found = std::lower_bound(plan.scalings.begin(), plan.scalings.end(), input,
                                      [](const auto& s, std::uint32_t i) { return s.input < i; });
  return found != plan.scalings.end() && found->input == input ? found->factor : 1;
}

}  // namespace

DirectPaths::DirectPaths(const graph::Plan& plan, const std::vector<EstimatedOutput>& outputs) : size_(outputs.size()) {
  if (size_ > most_outputs) return;
  const auto find = [&](graph::UnitId unit, std::uint32_t output) {
    const auto place = plan.units[unit].outputs.place(output);
    const auto element = plan.units[unit].first_output[real] + place.first;
    const auto found = std::find_if(outputs.begin(), outputs.end(),
                                    [&](const auto& o) { return o.feed_through && o.element == element; });
    return place.type == Type::Float64 && place.count == 1 && found != outputs.end()
               ? static_cast<std::uint32_t>(found - outputs.begin())
               : graph::no_source;
  };
  for (const auto& c : plan.connections) {
    if (c.from == graph::no_unit) continue;
    const auto from = find(c.from, c.output);
    const auto& to = plan.units[c.to];
    const auto place = to.inputs.place(c.input);
    if (from == graph::no_source || place.type != Type::Float64 || place.count != 1) continue;
    for (const auto output : to.feed_through[c.input]) {
      const auto follower = find(c.to, output);
      if (follower == graph::no_source) continue;
      const auto& d = *to.description;
      paths_.push_back({from, follower, c.to, d[to.inputs.choice()[c.input]].reference,
                        d[to.outputs.choice()[output]].reference, factor_of(plan, to.first_input[real] + place.first)});
    }
  }
  in_series_ = !paths_.empty();
  dl_.assign(size_ * size_, 0.0);
  matrix_ = dl_;
  rhs_.resize(size_);
}

bool DirectPaths::known(unit::Fleet& fleet) const {
  return std::all_of(paths_.begin(), paths_.end(),
                     [&](const Path& p) { return fleet.unit(p.unit).derivatives() != nullptr; });
}

void DirectPaths::evaluate(unit::Fleet& fleet) {
  std::fill(dl_.begin(), dl_.end(), 0.0);
  const double seed = 1;
  for (const auto& p : paths_) {
    double sensitivity = 0;
    fleet.unit(p.unit).derivatives()->directional({&p.output, 1}, {&p.input, 1}, {&seed, 1}, {&sensitivity, 1});
    dl_[p.to * size_ + p.from] += p.factor * sensitivity;
  }
}

// (ratio C⁻¹ - I)⁻¹ = C (ratio I - C)⁻¹; elimination with pivots, since the matrix is small.
bool DirectPaths::correct(double ratio, int order, std::vector<double>& differences) {
  const std::size_t n = size_;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) matrix_[i * n + j] = (i == j ? ratio - 1 : 0.0) - (order + 1) * dl_[i * n + j];
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
