// What a worker makes units of: FMUs, each opened once, and built-in models.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "fleet/spec.hpp"
#include "fmi/fmu.hpp"
#include "graph/system.hpp"
#include "host/process/unit_server.hpp"
#include "unit/model_source.hpp"

namespace consort::host {

// Must outlive the units. Throws Error (input) for models that only the program of the engine knows.
class WorkerUnits {
 public:
  [[nodiscard]] std::unique_ptr<unit::Unit> make(const fleet::UnitSpec& spec, const Voice& voice);

 private:
  const fmi::Fmu& open(const fleet::UnitSpec& spec);
  const unit::ModelSource& model(const fleet::UnitSpec& spec);
  [[nodiscard]] std::unique_ptr<fmi::ModelExchange> instance(const fleet::UnitSpec& spec, const Voice& voice);
  [[nodiscard]] std::unique_ptr<unit::Unit> make_group(const fleet::UnitSpec& spec, const Voice& voice);
  [[nodiscard]] const describe::Description& description(const graph::Component& component) const;

  std::map<std::string, std::unique_ptr<const fmi::Fmu>> fmus_;             // by folder
  std::map<std::string, std::shared_ptr<const unit::ModelSource>> models_;  // by name
};

}  // namespace consort::host
