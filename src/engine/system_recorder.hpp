// Rows of a system: chosen outputs of its units, straight from the signals; whatever else is chosen is asked for.
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

// What is recorded of the step size control, as signals of a group "trust": the size of the step that led to the row,
// its error relative to the tolerance, how many steps were rejected so far, and the unit that limits the step (counted
// from 1); where asked for by name also the estimated error of each output.
struct TrustSignals {
  bool varies = false;  // not: nothing of it
  std::span<const couple::EstimatedOutput> estimated{};
};

// Of the only unit of a plan, under their own names and in this order; none: its outputs, without clocks. Names that do
// not exist and clocks are an Error (input).
struct UnitVariables {
  std::span<const std::string> names{};
};

class SystemRecorder {
 public:
  // `patterns`: paths with * and ?; none: all outputs, external signals and connectors of the system. Throws Error
  // (input) for a pattern that matches nothing.
  SystemRecorder(const graph::Plan& plan, std::span<const std::string> patterns, std::span<record::Sink* const> sinks,
                 const TrustSignals& trust = {});
  SystemRecorder(const graph::Plan& plan, const UnitVariables& variables, std::span<record::Sink* const> sinks);
  ~SystemRecorder();  // ends what end() has not ended
  SystemRecorder(const SystemRecorder&) = delete;
  SystemRecorder& operator=(const SystemRecorder&) = delete;

  void begin(std::vector<record::Fact> facts);
  // Instead, behind the first `rows` rows that sinks have, of which last_row() told the last. False when they are new:
  // then no row is there.
  bool resume(std::vector<record::Fact> facts, std::uint64_t rows, const std::string& last_row);
  // The row that was written last, as bytes for a checkpoint; empty where it is not known any more.
  [[nodiscard]] std::string last_row() const;
  // Asked once, when recording ends: for tables about the run as a whole.
  void set_tables(std::function<std::vector<record::Table>()> tables) { tables_ = std::move(tables); }
  // Whether the course of the step size is among the signals.
  [[nodiscard]] bool has_trust() const { return !trust_.empty(); }
  void flush();
  void write(Time t, fleet::Fleet& fleet, const couple::RunState& state);
  // Rows at the sub-steps of units inside of the step from `begin` to `end` that was taken last: what other units
  // answer, and what is no output, stays as it was at `begin`. Before write() for `end`; for units that keep parts.
  void write_parts(Time begin, Time end, fleet::Fleet& fleet);
  // What write() does, without a row: for write_parts() of the next step, where this point is not recorded.
  void look(fleet::Fleet& fleet, const couple::RunState& state);
  void end();
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  // What the sinks and the values gave reason for.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  void add_variables(const std::vector<describe::VariableId>& variables);
  void make_row();

  struct Copy {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
  };
  struct Scaled {
    std::uint32_t to = 0;
    double factor = 1, offset = 0;
  };
  struct Asked {  // variables of a unit that are no outputs
    graph::UnitId unit = 0;
    describe::SignalSet set;
    describe::Offsets at{};
  };
  // One time inside of a step, as a fraction of it, and the units that have done a sub-step there.
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
  void choose(std::span<const std::string> patterns, const TrustSignals& trust);
  void choose_trust(const TrustSignals& trust, const std::function<bool(const std::string&)>& wanted, bool all);
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
  record::Header header_;
  std::array<std::uint32_t, type_count> counts_{};
  Columns row_;
  std::array<std::vector<Copy>, type_count> copies_;
  bool has_rest_ = false;  // something beside outputs of type Float64
  std::vector<Scaled> scaled_;
  std::vector<Asked> asked_;
  struct TrustCopy {
    std::uint32_t to = 0;
    std::uint32_t kind = 0;  // a TrustKind; from TrustKind::estimates on: estimates
  };
  std::vector<double> limiting_;  // by estimated output: its unit, counted from 1
  std::function<std::vector<record::Table>()> tables_;
  std::vector<TrustCopy> trust_;
  std::vector<Instant> instants_;        // in the order of time
  std::vector<PartCopies> part_copies_;  // by unit
  std::uint64_t rows_ = 0;
  Time last_time_ = 0;
  bool has_last_ = false;  // row_ is that of last_time_
  std::size_t begun_ = 0;
  std::string nan_;
};

// Whether a text matches a pattern with * (any text) and ? (any character).
[[nodiscard]] bool matches(std::string_view text, std::string_view pattern);

}  // namespace consort::engine
