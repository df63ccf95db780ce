#include "engine/simulate_me.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/event_log.hpp"
#include "engine/me_recorder.hpp"
#include "engine/me_state.hpp"
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
  [[nodiscard]] std::string try_get(const describe::SignalSet& signals, Columns& values) override {
    return unit::try_get_values(instance_, signals, values);
  }
  [[nodiscard]] bool reset() override { return unit::reset_instance(instance_); }
  bool configure(const describe::SignalSet& signals, Columns& values) override {
    return unit::configure_values(instance_, signals, values);
  }

 private:
  fmi::Instance& instance_;
  const describe::Description& description_;
};

// Inputs from a table: continuous inputs are evaluated inside the integration, the others change at events.
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
  // Before and in initialization mode, where clocks do not tick.
  void set_initial(Time t) {
    table_.at(t, input::Side::after, cursor_, values_);
    without_clocks_.set(variables_, values_);
  }
  [[nodiscard]] bool contains(describe::VariableId id) const {
    const auto& all = table_.variables();
    return std::find(all.begin(), all.end(), id) != all.end();
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
                TableInputs* inputs, bool beyond_stop, std::vector<std::string>& warnings) {
  const auto set_inputs = [&] {
    if (inputs != nullptr) inputs->set_initial(plan.start);
  };
  const auto is_driven = [&](describe::VariableId id) { return inputs != nullptr && inputs->contains(id); };
  set_early(starts, variables, set_inputs, warnings);
  const auto stop = beyond_stop ? std::nullopt : std::optional<Time>(plan.stop);
  instance.enter_initialization({plan.start, stop, plan.tolerance});
  apply_again(starts, variables);
  set_inputs();
  instance.exit_initialization();
  check_kept(starts, variables, is_driven, warnings);
}

void add_solver_facts(report::FmuReport& report, const std::string& solver, const solve::RunReport& run) {
  const auto& s = run.statistics;
  report.steps = s.steps;
  report.events = run.state_events + run.time_events + run.step_events;
  report.notes.push_back(fmt::format("solver {}: {} steps, {} evaluations, {} Jacobians, {} error test failures",
                                     solver, s.steps, s.evaluations, s.jacobians, s.error_test_failures));
  report.notes.push_back(
      fmt::format("events: {} of states, {} of time, {} of steps", run.state_events, run.time_events, run.step_events));
}

struct MeRun {
  MeRun(fmi::ModelExchange& given, const describe::Description& d, const MeOptions& m, const SimulateOptions& options,
        const input::InputTable* table)
      : instance(given), description(d), me(m), o(options), row(solve::find_solver(m.solver)), variables(given, d) {
    if (!o.initial_state.empty() || o.keep_final_state) MeState::require_serialization(instance);
    if (!o.initial_state.empty()) {
      state.emplace(o.initial_state, instance.name());
      require_in_unit(instance.name(), o.start_values.empty(),
                      "unit '{}' starts from a saved state, so start values have no effect; leave out one of the two",
                      instance.name());
      require_in_unit(instance.name(), !o.start || *o.start == state->time(),
                      "unit '{}' was saved at t = {} s and cannot start at {} s; leave out --start-time",
                      instance.name(), state->time(), o.start.value_or(0));
    }
    SimulateOptions planned = o;
    planned.step = o.output_interval;
    if (state) planned.start = state->time();
    plan = make_run_plan(d, describe::InterfaceType::model_exchange, planned, report.assumed);
    static_cast<void>(Grid(plan.start, plan.stop, plan.step));  // throws for invalid times
    report.start = report.reached = plan.start;
    report.stop = plan.stop;
    report.step = plan.step;
    if (table != nullptr) inputs.emplace(variables, *table);
    if (!me.event_log.empty()) events.emplace(me.event_log, d);
  }

  // False if the instance asks to end immediately.
  bool begin(unit::MeProblem& problem, StartValues& starts) {
    problem.set_tolerance(plan.tolerance);
    if (state) {
      state->restore(instance, problem);
      return !problem.memory().ended;
    }
    // An instance that knows its stop time refuses to go beyond it, but a kept state must be able to.
    initialize(instance, variables, starts, plan, inputs ? &*inputs : nullptr, o.keep_final_state, report.warnings);
    return problem.begin(plan.start);
  }

