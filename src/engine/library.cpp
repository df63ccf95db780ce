#include "engine/library.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fleet/fmu_factory.hpp"
#include "group/make_group.hpp"
#include "solve/solvers.hpp"

namespace consort::engine {

using describe::InterfaceType;

namespace {

// Default step of solvers with steps of fixed size.
constexpr Duration usual_step = 1e-3;

}  // namespace

Library::Library(LibraryOptions options) : options_(std::move(options)) {}
Library::~Library() = default;

void Library::add(std::string name, Factory factory) {
  auto prototype = factory(name);
  natives_[std::move(name)] = {std::move(factory), std::move(prototype)};
}

void Library::add(const fmi::Fmu& fmu) {
  by_given_path_[fmu.path().string()] = &fmu;
  by_folder_[fmu.folder().string()] = &fmu;
}

Library::Native* Library::native(const graph::Component& component) {
  if (!component.is_native()) return nullptr;
  const std::string name = component.source.string().substr(graph::native_prefix.size());
  const auto found = natives_.find(name);
  if (found != natives_.end()) return &found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, entry] : natives_) names.emplace_back(known);
  throw input_error("unit '{}': there is no model '{}'{}; add the model in C++ or Python, or give the path of a file",
                    component.name, name, suggestion(name, names))
      .in_unit(component.name);
}

const fmi::Fmu& Library::open(const graph::Component& component) {
  const std::string given = component.source.string();
  if (const auto known = by_given_path_.find(given); known != by_given_path_.end()) return *known->second;
  std::error_code error;
  const auto canonical = std::filesystem::canonical(component.source, error);
  require_in_unit(component.name, !error, "unit '{}'{}: there is no file '{}'; check its name and folder",
                  component.name, component.where.empty() ? "" : " (" + component.where + ")", given);
  auto& fmu = fmus_[canonical.string()];
  try {
    if (!fmu) fmu = std::make_unique<fmi::Fmu>(fmi::Fmu::open(component.source, options_.open));
  } catch (const Error& problem) {
    throw input_error("unit '{}': {}", component.name, problem.what()).in_unit(component.name);
  }
  by_given_path_[given] = fmu.get();
  by_folder_[fmu->folder().string()] = fmu.get();
  return *fmu;
}

const describe::Description& Library::description(const graph::Component& component) {
  if (component.group) return group(component).description();
  if (const auto* own = native(component)) return own->prototype->description();
  return open(component).description();
}

graph::Catalogue Library::catalogue() {
  return [this](const graph::Component& component) -> const describe::Description& { return description(component); };
}

// A component of another compilation has another system, although with the same contents.
const group::Model& Library::group(const graph::Component& component) {
  for (const auto& known : groups_)
    if (known.system == component.group) return *known.model;
  auto model =
      with_unit(component.name, [&] { return group::make_model(*component.group, catalogue(), component.settings); });
  groups_.push_back({component.group, std::move(model), groups_.size() + 1});
  return *groups_.back().model;
}

fleet::UnitSpec Library::group_spec(const graph::PlannedUnit& planned, Duration step) {
  const auto& component = planned.component;
  const auto& model = group(component);
  fleet::UnitSpec spec;
  spec.name = planned.name;
  spec.interface = InterfaceType::model_exchange;
  spec.solver = component.solver;
  spec.tolerance = component.tolerance.value_or(0);
  if (!solve::find_solver(spec.solver).capabilities.adaptive) spec.solver_step = step > 0 ? step : usual_step;
  for (const auto& member : model.plan.units) {
    graph::PlannedUnit inner = member;
    inner.name = planned.name + "." + member.name;
    inner.component.interface = InterfaceType::model_exchange;
    spec.members.push_back(with_unit(inner.name, [&] { return spec_of(inner, step); }));
  }
  for (const auto& known : groups_)
    if (known.system == component.group) spec.group = known.number;
  return spec;
}

