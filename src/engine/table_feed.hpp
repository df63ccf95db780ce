// Drives the inputs of a unit that runs alone from a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "couple/input_source.hpp"
#include "couple/run_state.hpp"
#include "engine/subset.hpp"
#include "graph/plan.hpp"
#include "input/table.hpp"

namespace consort::engine {

class TableFeed final : public couple::InputSource {
 public:
  TableFeed() = default;  // drives no input
  // For the only unit of a plan that was compiled with targets(); all arguments must outlive this object. `near`: an
  // event that follows a communication point by less than this is at the point, because times of steps are computed and
  // those of tables are not. `slopes`: continuous inputs have value and slope at the beginning of a step; otherwise the
  // mean over the step, which is more accurate than the value at its beginning by half a step.
  TableFeed(const graph::Plan& plan, const input::InputTable& table, Duration near, bool slopes);

  // The variables driven by the table, for graph::CompileOptions: all but clocks, which tick only in event mode.
  [[nodiscard]] static std::vector<std::string> targets(const std::string& unit, const describe::Description& d,
                                                        const input::InputTable& table);
  [[nodiscard]] static bool has_continuous(const describe::Description& d, const input::InputTable& table);

  [[nodiscard]] bool empty() const { return table_ == nullptr; }

  void at_point(couple::RunState& state) override;
  void begin_step(const couple::Interval& interval, couple::RunState& state) override;
  void apply(couple::RunState& state) const override;
  void tick(const couple::RunState& state, fleet::Fleet& fleet) override;
  [[nodiscard]] bool overrides_inputs() const override { return !empty(); }
  [[nodiscard]] Time next_event(const couple::RunState& state) const override;

 private:
  struct Copy {
    Type type = Type::Float64;
    std::uint32_t from = 0;  // in the table's column of the type
    std::uint32_t to = 0;    // in the inputs' column
    std::uint32_t count = 1;
    bool moves = false;  // it is a Float64 and continuous
  };
  [[nodiscard]] Time event_at(Time t) const;
  void write(const Columns& values, couple::RunState& state) const;

  const graph::Plan* plan_ = nullptr;
  const input::InputTable* table_ = nullptr;
  Duration near_ = 0;
  bool slopes_ = false;
  input::InputTable::Cursor cursor_;
  Columns values_, midway_;
  std::vector<double> table_slopes_;  // by element of the table's Float64 column
  std::vector<Copy> copies_;
  Ticks ticks_;
};

}  // namespace consort::engine
