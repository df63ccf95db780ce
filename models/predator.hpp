// The predators of Lotka and Volterra; coupled with Prey, they oscillate.
#pragma once

#include <consort/model.hpp>

struct Predator {
  double prey = 10;
  double population = 5, der_population = 0;
  double growth = 0.1, decay = 0.6;

  static constexpr auto describe() {
    using M = Predator;
    using namespace consort::model;
    return declare({.description = "Predators of Lotka and Volterra", .stop_time = 50, .step = 1e-2},
                   input<&M::prey>("population of the prey"),
                   state<&M::population, &M::der_population>("population of the predators")
                       .output()
                       .depends_on<&M::prey, &M::population>(),
                   parameter<&M::growth>("1/s", "growth per prey"), parameter<&M::decay>("1/s", "decay"));
  }

  void derivatives() { der_population = population * (growth * prey - decay); }
};
