// Writes rows of a system: outputs of units from the signals; other variables are read from the units.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "couple/error_estimate.hpp"
#include "couple/run_state.hpp"
#include "fleet/fleet.hpp"
#include "graph/plan.hpp"
#include "record/sink.hpp"

namespace consort::engine {

// Signals of the step size control, in a group "trust": the size of the step that led to the row, its error relative to
// the tolerance, the number of rejected steps so far, and the unit that limits the step (counted from 1); the estimated
// error of each output only if requested by name.
struct TrustSignals {
  bool varies = false;  // false: no signals
  std::span<const couple::EstimatedOutput> estimated{};
};

// Variables of the only unit of a plan, recorded under their own names (engine/recorded_variables.hpp).
struct UnitVariables {
  std::span<const std::string> names{};
};

class SystemRecorder {
 public:
  // `patterns`: paths with * and ?; empty: all outputs, external signals and connectors of the system. Throws Error
  // (input) for a pattern without a match.
  SystemRecorder(const graph::Plan& plan, std::span<const std::string> patterns, std::span<record::Sink* const> sinks,
                 const TrustSignals& trust = {});
  SystemRecorder(const graph::Plan& plan, const UnitVariables& variables, std::span<record::Sink* const> sinks);
  ~SystemRecorder();  // ends sinks that end() did not end
  SystemRecorder(const SystemRecorder&) = delete;
  SystemRecorder& operator=(const SystemRecorder&) = delete;

  // Call it when the units are initialised, before begin(): variables that a unit refuses to read are left out.
  void leave_out_unreadable(fleet::Fleet& fleet);
  void begin(std::vector<record::Fact> facts);
  // Replaces begin() when a run is resumed: appends to the first `rows` rows of the sinks; `last_row` is the last of
  // them. Returns false if the sinks have no rows and are begun instead.
  bool resume(std::vector<record::Fact> facts, std::uint64_t rows, const std::string& last_row);
  // The last row as bytes for a checkpoint; empty if it is not known.
  [[nodiscard]] std::string last_row() const;
  // `tables` is called once, when recording ends: tables about the whole run.
  void set_tables(std::function<std::vector<record::Table>()> tables) { tables_ = std::move(tables); }
  // True if step sizes are among the signals.
  [[nodiscard]] bool has_trust() const { return !trust_.empty(); }
  void flush();
  void write(Time t, fleet::Fleet& fleet, const couple::RunState& state);
  // A row of the only unit of a plan that reads no outputs with its steps.
  void write(Time t, unit::Variables& unit);
  // Writes rows at the sub-steps of units inside the last step, from `begin` to `end`. Values of other units and of
  // variables that are not outputs stay as they were at `begin`. Call it before write() for `end`; only for units that
  // keep parts.
  void write_parts(Time begin, Time end, fleet::Fleet& fleet);
  // Reads values like write(), without writing a row: for write_parts() of the next step, if this point is not
  // recorded.
  void look(fleet::Fleet& fleet, const couple::RunState& state);
  void end();
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  // Warnings of the sinks, about values, and about variables left out.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  void lay_out();
  [[nodiscard]] bool is_left_out(graph::UnitId unit, describe::VariableId variable) const;
  void add_variables(std::vector<describe::VariableId> variables);
  void make_row();

  struct Copy {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
  };
  struct Scaled {
    std::uint32_t to = 0;
    double factor = 1, offset = 0;
  };
  struct Asked {  // variables of a unit that are not outputs
    graph::UnitId unit = 0;
    describe::SignalSet set;
    describe::Offsets at{};
  };
  // One time inside a step, as a fraction of it, and the units with a sub-step there.
  struct Instant {
    double fraction = 0;
    std::vector<std::pair<graph::UnitId, std::uint32_t>> parts;
  };
  struct PartCopy {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
    double factor = 1, offset = 0;  // of numbers
  };
  using PartCopies = std::array<std::vector<PartCopy>, type_count>;
  void choose();
  void choose_trust(const std::function<bool(const std::string&)>& wanted, bool all);
  void write_trust(const couple::ControlState& control);
  void find_parts();
  double take(fleet::Fleet& fleet, const couple::RunState& state);
  double take_rest(fleet::Fleet& fleet, const couple::RunState& state);
  void put_row(Time t, double strange);
  using MakeSignal = record::Signal (*)(const graph::PlannedUnit&, describe::VariableId, std::uint64_t element);
  void add_output(graph::UnitId unit, std::size_t index, MakeSignal make_signal);
  void add_asked(graph::UnitId unit, const std::vector<describe::VariableId>& variables);
  std::uint32_t add_signal(record::Signal signal);
  void note_nan(Time t);

  const graph::Plan& plan_;
  std::span<record::Sink* const> sinks_;
  bool solo_;
  std::span<const std::string> wanted_;  // patterns; names if solo_
  TrustSignals trust_signals_;
  std::vector<std::pair<graph::UnitId, describe::VariableId>> left_out_;
  std::vector<std::string> warnings_;
  record::Header header_;
  std::array<std::uint32_t, type_count> counts_{};
  Columns row_;
  std::array<std::vector<Copy>, type_count> copies_;
  bool has_rest_ = false;  // there are signals other than outputs of type Float64
  std::vector<Scaled> scaled_;
  std::vector<std::pair<std::uint32_t, std::shared_ptr<const graph::Formula>>> formulas_;
  std::vector<Asked> asked_;
  struct TrustCopy {
    std::uint32_t to = 0;
    std::uint32_t kind = 0;  // a TrustKind; from TrustKind::estimates on: the index of an estimate is added
  };
  std::vector<double> limiting_;  // by estimated output: its unit, counted from 1
  std::function<std::vector<record::Table>()> tables_;
  std::vector<TrustCopy> trust_;
  std::vector<Instant> instants_;        // sorted by time
  std::vector<PartCopies> part_copies_;  // by unit
  std::uint64_t rows_ = 0;
  Time last_time_ = 0;
  bool has_last_ = false;  // row_ is the row at last_time_
  std::size_t begun_ = 0;
  std::string nan_;
};

}  // namespace consort::engine
