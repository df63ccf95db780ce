// Anderson's mixing and IQN-ILS: the next guess is where the residual would vanish according to the differences between
// past pairs.
//
// Let V have differences of residuals and W differences of guesses as columns, and let γ minimize |r - V γ|. The next
// guess is x + β r - (W + β V) γ. Lengths are measured in the unknowns' scales.
#include <algorithm>
#include <cmath>

#include "couple/accelerator.hpp"

namespace consort::couple {

namespace {

class LeastSquares final : public Accelerator {
 public:
  struct Rules {
    double mixing = 1;         // β
    double first = 1;          // relaxation if there are no columns
    std::uint32_t depth = 20;  // columns kept
    std::uint32_t reuse = 0;   // past steps whose columns are used besides those of the present step
    double filter = 0;
  };
  explicit LeastSquares(const Rules& rules) : r_(rules) {}

  [[nodiscard]] AccelerationRoom room(std::size_t n) const override { return {2 * n * r_.depth, r_.depth}; }

  void observe(AccelerationMemory& m, const Iterate& it) override {
    const std::size_t n = it.x.size();
    if (m.counters.pairs++ > 0) {
      const std::size_t slot = m.counters.columns++ % r_.depth;
      m.tags[slot] = m.counters.step;
      double* const v = m.numbers.data() + 2 * n * slot;
      for (std::size_t i = 0; i < n; ++i) {
        v[i] = it.image[i] - it.x[i] - m.residual[i];
        v[n + i] = it.x[i] - m.x[i];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      m.x[i] = it.x[i];
      m.residual[i] = it.image[i] - it.x[i];
    }
  }

  void next(AccelerationMemory& m, const Iterate& it, std::span<double> x) override {
    decompose(m, it);
    if (taken_.empty()) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = it.x[i] + r_.first * m.residual[i];
      return;
    }
    solve(m, it);
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) x[i] = it.x[i] + r_.mixing * m.residual[i];
    for (std::size_t k = 0; k < taken_.size(); ++k) {
      const double* const v = m.numbers.data() + 2 * n * taken_[k];
      for (std::size_t i = 0; i < n; ++i) x[i] -= gamma_[k] * (v[n + i] + r_.mixing * v[i]);
    }
  }

 private:
  void make_room(std::size_t n) {
    if (q_.size() == n * r_.depth) return;
    q_.resize(n * r_.depth);
    upper_.resize(static_cast<std::size_t>(r_.depth) * r_.depth);
    gamma_.resize(r_.depth);
    taken_.reserve(r_.depth);
  }

  // V = Q R by Gram-Schmidt, twice for orthogonality, newest columns first: older columns lose the part that newer ones
  // contain, and a column with too little left is noise.
  void decompose(const AccelerationMemory& m, const Iterate& it) {
    const std::size_t n = it.x.size();
    make_room(n);
    taken_.clear();
    const std::uint64_t kept = std::min<std::uint64_t>(m.counters.columns, r_.depth);
    for (std::uint64_t back = 1; back <= kept && taken_.size() < n; ++back) {
      const std::size_t slot = (m.counters.columns - back) % r_.depth;
      if (m.tags[slot] + r_.reuse < m.counters.step) break;
      const double* const v = m.numbers.data() + 2 * n * slot;
      const std::size_t k = taken_.size();
      double* const q = q_.data() + n * k;
      for (std::size_t i = 0; i < n; ++i) q[i] = v[i] / it.scale[i];
      if (is_new(q, n, k)) taken_.push_back(slot);
    }
  }

  bool is_new(double* q, std::size_t n, std::size_t k) {
    double* const r = upper_.data() + static_cast<std::size_t>(r_.depth) * k;
    std::fill_n(r, k + 1, 0.0);
    const double before = length(q, n);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < k; ++j) {
        const double* const other = q_.data() + n * j;
        double along = 0;
        for (std::size_t i = 0; i < n; ++i) along += other[i] * q[i];
        for (std::size_t i = 0; i < n; ++i) q[i] -= along * other[i];
        r[j] += along;
      }
    }
    const double after = length(q, n);
    if (!(after > r_.filter * before) || !std::isfinite(after)) return false;
    for (std::size_t i = 0; i < n; ++i) q[i] /= after;
    r[k] = after;
    return true;
  }

  // R γ = Qᵀ r.
  void solve(const AccelerationMemory& m, const Iterate& it) {
    const std::size_t n = it.x.size();
    for (std::size_t k = taken_.size(); k-- > 0;) {
      const double* const q = q_.data() + n * k;
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += q[i] * m.residual[i] / it.scale[i];
      for (std::size_t j = k + 1; j < taken_.size(); ++j) sum -= upper_[r_.depth * j + k] * gamma_[j];
      gamma_[k] = sum / upper_[r_.depth * k + k];
    }
  }

  static double length(const double* v, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += v[i] * v[i];
    return std::sqrt(sum);
  }

  Rules r_;
  std::vector<double> q_, upper_, gamma_;
  std::vector<std::size_t> taken_;  // slots, in the order of the columns of Q
};

double chosen(const AccelerationOptions& options) { return options.relaxation == 0 ? 1 : options.relaxation; }

}  // namespace

std::unique_ptr<Accelerator> make_anderson(const AccelerationOptions& o) {
  return std::make_unique<LeastSquares>(
      LeastSquares::Rules{chosen(o), chosen(o), o.depth == 0 ? 5 : o.depth, 0, o.filter});
}

std::unique_ptr<Accelerator> make_iqn_ils(const AccelerationOptions& o) {
  return std::make_unique<LeastSquares>(
      LeastSquares::Rules{1, chosen(o), o.depth == 0 ? 20 : o.depth, o.reuse, o.filter});
}

}  // namespace consort::couple
