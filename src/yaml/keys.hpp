// Every key that a system file may have, in one place: the reader, its messages and the test of the JSON Schema
// (docs/schema/system.schema.json) come from these tables.
#pragma once

#include <span>
#include <string_view>

namespace consort::yaml {

struct KeyTable {
  std::string_view name;  // of the definition in the schema
  std::string_view what;  // "a connection", for messages
  std::span<const std::string_view> keys;
  // Of settings of the run, in front of their key in errors ("iteration."); null: the keys are no settings.
  const char* settings = nullptr;
};

// The present name of a key that had another one in earlier versions; empty: it had none.
[[nodiscard]] std::string_view renamed(const KeyTable& table, std::string_view key);

[[nodiscard]] const KeyTable& file_keys();       // the system file itself
[[nodiscard]] const KeyTable& settings_keys();   // of these, how it is run
[[nodiscard]] const KeyTable& component_keys();  // a unit that is an FMU or a native model
[[nodiscard]] const KeyTable& included_keys();   // a unit that is a system in a file of its own
[[nodiscard]] const KeyTable& inline_keys();     // a unit that is a system written in place
[[nodiscard]] const KeyTable& signals_keys();    // a unit that is a signal dictionary, or a reference to one
[[nodiscard]] const KeyTable& table_keys();      // a unit that is a table of signals over time
[[nodiscard]] const KeyTable& solver_keys();     // of a unit, or of a system whose units are solved together
[[nodiscard]] const KeyTable& event_keys();
[[nodiscard]] const KeyTable& event_action_keys();
[[nodiscard]] const KeyTable& connector_keys();
[[nodiscard]] const KeyTable& connection_keys();
[[nodiscard]] const KeyTable& value_keys();
[[nodiscard]] const KeyTable& unit_of_measure_keys();
[[nodiscard]] const KeyTable& experiment_keys();
[[nodiscard]] const KeyTable& run_keys();
[[nodiscard]] const KeyTable& loop_keys();
[[nodiscard]] const KeyTable& group_keys();
[[nodiscard]] const KeyTable& record_keys();
[[nodiscard]] const KeyTable& scenario_keys();
[[nodiscard]] const KeyTable& iteration_keys();
[[nodiscard]] const KeyTable& control_keys();
[[nodiscard]] const KeyTable& bond_keys();
[[nodiscard]] std::span<const KeyTable> all_key_tables();

}  // namespace consort::yaml
