#include "engine/system_recorder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <map>
#include <numeric>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "couple/gather.hpp"
#include "engine/readable.hpp"
#include "engine/recorded_variables.hpp"
#include "engine/unit_view.hpp"

namespace consort::engine {

using describe::VariableId;
using graph::UnitId;

SystemRecorder::SystemRecorder(const graph::Plan& plan, std::span<const std::string> patterns,
                               std::span<record::Sink* const> sinks, const TrustSignals& trust)
    : plan_(plan), sinks_(sinks), solo_(false), wanted_(patterns), trust_signals_(trust) {
  lay_out();
}

void SystemRecorder::lay_out() {
  header_.signals.clear();
  counts_ = {};
  copies_ = {};
  scaled_.clear();
  formulas_.clear();
  asked_.clear();
  limiting_.clear();
  trust_.clear();
  instants_.clear();
  part_copies_.clear();
  if (solo_) {
    add_variables(recorded_variables(*plan_.units.front().description, wanted_));
  } else {
    choose();
    find_parts();
  }
  make_row();
}

void SystemRecorder::leave_out_unreadable(fleet::Fleet& fleet) {
  std::size_t columns = header_.signals.size();
  for (const auto& asked : asked_) {
    UnitView unit(plan_, fleet, asked.unit);
    const auto& starts = plan_.units[asked.unit].starts;
    const auto& choice = asked.set.choice();
    auto refused = unreadable(unit, starts, choice);
    std::size_t elements = 0;
    for (std::size_t i = 0; i < choice.size(); ++i) elements += asked.set.place(i).count;
    if (refused.size() == choice.size() && elements == columns) break;  // no column would be left
    columns -= refused.size() == choice.size() ? elements : 0;
    for (auto& [id, warning] : refused) {
      left_out_.emplace_back(asked.unit, id);
      warnings_.push_back(std::move(warning));
    }
  }
  if (!left_out_.empty()) lay_out();
}

bool SystemRecorder::is_left_out(UnitId unit, VariableId variable) const {
  return std::find(left_out_.begin(), left_out_.end(), std::pair(unit, variable)) != left_out_.end();
}

void SystemRecorder::make_row() {
  for_each_type([&]<class T>() { row_.column<T>().resize(counts_[static_cast<std::size_t>(type_of<T>)]); });
  has_rest_ = !scaled_.empty() || !formulas_.empty() || !asked_.empty() || !trust_.empty();
  for (std::size_t type = 0; type < type_count; ++type)
    has_rest_ = has_rest_ || (type != static_cast<std::size_t>(Type::Float64) && !copies_[type].empty());
}

SystemRecorder::SystemRecorder(const graph::Plan& plan, const UnitVariables& variables,
                               std::span<record::Sink* const> sinks)
    : plan_(plan), sinks_(sinks), solo_(true), wanted_(variables.names) {
  lay_out();
}

SystemRecorder::~SystemRecorder() {
  try {
    end();
  } catch (...) {  // an earlier failure is reported instead
  }
}

std::uint32_t SystemRecorder::add_signal(record::Signal signal) {
  const auto before = counts_[static_cast<std::size_t>(signal.type)]++;
  header_.signals.push_back(std::move(signal));
  return before;
}

namespace {

// With the variable's name only.
record::Signal plain_signal_of(const graph::PlannedUnit& unit, VariableId id, std::uint64_t element) {
  const auto& d = *unit.description;
  const auto& v = d[id];
  record::Signal s;
  s.name = unit.starts.element_name(d, v, element);
  s.type = v.type;
  s.unit = std::string(d.unit_name(v));
  s.description = std::string(v.description);
  s.discrete = v.variability != describe::Variability::continuous;
  return s;
}

record::Signal signal_of(const graph::PlannedUnit& unit, VariableId id, std::uint64_t element) {
  auto s = plain_signal_of(unit, id, element);
  s.name = unit.path_of(s.name);
  s.group = unit.name;
  return s;
}

}  // namespace

// Takes values from the signals if steps read all of them; otherwise reads all from the unit at once.
void SystemRecorder::add_variables(std::vector<VariableId> variables) {
  std::erase_if(variables, [&](VariableId v) { return is_left_out(0, v); });
  const auto& unit = plan_.units.front();
  const auto& read = unit.outputs.choice();
  const auto index = [&](VariableId v) { return std::lower_bound(read.begin(), read.end(), v) - read.begin(); };
  if (std::all_of(variables.begin(), variables.end(),
                  [&](VariableId v) { return std::binary_search(read.begin(), read.end(), v); })) {
    for (const auto v : variables) add_output(0, static_cast<std::size_t>(index(v)), plain_signal_of);
    return;
  }
  Asked asked;
  asked.set = unit.starts.signals(*unit.description, variables);
  for (std::size_t i = 0; i < variables.size(); ++i)
    for (std::uint32_t e = 0; e < asked.set.place(i).count; ++e) add_signal(plain_signal_of(unit, variables[i], e));
  if (!variables.empty()) asked_.push_back(std::move(asked));
}

void SystemRecorder::choose() {
  const auto& patterns = wanted_;
  std::vector<bool> used(patterns.size(), false);
  const auto wanted = [&](const std::string& path) {
    bool any = patterns.empty();
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (!matches(path, patterns[i])) continue;
      used[i] = true;
      any = true;
    }
    return any;
  };
  for (UnitId u = 0; u < plan_.units.size(); ++u) {
    const auto& unit = plan_.units[u];
    const auto& d = *unit.description;
    const auto& outputs = unit.outputs.choice();
    std::vector<VariableId> asked;
    if (patterns.empty()) {
      for (std::size_t i = 0; i < outputs.size(); ++i)
        if (d[outputs[i]].causality == describe::Causality::output) add_output(u, i, signal_of);
      continue;
    }
    for (VariableId v = 0; v < d.variables.size(); ++v) {
      if (d[v].type == Type::Clock || d[v].causality == describe::Causality::independent) continue;
      if (!wanted(unit.path_of(d[v].name))) continue;
      const auto at = std::lower_bound(outputs.begin(), outputs.end(), v);
      if (at != outputs.end() && *at == v) {
        add_output(u, static_cast<std::size_t>(at - outputs.begin()), signal_of);
      } else if (!is_left_out(u, v)) {
        asked.push_back(v);
      }
    }
    if (!asked.empty()) add_asked(u, asked);
  }
  for (const auto& signal : plan_.externals) {
    if (!wanted(signal.name)) continue;
    for (std::uint32_t e = 0; e < signal.count; ++e) {
      record::Signal s;
      s.name = signal.count == 1 ? signal.name : fmt::format("{}[{}]", signal.name, e + 1);
      s.type = signal.type;
      s.unit = signal.unit;
      s.description = signal.description;
      s.discrete = signal.discrete;
      copies_[static_cast<std::size_t>(s.type)].push_back({add_signal(s), signal.element + e});
    }
  }
  for (const auto& connector : plan_.connectors) {
    if (!wanted(connector.name)) continue;
    record::Signal s;
    s.name = connector.name;
    s.type = connector.type;
    s.unit = connector.unit;
    const auto to = add_signal(s);
    if (connector.formula) {
      formulas_.emplace_back(to, connector.formula);
      continue;
    }
    copies_[static_cast<std::size_t>(s.type)].push_back({to, connector.element});
    if (s.type == Type::Float64 && (connector.factor != 1 || connector.offset != 0))
      scaled_.push_back({to, connector.factor, connector.offset});
  }
  if (trust_signals_.varies) choose_trust(wanted, patterns.empty());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::vector<std::string> names;
    if (!used[i])
      for (const auto& unit : plan_.units)
        for (const auto& v : unit.description->variables) names.push_back(unit.path_of(v.name));
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    require_setting("record.variables", used[i], "there is no variable '{}' to record{}", patterns[i],
                    suggestion(patterns[i], candidates));
  }
}