std::unique_ptr<unit::Unit> Library::make_group(const fleet::UnitSpec& spec) {
  std::vector<std::unique_ptr<fmi::ModelExchange>> members;
  for (const auto& member : spec.members)
    members.push_back(fleet::make_model_exchange(*by_folder_.at(member.folder), member, options_.log, options_.trace));
  return group::make_group(groups_.at(spec.group - 1).model, spec, std::move(members));
}

fleet::UnitSpec Library::spec_of(const graph::PlannedUnit& planned, Duration step) {
  const auto& component = planned.component;
  if (component.group) return group_spec(planned, step);
  fleet::UnitSpec spec;
  spec.name = planned.name;
  spec.tolerance = component.tolerance.value_or(0);
  if (native(component) != nullptr) {
    spec.model = component.source.string().substr(graph::native_prefix.size());
    return spec;
  }
  const auto& fmu = open(component);
  const auto& d = fmu.description();
  spec.folder = fmu.folder().string();
  spec.logging = options_.logging;
  spec.trace_calls = options_.trace != nullptr;
  const auto& open_options = options_.open;
  if (!component.platform.empty())
    spec.platform = fmi::name_of(fmi::platform_of(component.platform));
  else if (open_options.platform)
    spec.platform = fmi::name_of(*open_options.platform);
  if (open_options.call_limit) spec.call_limit = open_options.call_limit->count();
  spec.interface = component.interface_of(d);
  require_in_unit(planned.name, spec.interface != InterfaceType::scheduled_execution,
                  "unit '{}': Scheduled Execution is not simulated; use Co-Simulation or Model Exchange", planned.name);
  spec.solver = component.solver.empty() ? options_.solver : component.solver;
  const auto& solver = solve::find_solver(spec.solver);  // a wrong name is an error for Co-Simulation, too
  if (spec.interface == InterfaceType::model_exchange && !solver.capabilities.adaptive)
    spec.solver_step = (step > 0 ? step : d.default_experiment.step_size.value_or(usual_step)) / component.substeps;
  const auto* const cs = d.interface(InterfaceType::co_simulation);
  spec.event_mode = component.event_mode.value_or(cs != nullptr && cs->event_mode);
  // An event inside a step is handled at its time; the unit then completes the step (FMI 3.0, 4.2.1.1).
  spec.early_return = component.early_return.value_or(spec.event_mode);
  return spec;
}

std::unique_ptr<unit::Unit> Library::make(const fleet::UnitSpec& spec) {
  if (spec.group != 0) return make_group(spec);
  if (!spec.model.empty()) return natives_.at(spec.model).factory(spec.name);
  return fleet::make_unit(*by_folder_.at(spec.folder), spec, options_.log, options_.trace);
}

std::vector<fleet::UnitSpec> Library::specs(const graph::Plan& plan, Duration step) {
  std::vector<fleet::UnitSpec> all;
  all.reserve(plan.units.size());
  for (const auto& planned : plan.units) all.push_back(with_unit(planned.name, [&] { return spec_of(planned, step); }));
  return all;
}

fleet::UnitFactory Library::factory() {
  return [this](const fleet::UnitSpec& spec) { return with_unit(spec.name, [&] { return make(spec); }); };
}

std::function<std::shared_ptr<const describe::Description>(const fleet::UnitSpec&)> Library::describer() {
  return [this](const fleet::UnitSpec& spec) {
    const auto& description = spec.group != 0      ? groups_.at(spec.group - 1).model->description()
                              : spec.model.empty() ? by_folder_.at(spec.folder)->description()
                                                   : natives_.at(spec.model).prototype->description();
    return std::shared_ptr<const describe::Description>(std::shared_ptr<void>(), &description);  // owned by the library
  };
}

std::vector<std::string> Library::warnings() const {
  std::vector<std::string> lines;
  for (const auto& [canonical, fmu] : fmus_) {
    const auto count = fmu->diagnostics().count(Severity::warning);
    if (count > 0)
      lines.push_back(fmt::format("{} breaks {} rule{} of the standard; 'consort check' lists them",
                                  fmu->path().string(), count, count == 1 ? "" : "s"));
  }
  return lines;
}

}  // namespace consort::engine
