// A system described by names: units, connections and start values. Readers (YAML, SSP) and C++ users build it;
// compile() (graph/compile.hpp) turns it into a Plan of indices.
//
//   System s("quarter_car");
//   s.add("wheel", "wheel.fmu");
//   s.add("chassis", "chassis.fmu").set("m", "400");
//   s.connect("wheel.x", "chassis.x_w");
//   s.connect("chassis.F", "wheel.F");
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "base/value.hpp"
#include "describe/description.hpp"

namespace consort::graph {

// --- transformations -------------------------------------------------------------------------------------------------

struct Linear {
  double factor = 1;
  double offset = 0;

  bool operator==(const Linear&) const = default;
};

// Source value → target value. A value that is not listed is an error when it occurs, unless `partial` is set.
struct Mapping {
  std::vector<std::pair<std::string, std::string>> entries;
  bool partial = false;  // values that are not listed stay unchanged

  bool operator==(const Mapping&) const = default;
};

using Transformation = std::variant<std::monostate, Linear, Mapping>;

// --- values ----------------------------------------------------------------------------------------------------------

// A start value (`set` and `start` in system files), not a setting of the run (consort::RunSettings).
// A value for a variable, as text. In a component, `name` is the name of one of its variables; in a system, it is a
// path ("wheel.k", "front.wheel.k") or the name of one of its own connectors.
struct Setting {
  std::string name;
  std::string value;
  std::string unit{};   // unit of measure of the value; empty: that of the variable
  std::string where{};  // "system.yaml:12:5", for messages

  std::vector<std::string> elements{};  // of an array, instead of `value`: a text among them may hold blanks

  // Additional data of SSP parameter files.
  std::optional<describe::BaseUnit> measure{};  // definition of `unit`, if the file has one
  bool convert_units = true;
  Transformation transformation{};          // after the conversion of units
  std::vector<std::uint64_t> dimensions{};  // of an array, if the file gives them
  std::string number{};                     // number of an enumeration's item, for variables that are plain integers
  // SSP semantics: the setting applies to every variable of that name, even if there are none. The unit counts only if
  // the variable has one. A variable that cannot be set keeps its value, and a note is added.
  bool lenient = false;

  // The value, or its elements separated by blanks, as numbers are written.
  [[nodiscard]] std::string text() const;
};

// --- connections -----------------------------------------------------------------------------------------------------

// `element` is the name of a component or nested system; empty: a connector of the system itself.
struct Endpoint {
  std::string element;
  std::string connector;
  [[nodiscard]] std::string text() const { return element.empty() ? connector : element + "." + connector; }
};

struct Connection {
  Endpoint from;
  Endpoint to;
  Transformation transformation{};  // after the conversion of units
  bool suppress_unit_conversion = false;
  std::string where{};
  std::string value{};  // instead of `from`: an expression (src/expr) of the names of its system
  double sample = 0;    // s: the value is held between ticks of this period; 0: it is not sampled
};

// A connector of a system, or the declared connector of a component. Properties that are not given are those of the
// variable.
struct Connector {
  std::string name;
  describe::Causality causality = describe::Causality::input;
  std::optional<Type> type{};
  std::string unit{};
  std::string where{};
  std::vector<std::uint64_t> dimensions{};  // of an array, if they are given as numbers
  std::optional<double> value{};            // of a parameter that has one by itself, in `unit`
};

// --- events ----------------------------------------------------------------------------------------------------------

// What an event of a system does.
struct EventAction {
  enum class Kind : std::uint8_t {
    set,      // `target` takes the value; inputs and parameters hold it until they are released, states go on from it
    pulse,    // the target, an input, takes the value for one round of the event iteration, and 0 after it
    release,  // the target takes values from its connection again
    stop,     // the run ends; `value` is the text of the report
  };
  Kind kind = Kind::set;
  std::string target{};  // UNIT.VARIABLE
  std::string value{};   // an expression (src/expr)
  std::string where{};
};

// Happens when the condition becomes true; not if it is true at the start. All values are calculated before any of them
// is assigned. Names are those of the system that has the event.
struct SystemEvent {
  std::string name{};  // may be empty
  std::string when;    // an expression
  std::vector<EventAction> actions{};
  std::string where{};
};

// --- elements --------------------------------------------------------------------------------------------------------

// Sources of components that are native models: "model:NAME", and "python:FILE:CLASS" for a class in Python, which only
// a program in Python can run.
inline constexpr std::string_view native_prefix = "model:";
inline constexpr std::string_view python_prefix = "python:";

class System;

struct Component {
  std::string name;
  std::filesystem::path source;                         // an FMU, or "model:NAME" or "python:FILE:CLASS"
  std::shared_ptr<const System> group{};                // instead of a source: units that are solved together
  std::optional<describe::InterfaceType> interface {};  // default: Co-Simulation if the unit supports it
  bool may_use_other_interface = false;                 // `interface` is used only if the unit offers it
  std::string platform{};                               // of the FMU's binary: "win64"; empty: as fmi::find_binary()
  std::string solver{};                                 // for Model Exchange: a name of solve/solvers.hpp
  std::optional<double> tolerance{};                    // of the solver; default: that of the experiment
  std::uint32_t substeps = 1;                           // equal steps of the unit per communication step
  std::string host{};                  // where it runs: a name of host/hosts.hpp; empty: the host of the run
  std::optional<bool> event_mode{};    // FMI 3.0: handle events in event mode; default: if the unit supports it
  std::optional<bool> early_return{};  // FMI 3.0: allow early return from a step; default: if event mode is used
  bool responds_without_step =
      false;  // outputs follow inputs without a step, although the standard does not guarantee it
  std::vector<Setting> settings{};
  std::vector<Connector> connectors{};  // units and types declared by a system description; empty: as in the unit
  std::string where{};

