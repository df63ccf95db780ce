#include "record/compare.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cli/command.hpp"
#include "record/formats.hpp"

namespace consort::cli {

namespace {

struct CompareOptions {
  std::string reference, result;
  record::Band band;
  bool json = false;
};

// Removes the data about step control, which is not a result of the model.
record::Result without_trust(record::Result result) {
  std::erase_if(result.trajectories, [](const auto& t) { return t.signal.name.starts_with("trust."); });
  return result;
}

int compare(const CompareOptions& o) {
  const auto comparison =
      record::compare(without_trust(record::read_result(o.reference)), record::read_result(o.result), o.band);
  fmt::print("{}", o.json ? comparison.json() : comparison.text());
  return comparison.inside() ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto o = std::make_shared<CompareOptions>();
  auto& c = *app.add_subcommand("compare",
                                "compare two result files within a band, variable by variable; status 1 if outside");
  c.add_option("REFERENCE", o->reference, "result file with the expected values")->required();
  c.add_option("RESULT", o->result, "result file to check")->required();
  c.add_option("--band", o->band.value, "half height of the band, relative to the range of the signal")
      ->capture_default_str();
  c.add_option("--time-band", o->band.time, "half width of the band, relative to the length of the reference")
      ->capture_default_str();
  c.add_option("--outliers", o->band.outliers, "fraction of points that may lie outside")->capture_default_str();
  c.add_flag("--json", o->json, "for machines");
  c.callback([o, &action] { action = [o] { return compare(*o); }; });
}

}  // namespace consort::cli
