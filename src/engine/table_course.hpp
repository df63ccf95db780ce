// Inputs from a table as functions of time, for a unit that runs alone and evaluates them inside its integration.
// TableFeed is for units whose inputs are set once per step.
#pragma once

#include "engine/subset.hpp"
#include "input/table.hpp"
#include "unit/me_problem.hpp"

namespace consort::engine {

// Continuous inputs are evaluated inside the integration, the others change at events.
class TableCourse final : public unit::MeInputs {
 public:
  // Both must outlive this object. Sets the inputs of `variables`.
  TableCourse(unit::Variables& variables, const input::InputTable& table);

  void set_continuous(Time t, bool after) override;
  void set_all(Time t) override;
  [[nodiscard]] Time next_event_after(Time t) const override;

  // Before and in initialization mode, where clocks do not tick.
  void set_initial(Time t);
  [[nodiscard]] bool drives(describe::VariableId id) const;

 private:
  unit::Variables& variables_;
  const input::InputTable& table_;
  input::InputTable::Cursor cursor_;
  describe::SignalSet all_;
  Columns values_;
  Subset continuous_, without_clocks_;
  Ticks ticks_;
};

}  // namespace consort::engine
