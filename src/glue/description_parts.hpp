// Parts of model descriptions that are equal in several FMI versions.
#pragma once

#include <cstdint>
#include <vector>

#include "glue/description.hpp"
#include "glue/xml.hpp"

namespace consort::glue {

[[nodiscard]] const char* name_of(model::Causality causality);  // "calculatedParameter"
[[nodiscard]] const char* name_of(model::Variability variability);
[[nodiscard]] const char* name_of(model::Initial initial);  // "" for Initial::none

// UnitDefinitions of FMI 2.0 and 3.0.
void write_units(Xml& xml, const DescribedModel& model, const char* base_element);
void write_log_categories(Xml& xml);
void write_experiment(Xml& xml, const model::Info& info, bool with_step);
// FMI 1.0 and 2.0: which orders of input derivatives the unit accepts. The standards have no attribute for it.
void write_annotation(Xml& xml);
// The attributes of a numeric variable: quantity, unit, displayUnit, min, max, nominal.
void write_numbers(Xml& xml, const DescribedModel& model, const model::Slot& slot);

[[nodiscard]] std::uint32_t state_of_rate(const model::Layout& layout, std::uint32_t rate);

// References of the unknowns in ModelStructure, in ascending order.
struct Unknowns {
  explicit Unknowns(const DescribedModel& model);
  std::vector<std::uint32_t> outputs;
  std::vector<std::uint32_t> rates;
  std::vector<std::uint32_t> initial;
};

struct Dependencies {
  bool declared = false;
  std::vector<std::uint32_t> references;
};
// The dependencies of an output or a derivative.
[[nodiscard]] Dependencies dependencies_of(const DescribedModel& model, std::uint32_t reference);

}  // namespace consort::glue
