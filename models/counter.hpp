// Counts rising edges of a Boolean and upward crossings of a threshold. The first values are no edge and no crossing.
#pragma once

#include <cstdint>

#include <consort/model.hpp>

struct Counter {
  double u = 0;
  bool trigger = false;
  std::int32_t count = 0;
  bool was_above = false, was_triggered = false;
  double excess = 0;
  double threshold = 0;

  static constexpr auto describe() {
    using M = Counter;
    using namespace consort::model;
    return declare(
        {.description = "Counts edges and crossings", .stop_time = 10, .step = 1e-2},
        input<&M::u>("its upward crossings of the threshold are counted"),
        input<&M::trigger>("its rising edges are counted"),
        output<&M::count>("number of edges and crossings; starts with the given value").exact().depends_on_nothing(),
        local<&M::was_above>("the input was above the threshold at the last event"),
        local<&M::was_triggered>("the Boolean was true at the last event"),
        indicator<&M::excess>("of the input over the threshold"), parameter<&M::threshold>("for the input").tunable());
  }

  void initialize() {
    was_above = u > threshold;
    was_triggered = trigger;
  }
  void indicators() { excess = u - threshold; }
  void event(consort::model::Event&) {
    const bool above = u > threshold;
    count += (above && !was_above ? 1 : 0) + (trigger && !was_triggered ? 1 : 0);
    was_above = above;
    was_triggered = trigger;
  }
};
