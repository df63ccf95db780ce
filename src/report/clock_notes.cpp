#include "report/clock_notes.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"

namespace consort::report {

using describe::Causality;
using describe::Description;
using describe::IntervalVariability;
using describe::Variable;
using describe::VariableId;

namespace {

struct Clocks {
  std::vector<std::string> time_based, triggered, fed, outputs;  // fed: ticks come from the input file
};

bool is_triggered(const Description& d, const Variable& v) {
  return v.clock == describe::no_start ||
         d.clock_properties[v.clock].interval_variability == IntervalVariability::triggered;
}

Clocks sort_clocks(const Description& d, const input::InputTable* table) {
  Clocks clocks;
  for (std::size_t i = 0; i < d.variables.size(); ++i) {
    const auto& v = d.variables[i];
    if (v.type != Type::Clock) continue;
    const bool has_column = table != nullptr && std::count(table->variables().begin(), table->variables().end(),
                                                           static_cast<VariableId>(i)) > 0;
    if (v.causality == Causality::output) clocks.outputs.push_back(quote(v.name));
    if (v.causality != Causality::input) continue;
    auto& kind = has_column ? clocks.fed : is_triggered(d, v) ? clocks.triggered : clocks.time_based;
    kind.push_back(quote(v.name));
  }
  return clocks;
}

void add(std::string& text, const std::vector<std::string>& names, std::string_view what,
         std::string_view consequence) {
  if (names.empty()) return;
  constexpr std::size_t most = 10;
  const auto shown = std::span(names).first(std::min(names.size(), most));
  text += fmt::format("{}the {} {}{} {}", text.empty() ? "" : "; ", what, fmt::join(shown, ", "),
                      names.size() > most ? ", …" : "", consequence);
}

}  // namespace

bool clocks_need_event_mode(const Description& d, const describe::Interface& interface) {
  return interface.event_mode && !d.clock_properties.empty();
}

std::string clock_warning(const Description& d, const describe::Interface& interface, const input::InputTable* table) {
  const Clocks clocks = sort_clocks(d, table);
  std::string text;
  add(text, clocks.time_based, "time-based input clocks", "never tick");
  add(text, clocks.triggered, "triggered input clocks",
      "never tick (add a column to the input file to make them tick)");
  if (!interface.event_mode) add(text, clocks.fed, "input clocks", "never tick, since the FMU has no event mode");
  add(text, clocks.outputs, "output clocks", "trigger nothing and are not recorded");
  if (text.empty()) return {};
  return "clocks are not driven when an FMU is simulated alone: " + text;
}

}  // namespace consort::report
