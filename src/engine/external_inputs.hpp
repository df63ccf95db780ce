// What drives the system's own input connectors: a table, or values set by hand.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "couple/run_state.hpp"
#include "describe/description.hpp"
#include "graph/plan.hpp"
#include "input/table.hpp"

namespace consort::engine {

class ExternalInputs {
 public:
  ExternalInputs() = default;
  // Throws Error (input) for what is not a table for the connectors.
  // `near`: what is nearer than this to a communication point is at it, since steps are counted and tables are not.
  ExternalInputs(const graph::Plan& plan, const std::string& file, Duration near);

  [[nodiscard]] bool empty() const { return !table_; }
  // The first event that is not at t.
  [[nodiscard]] std::optional<Time> next_event_after(Time t) const;
  // Once, for next_corner_after(): it goes through the whole table, and only who varies steps wants to know.
  void find_corners();
  // The first time after t at which a line bends so much that no step should go over it. Tables of many rows that
  // follow a smooth curve have none.
  [[nodiscard]] Time next_corner_after(Time t) const;
  // The values at t.
  void at(Time t, couple::RunState& state);
  // For a step: the mean over it where inputs are held, the values at its beginning where they follow polynomials.
  void for_step(Time t, Time end, bool polynomials, couple::RunState& state);
  // Where inputs follow polynomials: that of a table is known and need not be extrapolated. After routing, for the step
  // that for_step() was called for.
  void apply(couple::RunState& state) const;

 private:
  // The event at t, or t.
  [[nodiscard]] Time event_at(Time t) const;
  void write(const Columns& values, couple::RunState& state) const;
  void find_lines(const graph::Plan& plan);
  void find_slopes(double per_second);  // 0: none

  const graph::Plan* plan_ = nullptr;
  Duration near_ = 0;
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
