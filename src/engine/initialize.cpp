#include "engine/initialize.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "engine/parameter_passing.hpp"
#include "engine/start_values.hpp"
#include "engine/unit_view.hpp"

namespace consort::engine {

using graph::PlannedUnit;
using graph::UnitId;

namespace {

// Initial values before units are asked: given start values, else those of the description.
void fill(const PlannedUnit& unit, const describe::SignalSet& set, const describe::Offsets& at, Columns& to) {
  const auto& d = *unit.description;
  const auto& given = unit.starts.others();
  for (std::size_t i = 0; i < set.choice().size(); ++i) {
    const auto id = set.choice()[i];
    const Value* value = d.start(d[id]);
    const auto found = std::find(given.variables.begin(), given.variables.end(), id);
    if (found != given.variables.end())
      value = &given.values[static_cast<std::size_t>(found - given.variables.begin())];
    const auto place = set.place(i);
    if (value == nullptr || value->type() != place.type || value->size() == 0) continue;
    with_type(place.type, [&]<class T>() {
      const auto& from = value->elements<T>();
      auto& column = to.column<T>();
      for (std::uint32_t e = 0; e < place.count; ++e)
        column[at[static_cast<std::size_t>(place.type)] + place.first + e] = from[from.size() == place.count ? e : 0];
    });
  }
}

}  // namespace

class Initialization::Run {
 public:
  Run(Initialization& owner, couple::RunState& state, const unit::Experiment& experiment,
      std::vector<std::string>& assumed, std::vector<std::string>& warnings)
      : owner_(owner),
        plan_(owner.plan_),
        fleet_(owner.fleet_),
        state_(state),
        experiment_(experiment),
        assumed_(assumed),
        warnings_(warnings),
        parameters_(plan_, fleet_),
        modern_(owner.modern_),
        old_(owner.old_) {
    for (const auto u : old_) parameters_.wait_for(u);
  }

  void operator()() {
    enter();
    const auto settle = [&] {
      ask(owner_.sources_, fleet::Verb::read);
      owner_.consistency_(fleet_, state_);
      route(modern_, state_.signals.inputs);
      ask(owner_.sources_, fleet::Verb::evaluate);
      ask(owner_.ends_, fleet::Verb::give);
    };
    pass_parameters();
    settle();
    if (pass_parameters()) settle();
    if (!old_.empty()) {
      initialize_fmi1();
      pass_parameters();
      settle();
      note_assumptions();
    }
    fleet_.exit_initialization(modern_);
    for (UnitId u = 0; u < plan_.units.size(); ++u) {
      UnitView unit(plan_, fleet_, u);
      check_kept(plan_.units[u].starts, unit, driven(u), warnings_);
    }
    for (UnitId u = 0; u < plan_.units.size(); ++u) first_events(u);
    ask(plan_.all_units(), fleet::Verb::read);
  }

 private:
  // Submits all requests before it waits for answers.
  void ask(std::span<const UnitId> units, fleet::Verb verb) {
    const unit::StepRequest now{.t = state_.t};
    for (const auto u : units) fleet_.submit(fleet_.wave_of(u), verb, now, state_.signals);
    fleet_.wait();
  }

  void route(std::span<const UnitId> units, Columns& inputs) const {
    owner_.point_.route(units, state_.signals.outputs, inputs, state_.t);
  }

  void enter() {
    for (UnitId u = 0; u < plan_.units.size(); ++u) {
      const auto& planned = plan_.units[u];
      fill(planned, planned.inputs, planned.first_input, state_.signals.inputs);
      fill(planned, planned.outputs, planned.first_output, state_.signals.outputs);
    }
    owner_.point_.look_up(state_);
    for (UnitId u = 0; u < plan_.units.size(); ++u) {
      UnitView unit(plan_, fleet_, u);
      const auto inputs = [&] {
        if (owner_.sets_before_) set_inputs(u);
        set_own();
      };
      set_early(plan_.units[u].starts, unit, inputs, warnings_);
    }
    fleet_.enter_initialization(plan_.all_units(), experiment_);
    for (const auto u : modern_) {
      UnitView unit(plan_, fleet_, u);
      apply_again(plan_.units[u].starts, unit);
    }
    set_own();
  }

  void set_own() const {
    if (owner_.own_.set_initial) owner_.own_.set_initial();
  }

  void set_inputs(UnitId u) {
    const auto& unit = plan_.units[u];
    if (!unit.inputs.empty()) fleet_.set(u, unit.inputs, state_.signals.inputs, unit.first_input);
  }

  // Inputs and parameters to which connections lead.
  [[nodiscard]] IsDriven driven(UnitId u) const {
    return [this, u](describe::VariableId id) {
      if (owner_.own_.drives && owner_.own_.drives(id)) return true;
      const auto& inputs = plan_.units[u].inputs.choice();
      return std::any_of(plan_.connections.begin(), plan_.connections.end(),
                         [&](const graph::ConnectionInfo& c) { return c.to == u && inputs[c.input] == id; }) ||
             std::any_of(plan_.parameters.begin(), plan_.parameters.end(),
                         [&](const graph::ParameterRoute& r) { return r.to.unit == u && r.to.variable == id; });
    };
  }

  bool pass_parameters() { return parameters_.needed() && parameters_(); }

