#include "yaml/keys.hpp"

#include <array>
#include <cstddef>

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
                          Name("bonds")};
constexpr std::array component{Name("fmu"),  Name("model"),   Name("interface"), Name("solver"),    Name("substeps"),
                               Name("host"), Name("answers"), Name("start"),     Name("connectors")};
constexpr std::array included{Name("system"), Name("set")};
constexpr std::array in_place{Name("description"), Name("units"),      Name("connections"), Name("inputs"),
                              Name("outputs"),     Name("parameters"), Name("set"),         Name("units_of_measure")};
constexpr std::array signals{Name("signals"), Name("of"), Name("units_of_measure")};
constexpr std::array connector{Name("causality"), Name("type"), Name("unit"), Name("dimensions")};
constexpr std::array connection{Name("from"), Name("to"),     Name("factor"),       Name("offset"),
                                Name("map"),  Name("others"), Name("convert_units")};
constexpr std::array value{Name("value"), Name("unit")};
constexpr std::array unit_of_measure{Name("kg"),  Name("m"),  Name("s"),   Name("A"),      Name("K"),
                                     Name("mol"), Name("cd"), Name("rad"), Name("factor"), Name("offset")};
constexpr std::array experiment{Name("start"), Name("stop"), Name("step"), Name("tolerance"), Name("output_interval")};
constexpr std::array run{Name("stepper"),   Name("extrapolation"), Name("order"),     Name("schedule"),
                         Name("host"),      Name("threads"),       Name("loops"),     Name("consistent"),
                         Name("real_time"), Name("input_file"),    Name("iteration"), Name("control")};
constexpr std::array control{Name("controller"),   Name("tolerance"), Name("absolute"), Name("initial"),
                             Name("minimum"),      Name("maximum"),   Name("safety"),   Name("shrink"),
                             Name("grow"),         Name("rule"),      Name("norm"),     Name("divisor"),
                             Name("tolerance_for")};
constexpr std::array loop{Name("method"), Name("tolerance"), Name("iterations")};
constexpr std::array iteration{
    Name("method"), Name("tolerance"), Name("most"),  Name("relaxation"), Name("depth"),           Name("reuse"),
    Name("filter"), Name("jacobian"),  Name("scope"), Name("sweep"),      Name("if_not_converged")};
constexpr std::array group{Name("serial"), Name("parallel")};
constexpr std::array record{Name("variables"), Name("every"), Name("file"), Name("compression"), Name("substeps")};
constexpr std::array scenario{Name("at"),      Name("set"), Name("hold"),  Name("ramp"),
                              Name("release"), Name("to"),  Name("within")};

constexpr std::array bond{Name("effort"), Name("flow")};

constexpr KeyTable tables[] = {
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
};

}  // namespace

const KeyTable& file_keys() { return tables[0]; }
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
std::span<const KeyTable> all_key_tables() { return tables; }

}  // namespace consort::yaml