namespace {

// The kind of a TrustCopy.
struct TrustKind {
  static constexpr std::uint32_t step = 0, error = 1, rejected = 2, limits = 3, estimates = 4;
};

}  // namespace

void SystemRecorder::choose_trust(const std::function<bool(const std::string&)>& wanted, bool all) {
  const auto& trust = trust_signals_;
  if (plan_.find_unit("trust") != graph::no_unit) return;  // the unit's variables have these names
  const auto add = [&](std::string name, std::uint32_t kind, std::string unit, std::string description) {
    name = "trust." + name;
    if (!(all && kind < TrustKind::estimates) && (all || !wanted(name))) return;
    record::Signal s;
    s.name = std::move(name);
    s.unit = std::move(unit);
    s.description = std::move(description);
    s.discrete = true;
    s.group = "trust";
    trust_.push_back({add_signal(s), kind});
  };
  add("step", TrustKind::step, "s", "the communication step that ends here");
  add("error", TrustKind::error, "", "coupling error of that step, relative to the tolerance");
  add("rejected", TrustKind::rejected, "steps", "rejected steps so far");
  if (trust.estimated.empty()) return;
  add("limits", TrustKind::limits, "unit",
      "the unit whose error limits that step, counted from 1 in the order of the system; 0: none");
  for (std::uint32_t i = 0; i < trust.estimated.size(); ++i) {
    const auto& output = trust.estimated[i];
    const auto& d = *plan_.units[output.unit].description;
    limiting_.push_back(output.unit + 1.0);
    add(output.name, TrustKind::estimates + i, std::string(d.unit_name(d[output.variable])),
        "estimated coupling error of that step");
  }
}

