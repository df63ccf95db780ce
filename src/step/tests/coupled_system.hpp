// Coupled systems set up as by the engine, from the plan to the controller, for the conformance tests of steppers and
// controllers. Units are solved exactly, so that only the coupling causes errors.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "couple/approximation.hpp"
#include "couple/point.hpp"
#include "couple/power_bonds.hpp"
#include "couple/run_state.hpp"
#include "fleet/fleet.hpp"
#include "graph/compile.hpp"
#include "graph/document.hpp"
#include "graph/system.hpp"
#include "host/hosts.hpp"
#include "step/controller.hpp"
#include "step/saved_run.hpp"
#include "step/stepper.hpp"
#include "step/tests/probe_unit.hpp"

namespace consort::step {

// A mass on a spring to the wall, tied to another one by a spring of stiffness `tie`: x'' = -(k + tie) x + tie u.
inline unit::LinearSystem oscillator(double k, double tie, double x) {
  return {{"u"}, {"x", "v"}, {x, 0}, {0, 1, -(k + tie), 0}, {0, tie}, {1, 0, 0, 1}, {0, 0}};
}

// y' = u - y: a driven unit that drives no unit.
inline unit::LinearSystem follower() { return {{"u"}, {"y"}, {0}, {-1}, {1}, {1}, {0}}; }

struct NamedSystem {
  std::string name;
  unit::LinearSystem system;
};

// Units and their connections.
struct Model {
  std::vector<NamedSystem> units;
  std::vector<std::pair<std::string, std::string>> connections;
  std::vector<graph::PowerBond> bonds{};
};

// Two oscillators that depend on each other, and a unit that follows; at rest in the beginning, so that the first
// steps, with a short past, have no larger errors than the others.
inline Model two_masses() {
  return {{{"left", oscillator(2, 1, 1)}, {"right", oscillator(3, 1, -0.5)}, {"watch", follower()}},
          {{"left.x", "right.u"}, {"right.x", "left.u"}, {"right.x", "watch.u"}}};
}

// The same as one system of equations: x and v of the left one, of the right one, and the following unit.
inline unit::LinearSystem two_masses_as_one() {
  return {{},
          {"left.x", "left.v", "right.x", "right.v", "watch.y"},
          {1, 0, -0.5, 0, 0},
          {0, 1, 0, 0, 0, -3, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, -4, 0, 0, 0, 0, 1, 0, -1},
          {},
          {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1},
          {}};
}

// A mass and a spring that exchange power: v' = -F, x' = v, F = 4 x.
inline Model mass_and_spring() {
  return {{{"mass", {{"F"}, {"v"}, {0}, {0}, {-1}, {1}, {0}}}, {"spring", {{"v"}, {"F"}, {1}, {0}, {1}, {4}, {0}}}},
          {{"spring.F", "mass.F"}, {"mass.v", "spring.v"}},
          {{"spring.F", "mass.v"}}};
}

struct Choice {
  std::string_view stepper;
  std::string_view approximation;
  std::string_view controller{};
  unsigned threads = 1;
};

// Every stepper with approximations up to order 2, with one thread and with several. The units here provide no
// derivatives.
inline std::vector<Choice> stepper_choices() {
  std::vector<Choice> all;
  for (const auto& row : steppers())
    for (const auto& approximation : couple::approximations())
      for (const unsigned threads : {1U, 3U})
        if (approximation.order() <= 2 && approximation.derivatives == 0)
          all.push_back({row.name, approximation.name, {}, threads});
  return all;
}

// The settings that a row of the table needs besides its name: all units one after another, in the listed order.
inline graph::RunSettings settings_for(const Choice& choice, const Model& model) {
  graph::RunSettings run;
  run.stepper = choice.stepper;
  run.extrapolation = choice.approximation;
  run.control.controller = choice.controller;
  run.bonds = model.bonds;
  run.iteration.tolerance = 1e-11;
  run.iteration.reuse = 2;
  for (const auto& row : steppers()) {
    if (row.name != choice.stepper) continue;
    for (const auto& unit : model.units) {
      if (row.reads.order) run.order.push_back(unit.name);
      if (row.reads.schedule) run.schedule.push_back({graph::ScheduleEntry::Kind::unit, unit.name, {}});
    }
  }
  return run;
}

using MakeStepper = std::unique_ptr<Stepper> (*)(const StepperSetup&);

class Coupled {
  // Members that the fleet uses; it must not outlive them.
  graph::RunSettings settings_;
  graph::System system_;
  std::map<std::string, std::unique_ptr<unit::LinearUnit>> prototypes_;  // owned here for their descriptions
  std::map<std::string, unit::LinearSystem> systems_;
  std::map<std::string, Probe> probes_;
  std::unique_ptr<fleet::Host> host_;
  couple::PowerBonds bonds_;

