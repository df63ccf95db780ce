#include "engine/library.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fleet/fmu_factory.hpp"
#include "graph/pack.hpp"
#include "group/make_group.hpp"
#include "model/built_in.hpp"
#include "solve/solvers.hpp"
#include "unit/me_unit.hpp"

namespace consort::engine {

using describe::InterfaceType;

namespace {

// Default step of solvers with steps of fixed size.
constexpr Duration usual_step = 1e-3;

std::string names_of_built_in() {
  std::string text;
  for (const auto& row : model::built_in_models()) text += (text.empty() ? "" : ", ") + std::string(row.name);
  return text;
}

}  // namespace

Library::Library(LibraryOptions options) : options_(std::move(options)) {}
Library::~Library() = default;

void Library::add(std::string name, Factory factory) {
  auto prototype = factory(name);
  natives_[std::move(name)] = {nullptr, std::move(factory), std::move(prototype), false};
}

void Library::add(std::string name, std::shared_ptr<const unit::ModelSource> model) {
  natives_[std::move(name)] = {std::move(model), {}, {}, false};
}

void Library::add(const fmi::Fmu& fmu) {
  by_given_path_[fmu.path().string()] = &fmu;
  by_folder_[fmu.folder().string()] = &fmu;
}

Library::Native* Library::native(const graph::Component& component) {
  if (!component.is_native()) return nullptr;
  const std::string name = component.model_name();
  if (const auto found = natives_.find(name); found != natives_.end()) return &found->second;
  if (const auto* const row = model::find_built_in(name)) {
    add(name, unit::make_model_source(*row->definition, std::string(row->model_name)));
    auto& added = natives_.at(name);
    added.built_in = true;
    return &added;
  }
  const std::string where = component.where.empty() ? "" : " (" + component.where + ")";
  if (component.is_python())
    throw input_error(
        "unit '{}'{}: the class '{}' of {} is written in Python, so a program in Python has to run the system: "
        "'python3 -m consort run SYSTEM', or consort.run() there",
        component.name, where, component.python_class(), component.python_file().string())
        .in_unit(component.name);
  std::vector<std::string_view> names;
  for (const auto& [known, entry] : natives_) names.emplace_back(known);
  for (const auto& row : model::built_in_models()) names.push_back(row.name);
  throw input_error(
      "unit '{}'{}: there is no model '{}'{}; define it in C++ or Python, or use one of those that are built in: {}",
      component.name, where, name, suggestion(name, names), names_of_built_in())
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
  if (const auto* own = native(component)) return own->description();
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

void Library::choose_solver(const graph::Component& component, const describe::Description& d, Duration step,
                            fleet::UnitSpec& spec) {
  spec.solver = component.solver.empty() ? options_.solver : component.solver;
  const auto& solver = solve::find_solver(spec.solver);  // a wrong name is an error for Co-Simulation, too
  if (spec.interface == InterfaceType::model_exchange && !solver.capabilities.adaptive)
    spec.solver_step = (step > 0 ? step : d.default_experiment.step_size.value_or(usual_step)) / component.substeps;
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
  auto system = *component.group;
  use_folders(system);
  spec.system = graph::pack(system, component.settings);
  return spec;
}

void Library::use_folders(graph::System& system) {
  for (auto& component : system.components)
    if (!component.is_native()) component.source = open(component).folder();
  for (auto& inner : system.systems) use_folders(inner);
}

std::unique_ptr<unit::Unit> Library::make_group(const fleet::UnitSpec& spec) {
  std::vector<std::unique_ptr<fmi::ModelExchange>> members;
  for (const auto& member : spec.members) members.push_back(model_exchange(member));
  return group::make_group(groups_.at(spec.group - 1).model, spec, std::move(members));
}

fleet::UnitSpec Library::spec_of(const graph::PlannedUnit& planned, Duration step) {
  const auto& component = planned.component;
  if (component.group) return group_spec(planned, step);
  fleet::UnitSpec spec;
  spec.name = planned.name;
  spec.tolerance = component.tolerance.value_or(0);
  if (const auto* const own = native(component)) {
    spec.model = component.model_name();
    spec.built_in = own->built_in;
    if (own->model) {
      require_in_unit(planned.name, component.interface_of(own->description()) == InterfaceType::model_exchange,
                      "unit '{}': the native model '{}' has no interface for Co-Simulation of its own; leave "
                      "'interface' out, and it is integrated by the solver of the unit",
                      planned.name, spec.model);
      spec.interface = InterfaceType::model_exchange;
      spec.logging = options_.logging;
      choose_solver(component, own->description(), step, spec);
    }
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
  choose_solver(component, d, step, spec);
  const auto* const cs = d.interface(InterfaceType::co_simulation);
  spec.event_mode = component.event_mode.value_or(cs != nullptr && cs->event_mode);
  // An event inside a step is handled at its time; the unit then completes the step (FMI 3.0, 4.2.1.1).
  spec.early_return = component.early_return.value_or(spec.event_mode);
  return spec;
}

std::unique_ptr<unit::Unit> Library::make(const fleet::UnitSpec& spec) {
  if (spec.group != 0) return make_group(spec);
  if (!spec.model.empty()) return make_native(natives_.at(spec.model), spec);
  return fleet::make_unit(*by_folder_.at(spec.folder), spec, options_.log, options_.trace);
}

std::unique_ptr<unit::Unit> Library::make_native(const Native& native, const fleet::UnitSpec& spec) {
  if (!native.model) return native.factory(spec.name);
  return unit::make_me_unit(model_exchange(spec), native.description(), fleet::solver_options(spec));
}

std::unique_ptr<fmi::ModelExchange> Library::model_exchange(const fleet::UnitSpec& spec) {
  require_in_unit(spec.name, spec.interface == InterfaceType::model_exchange,
                  "unit '{}' has no Model Exchange; a group consists of Model Exchange units and native models",
                  spec.name);
  if (!spec.model.empty()) {
    auto instance = natives_.at(spec.model).model->instantiate({.name = spec.name, .log = options_.log});
    if (spec.logging) instance->set_debug_logging(true, {});
    return instance;
  }
  return fleet::make_model_exchange(*by_folder_.at(spec.folder), spec, options_.log, options_.trace);
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
                                                   : natives_.at(spec.model).description();
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
