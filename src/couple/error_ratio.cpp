#include "couple/error_ratio.hpp"

#include <algorithm>
#include <cmath>

namespace consort::couple {

double Nodes::product(double s) const {
  double product = 1;
  for (const double node : values()) product *= s + node;
  return product;
}

double Nodes::integral(double from, double to) const {
  const double middle = 0.5 * (from + to);
  const double half = 0.5 * (to - from);
  // Gauss quadrature: three points are exact for degrees up to 5, four points for degrees up to 7.
  if (count_ > 5) {
    const double root = 2.0 / 7 * std::sqrt(1.2);
    const double inner = half * std::sqrt(3.0 / 7 - root);
    const double outer = half * std::sqrt(3.0 / 7 + root);
    const double less = (18 - std::sqrt(30.0)) / 36;
    return half * ((1 - less) * (product(middle - inner) + product(middle + inner)) +
                   less * (product(middle - outer) + product(middle + outer)));
  }
  const double away = half * std::sqrt(0.6);
  return half / 9 * (5 * product(middle - away) + 8 * product(middle) + 5 * product(middle + away));
}

Nodes nodes_before(const History& history, const Memory& memory, Time t, Duration h, int order) {
  Nodes nodes;
  nodes.add(0, history.each());
  for (int i = 0; i < history.points(memory) && nodes.order() < order; ++i)
    if (history.time(memory, i) < t) nodes.add((t - history.time(memory, i)) / h, history.each());
  return nodes;
}

Nodes nodes_of_second_half(const Nodes& first, int order, int each) {
  Nodes nodes;
  nodes.add(-1, each);
  for (const double node : first.values())
    if (nodes.order() < order) nodes.add(node);
  return nodes;
}

ErrorRatio error_ratio(const Nodes& coarse, const Nodes& first, const Nodes& second) {
  const int order = std::min({coarse.order(), first.order(), second.order()});
  if (coarse.order() > order) return equal_steps_ratio(order, false);
  double fine = 0;
  if (first.order() == order) fine += first.integral(0, 1);
  if (second.order() == order) fine += second.integral(1, 2);
  if (fine == 0) return equal_steps_ratio(order, false);
  ErrorRatio ratio;
  ratio.order = order;
  ratio.states = coarse.integral(0, 2) / fine;
  ratio.outputs = second.order() == order ? coarse.product(2) / second.product(2) : std::exp2(order + 1);
  return ratio;
}

ErrorRatio interpolated_error_ratio(const Nodes& coarse, const Nodes& first, int order, int each) {
  const auto with_end = [order](double end, std::span<const double> before) {
    Nodes nodes;
    nodes.add(end);
    for (const double node : before)
      if (nodes.order() < order) nodes.add(node);
    return nodes;
  };
  const Nodes whole = with_end(-2, coarse.values());
  const Nodes half = with_end(-1, first.values());
  const Nodes second = with_end(-2, nodes_of_second_half(first, order, each).values());
  // The error of a polynomial through the end has one sign within a step: all integrals have the same sign.
  const auto ratio = error_ratio(whole, half, second);
  if (!(ratio.states > 1) || !std::isfinite(ratio.states)) return equal_steps_ratio(ratio.order, false);
  return {ratio.states, ratio.states, ratio.order};
}

ErrorRatio equal_steps_ratio(int order, bool shared_past, int each) {
  if (!shared_past) return {std::exp2(order + 1), std::exp2(order + 1), order};
  Nodes first;
  for (int i = 0; first.order() < order; ++i) first.add(i, each);
  return error_ratio(first, first, nodes_of_second_half(first, order, each));
}

}  // namespace consort::couple
