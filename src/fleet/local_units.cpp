#include "fleet/local_units.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "unit/settle.hpp"

namespace consort::fleet {

namespace {

constexpr Local no_local = std::numeric_limits<Local>::max();

}  // namespace

LocalUnits::LocalUnits(std::span<const UnitSpec> specs, const UnitFactory& factory)
    : served_(specs.size()), times_(specs.size(), 0.0), costs_(specs.size()) {
  units_.reserve(specs.size());
  for (const auto& spec : specs) {
    units_.push_back(factory(spec));
    traits_.push_back(traits_of(*units_.back()));
    rollbacks_.push_back(units_.back()->rollback());
  }
}

void LocalUnits::connect(const Wiring& wiring) {
  CONSORT_ASSERT(wiring.units.size() == units_.size());
  replies_ = wiring.replies;
  local_of_.assign(replies_.size(), no_local);
  exchanges_.reserve(units_.size());
  for (Local i = 0; i < units_.size(); ++i) {
    const auto& u = wiring.units[i];
    ids_.push_back(u.id);
    local_of_[u.id] = i;
    exchanges_.emplace_back(*units_[i], u.id, u.blocks, u.output_order);
  }
  for (const auto& units : wiring.snapshots) {
    auto& snapshot = snapshots_.emplace_back();
    snapshot.units = units;
    if (units.empty()) continue;
    snapshot.states.resize(units_.size());
    snapshot.memories.resize(units_.size());
    snapshot.seen.resize(units_.size());
  }
}

// --- steps ----------------------------------------------------------------------------------------------------------

void LocalUnits::serve_one(Local unit, const Work& work, Served& served) {
  Exchange& exchange = exchanges_[unit];
  bool quiet = true;
  switch (work.verb) {
    case Verb::step:
      quiet = !checked_.empty() && checked_[unit].check
                  ? step_checked(checked_[unit], unit, work)
                  : exchange.step(*work.request, *work.signals, replies_[exchange.id()]);
      break;
    case Verb::evaluate: exchange.evaluate(*work.signals); break;
    case Verb::read: exchange.read(*work.signals); break;
    case Verb::give: exchange.give(*work.signals); break;
    case Verb::update: quiet = exchange.update(*work.signals, replies_[exchange.id()]); break;
  }
  if (!quiet) [[unlikely]]
    served.tell(exchange.id());
}

// The step loop for held inputs, with minimal overhead per unit. `i` is the index of the current unit if it throws.
[[gnu::always_inline]] inline void LocalUnits::step_held(std::span<const Local> units, const Work& work, Served& served,
                                                         std::size_t& i) {
  const StepRequest& request = *work.request;
  Signals& signals = *work.signals;
  const double* const inputs = signals.inputs.column<double>().data();
  double* const outputs = signals.outputs.column<double>().data();
  for (std::size_t k = i; k < units.size(); i = ++k) {
    Exchange& exchange = exchanges_[units[k]];
    if (exchange.is_direct()) [[likely]] {
      if (exchange.exchange_reals(request, inputs, outputs)) [[likely]]
        continue;
      if (!exchange.finish_reals(request, signals, replies_[exchange.id()])) served.tell(exchange.id());
    } else if (!exchange.step(request, signals, replies_[exchange.id()])) {
      served.tell(exchange.id());
    }
  }
}

void LocalUnits::serve(std::span<const Local> units, const Work& work, Served& served) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    try {
      if (work.verb == Verb::step && work.signals->highest == 0 && checked_.empty()) step_held(units, work, served, i);
      for (; i < units.size(); ++i) serve_one(units[i], work, served);
    } catch (...) {
      served.fail(ids_[units[i]], std::current_exception());
    }
  }
}

void LocalUnits::measure(std::span<const Local> units, const Work& work, Served& served, unsigned track) {
  using Clock = Timeline::Clock;
  auto before = Clock::now();
  for (const auto unit : units) {
    serve(std::span(&unit, 1), work, served);
    const auto after = Clock::now();
    const double seconds = std::chrono::duration<double>(after - before).count();
    times_[unit] = seconds;
    if (work.verb == Verb::step) {
      costs_[unit].seconds += seconds;
      ++costs_[unit].samples;
    }
    if (timeline_ != nullptr) timeline_->unit(track, ids_[unit], before, after, work.request->t);
    before = after;
  }
}

