// The largest feed-through for which an explicit coupling is stable, found by bisection and compared with theory.
#include <array>
#include <cmath>
#include <utility>

#include "coupled.hpp"

using namespace consort;

namespace {

// d1 = d2: a real pair of eigenvalues ±d of the loop; d1 = -d2: an imaginary pair.
enum class Pair { real, imaginary };
constexpr const char* name_of(Pair pair) { return pair == Pair::real ? "real" : "imaginary"; }

graph::Document with(graph::Document document, Pair pair, double d, int order) {
  document.run.extrapolation = std::to_string(order);
  document.system.settings.push_back({"first.d", fmt::format("{}", d)});
  document.system.settings.push_back({"second.d", fmt::format("{}", pair == Pair::real ? d : -d)});
  return document;
}

// Detects an instability of the coupling. It changes sign or angle in every step, but the solution hardly changes, so
// second differences separate the two.
class Ripple {
 public:
  // False if the value exceeds all bounds.
  bool add(double y) {
    const double bend = std::abs(y - 2 * last_ + before_);
    before_ = std::exchange(last_, y);
    if (++count_ > 20 && count_ <= 120) early_ = std::max(early_, bend);
    if (count_ > 900) late_ = std::max(late_, bend);
    return std::abs(y) < 1e3;
  }
  [[nodiscard]] bool grew() const { return late_ > early_; }

 private:
  int count_ = 0;
  double last_ = 0, before_ = 0, early_ = 0, late_ = 0;
};

struct Watched {
  bool bounded = true;
  bool grew = false;
};

Watched watch(const graph::Document& document) {
  engine::SimulationOptions options;
  options.run = document.run;
  engine::Simulation simulation(document.system, options);
  simulation.initialize();
  Ripple ripple;
  while (!simulation.done()) {
    simulation.step();
    if (!ripple.add(simulation.value("first.y").elements<double>()[0])) return {false, true};
  }
  return {true, ripple.grew()};
}

double limit(const graph::Document& document, Pair pair, int order) {
  double good = 0;
  double bad = 1.9;  // 2 would give a real pair of 1, whose loop has no solution
  while (bad - good > 0.005 * bad) {
    const double middle = (good + bad) / 2;
    (watch(with(document, pair, middle, order)).grew ? bad : good) = middle;
  }
  return (good + bad) / 2;
}

struct Expected {
  Pair pair;
  int order;
  double value;
};
constexpr std::array expectations{Expected{Pair::real, 0, 1.0},        Expected{Pair::real, 1, 1.0 / 3},
                                  Expected{Pair::real, 2, 1.0 / 7},    Expected{Pair::imaginary, 0, 1.0},
                                  Expected{Pair::imaginary, 1, 0.393}, Expected{Pair::imaginary, 2, 0.178}};

record::Result trajectory(const graph::Document& document) { return example::run(document).result; }

int linear_stability(const char* program, const std::filesystem::path& folder) {
  example::Figures figures;
  const auto explicit_in_u = example::read_system(program);
  fmt::print("Largest stable feed-through |d| of an explicit coupling\n");
  for (const auto& e : expectations) {
    const double found = limit(explicit_in_u, e.pair, e.order);
    figures.near(fmt::format("{} pair, inputs of order {}", name_of(e.pair), e.order), found, e.value, 0.02 * e.value);
  }

  fmt::print("\nOutputs and inputs made consistent at every communication point (the default for such units)\n");
  auto consistent = explicit_in_u;
  consistent.run.consistent = graph::Consistency::automatic;
  for (const auto pair : {Pair::real, Pair::imaginary}) {
    for (const int order : {0, 1, 2}) {
      bool all = true;
      // A real pair of 1 is a loop without a solution.
      for (const double d : {0.2, 0.5, 0.9, 1.5, 5.0}) all = all && watch(with(consistent, pair, d, order)).bounded;
      figures.check(all, fmt::format("{} pair, inputs of order {}: stable for |d| = 0.2, 0.5, 0.9, 1.5, 5",
                                     name_of(pair), order));
    }
  }

  fmt::print("\n");
  auto shown = with(explicit_in_u, Pair::imaginary, 0.40, 1);
  shown.run.stop = 1e-4;
  const std::array<std::string, 2> names{"first.y", "second.y"};
  example::write_plot(folder, "beyond_the_limit", trajectory(shown), names,
                      "Imaginary pair, order 1, |d| = 0.40: beyond the limit of 0.393");
  shown.run.consistent = graph::Consistency::automatic;
  example::write_plot(folder, "consistent", trajectory(shown), names, "The same with consistent outputs");
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_example(argc, argv,
                              [&](const std::filesystem::path& folder) { return linear_stability(argv[0], folder); });
}
