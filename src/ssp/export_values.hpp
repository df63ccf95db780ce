// Values of a system as SSP parameter bindings.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "describe/description.hpp"
#include "graph/system.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

// The variable of a value; null if it is unknown or if the value is for a connector of a system.
struct KnownVariable {
  const describe::Description* description = nullptr;
  const describe::Variable* variable = nullptr;
  std::vector<std::uint64_t> sizes{};  // of its dimensions, or those of the connector; 0: unknown
};
using FindVariable = std::function<KnownVariable(const std::string& name)>;

struct ValueContext {
  Version version;
  std::function<std::optional<describe::BaseUnit>(const std::string& unit)> measure;  // definition of a unit name
  std::vector<std::string>& notes;                                                    // facts that SSP cannot express
};

// One binding, or several if names repeat or mappings need it. Throws Error (input) for an undefined unit of measure
// and for an array that the version cannot hold.
[[nodiscard]] std::vector<ParameterBinding> bindings_of(const std::vector<graph::Setting>& settings,
                                                        const FindVariable& find, const ValueContext& context);

// `source`: the source variable, or null if unknown. `what` names the transformation in notes.
[[nodiscard]] Transformation transformation_of(const graph::Transformation& from, const describe::Variable* source,
                                               const std::string& what, std::vector<std::string>& notes);

}  // namespace consort::ssp
