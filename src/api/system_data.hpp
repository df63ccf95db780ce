// What a public System holds, for those that run it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "consort/system.hpp"
#include "engine/library.hpp"
#include "engine/simulation.hpp"
#include "graph/document.hpp"

namespace consort {

struct System::Data {
  graph::Document document;
  std::map<std::string, NativeModel> models;  // by the name that components have
};

namespace api {

[[nodiscard]] engine::SimulationOptions simulation_options(const RunSettings& settings, const RunOptions& options);

// With the models of the system, including those of systems inside.
[[nodiscard]] std::shared_ptr<engine::Library> library_of(const std::map<std::string, NativeModel>& models,
                                                          const engine::LibraryOptions& options);

}  // namespace api
}  // namespace consort
