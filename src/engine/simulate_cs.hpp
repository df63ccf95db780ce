// Runs one unit from start to stop: inputs from a table, rows to sinks.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "engine/library.hpp"
#include "engine/progress.hpp"
#include "graph/system.hpp"
#include "input/table.hpp"
#include "record/sink.hpp"
#include "report/fmu_report.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

struct SimulateOptions {
  // Values that are not given come from the unit's default experiment, else from defaults; the report lists them.
  std::optional<Time> start{};
  std::optional<Time> stop{};
  std::optional<Duration> step{};
  std::optional<Duration> output_interval{};  // default: every communication point
  std::optional<double> tolerance{};

  std::vector<std::pair<std::string, std::string>> start_values{};  // name, text
  std::vector<std::string> outputs{};                               // variables to record; empty: the unit's outputs
  std::vector<std::uint8_t> initial_state{};                        // serialised; replaces initialization
  bool keep_final_state = false;
  bool hold_inputs = false;  // the unit gets no input derivatives; inputs are held at their mean over each step
  std::vector<record::Fact> origin{};  // facts for results (engine/origin.hpp)

  std::function<void(const Progress&)> progress{};    // a few times a second
  const std::atomic<bool>* stop_requested = nullptr;  // ends the run cleanly when it becomes true
};

// Co-Simulation, as a system with this one unit (engine::Simulation). `table` may be null. Every sink gets begin, rows
// and end(); after a failure it gets end(), too, and the unit's Error is passed on. Rows are not interpolated: if the
// unit takes variable steps, steps end at output points and input events; otherwise the next communication point is
// recorded.
report::FmuReport simulate_cs(const graph::Component& component, const std::shared_ptr<Library>& library,
                              const SimulateOptions& options, const input::InputTable* table,
                              std::span<record::Sink* const> sinks);
// The same for an existing, fresh unit.
report::FmuReport simulate_cs(unit::Unit& unit, const SimulateOptions& options, const input::InputTable* table,
                              std::span<record::Sink* const> sinks);

}  // namespace consort::engine
