#include "host/process/worker_units.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "fleet/fmu_factory.hpp"
#include "graph/pack.hpp"
#include "group/make_group.hpp"
#include "group/model.hpp"
#include "model/built_in.hpp"
#include "unit/me_unit.hpp"

namespace consort::host {

const fmi::Fmu& WorkerUnits::open(const fleet::UnitSpec& spec) {
  auto& fmu = fmus_[spec.folder];
  if (!fmu) {
    fmi::OpenOptions options;
    if (spec.call_limit > 0) options.call_limit = std::chrono::duration<double>(spec.call_limit);
    fmu = std::make_unique<const fmi::Fmu>(fmi::Fmu::open(spec.folder, options));
  }
  return *fmu;
}

const unit::ModelSource& WorkerUnits::model(const fleet::UnitSpec& spec) {
  const auto* const row = spec.built_in ? model::find_built_in(spec.model) : nullptr;
  require(row != nullptr,
          "unit '{}' is a model of the program itself ('{}') and cannot run in another process; remove 'host: process' "
          "for it",
          spec.name, spec.model);
  auto& source = models_[spec.model];
  if (!source) source = unit::make_model_source(*row->definition, std::string(row->model_name));
  return *source;
}

std::unique_ptr<fmi::ModelExchange> WorkerUnits::instance(const fleet::UnitSpec& spec, const Voice& voice) {
  if (spec.model.empty()) return fleet::make_model_exchange(open(spec), spec, voice.log, voice.trace);
  auto made = model(spec).instantiate({.name = spec.name, .log = voice.log});
  if (spec.logging) made->set_debug_logging(true, {});
  return made;
}

// The sources of components are folders, see UnitSpec::system.
const describe::Description& WorkerUnits::description(const graph::Component& component) const {
  if (!component.is_native()) {
    if (const auto fmu = fmus_.find(component.source.string()); fmu != fmus_.end()) return fmu->second->description();
  } else if (const auto known = models_.find(component.model_name()); known != models_.end()) {
    return known->second->description();
  }
  throw run_error("the description of the group does not fit its members: there is no '{}'", component.source.string());
}

std::unique_ptr<unit::Unit> WorkerUnits::make_group(const fleet::UnitSpec& spec, const Voice& voice) {
  std::vector<std::unique_ptr<fmi::ModelExchange>> members;
  for (const auto& member : spec.members)
    members.push_back(with_unit(member.name, [&] { return instance(member, voice); }));
  const auto packed = graph::unpack(spec.system);
  auto model = group::make_model(
      packed.system, [this](const graph::Component& c) -> const describe::Description& { return description(c); },
      packed.settings);
  return group::make_group(std::move(model), spec, std::move(members));
}

std::unique_ptr<unit::Unit> WorkerUnits::make(const fleet::UnitSpec& spec, const Voice& voice) {
  if (spec.is_group()) return make_group(spec, voice);
  if (spec.model.empty()) return fleet::make_unit(open(spec), spec, voice.log, voice.trace);
  auto made = instance(spec, voice);
  return unit::make_me_unit(std::move(made), model(spec).description(), fleet::solver_options(spec));
}

}  // namespace consort::host