// --- requests other than steps --------------------------------------------------------------------------------------

template <class Do>
void LocalUnits::for_each(std::span<const Local> units, Do&& work) {
  for (const auto unit : units) {
    try {
      work(unit);
    } catch (...) {
      served_.fail(id_of(unit), std::current_exception());
    }
  }
}

void LocalUnits::save(std::uint32_t index) {
  auto& snapshot = snapshots_[index];
  for_each(snapshot.units, [&, states = snapshot.states.data(), memories = snapshot.memories.data(),
                            rollbacks = rollbacks_.data(), exchanges = exchanges_.data()](Local u) {
    states[u] = rollbacks[u]->save(std::move(states[u]));
    if (exchanges[u].has_memory()) exchanges[u].save(memories[u]);
    if (rollbacks[u]->is_trusted()) return;
    if (checked_.empty()) checked_.resize(units_.size());
    auto& checked = checked_[u];
    if (!checked.check) checked.check = std::make_unique<ReturnCheck>(*units_[u], exchanges_[u].outputs());
    checked.check->save(snapshot.seen[u], checked.t);
    checked.snapshot = index;
    checked.at_snapshot = true;
  });
}

void LocalUnits::bring_back(Snapshot& snapshot, Local unit) {
  CONSORT_ASSERT(snapshot.states[unit] != nullptr);
  rollbacks_[unit]->restore(*snapshot.states[unit]);
  if (exchanges_[unit].has_memory()) exchanges_[unit].restore(snapshot.memories[unit]);
}

void LocalUnits::restore(std::uint32_t index, std::span<const Local> units) {
  auto& snapshot = snapshots_[index];
  for_each(units, [&](Local u) {
    bring_back(snapshot, u);
    if (checked_.empty() || !checked_[u].check) return;
    auto& checked = checked_[u];
    checked.check->returned(snapshot.seen[u]);
    checked.t = snapshot.seen[u].t;
    checked.snapshot = index;
    checked.at_snapshot = true;
  });
}

// --- steps of units whose returns are checked -----------------------------------------------------------------------

bool LocalUnits::step_checked(Checked& checked, Local unit, const Work& work) {
  Exchange& exchange = exchanges_[unit];
  Reply& reply = replies_[exchange.id()];
  const StepRequest& request = *work.request;
  checked.t = request.t + request.h;
  const Time announced = work.signals->next_event[exchange.id()];
  const bool quiet = exchange.step(request, *work.signals, reply);
  const bool from_snapshot = std::exchange(checked.at_snapshot, false);
  if (!from_snapshot || !request.may_roll_back) return quiet;
  // A step that ended early, or in which a part was repeated, is not compared.
  if (!quiet && (!reply.outcome.completed() || reply.counts.early_returns > 0 || reply.counts.discarded > 0))
    return quiet;
  if (!checked.check->wants_repetition(snapshots_[checked.snapshot].seen[unit])) return quiet;
  return step_again(checked, unit, work, announced, quiet);
}

bool LocalUnits::step_again(Checked& checked, Local unit, const Work& work, Time announced, bool quiet) {
  Exchange& exchange = exchanges_[unit];
  Reply& reply = replies_[exchange.id()];
  auto& snapshot = snapshots_[checked.snapshot];
  const StepRequest& request = *work.request;
  std::string warning = quiet ? std::string() : std::move(reply.warning);
  bring_back(snapshot, unit);
  checked.check->returned(snapshot.seen[unit]);
  work.signals->next_event[exchange.id()] = announced;
  quiet = exchange.step(request, *work.signals, reply);
  if (quiet || reply.outcome.completed()) {
    const auto problem = checked.check->compare(snapshot.seen[unit], request.t + request.h);
    if (!problem.empty()) warning += (warning.empty() ? "" : "; ") + problem;
  }
  if (warning.empty()) return quiet;
  if (quiet) reply = {{request.t + request.h, Why::completed}};
  reply.warning = reply.warning.empty() ? std::move(warning) : warning + "; " + reply.warning;
  return false;
}

