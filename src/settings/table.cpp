#include "settings/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::settings {

namespace {

// --- access to fields -----------------------------------------------------------------------------------------------

template <class T>
struct Unwrapped {
  using type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};

template <class T>
Value to_value(const T& field) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<std::int64_t>(field);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<std::int64_t>(field);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return field.empty() ? Value() : Value(field);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return field.empty() ? Value() : Value(field);
  } else {
    return field;
  }
}
template <class T>
Value to_value(const std::optional<T>& field) {
  return field ? to_value(*field) : Value();
}

template <class T>
void from_value(T& field, const Value& value) {
  using Plain = typename Unwrapped<T>::type;
  if (std::holds_alternative<std::monostate>(value)) {
    field = T{};
  } else if constexpr (std::is_enum_v<Plain>) {
    field = static_cast<Plain>(std::get<std::int64_t>(value));
  } else if constexpr (std::is_integral_v<Plain> && !std::is_same_v<Plain, bool>) {
    field = static_cast<Plain>(std::get<std::int64_t>(value));
  } else {
    field = std::get<Plain>(value);
  }
}

// A field by its members, from the outermost to the innermost.
template <auto... members>
Row field(Row row) {
  row.get = [](const RunSettings& s) { return to_value((s.*....*members)); };
  row.set = [](RunSettings& s, const Value& v) { from_value((s.*....*members), v); };
  return row;
}

// --- the rows -------------------------------------------------------------------------------------------------------

using Texts = std::string_view;
constexpr Texts consistencies[] = {"auto", "always", "never"};
constexpr Texts settlings[] = {"auto", "together", "alone"};
constexpr Texts jacobians[] = {"auto", "derivatives", "differences"};
constexpr Texts scopes[] = {"components", "whole"};
constexpr Texts sweeps[] = {"auto", "serial", "parallel"};
constexpr Texts if_not_converged[] = {"error", "go on"};
constexpr Texts rules[] = {"elementary", "pi"};
constexpr Texts norms[] = {"root-mean-square", "root-mean"};
constexpr Texts divisors[] = {"history", "equal-steps"};
constexpr Texts tolerances_for[] = {"step", "run"};

constexpr Texts relaxing[] = {"relaxation", "aitken", "anderson", "iqn-ils", "broyden"};
constexpr Texts remembering[] = {"anderson", "iqn-ils"};
constexpr Texts reusing[] = {"iqn-ils", "broyden"};
constexpr Texts filtering[] = {"anderson", "iqn-ils"};
constexpr Texts differentiating[] = {"newton"};

constexpr double unlimited = 4294967295.0;  // std::uint32_t
constexpr double any_time = -1e300;

using Run = RunSettings;
using Loops = LoopSettings;
using Iteration = IterationSettings;
using Control = StepControl;
using Record = RecordSettings;

