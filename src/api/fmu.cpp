#include "consort/fmu.hpp"

#include "analyse/linearise.hpp"
#include "api/common.hpp"
#include "api/linearise.hpp"
#include "base/error.hpp"
#include "engine/simulate_fmu.hpp"
#include "fmi/check.hpp"
#include "record/formats.hpp"

namespace consort {

struct Fmu::Data {
  fmi::Fmu fmu;
};

Fmu::Fmu(const std::filesystem::path& path) : data_(new Data{fmi::Fmu::open(path)}) {}
Fmu::Fmu(Fmu&&) noexcept = default;
Fmu& Fmu::operator=(Fmu&&) noexcept = default;
Fmu::~Fmu() = default;

const std::string& Fmu::model_name() const { return data_->fmu.description().model_name; }
const std::string& Fmu::fmi_version() const { return data_->fmu.description().fmi_version; }

ModelInfo Fmu::info() const {
  const auto& d = data_->fmu.description();
  const auto& e = d.default_experiment;
  ModelInfo info{d.model_name,      d.fmi_version,         d.description,       d.author,
                 d.model_version,   d.copyright,           d.license,           d.generation_tool,
                 d.generation_date, d.instantiation_token, e.start_time,        e.stop_time,
                 e.tolerance,       e.step_size,           d.continuous_states, d.event_indicators};
  for (const auto& i : d.interfaces) {
    info.interfaces.push_back({std::string(name_of(i.type)), i.model_identifier, i.needs_execution_tool,
                               i.only_once_per_process, i.can_save_state, i.can_serialize_state,
                               i.directional_derivatives, i.variable_step, i.event_mode, i.fixed_internal_step});
  }
  return info;
}

std::vector<VariableInfo> Fmu::variables() const {
  const auto& d = data_->fmu.description();
  std::vector<VariableInfo> all;
  all.reserve(d.variables.size());
  for (const auto& v : d.variables) all.push_back(api::variable_info(d, v));
  return all;
}

std::vector<std::string> Fmu::problems() const {
  std::vector<std::string> texts;
  const Diagnostics found = fmi::check(data_->fmu);
  for (const auto& diagnostic : found.all()) {
    if (diagnostic.severity != Severity::note) texts.push_back(diagnostic.text());
  }
  return texts;
}

Result Fmu::simulate(const SimulateOptions& o) const {
  engine::FmuRun run;
  run.simulate.start = o.start_time;
  run.simulate.stop = o.stop_time;
  run.simulate.step = o.step_size;
  run.simulate.output_interval = o.output_interval;
  run.simulate.tolerance = o.tolerance;
  run.simulate.start_values = o.start_values;
  run.simulate.outputs = o.outputs;
  run.simulate.stop_requested = o.stop_requested;
  if (o.progress) run.simulate.progress = [&](const engine::Progress& p) { o.progress(api::public_progress(p)); };
  run.input_file = o.input_file;
  run.origin = api::origin_of(o.output_file);
  run.interface = api::interface_of(o.interface_type);
  if (!o.solver.empty()) run.solver = o.solver;
  if (!o.platform.empty()) run.platform = fmi::platform_of(o.platform);

  return api::collect(std::make_unique<Result::Data>(), [&](record::Result& rows) {
    record::MemorySink memory(rows);
    std::vector<record::Sink*> sinks{&memory};
    std::unique_ptr<record::Sink> file;
    if (!o.output_file.empty()) sinks.push_back((file = record::make_sink(o.output_file)).get());
    return engine::simulate_fmu(data_->fmu, run, sinks);
  });
}

Linearisation Fmu::linearise(const LineariseOptions& options) const {
  const auto document = analyse::document_of_fmu(data_->fmu.path());
  engine::Library library;
  library.add(data_->fmu);
  return analyse::linearise(document, library, api::linearise_request(options, document.system.name));
}

}  // namespace consort
