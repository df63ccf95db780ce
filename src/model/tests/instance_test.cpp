#include "model/instance.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace consort::model {
namespace {

// Counts its own calls in members that are not variables.
struct Counting {
  double u = 0;
  double x = 1, der_x = 0;
  double y = 0;
  double p = 2, q = 0;
  int outputs_called = 0, derivatives_called = 0;

  static constexpr auto describe() {
    using M = Counting;
    return declare({}, input<&M::u>("input"), state<&M::x, &M::der_x>("state"), output<&M::y>("output"),
                   parameter<&M::p>("parameter"), calculated_parameter<&M::q>("twice the parameter"));
  }
  void initialize() { q = 2 * p; }
  void derivatives() {
    ++derivatives_called;
    der_x = u - p * x * x;
  }
  void outputs(double t) {
    ++outputs_called;
    y = std::sin(x) * u + q + t;
  }
};

// Counting with analytic derivatives. One is wrong on purpose, to show that it is used.
struct Analytic {
  double u = 3;
  double x = 1, der_x = 0;
  double y = 0;

  static constexpr auto describe() {
    using M = Analytic;
    return declare({}, input<&M::u>("input"), state<&M::x, &M::der_x>("state").output(), output<&M::y>("output"));
  }
  void derivatives() { der_x = u * x; }
  void outputs() { y = u + x; }
  void directional(const Analytic& seed, Analytic& to, const Context&) const {
    to.der_x = u * seed.x + x * seed.u;
    to.y = 1000;
  }
};

struct Jumping {
  double x = 0, der_x = 0;
  int calls = 0;
  double next = 0;
  static constexpr auto describe() {
    return declare({}, state<&Jumping::x, &Jumping::der_x>("state"), local<&Jumping::next>("next").discrete());
  }
  void derivatives() { der_x = 1; }
  void event(Event& e) {
    ++calls;
    if (calls == 2) x = 5;
    e.again = calls == 3;
    e.next_time = calls == 4 ? e.time : e.time + 1;
  }
};

template <class M>
class Running {
 public:
  explicit Running(Layout::Style style = Layout::Style::scalars)
      : layout(definition_of<M>, style), instance(layout, host) {}
  M& model() { return *static_cast<M*>(instance.model()); }
  double read(std::uint32_t reference) {
    const Slot& slot = layout.slots()[reference];
    instance.refresh(slot.needs);
    double value;
    std::memcpy(&value, instance.at(slot), sizeof value);
    return value;
  }
  void start(double t = 0) {
    instance.enter_initialization(t, 10);
    instance.leave_initialization(continuous_time);
  }
  Host host;
  Layout layout;
  Instance instance;
};

TEST(Instance, ComputesNothingBeforeInitialization) {
  Running<Counting> r;
  EXPECT_EQ(r.read(4), 0);
  EXPECT_EQ(r.model().outputs_called, 0);
}

TEST(Instance, ComputesWhatIsReadAndOnlyOnce) {
  Running<Counting> r;
  r.start();
  EXPECT_EQ(r.read(4), 4.0);  // q = 4, u = 0, t = 0
  EXPECT_EQ(r.read(4), 4.0);
  EXPECT_EQ(r.model().outputs_called, 1);
  EXPECT_EQ(r.model().derivatives_called, 0);
  r.instance.set_time(2);
  EXPECT_EQ(r.read(4), 6.0);
  EXPECT_EQ(r.model().outputs_called, 2);
  EXPECT_EQ(r.read(3), -2.0);
  EXPECT_EQ(r.model().derivatives_called, 1);
}

TEST(Instance, InitializesAgainWhenAParameterChangesDuringInitialization) {
  Running<Counting> r;
  r.instance.enter_initialization(0, 1);
  EXPECT_EQ(r.read(6), 4.0);
  r.model().p = 5;
  r.instance.touch();
  EXPECT_EQ(r.read(6), 10.0);
}

TEST(Instance, RestoresExactlyWhatItSaved) {
  Running<Counting> r;
  r.start();
  std::vector<std::byte> state(r.instance.memory_size());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1e3, 1e3);
  for (int i = 0; i < 100; ++i) {
    r.model().u = number(random);
    r.model().x = number(random);
    r.instance.set_time(number(random));
    const double y = r.read(4);
    r.instance.save(state.data());
    r.model().x = number(random);
    r.instance.set_time(number(random));
    (void)r.read(3);
    r.instance.restore(state.data());
    EXPECT_EQ(r.read(4), y);
    std::vector<std::byte> again(r.instance.memory_size());
    r.instance.save(again.data());
    EXPECT_EQ(std::memcmp(again.data(), state.data(), state.size()), 0);
  }
}