const std::vector<Row>& table() {
  static const std::vector<Row> all{
      field<&Run::start>({.section = Section::experiment,
                          .key = "start",
                          .kind = Kind::seconds,
                          .help = "start time",
                          .standard = "0",
                          .least = any_time,
                          .option = "--start-time"}),
      field<&Run::stop>({.section = Section::experiment,
                         .key = "stop",
                         .kind = Kind::seconds,
                         .help = "stop time",
                         .standard = "that of the units",
                         .least = any_time,
                         .option = "--stop-time"}),
      field<&Run::step>({.section = Section::experiment,
                         .key = "step",
                         .kind = Kind::seconds,
                         .help = "communication step",
                         .standard = "from the units",
                         .option = "--step-size"}),
      field<&Run::output_interval>({.section = Section::experiment,
                                    .key = "output_interval",
                                    .kind = Kind::seconds,
                                    .help = "time between recorded rows",
                                    .standard = "every communication point",
                                    .option = "--output-interval"}),
      field<&Run::tolerance>({.section = Section::experiment,
                              .key = "tolerance",
                              .kind = Kind::number,
                              .help = "relative tolerance of the units' solvers",
                              .standard = "the smallest of the units', or 1e-4; at most a tenth of control.tolerance",
                              .option = "--tolerance"}),

      field<&Run::stepper>({.section = Section::run,
                            .key = "stepper",
                            .kind = Kind::text,
                            .help = "order in which units step, and which inputs they see",
                            .standard = "from the graph",
                            .names = Names::steppers,
                            .option = "--stepper"}),
      field<&Run::extrapolation>({.section = Section::run,
                                  .key = "extrapolation",
                                  .kind = Kind::approximation,
                                  .help = "how inputs move within a step: a name, or the order of a polynomial",
                                  .least = 0,
                                  .most = 5,
                                  .names = Names::approximations,
                                  .option = "--extrapolation"}),
      field<&Run::order>({.section = Section::run,
                          .key = "order",
                          .kind = Kind::texts,
                          .help = "paths of units, in the order in which gauss-seidel steps them",
                          .standard = "from the graph",
                          .read_by = ReadBy::order}),
      field<&Run::host>({.section = Section::run,
                         .key = "host",
                         .kind = Kind::text,
                         .help = "where units run that name no host of their own",
                         .standard = "threads",
                         .names = Names::hosts,
                         .option = "--host",
                         .affects_results = false}),
      field<&Run::threads>({.section = Section::run,
                            .key = "threads",
                            .kind = Kind::integer,
                            .help = "largest number of threads",
                            .standard = "the number of cores, used if it pays",
                            .least = 1,
                            .most = 4096,
                            .option = "--threads",
                            .affects_results = false}),
      field<&Run::consistent>({.section = Section::run,
                               .key = "consistent",
                               .kind = Kind::choice,
                               .help = "make outputs consistent with inputs at communication points",
                               .choices = consistencies}),
      field<&Run::events>({.section = Section::run,
                           .key = "events",
                           .kind = Kind::choice,
                           .help = "handle events inside steps by all units together, or by each unit alone",
                           .choices = settlings}),
      field<&Run::real_time>({.section = Section::run,
                              .key = "real_time",
                              .kind = Kind::number,
                              .help = "largest ratio of simulated time to real time",
                              .standard = "no limit",
                              .option = "--realtime",
                              .affects_results = false}),
      field<&Run::input_file>({.section = Section::run,
                               .key = "input_file",
                               .kind = Kind::file,
                               .help = "CSV file with time and the inputs of the system",
                               .standard = "none",
                               .option = "--input-file"}),

      field<&Run::loops, &Loops::method>({.section = Section::loops,
                                          .key = "method",
                                          .kind = Kind::text,
                                          .help = "method for algebraic loops",
                                          .names = Names::nonlinear_methods,
                                          .option = "--loop-method"}),
      field<&Run::loops, &Loops::tolerance>({.section = Section::loops,
                                             .key = "tolerance",
                                             .kind = Kind::number,
                                             .help = "tolerance of the residual, relative to max(1, |value|)"}),
      field<&Run::loops, &Loops::max_iterations>({.section = Section::loops,
                                                  .key = "max_iterations",
                                                  .kind = Kind::integer,
                                                  .help = "largest number of iterations",
                                                  .least = 1,
                                                  .most = 1e6}),

      field<&Run::iteration, &Iteration::method>({.section = Section::iteration,
                                                  .key = "method",
                                                  .kind = Kind::text,
                                                  .help = "method by which the stepper iterated finds inputs",
                                                  .names = Names::accelerators,
                                                  .option = "--iteration",
                                                  .read_by = ReadBy::iteration}),
      field<&Run::iteration, &Iteration::tolerance>(
          {.section = Section::iteration,
           .key = "tolerance",
           .kind = Kind::number,
           .help = "tolerance of each input, relative to the larger of its nominal and its present value",
           .option = "--iteration-tolerance",
           .read_by = ReadBy::iteration}),
      field<&Run::iteration, &Iteration::max_iterations>({.section = Section::iteration,
                                                          .key = "max_iterations",
                                                          .kind = Kind::integer,
                                                          .help = "largest number of iterations of a step",
                                                          .least = 1,
                                                          .most = 1e6,
                                                          .read_by = ReadBy::iteration}),
      field<&Run::iteration, &Iteration::relaxation>(
          {.section = Section::iteration,
           .key = "relaxation",
           .kind = Kind::number,
           .help = "share of the correction that is applied: by relaxation always, by other methods at first",
           .standard = "relaxation: 0.5; others: 1",
           .most = 2,
           .read_by = ReadBy::iteration,
           .methods = relaxing}),
      field<&Run::iteration, &Iteration::depth>({.section = Section::iteration,
                                                 .key = "depth",
                                                 .kind = Kind::integer,
                                                 .help = "number of past iterations that are used",
                                                 .standard = "anderson: 5; iqn-ils: 20",
                                                 .least = 1,
                                                 .most = 1000,
                                                 .read_by = ReadBy::iteration,
                                                 .methods = remembering}),
      field<&Run::iteration, &Iteration::reuse>(
          {.section = Section::iteration,
           .key = "reuse",
           .kind = Kind::integer,
           .help = "number of past steps whose iterations are used; above 0, broyden keeps its matrix",
           .least = 0,
           .most = 1e6,
           .read_by = ReadBy::iteration,
           .methods = reusing}),
      field<&Run::iteration, &Iteration::filter>(
          {.section = Section::iteration,
           .key = "filter",
           .kind = Kind::number,
           .help = "relative size below which least squares drop a difference of iterations as noise",
           .read_by = ReadBy::iteration,
           .methods = filtering}),
      field<&Run::iteration, &Iteration::jacobian>({.section = Section::iteration,
                                                    .key = "jacobian",
                                                    .kind = Kind::choice,
                                                    .help = "source of the Jacobian matrix",
                                                    .choices = jacobians,
                                                    .read_by = ReadBy::iteration,
                                                    .methods = differentiating}),
      field<&Run::iteration, &Iteration::scope>(
          {.section = Section::iteration,
           .key = "scope",
           .kind = Kind::choice,
           .help = "what is iterated by itself: each cycle of units (components), or the whole system",
           .choices = scopes,
           .read_by = ReadBy::iteration}),
      field<&Run::iteration, &Iteration::sweep>(
          {.section = Section::iteration,
           .key = "sweep",
           .kind = Kind::choice,
           .help = "step the units of a cycle one after another (few unknowns) or at once; auto: serial except newton",
           .choices = sweeps,
           .read_by = ReadBy::iteration}),
      field<&Run::iteration, &Iteration::if_not_converged>(
          {.section = Section::iteration,
           .key = "if_not_converged",
           .kind = Kind::choice,
           .help = "end the run if a step does not converge, or count the step and go on",
           .choices = if_not_converged,
           .read_by = ReadBy::iteration}),

      field<&Run::control, &Control::controller>({.section = Section::control,
                                                  .key = "controller",
                                                  .kind = Kind::text,
                                                  .help = "what chooses communication steps",
                                                  .standard = "fixed",
                                                  .names = Names::controllers,
                                                  .option = "--controller"}),
      field<&Run::control, &Control::tolerance>({.section = Section::control,
                                                 .key = "tolerance",
                                                 .kind = Kind::number,
                                                 .help = "relative tolerance of the coupling error",
                                                 .standard = "experiment.tolerance",
                                                 .option = "--coupling-tolerance",
                                                 .read_by = ReadBy::varying_steps}),
      field<&Run::control, &Control::absolute>(
          {.section = Section::control,
           .key = "absolute",
           .kind = Kind::number,
           .help = "absolute tolerance of the coupling error, times the nominal value of each output",
           .standard = "control.tolerance",
           .option = "--absolute-tolerance",
           .read_by = ReadBy::varying_steps}),
      field<&Run::control, &Control::initial>({.section = Section::control,
                                               .key = "initial",
                                               .kind = Kind::seconds,
                                               .help = "first step",
                                               .standard = "experiment.step",
                                               .read_by = ReadBy::varying_steps}),
      field<&Run::control, &Control::minimum>({.section = Section::control,
                                               .key = "minimum",
                                               .kind = Kind::seconds,
                                               .help = "smallest step",
                                               .standard = "1e-12 of the run",
                                               .option = "--min-step",
                                               .read_by = ReadBy::varying_steps}),
      field<&Run::control, &Control::maximum>({.section = Section::control,
                                               .key = "maximum",
                                               .kind = Kind::seconds,
                                               .help = "largest step",
                                               .standard = "100 times the step; ecco: ten times the first step",
                                               .option = "--max-step",
                                               .read_by = ReadBy::varying_steps}),
      field<&Run::control, &Control::safety>({.section = Section::control,
                                              .key = "safety",
                                              .kind = Kind::number,
                                              .help = "factor by which the next step aims below the tolerance",
                                              .most = 1,
                                              .read_by = ReadBy::varying_steps}),
      field<&Run::control, &Control::shrink>({.section = Section::control,
                                              .key = "shrink",
                                              .kind = Kind::number,
                                              .help = "smallest ratio of a step to the step before",
                                              .most = 1,
                                              .read_by = ReadBy::varying_steps}),
      field<&Run::control, &Control::grow>({.section = Section::control,
                                            .key = "grow",
                                            .kind = Kind::number,
                                            .help = "largest ratio of a step to the step before",
                                            .least = 1,
                                            .read_by = ReadBy::varying_steps}),
      field<&Run::control, &Control::rule>({.section = Section::control,
                                            .key = "rule",
                                            .kind = Kind::choice,
                                            .help = "elementary controller, or proportional-integral one",
                                            .choices = rules,
                                            .read_by = ReadBy::varying_steps}),
      field<&Run::control, &Control::norm>({.section = Section::control,
                                            .key = "norm",
                                            .kind = Kind::choice,
                                            .help = "norm of the errors of all outputs",
                                            .choices = norms,
                                            .read_by = ReadBy::error_estimates}),
      field<&Run::control, &Control::divisor>(
          {.section = Section::control,
           .key = "divisor",
           .kind = Kind::choice,
           .help = "estimate from the steps that were taken, or as if all steps were equal",
           .choices = divisors,
           .read_by = ReadBy::error_estimates}),
      field<&Run::control, &Control::tolerance_for>(
          {.section = Section::control,
           .key = "tolerance_for",
           .kind = Kind::choice,
           .help = "what the tolerance limits: the error of each step, or the sum of all errors over the run",
           .choices = tolerances_for,
           .option = "--tolerance-for",
           .read_by = ReadBy::error_estimates}),

      field<&Run::record, &Record::variables>({.section = Section::record,
                                               .key = "variables",
                                               .kind = Kind::texts,
                                               .help = "paths to record, with * and ?",
                                               .standard = "all outputs",
                                               .option = "--output-variable",
                                               .affects_results = false}),
      field<&Run::record, &Record::every>({.section = Section::record,
                                           .key = "every",
                                           .kind = Kind::integer,
                                           .help = "record one of so many communication points",
                                           .least = 1,
                                           .most = unlimited,
                                           .affects_results = false}),
      field<&Run::record, &Record::file>({.section = Section::record,
                                          .key = "file",
                                          .kind = Kind::file,
                                          .help = "result file; its ending chooses the format",
                                          .standard = "NAME.h5 in the working directory",
                                          .affects_results = false}),
      field<&Run::record, &Record::compression>({.section = Section::record,
                                                 .key = "compression",
                                                 .kind = Kind::integer,
                                                 .help = "compression of formats that have it",
                                                 .least = 0,
                                                 .most = 9,
                                                 .option = "--compression",
                                                 .affects_results = false}),
      field<&Run::record, &Record::substeps>({.section = Section::record,
                                              .key = "substeps",
                                              .kind = Kind::truth,
                                              .help = "record rows at the sub-steps of units, too",
                                              .affects_results = false}),
  };
  return all;
}

