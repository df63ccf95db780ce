#include "model/built_in.hpp"

#include <algorithm>
#include <array>

#include "models/bouncing_ball.hpp"
#include "models/clutch.hpp"
#include "models/counter.hpp"
#include "models/coupled_mass.hpp"
#include "models/cubic_mass.hpp"
#include "models/dahlquist.hpp"
#include "models/impulse_ball.hpp"
#include "models/one_mass.hpp"
#include "models/pendulum.hpp"
#include "models/pendulum_cartesian.hpp"
#include "models/pid_controller.hpp"
#include "models/quadratic_mass.hpp"
#include "models/quarter_car.hpp"
#include "models/quarter_car_chassis.hpp"
#include "models/quarter_car_wheel.hpp"
#include "models/relay.hpp"
#include "models/sampled_pi.hpp"
#include "models/stair.hpp"
#include "models/two_mass.hpp"
#include "models/van_der_pol.hpp"

namespace consort::model {

namespace {

constexpr auto rows = std::to_array<BuiltIn>({
    {"bouncing_ball", "BouncingBall", &definition_of<BouncingBall>},
    {"clutch", "Clutch", &definition_of<Clutch>},
    {"counter", "Counter", &definition_of<Counter>},
    {"coupled_mass", "CoupledMass", &definition_of<CoupledMass>},
    {"cubic_mass", "CubicMass", &definition_of<CubicMass>},
    {"dahlquist", "Dahlquist", &definition_of<Dahlquist>},
    {"impulse_ball", "ImpulseBall", &definition_of<ImpulseBall>},
    {"one_mass", "OneMass", &definition_of<OneMass>},
    {"pendulum", "Pendulum", &definition_of<Pendulum>},
    {"pendulum_cartesian", "PendulumCartesian", &definition_of<PendulumCartesian>},
    {"pid_controller", "PidController", &definition_of<PidController>},
    {"quadratic_mass", "QuadraticMass", &definition_of<QuadraticMass>},
    {"quarter_car", "QuarterCar", &definition_of<QuarterCar>},
    {"quarter_car_chassis", "QuarterCarChassis", &definition_of<QuarterCarChassis>},
    {"quarter_car_wheel", "QuarterCarWheel", &definition_of<QuarterCarWheel>},
    {"relay", "Relay", &definition_of<Relay>},
    {"sampled_pi", "SampledPi", &definition_of<SampledPi>},
    {"stair", "Stair", &definition_of<Stair>},
    {"two_mass", "TwoMass", &definition_of<TwoMass>},
    {"van_der_pol", "VanDerPol", &definition_of<VanDerPol>},
});

}  // namespace

std::span<const BuiltIn> built_in_models() { return rows; }

const BuiltIn* find_built_in(std::string_view name) {
  const auto* const found =
      std::find_if(rows.begin(), rows.end(), [&](const BuiltIn& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace consort::model
