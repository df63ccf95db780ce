#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "step/controller.hpp"
#include "step/fixed_controller.hpp"

namespace consort::step {

namespace {

constexpr std::array<ControllerRow, 4> rows{{
    {"fixed", "equal steps, and no estimate of the error", make_fixed, false},
    {"richardson", "compares two steps with one of twice the size; units have to roll back", make_richardson},
    {"modified", "as richardson, but the two solutions share their first half, which is cheaper", make_modified},
    {"ecco", "follows the power that units exchange over bonds; repeats nothing, so that any unit will do", make_ecco},
}};

}  // namespace

std::span<const ControllerRow> controllers() { return rows; }

const ControllerRow& find_controller(std::string_view name) {
  if (name.empty()) return rows.front();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  if (found != rows.end()) return *found;
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  throw input_error("there is no step size controller '{}'{}; available: {}", name, suggestion(name, names),
                    fmt::join(names, ", "));
}

std::unique_ptr<Controller> make_controller(const ControllerSetup& setup) {
  return find_controller(setup.settings.control.controller).make(setup);
}

std::unique_ptr<Controller> make_fixed(const ControllerSetup& setup) {
  return std::make_unique<FixedController>(setup.grid);
}

}  // namespace consort::step