constexpr Texts section_names[section_count] = {"experiment", "run", "loops", "iteration", "control", "record"};

bool is_outside(const Row& row, double x) {
  return !std::isfinite(x) || !(x > row.least) || (row.most > 0 && x > row.most);
}

Error refused(const Row& row, const std::string& given) {
  const auto path = path_of(row);
  return input_error("{} must be {}, got {}", path, range_text(row), given).of_setting(path);
}

}  // namespace

std::span<const Row> rows() { return table(); }

std::string_view name_of(Section section) { return section_names[static_cast<std::size_t>(section)]; }

std::string path_of(const Row& row) {
  if (row.section == Section::run) return std::string(row.key);
  return fmt::format("{}.{}", name_of(row.section), row.key);
}

const Row& find(std::string_view path) {
  std::vector<std::string> paths;
  for (const auto& row : rows()) {
    paths.push_back(path_of(row));
    if (paths.back() == path) return row;
  }
  const std::vector<std::string_view> names(paths.begin(), paths.end());
  throw input_error("there is no setting '{}'{}; docs/settings.md lists all", path, suggestion(path, names))
      .of_setting(std::string(path));
}

Value value(const Row& row, const RunSettings& settings) {
  const Value raw = row.get(settings);
  if (row.kind != Kind::choice || std::holds_alternative<std::monostate>(raw)) return raw;
  return std::string(row.choices[static_cast<std::size_t>(std::get<std::int64_t>(raw))]);
}

