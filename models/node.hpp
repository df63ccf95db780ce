// A minimal unit: two inputs, two outputs, one state. For measurements of the engine's own cost.
#pragma once

#include <consort/model.hpp>

struct Node {
  double u1 = 0, u2 = 0;
  double x = 1, der_x = 0;
  double y1 = 0, y2 = 0;
  double a = 1;

  static constexpr auto describe() {
    using M = Node;
    using namespace consort::model;
    return declare({.description = "First-order lag of the mean of two inputs", .stop_time = 10, .step = 1e-2},
                   input<&M::u1>("first input"), input<&M::u2>("second input"),
                   state<&M::x, &M::der_x>("state").depends_on<&M::u1, &M::u2, &M::x>(),
                   output<&M::y1>("the state").depends_on<&M::x>(),
                   output<&M::y2>("minus the state").depends_on<&M::x>(), parameter<&M::a>("1/s", "rate"));
  }

  void derivatives() { der_x = a * (0.5 * (u1 + u2) - x); }
  void outputs() {
    y1 = x;
    y2 = -x;
  }
};
