// The other of two different models whose classes have the same name, members and inline variables.
#pragma once

#include <consort/model.hpp>

struct Twin {
  double y = 0;
  double calls = 0;

  static constexpr auto describe() {
    using namespace consort::model;
    return declare({.description = "The second twin"}, output<&Twin::y>("1 for the first twin, 2 for the second"),
                   output<&Twin::calls>("calls in this library"));
  }

  // Two libraries would share it if their inline variables were merged.
  static inline int counter = 0;
  void outputs() {
    y = 2;
    calls = ++counter;
  }
};
