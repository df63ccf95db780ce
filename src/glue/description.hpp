// Writes the modelDescription.xml of a model for each FMI version. Runs when FMUs are built.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "glue/exported.hpp"
#include "glue/token.hpp"
#include "model/layout.hpp"

namespace consort::glue {

struct DescriptionOptions {
  bool model_exchange = true;
  bool co_simulation = true;
  std::string generation_tool = "Consort";
};

// FMI 1.0 allows one interface per FMU: exactly one of the two options must be true.
[[nodiscard]] std::string describe_fmi1(const Exported& exported, const DescriptionOptions& options);
[[nodiscard]] std::string describe_fmi2(const Exported& exported, const DescriptionOptions& options);
[[nodiscard]] std::string describe_fmi3(const Exported& exported, const DescriptionOptions& options);

// Mistakes that can only be found by running the model, one paragraph each: an output or derivative that depends on a
// value missing in its depends_on(), start values outside of their range.
[[nodiscard]] std::vector<std::string> find_mistakes(const Exported& exported);

// --- shared by the versions

struct UsedUnit {
  std::string name;
  std::vector<std::string> display_units;
};

// The facts about a model that the descriptions of all versions need.
struct DescribedModel {
  DescribedModel(const Exported& model, model::Layout::Style style);
  ~DescribedModel();
  DescribedModel(const DescribedModel&) = delete;
  DescribedModel& operator=(const DescribedModel&) = delete;

  [[nodiscard]] const model::Variable& variable(const model::Slot& slot) const {
    return exported.definition->variables[slot.variable];
  }
  [[nodiscard]] std::string name(const model::Slot& slot) const;  // "x", "x[2]", "der(x)"
  [[nodiscard]] std::string unit(const model::Slot& slot) const;
  [[nodiscard]] bool has_start(const model::Slot& slot) const;
  // The start value of one element as XML text; `element` counts from the slot's first element.
  [[nodiscard]] std::string start(const model::Slot& slot, std::size_t element = 0) const;
  // References of the slots of these members, in ascending order.
  [[nodiscard]] std::vector<std::uint32_t> references(const model::Names& members) const;
  // The type name of an enumeration: the name of the first variable with these values.
  [[nodiscard]] std::string type_name(const model::Variable& v) const;
  [[nodiscard]] std::vector<const model::Variable*> enumerations() const;  // the first variable of each type
  [[nodiscard]] std::vector<UsedUnit> units() const;

  const Exported& exported;
  model::Layout layout;
  std::string token;
  void* specimen;  // a model with its start values
};

struct LogCategoryText {
  const char* name;
  const char* description;
};
inline constexpr LogCategoryText log_categories[] = {
    {"logEvents", "events of the model"},
    {"logStatusWarning", "functions that return a warning"},
    {"logStatusDiscard", "functions that return discard"},
    {"logStatusError", "functions that return an error"},
    {"logStatusFatal", "functions that return a fatal error"},
};

}  // namespace consort::glue
