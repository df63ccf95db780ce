#include "engine/simulate_me.hpp"

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "engine/event_log.hpp"
#include "engine/run_alone.hpp"
#include "engine/start_values.hpp"
#include "engine/table_course.hpp"
#include "solve/solvers.hpp"
#include "unit/me_alone.hpp"

namespace consort::engine {

namespace {

// --- saved states: the time, and the state of the unit

constexpr std::string_view header = "consort model exchange run 3";

struct SavedState {
  Time time = 0;
  std::vector<std::uint8_t> unit{};
};

std::vector<std::uint8_t> written(const SavedState& state) {
  ByteWriter writer;
  writer(std::string(header), state.time, text_of(state.unit));
  return writer.take();
}

SavedState read_state(std::span<const std::uint8_t> bytes, const std::string& unit_name) {
  ByteReader reader(bytes);
  std::string first, unit;
  try {
    reader(first);
  } catch (const Error&) {
    first.clear();
  }
  require_in_unit(
      unit_name, first == header,
      "unit '{}' cannot start from this state: it was not saved by a Model Exchange run of this version; use a state "
      "that was, or use --interface-type cs",
      unit_name);
  SavedState state;
  reader(state.time, unit);
  reader.expect_end();
  state.unit = bytes_of(unit);
  return state;
}

// --- the run

solve::SolverOptions solver_options(const SimulateOptions& o, const RunPlan& plan, const std::string& solver) {
  solve::SolverOptions options;
  options.rtol = plan.tolerance;
  if (o.step) options.max_step = *o.step;
  if (!solve::find_solver(solver).capabilities.adaptive) options.initial_step = o.step.value_or(plan.step);
  return options;
}

std::function<void(const solve::Progress&)> told_to(std::function<void(const Progress&)> listener,
                                                    const RunPlan& plan) {
  using Clock = std::chrono::steady_clock;
  if (!listener) return {};
  return [listener = std::move(listener), start = plan.start, stop = plan.stop,
          begun = Clock::now()](const solve::Progress& p) {
    if (p.statistics->steps % 256 != 0) return;
    listener({start, p.t, stop, p.step, std::chrono::duration<double>(Clock::now() - begun).count()});
  };
}

void add_solver_facts(report::FmuReport& report, const std::string& solver, const solve::RunReport& run) {
  const auto& s = run.statistics;
  report.steps = s.steps;
  report.solver_steps = true;
  report.events = run.state_events + run.time_events + run.step_events;
  std::vector<std::string> notes{
      fmt::format("solver {}: {} steps, {} evaluations, {} Jacobians, {} error test failures", solver, s.steps,
                  s.evaluations, s.jacobians, s.error_test_failures),
      fmt::format("events: {} of states, {} of time, {} of steps", run.state_events, run.time_events, run.step_events)};
  report.notes.insert(report.notes.begin(), notes.begin(), notes.end());
}

}  // namespace

report::FmuReport simulate_me(std::unique_ptr<fmi::ModelExchange> instance, const describe::Description& d,
                              const SimulateOptions& o, const MeOptions& me, const input::InputTable* table,
                              std::span<record::Sink* const> sinks) {
  report::FmuReport report;
  const std::string name = instance->name();
  SimulateOptions planned = o;
  planned.step = o.output_interval;
  if (!o.initial_state.empty()) {
    auto state = read_state(o.initial_state, name);
    require_in_unit(name, !o.start || *o.start == state.time,
                    "unit '{}' was saved at t = {} s and cannot start at {} s; leave out --start-time", name,
                    state.time, o.start.value_or(0));
    planned.start = state.time;
    planned.initial_state = std::move(state.unit);
  }
  static_cast<void>(resolve_start_values(d, o.start_values));  // throws first, because later messages differ

  AloneRun run;
  run.plan = make_run_plan(d, describe::InterfaceType::model_exchange, planned, report.assumed);
  std::optional<EventLog> events;
  if (!me.event_log.empty()) events.emplace(me.event_log, d);
  unit::MeAloneOptions options{.solver = me.solver,
                               .solver_options = solver_options(o, run.plan, me.solver),
                               .stop = run.plan.stop,
                               .interval = run.plan.step,
                               .progress = told_to(std::exchange(planned.progress, {}), run.plan),
                               .cancel = o.stop_requested};
  if (events) options.on_event = [&](const solve::EventRecord& event) { events->add(event); };
  unit::MeAlone unit(std::move(instance), d, std::move(options));
  run.ahead = &unit;
  std::optional<TableCourse> inputs;
  if (table != nullptr) {
    inputs.emplace(unit, *table);
    unit.follow(*inputs);
    run.inputs = {.set_initial = [&, t = run.plan.start] { inputs->set_initial(t); },
                  .drives = [&](describe::VariableId id) { return inputs->drives(id); }};
  }
  run.library = std::make_shared<Library>();
  run.component = borrow(unit, *run.library);
  const Time start = run.plan.start;
  run_alone(std::move(run), planned, sinks, report);
  if (report.stop > start || !report.ended_early.empty() || o.keep_final_state)
    add_solver_facts(report, me.solver, unit.report());
  if (o.keep_final_state) report.final_state = written({report.reached, std::move(report.final_state)});
  return report;
}

}  // namespace consort::engine