void SystemRecorder::write_trust(const couple::ControlState& control) {
  auto& row = row_.column<double>();
  for (const auto& copy : trust_) {
    switch (copy.kind) {
      case TrustKind::step: row[copy.to] = control.taken; break;
      case TrustKind::error: row[copy.to] = control.error; break;
      case TrustKind::rejected: row[copy.to] = static_cast<double>(control.rejected); break;
      case TrustKind::limits:
        row[copy.to] = control.error_decided && control.worst < limiting_.size() ? limiting_[control.worst] : 0.0;
        break;
      default: {
        const std::size_t i = copy.kind - TrustKind::estimates;
        row[copy.to] = i < control.signals.size() ? control.signals[i].estimate : 0.0;
      }
    }
  }
}

void SystemRecorder::add_output(UnitId u, std::size_t index, MakeSignal make_signal) {
  const auto& unit = plan_.units[u];
  const auto place = unit.outputs.place(index);
  const auto type = static_cast<std::size_t>(place.type);
  for (std::uint32_t e = 0; e < place.count; ++e) {
    const auto to = add_signal(make_signal(unit, unit.outputs.choice()[index], e));
    copies_[type].push_back({to, unit.first_output[type] + place.first + e});
  }
}

void SystemRecorder::add_asked(UnitId u, const std::vector<VariableId>& variables) {
  const auto& unit = plan_.units[u];
  Asked asked;
  asked.unit = u;
  asked.set = unit.starts.signals(*unit.description, variables);
  for (const auto& group : asked.set.groups()) {
    bool first = true;
    for (std::size_t i = 0; i < group.variables.size(); ++i) {
      for (auto e = group.offsets[i]; e < group.offsets[i + 1]; ++e) {
        const auto to = add_signal(signal_of(unit, group.variables[i], e - group.offsets[i]));
        if (std::exchange(first, false)) asked.at[static_cast<std::size_t>(group.type)] = to;
      }
    }
  }
  asked_.push_back(std::move(asked));
}