TEST(Instance, DifferencesAgreeWithTheDerivativesOfTheFormulas) {
  Running<Counting> r;
  r.start();
  r.model().u = 0.7;
  r.model().x = 0.3;
  r.instance.touch();
  const std::vector<const Slot*> unknowns{&r.layout.slots()[3], &r.layout.slots()[4]};
  const std::vector<const Slot*> knowns{&r.layout.slots()[1], &r.layout.slots()[2]};
  const double seed[] = {2, -3};
  double d[2];
  r.instance.directional(unknowns, knowns, seed, d);
  // Central differences with a step of 6e-6: an error of about 1e-10.
  EXPECT_NEAR(d[0], 2 - 2 * 2 * 0.3 * -3, 1e-8);
  EXPECT_NEAR(d[1], std::sin(0.3) * 2 + std::cos(0.3) * 0.7 * -3, 1e-8);
  EXPECT_EQ(r.model().x, 0.3);
}

TEST(Instance, UsesAnalyticDerivativesWhereTheModelHasThem) {
  Running<Analytic> r;
  r.start();
  const double seed[] = {2};
  double d[3];
  r.instance.directional({&r.layout.slots()[3], &r.layout.slots()[4], &r.layout.slots()[2]}, {&r.layout.slots()[2]},
                         seed, d);
  EXPECT_EQ(d[0], 6);
  EXPECT_EQ(d[1], 1000);
  EXPECT_EQ(d[2], 2);  // a state that is also an output: the seed, not the model's value
}

TEST(Instance, DerivativesOfOutputsFollowTheStates) {
  Running<Counting> r;
  r.start();
  r.model().u = 0.5;
  r.instance.touch();
  double dy;
  r.instance.time_derivative(r.layout.slots()[4], &dy);
  // dy/dt = cos(x) u x' + 1, with x' = u - p x²
  EXPECT_NEAR(dy, std::cos(1.0) * 0.5 * (0.5 - 2) + 1, 1e-8);
  r.instance.time_derivative(r.layout.slots()[2], &dy);
  EXPECT_EQ(dy, 0.5 - 2);
}

TEST(Instance, TellsWhetherAnEventMovedTheStates) {
  Running<Jumping> r;
  r.start();
  EXPECT_FALSE(r.instance.update_event().states_changed);
  const EventOutcome second = r.instance.update_event();
  EXPECT_TRUE(second.states_changed);
  EXPECT_EQ(second.next_time, 1);
  EXPECT_TRUE(r.instance.update_event().again);
}

TEST(Instance, RefusesAnEventThatIsPast) {
  Running<Jumping> r;
  r.start();
  r.model().calls = 3;
  EXPECT_THROW(r.instance.update_event(), Failure);
}

TEST(Instance, IsAsNewAfterReset) {
  Running<Counting> r;
  std::vector<std::byte> fresh(r.instance.memory_size());
  r.instance.save(fresh.data());
  r.start(3);
  r.model().x = 9;
  (void)r.read(4);
  r.instance.reset();
  std::vector<std::byte> now(r.instance.memory_size());
  r.instance.save(now.data());
  EXPECT_EQ(std::memcmp(now.data(), fresh.data(), now.size()), 0);
}

struct Sized {
  std::uint64_t n = 2;
  std::array<double, 4> x{1, 2, 3, 4}, der_x{};
  static constexpr auto describe() {
    return declare({}, state<&Sized::x, &Sized::der_x>("states").sized_by<&Sized::n>(),
                   structural_parameter<&Sized::n>("how many"));
  }
  void derivatives() {
    for (std::size_t i = 0; i < n; ++i) der_x[i] = -x[i];
  }
};

TEST(Instance, HasAsManyStatesAsItsStructuralParametersSay) {
  Running<Sized> r(Layout::Style::arrays);
  EXPECT_EQ(r.instance.state_count(), 2u);
  r.model().n = 4;
  r.instance.leave_configuration();
  EXPECT_EQ(r.instance.state_count(), 4u);
  r.start();
  double rates[4];
  r.instance.read_rates(rates);
  EXPECT_EQ(rates[3], -4);
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0}}) {
    r.model().n = n;
    EXPECT_THROW(r.instance.leave_configuration(), Failure) << n;
  }
}

}  // namespace
}  // namespace consort::model
