// The implementation of a simulation, in several files: simulation.cpp creates it and takes steps, simulation_run.cpp
// is the loop of a run, simulation_values.cpp gets and sets variables, simulation_checkpoints.cpp saves and loads,
// simulation_report.cpp makes the report, simulation_solo.cpp is for a unit that runs alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "couple/consistency.hpp"
#include "couple/event_iteration.hpp"
#include "couple/point.hpp"
#include "couple/run_state.hpp"
#include "couple/sampled_inputs.hpp"
#include "engine/experiment.hpp"
#include "engine/external_inputs.hpp"
#include "engine/initialize.hpp"
#include "engine/scenario.hpp"
#include "engine/simulation.hpp"
#include "engine/system_event_log.hpp"
#include "engine/system_recorder.hpp"
#include "engine/table_feed.hpp"
#include "engine/tables_read.hpp"
#include "fleet/timeline.hpp"
#include "graph/compile.hpp"
#include "graph/files.hpp"
#include "report/growth_watch.hpp"
#include "step/controller.hpp"
#include "step/stepper.hpp"

namespace consort::engine {

using graph::UnitId;

class Simulation::Impl {
 public:
  Impl(const graph::System& system, SimulationOptions options, std::shared_ptr<Library> library);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] const graph::Plan& plan() const { return plan_; }
  [[nodiscard]] const SystemExperiment& experiment() const { return experiment_; }
  [[nodiscard]] Time time() const { return state_.t; }

  // --- the run
  void initialize();
  [[nodiscard]] bool done() const { return !report_.ended_early.empty() || state_.t >= experiment_.last - near_end_; }
  void step();
  void terminate();
  report::SystemReport run(std::span<record::Sink* const> sinks);
  [[nodiscard]] report::SystemReport report() const;
  [[nodiscard]] const std::vector<std::uint8_t>& final_state() const { return final_state_; }

  // --- checkpoints
  void save(const std::string& file, std::uint64_t rows, std::string last_row);
  struct Recorded {
    std::uint64_t rows = 0;
    std::string last_row{};
  };
  Recorded load(const std::string& file);  // returns the rows recorded before

  // --- values
  Value value(std::string_view path);
  void set(std::string_view path, const Value& value);
  [[nodiscard]] Type type_of_path(std::string_view path) const;

 private:
  using Clock = std::chrono::steady_clock;
  class Checkpoints;
  class Look;

  static double seconds_since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  void advance(Time limit);  // one step, at most to `limit`
  graph::Plan compile(const graph::System& system);
  void make_fleet(unsigned threads);
  void read_tables(bool polynomials);
  void make_coupling();
  // True if units settle events together. Throws Error (input) if they are to, but cannot.
  [[nodiscard]] bool settles_together() const;
  void make_events();
  void log_inner_events(Time begin);
  void choose_consistency();
  void feed_from_table();
  // For a unit that runs alone: the outputs that steps read, for rows at every communication point.
  [[nodiscard]] graph::WantedVariable read_by_steps() const;
  void check_states() const;
  void take_over_state();
  // For a unit that runs alone in event mode: true if there is an event to settle after the step from `begin`. `jump`:
  // the table's next event at that time.
  [[nodiscard]] bool has_event(Time begin, Time jump) const;
  void settle_event();
  [[nodiscard]] bool runs_ahead() const { return o_.solo && o_.solo->ahead != nullptr; }
  unit::StepOutcome run_ahead(Time limit);
  [[nodiscard]] Time next_event() const;
  void end_early();
  // names: of output elements
  void warn_of_growth(const report::GrowthWatch& watch, const std::vector<std::string>& names);
  void begin_recording(SystemRecorder& recorder);
  void require_serialization() const;
  const std::string& identity();
  void set_running(UnitId u, const describe::Variable& v, const describe::SignalSet& set, Columns& values);
  [[nodiscard]] const graph::ExternalSignal* find_external(std::string_view name) const;
  void add_trust(report::SystemReport& r) const;
  void add_iterations(report::SystemReport& r) const;
  [[nodiscard]] std::vector<bool> late_units(const std::vector<bool>& takes_part) const;
  void note_late_units();
  void note_partial_rollback(report::SystemReport& r) const;
  void warn_of_clocks();
  void note_inexact_restart();
  void describe_run(const graph::System& system, unsigned threads);
  [[nodiscard]] std::vector<record::Fact> facts() const;
  [[nodiscard]] std::vector<std::string> unit_names() const;

  Clock::time_point begun_;
  SimulationOptions o_;
  std::shared_ptr<Library> library_;
  report::SystemReport report_;
  graph::Plan plan_;
  SystemExperiment experiment_;
  std::unique_ptr<fleet::Timeline> timeline_;
  std::vector<std::unique_ptr<fleet::Host>> hosts_;
  std::unique_ptr<fleet::Fleet> fleet_;
  bool announces_events_ = false;  // true if a unit announces events
  bool stays_at_events_ = false;   // a unit runs alone in event mode; its events are settled between rows
  couple::RunState state_;
  Scenario scenario_;
  std::vector<graph::FileUse> files_;
  TablesRead tables_;
  std::vector<ExternalInputs> inputs_;
  TableFeed feed_;  // for a unit that runs alone
  couple::PowerBonds bonds_;
  couple::SampledInputs sampled_;
  couple::SystemEvents system_events_;
  std::unique_ptr<couple::Point> point_;
  std::unique_ptr<couple::EventIteration> events_;  // null: only units have events, which they handle in their steps
  std::unique_ptr<SystemEventLog> event_log_;
  std::vector<std::uint64_t> logged_;  // by unit: events that it handled alone, if there is a log
  bool together_ = false;              // units settle events together
  std::unique_ptr<step::Stepper> stepper_;
  std::unique_ptr<step::Controller> controller_;
  std::vector<bool> is_late_;  // by unit: direct feed-through uses the inputs of the step
  fleet::Timeline::Activity recording_;
  couple::Slot<report::GrowthWatch> growth_;
  std::string identity_;                      // for checkpoints
  std::vector<record::Fact> origin_;          // facts of SimulationOptions::origin
  std::optional<fleet::SnapshotId> saved_{};  // for checkpoints; none if a unit cannot save its state
  std::unique_ptr<Initialization> initialization_;
  Duration near_end_ = 0;          // the run ends this much before its last communication point
  double waited_ = 0;              // s, waiting for real time
  std::uint64_t began_steps_ = 0;  // steps of each unit before the checkpoint
  bool all_vary_ = false;
  bool cuts_at_events_ = false;  // steps may have to end earlier than the controller wants
  bool varies_ = false;          // steps are not equal
  bool initialized_ = false;
  bool terminated_ = false;
  std::vector<std::uint8_t> final_state_;
};

}  // namespace consort::engine
