#include "engine/system_event_log.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "base/error.hpp"

namespace consort::engine {

namespace {

// CSV doubles quotation marks.
std::string quoted(std::string text) {
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2)) text.insert(at, 1, '"');
  return '"' + text + '"';
}

std::string_view name_of(couple::EventListener::Cause cause) {
  using Cause = couple::EventListener::Cause;
  switch (cause) {
    case Cause::time: return "time";
    case Cause::input: return "input";
    case Cause::system: return "system";
    case Cause::state: break;
  }
  return "state";
}

template <class T>
bool is_same(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) || (std::isnan(a) && std::isnan(b));
  else
    return a == b;
}

}  // namespace

SystemEventLog::SystemEventLog(const std::filesystem::path& file, const graph::Plan& plan)
    : plan_(plan), counts_(plan.units.size(), 0), file_(std::fopen(file.c_str(), "w"), &std::fclose) {
  require(file_ != nullptr, "{}: cannot be written; choose another --event-log", file.string());
  fmt::print(file_.get(), "\"time\",\"n\",\"unit\",\"cause\",\"changed\"\n");
  std::fflush(file_.get());
}

void SystemEventLog::keep(const couple::RunState& state) {
  if (rows_.empty()) before_ = state.signals.outputs;
}

void SystemEventLog::enters(graph::UnitId unit, Cause cause, const couple::RunState& state) {
  keep(state);
  ++counts_[unit];
  rows_.push_back({state.t, state.n, unit, std::string(name_of(cause)), {}});
}

void SystemEventLog::fired(const couple::SystemEvents& events, const couple::RunState& state) {
  keep(state);
  for (const auto e : events.last().events)
    rows_.push_back({state.t, state.n, graph::no_unit, events.name(e), events.deeds(e)});
}

std::string SystemEventLog::changes(graph::UnitId u, const Columns& now) const {
  const auto& unit = plan_.units[u];
  std::string text;
  for (std::size_t i = 0; i < unit.outputs.choice().size(); ++i) {
    const auto place = unit.outputs.place(i);
    const auto& v = (*unit.description)[unit.outputs.choice()[i]];
    with_type(place.type, [&]<class T>() {
      const auto first = unit.first_output[static_cast<std::size_t>(place.type)] + place.first;
      for (std::uint32_t e = 0; e < place.count; ++e) {
        const T& is = now.column<T>()[first + e];
        if (is_same(before_.column<T>()[first + e], is)) continue;
        std::string value;
        append_element(value, is);
        text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", unit.starts.element_name(*unit.description, v, e),
                            value);
      }
    });
  }
  return text;
}

void SystemEventLog::settled(const couple::RunState& state) {
  for (const auto& row : rows_) {
    const bool is_unit = row.unit != graph::no_unit;
    write(row.t, fmt::format("{}", row.n), is_unit ? plan_.units[row.unit].name : "system", row.cause,
          is_unit ? changes(row.unit, state.signals.outputs) : row.changed);
  }
  rows_.clear();
  std::fflush(file_.get());
}

void SystemEventLog::alone(graph::UnitId unit, std::uint64_t events, Time begin, Time end) {
  write(end, {}, plan_.units[unit].name, "alone",
        fmt::format("{} event{} after {} s", events, events == 1 ? "" : "s", begin));
  std::fflush(file_.get());
}

void SystemEventLog::write(Time t, const std::string& n, const std::string& unit, const std::string& cause,
                           const std::string& changed) {
  fmt::print(file_.get(), "{},{},{},{},{}\n", t, n, quoted(unit), quoted(cause), quoted(changed));
}

}  // namespace consort::engine
