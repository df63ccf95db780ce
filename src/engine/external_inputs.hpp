// Sources of external signals: the table that drives the system's own inputs, and the tables that are elements of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/csv.hpp"
#include "couple/input_source.hpp"
#include "couple/run_state.hpp"
#include "describe/description.hpp"
#include "graph/plan.hpp"
#include "input/table.hpp"

namespace consort::engine {

class ExternalInputs final : public couple::InputSource {
 public:
  ExternalInputs() = default;
  // `near`: an event that is nearer to a communication point than this is at the point, because times of steps are
  // computed and those of tables are not. `polynomials`: within a step inputs follow polynomials. `element`: the path
  // of the table, which drives the signals with the element's name in front; empty: the table drives the inputs of the
  // system. Throws Error (input) if the table does not fit the signals.
  ExternalInputs(const graph::Plan& plan, CsvTable table, std::string_view element, Duration near, bool polynomials);

  [[nodiscard]] bool empty() const { return !table_; }
  // Call it once if next_corner() is used: it goes through the whole table, so fixed steps skip it.
  void find_corners();

  void at_point(couple::RunState& state) override;
  // Writes the mean over the step if inputs are held, the values at its beginning if they follow polynomials.
  void begin_step(const couple::Interval& interval, couple::RunState& state) override;
  // Sets values and slopes of the table, which need not be extrapolated.
  void apply(couple::RunState& state) const override;
  [[nodiscard]] bool overrides_inputs() const override { return !empty() && polynomials_; }
  [[nodiscard]] Time next_event(const couple::RunState& state) const override;
  // The next time that no step should pass: the slope changes there, or the table would be too far from a straight line
  // through both ends of the step. A table with many rows on a smooth curve has few such times.
  [[nodiscard]] Time next_corner(const couple::RunState& state) const override;

 private:
  // The time of an event near t, else t.
  [[nodiscard]] Time event_at(Time t) const;
  void write(const Columns& values, couple::RunState& state) const;
  void find_lines(const graph::Plan& plan);
  // `range`: largest value minus smallest value, by Float64 element of the table.
  void find_bends(const std::vector<double>& range);
  void find_ends_of_chords(const std::vector<double>& range);
  void find_slopes(double per_second);  // 0: sets slopes to 0

  [[nodiscard]] const graph::ExternalSignal& signal(describe::VariableId id) const {
    return plan_->externals[signals_[id]];
  }

  const graph::Plan* plan_ = nullptr;
  Duration near_ = 0;
  bool polynomials_ = false;
  std::shared_ptr<describe::Description> description_;
  std::vector<std::uint32_t> signals_;  // by variable: index into Plan::externals
  std::shared_ptr<const input::InputTable> table_;
  input::InputTable::Cursor cursor_;
  Columns values_, later_;
  struct Line {  // an input driven by the table
    std::uint32_t input = 0;
    std::uint32_t source = 0;  // element of the outputs' Float64 column
    double factor = 1;
    double offset = 0;
  };
  std::vector<Line> lines_;
  std::vector<double> slopes_;  // by element of the outputs' Float64 column
  std::vector<Time> corners_;
};

}  // namespace consort::engine
