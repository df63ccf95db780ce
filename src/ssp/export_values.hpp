// Values of a system as parameter bindings of the standard.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "describe/description.hpp"
#include "graph/system.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

// A variable that a value is for; null where it is not known.
struct KnownVariable {
  const describe::Description* description = nullptr;
  const describe::Variable* variable = nullptr;
};
using FindVariable = std::function<KnownVariable(const std::string& name)>;

struct ValueContext {
  Version version;
  std::function<std::optional<describe::BaseUnit>(const std::string& unit)> measure;  // that a name stands for there
  std::vector<std::string>& notes;                                                    // what the standard cannot say
};

// One binding, or several where values of the same name or mappings need them. Throws Error (input): a unit of measure
// that nobody defines, an array that the version cannot hold.
[[nodiscard]] std::vector<ParameterBinding> bindings_of(const std::vector<graph::Setting>& settings,
                                                        const FindVariable& find, const ValueContext& context);

// `source`: the variable that it begins with, or null; `what` names it in notes.
[[nodiscard]] Transformation transformation_of(const graph::Transformation& from, const describe::Variable* source,
                                               const std::string& what, std::vector<std::string>& notes);

}  // namespace consort::ssp
