#include "engine/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "couple/consistency.hpp"
#include "couple/gather.hpp"
#include "engine/checkpoint.hpp"
#include "engine/experiment.hpp"
#include "engine/external_inputs.hpp"
#include "engine/initialize.hpp"
#include "engine/pace.hpp"
#include "engine/prepared_stepper.hpp"
#include "engine/run_identity.hpp"
#include "engine/scenario.hpp"
#include "engine/start_values.hpp"
#include "engine/system_recorder.hpp"
#include "graph/compile.hpp"
#include "host/fleets.hpp"
#include "solve/nonlinear.hpp"
#include "step/controller.hpp"
#include "step/stepper.hpp"
#include "unit/timeline.hpp"

namespace consort::engine {

using Clock = std::chrono::steady_clock;
using graph::UnitId;

namespace {

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

std::shared_ptr<Library> or_new(std::shared_ptr<Library> library, const LibraryOptions& options) {
  return library ? std::move(library) : std::make_shared<Library>(options);
}

std::vector<unit::Ports> ports_of(const graph::Plan& plan, bool keep_parts) {
  std::vector<unit::Ports> ports;
  for (const auto& u : plan.units)
    ports.push_back({&u.inputs, &u.outputs, u.first_input, u.first_output, u.component.substeps, keep_parts});
  return ports;
}

}  // namespace

class Simulation::Impl {
 public:
  Impl(const graph::System& system, SimulationOptions options, std::shared_ptr<Library> library)
      : begun_(Clock::now()),
        o_(std::move(options)),
        library_(or_new(std::move(library), o_.library)),
        plan_(compile(system)) {
    static_cast<void>(solve::find_nonlinear_method(o_.run.loops.method));  // a wrong name is wrong without loops, too
    require(o_.run.record_every > 0,
            "rows can be recorded at every communication point, or every second one, and so "
            "on, but not every 0th; give a number of at least 1");
    units_ = library_->make_units(plan_);
    experiment_ = choose_experiment(plan_, o_.run, units_, report_);
    const unsigned threads = o_.run.threads.value_or(std::max(1U, std::thread::hardware_concurrency()));
    fleet_ = host::make_fleet(units_, ports_of(plan_, o_.run.record_substeps), threads);
    state_ = couple::make_run_state(plan_);
    state_.t = experiment_.start;
    seed_externals(plan_, state_);
    scenario_ = Scenario(plan_, o_.run.scenario);
    if (!o_.run.input_file.empty()) inputs_ = ExternalInputs(plan_, o_.run.input_file, experiment_.slack());
    if (!o_.trace_file.empty()) {
      timeline_ = std::make_unique<unit::Timeline>(threads);
      fleet_->trace(timeline_.get());
      recording_ = timeline_->activity("recording");
    }
    step::StepperSetup setup{plan_, o_.run, *fleet_, {}, timeline_.get()};
    if (!scenario_.empty()) {
      setup.hook = [this](couple::RunState& state, std::span<const UnitId>) { scenario_.apply(state); };
    }
    stepper_ = step::make_stepper(setup);
    stepper_->prepare(state_);
    choose_consistency();
    bonds_ = couple::PowerBonds(plan_, o_.run.bonds);
    const auto* const bonds = bonds_.empty() ? nullptr : &bonds_;
    prepared_ = std::make_unique<PreparedStepper>(
        PreparedStepper::Parts{*stepper_, scenario_, inputs_, consistency_.get(), bonds, o_.run.extrapolation > 0,
                               experiment_.slack(), timeline_.get()});
    controller_ = step::make_controller(
        {plan_, o_.run, *fleet_, *stepper_, experiment_.grid(), experiment_.tolerance, is_late_, bonds});
    varies_ = step::find_controller(o_.run.control.controller).varies;
    describe_run(system, threads);
    if (o_.checkpoint_every) {
      require(std::isfinite(*o_.checkpoint_every) && *o_.checkpoint_every > 0,
              "the time between checkpoints must be positive, not {} s", *o_.checkpoint_every);
      if (o_.checkpoint_file.empty()) o_.checkpoint_file = plan_.name + ".checkpoint";
    }
    if (o_.checkpoint_every || !o_.restart_from.empty()) require_serialization();
  }

