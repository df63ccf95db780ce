// Systems of units with events, simple enough to predict their behaviour.
//
// Every unit has the inputs u (continuous) and d (discrete, Int32) and the outputs y (continuous) and s (discrete,
// Int32). In a ramp, y rises by 1 + d per second; whenever it reaches a multiple of its length, s becomes 1 - s. There
// is a ramp with event mode and one as Model Exchange. A relay only does what a test sets for its event mode.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "couple/approximation.hpp"
#include "couple/event_iteration.hpp"
#include "couple/point.hpp"
#include "couple/power_bonds.hpp"
#include "describe/tests/builder.hpp"
#include "fleet/fleet.hpp"
#include "graph/compile.hpp"
#include "host/local_host.hpp"
#include "unit/lambda_unit.hpp"
#include "unit/model_unit.hpp"

namespace consort::couple {

class EventfulUnit : public unit::Unit, public unit::Rollback, public unit::Events {
 public:
  struct State {
    Time t = 0;
    double u = 0;
    double y = 0;
    std::int32_t d = 0;
    std::int32_t s = 0;
    double limit = 0;
  };

  explicit EventfulUnit(std::string name) : name_(std::move(name)), description_(describe()) {}

  // --- configuration

  // The time of the next event in a step from the given state.
  std::function<Time(const State&)> next = [](const State&) { return unit::never; };
  std::function<void(State&, Duration)> move = [](State&, Duration) {};
  std::function<unit::EventOutcome(State&)> react = [](State&) { return unit::EventOutcome{}; };
  bool rolls_back = true;
  bool varies = true;

  // --- observations

  State now;
  int updates = 0;
  int events_entered = 0;
  bool in_event_mode = false;

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return varies; }
  void enter_initialization(const unit::Experiment&) override {}
  void exit_initialization() override {}
  void terminate() override {}
  void get(const describe::SignalSet& signals, Columns& values) override {
    for (const auto& group : signals.groups()) {
      for (std::size_t i = 0; i < group.references.size(); ++i) {
        if (group.references[i] == 3) values.column<double>()[group.offsets[i]] = now.y;
        if (group.references[i] == 4) values.column<std::int32_t>()[group.offsets[i]] = now.s;
      }
    }
  }
  void set(const describe::SignalSet& signals, Columns& values) override {
    for (const auto& group : signals.groups()) {
      for (std::size_t i = 0; i < group.references.size(); ++i) {
        if (group.references[i] == 1) now.u = values.column<double>()[group.offsets[i]];
        if (group.references[i] == 2) now.d = values.column<std::int32_t>()[group.offsets[i]];
      }
    }
  }
  unit::StepOutcome step(const unit::StepRequest& r) override {
    CONSORT_ASSERT(!in_event_mode);
    now.t = r.t;
    const Time end = r.t + r.h;
    const Time event = next(now);
    const bool stops = event <= end;
    move(now, (stops ? event : end) - r.t);
    now.t = stops ? event : end;
    return {now.t, stops ? unit::Why::event : unit::Why::completed};
  }

  [[nodiscard]] unit::Events* events() override { return this; }
  void enter_event_mode() override {
    CONSORT_ASSERT(!in_event_mode);
    in_event_mode = true;
    ++events_entered;
  }
  unit::EventOutcome update() override {
    CONSORT_ASSERT(in_event_mode);
    ++updates;
    return react(now);
  }
  void leave_event_mode() override { in_event_mode = false; }

  [[nodiscard]] unit::Rollback* rollback() override { return rolls_back ? this : nullptr; }
  std::unique_ptr<unit::Snapshot> save(std::unique_ptr<unit::Snapshot> reuse) override {
    if (!reuse) reuse = std::make_unique<Saved>();
    static_cast<Saved&>(*reuse).state = now;
    return reuse;
  }
  void restore(const unit::Snapshot& snapshot) override {
    now = static_cast<const Saved&>(snapshot).state;
    in_event_mode = false;
  }
  [[nodiscard]] bool can_serialize() const override { return false; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const unit::Snapshot&) override { return {}; }
  [[nodiscard]] std::unique_ptr<unit::Snapshot> deserialize(std::span<const std::uint8_t>) override { return nullptr; }

 private:
  struct Saved : unit::Snapshot {
    State state;
  };
  static describe::Description describe() {
    describe::Builder b;
    b.add_input("u", 1);
    b.add_input("d", 2, Value::scalar(std::int32_t{0}));
    b.add("y", 3).causality = describe::Causality::output;
    b.add("s", 4, Type::Int32).causality = describe::Causality::output;
    return b.finish();
  }

  std::string name_;
  describe::Description description_;
};

inline std::unique_ptr<EventfulUnit> make_ramp(const std::string& name, double length) {
  auto unit = std::make_unique<EventfulUnit>(name);
  unit->now.limit = length;
  unit->next = [](const EventfulUnit::State& x) { return x.t + (x.limit - x.y) / (1 + x.d); };
  unit->move = [](EventfulUnit::State& x, Duration h) { x.y += h * (1 + x.d); };
  unit->react = [=](EventfulUnit::State& x) {
    if (x.y >= x.limit - 1e-12) {
      x.s = 1 - x.s;
      x.limit += length;
    }
    return unit::EventOutcome{};
  };
  return unit;
}

