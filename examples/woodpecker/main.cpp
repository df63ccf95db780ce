// The woodpecker toy (Andersson, 5.1): a hybrid DAE with three states of the sleeve, solved by IDA.
//
// The sleeve is free (state 1), or blocked against the bar in one of two ways (states 2 and 3). A blocked sleeve does
// not move: z'' = phi_S'' = 0, and two multipliers carry the load. The printed equations are corrected here: l_G in the
// free equation of the bird, J_B + m_B l_G^2 in the impact, and state 3 is left only while the bird swings back.
#include <algorithm>
#include <array>
#include <cmath>

#include "../example.hpp"
#include "solve/integrate.hpp"
#include "solve/solvers.hpp"

using namespace consort;
using namespace consort::solve;

namespace {

// Andersson, table 5.1, in SI units.
constexpr double m_S = 3.0e-4;
constexpr double m_B = 4.5e-3;
constexpr double J_S = 5.0e-9;
constexpr double J_B = 7.0e-7;
constexpr double r_0 = 2.5e-3;
constexpr double r_S = 3.1e-3;
constexpr double h_S = 5.8e-3;
constexpr double l_S = 1.0e-2;
constexpr double l_G = 1.5e-2;
constexpr double l_B = 2.01e-2;
constexpr double h_B = 2.0e-2;
constexpr double c_P = 5.6e-3;
constexpr double g = 9.81;
constexpr double M_B = J_B + m_B * l_G * l_G;

enum Component : std::size_t { z, phi_S, phi_B, z_rate, phi_S_rate, phi_B_rate, lambda_1, lambda_2 };
enum State : std::size_t { free, blocked_2, blocked_3 };  // indices of the switches
enum Root : std::size_t { reaches_lower, reaches_upper, unloaded, beak };

void residual(Time, ConstVector y, ConstVector ydot, Vector r, const Switches& on) {
  const double a_z = ydot[z_rate];
  const double a_S = ydot[phi_S_rate];
  const double a_B = ydot[phi_B_rate];
  r[0] = ydot[z] - y[z_rate];
  r[1] = ydot[phi_S] - y[phi_S_rate];
  r[2] = ydot[phi_B] - y[phi_B_rate];
  const double sign = on[blocked_2] ? 1 : on[blocked_3] ? -1 : 0;
  const double load = on[free] ? 0 : 1;
  r[3] = (m_S + m_B) * a_z + m_B * l_S * a_S + m_B * l_G * a_B + (m_S + m_B) * g + load * y[lambda_2];
  r[4] = m_B * l_S * a_z + (J_S + m_B * l_S * l_S) * a_S + m_B * l_S * l_G * a_B - c_P * (y[phi_B] - y[phi_S]) +
         m_B * l_S * g + sign * h_S * y[lambda_1] + load * r_S * y[lambda_2];
  r[5] = m_B * l_G * a_z + m_B * l_S * l_G * a_S + M_B * a_B - c_P * (y[phi_S] - y[phi_B]) + m_B * l_G * g;
  r[6] = on[free] ? y[lambda_1] : a_S;
  r[7] = on[free] ? y[lambda_2] : a_z;
}

// Root functions of events that cannot occur in the current state have a constant value other than zero.
void roots(Time, ConstVector y, Vector value, const Switches& on) {
  value[reaches_lower] = on[free] ? h_S * y[phi_S] + (r_S - r_0) : 1;
  value[reaches_upper] = on[free] ? h_S * y[phi_S] - (r_S - r_0) : -1;
  value[unloaded] = on[free] ? 1 : y[lambda_1];
  value[beak] = h_B * y[phi_B] - l_S - l_G + l_B + r_0;
}

void block(EventState& state, State how) {
  state.switches[free] = false;
  state.switches[how] = true;
  state.y[phi_B_rate] += (m_B * l_G * state.y[z_rate] + m_B * l_S * l_G * state.y[phi_S_rate]) / M_B;
  state.y[z_rate] = 0;
  state.y[phi_S_rate] = 0;
}

void release(EventState& state) {
  for (const auto how : {blocked_2, blocked_3}) state.switches[how] = false;
  state.switches[free] = true;
}

class Woodpecker {
 public:
  [[nodiscard]] const std::vector<Time>& impacts() const { return impacts_; }

