// The units of a run, wherever they are: the only door to them.
//
// A fleet lives in three phases. Made: units exist, traits() tells what they can. Declared: who runs the fleet says
// which units will be asked together (waves), what will be saved together (snapshots) and which derivatives of outputs
// are wanted; connect() ends it. Running: everything else.
//
// Values change hands in Signals, which belong to whoever runs the fleet. A call of submit() sends units off; until
// wait() has returned, their blocks of the signals are theirs. Results do not depend on where units run. Functions
// throw Error that names the unit which failed; of several the one with the lowest id, after all of them have stopped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/value.hpp"
#include "fleet/host.hpp"
#include "fleet/request.hpp"
#include "fleet/signals.hpp"
#include "fleet/spec.hpp"
#include "fleet/traits.hpp"

namespace consort::fleet {

struct WaveId {
  std::uint32_t index = 0;
};
struct SnapshotId {
  std::uint32_t index = 0;
};

class Fleet final {
 public:
  // Makes the units: spec i on hosts[host_of[i]]. The hosts must outlive the fleet. Throws what hosts throw.
  Fleet(std::span<const UnitSpec> specs, std::span<Host* const> hosts, std::span<const std::uint32_t> host_of);
  Fleet(std::span<const UnitSpec> specs, Host& host);  // all on one
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  [[nodiscard]] std::size_t size() const { return traits_.size(); }
  [[nodiscard]] std::span<const UnitTraits> traits() const { return traits_; }
  [[nodiscard]] const UnitTraits& traits(UnitId id) const { return traits_[id]; }

  // --- declarations, before connect()

  // Units that are submitted together, each once. `waits` says whose inputs take what others compute in the same step,
  // so that a host may start a unit as soon as its sources are done.
  WaveId declare_wave(std::span<const UnitId> units, std::span<const Wait> waits = {});
  // A wave of one unit; there is one for each without being declared.
  [[nodiscard]] WaveId wave_of(UnitId id) const { return {id}; }
  // Room for the states of these units. Throws Error (input) that names one which cannot save its state.
  SnapshotId reserve_snapshot(std::span<const UnitId> units);
  // Derivatives of a unit's Float64 outputs up to this order, which its traits must allow: after every step, and with
  // Verb::read and Verb::evaluate from the end of its initialization on. Of scalar outputs; the others have none.
  void declare_derivatives(UnitId id, int order);
  // By unit. What the blocks point at must outlive the fleet.
  void connect(std::span<const Blocks> blocks);

  // --- steps; nothing is allocated

  // Each unit at most once until wait() is called. The request and the signals must stay in place until then.
  void submit(WaveId wave, Verb verb, const StepRequest& request, Signals& signals) {
    if (!served_.is_quiet()) [[unlikely]]
      forget_told();
    const Route& route = routes_[wave.index];
    if (route.only != nullptr) [[likely]] {
      is_awaited_ = !route.only->submit(wave.index, {verb, &request, &signals}) || is_awaited_;
    } else {
      submit_to_several(route, wave.index, {verb, &request, &signals});
    }
  }
  // Waits for all that were submitted. True when there is nothing to be told: each completed its step, without events
  // inside or discarded attempts, and announces the same next event as before. Otherwise told() and reply().
  // Called once after what was submitted, since it adds what units tell to their counts.
  bool wait() { return !is_awaited_ || hear(); }
  // Both at once, for what takes no time. What units tell is taken down and not returned.
  void ask(WaveId wave, Verb verb, Time t, Signals& signals) {
    const StepRequest now{.t = t};
    submit(wave, verb, now, signals);
    wait();
  }
  // The units that have something to tell, by id, of those submitted since the previous wait(); until the next
  // submit().
  [[nodiscard]] std::span<const UnitId> told() const { return served_.told(); }
  [[nodiscard]] const Reply& reply(UnitId id) const { return replies_[id]; }

  void save(SnapshotId snapshot);
  // What was saved; or of that the units of a list.
  void restore(SnapshotId snapshot);
  void restore(SnapshotId snapshot, std::span<const UnitId> units);
  // All of them leave before any answer is awaited.
  void differentiate(DerivativeOf what, std::span<const DerivativeQuery> queries);

  // --- life and values, while nothing is submitted

