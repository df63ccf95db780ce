// A sampled PI controller: at every tick it reads its inputs and changes its output, which is held until the next one.
// Ticks are counted, so that the time of tick n is start + n * period without accumulated rounding errors.
#pragma once

#include <algorithm>
#include <cstdint>

#include <consort/model.hpp>

struct SampledPi {
  double setpoint = 0, measurement = 0;
  double u = 0, integral = 0, start = 0;
  std::int64_t ticks = 0;
  double kp = 1, ki = 0.5, period = 0.1, u_min = -1e3, u_max = 1e3;

  static constexpr auto describe() {
    using M = SampledPi;
    using namespace consort::model;
    return declare({.description = "Sampled PI controller", .stop_time = 10, .step = 1e-2},
                   input<&M::setpoint>("setpoint"), input<&M::measurement>("measured value"),
                   output<&M::u>("of the controller, held between samples").discrete().exact().depends_on_nothing(),
                   local<&M::integral>("of the error").discrete().exact(),
                   output<&M::ticks>("number of samples taken").exact().depends_on_nothing(),
                   parameter<&M::kp>("proportional gain").tunable(),
                   parameter<&M::ki>("1/s", "integral gain").tunable(),
                   parameter<&M::period>("s", "time between samples").at_least(1e-6),
                   parameter<&M::u_min>("lowest output"), parameter<&M::u_max>("highest output"));
  }

  void initialize(double t) {
    start = t;
    if (period <= 0) throw consort::model::Failure("the time between samples must be positive");
  }
  [[nodiscard]] double next() const { return start + static_cast<double>(ticks) * period; }
  void event(consort::model::Event& e) {
    if (e.time >= next()) {
      sample();
      ++ticks;
    }
    e.next_time = next();
  }
  // Euler's rule for the integral, which stands still at the limits (no wind-up).
  void sample() {
    const double error = setpoint - measurement;
    const double wanted = kp * error + ki * (integral + error * period);
    u = std::clamp(wanted, u_min, u_max);
    if (u == wanted) integral += error * period;
  }
};