  [[nodiscard]] Dae problem() {
    return {.y0 = {0, -0.1, -0.65, 0, 0, 0, 0, 0},
            .ydot0 = std::vector<double>(8),
            .residual = residual,
            .differential = {true, true, true, true, true, true, false, false},
            .events = {.root_count = 4,
                       .roots = roots,
                       .directions = {Direction::falling, Direction::rising, Direction::both, Direction::rising},
                       .switches = {false, true, false},
                       .handle = [this](const EventInfo& info, EventState& state) { handle(info, state); }},
            .components = {.names = {"z", "phi_S", "phi_B", "z'", "phi_S'", "phi_B'", "lambda_1", "lambda_2"}}};
  }

 private:
  void handle(const EventInfo& info, EventState& state) {
    const auto& on = state.switches;
    const double swing = state.y[phi_B_rate];
    if (on[free] && info.roots[reaches_lower] != 0 && swing < 0) {
      block(state, blocked_2);
    } else if (on[free] && info.roots[reaches_upper] != 0 && swing > 0) {
      block(state, blocked_3);
    } else if (info.roots[unloaded] != 0 && (on[blocked_2] || (on[blocked_3] && swing < 0))) {
      release(state);
    } else if (info.roots[beak] != 0 && on[blocked_3] && swing > 0) {
      state.y[phi_B_rate] = -swing;
      impacts_.push_back(info.t);
    }
  }

  std::vector<Time> impacts_;
};

int run(const std::filesystem::path& folder) {
  Woodpecker bird;
  const Dae dae = bird.problem();
  const auto solver = make_solver("ida", dae, {.rtol = 1e-8, .atol = {1e-9}, .correct_initial_values = true});
  example::Figures figures;
  figures.near("phi_B''(0)", solver->state_derivative()[phi_B_rate], 1411.9, 0.1);
  figures.near("lambda_1(0)", solver->state()[lambda_1], -0.6954, 1e-4);
  figures.near("lambda_2(0)", solver->state()[lambda_2], -0.1424, 1e-4);

  example::Table table(
      {{.name = "height", .unit = "mm"}, {.name = "sleeve", .unit = "rad"}, {.name = "bird", .unit = "rad"}});
  const auto add = [&](const OutputRow& row) {
    table.add(row.t, std::array{1e3 * row.y[z], row.y[phi_S], row.y[phi_B]});
  };
  const auto report = integrate(*solver, dae.events, {.stop = 1, .interval = 1e-3, .output = add});
  fmt::print("IDA: {} steps, {} evaluations, {} events\n", report.statistics.steps, report.statistics.evaluations,
             report.state_events);

  constexpr std::array expected{0.0429, 0.1309, 0.2193, 0.3079, 0.3967, 0.4857, 0.5748, 0.6640, 0.7532, 0.8425, 0.9318};
  const auto& impacts = bird.impacts();
  figures.check(std::count_if(impacts.begin(), impacts.end(), [](Time t) { return t <= 0.16; }) == 2,
                "2 impacts of the beak in 0.16 s");
  figures.check(impacts.size() == expected.size(),
                fmt::format("{} impacts of the beak in 1 s, expected 11", impacts.size()));
  for (std::size_t i = 0; i < std::min(impacts.size(), expected.size()); ++i) {
    figures.near(fmt::format("impact {:2}", i + 1), impacts[i], expected[i], 1e-3);
  }
  figures.near("z(1) in mm", 1e3 * report.y[z], -9.853, 0.01 * 9.853);
  table.write(folder, "woodpecker", "Woodpecker toy");
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) { return example::run_example(argc, argv, run); }
