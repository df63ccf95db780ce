// A counter that increases once per second: time events, and a model that ends the simulation.
#pragma once

#include <cstdint>

#include <consort/model.hpp>

struct Stair {
  std::int32_t counter = 1;
  std::int32_t last = 10;
  double next = 0;

  static constexpr auto describe() {
    using M = Stair;
    using namespace consort::model;
    return declare({.description = "A counter with time events", .stop_time = 10, .step = 0.2},
                   output<&M::counter>("increases by one every second").exact(),
                   parameter<&M::last>("the simulation ends above this"),
                   local<&M::next>("s", "time of the next event").discrete());
  }

  void initialize(double t) { next = t + 1; }
  void event(consort::model::Event& e) {
    if (e.time >= next) {
      ++counter;
      next += 1;
    }
    e.next_time = next;
    e.terminate = counter > last;
  }
};
