// Problems with known solutions, shared by the solver tests.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "solve/integrate.hpp"
#include "solve/solvers.hpp"

namespace consort::solve {

// y'' = -y: y = (cos t, -sin t).
inline Ode oscillator() {
  return {.y0 = {1, 0},
          .rhs =
              [](Time, ConstVector y, Vector dy) {
                dy[0] = y[1];
                dy[1] = -y[0];
              },
          .components = {.names = {"x", "v"}}};
}

// y'' = -y + 3 sin 2t, from (0, -1): y = sin t - sin 2t.
inline Ode forced_oscillator() {
  return {.y0 = {0, -1},
          .rhs =
              [](Time t, ConstVector y, Vector dy) {
                dy[0] = y[1];
                dy[1] = -y[0] + 3 * std::sin(2 * t);
              },
          .jacobian = {.dense = [](Time, ConstVector, Vector J) {
            J[0] = 0;
            J[1] = -1;
            J[2] = 1;
            J[3] = 0;
          }}};
}
inline double forced_solution(Time t) { return std::sin(t) - std::sin(2 * t); }

inline double forced_derivative(Time t) { return std::cos(t) - 2 * std::cos(2 * t); }

inline Ode van_der_pol(double mu) {
  return {.y0 = {2, 0}, .rhs = [mu](Time, ConstVector y, Vector dy) {
            dy[0] = y[1];
            dy[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
          }};
}

// Hairer and Wanner, Solving Ordinary Differential Equations II, IV.10: mu^2 = 1e6; y(2) = 1.706167732, -0.892809701.
inline Ode stiff_van_der_pol() {
  return {.y0 = {2, -0.66}, .rhs = [](Time, ConstVector y, Vector dy) {
            dy[0] = y[1];
            dy[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) * 1e6;
          }};
}

// The slow part before the first jump, exact to 1e-6: (1 - x^2) x' = x, so ln x - x^2 / 2 = t + ln 2 - 2.
inline double slow_van_der_pol(Time t) {
  double x = 2;
  for (int k = 0; k < 50; ++k) x -= (std::log(x) - x * x / 2 - t - std::log(2) + 2) / (1 / x - x);
  return x;
}

// y(40) = 0.7158270688, 9.185534765e-6, 0.2841637457.
inline Ode robertson() {
  return {.y0 = {1, 0, 0}, .rhs = [](Time, ConstVector y, Vector dy) {
            dy[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
            dy[2] = 3e7 * y[1] * y[1];
            dy[1] = -dy[0] - dy[2];
          }};
}

inline Ode oregonator() {
  return {.y0 = {1, 2, 3}, .rhs = [](Time, ConstVector y, Vector dy) {
            dy[0] = 77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1]));
            dy[1] = (y[2] - (1 + y[0]) * y[1]) / 77.27;
            dy[2] = 0.161 * (y[0] - y[2]);
          }};
}

inline Ode hires() {
  return {.y0 = {1, 0, 0, 0, 0, 0, 0, 0.0057}, .rhs = [](Time, ConstVector y, Vector dy) {
            dy[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
            dy[1] = 1.71 * y[0] - 8.75 * y[1];
            dy[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
            dy[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
            dy[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
            dy[5] = -280 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
            dy[6] = 280 * y[5] * y[7] - 1.81 * y[6];
            dy[7] = -dy[6];
          }};
}

// A closed orbit of the restricted three-body problem (Hairer, Nørsett, Wanner I, II.0).
inline Ode arenstorf() {
  return {.y0 = {0.994, 0, 0, -2.00158510637908252240537862224}, .rhs = [](Time, ConstVector y, Vector dy) {
            const double mu = 0.012277471;
            const double earth = std::pow((y[0] + mu) * (y[0] + mu) + y[1] * y[1], 1.5);
            const double moon = std::pow((y[0] - 1 + mu) * (y[0] - 1 + mu) + y[1] * y[1], 1.5);
            dy[0] = y[2];
            dy[1] = y[3];
            dy[2] = y[0] + 2 * y[3] - (1 - mu) * (y[0] + mu) / earth - mu * (y[0] - 1 + mu) / moon;
            dy[3] = y[1] - 2 * y[2] - (1 - mu) * y[1] / earth - mu * y[1] / moon;
          }};
}
inline constexpr Time arenstorf_period = 17.0652165601579625588917206249;

// A ball that falls from 1 m and loses 30 % of its speed at each impact.
inline Ode bouncing_ball(Direction direction) {
  return {.y0 = {1, 0},
          .rhs =
              [](Time, ConstVector y, Vector dy) {
                dy[0] = y[1];
                dy[1] = -9.81;
              },
          .events = {.root_count = 1,
                     .roots = [](Time, ConstVector y, Vector g) { g[0] = y[0]; },
                     .directions = {direction},
                     .handle = [](const EventInfo&, EventState& state) { state.y[1] *= -0.7; }}};
}
inline std::vector<Time> impact_times(std::size_t count) {
  const double fall = std::sqrt(2 / 9.81);
  std::vector<Time> times{fall};
  double flight = 2 * fall;
  while (times.size() < count) times.push_back(times.back() + (flight *= 0.7));
  return times;
}

inline void run_to(Solver& solver, Time stop) {
  while (solver.time() < stop) solver.step(stop);
}

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace consort::solve
