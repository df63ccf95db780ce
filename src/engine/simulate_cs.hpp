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
  // What is not given comes from the unit's default experiment, then from product defaults; the report says so.
  std::optional<Time> start{};
  std::optional<Time> stop{};
  std::optional<Duration> step{};
  std::optional<Duration> output_interval{};  // default: every communication point
  std::optional<double> tolerance{};

  std::vector<std::pair<std::string, std::string>> start_values{};  // name, text
  std::vector<std::string> outputs{};                               // what to record; none: the unit's outputs
  std::vector<std::uint8_t> initial_state{};                        // serialised; replaces initialization
  bool keep_final_state = false;

  std::function<void(const Progress&)> progress{};    // a few times a second
  const std::atomic<bool>* stop_requested = nullptr;  // ends the run cleanly when it becomes true
};

// Co-Simulation, as a system of this one unit (engine::Simulation). `table` may be null. Every sink gets begin, rows
// and end(), the last also when the run fails; then the unit's Error goes through. Nothing is interpolated: a step is
// cut at output points and input events when the unit takes variable steps, and otherwise the next communication point
// is recorded.
report::FmuReport simulate_cs(const graph::Component& component, const std::shared_ptr<Library>& library,
                              const SimulateOptions& options, const input::InputTable* table,
                              std::span<record::Sink* const> sinks);
// The same for a unit that is there already, and fresh.
report::FmuReport simulate_cs(unit::Unit& unit, const SimulateOptions& options, const input::InputTable* table,
                              std::span<record::Sink* const> sinks);

}  // namespace consort::engine