  ~Impl() {
    try {
      terminate();
    } catch (...) {  // NOLINT(bugprone-empty-catch): whoever wants to know calls terminate()
    }
  }

  // --- what there is

  const graph::Plan& plan() const { return plan_; }
  const SystemExperiment& experiment() const { return experiment_; }
  Time time() const { return state_.t; }

  // --- the run

  void initialize() {
    require(!initialized_, "the simulation is initialised already");
    inputs_.at(experiment_.start, state_);
    unit::Experiment e{experiment_.start, experiment_.stop, experiment_.tolerance};
    // Units keep the stop time in their states (FMI 2.0, 4.2.1), and a run that goes on may go on for longer.
    if (o_.checkpoint_every || !o_.restart_from.empty()) e.stop.reset();
    initial_loops_ = engine::initialize(plan_, o_.run.loops, *fleet_, state_, e, report_.assumed);
    inputs_.at(experiment_.start, state_);
    initialized_ = true;
    if (state_.stopped) report_.ended_early = fmt::format("a unit asked to end the simulation at t = {} s", state_.t);
    report_.start_up_seconds = seconds_since(begun_);
  }

  bool done() const { return !report_.ended_early.empty() || state_.t >= experiment_.last - experiment_.slack(); }

  // To `limit` at most.
  void step(Time limit) {
    require(initialized_, "the simulation has to be initialised before it is stepped; call initialize()");
    require(!terminated_, "the simulation has ended");
    if (done()) return;
    limit = std::min(limit, experiment_.last);
    if (all_vary_) limit = std::min(limit, next_event());
    if (!scenario_.empty()) scenario_.begin_due(state_.t, experiment_.slack(), state_);
    const auto outcome = controller_->advance(*prepared_, *fleet_, state_, limit);
    if (outcome.why == unit::Why::terminate) [[unlikely]]
      end_early(outcome);
  }

  void terminate() {
    if (!initialized_ || terminated_) return;
    terminated_ = true;
    std::exception_ptr complaint;
    for (UnitId u = 0; u < fleet_->size(); ++u) {
      try {
        fleet_->unit(u).terminate();
      } catch (...) {
        if (!complaint) complaint = std::current_exception();
      }
    }
    if (complaint) std::rethrow_exception(complaint);
  }

  SystemReport run(std::span<record::Sink* const> sinks) {
    SystemRecorder recorder(plan_, o_.run.record, sinks, {varies_, controller_->estimated()});
    Pace pace(o_.run.real_time, o_.stop_requested);
    initialize();
    begin_recording(recorder);
    const auto loop_begun = Clock::now();
    pace.begin(state_.t);
    Look look(*this, loop_begun);
    Checkpoints checkpoints(*this);
    while (!done()) {
      const Time wanted = experiment_.output_point(output_);
      step(all_vary_ ? wanted : unit::never);
      const unit::Timeline::Span recording(timeline_.get(), recording_);
      bool row = experiment_.records(state_.t, wanted);
      if (row) {
        while (experiment_.output_point(output_) <= state_.t + experiment_.slack()) ++output_;
        row = ++points_ % o_.run.record_every == 0;
      }
      if (row && o_.run.record_substeps && report_.ended_early.empty())
        recorder.write_parts(prepared_->begin(), state_.t, *fleet_);
      if (row || done()) {
        recorder.write(state_.t, *fleet_, state_);
      } else if (o_.run.record_substeps) {
        recorder.look(*fleet_, state_);
      }
      checkpoints.write_when_due(recorder);
      pace.wait(state_.t);
      look.around();
    }
    checkpoints.end(recorder);
    report_.run_seconds = seconds_since(loop_begun);
    terminate();
    recorder.end();
    report_.rows = recorder.rows();
    checkpoints.tell(report_.notes);
    for (auto& w : recorder.warnings()) report_.warnings.push_back(std::move(w));
    report_.paced = o_.run.real_time.has_value();
    report_.overruns = pace.overruns();
    report_.latest = pace.latest();
    waited_ = pace.waited();
    if (timeline_) timeline_->write_chrome_trace(o_.trace_file, unit_names());
    return report();
  }

