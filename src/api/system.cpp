#include "consort/system.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analyse/linearise.hpp"
#include "api/common.hpp"
#include "api/linearise.hpp"
#include "api/native_data.hpp"
#include "api/system_data.hpp"
#include "base/error.hpp"
#include "engine/setting_names.hpp"
#include "engine/system_files.hpp"
#include "fmi/binaries.hpp"
#include "model/built_in.hpp"
#include "record/buffered_sink.hpp"
#include "record/formats.hpp"
#include "settings/table.hpp"
#include "yaml/reader.hpp"

namespace consort {

std::vector<SettingInfo> settings_of_runs() {
  std::vector<SettingInfo> all;
  for (const auto& row : settings::rows()) {
    std::string help(row.help);
    if (const auto names = engine::names_for(row.names); !names.empty()) help += ": " + names;
    all.push_back({std::string(settings::name_of(row.section)), std::string(row.key), std::move(help),
                   settings::range_text(row), settings::default_text(row)});
  }
  return all;
}

System::System(std::string name) : data_(std::make_unique<Data>()) { data_->document.system.name = std::move(name); }
System::System(const System& other) : data_(std::make_unique<Data>(*other.data_)) {}
System& System::operator=(const System& other) {
  if (this != &other) data_ = std::make_unique<Data>(*other.data_);
  return *this;
}
System::System(System&&) noexcept = default;
System& System::operator=(System&&) noexcept = default;
System::~System() = default;

System System::load(const std::filesystem::path& file) {
  System system;
  auto& [inner, run, sheet] = system.data_->document = engine::read_system_file(file);
  const auto said = std::exchange(inner.experiment, {});
  if (!run.start) run.start = said.start;
  if (!run.stop) run.stop = said.stop;
  if (!run.step) run.step = said.step;
  if (!run.tolerance) run.tolerance = said.tolerance;
  run.record.file.clear();
  return system;
}

// --- building --------------------------------------------------------------------------------------------------------

namespace {

// `name`, or "name#2" and so on if another model has that name.
std::string free_name(const std::map<std::string, NativeModel>& models, const std::string& name,
                      const NativeModel& model) {
  std::string free = name;
  for (int n = 2;; ++n) {
    const auto other = models.find(free);
    if (other == models.end() || other->second.data() == model.data()) return free;
    free = fmt::format("{}#{}", name, n);
  }
}

// Calls `f(component)` for every component that is a native model, also in systems inside.
template <class AnySystem, class F>
void for_models(AnySystem& system, const F& f) {
  for (auto& component : system.components)
    if (component.is_native()) f(component);
  for (auto& inner : system.systems) for_models(inner, f);
}

}  // namespace

System& System::add(std::string unit, const std::filesystem::path& source, const UnitOptions& options) {
  const auto interface = api::interface_of(options.interface_type);
  require_in_unit(unit, options.substeps > 0, "unit '{}': the number of sub-steps must be at least 1", unit);
  auto& component = data_->document.system.add(std::move(unit), source);
  component.interface = interface;
  component.solver = options.solver;
  component.tolerance = options.tolerance;
  component.substeps = options.substeps;
  component.host = options.host;
  if (!options.platform.empty()) component.platform = fmi::name_of(fmi::platform_of(options.platform));
  for (const auto& [name, value] : options.start_values) component.set(name, value);
  return *this;
}

System& System::add(std::string unit, const NativeModel& model, const UnitOptions& options) {
  const std::string name = free_name(data_->models, model.name(), model);
  add(std::move(unit), std::filesystem::path(std::string(graph::native_prefix) + name), options);
  data_->models.insert_or_assign(name, model);
  return *this;
}

System& System::define(const std::string& name, const NativeModel& model) {
  data_->models.insert_or_assign(name, model);
  return *this;
}

std::vector<std::string> System::undefined_models() const {
  std::vector<std::string> names;
  for_models(data_->document.system, [&](const graph::Component& component) {
    auto name = component.model_name();
    const bool known = data_->models.count(name) > 0 || model::find_built_in(name) != nullptr;
    if (!known && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  });
  return names;
}

System& System::add(std::string name, const System& inner) {
  auto nested = inner.data_->document.system;
  nested.name = std::move(name);
  std::map<std::string, std::string> renamed;
  for (const auto& [key, model] : inner.data_->models) {
    auto& here = renamed[key] = free_name(data_->models, key, model);
    data_->models.insert_or_assign(here, model);
  }
  for_models(nested, [&](graph::Component& component) {
    const auto found = renamed.find(component.model_name());
    if (found != renamed.end() && found->second != found->first)
      component.source = std::string(graph::native_prefix) + found->second;
  });
  data_->document.system.add_system(std::move(nested));
  return *this;
}

System& System::connect(std::string_view from, std::string_view to, double factor, double offset) {
  auto& system = data_->document.system;
  if (factor == 1 && offset == 0) {
    system.connect(from, to);
  } else {
    system.connect(from, to, {factor, offset});
  }
  return *this;
}

System& System::connect_value(std::string expression, std::string_view to) {
  data_->document.system.connect_value(std::move(expression), to);
  return *this;
}

namespace {

graph::Connector& declared(graph::System& system, std::string name, describe::Causality causality, std::string unit) {
  for (const auto& known : system.connectors)
    require(known.name != name, "the system '{}' has '{}' already; choose another name", system.name, name);
  graph::Connector connector;
  connector.name = std::move(name);
  connector.causality = causality;
  connector.unit = std::move(unit);
  return system.connectors.emplace_back(std::move(connector));
}

}  // namespace

System& System::output(std::string name, std::string expression, std::string unit_of_measure) {
  auto& system = data_->document.system;
  declared(system, name, describe::Causality::output, std::move(unit_of_measure));
  system.connect_value(std::move(expression), name);
  return *this;
}

System& System::parameter(std::string name, double value, std::string unit_of_measure) {
  auto& system = data_->document.system;
  declared(system, std::move(name), describe::Causality::parameter, std::move(unit_of_measure)).value = value;
  return *this;
}

System& System::solver(std::string name, std::optional<double> tolerance) {
  require(!tolerance || *tolerance > 0, "the tolerance of the solver '{}' must be > 0, got {}", name,
          tolerance.value_or(0));
  data_->document.system.solver = std::move(name);
  data_->document.system.tolerance = tolerance;
  return *this;
}

System& System::set(std::string path, std::string value, std::string unit_of_measure) {
  data_->document.system.settings.push_back({std::move(path), std::move(value), std::move(unit_of_measure), {}});
  return *this;
}

System& System::set(std::string path, double value) { return set(std::move(path), fmt::format("{}", value)); }

System& System::bond(std::string effort, std::string flow) {
  auto where = fmt::format("system '{}'", name());
  data_->document.run.bonds.push_back({std::move(effort), std::move(flow), std::move(where)});
  return *this;
}

RunSettings& System::settings() { return data_->document.run; }
const RunSettings& System::settings() const { return data_->document.run; }

System& System::configure(std::string_view text) {
  yaml::read_settings(text, "settings", {}, data_->document.run);
  return *this;
}

const std::string& System::name() const { return data_->document.system.name; }

std::vector<std::string> System::units() const {
  const auto names = data_->document.system.element_names();
  return {names.begin(), names.end()};
}

// --- running ---------------------------------------------------------------------------------------------------------

namespace api {

engine::SimulationOptions simulation_options(const RunSettings& settings, const RunOptions& o) {
  engine::SimulationOptions options;
  auto& run = options.run = settings;
  if (o.start) run.start = o.start;
  if (o.stop) run.stop = o.stop;
  if (o.step) run.step = o.step;
  for (const auto& [path, value] : o.set) options.settings.push_back({path, value, {}, {}});
  require(o.checkpoint_file.empty() || o.checkpoint_every,
          "a checkpoint file is given, but no time between checkpoints; give that, too");
  options.checkpoint_every = o.checkpoint_every;
  options.checkpoint_file = o.checkpoint_file.string();
  options.restart_from = o.restart_from.string();
  options.stop_requested = o.stop_requested;
  if (o.progress) options.progress = [f = o.progress](const engine::Progress& p) { f(public_progress(p)); };
  return options;
}

std::shared_ptr<engine::Library> library_of(const std::map<std::string, NativeModel>& models,
                                            const engine::LibraryOptions& options) {
  auto library = std::make_shared<engine::Library>(options);
  for (const auto& [name, model] : models) library->add(name, model.data()->source);
  return library;
}

}  // namespace api

Linearisation System::linearise(const LineariseOptions& options) const {
  const auto library = api::library_of(data_->models, {});
  return analyse::linearise(data_->document, *library, api::linearise_request(options));
}

Result System::run(const RunOptions& o) const {
  const auto& chosen = data_->document.run.record;
  const std::filesystem::path output = o.output_file.empty() ? std::filesystem::path(chosen.file) : o.output_file;
  auto options = api::simulation_options(data_->document.run, o);
  options.origin = api::origin_of(output);
  auto library = api::library_of(data_->models, options.library);
  engine::Simulation simulation(data_->document.system, std::move(options), std::move(library));
  return api::collect(std::make_unique<Result::Data>(), [&](record::Result& rows) {
    // A continued file has the rows of the earlier run; memory gets only those from the restart on.
    const bool goes_on = !o.restart_from.empty() && !output.empty() && std::filesystem::exists(output);
    record::MemorySink memory(rows, goes_on);
    std::vector<record::Sink*> sinks{&memory};
    std::unique_ptr<record::Sink> file;
    std::unique_ptr<record::BufferedSink> buffer;
    if (!output.empty()) {
      file = record::make_sink(output, {.compression = chosen.compression});
      record::Sink* const files[] = {file.get()};
      sinks.push_back((buffer = std::make_unique<record::BufferedSink>(files)).get());
    }
    return simulation.run(sinks);
  });
}

}  // namespace consort
