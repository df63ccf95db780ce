// Run settings that OMSimulator writes into annotations of the type "org.openmodelica".
//
// Version 2 describes the solver of a system inside of the system's <SimulationInformation>: <VariableStepSolver> for a
// strongly coupled system, whose units are for Model Exchange, <FixedStepMaster> or <VariableStepMaster> for a weakly
// coupled one. Version 3 has a list of named solvers, which components refer to by their name.
#pragma once

#include "base/diagnostic.hpp"
#include "graph/document.hpp"
#include "ssp/annotations.hpp"
#include "ssp/document.hpp"

namespace consort::ssp {

inline constexpr std::string_view omsimulator_annotation = "org.openmodelica";

// Sets interfaces and solvers of components, the communication step, the tolerance and the output interval. Adds a note
// for each.
void apply_omsimulator(const Annotated& from, graph::Document& document, Diagnostics& diagnostics);

}  // namespace consort::ssp
