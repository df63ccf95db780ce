// Compares a car in five units with 172 connections with the same car as a single model.
#include <array>

#include "coupled.hpp"

using namespace consort;

namespace {

example::Outcome coupled(graph::Document document, double step, bool model_exchange) {
  document.run.step = step;
  if (model_exchange) {
    for (auto& unit : document.system.components) {
      unit.interface = describe::InterfaceType::model_exchange;
      unit.solver = "dopri5";
    }
    document.run.tolerance = 1e-6;
  }
  return example::run(document);
}

double apart(const example::Outcome& units, const example::Outcome& whole) {
  double largest = 0;
  for (const auto* name : {"r[1]", "r[2]", "r[3]"})
    largest = std::max(largest,
                       example::distance(units, fmt::format("chassis.{}", name), whole, fmt::format("car.{}", name)));
  return largest;
}

void add(record::Result& to, const record::Result& from, const std::string& name, const std::string& as) {
  auto trajectory = from[name];
  trajectory.signal.name = as;
  to.time = from.time;
  to.trajectories.push_back(std::move(trajectory));
}

int vehicle(const char* program, const std::filesystem::path& folder) {
  example::Figures figures;
  const auto document = example::read_system(program);
  figures.check(document.system.connections.size() == 172,
                fmt::format("{} connections between {} units", document.system.connections.size(),
                            document.system.components.size()));
  const auto whole = example::run(example::read_system(program, "whole.yaml"));
  const auto& y = whole.result["car.r[2]"].numbers;
  fmt::print("weaving for 5 s: to x = {:.1f} m, between y = {:.1f} m and {:.1f} m, at up to {:.1f} m/s\n\n",
             whole.last("car.r[1]"), *std::min_element(y.begin(), y.end()), *std::max_element(y.begin(), y.end()),
             whole.last("car.v[1]"));

  fmt::print("Largest distance of the body's position from that of the single model, over 5 s\n");
  const auto coarse = coupled(document, 2e-3, false);
  const auto fine = coupled(document, 1e-3, false);
  const auto exchange = coupled(document, 1e-3, true);
  const double with_2ms = apart(coarse, whole), with_1ms = apart(fine, whole), as_me = apart(exchange, whole);
  figures.check(with_1ms < 0.05, fmt::format("co-simulation, 1 ms: {:.2e} m", with_1ms));
  figures.check(with_2ms / with_1ms > 1.6 && with_2ms / with_1ms < 2.6,
                fmt::format("co-simulation, 2 ms: {:.2e} m, {:.2f} times as much (first order: 2)", with_2ms,
                            with_2ms / with_1ms));
  figures.check(as_me < 0.05, fmt::format("Model Exchange with a solver per unit, 1 ms: {:.2e} m", as_me));

  fmt::print("\n");
  record::Result both;
  add(both, whole.result, "car.r[2]", "y, one piece");
  add(both, fine.result, "chassis.r[2]", "y, five units");
  add(both, fine.result, "chassis.attitude[1]", "roll");
  add(both, fine.result, "chassis.steer", "steering");
  example::write_plot(folder, "vehicle", both, {}, "A weaving car: five units with 172 connections");
  return figures.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_example(argc, argv,
                              [&](const std::filesystem::path& folder) { return vehicle(argv[0], folder); });
}
