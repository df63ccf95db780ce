// Runs one Model Exchange FMU with a solver chosen by name: events located on its dense output, rows on a grid and at
// events.
#pragma once

#include <span>
#include <string>

#include "engine/simulate.hpp"
#include "fmi/instance.hpp"

namespace consort::engine {

// As simulate(), for a fresh instance. `options.step` is the largest step that the solver may take (none: no limit),
// `options.output_interval` the time between rows. The report has the solver's statistics among its facts.
RunReport simulate_me(fmi::ModelExchange& instance, const describe::Description& description,
                      const SimulateOptions& options, const std::string& solver, const input::InputTable* table,
                      std::span<record::Sink* const> sinks);

}  // namespace consort::engine
