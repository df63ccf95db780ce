#include "fleet/fleet.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace consort::fleet {

// --- construction ---------------------------------------------------------------------------------------------------

Fleet::Fleet(std::span<const UnitSpec> specs, std::span<Host* const> hosts, std::span<const std::uint32_t> host_of)
    : served_(specs.size()) {
  make(specs, hosts, host_of);
}

Fleet::Fleet(std::span<const UnitSpec> specs, Host& host) : served_(specs.size()) {
  Host* const only = &host;
  const std::vector<std::uint32_t> first(specs.size(), 0);
  make(specs, std::span(&only, 1), first);
}

Fleet::~Fleet() = default;

void Fleet::make(std::span<const UnitSpec> specs, std::span<Host* const> hosts,
                 std::span<const std::uint32_t> host_of) {
  CONSORT_ASSERT(specs.size() == host_of.size());
  places_.resize(specs.size());
  traits_.resize(specs.size());
  for (std::uint32_t h = 0; h < hosts.size(); ++h) {
    std::vector<UnitSpec> own;
    std::vector<UnitId> ids;
    for (UnitId id = 0; id < specs.size(); ++id) {
      if (host_of[id] != h) continue;
      own.push_back(specs[id]);
      ids.push_back(id);
    }
    if (own.empty()) continue;
    auto made = hosts[h]->make(own);
    for (Local i = 0; i < ids.size(); ++i) {
      places_[ids[i]] = {made.get(), i};
      traits_[ids[i]] = made->traits()[i];
    }
    waited_for_.push_back(made.get());
    lists_.emplace_back().reserve(ids.size());
    hosted_.push_back(std::move(made));
  }
  replies_.resize(specs.size());
  counts_.resize(specs.size());
  output_orders_.resize(specs.size(), 0);
  for (UnitId id = 0; id < specs.size(); ++id) waves_.push_back({{id}, {}});
}

// --- declarations ---------------------------------------------------------------------------------------------------

WaveId Fleet::declare_wave(std::span<const UnitId> units, std::span<const Wait> waits) {
  CONSORT_ASSERT(!connected_);
  for (const auto id : units) CONSORT_ASSERT(id < size());
  waves_.push_back({{units.begin(), units.end()}, {waits.begin(), waits.end()}});
  return {static_cast<std::uint32_t>(waves_.size() - 1)};
}

SnapshotId Fleet::reserve_snapshot(std::span<const UnitId> units) {
  CONSORT_ASSERT(!connected_);
  Snapshot snapshot;
  snapshot.units.assign(units.begin(), units.end());
  for (const auto id : units)
    require(traits_[id].can_roll_back(), "unit '{}' cannot save its state{}; choose settings that need no rollback",
            traits_[id].name, traits_[id].rollback_obstacle());
  for (auto* const host : waited_for_) {
    std::vector<Local> own;
    for (const auto id : units)
      if (places_[id].host == host) own.push_back(places_[id].local);
    if (own.empty()) continue;
    snapshot.hosts.push_back(host);
    snapshot.locals.push_back(std::move(own));
  }
  snapshots_.push_back(std::move(snapshot));
  return {static_cast<std::uint32_t>(snapshots_.size() - 1)};
}

void Fleet::declare_derivatives(UnitId id, int order) {
  CONSORT_ASSERT(!connected_ && order <= traits_[id].output_order && order <= highest_order);
  output_orders_[id] = std::max(output_orders_[id], order);
}

Fleet::Route Fleet::route_of(std::span<const UnitId> units) const {
  Route route;
  for (auto* const host : waited_for_)
    if (std::any_of(units.begin(), units.end(), [&](UnitId id) { return places_[id].host == host; }))
      route.hosts.push_back(host);
  if (route.hosts.size() == 1) route.only = route.hosts.front();
  return route;
}

Wiring Fleet::wiring_for(const HostedUnits* host, std::span<const Blocks> blocks) {
  Wiring wiring;
  wiring.replies = replies_;
  for (UnitId id = 0; id < size(); ++id)
    if (places_[id].host == host) wiring.units.push_back({id, blocks[id], output_orders_[id]});
  const auto own = [&](std::span<const UnitId> units) {
    std::vector<Local> locals;
    for (const auto id : units)
      if (places_[id].host == host) locals.push_back(places_[id].local);
    return locals;
  };
  for (const auto& wave : waves_) wiring.waves.push_back({own(wave.units), wave.waits});
  for (const auto& snapshot : snapshots_) wiring.snapshots.push_back(own(snapshot.units));
  return wiring;
}

void Fleet::connect(std::span<const Blocks> blocks) {
  CONSORT_ASSERT(!connected_ && blocks.size() == size());
  for (auto* const host : waited_for_) host->connect(wiring_for(host, blocks));
  for (const auto& wave : waves_) routes_.push_back(route_of(wave.units));
  some_.reserve(size());
  connected_ = true;
}

// --- steps ----------------------------------------------------------------------------------------------------------

void Fleet::submit_to_several(const Route& route, std::uint32_t wave, const Work& work) {
  for (auto* const host : route.hosts) is_awaited_ = !host->submit(wave, work) || is_awaited_;
}

void Fleet::forget_told() {
  for (const auto id : served_.told()) replies_[id] = {};
  served_.clear();
}

// Counts are kept in the fleet, not in hosts, so that restoring a unit does not reset them.
bool Fleet::hear() {
  is_awaited_ = false;
  for (auto* const host : waited_for_) host->finish(served_);
  if (served_.is_quiet()) return true;
  served_.sort();
  for (const auto id : served_.told()) {
    counts_[id].add(replies_[id].counts);
    if (auto& warning = replies_[id].warning; !warning.empty()) warnings_.push_back(std::exchange(warning, {}));
  }
  served_.rethrow();
  return served_.told().empty();
}