  SystemReport report() const {
    SystemReport r = report_;
    r.reached = state_.t;
    r.steps = state_.control.accepted;
    r.rejected = state_.control.rejected;
    add_trust(r);
    double in_units = 0;
    for (UnitId u = 0; u < fleet_->size(); ++u) {
      const auto counts = fleet_->counts(u);
      r.units[u].seconds = fleet_->cost(u) * static_cast<double>(state_.control.unit_steps);
      r.units[u].early_returns = counts.early_returns;
      r.units[u].discarded = counts.discarded;
      r.units[u].repeated_as_is = counts.repeated_as_is;
      r.units[u].events = counts.events;
      in_units += r.units[u].seconds;
    }
    // Units that cost little are left in one thread, however many there may be.
    if (!fleet_->has_shared()) r.threads = 1;
    const double busy = std::max(0.0, r.run_seconds - waited_);
    // What was sampled may have been dearer than the rest, as first steps are; nobody worked longer than there was
    // time.
    if (const double most = busy * r.threads; r.run_seconds > 0 && in_units > most) {
      for (auto& u : r.units) u.seconds *= most / in_units;
      in_units = most;
    }
    r.engine_seconds = std::max(0.0, busy - in_units / r.threads);
    r.iterations = stepper_->iterations();
    r.loops = initial_loops_;
    if (consistency_) {
      const auto& more = consistency_->loops();
      for (std::size_t i = 0; i < more.size(); ++i) {
        r.loops[i].solved += more[i].solved;
        r.loops[i].iterations += more[i].iterations;
        r.loops[i].evaluations += more[i].evaluations;
        r.loops[i].largest_residual = std::max(r.loops[i].largest_residual, more[i].largest_residual);
      }
    }
    return r;
  }

  // --- checkpoints

  void save(const std::string& file, std::uint64_t rows) {
    require(initialized_ && !terminated_, "a simulation can be saved between initialize() and its end");
    require_serialization();
    if (identity_.empty()) identity_ = run_identity(plan_, o_.run, experiment_);
    Checkpoint c{identity_, state_.t, rows, {}, {}};
    ByteWriter run;
    couple::write(run, state_);
    scenario_.write(run);
    run(points_, output_);
    c.run = text_of(run.take());
    fleet_->save(all_units(), saved_);
    for (UnitId u = 0; u < fleet_->size(); ++u) {
      ByteWriter unit;
      unit(text_of(fleet_->unit(u).rollback()->serialize(*saved_.units[u])), saved_.given[u]);
      c.units.push_back(text_of(unit.take()));
    }
    write_checkpoint(file, c);
  }

  // The number of rows that had been recorded.
  std::uint64_t load(const std::string& file) {
    const Checkpoint c = read_checkpoint(file);
    if (!initialized_) initialize();
    require_serialization();
    if (identity_.empty()) identity_ = run_identity(plan_, o_.run, experiment_);
    require_same_identity(c.identity, identity_, file);
    ByteReader::check(c.units.size() == fleet_->size());
    fleet_->save(all_units(), saved_);  // for its shape
    for (UnitId u = 0; u < fleet_->size(); ++u) {
      const auto bytes = bytes_of(c.units[u]);
      ByteReader reader(bytes);
      std::string state;
      reader(state, saved_.given[u]);
      reader.expect_end();
      saved_.units[u] = fleet_->unit(u).rollback()->deserialize(bytes_of(state));
    }
    const auto run = bytes_of(c.run);
    ByteReader reader(run);
    couple::read(reader, state_);
    scenario_.read(reader);
    reader(points_, output_);
    reader.expect_end();
    const auto estimated = state_.control.signals.size();
    ByteReader::check(std::isfinite(state_.t) && state_.t == c.t &&
                      (estimated == 0 || estimated == controller_->estimated().size()) &&
                      (state_.bonds.empty() || state_.bonds.size() == bonds_.size()));
    fleet_->restore(saved_);
    saved_ = {};
    prepared_->see_events(*fleet_);
    controller_->restart();
    report_.ended_early.clear();
    report_.notes.push_back(fmt::format("went on from the checkpoint {} at t = {} s", file, state_.t));
    return c.rows;
  }

  // --- values

