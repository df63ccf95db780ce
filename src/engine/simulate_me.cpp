#include "engine/simulate_me.hpp"

#include <chrono>

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/recorder.hpp"
#include "engine/run_plan.hpp"
#include "engine/start_values.hpp"
#include "engine/subset.hpp"
#include "solve/integrate.hpp"
#include "solve/solvers.hpp"
#include "unit/fmu_values.hpp"
#include "unit/me_problem.hpp"

namespace consort::engine {

namespace {

using Clock = std::chrono::steady_clock;

// The instance's variables, for start values and recording.
class InstanceVariables final : public unit::Variables {
 public:
  InstanceVariables(fmi::Instance& instance, const describe::Description& description)
      : instance_(instance), description_(description) {}
  [[nodiscard]] const std::string& name() const override { return instance_.name(); }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  void get(const describe::SignalSet& signals, Columns& values) override {
    unit::get_values(instance_, signals, values);
  }
  void set(const describe::SignalSet& signals, Columns& values) override {
    unit::set_values(instance_, signals, values);
  }
  bool configure(const describe::SignalSet& signals, Columns& values) override {
    return unit::configure_values(instance_, signals, values);
  }

 private:
  fmi::Instance& instance_;
  const describe::Description& description_;
};

// Inputs from a table: what is continuous is evaluated inside the integration, the rest changes at events.
class TableInputs final : public unit::MeInputs {
 public:
  TableInputs(unit::Variables& variables, const input::InputTable& table) : variables_(variables), table_(table) {
    const auto& d = variables.description();
    all_ = describe::SignalSet(d, table.variables(), table.sizes());
    values_ = all_.make_columns();
    std::vector<std::size_t> continuous, no_clocks, clocks;
    for (std::size_t i = 0; i < table.variables().size(); ++i) {
      const auto& v = d[table.variables()[i]];
      if (is_float(v.type) && v.variability == describe::Variability::continuous) continuous.push_back(i);
      (v.type == Type::Clock ? clocks : no_clocks).push_back(i);
    }
    continuous_ = Subset(d, all_, continuous, table.sizes());
    without_clocks_ = Subset(d, all_, no_clocks, table.sizes());
    ticks_ = Ticks(d, all_, clocks, table.sizes());
  }

  void set_continuous(Time t, bool after) override {
    if (continuous_.empty()) return;
    table_.at(t, after ? input::Side::after : input::Side::before, cursor_, values_);
    continuous_.set(variables_, values_);
  }
  void set_all(Time t) override {
    table_.at(t, input::Side::after, cursor_, values_);
    ticks_.set(variables_, values_);
    without_clocks_.set(variables_, values_);
  }
  // Before and in initialization, where clocks do not tick.
  void set_initial(Time t) {
    table_.at(t, input::Side::after, cursor_, values_);
    without_clocks_.set(variables_, values_);
  }
  [[nodiscard]] Time next_event_after(Time t) const override {
    return table_.next_event_after(t).value_or(solve::never);
  }

 private:
  unit::Variables& variables_;
  const input::InputTable& table_;
  input::InputTable::Cursor cursor_;
  describe::SignalSet all_;
  Columns values_;
  Subset continuous_, without_clocks_;
  Ticks ticks_;
};

void initialize(fmi::ModelExchange& instance, unit::Variables& variables, StartValues& starts, const RunPlan& plan,
                TableInputs* inputs) {
  apply_structural(starts, variables);
  apply(starts, variables);
  if (inputs != nullptr) inputs->set_initial(plan.start);
  instance.enter_initialization({plan.start, plan.stop, plan.tolerance});
  apply_inputs(starts, variables);
  if (inputs != nullptr) inputs->set_initial(plan.start);
  instance.exit_initialization();
}

void add_solver_facts(RunReport& report, const std::string& solver, const solve::RunReport& run) {
  const auto& s = run.statistics;
  report.steps = s.steps;
  report.events = run.state_events + run.time_events + run.step_events;
  report.notes.push_back(fmt::format("solver {}: {} steps, {} evaluations, {} Jacobians, {} error test failures",
                                     solver, s.steps, s.evaluations, s.jacobians, s.error_test_failures));
  report.notes.push_back(
      fmt::format("events: {} of states, {} of time, {} of steps", run.state_events, run.time_events, run.step_events));
}

}  // namespace

RunReport simulate_me(fmi::ModelExchange& instance, const describe::Description& description, const SimulateOptions& o,
                      const std::string& solver_name, const input::InputTable* table,
                      std::span<record::Sink* const> sinks) {
  const auto begun = Clock::now();
  const auto& row = solve::find_solver(solver_name);
  require(o.initial_state.empty() && !o.keep_final_state,
          "unit '{}' runs as Model Exchange, where states are not kept in files; use --interface-type cs, or run it "
          "without an initial and a final state",
          instance.name());
  RunReport report;
  SimulateOptions planned = o;
  planned.step = o.output_interval;
  const RunPlan plan = make_run_plan(description, describe::InterfaceType::model_exchange, planned, report.assumed);
  static_cast<void>(Grid(plan.start, plan.stop, plan.step));  // refuses what cannot be run
  report.start = report.reached = plan.start;
  report.stop = plan.stop;
  report.step = plan.step;

  InstanceVariables variables(instance, description);
  StartValues starts = resolve_start_values(description, o.start_values);
  std::optional<TableInputs> inputs;
  if (table != nullptr) inputs.emplace(variables, *table);
  TableInputs* const given = inputs ? &*inputs : nullptr;
  {
    Recorder recorder(variables, o.outputs, starts, sinks);
    initialize(instance, variables, starts, plan, given);
    unit::MeProblem problem(instance, description, given);
    problem.set_tolerance(plan.tolerance);
    const bool goes_on = problem.begin(plan.start);
    recorder.begin(plan);
    if (goes_on && plan.stop > plan.start) {
      solve::SolverOptions options;
      options.rtol = plan.tolerance;
      if (o.step) options.max_step = *o.step;
      if (!row.capabilities.adaptive) options.initial_step = o.step.value_or(plan.step);
      const auto solver = solve::make_solver(solver_name, problem.ode(), options);
      solve::RunOptions run;
      run.stop = plan.stop;
      run.interval = plan.step;
      run.cancel = o.stop_requested;
      run.output = [&](const solve::OutputRow& r) {
        problem.set_point(r.t, r.y);
        recorder.write(r.t);
      };
      if (o.progress) {
        run.progress = [&](const solve::Progress& p) {
          if (p.statistics->steps % 256 != 0) return;
          o.progress({plan.start, p.t, plan.stop, p.step, std::chrono::duration<double>(Clock::now() - begun).count()});
        };
      }
      const auto result = solve::integrate(*solver, problem.ode().events, run);
      report.reached = result.reached;
      add_solver_facts(report, solver_name, result);
      if (result.end == solve::RunEnd::cancelled)
        report.ended_early = fmt::format("stopped on request at t = {} s", result.reached);
      if (result.end == solve::RunEnd::terminated)
        report.ended_early = fmt::format("the unit asked to end the simulation at t = {} s", result.reached);
    } else {
      recorder.write(plan.start);
      if (!goes_on) report.ended_early = fmt::format("the unit asked to end the simulation at t = {} s", plan.start);
    }
    instance.terminate();
    recorder.end();
    report.rows = recorder.rows();
    if (!recorder.warning().empty()) report.warnings.push_back(recorder.warning());
  }
  report.wall_seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  return report;
}

}  // namespace consort::engine
