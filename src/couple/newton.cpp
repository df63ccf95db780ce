// Methods with a matrix: Newton's with a given Jacobian, and Broyden's, which approximates its own matrix.
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "couple/accelerator.hpp"

namespace consort::couple {

namespace {

// x⁺ = x - B r with B ≈ (∂r/∂x)⁻¹. B gets the smallest correction that makes B Δr = Δx.
class Broyden final : public Accelerator {
 public:
  Broyden(double first, bool keeps) : first_(first), keeps_(keeps) {}

  [[nodiscard]] AccelerationRoom room(std::size_t n) const override { return {n * n, 0}; }
  void begin(AccelerationMemory& m, Duration h) const override {
    Accelerator::begin(m, h);
    if (!keeps_) m.counters.has_matrix = 0;
  }

  void observe(AccelerationMemory& m, const Iterate& it) override {
    const std::size_t n = it.x.size();
    if (m.counters.has_matrix == 0) {
      for (std::size_t i = 0; i < n * n; ++i) m.numbers[i] = i % (n + 1) == 0 ? -first_ : 0;
      m.counters.has_matrix = 1;
    }
    if (m.counters.pairs++ > 0) correct(m, it);
    for (std::size_t i = 0; i < n; ++i) {
      m.x[i] = it.x[i];
      m.residual[i] = it.image[i] - it.x[i];
    }
  }

  void next(AccelerationMemory& m, const Iterate& it, std::span<double> x) override {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) x[i] = it.x[i];
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) x[i] -= m.numbers[j * n + i] * m.residual[j];
  }

 private:
  void correct(AccelerationMemory& m, const Iterate& it) {
    const std::size_t n = it.x.size();
    image_.assign(n, 0.0);
    row_.assign(n, 0.0);
    double pivot = 0;
    double size = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double change = it.image[j] - it.x[j] - m.residual[j];
      for (std::size_t i = 0; i < n; ++i) image_[i] += m.numbers[j * n + i] * change;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double dx = it.x[i] - m.x[i];
      const double weighed = dx / (it.scale[i] * it.scale[i]);
      for (std::size_t j = 0; j < n; ++j) row_[j] += weighed * m.numbers[j * n + i];
      pivot += weighed * image_[i];
      size += weighed * dx;
    }
    constexpr double smallest = 1e-10;  // relative to the value for an unchanged matrix
    if (!std::isfinite(pivot) || !(std::abs(pivot) > smallest * size)) return;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) m.numbers[j * n + i] += (it.x[i] - m.x[i] - image_[i]) * row_[j] / pivot;
  }

  double first_;
  bool keeps_;
  std::vector<double> image_, row_;
};

// (I - J) δ = r. J is kept while it makes residuals decrease fast, also in later steps of similar size.
class Newton final : public Accelerator {
 public:
  explicit Newton(const AccelerationOptions& options) : jacobian_(options.jacobian) { CONSORT_ASSERT(jacobian_); }

  [[nodiscard]] AccelerationRoom room(std::size_t n) const override { return {n * n, 0}; }
  void begin(AccelerationMemory& m, Duration h) const override {
    Accelerator::begin(m, h);
    constexpr double near = 0.2;
    if (m.counters.has_matrix != 0 && std::abs(h / m.counters.factor - 1) > near) m.counters.has_matrix = 0;
    if (m.counters.has_matrix == 0) m.counters.factor = h;
  }

  void observe(AccelerationMemory& m, const Iterate& it) override {
    double before = 0;
    double now = 0;
    for (std::size_t i = 0; i < it.x.size(); ++i) {
      const double residual = it.image[i] - it.x[i];
      before += std::pow(m.residual[i] / it.scale[i], 2);
      now += std::pow(residual / it.scale[i], 2);
      m.residual[i] = residual;
    }
    constexpr double slow = 0.2;
    if (m.counters.pairs++ > 0 && !(now < slow * slow * before)) m.counters.has_matrix = 0;
  }

  void next(AccelerationMemory& m, const Iterate& it, std::span<double> x) override {
    const std::size_t n = x.size();
    if (m.counters.has_matrix == 0) {
      jacobian_(m.numbers);
      m.counters.has_matrix = 1;
    }
    factors_.resize(n * n);
    delta_.resize(n);
    for (std::size_t k = 0; k < n * n; ++k)
      factors_[k] = ((k % (n + 1) == 0 ? 1.0 : 0.0) - m.numbers[k]) * it.scale[k / n] / it.scale[k % n];
    for (std::size_t i = 0; i < n; ++i) delta_[i] = m.residual[i] / it.scale[i];
    // If the matrix is singular, go along the residual.
    const bool solved = eliminate(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = it.x[i] + (solved ? delta_[i] * it.scale[i] : m.residual[i]);
  }

 private:
  // Solves factors_ · y = delta_ with partial pivoting, in place.
  bool eliminate(std::size_t n) {
    const auto at = [&](std::size_t i, std::size_t j) -> double& { return factors_[j * n + i]; };
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
      if (!(std::abs(at(pivot, k)) > 1e-12)) return false;
      if (pivot != k) {
        for (std::size_t j = k; j < n; ++j) std::swap(at(k, j), at(pivot, j));
        std::swap(delta_[k], delta_[pivot]);
      }
      for (std::size_t i = k + 1; i < n; ++i) at(i, k) /= at(k, k);
      for (std::size_t j = k + 1; j < n; ++j)
        for (std::size_t i = k + 1; i < n; ++i) at(i, j) -= at(i, k) * at(k, j);
      for (std::size_t i = k + 1; i < n; ++i) delta_[i] -= at(i, k) * delta_[k];
    }
    for (std::size_t k = n; k-- > 0;) {
      delta_[k] /= at(k, k);
      for (std::size_t i = 0; i < k; ++i) delta_[i] -= at(i, k) * delta_[k];
    }
    return true;
  }

  std::function<void(std::span<double>)> jacobian_;
  std::vector<double> factors_, delta_;
};

}  // namespace

std::unique_ptr<Accelerator> make_broyden(const AccelerationOptions& o) {
  return std::make_unique<Broyden>(o.relaxation == 0 ? 1 : o.relaxation, o.reuse > 0);
}

std::unique_ptr<Accelerator> make_newton(const AccelerationOptions& o) { return std::make_unique<Newton>(o); }

}  // namespace consort::couple
