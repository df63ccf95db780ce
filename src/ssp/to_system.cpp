#include "ssp/to_system.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "ssp/annotations.hpp"
#include "ssp/builder.hpp"
#include "ssp/read.hpp"

namespace consort::ssp {

graph::Document to_system(const std::shared_ptr<const Package>& package, const std::string& structure,
                          Diagnostics& diagnostics) {
  Builder builder(diagnostics);
  graph::Document document;
  const auto& ssd = builder.load(package, structure);
  document.system = builder.build(package, structure);
  if (!ssd.name.empty()) document.system.name = ssd.name;
  if (!ssd.default_experiment.empty()) {
    document.system.experiment.start = ssd.default_experiment.front().start_time;
    document.system.experiment.stop = ssd.default_experiment.front().stop_time;
  }
  document.sheet = std::make_shared<const graph::Sheet>(builder.sheet());
  if (!package->remark().empty())
    diagnostics.add({Severity::warning, package->shown(), 0, "SSP 2.0, 3.1: packages", package->remark()});
  apply_annotations({ssd, *package, package->resolve(structure).shown}, document, diagnostics);
  document.system.kept = builder.packages();
  return document;
}

graph::Document read_system(const std::filesystem::path& file, const ReadOptions& options) {
  const auto package =
      Package::open(file, file.filename().empty() ? file.string() : file.filename().string(), options.allow_outside);
  Diagnostics diagnostics;
  auto document = to_system(package, package->find_structure(options.variant), diagnostics);
  diagnostics.sort();
  // A violation of the schema alone does not stop a run: the builder reports an error if it makes the system unusable.
  const auto ends = [](const Diagnostic& d) { return d.severity == Severity::error && d.rule != schema_rule; };
  const auto errors = std::count_if(diagnostics.all().begin(), diagnostics.all().end(), ends);
  for (const auto& d : diagnostics.all()) {
    if (ends(d) && options.look) document.system.notes.push_back(fmt::format("cannot be run: {}", d.text()));
    if (ends(d) && !options.look)
      throw input_error(
          "{}{}", d.text(),
          errors == 1 ? std::string()
                      : fmt::format(" (and {} more errors; 'consort check {}' lists them)", errors - 1, file.string()));
    if (d.severity == Severity::note) document.system.notes.push_back(d.message);
  }
  if (const auto warnings = diagnostics.all().size() - diagnostics.count(Severity::note); warnings > 0)
    document.system.notes.push_back(
        fmt::format("the package breaks {} rule{} of the standard; 'consort check' lists "
                    "them",
                    warnings, warnings == 1 ? "" : "s"));
  return document;
}

}  // namespace consort::ssp