  [[nodiscard]] bool is_python() const { return source.native().starts_with(python_prefix); }
  [[nodiscard]] bool is_native() const { return source.native().starts_with(native_prefix) || is_python(); }
  // The name under which the program knows a native model: NAME, or the whole source of a class in Python.
  [[nodiscard]] std::string model_name() const {
    return is_python() ? source.string() : source.string().substr(native_prefix.size());
  }
  // The file and the name of a class in Python.
  [[nodiscard]] std::filesystem::path python_file() const;
  [[nodiscard]] std::string python_class() const;
  // The interface to use for the unit: `interface` if given (see may_use_other_interface), else Co-Simulation if the
  // unit supports it.
  [[nodiscard]] describe::InterfaceType interface_of(const describe::Description& unit) const;
  Component& set(std::string name_of_variable, std::string value, std::string unit = {}) {
    settings.push_back({std::move(name_of_variable), std::move(value), std::move(unit), {}});
    return *this;
  }
};

// A unit of measure that a system defines for its own connectors and settings.
struct UnitOfMeasure {
  std::string name;
  std::optional<describe::BaseUnit> base{};
};

struct ExperimentSettings {
  std::optional<Time> start{};
  std::optional<Time> stop{};
  std::optional<Duration> step{};  // communication step
  std::optional<double> tolerance{};
};

// A folder that holds files of components and lives as long as its owner, which all copies of a system share.
struct KeptFiles {
  std::shared_ptr<const void> owner;
  std::filesystem::path folder;
  std::filesystem::path archive{};  // that the folder was unpacked from; empty: it is a folder of the user
};

class System {
 public:
  explicit System(std::string system_name = "system") : name(std::move(system_name)) {}

  std::string name;
  std::string description;
  std::vector<Component> components;
  std::vector<System> systems;
  std::vector<Connector> connectors;
  std::vector<Connection> connections;
  std::vector<SystemEvent> events;
  // `dictionary`: signals shared by name (a signal dictionary of SSP), as a system without contents whose connectors
  // forward their signals. `reference`: gives access to a dictionary by its name from inner systems.
  // `table`: a table of signals over time (input/table.hpp) in the file `table`; the connectors are its columns.
  enum class Kind : std::uint8_t { plain, dictionary, reference, table };
  Kind kind = Kind::plain;
  std::string dictionary;  // name of the dictionary, for a dictionary and for references to it
  std::filesystem::path table{};
  // A nested system with a solver is one unit, a group: its units are solved together. compile() makes a component of
  // it. The other fields are those of that component.
  std::string solver{};
  std::optional<double> tolerance{};
  std::string host{};
  std::vector<Setting> settings;  // override settings of inner elements; later ones override earlier ones
  std::vector<UnitOfMeasure> units;
  ExperimentSettings experiment;
  std::string where;
  std::vector<std::string> notes;  // assumptions of a reader, for the report
  std::vector<KeptFiles> kept;

  // Throw Error (input) if the name is already used. The reference is valid until the next call of add or add_system.
  Component& add(std::string element_name, std::filesystem::path source);
  System& add_system(System system);

  // "wheel.x" is the connector x of the element wheel. A name without an element is a connector of this system, which
  // is created if it does not exist. Throws Error (input) with the nearest names if the element does not exist.
  Connection& connect(std::string_view from, std::string_view to);
  Connection& connect(std::string_view from, std::string_view to, Linear transformation);
  // The target takes the value of an expression: "-k * (left.x - right.x)".
  Connection& connect_value(std::string expression, std::string_view to);

  // Splits `path` into the longest element name that it begins with, and the rest. Empty element if no name matches.
  [[nodiscard]] Endpoint endpoint(std::string_view path) const;
  [[nodiscard]] const Component* component(std::string_view element_name) const;
  [[nodiscard]] const System* system(std::string_view element_name) const;
  [[nodiscard]] std::vector<std::string_view> element_names() const;
  [[nodiscard]] std::size_t unit_count() const;  // with those of inner systems

 private:
  Endpoint known(std::string_view path, describe::Causality causality);
  [[nodiscard]] bool has_element(std::string_view element_name) const;
  void add_to_index(const std::string& element_name);  // right after has_element()
  // Names of the elements, for fast lookup in connect(); rebuilt if the number of elements has changed.
  mutable std::unordered_set<std::string> index_;
  mutable std::size_t indexed_ = 0;
};

}  // namespace consort::graph
