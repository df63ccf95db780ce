// One variable of a unit. Kept small: descriptions with a hundred thousand variables are common.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "base/value.hpp"
#include "describe/measure.hpp"

namespace consort::describe {

using VariableId = std::uint32_t;  // index into Description::variables
inline constexpr VariableId no_variable = std::numeric_limits<VariableId>::max();
inline constexpr std::uint32_t no_start = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t no_type = std::numeric_limits<std::uint32_t>::max();

enum class Causality : std::uint8_t {
  parameter,
  calculated_parameter,
  input,
  output,
  local,
  independent,
  structural_parameter,
  dependent,
};
enum class Variability : std::uint8_t { constant, fixed, tunable, discrete, continuous };
enum class Initial : std::uint8_t { exact, approx, calculated, none };
[[nodiscard]] std::string_view name_of(Causality causality);  // as in the XML of FMI 3: "calculatedParameter"
[[nodiscard]] std::string_view name_of(Variability variability);
[[nodiscard]] std::string_view name_of(Initial initial);

struct Range {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

struct Variable {
  std::string_view name;
  std::string_view description;
  std::string_view quantity;
  std::string_view mime_type;  // Binary
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  double nominal = 1.0;
  ValueReference reference = 0;
  std::uint32_t start = no_start;                // into Description::starts
  std::uint32_t declared_type = no_type;         // into Description::types
  MeasureId unit = no_measure;                   // into Description::units
  DisplayUnitId display_unit = no_display_unit;  // into the unit's display units
  VariableId derivative_of = no_variable;        // the state of which this is the derivative
  VariableId previous = no_variable;             // FMI 3 clocked states
  Range dimensions;                              // into Description::dimensions; empty for a scalar
  Range clocks;                                  // into Description::clocks
  std::uint32_t clock = no_start;                // into Description::clock_properties, for clocks
  std::uint32_t max_size = 0;                    // Binary; 0: not given
  std::uint32_t line = 0;                        // in the model description
  Type type = Type::Float64;
  Causality causality = Causality::local;
  Variability variability = Variability::continuous;
  Initial initial = Initial::none;
  bool has_nominal : 1 = false;
  bool negated : 1 = false;  // FMI 1: the value is the negated value of the reference
  bool alias : 1 = false;    // FMI 1: declared as alias or negated alias
  bool reinit : 1 = false;
  bool multiple_set_per_instant : 1 = true;
  bool intermediate_update : 1 = false;
  bool relative_quantity : 1 = false;
  bool unbounded : 1 = false;
  bool declares_initial : 1 = false;

  [[nodiscard]] bool is_array() const { return dimensions.count > 0; }
  // True if the variable may be set during the simulation.
  [[nodiscard]] bool is_settable_at_run_time() const {
    return causality == Causality::input || (causality == Causality::parameter && variability == Variability::tunable);
  }
  // True if the start value may be changed before or in initialization mode (FMI 2.0, 2.2.7; FMI 3.0, 2.4.7.5).
  [[nodiscard]] bool is_settable_before_run() const {
    return variability != Variability::constant && causality != Causality::independent &&
           (causality == Causality::input || initial == Initial::exact || initial == Initial::approx);
  }
};

// One dimension of an array: a fixed size, or the value of a structural parameter.
struct Dimension {
  std::uint64_t size = 0;
  ValueReference reference = 0;
  bool is_reference = false;
};

enum class IntervalVariability : std::uint8_t { constant, fixed, calculated, tunable, changing, countdown, triggered };
[[nodiscard]] std::string_view name_of(IntervalVariability variability);

struct ClockProperties {
  IntervalVariability interval_variability = IntervalVariability::triggered;
  bool can_be_deactivated = false;
  bool supports_fraction = false;
  bool has_priority = false;
  std::uint32_t priority = 0;
  double interval = 0;  // intervalDecimal; 0: not given
  double shift = 0;
  std::uint64_t resolution = 0;
  std::uint64_t interval_counter = 0;
  std::uint64_t shift_counter = 0;
};

struct Alias {
  VariableId variable = no_variable;
  std::string_view name;
  std::string_view description;
  DisplayUnitId display_unit = no_display_unit;
};

struct VariableAnnotation {
  VariableId variable = no_variable;
  std::string_view type;
  std::string_view xml;
};

}  // namespace consort::describe
