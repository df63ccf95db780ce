// Linearises a system: all of its units become one group (src/group), which is integrated up to a time; the matrices
// are read there, column by column, with the directional derivatives of the group.
//
// The units are solved as Model Exchange, whatever the system says about solvers, steppers and coupling. Groups inside
// are taken apart. Inputs of the system keep their start values: signals of tables, of the input file and of the
// scenario are not applied, and a note says so.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "consort/linearise.hpp"
#include "engine/library.hpp"
#include "graph/document.hpp"

namespace consort::analyse {

struct LineariseRequest {
  std::optional<Time> at{};                // default: the start, after initialisation
  std::string solver{};                    // default: that of the system if it has one, else bdf
  std::optional<double> tolerance{};       // default: the finest that the system or its units name, else 1e-6
  std::vector<graph::Setting> settings{};  // override those of the system
  bool eigenvectors = false;
  std::string only_unit{};  // leave the name of this unit out of the names of variables
};

// States are those of all units, in their order. Inputs are the continuous inputs of the system, or, if the system has
// none, the unconnected ones of its units; outputs likewise. Throws Error (input) for units without states that can be
// named, with their names, and for a time before the start; Error (run) if the system does not reach the time, or if a
// derivative is not finite.
[[nodiscard]] Linearisation linearise(const graph::Document& document, engine::Library& library,
                                      const LineariseRequest& request = {});

// A system of this FMU alone. For LineariseRequest::only_unit, the unit has the name of the document's system.
[[nodiscard]] graph::Document document_of_fmu(const std::filesystem::path& file);

// --- files

[[nodiscard]] std::string json_of(const Linearisation& linearisation);
// ".json, .mat, .h5"
[[nodiscard]] std::string linearisation_endings();
// Throws Error (input) that lists the endings if there is no such format.
void require_linearisation_ending(const std::filesystem::path& file);
// In the format of the ending. Throws Error (input) as above, Error (run) if the file cannot be written.
void write_linearisation(const Linearisation& linearisation, const std::filesystem::path& file);

}  // namespace consort::analyse
