#include "engine/library.hpp"

#include <fmt/format.h>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "solve/solvers.hpp"
#include "unit/fmu_unit.hpp"
#include "unit/me_unit.hpp"

namespace consort::engine {

using describe::InterfaceType;

namespace {

// Of solvers with steps of fixed size, where nobody says another.
constexpr Duration usual_step = 1e-3;

}  // namespace

InterfaceType interface_of(const graph::Component& component, const describe::Description& d) {
  if (component.interface) return *component.interface;
  const bool cs = d.interface(InterfaceType::co_simulation) != nullptr;
  const bool me = d.interface(InterfaceType::model_exchange) != nullptr;
  return !cs && me ? InterfaceType::model_exchange : InterfaceType::co_simulation;
}

Library::Library(LibraryOptions options) : options_(std::move(options)) {}
Library::~Library() = default;

void Library::add(std::string name, Factory factory) {
  auto prototype = factory(name);
  natives_[std::move(name)] = {std::move(factory), std::move(prototype)};
}

Library::Native* Library::native(const graph::Component& component) {
  if (!component.is_native()) return nullptr;
  const std::string name = component.source.string().substr(graph::native_prefix.size());
  const auto found = natives_.find(name);
  if (found != natives_.end()) return &found->second;
  std::vector<std::string_view> names;
  for (const auto& [known, entry] : natives_) names.emplace_back(known);
  throw input_error(
      "unit '{}': there is no model '{}'{}; models are added in C++ or Python, files are named by their path",
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
  return *fmu;
}

const describe::Description& Library::description(const graph::Component& component) {
  if (const auto* own = native(component)) return own->prototype->description();
  return open(component).description();
}

graph::Catalogue Library::catalogue() {
  return [this](const graph::Component& component) -> const describe::Description& { return description(component); };
}

std::unique_ptr<unit::Unit> Library::make(const graph::PlannedUnit& planned, Duration step) {
  const auto& component = planned.component;
  if (const auto* own = native(component)) return own->factory(planned.name);
  const auto& fmu = open(component);
  fmi::InstanceOptions instance;
  instance.name = planned.name;
  instance.logging = options_.logging;
  instance.log = options_.log;
  instance.trace = options_.trace;
  const auto interface = interface_of(component, fmu.description());
  require_in_unit(planned.name, interface != InterfaceType::scheduled_execution,
                  "unit '{}': Scheduled Execution is not simulated; use Co-Simulation or Model Exchange", planned.name);
  if (interface == InterfaceType::model_exchange) {
    unit::MeUnitOptions options;
    options.solver = component.solver.empty() ? options_.solver : component.solver;
    if (!solve::find_solver(options.solver).capabilities.adaptive) {
      const Duration own = fmu.description().default_experiment.step_size.value_or(usual_step);
      options.solver_options.initial_step = (step > 0 ? step : own) / component.substeps;
    }
    return unit::make_me_unit(fmu, std::move(instance), std::move(options));
  }
  if (!component.solver.empty())
    static_cast<void>(solve::find_solver(component.solver));  // a wrong name is wrong here, too
  const auto* const cs = fmu.description().interface(InterfaceType::co_simulation);
  instance.use_event_mode = cs != nullptr && cs->event_mode;
  // An event inside of a step is handled where it is; the unit then completes the step (FMI 3.0, 4.2.1.1).
  instance.allow_early_return = instance.use_event_mode;
  return unit::make_fmu_unit(fmu, std::move(instance));
}

std::vector<std::unique_ptr<unit::Unit>> Library::make_units(const graph::Plan& plan, Duration step) {
  std::vector<std::unique_ptr<unit::Unit>> units;
  units.reserve(plan.units.size());
  for (const auto& planned : plan.units) units.push_back(with_unit(planned.name, [&] { return make(planned, step); }));
  return units;
}

std::vector<Library::File> Library::files() const {
  std::vector<File> files;
  for (const auto& [canonical, fmu] : fmus_) {
    const bool is_file = std::filesystem::is_regular_file(canonical);
    files.push_back({fmu->path().string(), is_file ? sha256_of_file(canonical) : std::string()});
  }
  return files;
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
