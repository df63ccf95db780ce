// Crashes when it is instantiated; for tests of importers.
#pragma once

#include <consort/model.hpp>

struct BadStart {
  double y = 0;

  static constexpr auto describe() {
    using namespace consort::model;
    return declare({.description = "Crashes when it is instantiated"},
                   output<&BadStart::y>("zero").depends_on_nothing());
  }

  // Without the attribute, a sanitizer would report the access before the crash.
  __attribute__((no_sanitize("undefined"))) void instantiate(const consort::model::Context& c) {
    if (c.instance_name().empty()) return;  // instantiated to write the description
    volatile int* volatile nowhere = nullptr;
    *nowhere = 1;
  }
  void outputs() { y = 0; }
};
