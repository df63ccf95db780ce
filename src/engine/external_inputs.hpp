// What drives the system's own input connectors: a table, or values set by hand.
#pragma once

#include <memory>
#include <string>

#include "couple/input_source.hpp"
#include "couple/run_state.hpp"
#include "describe/description.hpp"
#include "graph/plan.hpp"
#include "input/table.hpp"

namespace consort::engine {

class ExternalInputs final : public couple::InputSource {
 public:
  ExternalInputs() = default;
  // `near`: what is nearer than this to a communication point is at it, since steps are counted and tables are not.
  // `polynomials`: inputs follow them within a step. Throws Error (input) for what is not a table for the connectors.
  ExternalInputs(const graph::Plan& plan, const std::string& file, Duration near, bool polynomials);

  [[nodiscard]] bool empty() const { return !table_; }
  // Once, for next_corner(): it goes through the whole table, and only who varies steps wants to know.
  void find_corners();

  void at_point(couple::RunState& state) override;
  // The mean over the step where inputs are held, the values at its beginning where they follow polynomials.
  void begin_step(const couple::Interval& interval, couple::RunState& state) override;
  // The polynomial of a table is known and need not be extrapolated.
  void apply(couple::RunState& state) const override;
  [[nodiscard]] bool overrides_inputs() const override { return !empty() && polynomials_; }
  [[nodiscard]] Time next_event(const couple::RunState& state) const override;
  // The first time at which a line bends so much that no step should go over it. Tables of many rows that follow a
  // smooth curve have none.
  [[nodiscard]] Time next_corner(const couple::RunState& state) const override;

 private:
  // The event at t, or t.
  [[nodiscard]] Time event_at(Time t) const;
  void write(const Columns& values, couple::RunState& state) const;
  void find_lines(const graph::Plan& plan);
  void find_slopes(double per_second);  // 0: none

  const graph::Plan* plan_ = nullptr;
  Duration near_ = 0;
  bool polynomials_ = false;
  std::shared_ptr<describe::Description> description_;
  std::shared_ptr<const input::InputTable> table_;
  input::InputTable::Cursor cursor_;
  Columns values_, later_;
  struct Line {  // an input that follows a table
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
