// A node with adjustable cost, for measurements of parallel runs.
#pragma once

#include <cmath>
#include <cstdint>

#include <consort/model.hpp>

struct CostlyNode {
  double u = 0;
  double x = 1, der_x = 0;
  double y = 0;
  std::int32_t load = 1000;

  static constexpr auto describe() {
    using M = CostlyNode;
    using namespace consort::model;
    return declare(
        {.description = "First-order lag with work to do", .stop_time = 1, .step = 1e-2, .method = Method::euler},
        input<&M::u>("input"), state<&M::x, &M::der_x>("state"), output<&M::y>("the state").depends_on<&M::x>(),
        parameter<&M::load>("square roots per derivative").at_least(0).tunable());
  }

  // Newton's iteration for a square root that is always 1: it has no effect, but the compiler cannot remove it.
  void derivatives() {
    double root = 2;
    for (std::int32_t i = 0; i < load; ++i) root = 0.5 * (root + 1 / root);
    der_x = u - x * (load > 10 ? std::floor(root + 0.5) : 1.0);
  }
  void outputs() { y = x; }
};
