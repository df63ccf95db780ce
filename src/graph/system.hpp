// A system by names: units, how they are connected, and the values that they start with. Readers (YAML, SSP) and users
// in C++ write it; compile() (graph/compile.hpp) turns it into a Plan by indices.
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

// Source value → target value; values that are not listed are an error when they occur, or stay as they are.
struct Mapping {
  std::vector<std::pair<std::string, std::string>> entries;
  bool partial = false;  // values that are not listed stay as they are

  bool operator==(const Mapping&) const = default;
};

using Transformation = std::variant<std::monostate, Linear, Mapping>;

// --- values ----------------------------------------------------------------------------------------------------------

// A value for a variable, as text. In a component, `name` is the name of one of its variables; in a system, it is a
// path ("wheel.k", "front.wheel.k") or the name of one of its own connectors.
struct Setting {
  std::string name;
  std::string value;
  std::string unit{};   // of measure, that the value is given in; empty: the variable's
  std::string where{};  // "system.yaml:12:5", for messages

  // What files of parameters (SSP) say beside that.
  std::optional<describe::BaseUnit> measure{};  // what `unit` is, when the file defines it for itself
  bool convert_units = true;
  Transformation transformation{};      // after the conversion of units
  std::vector<std::string> elements{};  // of an array, when they are texts that may hold blanks; `value` is empty then
  std::vector<std::uint64_t> dimensions{};  // of an array, where the file says them
  std::string number{};                     // of an enumeration's item, for variables that are plain integers
  // As SSP has it: applies to everything of that name, and to nothing when there is nothing; the unit counts where the
  // variable has one; what cannot be set is left as it is, and a note says so.
  bool lenient = false;
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
};

// What a system shows to the outside, or what a component is declared to have. What is not said is the variable's.
struct Connector {
  std::string name;
  describe::Causality causality = describe::Causality::input;
  std::optional<Type> type{};
  std::string unit{};
  std::string where{};
  std::vector<std::uint64_t> dimensions{};  // of an array, where they are said as numbers
};

// --- elements --------------------------------------------------------------------------------------------------------

// Sources of components that are native models: "model:NAME".
inline constexpr std::string_view native_prefix = "model:";

struct Component {
  std::string name;
  std::filesystem::path source;                         // an FMU, or "model:NAME" for a native model
  std::optional<describe::InterfaceType> interface {};  // default: Co-Simulation where the unit has it
  std::string solver{};                                 // for Model Exchange: a name of solve/solvers.hpp
  std::uint32_t substeps = 1;                           // equal steps of its own per communication step
  std::string host{};                  // where it runs: a name of host/hosts.hpp; empty: as the run says
  std::optional<bool> event_mode{};    // of FMI 3.0: events are handled in event mode; none: where the unit has that
  std::optional<bool> early_return{};  // of FMI 3.0: it may return early from a step; none: with event mode
  bool responds_without_step =
      false;  // its outputs follow its inputs without a step, although the standard does not promise it
  std::vector<Setting> settings{};
  std::vector<Connector> connectors{};  // units and types that a system description declares; empty: as described
  std::string where{};

  [[nodiscard]] bool is_native() const { return source.native().starts_with(native_prefix); }
  // How it runs with a unit that is described so: as it says, or as Co-Simulation where the unit has that.
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

class System {
 public:
  explicit System(std::string system_name = "system") : name(std::move(system_name)) {}

  std::string name;
  std::string description;
  std::vector<Component> components;
  std::vector<System> systems;
  std::vector<Connector> connectors;
  std::vector<Connection> connections;
  // Signals that are shared by name (a signal dictionary of SSP): a system without contents whose connectors pass on
  // what reaches them, or a reference to one by its name, so that it can be reached from elsewhere.
  enum class Kind : std::uint8_t { plain, dictionary, reference };
  Kind kind = Kind::plain;
  std::string dictionary;         // its name, of one and of references to it
  std::vector<Setting> settings;  // beat those of what is inside; later ones beat earlier ones
  std::vector<UnitOfMeasure> units;
  ExperimentSettings experiment;
  std::string where;
  std::vector<std::string> notes;  // what a reader assumed, for the report
  // What the sources of components lie in, such as the folder that a package was unpacked into; shared by all copies.
  std::vector<std::shared_ptr<const void>> kept;

  // Throw Error (input) when the name is taken. The reference is valid until the next add.
  Component& add(std::string element_name, std::filesystem::path source);
  System& add_system(System system);

  // "wheel.x" is the connector x of the element wheel; a name without an element is a connector of this system, which
  // is made when it does not exist. Throws Error (input) when there is no such element, with the nearest names.
  Connection& connect(std::string_view from, std::string_view to);
  Connection& connect(std::string_view from, std::string_view to, Linear transformation);

  // The longest element name that `path` begins with, and the rest. An empty element when there is none.
  [[nodiscard]] Endpoint endpoint(std::string_view path) const;
  [[nodiscard]] const Component* component(std::string_view element_name) const;
  [[nodiscard]] const System* system(std::string_view element_name) const;
  [[nodiscard]] std::vector<std::string_view> element_names() const;

 private:
  [[nodiscard]] bool has_element(std::string_view element_name) const;
  void add_to_index(const std::string& element_name);  // right after has_element()
  // Of the elements by name, so that connecting many stays cheap; made anew when their number has changed.
  mutable std::unordered_set<std::string> index_;
  mutable std::size_t indexed_ = 0;
};

}  // namespace consort::graph