  Value value(std::string_view path) {
    if (const auto* external = find_external(path)) {
      Value v;
      with_type(external->type, [&]<class T>() {
        const auto& column = state_.signals.outputs.column<T>();
        v = Value(
            std::vector<T>(column.begin() + external->element, column.begin() + external->element + external->count));
      });
      return v;
    }
    const auto [u, id] = plan_.require_variable(path);
    const auto& unit = plan_.units[u];
    const auto set = unit.starts.signals(*unit.description, std::span(&id, 1));
    Columns columns = set.make_columns();
    fleet_->unit(u).get(set, columns);
    Value v;
    with_type(set.place(0).type, [&]<class T>() { v = Value(columns.column<T>()); });
    return v;
  }

  void set(std::string_view path, const Value& value) {
    if (const auto* external = find_external(path)) {
      require(value.type() == external->type && value.size() == external->count, "'{}' takes {} value{} of type {}",
              path, external->count, external->count == 1 ? "" : "s", name_of(external->type));
      with_type(external->type, [&]<class T>() {
        std::copy(value.elements<T>().begin(), value.elements<T>().end(),
                  state_.signals.outputs.column<T>().begin() + external->element);
      });
      return;
    }
    const auto [u, id] = plan_.require_variable(path);
    auto& unit = plan_.units[u];
    const auto& v = (*unit.description)[id];
    if (!initialized_) {
      require(v.causality != describe::Causality::structural_parameter,
              "'{}' decides on the sizes of arrays, which are laid out by now; set it in the system, or with the "
              "options of the simulation",
              path);
      unit.starts.add(*unit.description, id, value);
      return;
    }
    require(v.is_settable_at_run_time(), "'{}' is {} ({}) and cannot be set while the simulation runs", path,
            describe::name_of(v.causality), describe::name_of(v.variability));
    const auto& driven = unit.inputs.choice();
    require(!std::binary_search(driven.begin(), driven.end(), id),
            "'{}' is driven by a connection; remove it, or use a scenario to override it", path);
    const auto set = unit.starts.signals(*unit.description, std::span(&id, 1));
    Columns columns = set.make_columns();
    require(value.type() == v.type && value.size() == set.place(0).count, "'{}' takes {} value{} of type {}", path,
            set.place(0).count, set.place(0).count == 1 ? "" : "s", name_of(v.type));
    with_type(v.type, [&]<class T>() { columns.column<T>() = value.elements<T>(); });
    set_running(u, v, set, columns);
  }

  Type type_of_path(std::string_view path) const {
    if (const auto* external = find_external(path)) return external->type;
    const auto [u, id] = plan_.require_variable(path);
    return (*plan_.units[u].description)[id].type;
  }

 private:
  // FMI 3.0, 4.2.1.3: with event mode, what is not continuous is set there.
  void set_running(UnitId u, const describe::Variable& v, const describe::SignalSet& set, Columns& values) {
    auto& unit = fleet_->unit(u);
    auto* const events = unit.events();
    if (events == nullptr || v.variability == describe::Variability::continuous) return unit.set(set, values);
    events->enter_event_mode();
    unit.set(set, values);
    constexpr int most = 1000;
    for (int i = 0; i < most; ++i) {
      const auto outcome = events->update();
      state_.signals.next_event[u] = outcome.next_event.value_or(unit::never);
      if (outcome.terminate) {
        report_.ended_early =
            fmt::format("unit '{}' asked to end the simulation at t = {} s", plan_.units[u].name, state_.t);
        return;
      }
      if (!outcome.repeat) return events->leave_event_mode();
    }
    throw run_error("unit '{}' asks for another event iteration at t = {} s after {} of them; its events do not settle",
                    plan_.units[u].name, state_.t, most);
  }

  static std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }
  static std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

  std::vector<UnitId> all_units() const {
    std::vector<UnitId> all(fleet_->size());
    for (UnitId u = 0; u < all.size(); ++u) all[u] = u;
    return all;
  }

  // A clear word before the run.
  void require_serialization() const {
    for (UnitId u = 0; u < fleet_->size(); ++u) {
      auto* const states = fleet_->unit(u).rollback();
      if (states != nullptr && states->can_serialize()) continue;
      const auto& d = *plan_.units[u].description;
      throw input_error(
          "checkpoints need units that can write down their state, which unit '{}' ({}) cannot; {}run without "
          "checkpoints",
          plan_.units[u].name, describe::name_of(d.version),
          d.interface(describe::InterfaceType::model_exchange) != nullptr && !fleet_->unit(u).answers_without_step()
              ? "run it as Model Exchange (interface: me) if that can, or "
              : "");
    }
  }