  [[nodiscard]] solve::SolverOptions solver_options() const {
    solve::SolverOptions options;
    options.rtol = plan.tolerance;
    if (o.step) options.max_step = *o.step;
    if (!row.capabilities.adaptive) options.initial_step = o.step.value_or(plan.step);
    return options;
  }

  void integrate(unit::MeProblem& problem, MeRecorder& recorder) {
    const auto solver = solve::make_solver(me.solver, problem.ode(), solver_options());
    if (state) state->restore(*solver);
    solve::RunOptions run;
    run.interval = plan.step;
    run.cancel = o.stop_requested;
    run.log_limit = 0;
    // FMI 1.0 and 2.0: some instances (OpenModelica up to 1.12) evaluate outputs only when a step is completed.
    run.rows_end_steps = description.version != describe::FmiVersion::v3;
    if (events) run.on_event = [this](const solve::EventRecord& event) { events->add(event); };
    const bool queried = run.rows_end_steps && static_cast<bool>(problem.ode().events.step_event);
    run.output = [&](const solve::OutputRow& r) {
      if (!queried || r.kind != solve::OutputRow::Kind::grid) {  // the query evaluates at the same point
        problem.set_point(r.t, r.y);
        problem.evaluate(r.t);
      }
      recorder.write(r.t);
    };
    if (o.progress) {
      run.progress = [&](const solve::Progress& p) {
        if (p.statistics->steps % 256 != 0) return;
        o.progress({plan.start, p.t, plan.stop, p.step, std::chrono::duration<double>(Clock::now() - begun).count()});
      };
    }
    solve::Integration integration(*solver, problem.ode().events, run);
    if (state) state->restore(integration);
    const auto end = integration.advance(plan.stop);
    const auto result = integration.report();
    report.reached = result.reached;
    add_solver_facts(report, me.solver, result);
    if (end == solve::RunEnd::cancelled)
      report.ended_early = fmt::format("stopped on request at t = {} s", result.reached);
    if (end == solve::RunEnd::terminated) note_end(result.reached);
    if (!o.keep_final_state) return;
    problem.set_point(solver->time(), solver->state());
    report.final_state = MeState::write(instance, problem, *solver, integration);
  }

  void note_end(Time t) { report.ended_early = fmt::format("the unit asked to end the simulation at t = {} s", t); }

  fmi::ModelExchange& instance;
  const describe::Description& description;
  const MeOptions& me;
  const SimulateOptions& o;
  const solve::SolverRow& row;
  const Clock::time_point begun = Clock::now();
  InstanceVariables variables;
  report::FmuReport report;
  RunPlan plan;
  std::optional<MeState> state;  // the initial state
  std::optional<TableInputs> inputs;
  std::optional<EventLog> events;
};

}  // namespace

report::FmuReport simulate_me(fmi::ModelExchange& instance, const describe::Description& description,
                              const SimulateOptions& o, const MeOptions& me, const input::InputTable* table,
                              std::span<record::Sink* const> sinks) {
  MeRun run(instance, description, me, o, table);
  StartValues starts = resolve_start_values(description, o.start_values);
  {
    MeRecorder recorder(run.variables, o.outputs, starts, sinks);
    unit::MeProblem problem(instance, description, run.inputs ? &*run.inputs : nullptr);
    const bool goes_on = run.begin(problem, starts);
    recorder.begin(run.plan, o.origin);
    if (goes_on && (run.plan.stop > run.plan.start || o.keep_final_state)) {
      with_unit(instance.name(), [&] { run.integrate(problem, recorder); });
    } else {
      recorder.write(run.plan.start);
      if (!goes_on) run.note_end(run.plan.start);
    }
    instance.terminate();
    recorder.end();
    run.report.rows = recorder.rows();
    for (const auto& warning : recorder.warnings()) run.report.warnings.push_back(warning);
  }
  run.report.wall_seconds = std::chrono::duration<double>(Clock::now() - run.begun).count();
  return std::move(run.report);
}

}  // namespace consort::engine
