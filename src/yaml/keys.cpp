#include "yaml/keys.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "settings/table.hpp"

namespace consort::yaml {

namespace {

using Name = std::string_view;

constexpr std::array file{Name("consort"),     Name("name"),
                          Name("description"), Name("units"),
                          Name("connections"), Name("inputs"),
                          Name("outputs"),     Name("parameters"),
                          Name("set"),         Name("experiment"),
                          Name("run"),         Name("record"),
                          Name("scenario"),    Name("units_of_measure"),
                          Name("events"),      Name("bonds"),
                          Name("solver")};
constexpr std::array component{Name("fmu"),       Name("model"),     Name("python"),
                               Name("interface"), Name("platform"),  Name("solver"),
                               Name("substeps"),  Name("host"),      Name("responds_without_step"),
                               Name("start"),     Name("connectors")};
constexpr std::array included{Name("system"), Name("set"), Name("solver"), Name("host")};
constexpr std::array in_place{Name("description"), Name("units"),      Name("connections"), Name("inputs"),
                              Name("outputs"),     Name("parameters"), Name("set"),         Name("units_of_measure"),
                              Name("solver"),      Name("host"),       Name("events")};
constexpr std::array event{Name("name"), Name("when"), Name("do")};
constexpr std::array event_action{Name("set"), Name("to"), Name("pulse"), Name("release"), Name("stop")};
constexpr std::array solver{Name("name"), Name("tolerance")};
constexpr std::array table{Name("table"), Name("connectors")};
constexpr std::array signals{Name("signals"), Name("of"), Name("units_of_measure")};
constexpr std::array connector{Name("causality"), Name("type"), Name("unit"), Name("dimensions"), Name("value")};
constexpr std::array connection{Name("from"),          Name("to"),    Name("factor"),
                                Name("offset"),        Name("map"),   Name("others"),
                                Name("convert_units"), Name("value"), Name("sample")};
constexpr std::array value{Name("value"), Name("unit")};
constexpr std::array unit_of_measure{Name("kg"),  Name("m"),  Name("s"),   Name("A"),      Name("K"),
                                     Name("mol"), Name("cd"), Name("rad"), Name("factor"), Name("offset")};
constexpr std::array group{Name("serial"), Name("parallel")};
constexpr std::array scenario{Name("at"),      Name("set"), Name("hold"),  Name("ramp"),
                              Name("release"), Name("to"),  Name("within")};

constexpr std::array bond{Name("effort"), Name("flow")};
constexpr std::array how_to_run{Name("experiment"), Name("run"), Name("record"), Name("scenario"), Name("bonds")};

// The settings of a section, and what it holds beside them.
std::vector<Name> section(settings::Section section, std::initializer_list<Name> others = {}) {
  std::vector<Name> keys(others);
  for (const auto& row : settings::rows())
    if (row.section == section) keys.push_back(row.key);
  return keys;
}

using settings::Section;
const std::vector<Name> experiment = section(Section::experiment);
const std::vector<Name> run = section(Section::run, {"schedule", "loops", "iteration", "control"});
const std::vector<Name> loop = section(Section::loops);
const std::vector<Name> iteration = section(Section::iteration);
const std::vector<Name> control = section(Section::control);
const std::vector<Name> record = section(Section::record);

struct Renamed {
  Name table, before, now;
};
constexpr Renamed renamed_keys[] = {{"iteration", "most", "max_iterations"},
                                    {"loops", "iterations", "max_iterations"},
                                    {"component", "answers", "responds_without_step"},
                                    {"run", "groups", "schedule"}};

const KeyTable tables[] = {
    {"system_file", "a system file", file},
    {"component", "a unit", component},
    {"included_system", "a system from another file", included},
    {"inline_system", "a system inside of a system", in_place},
    {"connector", "a connector", connector},
    {"connection", "a connection", connection},
    {"value_with_unit", "a value", value},
    {"unit_of_measure", "a unit of measure", unit_of_measure},
    {"experiment", "'experiment'", experiment, "experiment."},
    {"run", "'run'", run, ""},
    {"loops", "'loops'", loop, "loops."},
    {"group", "a group", group},
    {"record", "'record'", record, "record."},
    {"scenario_action", "an action of the scenario", scenario},
    {"iteration", "'iteration'", iteration, "iteration."},
    {"control", "'control'", control, "control."},
    {"bond", "a power bond", bond},
    {"signals", "signals that are shared", signals},
    {"table", "a table", table},
    {"solver", "a solver", solver},
    {"event", "an event", event},
    {"event_action", "an action of an event", event_action},
};
// Not a definition of the schema.
const KeyTable settings_table{"settings_of_runs", "the settings of a run", how_to_run};

}  // namespace

std::string_view renamed(const KeyTable& table, std::string_view key) {
  for (const auto& row : renamed_keys)
    if (row.table == table.name && row.before == key) return row.now;
  return {};
}

const KeyTable& file_keys() { return tables[0]; }
const KeyTable& settings_keys() { return settings_table; }
const KeyTable& component_keys() { return tables[1]; }
const KeyTable& included_keys() { return tables[2]; }
const KeyTable& inline_keys() { return tables[3]; }
const KeyTable& connector_keys() { return tables[4]; }
const KeyTable& connection_keys() { return tables[5]; }
const KeyTable& value_keys() { return tables[6]; }
const KeyTable& unit_of_measure_keys() { return tables[7]; }
const KeyTable& experiment_keys() { return tables[8]; }
const KeyTable& run_keys() { return tables[9]; }
const KeyTable& loop_keys() { return tables[10]; }
const KeyTable& group_keys() { return tables[11]; }
const KeyTable& record_keys() { return tables[12]; }
const KeyTable& scenario_keys() { return tables[13]; }
const KeyTable& iteration_keys() { return tables[14]; }
const KeyTable& control_keys() { return tables[15]; }
const KeyTable& bond_keys() { return tables[16]; }
const KeyTable& signals_keys() { return tables[17]; }
const KeyTable& table_keys() { return tables[18]; }
const KeyTable& solver_keys() { return tables[19]; }
const KeyTable& event_keys() { return tables[20]; }
const KeyTable& event_action_keys() { return tables[21]; }
std::span<const KeyTable> all_key_tables() { return tables; }

}  // namespace consort::yaml
