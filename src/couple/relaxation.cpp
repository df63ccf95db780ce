// Methods that move along the residual: fixed point, constant relaxation, Aitken.
#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "couple/accelerator.hpp"

namespace consort::couple {

namespace {

class Relaxation final : public Accelerator {
 public:
  explicit Relaxation(double factor) : factor_(factor) {}
  void observe(AccelerationMemory&, const Iterate&) override {}
  void next(AccelerationMemory&, const Iterate& it, std::span<double> x) override {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = it.x[i] + factor_ * (it.image[i] - it.x[i]);
  }

 private:
  double factor_;
};

// Irons and Tuck's form of Aitken's Δ² for vectors.
class Aitken final : public Accelerator {
 public:
  explicit Aitken(double first) : first_(first) {}

  void observe(AccelerationMemory& m, const Iterate& it) override {
    double along = 0;
    double size = 0;
    for (std::size_t i = 0; i < it.x.size(); ++i) {
      const double residual = it.image[i] - it.x[i];
      const double weight = 1 / (it.scale[i] * it.scale[i]);
      const double change = residual - m.residual[i];
      along += weight * m.residual[i] * change;
      size += weight * change * change;
      m.residual[i] = residual;
    }
    if (m.counters.pairs++ == 0) {
      m.counters.factor = first_;
    } else if (const double factor = -m.counters.factor * along / size; std::isfinite(factor) && factor != 0) {
      m.counters.factor = std::clamp(factor, -largest, largest);
    }
  }
  void next(AccelerationMemory& m, const Iterate& it, std::span<double> x) override {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = it.x[i] + m.counters.factor * m.residual[i];
  }

 private:
  static constexpr double largest = 1e3;  // limits factors from nearly parallel residuals
  double first_;
};

double chosen(const AccelerationOptions& options, double usual) {
  return options.relaxation == 0 ? usual : options.relaxation;
}

}  // namespace

std::unique_ptr<Accelerator> make_fixed_point(const AccelerationOptions& options) {
  require_setting("iteration.relaxation", options.relaxation == 0 || options.relaxation == 1,
                  "the iteration 'fixed-point' takes no relaxation, but {} is given; choose 'relaxation' or 'aitken'",
                  options.relaxation);
  return std::make_unique<Relaxation>(1);
}

std::unique_ptr<Accelerator> make_relaxation(const AccelerationOptions& options) {
  return std::make_unique<Relaxation>(chosen(options, 0.5));
}

std::unique_ptr<Accelerator> make_aitken(const AccelerationOptions& options) {
  return std::make_unique<Aitken>(chosen(options, 1));
}

}  // namespace consort::couple