void SystemRecorder::begin(std::vector<record::Fact> facts) {
  header_.facts = std::move(facts);
  if (header_.signals.empty() && !sinks_.empty()) warnings_.emplace_back(nothing_recorded);
  for (auto* const sink : sinks_) {
    sink->begin(header_);
    ++begun_;
  }
}

// Finds the values of a row that change at sub-steps of units, and the times of these.
void SystemRecorder::find_parts() {
  part_copies_.resize(plan_.units.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, Instant> instants;  // by fraction in lowest terms
  for (UnitId u = 0; u < plan_.units.size(); ++u) {
    const auto& unit = plan_.units[u];
    const auto parts = unit.component.substeps;
    for (std::uint32_t s = 1; s < parts; ++s) {
      const auto divisor = std::gcd(s, parts);
      auto& instant = instants[{s / divisor, parts / divisor}];
      instant.fraction = static_cast<double>(s) / parts;
      instant.parts.emplace_back(u, s - 1);
    }
    if (parts < 2) continue;
    for (const auto& group : unit.outputs.groups()) {
      const auto type = static_cast<std::size_t>(group.type);
      const auto first = unit.first_output[type];
      const auto count = group.elements();
      for (const auto& copy : copies_[type]) {
        if (copy.from < first || copy.from >= first + count) continue;
        PartCopy part{copy.to, copy.from - first};
        for (const auto& s : scaled_)
          if (group.type == Type::Float64 && s.to == copy.to) {
            part.factor = s.factor;
            part.offset = s.offset;
          }
        part_copies_[u][type].push_back(part);
      }
    }
  }
  for (auto& [key, instant] : instants) instants_.push_back(std::move(instant));
  std::sort(instants_.begin(), instants_.end(), [](const auto& a, const auto& b) { return a.fraction < b.fraction; });
}

namespace {

// 0 if all numbers are finite, otherwise NaN.
double strangeness(std::span<const double> numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x * 0;
  return sum;
}

}  // namespace

// Everything except outputs of type Float64.
double SystemRecorder::take_rest(fleet::Fleet& fleet, const couple::RunState& state) {
  for_each_type([&]<class T>() {
    if constexpr (!std::is_same_v<T, double>) {
      const auto& from = state.signals.outputs.column<T>();
      auto& to = row_.column<T>();
      for (const auto& copy : copies_[static_cast<std::size_t>(type_of<T>)]) to[copy.to] = from[copy.from];
    }
  });
  auto& row = row_.column<double>();
  for (const auto& s : scaled_) row[s.to] = s.factor * row[s.to] + s.offset;
  for (const auto& [to, formula] : formulas_) row[to] = couple::value_of(*formula, state.signals.outputs, state.t);
  for (const auto& asked : asked_) fleet.get(asked.unit, asked.set, row_, asked.at);
  if (!trust_.empty()) write_trust(state.control);
  return strangeness(row);
}

// Returns the strangeness of the row.
inline double SystemRecorder::take(fleet::Fleet& fleet, const couple::RunState& state) {
  has_last_ = false;
  const auto& from = state.signals.outputs.column<double>();
  auto& to = row_.column<double>();
  double strange = 0;
  for (const auto& copy : copies_[static_cast<std::size_t>(Type::Float64)]) {
    const double x = from[copy.from];
    to[copy.to] = x;
    strange += x * 0;
  }
  return has_rest_ ? take_rest(fleet, state) : strange;
}

[[gnu::always_inline]] inline void SystemRecorder::put_row(Time t, double strange) {
  last_time_ = t;
  has_last_ = true;
  for (auto* const sink : sinks_) sink->write(t, row_);
  if (!sinks_.empty()) ++rows_;
  if (std::isnan(strange) && nan_.empty()) [[unlikely]]
    note_nan(t);
}

void SystemRecorder::look(fleet::Fleet& fleet, const couple::RunState& state) { take(fleet, state); }

void SystemRecorder::write(Time t, fleet::Fleet& fleet, const couple::RunState& state) {
  const double strange = take(fleet, state);
  put_row(t, strange);
}

void SystemRecorder::write(Time t, unit::Variables& unit) {
  for (const auto& asked : asked_) unit.get(asked.set, row_);
  put_row(t, strangeness(row_.column<double>()));
}

void SystemRecorder::write_parts(Time begin, Time end, fleet::Fleet& fleet) {
  for (const auto& instant : instants_) {
    for (const auto& [u, s] : instant.parts) {
      const Columns& from = fleet.parts(u)[s];
      for_each_type([&, id = u]<class T>() {
        auto& to = row_.column<T>();
        for (const auto& copy : part_copies_[id][static_cast<std::size_t>(type_of<T>)]) {
          to[copy.to] = from.column<T>()[copy.from];
          if constexpr (std::is_same_v<T, double>) to[copy.to] = copy.factor * to[copy.to] + copy.offset;
        }
      });
    }
    put_row(begin + (end - begin) * instant.fraction, strangeness(row_.column<double>()));
  }
}

std::string SystemRecorder::last_row() const {
  if (!has_last_) return {};
  ByteWriter writer;
  writer(last_time_, row_);
  const auto bytes = writer.take();
  return {bytes.begin(), bytes.end()};
}

bool SystemRecorder::resume(std::vector<record::Fact> facts, std::uint64_t rows, const std::string& last_row) {
  header_.facts = std::move(facts);
  record::KnownRow last{0, row_};
  const std::vector<std::uint8_t> bytes(last_row.begin(), last_row.end());
  bool is_known = !bytes.empty();
  try {
    ByteReader reader(bytes);
    if (is_known) reader(last.t, last.values);
  } catch (const Error&) {  // a row of other variables, which no result can continue
    is_known = false;
  }
  std::size_t going_on = 0;
  for (auto* const sink : sinks_) {
    if (sink->resume(header_, rows, is_known ? &last : nullptr)) {
      ++going_on;
    } else {
      sink->begin(header_);
    }
    ++begun_;
  }
  require(going_on == 0 || going_on == sinks_.size(),
          "only some of the results can be resumed from the checkpoint; write all of them to new files");
  if (going_on > 0) rows_ = rows;
  return going_on > 0;
}

void SystemRecorder::flush() {
  for (auto* const sink : sinks_) sink->flush();
}

void SystemRecorder::end() {
  std::exception_ptr complaint;
  const auto begun = sinks_.first(std::exchange(begun_, 0));
  std::vector<record::Table> tables;
  if (tables_ && !begun.empty()) tables = tables_();
  for (auto* const sink : begun) {
    try {
      for (const auto& table : tables) sink->add_table(table);
    } catch (...) {
      complaint = std::current_exception();
    }
    try {
      sink->end();
    } catch (...) {
      if (!complaint) complaint = std::current_exception();
    }
  }
  if (complaint) std::rethrow_exception(complaint);
}

void SystemRecorder::note_nan(Time t) {
  std::size_t i = 0;
  std::vector<std::string> names;
  for (const auto& s : header_.signals) {
    if (s.type != Type::Float64) continue;
    if (std::isnan(row_.column<double>()[i++])) names.push_back(quote(s.name));
  }
  if (names.empty()) return;  // infinite, not NaN
  nan_ = fmt::format("{} {} (NaN) from t = {} s on", some_of(names),
                     names.size() == 1 ? "is not a number" : "are not numbers", t);
}

std::vector<std::string> SystemRecorder::warnings() const {
  std::vector<std::string> all = warnings_;
  if (!nan_.empty()) all.push_back(nan_);
  for (const auto* sink : sinks_)
    for (auto& w : sink->warnings()) all.push_back(w);
  return all;
}

}  // namespace consort::engine