  bool configure(UnitId id, const describe::SignalSet& set, Columns& values);
  void enter_initialization(std::span<const UnitId> units, const unit::Experiment& experiment);
  void exit_initialization(std::span<const UnitId> units);
  void terminate(std::span<const UnitId> units);
  void get(UnitId id, const describe::SignalSet& set, Columns& values, const describe::Offsets& at = {});
  // `values` is not changed, but turned around in place and back for negated aliases.
  void set(UnitId id, const describe::SignalSet& set, Columns& values, const describe::Offsets& at = {});

  // --- events of units with event verbs, see also Verb::update; entering and leaving allocates nothing

  void enter_event_mode(std::span<const UnitId> units);
  void leave_event_mode(std::span<const UnitId> units);
  // Units in event mode: each updates until it is settled by itself, and leaves event mode unless it asks to end the
  // run. Writes what they announce into the signals.
  EventOutcome settle(UnitId id, Time t, Signals& signals);
  // Counts an event that was settled between steps.
  void count_event(UnitId id) { ++counts_[id].events; }

  // --- states as bytes, for units that serialise

  [[nodiscard]] std::vector<std::uint8_t> serialise(SnapshotId snapshot, UnitId id);
  void deserialise(SnapshotId snapshot, UnitId id, std::span<const std::uint8_t> bytes);

  // --- what is known of the run so far

  // The outputs of a unit after each sub-step of the last step but its last one, in the layout of its outputs; nothing
  // for units whose blocks do not ask to keep them.
  [[nodiscard]] std::span<const Columns> parts(UnitId id) const;
  [[nodiscard]] const StepCounts& counts(UnitId id) const { return counts_[id]; }
  // The unit was put where a run of before had come to, with these counts: they go on, and a unit that has discarded
  // steps is known to do so.
  void go_on_from(UnitId id, const StepCounts& counts);
  // Seconds that the unit took per step on average, from steps sampled now and then; 0 before the first sample.
  [[nodiscard]] double cost(UnitId id) const;
  // Whether units have run in several threads or processes at the same time so far.
  [[nodiscard]] bool has_shared() const;
  // From now on every call of a unit goes into this timeline, which must outlive the fleet or be replaced, and have a
  // track for every thread; null: none. Only while nothing is submitted.
  void trace(Timeline* timeline);

 private:
  struct Place {
    HostedUnits* host = nullptr;
    Local local = 0;
  };
  // Where a wave, a snapshot or a list goes.
  struct Route {
    HostedUnits* only = nullptr;  // all of it; null: to several hosts, or nowhere
    std::vector<HostedUnits*> hosts;
  };
  struct Snapshot {
    std::vector<UnitId> units;
    std::vector<HostedUnits*> hosts;
    std::vector<std::vector<Local>> locals;  // by host
  };

  void make(std::span<const UnitSpec> specs, std::span<Host* const> hosts, std::span<const std::uint32_t> host_of);
  [[nodiscard]] Route route_of(std::span<const UnitId> units) const;
  [[nodiscard]] Wiring wiring_for(const HostedUnits* host, std::span<const Blocks> blocks);
  void submit_to_several(const Route& route, std::uint32_t wave, const Work& work);
  void forget_told();
  bool hear();
  void settle_answers();
  // Calls `call(host, its units)` for every host that has some of these.
  template <class Call>
  void for_hosts(std::span<const UnitId> units, Call&& call);

  std::vector<std::unique_ptr<HostedUnits>> hosted_;
  std::vector<HostedUnits*> waited_for_;  // all of them
  std::vector<Place> places_;             // by unit
  std::vector<UnitTraits> traits_;
  std::vector<Reply> replies_;
  std::vector<StepCounts> counts_;
  std::vector<int> output_orders_;
  struct Wave {
    std::vector<UnitId> units;
    std::vector<Wait> waits;
  };
  std::vector<Wave> waves_;
  std::vector<Route> routes_;  // by wave
  std::vector<Snapshot> snapshots_;
  std::vector<Local> some_;                // room for restore()
  std::vector<std::vector<Local>> lists_;  // by host: room for lists of units
  Served served_;
  bool is_awaited_ = false;  // something was submitted that is not known to be done quietly
  bool connected_ = false;
};

}  // namespace consort::fleet
