#include "consort/fmu.hpp"

#include "base/error.hpp"
#include "engine/simulate_fmu.hpp"
#include "fmi/check.hpp"
#include "record/formats.hpp"
#include "record/result.hpp"

namespace consort {

// --- Result ----------------------------------------------------------------------------------------------------------

struct Result::Data {
  record::Result rows;
  std::string report;
};

Result::Result(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Result::Result(Result&&) noexcept = default;
Result& Result::operator=(Result&&) noexcept = default;
Result::~Result() = default;

std::span<const double> Result::time() const { return data_->rows.time; }

std::vector<std::string> Result::names() const {
  std::vector<std::string> names;
  for (const auto& t : data_->rows.trajectories) names.push_back(t.signal.name);
  return names;
}

std::span<const double> Result::operator[](std::string_view name) const {
  const auto& trajectory = data_->rows[name];
  require(!trajectory.is_text(), "'{}' is a text; only numbers can be had as numbers", name);
  return trajectory.numbers;
}

const std::string& Result::report() const { return data_->report; }

// --- Fmu -------------------------------------------------------------------------------------------------------------

struct Fmu::Data {
  fmi::Fmu fmu;
};

Fmu::Fmu(const std::filesystem::path& path) : data_(new Data{fmi::Fmu::open(path)}) {}
Fmu::Fmu(Fmu&&) noexcept = default;
Fmu& Fmu::operator=(Fmu&&) noexcept = default;
Fmu::~Fmu() = default;

const std::string& Fmu::model_name() const { return data_->fmu.description().model_name; }
const std::string& Fmu::fmi_version() const { return data_->fmu.description().fmi_version; }

std::vector<VariableInfo> Fmu::variables() const {
  const auto& d = data_->fmu.description();
  std::vector<VariableInfo> all;
  all.reserve(d.variables.size());
  for (const auto& v : d.variables) {
    const auto* start = d.start(v);
    all.push_back({std::string(v.name), std::string(name_of(v.type)), std::string(name_of(v.causality)),
                   std::string(name_of(v.variability)), start == nullptr ? "" : start->text(),
                   std::string(d.unit_name(v)), std::string(v.description)});
  }
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
  run.input_file = o.input_file;

  auto data = std::make_unique<Result::Data>();
  record::MemorySink memory(data->rows);
  std::vector<record::Sink*> sinks{&memory};
  std::unique_ptr<record::Sink> file;
  if (!o.output_file.empty()) sinks.push_back((file = record::make_sink(o.output_file)).get());
  data->report = engine::simulate_fmu(data_->fmu, run, sinks).text();
  return Result(std::move(data));
}

}  // namespace consort