// Waits for requests without replies.
void Fleet::settle_answers() {
  for (auto* const host : waited_for_) host->finish(served_);
  served_.rethrow();
}

void Fleet::save(SnapshotId snapshot) {
  for (auto* const host : snapshots_[snapshot.index].hosts) host->save(snapshot.index);
  settle_answers();
  snapshots_[snapshot.index].was_saved = true;
}

bool Fleet::was_saved(UnitId id) const {
  return std::any_of(snapshots_.begin(), snapshots_.end(), [&](const Snapshot& s) {
    return s.was_saved && std::find(s.units.begin(), s.units.end(), id) != s.units.end();
  });
}

void Fleet::restore(SnapshotId snapshot) {
  const auto& s = snapshots_[snapshot.index];
  for (std::size_t h = 0; h < s.hosts.size(); ++h) s.hosts[h]->restore(snapshot.index, s.locals[h]);
  settle_answers();
}

void Fleet::restore(SnapshotId snapshot, std::span<const UnitId> units) {
  for (auto* const host : snapshots_[snapshot.index].hosts) {
    some_.clear();
    for (const auto id : units)
      if (places_[id].host == host) some_.push_back(places_[id].local);
    if (!some_.empty()) host->restore(snapshot.index, some_);
  }
  settle_answers();
}

void Fleet::differentiate(DerivativeOf what, std::span<const DerivativeQuery> queries) {
  for (auto* const host : waited_for_) host->differentiate(what, queries);
  settle_answers();
}

// --- life and values ------------------------------------------------------------------------------------------------

template <class Call>
void Fleet::for_hosts(std::span<const UnitId> units, Call&& call) {
  // The lists must stay valid until all hosts have answered.
  for (std::size_t h = 0; h < waited_for_.size(); ++h) {
    auto& own = lists_[h];
    own.clear();
    for (const auto id : units)
      if (places_[id].host == waited_for_[h]) own.push_back(places_[id].local);
    if (!own.empty()) call(*waited_for_[h], std::span<const Local>(own));
  }
  settle_answers();
}

bool Fleet::configure(UnitId id, const describe::SignalSet& set, Columns& values) {
  bool done = false;
  places_[id].host->configure(places_[id].local, set, values, done);
  settle_answers();
  return done;
}

bool Fleet::reset(UnitId id) {
  bool done = false;
  places_[id].host->reset(places_[id].local, done);
  settle_answers();
  return done;
}

void Fleet::enter_initialization(std::span<const UnitId> units, const unit::Experiment& experiment) {
  for_hosts(units, [&](HostedUnits& host, auto own) { host.enter_initialization(own, experiment); });
}

void Fleet::exit_initialization(std::span<const UnitId> units) {
  for_hosts(units, [](HostedUnits& host, auto own) { host.exit_initialization(own); });
}

void Fleet::terminate(std::span<const UnitId> units) {
  for_hosts(units, [](HostedUnits& host, auto own) { host.terminate(own); });
}

void Fleet::get(UnitId id, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) {
  places_[id].host->get(places_[id].local, set, values, at);
  settle_answers();
}

std::string Fleet::try_get(UnitId id, const describe::SignalSet& set, Columns& values) {
  std::string refusal;
  places_[id].host->try_get(places_[id].local, set, values, refusal);
  settle_answers();
  return refusal;
}

void Fleet::set(UnitId id, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) {
  places_[id].host->set(places_[id].local, set, values, at);
  settle_answers();
}

// --- events ---------------------------------------------------------------------------------------------------------

void Fleet::enter_event_mode(std::span<const UnitId> units) {
  for_hosts(units, [](HostedUnits& host, auto own) { host.enter_event_mode(own); });
}

void Fleet::leave_event_mode(std::span<const UnitId> units) {
  for_hosts(units, [](HostedUnits& host, auto own) { host.leave_event_mode(own); });
}

EventOutcome Fleet::settle(UnitId id, Time t, Signals& signals) {
  EventOutcome outcome;
  places_[id].host->settle(std::span(&places_[id].local, 1), t, std::span(&outcome, 1));
  settle_answers();
  signals.next_event[id] = outcome.next_event.value_or(never);
  return outcome;
}

// --- states ---------------------------------------------------------------------------------------------------------

std::vector<std::uint8_t> Fleet::serialise(SnapshotId snapshot, UnitId id) {
  std::vector<std::uint8_t> bytes;
  places_[id].host->serialise(snapshot.index, places_[id].local, bytes);
  settle_answers();
  return bytes;
}

void Fleet::deserialise(SnapshotId snapshot, UnitId id, std::span<const std::uint8_t> bytes) {
  places_[id].host->deserialise(snapshot.index, places_[id].local, bytes);
  settle_answers();
}

// --- the run so far -------------------------------------------------------------------------------------------------

std::span<const Columns> Fleet::parts(UnitId id) const { return places_[id].host->parts(places_[id].local); }

void Fleet::go_on_from(UnitId id, const StepCounts& counts) {
  counts_[id] = counts;
  if (counts.discarded == 0) return;
  places_[id].host->expect_discards(places_[id].local);
  settle_answers();
}

double Fleet::cost(UnitId id) const { return places_[id].host->cost(places_[id].local); }

bool Fleet::has_shared() const {
  return std::any_of(hosted_.begin(), hosted_.end(), [](const auto& h) { return h->has_shared(); });
}

void Fleet::trace(Timeline* timeline) {
  for (auto* const host : waited_for_) host->trace(timeline);
}

}  // namespace consort::fleet
