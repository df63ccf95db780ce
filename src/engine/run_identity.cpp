#include "engine/run_identity.hpp"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/digest.hpp"
#include "engine/origin.hpp"
#include "settings/table.hpp"
#include "step/controller.hpp"
#include "yaml/writer.hpp"

namespace consort::engine {

namespace {

namespace fs = std::filesystem;

void append(std::string& text, const std::vector<graph::FileUse>& files, TablesRead& tables) {
  std::map<std::string, std::string> digests;  // of units: the same FMU often occurs many times
  for (const auto& file : files) {
    if (file.kind == graph::FileKind::table) {
      text += fmt::format("table {}: {}\n", file.element.empty() ? "of inputs" : file.element,
                          tables.facts(file.path).digest);
      continue;
    }
    std::error_code failed;
    auto& digest = digests[file.path.string()];
    // A program can provide units under names that are no files.
    if (digest.empty()) digest = fs::exists(file.path, failed) ? digest_of(file.path) : file.path.filename().string();
    text += fmt::format("unit {}: model {}\n", file.element, digest);
  }
}

void append(std::string& text, const graph::PlannedUnit& unit) {
  const auto& c = unit.component;
  if (c.is_native()) text += fmt::format("unit {}: model {}\n", unit.name, c.source.string());
  text += fmt::format("unit {}: interface {}, solver {}, sub-steps {}{}{}\n", unit.name,
                      c.interface ? describe::name_of(*c.interface) : "as usual",
                      c.solver.empty() ? "as usual" : c.solver, c.substeps, c.responds_without_step ? ", answers" : "",
                      c.platform.empty() ? "" : ", platform " + c.platform);
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
  for (const auto& f : plan.formulas) writer(f.text, f.to, f.input, f.factor, f.offset);
  for (const auto& s : plan.samplings) writer(s.unit, s.type, s.input, s.count, s.period);
  for (const auto& event : plan.events) {
    writer(event.name, event.when.text);
    for (const auto& a : event.actions)
      writer(a.kind, a.target.unit, a.target.variable, a.target.first, a.value.text, a.text);
  }
  const auto bytes = writer.take();
  Sha256 digest;
  digest.add(std::as_bytes(std::span(bytes)));
  return digest.finish();
}

}  // namespace

std::string run_identity(const RunParts& parts, TablesRead& tables) {
  const auto& [plan, settings, experiment, files] = parts;
  std::string text;
  append(text, files, tables);
  for (const auto& unit : plan.units) append(text, unit);
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
  run.input_file.clear();  // one of the files
  return text + yaml::write_system(document);
}

}  // namespace consort::engine