  // From the beginning, or behind the rows that a checkpoint knows of.
  void begin_recording(SystemRecorder& recorder) {
    if (o_.restart_from.empty()) {
      recorder.begin(facts());
    } else if (recorder.resume(facts(), load(o_.restart_from))) {
      if (o_.run.record_substeps) recorder.look(*fleet_, state_);
      return;
    }
    recorder.write(state_.t, *fleet_, state_);
  }

  // Writes them during a run; nothing when nobody wants any.
  class Checkpoints {
   public:
    explicit Checkpoints(Impl& impl) : impl_(impl) {
      if (impl_.o_.checkpoint_every) next_ = count(impl_.state_.t) + 1;
    }
    void write_when_due(SystemRecorder& recorder) {
      if (next_ == 0 || count(impl_.state_.t) < next_) [[likely]]
        return;
      next_ = count(impl_.state_.t) + 1;
      write(recorder);
    }
    // Who stops a run on request wants to go on.
    void end(SystemRecorder& recorder) {
      const auto* const stop = impl_.o_.stop_requested;
      const bool stopped = stop != nullptr && stop->load(std::memory_order_relaxed);
      if (next_ != 0 && stopped && (written_ == 0 || last_ != impl_.state_.t)) write(recorder);
    }
    void tell(std::vector<std::string>& notes) const {
      if (written_ == 0) return;
      notes.push_back(fmt::format("{} checkpoint{}, the last one at t = {} s: {}", written_, written_ == 1 ? "" : "s",
                                  last_, impl_.o_.checkpoint_file));
    }

   private:
    // How many of the times have been passed.
    [[nodiscard]] std::uint64_t count(Time t) const {
      const auto& e = impl_.experiment_;
      return static_cast<std::uint64_t>((t - e.start + e.slack()) / *impl_.o_.checkpoint_every);
    }
    // Rows first: a checkpoint must not know of any that a file has not.
    void write(SystemRecorder& recorder) {
      recorder.flush();
      try {
        impl_.save(impl_.o_.checkpoint_file, recorder.rows());
        last_ = impl_.state_.t;
        ++written_;
      } catch (const Error& error) {  // a full disk is no reason to end a long run
        if (std::exchange(failed_, true)) return;
        impl_.report_.warnings.push_back(fmt::format("no checkpoint at t = {} s: {}", impl_.state_.t, error.what()));
      }
    }

    Impl& impl_;
    std::uint64_t next_ = 0;  // 0: none are wanted
    std::uint64_t written_ = 0;
    Time last_ = 0;
    bool failed_ = false;
  };

  // Progress and requests to stop; the clock is read rarely when steps are fast.
  class Look {
   public:
    Look(Impl& impl, Clock::time_point begun) : impl_(impl), begun_(begun), last_(begun) {}
    void around() {
      const auto* const stop = impl_.o_.stop_requested;
      if (stop != nullptr && stop->load(std::memory_order_relaxed) && !impl_.done())
        impl_.report_.ended_early = fmt::format("stopped on request at t = {} s", impl_.state_.t);
      if (!impl_.o_.progress || ++since_ < every_) return;
      since_ = 0;
      const auto now = Clock::now();
      const double passed = std::chrono::duration<double>(now - last_).count();
      if (passed < 0.02 && every_ < 65536) every_ *= 2;
      if (passed > 0.2 && every_ > 1) every_ /= 2;
      if (passed < 0.02) return;
      last_ = now;
      const auto& e = impl_.experiment_;
      impl_.o_.progress({e.start, impl_.state_.t, e.stop, e.step, std::chrono::duration<double>(now - begun_).count()});
    }

   private:
    Impl& impl_;
    Clock::time_point begun_, last_;
    std::uint32_t since_ = 0;
    std::uint32_t every_ = 1;
  };

  graph::Plan compile(const graph::System& system) {
    const auto targets = Scenario::targets(o_.run.scenario);
    graph::CompileOptions options;
    options.settings = o_.settings;
    options.targets = targets;
    return graph::compile(system, library_->catalogue(), options);
  }

