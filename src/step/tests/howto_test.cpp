// The stepper of docs/howto/add_a_stepper.md, compiled and run.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "base/tests/howto_page.hpp"
#include "step/tests/coupled_system.hpp"

namespace consort::step {

std::unique_ptr<Stepper> make_alternating(const StepperSetup& setup);

namespace howto_test {
namespace {

constexpr auto rows = std::to_array<StepperRow>({
    {"alternating", "one after another, in an order that turns around from step to step", make_alternating},
});

// Held inputs. The settings are those of Gauss–Seidel, whose order is that of the model.
Coupled make_coupled(MakeStepper make) {
  const auto model = two_masses();
  return Coupled(model, settings_for({"gauss-seidel", "poly-1"}, model), 1, Grid(0, 10, 0.1), make);
}

// The largest error of the two positions at t = 2.
double error_with(MakeStepper make, int steps) {
  auto s = make_coupled(make);
  for (int i = 0; i < steps; ++i) s.step(2.0 / steps);
  unit::LinearUnit whole("whole", two_masses_as_one());
  whole.step({0, 2, false});
  const auto& d = whole.description();
  const describe::SignalSet exact(
      d, std::vector<describe::VariableId>{d.require_variable("left.x"), d.require_variable("right.x")});
  Columns values = exact.make_columns();
  whole.get(exact, values);
  return std::max(std::abs(s.output("left.x") - values.column<double>()[0]),
                  std::abs(s.output("right.x") - values.column<double>()[1]));
}

TEST(HowToAddAStepper, ShowsCodeThatIsCompiled) {
  howto_page::expect_compiled("docs/howto/add_a_stepper.md",
                              {"src/step/tests/howto_alternating_stepper.cpp", "src/step/tests/howto_test.cpp"}, 3);
}

TEST(HowToAddAStepper, TurnsTheOrderAroundFromStepToStep) {
  auto s = make_coupled(rows[0].make);
  EXPECT_EQ(s.stepper->name(), rows[0].name);
  for (int i = 0; i < 4; ++i) {
    const double left = s.output("left.x");
    const double right = s.output("right.x");
    s.step(0.1);
    const bool forwards = i % 2 == 0;
    EXPECT_EQ(s.probe("left").inputs.front(), forwards ? right : s.output("right.x")) << i;
    EXPECT_EQ(s.probe("right").inputs.front(), forwards ? s.output("left.x") : left) << i;
  }
}

TEST(HowToAddAStepper, RepeatsATakenBackStep) {
  auto s = make_coupled(rows[0].make);
  s.step(0.1);
  s.keep();
  s.step(0.1, true);
  const auto first = s.memory();
  s.take_back();
  s.step(0.1, true);
  EXPECT_EQ(s.memory(), first);
}

TEST(HowToAddAStepper, HasOrder2WithHeldInputs) {
  // A symmetric method has an even order; computed independently, the error at 40 and 80 steps falls by 3.994.
  EXPECT_NEAR(error_with(rows[0].make, 40) / error_with(rows[0].make, 80), 4, 0.2);
  EXPECT_NEAR(error_with(make_stepper, 40) / error_with(make_stepper, 80), 2, 0.2);
}

}  // namespace
}  // namespace howto_test
}  // namespace consort::step