bool is_set(const Row& row, const RunSettings& settings) {
  static const RunSettings usual;
  return row.get(settings) != row.get(usual);
}

void reset(const Row& row, RunSettings& settings) {
  static const RunSettings usual;
  row.set(settings, row.get(usual));
}

void assign(const Row& row, RunSettings& settings, const Value& value) {
  switch (row.kind) {
    case Kind::choice: {
      const auto& text = std::get<std::string>(value);
      const auto found = std::find(row.choices.begin(), row.choices.end(), text);
      if (found == row.choices.end()) throw refused(row, quote(text));
      return row.set(settings, std::int64_t{found - row.choices.begin()});
    }
    case Kind::integer: {
      const auto n = static_cast<double>(std::get<std::int64_t>(value));
      if (n < row.least || n > row.most) throw refused(row, fmt::format("{}", std::get<std::int64_t>(value)));
      break;
    }
    case Kind::number:
    case Kind::seconds:
      if (is_outside(row, std::get<double>(value))) throw refused(row, fmt::format("{}", std::get<double>(value)));
      break;
    default: break;
  }
  row.set(settings, value);
}

void check(Section section, const RunSettings& settings) {
  RunSettings copy;
  for (const auto& row : rows())
    if (const Value v = value(row, settings); row.section == section && !std::holds_alternative<std::monostate>(v))
      assign(row, copy, v);
}

std::string range_text(const Row& row) {
  switch (row.kind) {
    case Kind::truth: return "true or false";
    case Kind::integer: return row.most < unlimited ? fmt::format("{} to {}", row.least, row.most) : ">= 1";
    case Kind::number:
    case Kind::seconds:
      if (row.least < 0) return "a time";
      return row.most > 0 ? fmt::format("> {} and <= {}", row.least, row.most) : fmt::format("> {}", row.least);
    case Kind::choice: return fmt::format("{}", fmt::join(row.choices, ", "));
    case Kind::approximation: return fmt::format("a name or {} to {}", row.least, row.most);
    case Kind::file: return "a path";
    case Kind::texts: return "a list";
    case Kind::text: return "a name";
  }
  return {};
}

std::string default_text(const Row& row) {
  if (!row.standard.empty()) return std::string(row.standard);
  const RunSettings usual;
  const Value v = value(row, usual);
  if (const auto* b = std::get_if<bool>(&v)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<std::int64_t>(&v)) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&v)) return fmt::format("{}", *d);
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  return "none";
}

}  // namespace consort::settings
