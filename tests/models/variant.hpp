// Many different FMUs from one source, all with the same class name. Each has its own number and counts only its calls.
#pragma once

#include <consort/model.hpp>

struct Variant {
  double x = 1, der_x = 0;
  double number = VARIANT;
  double calls = 0;
  static inline double calls_of_all = 0;  // one per FMU, not one per process

  static constexpr auto describe() {
    using M = Variant;
    using namespace consort::model;
    return declare({.description = "One of many", .stop_time = 1, .step = 1e-2},
                   state<&M::x, &M::der_x>("grows at the rate of the number").output(),
                   output<&M::number>("which of them it is").depends_on_nothing().discrete(),
                   local<&M::calls>("steps of all instances").discrete());
  }

  void derivatives() { der_x = VARIANT; }
  void outputs() { number = VARIANT; }
  void completed() { calls = ++calls_of_all; }
};
