#include "glue/advance.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "../../../models/bouncing_ball.hpp"
#include "../../../models/stair.hpp"
#include "glue/exported.hpp"
#include "model/instance.hpp"

namespace consort::glue {
namespace {

namespace m = consort::model;

template <class M>
struct Runner {
  Runner()
      : exported(export_model<M>("model")),
        layout(m::definition_of<M>, m::Layout::Style::scalars),
        instance(layout, host),
        stepper(exported, instance) {}
  M& model() { return *static_cast<M*>(instance.model()); }
  void start() {
    instance.enter_initialization(0, std::numeric_limits<double>::infinity());
    instance.leave_initialization(m::step_mode);
    stepper.start();
  }
  Exported exported;
  m::Host host;
  m::Layout layout;
  m::Instance instance;
  Stepper stepper;
};

TEST(Stepper, FindsTheBouncesOfABall) {
  Runner<BouncingBall> r;
  r.start();
  // Falls from 1 m with 9.81 m/s²: reaches the ground at sqrt(2/9.81) and keeps 0.7 of the speed.
  const double first = std::sqrt(2 / 9.81);
  const double second = first + 2 * 0.7 * first;
  const double t = 1.0;
  for (int i = 0; i < 10; ++i) r.stepper.advance(i * 0.1, 0.1);
  const double since = t - first;
  ASSERT_LT(t, second);
  // RK4 is exact for a parabola; the event is located within the resolution of the time.
  EXPECT_NEAR(r.model().h, 0.7 * 9.81 * first * since - 9.81 / 2 * since * since, 1e-12);
  EXPECT_NEAR(r.model().v, 0.7 * 9.81 * first - 9.81 * since, 1e-11);
}

TEST(Stepper, DoesNotDependOnTheCommunicationStepWhereTheSolverIsExact) {
  std::vector<double> heights;
  for (const int steps : {1, 7, 1000}) {
    Runner<BouncingBall> r;
    r.start();
    for (int i = 0; i < steps; ++i) r.stepper.advance(0.9 * i / steps, 0.9 / steps);
    heights.push_back(r.model().h);
  }
  EXPECT_NEAR(heights[1], heights[0], 1e-11);
  EXPECT_NEAR(heights[2], heights[0], 1e-11);
}

TEST(Stepper, LetsTheBallComeToRest) {
  Runner<BouncingBall> r;
  r.start();
  for (int i = 0; i < 100; ++i) r.stepper.advance(i * 0.1, 0.1);
  EXPECT_TRUE(r.model().resting);
  EXPECT_EQ(r.model().v, 0);
}

TEST(Stepper, HandlesATimeEventAtTheEndOfAStepInThatStep) {
  for (const double h : {1.0, 0.5, 0.1, 0.2, 1.0 / 3}) {
    Runner<Stair> r;
    r.start();
    const int steps = static_cast<int>(std::lround(3 / h));
    for (int i = 0; i < steps; ++i) r.stepper.advance(i * h, h);
    EXPECT_EQ(r.model().counter, 4) << h;
  }
}

TEST(Stepper, StopsWhereTheModelEndsTheSimulation) {
  Runner<Stair> r;
  r.model().last = 2;
  r.start();
  const StepResult result = r.stepper.advance(0, 5);
  EXPECT_TRUE(result.terminate);
  EXPECT_TRUE(result.early);
  EXPECT_EQ(result.reached, 2);
}

TEST(Stepper, ReturnsToAnImporterThatHandlesEvents) {
  Runner<Stair> r;
  r.start();
  StepResult result = r.stepper.advance({.t = 0, .h = 2.5, .stop_at_events = true, .may_return_early = true});
  EXPECT_TRUE(result.event);
  EXPECT_TRUE(result.early);
  EXPECT_EQ(result.reached, 1);
  EXPECT_EQ(r.model().counter, 1);
  r.instance.update_event();
  EXPECT_EQ(r.model().counter, 2);
  // Without early return, the FMU handles events inside the step itself; the importer gets only the event at the end.
  result = r.stepper.advance({.t = 1, .h = 2, .stop_at_events = true, .may_return_early = false});
  EXPECT_EQ(r.model().counter, 3);
  EXPECT_TRUE(result.event);
  EXPECT_FALSE(result.early);
  EXPECT_EQ(result.reached, 3);
}

struct Integrator {
  double u = 0;
  double x = 0, der_x = 0;
  static constexpr auto describe() {
    return m::declare({.solver_step = 0.25}, m::input<&Integrator::u>("input"),
                      m::state<&Integrator::x, &Integrator::der_x>("integral"));
  }
  void derivatives() { der_x = u; }
};

TEST(Stepper, MovesInputsAlongTheirPolynomials) {
  Runner<Integrator> r;
  r.start();
  // u = 1 + 2 t + 3 t² / 2 + 4 t³ / 6; RK4 integrates it exactly.
  r.model().u = 1;
  for (int order = 1; order <= 3; ++order) {
    r.stepper.set_input_derivative(r.layout.slots()[1], order, order + 1.0);
  }
  r.stepper.advance(0, 2);
  EXPECT_NEAR(r.model().x, 2 + 4 + 0.5 * 8 + 4.0 / 24 * 16, 1e-13);
  EXPECT_NEAR(r.model().u, 1 + 4 + 6 + 4.0 / 6 * 8, 1e-13);
  // The polynomial applied only to that step.
  const double u = r.model().u;
  const double x = r.model().x;
  r.stepper.advance(2, 1);
  EXPECT_NEAR(r.model().x, x + u, 1e-12);
}

TEST(Stepper, RefusesDerivativesThatItCannotUse) {
  Runner<Integrator> r;
  r.start();
  EXPECT_THROW(r.stepper.set_input_derivative(r.layout.slots()[1], 4, 1), m::Failure);
  EXPECT_THROW(r.stepper.set_input_derivative(r.layout.slots()[1], 0, 1), m::Failure);
  EXPECT_THROW(r.stepper.set_input_derivative(r.layout.slots()[2], 1, 1), m::Failure);
}

TEST(Stepper, AsksTheImporterAfterEveryStepOfTheSolver) {
  Runner<Integrator> r;
  r.start();
  r.model().u = 1;
  std::vector<double> times;
  const auto note = [](void* environment, double t) {
    static_cast<std::vector<double>*>(environment)->push_back(t);
    return t < 0.5 ? std::numeric_limits<double>::infinity() : 0.6;
  };
  const StepResult result =
      r.stepper.advance({.t = 0, .h = 1, .may_return_early = true, .intermediate = note, .environment = &times});
  EXPECT_EQ(times, (std::vector<double>{0.25, 0.5, 0.6}));
  EXPECT_TRUE(result.early);
  EXPECT_EQ(result.reached, 0.6);
  EXPECT_NEAR(r.model().x, 0.6, 1e-15);
}

struct Refusing {
  double x = 0, der_x = 0;
  double limit = 0.6;
  static constexpr auto describe() {
    return m::declare({.solver_step = 0.25}, m::state<&Refusing::x, &Refusing::der_x>("state"),
                      m::parameter<&Refusing::limit>("limit"));
  }
  void derivatives(double t) {
    if (t > limit) throw m::Discard("too far");
    der_x = 1;
  }
};

TEST(Stepper, StandsAtTheLastGoodStepAfterADiscard) {
  Runner<Refusing> r;
  r.start();
  EXPECT_THROW(r.stepper.advance(0, 1), m::Discard);
  EXPECT_EQ(r.instance.head().time, 0.5);
  EXPECT_EQ(r.model().x, 0.5);
  EXPECT_THROW(r.stepper.advance(0.5, 0.25), m::Discard);  // one solver step: the plain path
  EXPECT_EQ(r.instance.head().time, 0.5);
  EXPECT_EQ(r.model().x, 0.5);
  r.stepper.advance(0.5, 0.1);
  EXPECT_NEAR(r.model().x, 0.6, 1e-15);
}

struct Switching {
  double u = -1;
  double z = 0;
  int events = 0;
  static constexpr auto describe() {
    return m::declare({}, m::input<&Switching::u>("input"), m::indicator<&Switching::z>("the input"));
  }
  void indicators() { z = u; }
  void event(m::Event&) { ++events; }
};

TEST(Stepper, NoticesAnInputThatHasJumped) {
  Runner<Switching> r;
  r.start();
  const int at_start = r.model().events;
  r.stepper.advance(0, 1);
  EXPECT_EQ(r.model().events, at_start);
  r.model().u = 1;
  r.instance.touch();
  r.stepper.advance(1, 1);
  EXPECT_EQ(r.model().events, at_start + 1);
  r.stepper.advance(2, 1);
  EXPECT_EQ(r.model().events, at_start + 1);
}

struct Endless {
  double next = 0;
  static constexpr auto describe() { return m::declare({}, m::local<&Endless::next>("next").discrete()); }
  void event(m::Event& e) { e.again = true; }
};

TEST(Stepper, GivesUpOnEventsThatNeverEnd) {
  Runner<Endless> r;
  r.instance.enter_initialization(0, 1);
  r.instance.leave_initialization(m::step_mode);
  EXPECT_THROW(r.stepper.start(), m::Failure);
}

}  // namespace
}  // namespace consort::glue
