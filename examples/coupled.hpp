// Helpers for examples of coupled systems: read a system file, run it with other settings, keep results in memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "draw/plot.hpp"
#include "engine/simulation.hpp"
#include "engine/system_files.hpp"
#include "example.hpp"
#include "record/result.hpp"

namespace consort::example {

// In the build tree, the system files of an example are next to its program, and the FMUs are two folders above.
inline graph::Document read_system(const char* program, const std::string& file = "system.yaml") {
  return engine::read_system_file(std::filesystem::path(program).parent_path() / file);
}

struct Outcome {
  record::Result result;
  report::SystemReport report;

  // The last recorded value of a variable.
  [[nodiscard]] double last(std::string_view name) const { return result[name].numbers.back(); }
};

inline Outcome run(const graph::Document& document) {
  Outcome outcome;
  engine::SimulationOptions options;
  options.run = document.run;
  engine::Simulation simulation(document.system, options);
  record::MemorySink memory(outcome.result);
  record::Sink* const sinks[] = {&memory};
  outcome.report = simulation.run(sinks);
  return outcome;
}

// The largest distance between two trajectories, which must be recorded at the same times.
inline double distance(const Outcome& a, std::string_view name_in_a, const Outcome& b, std::string_view name_in_b) {
  const auto& x = a.result[name_in_a].numbers;
  const auto& y = b.result[name_in_b].numbers;
  require(x.size() == y.size(), "the runs have {} and {} rows; use the same output interval", x.size(), y.size());
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}

inline void write_picture(const std::filesystem::path& folder, const std::string& name, const std::string& svg) {
  std::filesystem::create_directories(folder);
  const auto file = folder / (name + ".svg");
  std::ofstream out(file);
  out << svg;
  if (!out.flush()) throw run_error("{}: cannot be written; check the folder and the disk", file.string());
  fmt::print("wrote {}\n", file.string());
}

inline void write_plot(const std::filesystem::path& folder, const std::string& name, const record::Result& result,
                       std::span<const std::string> signals, const std::string& title) {
  write_picture(folder, name, draw::plot_svg(result, signals, {.title = title}));
}

}  // namespace consort::example
