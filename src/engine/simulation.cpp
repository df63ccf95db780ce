#include "engine/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "couple/approximation.hpp"
#include "engine/simulation_impl.hpp"
#include "graph/compile.hpp"
#include "host/hosts.hpp"
#include "settings/table.hpp"
#include "solve/nonlinear.hpp"
#include "step/event_controller.hpp"

namespace consort::engine {

namespace {

std::shared_ptr<Library> or_new(std::shared_ptr<Library> library, const LibraryOptions& options) {
  return library ? std::move(library) : std::make_shared<Library>(options);
}

std::vector<fleet::Blocks> blocks_of(const graph::Plan& plan, bool keep_parts) {
  std::vector<fleet::Blocks> blocks;
  for (const auto& u : plan.units)
    blocks.push_back({&u.inputs, &u.outputs, u.first_input, u.first_output, u.component.substeps, keep_parts});
  return blocks;
}

}  // namespace

Simulation::Impl::Impl(const graph::System& system, SimulationOptions options, std::shared_ptr<Library> library)
    : begun_(Clock::now()),
      o_(std::move(options)),
      library_(or_new(std::move(library), o_.library)),
      plan_(compile(system)),
      tables_(o_.origin || o_.checkpoint_every || !o_.restart_from.empty()) {
  settings::check(settings::Section::loops, o_.run);
  static_cast<void>(solve::find_nonlinear_method(o_.run.loops.method));  // a wrong name is an error without loops, too
  require(o_.run.record.every > 0,
          "rows cannot be recorded at every 0th communication point; give a number of at least 1, where 1 stands for "
          "every communication point");
  const auto& controller = step::find_controller(o_.run.control.controller);
  varies_ = controller.varies;
  if (o_.run.record.substeps && controller.estimates) {
    o_.run.record.substeps = false;
    report_.warnings.push_back(
        fmt::format("rows at sub-steps are left out, because the controller '{}' takes every step more than once",
                    controller.name));
  }
  const unsigned threads = o_.run.threads.value_or(std::max(1U, std::thread::hardware_concurrency()));
  make_fleet(threads);
  const auto traits = fleet_->traits();
  announces_events_ = std::any_of(traits.begin(), traits.end(), [](const auto& u) { return u.announces_events(); });
  check_states();
  experiment_ = choose_experiment(plan_, o_.run, traits, report_);
  if (!runs_ahead()) near_end_ = experiment_.slack();
  if (o_.solo && o_.solo->table != nullptr) feed_from_table();
  files_ = graph::files_of(system, o_.run);
  state_ = couple::make_run_state(plan_);
  state_.t = experiment_.start;
  seed_externals(plan_, state_);
  const auto& approximation = couple::find_approximation(o_.run.extrapolation);
  scenario_ = Scenario(plan_, o_.run.scenario, experiment_.slack());
  read_tables(approximation.order() > 0);
  if (!o_.trace_file.empty()) {
    timeline_ = std::make_unique<fleet::Timeline>(threads);
    fleet_->trace(timeline_.get());
    recording_ = timeline_->activity("recording");
  }
  make_coupling();
  cuts_at_events_ = all_vary_ && (varies_ || stays_at_events_ || point_->has_sources());
  point_->prepare(state_);
  stepper_->prepare(state_);
  controller_->prepare(state_);
  growth_ = state_.memory.stays.reserve<report::GrowthWatch>("growth of outputs");
  state_.memory.stays.at(growth_) = {};
  describe_run(system, threads);
  if (o_.checkpoint_every) {
    require(std::isfinite(*o_.checkpoint_every) && *o_.checkpoint_every > 0,
            "the time between checkpoints must be positive, not {} s", *o_.checkpoint_every);
    if (o_.checkpoint_file.empty()) o_.checkpoint_file = plan_.name + ".checkpoint";
  }
  if (o_.checkpoint_every || !o_.restart_from.empty()) {
    require_serialization();
    static_cast<void>(identity());
  }
  if (o_.origin) origin_ = origin_facts(*o_.origin, {system, o_.run}, plan_, tables_);
  initialization_ = std::make_unique<Initialization>(plan_, o_.run.loops, *fleet_, *point_, o_.solo.has_value(),
                                                     o_.solo ? o_.solo->inputs : OwnInputs{});
  if (std::all_of(traits.begin(), traits.end(), [](const auto& u) { return u.can_roll_back(); }))
    saved_ = fleet_->reserve_snapshot(plan_.all_units());
  fleet_->connect(blocks_of(plan_, o_.run.record.substeps));
}

void Simulation::Impl::read_tables(bool polynomials) {
  const auto read = [&](const std::string& file, std::string_view element) {
    inputs_.emplace_back(plan_, parse_csv(tables_.read(file), file), element, experiment_.slack(), polynomials);
    if (varies_) inputs_.back().find_corners();
  };
  if (!o_.run.input_file.empty()) read(o_.run.input_file, {});
  std::set<std::string_view> known;
  for (const auto& external : plan_.externals)
    if (!external.table.empty() && known.insert(external.element_path()).second)
      read(external.table, external.element_path());
}

// Creates the communication point, and the stepper and the controller that use it.
void Simulation::Impl::make_coupling() {
  bonds_ = couple::PowerBonds(plan_, o_.run.bonds);
  const auto* const bonds = bonds_.empty() ? nullptr : &bonds_;
  std::vector<couple::InputSource*> sources;
  for (auto& inputs : inputs_) sources.push_back(&inputs);
  if (!feed_.empty()) sources.push_back(&feed_);
  if (!plan_.samplings.empty()) {
    sampled_ = couple::SampledInputs(plan_, experiment_.start, varies_ ? 0 : experiment_.step, experiment_.slack());
    sources.push_back(&sampled_);
  }
  if (!plan_.events.empty()) {
    system_events_ = couple::SystemEvents(plan_, *fleet_, experiment_.step);
    sources.push_back(&system_events_);
  }
  if (!scenario_.empty()) sources.push_back(&scenario_);
  point_ = std::make_unique<couple::Point>(
      couple::PointSetup{.plan = plan_,
                         .fleet = *fleet_,
                         .approximation = couple::find_approximation(o_.run.extrapolation),
                         .sources = std::move(sources),
                         .bonds = bonds,
                         .slack = experiment_.slack(),
                         .timeline = timeline_.get()});
  stepper_ = step::make_stepper({plan_, o_.run, *fleet_, *point_});
  choose_consistency();
  make_events();
  controller_ = step::make_controller({.plan = plan_,
                                       .settings = o_.run,
                                       .fleet = *fleet_,
                                       .stepper = *stepper_,
                                       .grid = experiment_.grid(),
                                       .tolerance = experiment_.coupling_tolerance,
                                       .is_late = is_late_,
                                       .bonds = bonds,
                                       .events = stays_at_events_ ? nullptr : events_.get(),
                                       .events_at_points = !together_,
                                       .stays_at_events = stays_at_events_});
}

void Simulation::Impl::make_events() {
  if (!o_.event_log.empty()) event_log_ = std::make_unique<SystemEventLog>(o_.event_log, plan_);
  logged_.assign(event_log_ ? fleet_->size() : 0, 0);
  stays_at_events_ = o_.solo && (fleet_->traits(0).event_mode || o_.solo->ahead != nullptr);
  together_ = !o_.solo && settles_together();
  if (!together_ && !stays_at_events_ && plan_.events.empty()) return;
  events_ = std::make_unique<couple::EventIteration>(plan_, *fleet_, *point_, &system_events_, experiment_.tolerance);
  events_->tell(event_log_.get());
}

// Events that were settled by all units are counted, too.
void Simulation::Impl::log_inner_events(Time begin) {
  for (UnitId u = 0; u < fleet_->size(); ++u) {
    const auto events = fleet_->counts(u).events;
    const auto settled = event_log_->count(u);
    if (events > logged_[u] + settled) event_log_->alone(u, events - logged_[u] - settled, begin, state_.t);
    logged_[u] = events - settled;
  }
}

bool Simulation::Impl::settles_together() const {
  using Wish = graph::EventSettling;
  if (o_.stops_at_events) return true;
  if (o_.run.events == Wish::alone) return false;
  const auto obstacle = step::obstacle_to_events(*fleet_);
  if (o_.run.events == Wish::together) {
    if (!obstacle.empty())
      throw input_error(
          "units cannot settle events together, because {}; run with 'events: auto', in which case each unit handles "
          "its events alone",
          obstacle)
          .of_setting("events");
    return true;
  }
  // Where that is impossible, a note says what happens to events of the system instead.
  if (!plan_.events.empty()) return true;
  if (!obstacle.empty()) return false;
  const auto is_discrete = [](const graph::PlannedUnit& unit, describe::VariableId id) {
    return (*unit.description)[id].variability == describe::Variability::discrete;
  };
  return std::any_of(plan_.connections.begin(), plan_.connections.end(), [&](const graph::ConnectionInfo& c) {
    if (c.from == graph::no_unit || c.from == c.to) return false;
    const auto& from = plan_.units[c.from];
    const auto& to = plan_.units[c.to];
    return fleet_->traits(c.from).event_verbs && fleet_->traits(c.to).event_verbs &&
           is_discrete(from, from.outputs.choice()[c.output]) && is_discrete(to, to.inputs.choice()[c.input]);
  });
}

// Puts every unit on the host of its component, or on the default host of the run.
void Simulation::Impl::make_fleet(unsigned threads) {
  host::HostSetup setup;
  setup.factory = library_->factory();
  setup.describe = library_->describer();
  setup.threads = threads;
  setup.log = o_.library.log;
  setup.trace = o_.library.trace;
  std::vector<std::string> names;
  std::vector<fleet::Host*> hosts;
  std::vector<std::uint32_t> host_of;
  const std::string usual = o_.run.host.empty() ? std::string(host::hosts().front().name) : o_.run.host;
  static_cast<void>(host::find_host(usual));  // a wrong name is an error even if no unit uses it
  for (const auto& unit : plan_.units) {
    const auto& name = unit.component.host.empty() ? usual : unit.component.host;
    const auto known = std::find(names.begin(), names.end(), name);
    host_of.push_back(static_cast<std::uint32_t>(known - names.begin()));
    if (known != names.end()) continue;
    names.push_back(name);
    hosts_.push_back(with_unit(unit.name, [&] { return host::find_host(name).make(setup); }));
    hosts.push_back(hosts_.back().get());
  }
  const auto specs = library_->specs(plan_, o_.run.step.value_or(plan_.experiment.step.value_or(0)));
  fleet_ = std::make_unique<fleet::Fleet>(specs, hosts, host_of);
}

Simulation::Impl::~Impl() {
  try {
    terminate();
  } catch (...) {  // call terminate() to get the error
  }
}

void Simulation::Impl::initialize() {
  require(!initialized_, "the simulation is initialised already");
  point_->look_up(state_);
  unit::Experiment e{experiment_.start, experiment_.stop, experiment_.tolerance};
  // Units store the stop time in their states (FMI 2.0, 4.2.1), but a resumed run may go beyond it.
  if (o_.checkpoint_every || !o_.restart_from.empty() || (o_.solo && o_.solo->keep_final_state)) e.stop.reset();
  if (o_.solo && !o_.solo->initial_state.empty()) {
    take_over_state();
  } else {
    (*initialization_)(state_, e, report_.assumed, report_.warnings);
  }
  point_->look_up(state_);
  system_events_.begin(state_);
  initialized_ = true;
  if (state_.stop.asked) report_.ended_early = fmt::format("a unit asked to end the simulation at t = {} s", state_.t);
  report_.start_up_seconds = seconds_since(begun_);
}

void Simulation::Impl::step() {
  require(initialized_, "the simulation has to be initialised before it is stepped; call initialize()");
  require(!terminated_, "the simulation has ended");
  if (!done()) advance(unit::never);
}

void Simulation::Impl::advance(Time limit) {
  limit = std::min(limit, experiment_.last);
  if (cuts_at_events_) limit = std::min(limit, next_event());
  point_->begin_due(state_);
  const Time begin = state_.t;
  const auto outcome = runs_ahead() ? run_ahead(limit) : controller_->advance(*stepper_, *fleet_, state_, limit);
  if (event_log_) log_inner_events(begin);
  if (outcome.why == unit::Why::terminate) [[unlikely]]
    end_early();
}

void Simulation::Impl::terminate() {
  if (!initialized_ || terminated_) return;
  terminated_ = true;
  fleet_->terminate(plan_.all_units());
}

graph::Plan Simulation::Impl::compile(const graph::System& system) {
  auto targets = Scenario::targets(o_.run.scenario);
  graph::CompileOptions options;
  if (o_.solo) options.wants = read_by_steps();
  if (o_.solo && o_.solo->table != nullptr) {
    const auto& component = system.components.front();
    targets = TableFeed::targets(component.name, library_->description(component), *o_.solo->table);
  }
  options.settings = o_.settings;
  options.targets = targets;
  return graph::compile(system, library_->catalogue(), options);
}

void Simulation::Impl::choose_consistency() {
  const auto traits = fleet_->traits();
  all_vary_ = std::all_of(traits.begin(), traits.end(), [](const auto& u) { return u.variable_step; });
  using Wish = graph::Consistency;
  const auto wish = o_.run.consistent;
  std::vector<bool> takes_part;
  for (std::size_t u = 0; u < traits.size(); ++u)
    takes_part.push_back(wish != Wish::never && (wish == Wish::always || traits[u].responds_without_step ||
                                                 plan_.units[u].component.responds_without_step));
  if (o_.solo) return is_late_.assign(traits.size(), false);  // its outputs drive nothing
  is_late_ = late_units(takes_part);
  note_late_units();
  if (wish == Wish::never) return;
  auto made = std::make_unique<couple::Consistency>(plan_, *fleet_, o_.run.loops, takes_part);
  if (made->needed()) point_->set_consistency(std::move(made));
}

// The next time at which a step must end: the next event of a table or scenario; with variable steps also announced
// events of units.
Time Simulation::Impl::next_event() const {
  Time next = point_->next_event(state_);
  if (!varies_ && !stays_at_events_) return next;
  const auto offer = [&](Time t) {
    if (t > state_.t + experiment_.slack()) next = std::min(next, t);
  };
  if (announces_events_)
    for (const Time t : state_.signals.next_event) offer(t);
  offer(point_->next_corner(state_));
  return next;
}

void Simulation::Impl::end_early() {
  if (o_.stop_requested != nullptr && o_.stop_requested->load(std::memory_order_relaxed)) {
    report_.ended_early = fmt::format("stopped on request at t = {} s", state_.t);
    return;
  }
  if (const auto* const text = system_events_.stop(state_); text != nullptr && state_.stop.unit == graph::no_unit) {
    report_.ended_early = fmt::format("an event of the system ended the simulation at t = {} s: {}", state_.t, *text);
    return;
  }
  report_.ended_early = fmt::format("unit '{}' asked to end the simulation at t = {} s",
                                    plan_.units[state_.stop.unit].name, state_.stop.at);
}

// --- public interface

Simulation::Simulation(const graph::System& system, SimulationOptions options, std::shared_ptr<Library> library)
    : impl_(std::make_unique<Impl>(system, std::move(options), std::move(library))) {}
Simulation::~Simulation() = default;

const graph::Plan& Simulation::plan() const { return impl_->plan(); }
Time Simulation::start() const { return impl_->experiment().start; }
Time Simulation::stop() const { return impl_->experiment().stop; }
Duration Simulation::step_size() const { return impl_->experiment().step; }
void Simulation::initialize() { impl_->initialize(); }
bool Simulation::done() const { return impl_->done(); }
void Simulation::step() { impl_->step(); }
void Simulation::terminate() { impl_->terminate(); }
Time Simulation::time() const { return impl_->time(); }
Value Simulation::value(std::string_view path) { return impl_->value(path); }
void Simulation::set(std::string_view path, const Value& value) { impl_->set(path, value); }
void Simulation::set(std::string_view path, double value) {
  with_type(impl_->type_of_path(path), [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      impl_->set(path, Value::scalar(static_cast<T>(value)));
    } else if constexpr (std::is_same_v<T, Bool>) {
      impl_->set(path, Value::scalar(Bool(value != 0)));
    } else if constexpr (std::is_same_v<T, EnumValue>) {
      impl_->set(path, Value::scalar(EnumValue(static_cast<std::int64_t>(value))));
    } else {
      throw input_error("'{}' is of type {} and cannot be set to a number", path, name_of(type_of<T>));
    }
  });
}
void Simulation::save(const std::string& file) { impl_->save(file, 0, {}); }
void Simulation::load(const std::string& file) { static_cast<void>(impl_->load(file)); }
report::SystemReport Simulation::run(std::span<record::Sink* const> sinks) { return impl_->run(sinks); }
report::SystemReport Simulation::report() const { return impl_->report(); }
const std::vector<std::uint8_t>& Simulation::final_state() const { return impl_->final_state(); }

}  // namespace consort::engine