  // FMI 1.0 initialises in one call: set inputs before it, get outputs after it.
  void initialize_fmi1() {
    for (const auto u : plan_.order) {
      if (std::find(old_.begin(), old_.end(), u) == old_.end()) continue;
      route(std::span(&u, 1), state_.signals.inputs);
      set_inputs(u);
      pass_parameters();
      fleet_.exit_initialization(std::span(&u, 1));
      parameters_.close(u);
      fleet_.get(u, plan_.units[u].outputs, state_.signals.outputs, plan_.units[u].first_output);
    }
  }

  // Notes inputs of FMI 1.0 units whose present values differ from those at initialization.
  void note_assumptions() {
    Columns settled = state_.signals.inputs;
    route(old_, settled);
    for (const auto u : old_) {
      const auto& unit = plan_.units[u];
      std::vector<std::string> changed;
      for (std::size_t i = 0; i < unit.inputs.choice().size(); ++i) {
        const auto place = unit.inputs.place(i);
        if (place.type != Type::Float64) continue;
        const auto at = unit.first_input[float64] + place.first;
        const double was = state_.signals.inputs.column<double>()[at];
        const double is = settled.column<double>()[at];
        if (was != is)
          changed.push_back(fmt::format("{} (initialised with {}, settled at {})",
                                        (*unit.description)[unit.inputs.choice()[i]].name, was, is));
      }
      if (!changed.empty())
        assumed_.push_back(
            fmt::format("unit '{}' (FMI 1.0) has no initialization mode: {}", unit.name, fmt::join(changed, ", ")));
    }
  }

  // A unit with event mode is in event mode directly after its initialization (FMI 3.0, 4.2.1).
  void first_events(UnitId u) {
    if (!fleet_.traits(u).event_mode) return;
    owner_.point_.tick(state_);
    if (fleet_.settle(u, state_.t, state_.signals).terminate) state_.stop = {true, u, state_.t};
  }

  Initialization& owner_;
  const graph::Plan& plan_;
  fleet::Fleet& fleet_;
  couple::RunState& state_;
  const unit::Experiment& experiment_;
  std::vector<std::string>& assumed_;
  std::vector<std::string>& warnings_;
  ParameterPassing parameters_;
  const std::vector<UnitId>& modern_;
  const std::vector<UnitId>& old_;
};

void seed_externals(const graph::Plan& plan, couple::RunState& state) {
  if (plan.externals.empty()) return;
  Columns starts = state.signals.inputs;
  for (const auto& unit : plan.units) fill(unit, unit.inputs, unit.first_input, starts);
  std::array<std::vector<bool>, type_count> open;  // external elements without a value so far
  for (std::size_t type = 0; type < type_count; ++type) open[type].assign(plan.output_count[type], false);
  for (const auto& e : plan.externals)
    for (std::uint32_t i = 0; i < e.count; ++i) open[static_cast<std::size_t>(e.type)][e.element + i] = true;
  for_each_type([&]<class T>() {
    const auto type = static_cast<std::size_t>(type_of<T>);
    for (std::size_t i = 0; i < plan.sources[type].size(); ++i) {
      const auto source = plan.sources[type][i];
      if (source == graph::no_source || !open[type][source]) continue;
      T value = starts.column<T>()[i];
      if constexpr (std::is_same_v<T, double>) {
        const auto scaling = plan.scaling_of(static_cast<std::uint32_t>(i));
        if (scaling.factor == 0) continue;
        value = (value - scaling.offset) / scaling.factor;
      }
      state.signals.outputs.column<T>()[source] = std::move(value);
      open[type][source] = false;
    }
  });
}

namespace {

std::vector<bool> marks(std::size_t count, const std::vector<UnitId>& units) {
  std::vector<bool> marked(count, false);
  for (const auto u : units) marked[u] = true;
  return marked;
}

bool has_initialization_mode(const graph::Plan& plan, const fleet::Fleet& fleet, UnitId u) {
  return plan.units[u].description->version != describe::FmiVersion::v1 || fleet.traits(u).responds_without_step;
}

std::vector<UnitId> units_of(const graph::Plan& plan, const fleet::Fleet& fleet, bool modern) {
  std::vector<UnitId> units;
  for (UnitId u = 0; u < plan.units.size(); ++u)
    if (has_initialization_mode(plan, fleet, u) == modern) units.push_back(u);
  return units;
}

std::vector<UnitId> chosen(const std::vector<UnitId>& units, const std::vector<bool>& marked, bool mark) {
  std::vector<UnitId> some;
  for (const auto u : units)
    if (marked[u] == mark) some.push_back(u);
  return some;
}

std::vector<bool> that_drive_others(const graph::Plan& plan) {
  std::vector<bool> marked(plan.units.size(), false);
  for (const auto& c : plan.connections)
    if (c.from != graph::no_unit) marked[c.from] = true;
  return marked;
}

}  // namespace

Initialization::Initialization(const graph::Plan& plan, const graph::LoopSettings& loops, fleet::Fleet& fleet,
                               const couple::Point& point, bool sets_before, OwnInputs own)
    : plan_(plan),
      fleet_(fleet),
      point_(point),
      sets_before_(sets_before),
      own_(std::move(own)),
      modern_(units_of(plan, fleet, true)),
      old_(units_of(plan, fleet, false)),
      sources_(chosen(modern_, that_drive_others(plan), true)),
      ends_(chosen(modern_, that_drive_others(plan), false)),
      consistency_(plan, fleet, loops, marks(plan.units.size(), sources_)) {}

void Initialization::operator()(couple::RunState& state, const unit::Experiment& experiment,
                                std::vector<std::string>& assumed, std::vector<std::string>& warnings) {
  state.t = experiment.start;
  Run(*this, state, experiment, assumed, warnings)();
}

}  // namespace consort::engine