  void choose_consistency() {
    is_late_.assign(plan_.units.size(), false);
    all_vary_ = std::all_of(units_.begin(), units_.end(), [](const auto& u) { return u->variable_step(); });
    if (o_.run.consistency == graph::Consistency::never) return note_lags({});
    std::vector<bool> takes_part;
    for (std::size_t u = 0; u < units_.size(); ++u)
      takes_part.push_back(units_[u]->answers_without_step() || plan_.units[u].component.answers ||
                           o_.run.consistency == graph::Consistency::always);
    auto made = std::make_unique<couple::Consistency>(plan_, o_.run.loops, takes_part);
    if (!scenario_.empty())
      made->set_overrides([this](couple::RunState& state) { scenario_.apply_at(state.t, state); });
    if (made->needed()) consistency_ = std::move(made);
    note_lags(takes_part);
  }

  void add_trust(SystemReport& r) const {
    const auto& signals = state_.control.signals;
    const auto estimated = controller_->estimated();
    for (std::size_t i = 0; i < signals.size() && i < estimated.size(); ++i) {
      const auto& s = signals[i];
      r.trust.push_back({estimated[i].name, s.largest, s.accumulated, std::max(0.0, s.high - s.low), s.limited});
      r.units[estimated[i].unit].limited += s.limited;
    }
    for (std::size_t i = 0; i < state_.bonds.size(); ++i) {
      const auto& b = state_.bonds[i];
      r.bonds.push_back({bonds_.name(i), b.made, b.lost_or_made, b.carried, b.largest, b.peak});
    }
  }

  // Which outputs follow their inputs one step late.
  void note_lags(const std::vector<bool>& takes_part) {
    for (const auto& c : plan_.connections) {
      if (c.from == graph::no_unit || (!takes_part.empty() && takes_part[c.to])) continue;
      if (!plan_.units[c.to].feed_through[c.input].empty()) is_late_[c.to] = true;
    }
    const auto iterated = stepper_->iterations();  // until inputs agree with outputs: these are not late
    std::vector<std::string_view> late;
    for (std::size_t u = 0; u < is_late_.size(); ++u) {
      const auto is = [&](const auto& i) {
        return std::count(i.units.begin(), i.units.end(), plan_.units[u].name) > 0;
      };
      if (is_late_[u] && std::none_of(iterated.begin(), iterated.end(), is)) late.push_back(plan_.units[u].name);
    }
    if (late.empty()) return;
    const std::size_t most = std::min<std::size_t>(late.size(), 6);
    report_.notes.push_back(
        fmt::format("direct feed-through of {}{} is seen at the end of each step, with the inputs of that step: units "
                    "that cannot be "
                    "evaluated without a step",
                    fmt::join(std::span(late).first(most), ", "),
                    late.size() > most ? fmt::format(" and {} more", late.size() - most) : ""));
  }

  void describe_run(const graph::System& system, unsigned threads) {
    report_.system = system.name;
    report_.start = experiment_.start;
    report_.stop = experiment_.stop;
    report_.step = experiment_.step;
    report_.stepper = std::string(stepper_->name());
    report_.controller = std::string(controller_->name());
    report_.equal_steps = !varies_;
    report_.extrapolation = o_.run.extrapolation;
    report_.threads =
        plan_.units.size() > 1 ? std::min<unsigned>(threads, static_cast<unsigned>(plan_.units.size())) : 1;
    for (const auto& n : stepper_->notes()) report_.notes.push_back(n);
    for (const auto& n : controller_->notes()) report_.notes.push_back(n);
    for (const auto& n : plan_.notes) report_.assumed.push_back(n);
    for (const auto& w : library_->warnings()) report_.warnings.push_back(w);
    for (std::size_t u = 0; u < plan_.units.size(); ++u) {
      UnitReport unit;
      unit.name = plan_.units[u].name;
      unit.kind = std::string(describe::name_of(plan_.units[u].description->version));
      if (units_[u]->answers_without_step() && plan_.units[u].description->version != describe::FmiVersion::native)
        unit.kind += ", Model Exchange";
      report_.units.push_back(std::move(unit));
    }
  }

