#include <limits>

#include <fmt/format.h>

#include "base/text.hpp"
#include "yaml/reader_parts.hpp"

namespace consort::yaml {

using graph::RunSettings;
using graph::ScenarioAction;
using graph::ScheduleEntry;

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_steps = std::numeric_limits<std::uint32_t>::max();

double positive_seconds(const View& view, std::string_view what) {
  const double value = view.seconds(what);
  if (!(value > 0)) throw view.error("{} must be greater than 0, not {}", what, value);
  return value;
}

void read_experiment(const View& view, graph::Experiment& experiment, RunSettings& run) {
  const Fields fields(view, experiment_keys());
  if (const auto start = fields.find("start")) experiment.start = start->seconds("the start time");
  if (const auto stop = fields.find("stop")) {
    experiment.stop = stop->seconds("the stop time");
    const double begin = experiment.start.value_or(0);
    if (*experiment.stop < begin)
      throw stop->error("the stop time {} is before the start time {}; correct one", *experiment.stop, begin);
  }
  if (const auto step = fields.find("step")) experiment.step = positive_seconds(*step, "the step");
  if (const auto tolerance = fields.find("tolerance")) experiment.tolerance = tolerance->positive("the tolerance");
  if (const auto interval = fields.find("output_interval"))
    run.output_interval = positive_seconds(*interval, "the output interval");
}

ScheduleEntry read_group(const View& view) {
  ScheduleEntry group;
  if (view.is(Node::Kind::scalar)) {
    group.unit = view.text("a member of a group");
    return group;
  }
  if (!view.is(Node::Kind::mapping))
    throw view.error("a member of a group is a unit, {{serial: […]}} or {{parallel: […]}}");
  const Fields fields(view, group_keys());
  const auto serial = fields.find("serial");
  const auto parallel = fields.find("parallel");
  if (serial.has_value() == parallel.has_value()) throw view.error("a group is either serial or parallel; give one");
  group.kind = serial ? ScheduleEntry::Kind::serial : ScheduleEntry::Kind::parallel;
  const View members = serial ? *serial : *parallel;
  for (const auto& member : members.list("the members of a group")) group.members.push_back(read_group(member));
  if (group.members.empty()) throw members.error("the group is empty; name its members, or remove it");
  return group;
}

void read_loops(const View& view, graph::LoopSettings& loops) {
  const Fields fields(view, loop_keys());
  if (const auto method = fields.find("method")) loops.method = method->text("the method for loops");
  if (const auto tolerance = fields.find("tolerance")) loops.tolerance = tolerance->positive("the tolerance of loops");
  if (const auto most = fields.find("iterations"))
    loops.iterations = static_cast<int>(most->integer("the number of iterations", 1, 1'000'000));
}

void read_iteration(const View& view, graph::IterationSettings& iteration) {
  using Settings = graph::IterationSettings;
  const Fields fields(view, iteration_keys());
  if (const auto method = fields.find("method")) iteration.method = method->text("the method of iterations");
  if (const auto tolerance = fields.find("tolerance"))
    iteration.tolerance = tolerance->positive("the tolerance of iterations");
  if (const auto most = fields.find("most"))
    iteration.most = static_cast<int>(most->integer("the number of iterations", 1, 1'000'000));
  if (const auto factor = fields.find("relaxation")) iteration.relaxation = factor->positive("the relaxation");
  if (const auto depth = fields.find("depth")) iteration.depth = static_cast<int>(depth->integer("'depth'", 1, 1000));
  if (const auto reuse = fields.find("reuse"))
    iteration.reuse = static_cast<int>(reuse->integer("'reuse'", 0, 1'000'000));
  if (const auto filter = fields.find("filter")) iteration.filter = filter->positive("'filter'");
  if (const auto jacobian = fields.find("jacobian")) {
    constexpr Settings::Jacobian kinds[] = {Settings::Jacobian::automatic, Settings::Jacobian::derivatives,
                                            Settings::Jacobian::differences};
    iteration.jacobian = kinds[jacobian->choice("'jacobian'", {"auto", "derivatives", "differences"})];
  }
  if (const auto scope = fields.find("scope")) {
    constexpr Settings::Scope kinds[] = {Settings::Scope::components, Settings::Scope::whole};
    iteration.scope = kinds[scope->choice("'scope'", {"components", "whole"})];
  }
  if (const auto sweep = fields.find("sweep")) {
    constexpr Settings::Sweep kinds[] = {Settings::Sweep::automatic, Settings::Sweep::serial,
                                         Settings::Sweep::parallel};
    iteration.sweep = kinds[sweep->choice("'sweep'", {"auto", "serial", "parallel"})];
  }
  if (const auto failure = fields.find("if_not_converged"))
    iteration.fails = failure->choice("'if_not_converged'", {"error", "go on"}) == 0;
}

void read_control(const View& view, graph::StepControl& control) {
  using Control = graph::StepControl;
  const Fields fields(view, control_keys());
  const auto number = [&](std::string_view key, auto& to) {
    if (const auto field = fields.find(key)) to = field->positive(fmt::format("'{}' of 'control'", key));
  };
  const auto time = [&](std::string_view key, auto& to) {
    if (const auto field = fields.find(key)) to = positive_seconds(*field, fmt::format("the {} step", key));
  };
  if (const auto controller = fields.find("controller")) control.controller = controller->text("the controller");
  number("tolerance", control.tolerance);
  number("absolute", control.absolute);
  time("initial", control.initial);
  time("minimum", control.minimum);
  time("maximum", control.maximum);
  number("safety", control.safety);
  number("shrink", control.shrink);
  number("grow", control.grow);
  if (const auto rule = fields.find("rule")) control.pi = rule->choice("'rule'", {"elementary", "pi"}) == 1;
  if (const auto norm = fields.find("norm")) {
    constexpr Control::Norm norms[] = {Control::Norm::root_mean_square, Control::Norm::root_mean};
    control.norm = norms[norm->choice("'norm'", {"root-mean-square", "root-mean"})];
  }
  if (const auto divisor = fields.find("divisor")) {
    constexpr Control::Divisor divisors[] = {Control::Divisor::history, Control::Divisor::equal_steps};
    control.divisor = divisors[divisor->choice("'divisor'", {"history", "equal-steps"})];
  }
  if (const auto what = fields.find("tolerance_for")) {
    constexpr Control::ToleranceFor kinds[] = {Control::ToleranceFor::step, Control::ToleranceFor::run};
    control.tolerance_for = kinds[what->choice("'tolerance_for'", {"step", "run"})];
  }
}

void read_run_section(const View& view, const fs::path& folder, RunSettings& run) {
  const Fields fields(view, run_keys());
  if (const auto stepper = fields.find("stepper")) run.stepper = stepper->text("the stepper");
  if (const auto host = fields.find("host")) run.host = host->text("the host");
  if (const auto how = fields.find("extrapolation")) {
    run.extrapolation = how->text("the extrapolation");
    const char first = run.extrapolation.front();
    if (first < 'a' || first > 'z') static_cast<void>(how->integer("the order of the extrapolation", 0, 5));
  }
  if (const auto order = fields.find("order")) run.order = order->texts("a unit of 'order'");
  if (const auto groups = fields.find("schedule"))
    for (const auto& group : groups->list("'schedule'")) run.schedule.push_back(read_group(group));
  if (const auto threads = fields.find("threads"))
    run.threads = static_cast<std::uint32_t>(threads->integer("the number of threads", 1, 4096));
  if (const auto loops = fields.find("loops")) read_loops(*loops, run.loops);
  if (const auto iteration = fields.find("iteration")) read_iteration(*iteration, run.iteration);
  if (const auto control = fields.find("control")) read_control(*control, run.control);
  if (const auto consistent = fields.find("consistent")) {
    constexpr graph::Consistency kinds[] = {graph::Consistency::automatic, graph::Consistency::always,
                                            graph::Consistency::never};
    run.consistency = kinds[consistent->choice("'consistent'", {"auto", "always", "never"})];
  }
  if (const auto factor = fields.find("real_time")) run.real_time = factor->positive("the real-time factor");
  if (const auto file = fields.find("input_file"))
    run.input_file = beside(folder, file->text("the file of inputs")).string();
}

void read_record(const View& view, const fs::path& folder, RunSettings& run) {
  const Fields fields(view, record_keys());
  if (const auto variables = fields.find("variables")) run.record = variables->texts("a variable of 'record'");
  if (const auto every = fields.find("every"))
    run.record_every = static_cast<std::uint32_t>(every->integer("'every'", 1, most_steps));
  if (const auto file = fields.find("file")) run.result_file = beside(folder, file->text("the result file")).string();
  if (const auto level = fields.find("compression"))
    run.compression = static_cast<int>(level->integer("the compression", 0, 9));
  if (const auto substeps = fields.find("substeps")) run.record_substeps = substeps->truth("'substeps'");
}

ScenarioAction read_action(const View& view) {
  const Fields fields(view, scenario_keys());
  constexpr std::string_view verbs[] = {"set", "hold", "ramp", "release"};
  ScenarioAction action;
  action.where = view.where();
  action.at = fields.need("at").seconds("the time of an action");
  int found = 0;
  for (std::size_t i = 0; i < std::size(verbs); ++i) {
    const auto verb = fields.find(verbs[i]);
    if (!verb) continue;
    ++found;
    action.kind = static_cast<ScenarioAction::Kind>(i);
    action.target = verb->text("the target of an action");
  }
  if (found != 1) throw view.error("an action does one of set, hold, ramp and release; give one of these keys");
  const bool moves = action.kind == ScenarioAction::Kind::set || action.kind == ScenarioAction::Kind::ramp;
  const auto to = fields.find("to");
  if (to.has_value() != moves)
    throw view.error("'{}' {} 'to: VALUE'; {} it", verbs[static_cast<std::size_t>(action.kind)],
                     moves ? "needs" : "takes no", moves ? "add" : "remove");
  if (moves) read_value(*to, "the value of an action", action.value, nullptr);
  const auto within = fields.find("within");
  if (within.has_value() != (action.kind == ScenarioAction::Kind::ramp))
    throw view.error("'within: SECONDS' belongs to a ramp, and a ramp needs it; {} it", within ? "remove" : "add");
  if (within) action.duration = positive_seconds(*within, "the time of a ramp");
  return action;
}

}  // namespace

void read_run(const Fields& file, const fs::path& folder, graph::System& system, RunSettings& run) {
  if (const auto experiment = file.find("experiment")) read_experiment(*experiment, system.experiment, run);
  if (const auto section = file.find("run")) read_run_section(*section, folder, run);
  if (const auto record = file.find("record")) read_record(*record, folder, run);
  if (const auto bonds = file.find("bonds")) {
    for (const auto& bond : bonds->list("'bonds'")) {
      const Fields fields(bond, bond_keys());
      run.bonds.push_back({fields.need("effort").text("the effort of a power bond"),
                           fields.need("flow").text("the flow of a power bond"), bond.where()});
    }
  }
  if (const auto scenario = file.find("scenario"))
    for (const auto& action : scenario->list("'scenario'")) run.scenario.push_back(read_action(action));
}

}  // namespace consort::yaml
