// A sampled PID controller: time events, discrete states, a limited output.
#pragma once

#include <algorithm>

#include <consort/model.hpp>

struct PidController {
  double setpoint = 0, measurement = 0;
  double u = 0;
  double integral = 0, last_error = 0, next_sample = 0;
  bool first = true;
  double kp = 1, ki = 0.5, kd = 0.05, period = 0.1, u_min = -1e3, u_max = 1e3;

  static constexpr auto describe() {
    using M = PidController;
    using namespace consort::model;
    return declare(
        {.description = "Sampled PID controller", .stop_time = 10, .step = 1e-2}, input<&M::setpoint>("setpoint"),
        input<&M::measurement>("measured value"),
        output<&M::u>("of the controller, held between samples").discrete().exact(),
        local<&M::integral>("of the error").discrete().exact(),
        local<&M::last_error>("at the last sample").discrete().exact(),
        local<&M::next_sample>("s", "time of the next sample").discrete(),
        parameter<&M::kp>("proportional gain").tunable(), parameter<&M::ki>("1/s", "integral gain").tunable(),
        parameter<&M::kd>("s", "derivative gain").tunable(), parameter<&M::period>("s", "sample time").at_least(1e-6),
        parameter<&M::u_min>("lowest output"), parameter<&M::u_max>("highest output"));
  }

  void initialize(double t) { next_sample = t; }
  void event(consort::model::Event& e) {
    if (e.time >= next_sample) {
      sample();
      next_sample += period;
    }
    e.next_time = next_sample;
  }
  void sample() {
    const double error = setpoint - measurement;
    const double slope = first ? 0 : (error - last_error) / period;
    const double wanted = kp * error + ki * (integral + error * period) + kd * slope;
    u = std::clamp(wanted, u_min, u_max);
    if (u == wanted) integral += error * period;  // avoids wind-up at the limits
    last_error = error;
    first = false;
  }
};
