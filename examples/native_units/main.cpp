// Units without FMUs: a struct, a few functions, and a model that is built in, coupled into one system.
//
// A ball bounces on a plate that hangs on a spring. The ball and a counter are built in, the plate is made of
// functions, and a struct measures the energy. Positions are heights over the plate's place at rest.
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>

#include <consort/native.hpp>
#include <consort/system.hpp>

namespace {

// The sum of the energies of a falling body of mass m.
struct Energy {
  double h = 0, v = 0;
  double total = 0;
  double m = 1, g = 9.81;

  static constexpr auto describe() {
    using M = Energy;
    using namespace consort::model;
    return declare({.description = "Energy of a falling body"}, input<&M::h>("m", "height"),
                   input<&M::v>("m/s", "velocity"), output<&M::total>("J", "potential and kinetic"),
                   parameter<&M::m>("kg", "mass"), parameter<&M::g>("m/s2", "acceleration of gravity"));
  }
  void outputs() { total = m * g * h + m * v * v / 2; }
};

// A plate on a spring and a damper, pushed by a force.
consort::Lambdas plate() {
  using consort::NativePoint;
  return {.name = "Plate",
          .states = {{.name = "z", .start = 0.1, .unit = "m"}, {.name = "w", .unit = "m/s"}},
          .inputs = {{.name = "force", .unit = "N"}},
          .outputs = {{.name = "spring", .unit = "N", .depends_on = {{"z"}}}},
          .parameters = {{.name = "m", .start = 2, .unit = "kg"},
                         {.name = "k", .start = 50, .unit = "N/m"},
                         {.name = "d", .start = 4, .unit = "N.s/m"}},
          .stop_time = 3,
          .f =
              [](const NativePoint& at, std::span<double> dx) {
                dx[0] = at.x[1];
                dx[1] = (at.u[0] - at.p[1] * at.x[0] - at.p[2] * at.x[1]) / at.p[0];
              },
          .g = [](const NativePoint& at, std::span<double> y) { y[0] = -at.p[1] * at.x[0]; }};
}

bool near(const char* what, double value, double expected, double tolerance) {
  const bool fits = std::abs(value - expected) <= tolerance;
  std::printf("%-55s %12.7g  (expected %.7g) %s\n", what, value, expected, fits ? "" : "WRONG");
  return fits;
}

bool run() {
  consort::System rig("rig");
  rig.add("ball", "model:impulse_ball", {.start_values = {{"e", "0.9"}}});
  rig.add("counter", "model:counter", {.start_values = {{"threshold", "0.5"}}});
  rig.add("plate", plate(), {.solver = "bdf"});
  rig.add("energy", consort::native<Energy>());
  rig.connect("ball.h", "counter.u").connect("ball.h", "energy.h").connect("ball.v", "energy.v");
  rig.set("plate.m", "2000", "g");
  rig.settings().tolerance = 1e-8;

  const consort::Result result = rig.run({.stop = 3, .step = 0.01});
  const auto last = result.time().size() - 1;
  // Falls of 1 m: impact at sqrt(2 / g), then flights of 2 * 0.9^n * sqrt(2 g) / g: 0.4515, 1.2642, 1.9957, 2.6541.
  bool good = near("bounces of the ball in 3 s", result["ball.bounces"][last], 4, 0);
  good &= near("energy after the second bounce in J, 9.81 * 0.9^4", result["energy.total"][150], 9.81 * 0.6561, 1e-3);
  // Heights after the bounces: 0.81, 0.656, 0.531, 0.430: three crossings of 0.5 m, the last one at 2.24 s.
  good &= near("upward crossings of 0.5 m", result["counter.count"][last], 3, 0);
  const double omega = std::sqrt(25 - 1);
  good &= near("plate after 3 s in m", result["plate.z"][last],
               0.1 * std::exp(-3.0) * (std::cos(omega * 3) + std::sin(omega * 3) / omega), 1e-6);
  return good;
}

}  // namespace

int main() {
  try {
    return run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
