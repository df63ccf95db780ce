// Runs a system of units: compiles, initialises, steps and records it. With run(), or step by step:
//
//   Simulation s(system, {});
//   s.initialize();
//   while (!s.done()) { s.set("controller.reference", 2.0); s.step(); use(s.value("plant.y")); }
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "engine/library.hpp"
#include "engine/origin.hpp"
#include "engine/own_inputs.hpp"
#include "engine/progress.hpp"
#include "graph/document.hpp"
#include "graph/plan.hpp"
#include "graph/system.hpp"
#include "input/table.hpp"
#include "record/sink.hpp"
#include "report/system_report.hpp"
#include "unit/me_alone.hpp"

namespace consort::engine {

// Runs a system for its single unit: rows contain its variables without the unit's name, every event of a unit in event
// mode has two rows, and its state can be loaded and kept.
struct Solo {
  std::vector<std::string> variables{};      // variables to record, in this order; empty: the outputs
  const input::InputTable* table = nullptr;  // of its inputs; must outlive the simulation; null: no table
  OwnInputs inputs{};                        // inputs that it evaluates itself
  // The unit itself, if it runs ahead: its steps end only at events and at the end of the run, and it tells of rows
  // inside. Must outlive the simulation.
  unit::MeAlone* ahead = nullptr;
  std::vector<std::uint8_t> initial_state{};  // serialised; replaces initialization
  bool keep_final_state = false;
  bool hold_inputs = false;            // the unit gets no input derivatives
  std::vector<record::Fact> origin{};  // more facts for the results
};

struct SimulationOptions {
  graph::RunSettings run{};
  std::vector<graph::Setting> settings{};  // by path; override values of the system
  LibraryOptions library{};
  std::optional<Solo> solo{};
  std::string event_log{};         // every event of units and of the system, as a CSV file (system_event_log.hpp)
  std::string trace_file{};        // a timeline of every unit, in Chrome's trace format
  std::optional<Origin> origin{};  // results say where they come from; reads FMUs once more, for checksums

  // For run(): writes a checkpoint at the first communication point after each such interval, replacing the previous
  // one, and another one if the run is stopped on request.
  std::optional<Duration> checkpoint_every{};
  std::string checkpoint_file{};  // empty: NAME.checkpoint in the working directory
  std::string restart_from{};     // for run(): a checkpoint to resume from

  // For programs: as the setting `events: together`, but if a unit cannot roll back, each unit settles alone and a note
  // of the report says so.
  bool stops_at_events = false;

  std::function<void(const Progress&)> progress{};    // a few times a second
  const std::atomic<bool>* stop_requested = nullptr;  // ends the run cleanly when it becomes true
};

class Simulation {
 public:
  // Compiles the system and creates its units. Throws Error (input) if the system is invalid. `library`: for units
  // written in C++; null: only files.
  Simulation(const graph::System& system, SimulationOptions options, std::shared_ptr<Library> library = nullptr);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] const graph::Plan& plan() const;
  [[nodiscard]] Time start() const;
  [[nodiscard]] Time stop() const;
  [[nodiscard]] Duration step_size() const;

  // --- step by step, in this order; run() does all of it
  void initialize();
  [[nodiscard]] bool done() const;  // at the stop time, or a unit asked to end
  void step();                      // to the next communication point
  void terminate();                 // once; run() and the destructor call it, too
  [[nodiscard]] Time time() const;
  // The value of any variable of a unit, or of an input connector of the system. Throws Error (input) for unknown
  // paths.
  [[nodiscard]] Value value(std::string_view path);
  // Sets inputs that are not driven, tunable parameters and the system's own input connectors, from the next step on;
  // before initialize() also start values.
  void set(std::string_view path, const Value& value);
  void set(std::string_view path, double value);

  // Saves a running simulation to a file. load() resumes it in a simulation of the same system with the same settings;
  // the following steps are bit for bit the same if units serialise their whole state. load() initialises the
  // simulation if necessary. Both throw Error (input) if a unit cannot serialise its state. load() throws Error (input)
  // for a file that is not a checkpoint of this system; save() throws Error (run) if the file cannot be written.
  void save(const std::string& file);
  void load(const std::string& file);

  // Every sink gets begin, rows and end(); after a failure it gets end(), too, and the Error is passed on.
  report::SystemReport run(std::span<record::Sink* const> sinks);
  [[nodiscard]] report::SystemReport report() const;
  // After run() with Solo::keep_final_state.
  [[nodiscard]] const std::vector<std::uint8_t>& final_state() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace consort::engine