struct RampModel {
  double u = 0;
  std::int32_t d = 0;
  double y = 0, der_y = 0;
  double length = 1;
  std::int32_t s = 0;
  double limit = 0;
  double gap = 0;

  static constexpr auto describe() {
    using M = RampModel;
    using namespace consort::model;
    return declare({.description = "Goes up", .stop_time = 1, .step = 0.1}, input<&M::u>("not used"),
                   input<&M::d>("makes it steeper"), state<&M::y, &M::der_y>("ramp").output(),
                   parameter<&M::length>("between events"), output<&M::s>("toggles").exact(),
                   local<&M::limit>("of the next event").discrete(), indicator<&M::gap>("to the next event"));
  }
  void initialize() { limit = length; }
  void derivatives() { der_y = 1 + d; }
  void indicators() { gap = limit - y; }
  void event(consort::model::Event&) {
    if (y < limit) return;
    s = 1 - s;
    limit += length;
  }
};

inline std::unique_ptr<unit::Unit> make_ramp_model(const std::string& name, double length) {
  auto unit = unit::make_model_unit<RampModel>(
      "RampModel", {.name = name}, {.solver = "dopri5", .solver_options = {.rtol = 1e-10}, .own_tolerance = true});
  const auto id = unit->description().require_variable("length");
  const describe::SignalSet one(unit->description(), std::span(&id, 1));
  Columns columns = one.make_columns();
  columns.column<double>().front() = length;
  unit->set(one, columns);
  return unit;
}

// A fleet of such units on one host, with its communication point; create steppers and controllers before connect().
struct EventRig {
  explicit EventRig(std::string_view approximation = "0") : approximation_(approximation) {}

  template <class U>
  U& add(std::unique_ptr<U> unit) {
    U& added = *unit;
    system.add(added.name(), added.name());
    made.push_back(std::move(unit));
    descriptions.push_back(&added.description());
    return added;
  }
  void make(std::vector<InputSource*> sources = {}) {
    plan = graph::compile(system, [&](const graph::Component& c) -> const describe::Description& {
      for (std::size_t i = 0; i < made.size(); ++i)
        if (made[i]->name() == c.name) return *descriptions[i];
      throw input_error("there is no unit '{}'", c.name);
    });
    std::vector<fleet::UnitSpec> specs;
    for (const auto& u : plan.units) specs.push_back({.name = u.name});
    host::HostSetup setup;
    setup.factory = [this](const fleet::UnitSpec& spec) {
      for (auto& u : made)
        if (u && u->name() == spec.name) return std::move(u);
      return std::unique_ptr<unit::Unit>();
    };
    host = host::make_serial_host(setup);
    fleet = std::make_unique<fleet::Fleet>(specs, *host);
    state = make_run_state(plan);
    bonds = PowerBonds(plan, bonded);
    point = std::make_unique<Point>(PointSetup{.plan = plan,
                                               .fleet = *fleet,
                                               .approximation = find_approximation(approximation_),
                                               .sources = std::move(sources),
                                               .bonds = bonds.empty() ? nullptr : &bonds});
    events = std::make_unique<EventIteration>(plan, *fleet, *point);
  }
  void connect() {
    point->prepare(state);
    std::vector<fleet::Blocks> blocks;
    for (const auto& u : plan.units) blocks.push_back({&u.inputs, &u.outputs, u.first_input, u.first_output, 1});
    fleet->connect(blocks);
    const auto all = plan.all_units();
    fleet->enter_initialization(all, {0, {}, {}});
    fleet->exit_initialization(all);
    for (const auto u : all) fleet->ask(fleet->wave_of(u), fleet::Verb::read, 0, state.signals);
    point->give_all(state);
  }

  [[nodiscard]] graph::UnitId id(const std::string& name) const { return plan.require_unit(name); }
  [[nodiscard]] double y(const std::string& name) const { return output<double>(name, "y"); }
  [[nodiscard]] std::int32_t s(const std::string& name) const { return output<std::int32_t>(name, "s"); }

  graph::System system{"rig"};
  std::vector<graph::PowerBond> bonded;
  PowerBonds bonds;
  std::vector<std::unique_ptr<unit::Unit>> made;  // until they move into the fleet
  std::vector<const describe::Description*> descriptions;
  graph::Plan plan;
  std::unique_ptr<fleet::Host> host;
  std::unique_ptr<fleet::Fleet> fleet;
  RunState state;
  std::unique_ptr<Point> point;
  std::unique_ptr<EventIteration> events;

 private:
  template <class T>
  [[nodiscard]] T output(const std::string& name, const char* variable) const {
    const auto& unit = plan.units[id(name)];
    for (std::size_t i = 0; i < unit.outputs.choice().size(); ++i) {
      if ((*unit.description)[unit.outputs.choice()[i]].name != variable) continue;
      return state.signals.outputs
          .column<T>()[unit.first_output[static_cast<std::size_t>(type_of<T>)] + unit.outputs.place(i).first];
    }
    throw input_error("there is no output '{}.{}'", name, variable);
  }

  std::string approximation_;
};

}  // namespace consort::couple
