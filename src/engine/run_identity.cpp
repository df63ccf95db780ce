#include "engine/run_identity.hpp"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/digest.hpp"
#include "settings/table.hpp"
#include "step/controller.hpp"
#include "yaml/writer.hpp"

namespace consort::engine {

namespace {

namespace fs = std::filesystem;

class Files {
 public:
  // The checksum of a file; what is no file, as a model's name or a folder, is what it is called.
  std::string name(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return path.filename().string();
    const auto known = digests_.find(path.string());
    if (known != digests_.end()) return known->second;
    return digests_.emplace(path.string(), sha256_of_file(path)).first->second;
  }

 private:
  std::map<std::string, std::string> digests_;
};

void append(std::string& text, const graph::PlannedUnit& unit, Files& files) {
  const auto& c = unit.component;
  text += fmt::format("unit {}: model {}\n", unit.name, files.name(c.source));
  text += fmt::format("unit {}: interface {}, solver {}, sub-steps {}{}\n", unit.name,
                      c.interface ? describe::name_of(*c.interface) : "as usual",
                      c.solver.empty() ? "as usual" : c.solver, c.substeps, c.responds_without_step ? ", answers" : "");
  for (const auto* const set : {&unit.starts.structural(), &unit.starts.others()})
    for (std::size_t i = 0; i < set->variables.size(); ++i)
      text += fmt::format("start {}.{} = {}\n", unit.name, (*unit.description)[set->variables[i]].name,
                          set->values[i].text());
}

std::string digest_of_routes(const graph::Plan& plan) {
  ByteWriter writer;
  for (const auto& sources : plan.sources) writer(sources);
  for (const auto& s : plan.scalings) writer(s.input, s.factor, s.offset);
  for (const auto& c : plan.conversions) {
    writer(c.from, c.to, c.source, c.input, c.factor, c.offset, c.unit);
    for (const auto& [from, to] : c.mapping) writer(from.text(), to.text());
  }
  for (const auto& p : plan.parameters) {
    writer(p.from.unit, p.from.variable, p.from.first, p.to.unit, p.to.variable, p.to.first, p.factor, p.offset);
    for (const auto& [from, to] : p.mapping) writer(from, to);
  }
  for (const auto& external : plan.externals) writer(external.name, external.type, external.element, external.count);
  const auto bytes = writer.take();
  Sha256 digest;
  digest.add(std::as_bytes(std::span(bytes)));
  return digest.finish();
}

}  // namespace

std::string run_identity(const graph::Plan& plan, const graph::RunSettings& settings,
                         const SystemExperiment& experiment) {
  Files files;
  std::string text;
  for (const auto& unit : plan.units) append(text, unit, files);
  text += fmt::format("connections {}\n", digest_of_routes(plan));
  graph::Document document{graph::System(plan.name), settings};
  auto& run = document.run;
  run.start = experiment.start;
  run.stop.reset();
  // Shares of such a tolerance depend on how long the run is.
  if (run.control.tolerance_for == graph::StepControl::ToleranceFor::run) run.stop = experiment.stop;
  run.step = experiment.step;
  run.tolerance = experiment.tolerance;
  if (step::find_controller(run.control.controller).varies) run.control.tolerance = experiment.coupling_tolerance;
  for (const auto& row : settings::rows())
    if (!row.affects_results) settings::reset(row, run);
  if (!run.input_file.empty()) run.input_file = files.name(run.input_file);
  return text + yaml::write_system(document);
}

}  // namespace consort::engine
