// Runs one Model Exchange FMU with a solver chosen by name: events located on its dense output, rows on a grid and at
// events.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "engine/simulate_cs.hpp"
#include "fmi/instance.hpp"

namespace consort::engine {

struct MeOptions {
  std::string solver = "cvode";       // by name
  std::filesystem::path event_log{};  // a CSV file with every event; none: no log
};

// As simulate_cs(), for a fresh instance. `options.step` is the largest step that the solver may take (none: no limit),
// `options.output_interval` the time between rows. The report has the solver's statistics among its facts. A saved
// state has the solver in it: the run goes on exactly with solvers whose restart is exact, and with a new start of the
// solver otherwise.
report::FmuReport simulate_me(fmi::ModelExchange& instance, const describe::Description& description,
                              const SimulateOptions& options, const MeOptions& me, const input::InputTable* table,
                              std::span<record::Sink* const> sinks);

}  // namespace consort::engine
