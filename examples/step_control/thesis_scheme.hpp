// The step size control exactly as in C. Andersson's thesis: the norm of eq. 3.72, without a square, and inputs by
// eq. 4.7, a Taylor series with first-order backward differences. At the end of a step of the same size as the last
// one, the weights of the last three values are 2.5, -2 and 0.5, which is not the parabola through them. On unequal
// steps, even the differences are wrong, because they use the last distance between points for all. Only for comparison
// with the counts in the thesis.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "linear_systems.hpp"

namespace consort::example {

class ThesisScheme {
 public:
  ThesisScheme(const TwoMasses& masses, int order, double tolerance)
      : masses_(masses), order_(order), tolerance_(tolerance) {}

  struct Counts {
    int accepted = 0, rejected = 0;
  };
  // `first`: the size of the first double step.
  Counts run(Time stop, Duration first) {
    Counts counts;
    Point now{0, masses_.start};
    std::vector<Point> fine, coarse;  // history, newest first: all points, and the ends of double steps
    Duration step = first;
    while (stop - now.t > 1e-12 * stop) {
      step = std::min(step, stop - now.t);
      const auto old = with(now, fine);
      const State whole = advance(with(now, coarse), step);
      const Point middle{now.t + step / 2, advance(old, step / 2)};
      const auto before_end = with(middle, old);
      const Point end{now.t + step, advance(before_end, step / 2)};
      const double error = norm(end.y, whole);
      if (error <= 1) {
        ++counts.accepted;
        coarse = with(now, coarse);
        fine = before_end;
        now = end;
      } else {
        ++counts.rejected;
      }
      step *= std::clamp(0.9 * std::pow(error, -1.0 / (order_ + 2)), 0.2, 5.0);
    }
    return counts;
  }

 private:
  using State = std::array<double, 4>;  // x1, v1, x2, v2
  struct Point {
    Time t = 0;
    State y{};
  };

  static std::vector<Point> with(const Point& newest, const std::vector<Point>& past) {
    std::vector<Point> all{newest};
    all.insert(all.end(), past.begin(),
               past.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, past.size())));
    return all;
  }

  // Advances both halves by h from the newest point.
  [[nodiscard]] State advance(const std::vector<Point>& points, Duration h) const {
    const std::size_t order = std::min(static_cast<std::size_t>(order_), points.size() - 1);
    std::array<State, 3> u{points[0].y};
    for (std::size_t i = 0; i < u[0].size(); ++i) {
      const double last = order > 0 ? points[0].t - points[1].t : 1;
      if (order > 0) u[1][i] = (points[0].y[i] - points[1].y[i]) / last;
      if (order > 1) u[2][i] = (points[0].y[i] - 2 * points[1].y[i] + points[2].y[i]) / (last * last);
    }
    State next{};
    step_half(masses_.first(), u, 0, h, next);
    step_half(masses_.second(), u, 2, h, next);
    return next;
  }

  // Advances the half whose states begin at index `own`, driven by the states of the other half.
  static void step_half(unit::LinearSystem system, const std::array<State, 3>& u, std::size_t own, Duration h,
                        State& next) {
    const std::size_t other = 2 - own;
    system.start = {u[0][own], u[0][own + 1]};
    unit::LinearUnit unit("half", std::move(system));
    const std::array<describe::VariableId, 2> inputs{0, 1};
    const describe::SignalSet given(unit.description(), inputs);
    Columns now = given.make_columns();
    now.column<double>() = {u[0][other], u[0][other + 1]};
    unit.set(given, now);
    unit.set_input_derivatives(std::array<ValueReference, 4>{0, 1, 0, 1}, std::array<std::int32_t, 4>{1, 1, 2, 2},
                               std::array{u[1][other], u[1][other + 1], u[2][other], u[2][other + 1]});
    unit.step({0, h, false});
    const std::array<describe::VariableId, 2> outputs{2, 3};
    const describe::SignalSet set(unit.description(), outputs);
    Columns values = set.make_columns();
    unit.get(set, values);
    std::copy_n(values.column<double>().begin(), 2, next.begin() + static_cast<std::ptrdiff_t>(own));
  }

  [[nodiscard]] double norm(const State& fine, const State& coarse) const {
    double sum = 0;
    for (std::size_t i = 0; i < fine.size(); ++i) {
      const double estimate = (fine[i] - coarse[i]) / (std::exp2(order_ + 1) - 1);
      sum += std::abs(estimate) / (tolerance_ + tolerance_ * std::abs(fine[i]));
    }
    return std::sqrt(sum / static_cast<double>(fine.size()));
  }

  TwoMasses masses_;
  int order_;
  double tolerance_;
};

}  // namespace consort::example
