// The events of a system run as a CSV file: one row per event of a unit and per event of the system, in the order in
// which they happened, written when the events of that time have settled.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "couple/event_iteration.hpp"
#include "graph/plan.hpp"

namespace consort::engine {

// Columns: time; n, the round of the event iteration; unit, or "system"; cause: "state", "time", "input", "system" (an
// event of the system set one of the unit's inputs or states), the name of the event of the system, or "alone" for
// events that the unit handled inside a step, whose n is empty and whose time is the end of that step; what changed.
class SystemEventLog final : public couple::EventListener {
 public:
  // Writes the header. The plan must outlive the log. Throws Error (input) if the file cannot be written.
  SystemEventLog(const std::filesystem::path& file, const graph::Plan& plan);

  void enters(graph::UnitId unit, Cause cause, const couple::RunState& state) override;
  void fired(const couple::SystemEvents& events, const couple::RunState& state) override;
  void settled(const couple::RunState& state) override;
  // How often the unit entered event mode together with others.
  [[nodiscard]] std::uint64_t count(graph::UnitId unit) const { return counts_[unit]; }
  // Events that a unit handled itself in a step.
  void alone(graph::UnitId unit, std::uint64_t events, Time begin, Time end);

 private:
  struct Row {
    Time t = 0;
    std::uint64_t n = 0;
    graph::UnitId unit = graph::no_unit;
    std::string cause;
    std::string changed;
  };
  void keep(const couple::RunState& state);
  // Outputs of the unit that differ from those that were kept.
  [[nodiscard]] std::string changes(graph::UnitId unit, const Columns& now) const;
  void write(Time t, const std::string& n, const std::string& unit, const std::string& cause,
             const std::string& changed);

  const graph::Plan& plan_;
  std::vector<Row> rows_;              // of the present time
  std::vector<std::uint64_t> counts_;  // by unit: rows with a round
  Columns before_;                     // outputs before the first event of the present time
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace consort::engine
