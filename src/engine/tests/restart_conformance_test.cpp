// A run resumed from a checkpoint is equal to an uninterrupted run, with every stepper, controller and approximation.
// New rows of a table are included automatically.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "couple/approximation.hpp"
#include "restart.hpp"
#include "step/controller.hpp"
#include "step/stepper.hpp"
#include "systems.hpp"

namespace consort::engine {
namespace {

using namespace testing;

struct Choice {
  std::string_view stepper;
  std::string_view approximation;
  std::string_view controller;
  const char* interface = "cs";
};

SimulationOptions options_of(const Choice& choice) {
  auto o = options(10, 0.01, std::string(choice.stepper));
  o.run.extrapolation = choice.approximation;
  o.run.control.controller = choice.controller;
  o.run.control.tolerance = 1e-3;
  o.run.bonds = {{"n0.y2", "n2.y2"}};
  o.run.iteration.reuse = 2;
  o.run.threads = 2;
  using Kind = graph::ScheduleEntry::Kind;
  for (const auto& row : step::steppers())
    if (row.name == choice.stepper && row.reads.schedule)
      o.run.schedule = {{Kind::unit, "n1", {}}, {Kind::parallel, {}, {{Kind::unit, "n0", {}}, {Kind::unit, "n2", {}}}}};
  return o;
}

// True if the controller supports the stepper.
bool go_together(const Choice& choice) {
  try {
    Simulation s(ring(choice.interface), options_of(choice));
    return true;
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input) << e.what();
    return false;
  }
}

// All approximations with equal steps, and two of them with variable steps; Model Exchange with every second one.
std::vector<Choice> choices() {
  std::vector<Choice> all;
  for (const auto& stepper : step::steppers()) {
    for (const auto& controller : step::controllers()) {
      for (const auto& approximation : couple::approximations()) {
        if (controller.varies && approximation.order() != 0 && approximation.order() != 1) continue;
        const bool me = approximation.order() % 2 == 1 || approximation.derivatives > 0;
        const char* const interface = me ? "me" : "cs";
        all.push_back({stepper.name, approximation.name, controller.name, interface});
      }
    }
  }
  return all;
}

class Restarts : public ::testing::TestWithParam<Choice> {};
INSTANTIATE_TEST_SUITE_P(Every, Restarts, ::testing::ValuesIn(choices()), [](const auto& choice) {
  const auto& c = choice.param;
  std::string name = fmt::format("{}_{}_{}_{}", c.stepper, c.controller, c.approximation, c.interface);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Restarts, GoOnBitForBit) {
  if (!go_together(GetParam())) GTEST_SKIP() << GetParam().controller << " does not go with " << GetParam().stepper;
  expect_the_same_after_a_restart(ring(GetParam().interface), options_of(GetParam()), 17, 20);
}

TEST(Restart, IsTriedWithEveryController) {
  const auto all = choices();
  for (const auto& row : step::controllers())
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Choice& choice) {
      return choice.controller == row.name && go_together(choice);
    })) << row.name;
}

}  // namespace
}  // namespace consort::engine
