// The prey of Lotka and Volterra.
#pragma once

#include <consort/model.hpp>

struct Prey {
  double predators = 5;
  double population = 10, der_population = 0;
  double growth = 1.1, loss = 0.4;

  static constexpr auto describe() {
    using M = Prey;
    using namespace consort::model;
    return declare({.description = "Prey of Lotka and Volterra", .stop_time = 50, .step = 1e-2},
                   input<&M::predators>("population of the predators"),
                   state<&M::population, &M::der_population>("population of the prey")
                       .output()
                       .depends_on<&M::predators, &M::population>(),
                   parameter<&M::growth>("1/s", "growth"), parameter<&M::loss>("1/s", "loss per predator"));
  }

  void derivatives() { der_population = population * (growth - loss * predators); }
};
