// Settings that were made, but say nothing to this run: most often a slip, and never silently ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "graph/document.hpp"
#include "graph/plan.hpp"

namespace consort::report {

struct ChosenMethods {
  std::string_view stepper;
  std::string_view controller;
  bool varies = false;  // the controller varies the step
  Time stop = 0;
};

// One line each: what was set, and what it would need to have an effect.
[[nodiscard]] std::vector<std::string> ineffective_settings(const graph::Plan& plan, const graph::RunSettings& settings,
                                                            const ChosenMethods& chosen);

}  // namespace consort::report
