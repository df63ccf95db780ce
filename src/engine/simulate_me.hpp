// Runs one Model Exchange FMU with a solver chosen by name, as a system with this one unit (engine::Simulation): events
// located on the solver's dense output, rows on a grid and two at every event.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "engine/simulate_cs.hpp"
#include "fmi/instance.hpp"

namespace consort::engine {

struct MeOptions {
  std::string solver = "cvode";       // by name
  std::filesystem::path event_log{};  // a CSV file with every event; empty: no log
};

// Like simulate_cs(), for a fresh instance. `options.step` is the largest step of the solver (none: no limit),
// `options.output_interval` the time between rows. The report includes the solver's statistics. A saved state includes
// the solver: the run resumes exactly if the solver's restart is exact, otherwise the solver starts anew.
report::FmuReport simulate_me(std::unique_ptr<fmi::ModelExchange> instance, const describe::Description& description,
                              const SimulateOptions& options, const MeOptions& me, const input::InputTable* table,
                              std::span<record::Sink* const> sinks);

}  // namespace consort::engine
