#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/system_report.hpp"

namespace consort::report {

namespace {

// Builds a table from the rows of a report: each call adds a column with one value per row.
template <class Row>
class TableOf {
 public:
  TableOf(std::string name, const std::vector<Row>& rows) : rows_(rows) { table_.name = std::move(name); }
  template <class Take>
  TableOf& texts(std::string name, Take&& take) {
    auto& column = table_.columns.emplace_back();
    column.name = std::move(name);
    column.is_text = true;
    for (const auto& row : rows_) column.texts.push_back(take(row));
    return *this;
  }
  template <class Take>
  TableOf& numbers(std::string name, Take&& take) {
    auto& column = table_.columns.emplace_back();
    column.name = std::move(name);
    for (const auto& row : rows_) column.numbers.push_back(static_cast<double>(take(row)));
    return *this;
  }
  void into(std::vector<record::Table>& all) {
    if (!rows_.empty()) all.push_back(std::move(table_));
  }

 private:
  const std::vector<Row>& rows_;
  record::Table table_;
};

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

struct InterfaceVariable {
  std::string name;
  std::uint64_t last_to_agree = 0;
  double residual = 0;
};
std::vector<InterfaceVariable> interface_of(const std::vector<IterationReport>& iterations) {
  std::vector<InterfaceVariable> all;
  for (const auto& part : iterations)
    for (std::size_t k = 0; k < part.variables.size(); ++k)
      all.push_back({part.variables[k], part.last_to_agree[k], part.residuals[k]});
  return all;
}

struct Line {
  const char* kind;
  std::string text;
};
// The report as far as it says nothing about durations.
std::vector<Line> lines_of(const SystemReport& r) {
  std::vector<Line> lines{{"headline", r.headline()}};
  for (const auto& n : r.notes) lines.push_back({"note", n});
  for (const auto& a : r.assumed) lines.push_back({"assumed", a});
  for (const auto& w : r.warnings) lines.push_back({"warning", w});
  if (!r.ended_early.empty()) lines.push_back({"ended early", r.ended_early});
  return lines;
}

}  // namespace

std::vector<record::Table> SystemReport::tables() const {
  std::vector<record::Table> all;
  struct Count {
    const char* name;
    std::uint64_t value;
  };
  const std::vector<Count> counts{
      {"accepted", steps}, {"rejected", rejected}, {"cut short", cut}, {"at maximum", at_maximum}};
  if (!equal_steps) {
    TableOf("steps", counts)
        .texts("what", [](const auto& c) { return std::string(c.name); })
        .numbers("count", [](const auto& c) { return c.value; })
        .into(all);
  }
  TableOf("connections", trust)
      .texts("from", [](const auto& t) { return t.source; })
      .texts("to", [](const auto& t) { return joined(t.targets); })
      .texts("unit", [](const auto& t) { return t.unit; })
      .numbers("elements", [](const auto& t) { return t.elements; })
      .texts("worst element", [](const auto& t) { return t.element; })
      .numbers("largest in a step", [](const auto& t) { return t.local; })
      .numbers("rms of steps", [](const auto& t) { return t.rms; })
      .numbers("summed up", [](const auto& t) { return t.accumulated; })
      .numbers("range", [](const auto& t) { return t.range; })
      .numbers("limited", [](const auto& t) { return t.limited; })
      .into(all);
  TableOf("units", units)
      .texts("name", [](const auto& u) { return u.name; })
      .texts("kind", [](const auto& u) { return u.kind; })
      .numbers("limited", [](const auto& u) { return u.limited; })
      .numbers("events", [](const auto& u) { return u.events; })
      .numbers("early returns", [](const auto& u) { return u.early_returns; })
      .numbers("discarded", [](const auto& u) { return u.discarded; })
      .into(all);
  TableOf("loops", loops)
      .texts("variables", [](const auto& l) { return joined(l.variables); })
      .numbers("solved", [](const auto& l) { return l.solved; })
      .numbers("iterations", [](const auto& l) { return l.iterations; })
      .numbers("largest residual", [](const auto& l) { return l.largest_residual; })
      .into(all);
  TableOf("iterations", iterations)
      .texts("units", [](const auto& i) { return joined(i.units); })
      .numbers("steps", [](const auto& i) { return i.steps; })
      .numbers("iterations", [](const auto& i) { return i.iterations; })
      .numbers("most", [](const auto& i) { return i.most; })
      .numbers("not converged", [](const auto& i) { return i.failures; })
      .numbers("largest residual", [](const auto& i) { return i.largest; })
      .into(all);
  TableOf("interface", interface_of(iterations))
      .texts("variable", [](const auto& v) { return v.name; })
      .numbers("last to agree", [](const auto& v) { return v.last_to_agree; })
      .numbers("largest residual", [](const auto& v) { return v.residual; })
      .into(all);
  TableOf("bonds", bonds)
      .texts("bond", [](const auto& b) { return b.name; })
      .numbers("carried", [](const auto& b) { return b.carried; })
      .numbers("made", [](const auto& b) { return b.made; })
      .numbers("made or lost", [](const auto& b) { return b.lost_or_made; })
      .numbers("largest residual", [](const auto& b) { return b.largest; })
      .numbers("largest power", [](const auto& b) { return b.peak; })
      .numbers("limited", [](const auto& b) { return b.limited; })
      .into(all);
  TableOf("run", lines_of(*this))
      .texts("kind", [](const auto& l) { return std::string(l.kind); })
      .texts("text", [](const auto& l) { return l.text; })
      .into(all);
  return all;
}

}  // namespace consort::report
