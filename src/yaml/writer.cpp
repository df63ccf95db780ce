#include "yaml/writer.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "settings/table.hpp"
#include "yaml/view.hpp"

namespace consort::yaml {

using namespace graph;

namespace {

namespace fs = std::filesystem;

// --- scalars

bool is_plain_character(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) != 0 || u >= 0x80 || std::string_view("_./-+*()^% ").find(c) != std::string_view::npos;
}

// Whether YAML reads the text as itself without quotes, in lists and mappings of either style.
bool is_plain(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return false;
  if (!std::all_of(text.begin(), text.end(), is_plain_character)) return false;
  const auto first = static_cast<unsigned char>(text.front());
  const bool starts = std::isalnum(first) != 0 || first >= 0x80 || first == '_' || first == '/' || first == '.';
  if (!starts && !read_number(text)) return false;
  if (text.starts_with("..")) return text.starts_with("../");
  return !iequals(text, "null") && is_utf8(text);
}

// The same for a value; YAML's own spelling of what is not finite would come back as another.
bool is_plain_value(std::string_view text) {
  const auto number = read_number(text);
  return is_plain(text) && !(number && !std::isfinite(*number) && text.find('.') != std::string_view::npos);
}

std::string in_quotes(std::string_view text) {
  require(is_utf8(text), "{} is not UTF-8 and cannot be written as YAML; correct the text", quote(text));
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string scalar(std::string_view text) { return is_plain(text) ? std::string(text) : in_quotes(text); }

std::string element_text(const std::string& text) { return is_plain_value(text) ? text : in_quotes(text); }

// A value that must not be taken for a number with a unit.
std::string value_text(const Setting& setting) {
  if (!setting.elements.empty()) {
    std::vector<std::string> texts;
    for (const auto& element : setting.elements) texts.push_back(element_text(element));
    const auto list = fmt::format("[{}]", fmt::join(texts, ", "));
    return setting.unit.empty() ? list : fmt::format("{{value: {}, unit: {}}}", list, scalar(setting.unit));
  }
  const auto parts = split_white(setting.value);
  const bool number_first = !parts.empty() && read_number(parts.front());
  const bool simple = is_plain_value(setting.value) && (parts.size() < 2 || read_number(parts.back()));
  if (setting.unit.empty()) return simple ? setting.value : in_quotes(setting.value);
  const bool numbers = std::all_of(parts.begin(), parts.end(), [](auto p) { return read_number(p).has_value(); });
  const bool short_form = number_first && numbers && simple && is_plain(setting.unit) &&
                          setting.unit.find(' ') == std::string::npos && !read_number(setting.unit);
  if (short_form) return fmt::format("{} {}", setting.value, setting.unit);
  return fmt::format("{{value: {}, unit: {}}}", simple ? setting.value : in_quotes(setting.value),
                     scalar(setting.unit));
}

std::string path_text(const fs::path& path, const fs::path& folder) {
  if (folder.empty() || path.empty()) return path.string();
  const auto place = fs::absolute(path).lexically_normal();
  const auto relative = place.lexically_relative(fs::absolute(folder).lexically_normal());
  return relative.empty() ? place.string() : relative.string();
}

std::string list_text(const std::vector<std::string>& texts) {
  std::vector<std::string> scalars;
  scalars.reserve(texts.size());
  for (const auto& text : texts) scalars.push_back(scalar(text));
  return fmt::format("[{}]", fmt::join(scalars, ", "));
}

// "{a: 1, b: 2}" from its parts.
class Flow {
 public:
  void add(std::string_view key, const std::string& value) { parts_.push_back(fmt::format("{}: {}", key, value)); }
  template <class T>
  void add(std::string_view key, const std::optional<T>& value) {
    if (value) add(key, fmt::format("{}", *value));
  }
  [[nodiscard]] bool empty() const { return parts_.empty(); }
  [[nodiscard]] std::string text() const { return fmt::format("{{{}}}", fmt::join(parts_, ", ")); }

 private:
  std::vector<std::string> parts_;
};

// --- the document

class Writer {
 public:
  explicit Writer(const fs::path& folder) : folder_(folder) {}

  std::string operator()(const Document& document) {
    line(0, "consort: 1");
    line(0, "name: {}", scalar(document.system.name));
    write_solver(document.system.solver, document.system.tolerance, 0);
    write_contents(document.system, 0);
    write_experiment(document);
    write_run(document.run);
    write_section(settings::Section::record, document.run, 0);
    write_bonds(document.run);
    write_scenario(document.run);
    return std::move(out_);
  }

  std::string words(const System& system) {
    write_solver(system.solver, system.tolerance, 0);
    if (!system.host.empty()) line(0, "host: {}", scalar(system.host));
    System extract;
    for (const auto& c : system.connectors)
      if (c.value) extract.connectors.push_back(c);
    write_connectors(extract, "parameters", 0, [](describe::Causality) { return true; });
    for (const auto& c : system.connections)
      if (!c.value.empty()) extract.connections.push_back(c);
    write_connections(extract, 0);
    write_events(system, 0);
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(int level, fmt::format_string<Args...> text, Args&&... args) {
    out_.append(2 * static_cast<std::size_t>(level), ' ');
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void write_contents(const System& system, int level) {
    using describe::Causality;
    if (!system.description.empty()) line(level, "description: {}", scalar(system.description));
    write_units_of_measure(system, level);
    const auto is_input = [](Causality c) { return c == Causality::input || c == Causality::independent; };
    const auto is_parameter = [](Causality c) {
      return c == Causality::parameter || c == Causality::structural_parameter;
    };
    write_connectors(system, "inputs", level, is_input);
    write_connectors(system, "outputs", level, [&](Causality c) { return !is_input(c) && !is_parameter(c); });
    write_connectors(system, "parameters", level, is_parameter);
    line(level, "units:{}", system.components.empty() && system.systems.empty() ? " {}" : "");
    for (const auto& component : system.components) write_component(component, level + 1);
    inside_.push_back(&system);
    for (const auto& inner : system.systems) {
      line(level + 1, "{}:", scalar(inner.name));
      if (inner.kind == System::Kind::plain) {
        write_solver(inner.solver, inner.tolerance, level + 2);
        if (!inner.host.empty()) line(level + 2, "host: {}", scalar(inner.host));
        write_contents(inner, level + 2);
      } else if (inner.kind == System::Kind::table) {
        line(level + 2, "table: {}", scalar(path_text(inner.table, folder_)));
        write_connectors(inner, "connectors", level + 2, [](Causality) { return true; });
      } else {
        write_signals(inner, level + 2);
      }
    }
    inside_.pop_back();
    write_connections(system, level);
    write_events(system, level);
    write_settings("set", system.settings, level);
  }

  void write_connections(const System& system, int level) {
    if (!system.connections.empty()) line(level, "connections:");
    for (const auto& connection : system.connections) line(level + 1, "- {}", connection_text(connection));
  }

  void write_events(const System& system, int level) {
    if (!system.events.empty()) line(level, "events:");
    for (const auto& event : system.events) {
      std::vector<std::string> actions;
      for (const auto& action : event.actions) actions.push_back(action_text(action));
      Flow flow;
      if (!event.name.empty()) flow.add("name", scalar(event.name));
      flow.add("when", in_quotes(event.when));
      flow.add("do", fmt::format("[{}]", fmt::join(actions, ", ")));
      line(level + 1, "- {}", flow.text());
    }
  }

  static std::string action_text(const EventAction& action) {
    using Kind = EventAction::Kind;
    constexpr std::string_view verbs[] = {"set", "pulse", "release", "stop"};
    Flow flow;
    flow.add(verbs[static_cast<std::size_t>(action.kind)],
             in_quotes(action.kind == Kind::stop ? action.value : action.target));
    if (action.kind == Kind::set || action.kind == Kind::pulse) flow.add("to", in_quotes(action.value));
    return flow.text();
  }

  // What a reference refers to has the name of its element here, which in a package may be another one.
  [[nodiscard]] const std::string& owner_of(const System& reference) const {
    for (std::size_t i = inside_.size(); i-- > 0;)
      for (const auto& s : inside_[i]->systems)
        if (s.kind == System::Kind::dictionary && s.dictionary == reference.dictionary) return s.name;
    return reference.dictionary;
  }

  void write_signals(const System& shared, int level) {
    write_units_of_measure(shared, level);
    if (shared.kind == System::Kind::reference) line(level, "of: {}", scalar(owner_of(shared)));
    line(level, "signals:{}", shared.connectors.empty() ? " {}" : "");
    for (const auto& connector : shared.connectors)
      line(level + 1, "{}:{}", scalar(connector.name),
           connector_text(connector, connector.causality != describe::Causality::local));
  }

  void write_units_of_measure(const System& system, int level) {
    if (!system.units.empty()) line(level, "units_of_measure:");
    for (const auto& unit : system.units) {
      if (!unit.base) {
        line(level + 1, "{}:", scalar(unit.name));
        continue;
      }
      Flow flow;
      for (std::size_t i = 0; i < unit.base->exponents.size(); ++i)
        if (unit.base->exponents[i] != 0)
          flow.add(describe::base_unit_name(i), fmt::format("{}", static_cast<int>(unit.base->exponents[i])));
      if (unit.base->factor != 1) flow.add("factor", fmt::format("{}", unit.base->factor));
      if (unit.base->offset != 0) flow.add("offset", fmt::format("{}", unit.base->offset));
      line(level + 1, "{}: {}", scalar(unit.name), flow.text());
    }
  }

  static std::string connector_text(const Connector& connector, bool with_causality) {
    Flow flow;
    if (with_causality) flow.add("causality", std::string(describe::name_of(connector.causality)));
    if (connector.type) flow.add("type", std::string(name_of(*connector.type)));
    if (!connector.unit.empty()) flow.add("unit", scalar(connector.unit));
    if (connector.value) flow.add("value", fmt::format("{}", *connector.value));
    if (!connector.dimensions.empty())
      flow.add("dimensions", fmt::format("[{}]", fmt::join(connector.dimensions, ", ")));
    return flow.empty() ? std::string() : " " + flow.text();
  }

  void write_connectors(const System& system, std::string_view key, int level, const auto& belongs) {
    bool first = true;
    for (const auto& connector : system.connectors) {
      if (!belongs(connector.causality)) continue;
      if (std::exchange(first, false)) line(level, "{}:", key);
      line(level + 1, "{}:{}", scalar(connector.name), connector_text(connector, false));
    }
  }

  void write_solver(const std::string& solver, const std::optional<double>& tolerance, int level) {
    if (solver.empty()) return;
    if (tolerance)
      line(level, "solver: {{name: {}, tolerance: {}}}", scalar(solver), *tolerance);
    else
      line(level, "solver: {}", scalar(solver));
  }

  void write_component(const Component& component, int level) {
    line(level, "{}:", scalar(component.name));
    if (component.is_python())
      line(level + 1, "python: {}",
           scalar(path_text(component.python_file(), folder_) + ":" + component.python_class()));
    else if (component.is_native())
      line(level + 1, "model: {}", scalar(component.model_name()));
    else
      line(level + 1, "fmu: {}", scalar(path_text(component.source, folder_)));
    if (component.interface) {
      require(*component.interface != describe::InterfaceType::scheduled_execution,
              "unit '{}': scheduled execution cannot be written as YAML; choose another interface", component.name);
      line(level + 1, "interface: {}", *component.interface == describe::InterfaceType::co_simulation ? "cs" : "me");
    }
    if (!component.platform.empty()) line(level + 1, "platform: {}", component.platform);
    write_solver(component.solver, component.tolerance, level + 1);
    if (!component.host.empty()) line(level + 1, "host: {}", scalar(component.host));
    if (component.substeps != 1) line(level + 1, "substeps: {}", component.substeps);
    if (component.responds_without_step) line(level + 1, "responds_without_step: true");
    write_settings("start", component.settings, level + 1);
    if (!component.connectors.empty()) line(level + 1, "connectors:");
    for (const auto& connector : component.connectors)
      line(level + 2, "{}:{}", scalar(connector.name), connector_text(connector, true));
  }

  // A mapping has every key once: of several settings of one name the last counts.
  void write_settings(std::string_view key, const std::vector<Setting>& settings, int level) {
    if (!settings.empty()) line(level, "{}:", key);
    std::unordered_map<std::string_view, const Setting*> last;
    for (const auto& setting : settings) last[setting.name] = &setting;
    for (const auto& setting : settings)
      if (last[setting.name] == &setting) line(level + 1, "{}: {}", scalar(setting.name), value_text(setting));
  }

  static std::string connection_text(const Connection& c) {
    const std::string from = c.value.empty() ? c.from.text() : std::string();
    const std::string to = c.to.text();
    const bool bare = c.value.empty() && (from + to).find_first_of(" >") == std::string::npos;
    if (bare && c.transformation.index() == 0 && !c.suppress_unit_conversion && c.sample <= 0 && is_plain(from) &&
        is_plain(to))
      return fmt::format("{} -> {}", from, to);
    Flow flow;
    if (c.value.empty()) flow.add("from", scalar(from));
    flow.add("to", scalar(to));
    if (!c.value.empty()) flow.add("value", in_quotes(c.value));
    if (const auto* linear = std::get_if<Linear>(&c.transformation)) {
      flow.add("factor", fmt::format("{}", linear->factor));
      if (linear->offset != 0) flow.add("offset", fmt::format("{}", linear->offset));
    } else if (const auto* mapping = std::get_if<Mapping>(&c.transformation)) {
      Flow entries;
      for (const auto& [source, target] : mapping->entries) entries.add(scalar(source), scalar(target));
      flow.add("map", entries.text());
      if (mapping->partial) flow.add("others", std::string("keep"));
    }
    if (c.suppress_unit_conversion) flow.add("convert_units", std::string("false"));
    if (c.sample > 0) flow.add("sample", fmt::format("{}", c.sample));
    return flow.text();
  }

  // What a run was told beats what the system says: they become one.
  void write_experiment(const Document& document) {
    const auto& e = document.system.experiment;
    const auto& run = document.run;
    Flow flow;
    flow.add("start", run.start ? run.start : e.start);
    flow.add("stop", run.stop ? run.stop : e.stop);
    flow.add("step", run.step ? run.step : e.step);
    flow.add("tolerance", run.tolerance ? run.tolerance : e.tolerance);
    flow.add("output_interval", run.output_interval);
    if (!flow.empty()) line(0, "experiment: {}", flow.text());
  }

  static std::string group_text(const ScheduleEntry& group) {
    if (group.kind == ScheduleEntry::Kind::unit) return scalar(group.unit);
    std::vector<std::string> members;
    for (const auto& member : group.members) members.push_back(group_text(member));
    return fmt::format("{{{}: [{}]}}", group.kind == ScheduleEntry::Kind::serial ? "serial" : "parallel",
                       fmt::join(members, ", "));
  }

  std::string setting_text(const settings::Row& row, const settings::Value& value) const {
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return list_text(*texts);
    if (std::holds_alternative<std::monostate>(value)) return "\"\"";
    const auto& text = std::get<std::string>(value);
    return scalar(row.kind == settings::Kind::file ? path_text(text, folder_) : text);
  }

  // Calls `write(key, value)` for the settings of a section that differ from their defaults.
  template <class Write>
  void for_settings(settings::Section section, const RunSettings& run, Write&& write) const {
    for (const auto& row : settings::rows())
      if (row.section == section && settings::is_set(row, run))
        write(row.key, setting_text(row, settings::value(row, run)));
  }

  void write_section(settings::Section section, const RunSettings& run, int level) {
    Flow flow;
    for_settings(section, run, [&](std::string_view key, const std::string& value) { flow.add(key, value); });
    if (!flow.empty()) line(level, "{}: {}", settings::name_of(section), flow.text());
  }

  void write_run(const RunSettings& run) {
    using settings::Section;
    const std::size_t before = out_.size();
    line(0, "run:");
    const std::size_t begun = out_.size();
    for_settings(Section::run, run,
                 [&](std::string_view key, const std::string& value) { line(1, "{}: {}", key, value); });
    if (!run.schedule.empty()) line(1, "schedule:");
    for (const auto& group : run.schedule) line(2, "- {}", group_text(group));
    for (const auto section : {Section::loops, Section::iteration, Section::control}) write_section(section, run, 1);
    if (out_.size() == begun) out_.resize(before);
  }

  void write_bonds(const RunSettings& run) {
    if (run.bonds.empty()) return;
    line(0, "bonds:");
    for (const auto& bond : run.bonds) line(1, "- {{effort: {}, flow: {}}}", scalar(bond.effort), scalar(bond.flow));
  }

  void write_scenario(const RunSettings& run) {
    constexpr std::string_view verbs[] = {"set", "hold", "ramp", "release"};
    if (!run.scenario.empty()) line(0, "scenario:");
    for (const auto& action : run.scenario) {
      Flow flow;
      flow.add("at", fmt::format("{}", action.at));
      flow.add(verbs[static_cast<std::size_t>(action.kind)], scalar(action.target));
      if (action.kind == ScenarioAction::Kind::set || action.kind == ScenarioAction::Kind::ramp)
        flow.add("to", is_plain_value(action.value) ? action.value : in_quotes(action.value));
      if (action.kind == ScenarioAction::Kind::ramp) flow.add("within", fmt::format("{}", action.duration));
      line(1, "- {}", flow.text());
    }
  }

  const fs::path& folder_;
  std::string out_;
  std::vector<const System*> inside_;  // the systems around what is being written, outermost first
};

}  // namespace

std::string write_system(const Document& document, const fs::path& folder) { return Writer(folder)(document); }

std::string write_words(const System& system) { return Writer({}).words(system); }

}  // namespace consort::yaml
