// Runs that are saved in the middle and resumed: the numbers must equal those of uninterrupted runs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "engine/library.hpp"
#include "engine/simulation.hpp"
#include "graph/system.hpp"
#include "os/temp_folder.hpp"

namespace consort::engine::testing {

// Four nodes in a ring and across, one of them with two sub-steps.
inline graph::System ring(const std::string& interface) {
  graph::System system("ring");
  constexpr int units = 4;
  for (int i = 0; i < units; ++i) {
    auto& unit = system.add(fmt::format("n{}", i), std::filesystem::path(places::fmus()) / "fmi2/Node.fmu");
    unit.interface =
        interface == "me" ? describe::InterfaceType::model_exchange : describe::InterfaceType::co_simulation;
    unit.substeps = i == 1 ? 2 : 1;
  }
  for (int i = 0; i < units; ++i) {
    system.connect(fmt::format("n{}.y1", i), fmt::format("n{}.u1", (i + 1) % units));
    system.connect(fmt::format("n{}.y2", i), fmt::format("n{}.u2", (i + 2) % units), graph::Linear{2, 0.5});
  }
  return system;
}

// As text that reads back exactly.
inline std::string outputs(Simulation& s) {
  std::string all = fmt::format("{}", s.time());
  for (const auto& unit : s.plan().units)
    for (const auto id : unit.outputs.choice())
      all += " " + s.value(unit.name + "." + std::string((*unit.description)[id].name)).text();
  return all;
}

// All outputs after each of `steps` steps.
inline std::vector<std::string> go_on(Simulation& s, int steps) {
  std::vector<std::string> rows;
  for (int i = 0; i < steps; ++i) {
    s.step();
    rows.push_back(outputs(s));
  }
  return rows;
}

// Statistics of iterations and loops so far.
inline std::string efforts(const Simulation& s) {
  std::string all;
  const auto report = s.report();
  for (const auto& i : report.iterations) {
    all += fmt::format("{} {} {} {} {} {} {} {}; ", i.steps, i.iterations, i.for_jacobian, i.most, i.failures,
                       i.largest, fmt::join(i.last_to_agree, ","), fmt::join(i.residuals, ","));
  }
  for (const auto& l : report.loops)
    all += fmt::format("{} {} {} {}; ", l.solved, l.iterations, l.evaluations, l.largest_residual);
  return all;
}

inline void expect_the_same_after_a_restart(const graph::System& system, const SimulationOptions& o, int before,
                                            int after, const std::shared_ptr<Library>& library = nullptr) {
  const os::TempFolder folder;
  const std::string file = (folder.path() / "c").string();
  Simulation uninterrupted(system, o, library);
  uninterrupted.initialize();
  go_on(uninterrupted, before);
  uninterrupted.save(file);
  const auto expected = go_on(uninterrupted, after);
  Simulation restarted(system, o, library);
  restarted.load(file);
  EXPECT_EQ(go_on(restarted, after), expected);
  EXPECT_EQ(efforts(restarted), efforts(uninterrupted));
  // Load it in the same simulation.
  uninterrupted.load(file);
  EXPECT_EQ(go_on(uninterrupted, after), expected);
}

}  // namespace consort::engine::testing