  std::vector<record::Fact> facts() const {
    std::vector<record::Fact> all{{"system", plan_.name},
                                  {"start time", fmt::format("{}", experiment_.start)},
                                  {"stop time", fmt::format("{}", experiment_.stop)},
                                  {"step size", fmt::format("{}", experiment_.step)},
                                  {"tolerance", fmt::format("{}", experiment_.tolerance)},
                                  {"stepper", report_.stepper},
                                  {"controller", report_.controller},
                                  {"extrapolation", fmt::format("{}", o_.run.extrapolation)}};
    for (const auto& file : library_->files())
      if (!file.digest.empty()) all.push_back({"sha256 of " + file.path, file.digest});
    return all;
  }

  // Where steps have to end: at the next event of a table or scenario, and with variable steps also at those that units
  // announce.
  Time next_event() const {
    Time next = prepared_->next_event(state_.t);
    if (!varies_) return next;
    for (const Time t : state_.signals.next_event)
      if (t > state_.t + experiment_.slack()) next = std::min(next, t);
    return next;
  }

  void end_early(const unit::StepOutcome&) {
    for (UnitId u = 0; u < fleet_->size(); ++u) {
      if (fleet_->outcomes()[u].why != unit::Why::terminate) continue;
      report_.ended_early = fmt::format("unit '{}' asked to end the simulation at t = {} s", plan_.units[u].name,
                                        fleet_->outcomes()[u].reached);
      return;
    }
  }

  const graph::ExternalSignal* find_external(std::string_view name) const {
    const auto found =
        std::find_if(plan_.externals.begin(), plan_.externals.end(), [&](const auto& e) { return e.name == name; });
    return found == plan_.externals.end() ? nullptr : &*found;
  }

  std::vector<std::string> unit_names() const {
    std::vector<std::string> names;
    for (const auto& u : plan_.units) names.push_back(u.name);
    return names;
  }

  Clock::time_point begun_;
  SimulationOptions o_;
  std::shared_ptr<Library> library_;
  SystemReport report_;
  graph::Plan plan_;
  std::vector<std::unique_ptr<unit::Unit>> units_;
  SystemExperiment experiment_;
  std::unique_ptr<unit::Timeline> timeline_;
  std::unique_ptr<unit::Fleet> fleet_;
  couple::RunState state_;
  Scenario scenario_;
  ExternalInputs inputs_;
  std::unique_ptr<step::Stepper> stepper_;
  std::unique_ptr<couple::Consistency> consistency_;
  couple::PowerBonds bonds_;
  std::unique_ptr<PreparedStepper> prepared_;
  std::unique_ptr<step::Controller> controller_;
  std::vector<bool> is_late_;  // by unit: direct feed-through is seen a step late
  std::vector<couple::LoopReport> initial_loops_;
  unit::Timeline::Activity recording_;
  std::uint64_t points_ = 0;  // output points, and which is next
  std::uint64_t output_ = 1;
  std::string identity_;         // of checkpoints
  unit::FleetSnapshot saved_{};  // for these
  double waited_ = 0;            // s, for the clock
  bool all_vary_ = false;
  bool varies_ = false;  // steps are not equal
  bool initialized_ = false;
  bool terminated_ = false;
};

// --- the public face

Simulation::Simulation(const graph::System& system, SimulationOptions options, std::shared_ptr<Library> library)
    : impl_(std::make_unique<Impl>(system, std::move(options), std::move(library))) {}
Simulation::~Simulation() = default;

const graph::Plan& Simulation::plan() const { return impl_->plan(); }
Time Simulation::start() const { return impl_->experiment().start; }
Time Simulation::stop() const { return impl_->experiment().stop; }
Duration Simulation::step_size() const { return impl_->experiment().step; }
void Simulation::initialize() { impl_->initialize(); }
bool Simulation::done() const { return impl_->done(); }
void Simulation::step() { impl_->step(unit::never); }
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
      throw input_error("'{}' is of type {}, which a number cannot be", path, name_of(type_of<T>));
    }
  });
}
void Simulation::save(const std::string& file) { impl_->save(file, 0); }
void Simulation::load(const std::string& file) { static_cast<void>(impl_->load(file)); }
SystemReport Simulation::run(std::span<record::Sink* const> sinks) { return impl_->run(sinks); }
SystemReport Simulation::report() const { return impl_->report(); }

}  // namespace consort::engine