 public:
  Coupled(const Model& model, const graph::RunSettings& settings, unsigned threads, const Grid& grid = Grid(0, 10, 0.1),
          MakeStepper make = make_stepper)
      : settings_(settings), system_("model") {
    for (const auto& unit : model.units) {
      prototypes_[unit.name] = std::make_unique<unit::LinearUnit>(unit.name, with_clock(unit.system));
      systems_[unit.name] = unit.system;
      system_.add(unit.name, unit.name);
    }
    for (const auto& [from, to] : model.connections) system_.connect(from, to);
    plan = graph::compile(system_, [&](const graph::Component& c) -> const describe::Description& {
      return prototypes_.at(c.name)->description();
    });
    make_fleet(threads);
    bonds_ = couple::PowerBonds(plan, settings_.bonds);
    const auto* const bonds = bonds_.empty() ? nullptr : &bonds_;
    state = couple::make_run_state(plan);
    point = std::make_unique<couple::Point>(
        couple::PointSetup{.plan = plan,
                           .fleet = *fleet,
                           .approximation = couple::find_approximation(settings_.extrapolation),
                           .bonds = bonds});
    stepper = make({plan, settings_, *fleet, *point});
    controller = make_controller({.plan = plan,
                                  .settings = settings_,
                                  .fleet = *fleet,
                                  .stepper = *stepper,
                                  .grid = grid,
                                  .is_late = std::vector<bool>(plan.units.size(), false),
                                  .bonds = bonds});
    point->prepare(state);
    stepper->prepare(state);
    controller->prepare(state);
    begin();
  }
  Coupled(const Model& model, const Choice& choice, const Grid& grid = Grid(0, 10, 0.1))
      : Coupled(model, settings_for(choice, model), choice.threads, grid) {}

  unit::StepOutcome step(Duration h, bool may_roll_back = false, Past past = Past::usual) {
    return stepper->step(*fleet, state, {state.t, h, state.t + h, may_roll_back, past});
  }
  unit::StepOutcome advance(Time limit) { return controller->advance(*stepper, *fleet, state, limit); }

  void keep() {
    fleet->save(snapshot_);
    saved_->keep(state);
  }
  void take_back() {
    fleet->restore(snapshot_);
    saved_->bring_back(state);
  }

  Probe& probe(const std::string& unit) { return probes_.at(unit); }
  [[nodiscard]] const std::vector<double>& outputs() const { return state.signals.outputs.column<double>(); }
  // By "unit.output".
  [[nodiscard]] double output(const std::string& path) const {
    const auto [u, variable] = plan.require_variable(path);
    const auto& unit = plan.units[u];
    for (std::uint32_t i = 0; i < unit.outputs.choice().size(); ++i)
      if (unit.outputs.choice()[i] == variable)
        return outputs()[unit.first_output[static_cast<std::size_t>(Type::Float64)] + unit.outputs.place(i).first];
    throw input_error("'{}' is not an output", path);
  }
  // A whole run in the middle, and a run of the same kind that continues from there.
  [[nodiscard]] std::vector<std::uint8_t> checkpoint() {
    ByteWriter writer;
    couple::write(writer, state);
    fleet->save(snapshot_);
    for (const auto u : plan.all_units()) writer(fleet->serialise(snapshot_, u));
    return writer.take();
  }
  void go_on_from(std::span<const std::uint8_t> bytes) {
    ByteReader reader(bytes);
    couple::read(reader, state);
    for (const auto u : plan.all_units()) {
      std::vector<std::uint8_t> unit;
      reader.any_size(unit);
      fleet->deserialise(snapshot_, u, unit);
    }
    fleet->restore(snapshot_);
  }
  // All data that are restored with a step, and all points of the histories; as bytes.
  [[nodiscard]] std::vector<std::uint8_t> memory() const {
    ByteWriter writer;
    writer(state.t, state.n, state.steps, state.events, state.stop.asked);
    writer(state.signals.inputs.column<double>(), outputs());
    state.memory.back.write(writer);
    for (const auto* const history : {&point->history(), &point->coarse()}) {
      for (int k = 0; k < history->points(state.memory); ++k) {
        const auto values = history->values(state.memory, k);
        writer(history->time(state.memory, k), std::vector<double>(values.begin(), values.end()));
      }
    }
    return writer.take();
  }

  graph::Plan plan;
  couple::RunState state;
  std::unique_ptr<fleet::Fleet> fleet;
  std::unique_ptr<couple::Point> point;
  std::unique_ptr<Stepper> stepper;
  std::unique_ptr<Controller> controller;

 private:
  void make_fleet(unsigned threads) {
    host::HostSetup setup;
    setup.threads = threads;
    setup.factory = [this](const fleet::UnitSpec& spec) {
      return std::make_unique<ProbeUnit>(spec.name, systems_.at(spec.name), probes_[spec.name]);
    };
    host_ = host::find_host(threads > 1 ? "threads" : "serial").make(setup);
    std::vector<fleet::UnitSpec> specs;
    for (const auto& unit : plan.units) specs.push_back({.name = unit.name});
    fleet = std::make_unique<fleet::Fleet>(specs, *host_);
  }
  void begin() {
    const auto all = plan.all_units();
    std::vector<graph::UnitId> able;
    for (const auto u : all)
      if (fleet->traits(u).can_roll_back()) able.push_back(u);
    snapshot_ = fleet->reserve_snapshot(able);
    saved_ = std::make_unique<SavedRun>(plan, *fleet);
    std::vector<fleet::Blocks> blocks;
    for (const auto& u : plan.units) blocks.push_back({&u.inputs, &u.outputs, u.first_input, u.first_output, 1});
    fleet->connect(blocks);
    fleet->enter_initialization(all, {});
    fleet->exit_initialization(all);
    for (const auto u : all) fleet->ask(fleet->wave_of(u), fleet::Verb::read, 0, state.signals);
  }

  fleet::SnapshotId snapshot_{};
  std::unique_ptr<SavedRun> saved_;
};

// For names of parameterised tests.
inline std::string test_name(std::string text) {
  for (auto& c : text)
    if (c == '-' || c == ' ') c = '_';
  return text;
}

}  // namespace consort::step
