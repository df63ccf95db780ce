#include <string>

#include <fmt/format.h>

#include "base/text.hpp"
#include "settings/table.hpp"
#include "yaml/read_setting.hpp"
#include "yaml/reader_parts.hpp"

namespace consort::yaml {

using graph::RunSettings;
using graph::ScenarioAction;
using graph::ScheduleEntry;

namespace {

namespace fs = std::filesystem;

double positive_seconds(const View& view, std::string_view what) {
  const double value = view.seconds(what);
  if (!(value > 0)) throw view.error("{} must be greater than 0, not {}", what, value);
  return value;
}

// What the file says of the system; what a run is told beats it.
void read_experiment(const View& view, const fs::path& folder, graph::ExperimentSettings& experiment,
                     RunSettings& run) {
  const Fields fields(view, experiment_keys());
  RunSettings said;
  read_section(settings::Section::experiment, fields, folder, said);
  if (said.stop && *said.stop < said.start.value_or(0))
    throw fields.need("stop").error("the stop time {} is before the start time {}; correct one", *said.stop,
                                    said.start.value_or(0));
  experiment = {said.start, said.stop, said.step, said.tolerance};
  if (said.output_interval) run.output_interval = said.output_interval;
}

ScheduleEntry read_group(const View& view) {
  ScheduleEntry group;
  if (view.is(Node::Kind::scalar)) {
    group.unit = view.text("a member of a group");
    return group;
  }
  if (!view.is(Node::Kind::mapping))
    throw view.error("a member of a group is a unit, {{serial: […]}} or {{parallel: […]}}");
  const Fields fields(view, group_keys());
  const auto serial = fields.find("serial");
  const auto parallel = fields.find("parallel");
  if (serial.has_value() == parallel.has_value()) throw view.error("a group is either serial or parallel; give one");
  group.kind = serial ? ScheduleEntry::Kind::serial : ScheduleEntry::Kind::parallel;
  const View members = serial ? *serial : *parallel;
  for (const auto& member : members.list("the members of a group")) group.members.push_back(read_group(member));
  if (group.members.empty()) throw members.error("the group is empty; name its members, or remove it");
  return group;
}

void read_run_section(const View& view, const fs::path& folder, RunSettings& run) {
  using settings::Section;
  const Fields fields(view, run_keys());
  read_section(Section::run, fields, folder, run);
  if (const auto groups = fields.find("schedule")) {
    run.schedule.clear();
    for (const auto& group : groups->list("'schedule'")) run.schedule.push_back(read_group(group));
  }
  if (const auto loops = fields.find("loops")) read_section(Section::loops, {*loops, loop_keys()}, folder, run);
  if (const auto iteration = fields.find("iteration"))
    read_section(Section::iteration, {*iteration, iteration_keys()}, folder, run);
  if (const auto control = fields.find("control"))
    read_section(Section::control, {*control, control_keys()}, folder, run);
}

ScenarioAction read_action(const View& view) {
  const Fields fields(view, scenario_keys());
  constexpr std::string_view verbs[] = {"set", "hold", "ramp", "release"};
  ScenarioAction action;
  action.where = view.where();
  action.at = fields.need("at").seconds("the time of an action");
  int found = 0;
  for (std::size_t i = 0; i < std::size(verbs); ++i) {
    const auto verb = fields.find(verbs[i]);
    if (!verb) continue;
    ++found;
    action.kind = static_cast<ScenarioAction::Kind>(i);
    action.target = verb->text("the target of an action");
  }
  if (found != 1) throw view.error("an action does one of set, hold, ramp and release; give one of these keys");
  const bool moves = action.kind == ScenarioAction::Kind::set || action.kind == ScenarioAction::Kind::ramp;
  const auto to = fields.find("to");
  if (to.has_value() != moves)
    throw view.error("'{}' {} 'to: VALUE'; {} it", verbs[static_cast<std::size_t>(action.kind)],
                     moves ? "needs" : "takes no", moves ? "add" : "remove");
  if (moves) action.value = read_plain_value(*to, "the value of an action");
  const auto within = fields.find("within");
  if (within.has_value() != (action.kind == ScenarioAction::Kind::ramp))
    throw view.error("'within: SECONDS' belongs to a ramp, and a ramp needs it; {} it", within ? "remove" : "add");
  if (within) action.duration = positive_seconds(*within, "the time of a ramp");
  return action;
}

}  // namespace

void read_run_settings(const Fields& file, const fs::path& folder, RunSettings& run) {
  if (const auto section = file.find("run")) section->attempt([&] { read_run_section(*section, folder, run); });
  if (const auto record = file.find("record"))
    record->attempt([&] { read_section(settings::Section::record, {*record, record_keys()}, folder, run); });
  if (const auto bonds = file.find("bonds")) {
    for (const auto& bond : bonds->list("'bonds'"))
      bond.attempt([&] {
        const Fields fields(bond, bond_keys());
        run.bonds.push_back({fields.need("effort").text("the effort of a power bond"),
                             fields.need("flow").text("the flow of a power bond"), bond.where()});
      });
  }
  if (const auto scenario = file.find("scenario"))
    for (const auto& action : scenario->list("'scenario'"))
      action.attempt([&] { run.scenario.push_back(read_action(action)); });
}

void read_run(const Fields& file, const fs::path& folder, graph::System& system, RunSettings& run) {
  if (const auto experiment = file.find("experiment"))
    experiment->attempt([&] { read_experiment(*experiment, folder, system.experiment, run); });
  read_run_settings(file, folder, run);
}

void read_settings(std::string_view text, const std::string& shown, const fs::path& folder, RunSettings& run) {
  Budget budget;
  const Node root = parse(text, shown, budget);
  const Origin origin{shown};
  const View view(root, origin);
  const Fields fields(view, settings_keys());
  if (const auto experiment = fields.find("experiment"))
    read_section(settings::Section::experiment, {*experiment, experiment_keys()}, folder, run);
  // Lists are replaced, not added to.
  if (fields.has("bonds")) run.bonds.clear();
  if (fields.has("scenario")) run.scenario.clear();
  read_run_settings(fields, folder, run);
}

void read_setting(std::string_view path, std::string_view text, const std::string& shown, RunSettings& run) {
  const auto& row = settings::find(path);
  Node root;
  if (row.kind == settings::Kind::text || row.kind == settings::Kind::file) {  // whatever YAML would make of it
    root.kind = Node::Kind::scalar;
    root.text = text;
    root.quoted = true;
  } else {
    Budget budget;
    root = parse(text, shown, budget);
  }
  root.line = 0;
  const Origin origin{shown};
  read_setting(row, View(root, origin, settings::path_of(row)), {}, run);
}

}  // namespace consort::yaml
