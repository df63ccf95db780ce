// Two pendula under one solver: as FMUs, as native models and mixed, against one model; then between walls.
#include <array>
#include <functional>

#include "coupled.hpp"

using namespace consort;

namespace {

using States = std::array<double, 4>;  // theta and omega of the left and the right pendulum
constexpr const char* names[] = {"left.theta", "left.omega", "right.theta", "right.omega"};

enum class Kind { fmus, native, mixed };
constexpr std::pair<Kind, const char*> kinds[] = {
    {Kind::fmus, "two FMUs"}, {Kind::native, "two native models"}, {Kind::mixed, "an FMU and a native model"}};

graph::Document pair_of(const char* program, const char* file, Kind kind) {
  auto document = example::read_system(program, file);
  for (auto& unit : document.system.components)
    if (kind == Kind::native || (kind == Kind::mixed && unit.name == "right")) unit.source = "model:pendulum";
  return document;
}

// --- one model: the equations of both pendula, by the classical Runge-Kutta method with small steps

States rates(double t, const States& s, double mirror) {
  const double stretch_x = (-2 + std::sin(s[0])) - (2 + std::sin(s[2])) + (1 - mirror) * std::sin(t);
  const double stretch_y = -std::cos(s[0]) + std::cos(s[2]);
  const auto turn = [](double theta, double f_x, double f_y, double pivot) {
    return (f_x + pivot) * std::cos(theta) + (f_y - 9.81) * std::sin(theta);
  };
  return {s[1], turn(s[0], -stretch_x, -stretch_y, std::sin(t)), s[3],
          turn(s[2], stretch_x, stretch_y, mirror * std::sin(t))};
}

States step(double t, const States& s, double h, double mirror) {
  const auto moved = [&](const States& k, double by) {
    States to = s;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += by * k[i];
    return to;
  };
  const auto k1 = rates(t, s, mirror);
  const auto k2 = rates(t + h / 2, moved(k1, h / 2), mirror);
  const auto k3 = rates(t + h / 2, moved(k2, h / 2), mirror);
  const auto k4 = rates(t + h, moved(k3, h), mirror);
  States to = s;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  return to;
}

// The largest distance of a run from the single model over all rows.
double distance_from_one_model(const example::Outcome& outcome, double mirror) {
  constexpr int steps_per_row = 100;
  const double quarter = std::acos(-1.0) / 2;
  States s{quarter, 0, -quarter, 0};
  double largest = 0;
  const auto& time = outcome.result.time;
  for (std::size_t row = 0; row < time.size(); ++row) {
    if (row > 0) {
      const double h = (time[row] - time[row - 1]) / steps_per_row;
      for (int i = 0; i < steps_per_row; ++i) s = step(time[row - 1] + i * h, s, h, mirror);
    }
    for (std::size_t i = 0; i < s.size(); ++i)
      largest = std::max(largest, std::abs(outcome.result[names[i]].numbers[row] - s[i]));
  }
  return largest;
}

void moving_pivots(const char* program, const std::filesystem::path& folder, example::Figures& figures) {
  const std::pair<double, States> cases[] = {{1, {-0.91921176, -1.31423156, 0.6057906, 1.32913196}},
                                             {-1, {-0.63276769, -1.61895287, 0.63276769, 1.61895287}}};
  for (const auto& [mirror, expected] : cases) {
    fmt::print("\nPivots that move {}, tolerance 1e-8, 5 s\n", mirror > 0 ? "alike" : "against each other");
    for (const auto& [kind, text] : kinds) {
      auto document = pair_of(program, "system.yaml", kind);
      document.system.settings.push_back({"mirror", fmt::format("{}", mirror)});
      const auto outcome = example::run(document);
      double off = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        off = std::max(off, std::abs(outcome.last(names[i]) - expected[i]));
      figures.check(off <= 1e-5, fmt::format("{}: values at the end, off by {:.1e}, at most 1e-5", text, off));
      const double distance = distance_from_one_model(outcome, mirror);
      figures.check(distance <= 1e-5, fmt::format("{}: distance from one model {:.1e}, at most 1e-5", text, distance));
      if (kind == Kind::mixed) {
        const std::string angles[] = {"left.theta", "right.theta"};
        example::write_plot(folder, mirror > 0 ? "alike" : "mirrored", outcome.result, angles,
                            mirror > 0 ? "Pivots that move alike" : "Pivots that move against each other");
      }
    }
  }
}

// --- walls

// The times at which the angular velocity changes its sign at a wall, from the last row before each: free motion with
// the acceleration of the last two rows.
std::vector<double> impacts(const example::Outcome& outcome, const std::string& unit, double wall) {
  const auto& t = outcome.result.time;
  const auto& x = outcome.result[unit + ".x"].numbers;
  const auto& v = outcome.result[unit + ".v_x"].numbers;
  std::vector<double> times;
  for (std::size_t i = 1; i + 1 < t.size(); ++i) {
    const double h = t[i + 1] - t[i];
    const bool turns = v[i] * v[i + 1] < 0 && std::abs(v[i + 1] - v[i]) > 0.5;
    if (!turns) continue;
    const double a = (v[i] - v[i - 1]) / (t[i] - t[i - 1]);
    double tau = (wall - x[i]) / v[i];
    for (int k = 0; k < 5; ++k) tau = (wall - x[i]) / (v[i] + a * tau / 2);
    if (tau >= -1e-9 && tau <= h + 1e-9) times.push_back(t[i] + tau);
  }
  return times;
}

void between_walls(const char* program, const std::filesystem::path& folder, example::Figures& figures) {
  const std::vector<double> left = {0.618559, 1.852925, 3.075367, 4.280139};
  const std::vector<double> right = {0.706324, 2.113591, 3.503137, 4.875953};
  for (const auto& [kind, text] : kinds) {
    fmt::print("\nWalls at the left and at the right, {}\n", text);
    const auto outcome = example::run(pair_of(program, "walls.yaml", kind));
    const auto check = [&](const char* side, const std::vector<double>& found, const std::vector<double>& expected) {
      figures.check(found.size() == expected.size(), fmt::format("{} impacts at the {}", found.size(), side));
      for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
        figures.near(fmt::format("{}, impact {} in s", side, i + 1), found[i], expected[i], 1e-5);
    };
    check("left", impacts(outcome, "left", -2), left);
    check("right", impacts(outcome, "right", 2.3), right);
    if (kind == Kind::mixed) {
      const std::string places[] = {"left.theta", "right.theta"};
      example::write_plot(folder, "walls", outcome.result, places, "Two pendula between elastic walls");
    }
  }
}

int pendula(const char* program, const std::filesystem::path& folder) {
  example::Figures figures;
  moving_pivots(program, folder, figures);
  between_walls(program, folder, figures);
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_example(argc, argv,
                              [&](const std::filesystem::path& folder) { return pendula(argv[0], folder); });
}
