// The units of a run on all hosts. All access to the units goes through the fleet.
//
// A fleet has three phases. Constructed: units exist and traits() returns their capabilities. Declarations: the caller
// declares the units that are submitted together (waves), the units that are saved together (snapshots) and the output
// derivatives it needs; connect() ends this phase. Running: all other functions.
//
// Values are exchanged through Signals, which the caller owns. submit() starts units; until wait() returns, only these
// units may access their blocks of the signals. Results do not depend on the host of a unit. Functions throw Error that
// names the failed unit. If several units fail, the error is thrown after all of them have stopped and names the one
// with the lowest id.
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
  // Makes unit i from specs[i] on hosts[host_of[i]]. The hosts must outlive the fleet. Throws what Host::make throws.
  Fleet(std::span<const UnitSpec> specs, std::span<Host* const> hosts, std::span<const std::uint32_t> host_of);
  Fleet(std::span<const UnitSpec> specs, Host& host);  // all units on one host
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  [[nodiscard]] std::size_t size() const { return traits_.size(); }
  [[nodiscard]] std::span<const UnitTraits> traits() const { return traits_; }
  [[nodiscard]] const UnitTraits& traits(UnitId id) const { return traits_[id]; }

  // --- declarations, before connect()

  // Declares units that are submitted together; each unit at most once. `waits` lists units whose inputs depend on
  // outputs of other units of the same step, so that a host may start a unit as soon as its sources are done.
  WaveId declare_wave(std::span<const UnitId> units, std::span<const Wait> waits = {});
  // Returns the wave of a single unit. It exists for every unit without a declaration.
  [[nodiscard]] WaveId wave_of(UnitId id) const { return {id}; }
  // Reserves a snapshot for these units. Throws Error (input) that names a unit that cannot save its state.
  SnapshotId reserve_snapshot(std::span<const UnitId> units);
  // Requests derivatives of the scalar Float64 outputs of a unit up to this order, which must not exceed its traits.
  // They are read after every step and, after initialization, with Verb::read and Verb::evaluate. Array outputs have no
  // derivatives.
  void declare_derivatives(UnitId id, int order);
  // `blocks`: by unit. The signal sets of the blocks must outlive the fleet.
  void connect(std::span<const Blocks> blocks);

  // --- steps; without allocations

  // Submit each unit at most once before wait() is called. The request and the signals must stay valid until then.
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
  // Waits for all submitted units. Returns true if there is nothing to report: every unit completed its step without
  // inner events or discarded attempts, and its announced next event is unchanged. Otherwise see told() and reply().
  // Call it once after submitting, because it adds the replies to the counts of the units.
  bool wait() { return !is_awaited_ || hear(); }
  // submit() and wait() in one call, for verbs other than step. Replies are counted and available in told(), but not
  // returned.
  void ask(WaveId wave, Verb verb, Time t, Signals& signals) {
    const StepRequest now{.t = t};
    submit(wave, verb, now, signals);
    wait();
  }
  // The submitted units that have a reply, sorted by id. Valid from wait() until the next submit().
  [[nodiscard]] std::span<const UnitId> told() const { return served_.told(); }
  [[nodiscard]] const Reply& reply(UnitId id) const { return replies_[id]; }

  void save(SnapshotId snapshot);
  // Restores all units of the snapshot, or only the listed ones.
  void restore(SnapshotId snapshot);
  void restore(SnapshotId snapshot, std::span<const UnitId> units);
  // Sends all queries before it waits for an answer.
  void differentiate(DerivativeOf what, std::span<const DerivativeQuery> queries);

  // --- life cycle and values; only while nothing is submitted

  // See unit::Variables for configure(), reset() and try_get().
  bool configure(UnitId id, const describe::SignalSet& set, Columns& values);
  [[nodiscard]] bool reset(UnitId id);
  void enter_initialization(std::span<const UnitId> units, const unit::Experiment& experiment);
  void exit_initialization(std::span<const UnitId> units);
  void terminate(std::span<const UnitId> units);
  void get(UnitId id, const describe::SignalSet& set, Columns& values, const describe::Offsets& at = {});
  [[nodiscard]] std::string try_get(UnitId id, const describe::SignalSet& set, Columns& values);
  // `values` is unchanged afterwards; the sign of negated aliases is flipped in place during the call.
  void set(UnitId id, const describe::SignalSet& set, Columns& values, const describe::Offsets& at = {});

  // --- events of units with unit::Events; see also Verb::update. Entering and leaving event mode does not allocate

  void enter_event_mode(std::span<const UnitId> units);
  void leave_event_mode(std::span<const UnitId> units);
  // For a unit in event mode: updates until the unit has settled on its own, then leaves event mode unless the unit
  // requests to end the run. Writes the announced next event to the signals.
  EventOutcome settle(UnitId id, Time t, Signals& signals);
  // Counts an event that was handled between steps.
  void count_event(UnitId id) { ++counts_[id].events; }

  // --- states as bytes, for units with UnitTraits::serialises

  [[nodiscard]] std::vector<std::uint8_t> serialise(SnapshotId snapshot, UnitId id);
  void deserialise(SnapshotId snapshot, UnitId id, std::span<const std::uint8_t> bytes);

  // --- statistics of the run so far

  // The outputs of a unit after each sub-step of the last step except the last sub-step, in the layout of its outputs.
  // Empty unless Blocks::keep_parts is set.
  [[nodiscard]] std::span<const Columns> parts(UnitId id) const;
  [[nodiscard]] const StepCounts& counts(UnitId id) const { return counts_[id]; }
  // True if save() has saved the state of the unit in a snapshot so far.
  [[nodiscard]] bool was_saved(UnitId id) const;
  // Warnings of units in steps, for the report.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  // Call after the unit was restored from an earlier run with these counts. The counts continue; if the unit has
  // discarded steps before, it is expected to discard steps again.
  void go_on_from(UnitId id, const StepCounts& counts);
  // Average seconds per step of the unit, from sampled steps; 0 before the first sample.
  [[nodiscard]] double cost(UnitId id) const;
  // True if units have run concurrently in several threads or processes so far.
  [[nodiscard]] bool has_shared() const;
  // Records every unit call in this timeline from now on; null: no timeline. The timeline must have a track for every
  // thread and must outlive the fleet unless it is replaced. Call only while nothing is submitted.
  void trace(Timeline* timeline);

 private:
  struct Place {
    HostedUnits* host = nullptr;
    Local local = 0;
  };
  // The hosts that serve a wave, a snapshot or a list.
  struct Route {
    HostedUnits* only = nullptr;  // the only host; null: several hosts, or no host
    std::vector<HostedUnits*> hosts;
  };
  struct Snapshot {
    std::vector<UnitId> units;
    std::vector<HostedUnits*> hosts;
    std::vector<std::vector<Local>> locals;  // by host
    bool was_saved = false;
  };

  void make(std::span<const UnitSpec> specs, std::span<Host* const> hosts, std::span<const std::uint32_t> host_of);
  [[nodiscard]] Route route_of(std::span<const UnitId> units) const;
  [[nodiscard]] Wiring wiring_for(const HostedUnits* host, std::span<const Blocks> blocks);
  void submit_to_several(const Route& route, std::uint32_t wave, const Work& work);
  void forget_told();
  bool hear();
  void settle_answers();
  // Calls `call(host, its units)` for every host that serves some of these units.
  template <class Call>
  void for_hosts(std::span<const UnitId> units, Call&& call);

  std::vector<std::unique_ptr<HostedUnits>> hosted_;
  std::vector<HostedUnits*> waited_for_;  // all hosts of the fleet
  std::vector<Place> places_;             // by unit
  std::vector<UnitTraits> traits_;
  std::vector<Reply> replies_;
  std::vector<StepCounts> counts_;
  std::vector<std::string> warnings_;
  std::vector<int> output_orders_;
  struct Wave {
    std::vector<UnitId> units;
    std::vector<Wait> waits;
  };
  std::vector<Wave> waves_;
  std::vector<Route> routes_;  // by wave
  std::vector<Snapshot> snapshots_;
  std::vector<Local> some_;                // scratch of restore()
  std::vector<std::vector<Local>> lists_;  // scratch: lists of units by host
  Served served_;
  bool is_awaited_ = false;  // submitted work may be unfinished or have replies
  bool connected_ = false;
};

}  // namespace consort::fleet