void LocalUnits::differentiate(DerivativeOf what, std::span<const DerivativeQuery> queries) {
  for (const auto& q : queries) {
    const Local unit = local_of_[q.unit];
    if (unit == no_local) continue;
    for_one(unit, [&] {
      if (what == DerivativeOf::outputs) {
        units_[unit]->derivatives()->directional(q.unknowns, q.knowns, q.seed, q.sensitivity);
      } else {
        units_[unit]->step_derivatives()->step_directional(q.unknowns, q.knowns, q.seed, q.sensitivity);
      }
    });
  }
}

void LocalUnits::configure(Local unit, const describe::SignalSet& set, Columns& values, bool& done) {
  for_one(unit, [&] { done = units_[unit]->configure(set, values); });
}

void LocalUnits::reset(Local unit, bool& done) {
  for_one(unit, [&] { done = units_[unit]->reset(); });
}

void LocalUnits::enter_initialization(std::span<const Local> units, const unit::Experiment& experiment) {
  for_each(units, [&](Local u) { units_[u]->enter_initialization(experiment); });
}

void LocalUnits::exit_initialization(std::span<const Local> units) {
  for_each(units, [&](Local u) {
    units_[u]->exit_initialization();
    if (!exchanges_.empty()) exchanges_[u].begin_run();
  });
}

void LocalUnits::terminate(std::span<const Local> units) {
  for_each(units, [&](Local u) { units_[u]->terminate(); });
}

void LocalUnits::get(Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) {
  for_one(unit, [&] { units_[unit]->get_part(set, values, at); });
}

void LocalUnits::set(Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) {
  for_one(unit, [&] { units_[unit]->set_part(set, values, at); });
}

void LocalUnits::try_get(Local unit, const describe::SignalSet& set, Columns& values, std::string& refusal) {
  for_one(unit, [&] { refusal = units_[unit]->try_get(set, values); });
}

void LocalUnits::enter_event_mode(std::span<const Local> units) {
  for_each(units, [&](Local u) { units_[u]->events()->enter_event_mode(); });
}

void LocalUnits::leave_event_mode(std::span<const Local> units) {
  for_each(units, [&](Local u) { units_[u]->events()->leave_event_mode(); });
}

void LocalUnits::settle(std::span<const Local> units, Time t, std::span<EventOutcome> outcomes) {
  std::size_t i = 0;
  for_each(units, [&](Local u) {
    auto& outcome = outcomes[i++];
    const auto settled = unit::settle(*units_[u]->events(), units_[u]->name(), t);
    outcome = {false, settled.terminate, settled.next_event};
  });
}

// --- states ---------------------------------------------------------------------------------------------------------

void LocalUnits::serialise(std::uint32_t index, Local unit, std::vector<std::uint8_t>& bytes) {
  auto& snapshot = snapshots_[index];
  for_one(unit, [&] {
    ByteWriter writer;
    writer(rollbacks_[unit]->serialize(*snapshot.states[unit]), snapshot.memories[unit].given,
           snapshot.memories[unit].without_progress);
    bytes = writer.take();
  });
}

void LocalUnits::deserialise(std::uint32_t index, Local unit, std::span<const std::uint8_t> bytes) {
  auto& snapshot = snapshots_[index];
  for_one(unit, [&] {
    // Gives `memory` the right sizes, which the reader checks.
    auto& memory = snapshot.memories[unit];
    exchanges_[unit].save(memory);
    ByteReader reader(bytes);
    std::vector<std::uint8_t> state;
    reader.any_size(state);
    reader(memory.given, memory.without_progress);
    reader.expect_end();
    snapshot.states[unit] = rollbacks_[unit]->deserialize(state);
  });
}

void LocalUnits::expect_discards(Local unit) {
  for_one(unit, [&] { exchanges_[unit].expect_discards(); });
}

}  // namespace consort::fleet
