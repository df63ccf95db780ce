// Runs a system of units: compiled, initialised, stepped, recorded. All at once with run(), or by hand:
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
#include "engine/progress.hpp"
#include "graph/plan.hpp"
#include "graph/run_settings.hpp"
#include "graph/system.hpp"
#include "input/table.hpp"
#include "record/sink.hpp"
#include "report/system_report.hpp"

namespace consort::engine {

// A system of one unit that is run for the unit's sake: rows have the names of its variables alone and are two at every
// event of a unit in event mode, and its state can be taken over and kept.
struct Solo {
  std::vector<std::string> variables{};       // to record, in this order; none: the outputs
  const input::InputTable* table = nullptr;   // of its inputs; must outlive the simulation
  std::vector<std::uint8_t> initial_state{};  // serialised; replaces initialization
  bool keep_final_state = false;
};

struct SimulationOptions {
  graph::RunSettings run{};
  std::vector<graph::Setting> settings{};  // by path; beat what the system says
  LibraryOptions library{};
  std::optional<Solo> solo{};
  std::string trace_file{};  // a timeline of every unit, in Chrome's trace format

  // Of run(): a checkpoint at the first communication point after every such time, the newest in the place of the one
  // before, and one more where the run is stopped on request.
  std::optional<Duration> checkpoint_every{};
  std::string checkpoint_file{};  // empty: NAME.checkpoint in the working directory
  std::string restart_from{};     // of run(): a checkpoint to go on from

  // Steps end at events of units, which then settle together; where a unit cannot go back, each settles alone and a
  // note of the report says so. Not offered to users yet.
  bool stops_at_events = false;

  std::function<void(const Progress&)> progress{};    // a few times a second
  const std::atomic<bool>* stop_requested = nullptr;  // ends the run cleanly when it becomes true
};

class Simulation {
 public:
  // Compiles and makes the units. Throws Error (input) for what is wrong with the system. `library`: for units written
  // in C++; none: files only.
  Simulation(const graph::System& system, SimulationOptions options, std::shared_ptr<Library> library = nullptr);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] const graph::Plan& plan() const;
  [[nodiscard]] Time start() const;
  [[nodiscard]] Time stop() const;
  [[nodiscard]] Duration step_size() const;

  // --- by hand, in this order; run() does all of it
  void initialize();
  [[nodiscard]] bool done() const;  // at the stop time, or a unit asked to end
  void step();                      // to the next communication point
  void terminate();                 // once; run() and the destructor do it too
  [[nodiscard]] Time time() const;
  // Of any variable of a unit, or an input connector of the system. Throws Error (input) for unknown paths.
  [[nodiscard]] Value value(std::string_view path);
  // Inputs that nothing drives, tunable parameters and the system's own input connectors, from the next step on; before
  // initialize() start values, too.
  void set(std::string_view path, const Value& value);
  void set(std::string_view path, double value);

  // A whole run in the middle, as a file: load() puts a simulation of the same system with the same settings there, and
  // steps from then on are those that would have followed, bit for bit where units serialise their whole state. load()
  // initialises what is not initialised. Throw Error (input): a unit that cannot serialise its state, what is not a
  // checkpoint, or one of something else; Error (run): a file that cannot be written.
  void save(const std::string& file);
  void load(const std::string& file);

  // Every sink gets begin, rows and end(), the last also when the run fails; then the Error goes through.
  report::SystemReport run(std::span<record::Sink* const> sinks);
  [[nodiscard]] report::SystemReport report() const;
  // After run(), of Solo::keep_final_state.
  [[nodiscard]] const std::vector<std::uint8_t>& final_state() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace consort::engine
