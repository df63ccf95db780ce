// The description of a unit: an FMU of any version or a native model, in the terms of FMI 3.0.
//
// A Description is filled once (by a version folder of fmi/, a native model, a test), then finish() is called; after
// that it is const. Names and texts are views into its own arena, so it is movable but not copyable.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_arena.hpp"
#include "base/value.hpp"
#include "describe/measure.hpp"
#include "describe/model_structure.hpp"
#include "describe/terminals.hpp"
#include "describe/variable.hpp"

namespace consort::describe {

enum class FmiVersion : std::uint8_t { v1, v2, v3, native };
enum class InterfaceType : std::uint8_t { co_simulation, model_exchange, scheduled_execution };
[[nodiscard]] std::string_view name_of(FmiVersion version);  // "FMI 2.0", "native model"
[[nodiscard]] std::string_view name_of(InterfaceType type);  // "Co-Simulation"

struct DefaultExperiment {
  std::optional<double> start_time;
  std::optional<double> stop_time;
  std::optional<double> tolerance;
  std::optional<double> step_size;
};

// An interface type of the unit with its capabilities. A capability that the version does not define is false or 0.
struct Interface {
  InterfaceType type = InterfaceType::co_simulation;
  std::string model_identifier;
  bool needs_execution_tool = false;
  bool only_once_per_process = false;
  bool can_save_state = false;  // get, set and free FMU state
  bool can_serialize_state = false;
  bool directional_derivatives = false;
  bool adjoint_derivatives = false;
  bool per_element_dependencies = false;
  // Co-Simulation
  bool variable_step = false;
  bool interpolates_inputs = false;  // FMI 1, 2: takes input derivatives
  std::uint32_t max_output_derivative_order = 0;
  std::optional<double> fixed_internal_step;
  bool intermediate_update = false;  // FMI 3
  bool might_return_early = false;   // FMI 3
  bool can_return_early_after_intermediate_update = false;
  std::uint32_t recommended_input_smoothness = 0;
  bool event_mode = false;  // FMI 3; always true for Model Exchange
  bool evaluates_discrete_states = false;
  bool runs_asynchronously = false;  // FMI 1, 2: doStep may return pending
  bool can_reject_steps = false;     // a discarded step may be repeated at once (FMI 1: if declared; FMI 3: always)
  bool can_signal_events = false;    // FMI 1
  // Model Exchange
  bool needs_completed_integrator_step = true;
  // Memory of the FMI 1 and 2 callbacks
  bool no_memory_management = false;
  std::string entry_point;  // FMI 1 CS: of a tool coupling; also its MIME type
  std::string mime_type;
};

struct TypeDefinition {
  std::string_view name;
  std::string_view description;
  std::string_view quantity;
  Type type = Type::Float64;
  MeasureId unit = no_measure;
  DisplayUnitId display_unit = no_display_unit;
  bool relative_quantity = false;
  bool unbounded = false;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  double nominal = 1.0;
  bool has_nominal = false;
  struct Item {
    std::string_view name;
    std::string_view description;
    std::int64_t value = 0;
  };
  std::vector<Item> items;  // of an enumeration
  std::uint32_t line = 0;
};

struct LogCategory {
  std::string_view name;
  std::string_view description;
};

// A tool-specific annotation, stored as XML text.
struct Annotation {
  std::string_view type;  // the name of the tool or annotation type
  std::string_view xml;
};

struct SourceFileSet {
  std::string name;
  std::string language;
  std::string compiler;
  std::string compiler_options;
  std::vector<std::string> files;  // relative to sources/
  struct Definition {
    std::string name;
    std::string value;
    bool optional = false;
  };
  std::vector<Definition> definitions;
  std::vector<std::string> include_directories;  // relative to sources/
};

struct BuildConfiguration {
  std::string model_identifier;
  std::string platform;
  std::string description;
  std::vector<SourceFileSet> source_file_sets;
  struct Library {
    std::string name;
    std::string version;
    std::string description;
    bool external = false;
  };
  std::vector<Library> libraries;
};

class Description {
 public:
  Description();
  Description(Description&&) noexcept;
  Description& operator=(Description&&) noexcept;
  ~Description();

  // --- the model
  FmiVersion version = FmiVersion::native;
  std::string fmi_version;  // as written: "2.0", "3.0.1"
  std::string model_name;
  std::string instantiation_token;  // FMI 1, 2: the GUID
  std::string description;
  std::string author;
  std::string model_version;
  std::string copyright;
  std::string license;
  std::string generation_tool;
  std::string generation_date;
  bool structured_names = false;  // variableNamingConvention="structured"
  DefaultExperiment default_experiment;
  std::vector<Interface> interfaces;  // in the order of InterfaceType
  std::vector<LogCategory> log_categories;
  std::vector<Annotation> annotations;
  std::uint32_t input_derivative_order = 1;  // highest order that an FMU of Consort says it accepts; else 1
  std::vector<BuildConfiguration> build_configurations;
  Terminals terminals;

  // --- definitions and variables, in the order of declaration
  std::vector<Measure> units;
  std::vector<TypeDefinition> types;
  std::vector<Variable> variables;
  std::vector<Value> starts;                             // Variable::start
  std::vector<Dimension> dimensions;                     // Variable::dimensions
  std::vector<ValueReference> clocks;                    // Variable::clocks
  std::vector<ClockProperties> clock_properties;         // Variable::clock
  std::vector<VariableAnnotation> variable_annotations;  // sorted by variable
  std::vector<Alias> aliases;                            // FMI 3 alias names, sorted by variable

  // --- structure
  ModelStructure structure;
  std::uint32_t continuous_states = 0;  // FMI 3: elements at the start values of structural parameters
  std::uint32_t event_indicators = 0;

  [[nodiscard]] StringArena& arena() { return arena_; }

  // Builds the look-up tables. Call once, after all members are filled.
  void finish();

  // Constant time; no_variable if the name is unknown. An alias name finds the variable that it stands for.
  [[nodiscard]] VariableId find(std::string_view name) const;
  // The first variable with this value reference and type. In FMI 1 and 2, aliases share a reference and each type has
  // its own number space; in FMI 3 references are unique.
  [[nodiscard]] VariableId find(ValueReference reference, Type type) const;
  // As find(), but throws Error (input) with the nearest names if the name is unknown.
  [[nodiscard]] VariableId require_variable(std::string_view name) const;

  [[nodiscard]] const Variable& operator[](VariableId id) const { return variables[id]; }
  [[nodiscard]] const Interface* interface(InterfaceType type) const;  // null: the unit does not have it
  [[nodiscard]] const Value* start(const Variable& v) const { return v.start == no_start ? nullptr : &starts[v.start]; }
  [[nodiscard]] std::span<const Dimension> dimensions_of(const Variable& v) const {
    return {dimensions.data() + v.dimensions.begin, v.dimensions.count};
  }
  [[nodiscard]] std::span<const ValueReference> clocks_of(const Variable& v) const {
    return {clocks.data() + v.clocks.begin, v.clocks.count};
  }
  // Number of elements at the start values of the structural parameters; 1 for a scalar.
  [[nodiscard]] std::uint64_t element_count(const Variable& v) const;
  [[nodiscard]] std::string_view unit_name(const Variable& v) const;
  // The display unit of the variable; null: no display unit.
  [[nodiscard]] const DisplayUnit* display_unit(const Variable& v) const;

 private:
  StringArena arena_;
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace consort::describe
