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

// Sources of a unit's inputs, by variable.
enum class Source : std::uint8_t { missing, unit, outside };

std::vector<Source> sources_of(const graph::Plan& plan, graph::UnitId unit) {
  const auto& u = plan.units[unit];
  std::vector<Source> sources(u.description->variables.size(), Source::missing);
  for (const auto id : u.inputs.choice()) sources[id] = Source::outside;  // an input file, a scenario or the caller
  for (const auto& c : plan.connections)
    if (c.to == unit && c.from != graph::no_unit) sources[u.inputs.choice()[c.input]] = Source::unit;
  return sources;
}

}  // namespace

std::vector<std::string> clock_warnings(const graph::Plan& plan, const std::vector<bool>& has_event_mode,
                                        bool passes_ticks) {
  std::vector<std::string> lines;
  for (graph::UnitId u = 0; u < plan.units.size(); ++u) {
    const auto& d = *plan.units[u].description;
    if (d.clock_properties.empty()) continue;
    const auto sources = sources_of(plan, u);
    std::vector<std::string> undriven, connected, without_events;
    for (std::size_t i = 0; i < d.variables.size(); ++i) {
      const auto& v = d.variables[i];
      if (v.type != Type::Clock || v.causality != Causality::input) continue;
      if (sources[i] == Source::missing) {
        undriven.push_back(quote(v.name));
      } else if (!has_event_mode[u]) {
        without_events.push_back(quote(v.name));
      } else if (sources[i] == Source::unit && !passes_ticks) {
        connected.push_back(quote(v.name));
      }
    }
    std::string text;
    add(text, undriven, "input clocks", "never tick, because nothing drives them");
    add(text, connected, "input clocks", "never tick, because ticks are not passed from unit to unit");
    add(text, without_events, "input clocks", "never tick, because the unit runs without event mode");
    if (!text.empty())
      lines.push_back(
          fmt::format("unit '{}': {}; what depends on them keeps its value: run the unit alone ('consort "
                      "simulate') with ticks in its input file, or use one without clocks",
                      plan.units[u].name, text));
  }
  return lines;
}

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
