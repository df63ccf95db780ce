// The interface between a fleet and the hosts on which units run. A new host implements both classes, gets a row in the
// table of host/hosts.cpp and is added to the conformance suite of fleets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "describe/description.hpp"
#include "fleet/request.hpp"
#include "fleet/signals.hpp"
#include "fleet/spec.hpp"
#include "fleet/traits.hpp"
#include "unit/unit.hpp"

namespace consort::fleet {

class Timeline;

// Index of a unit among the units of its host.
using Local = std::uint32_t;

// `unit` waits for `source` within a step, because its inputs depend on outputs of `source` of the same step.
struct Wait {
  UnitId unit = 0;
  UnitId source = 0;
};

// The declarations made before the run, reduced to what one host needs.
struct Wiring {
  struct Unit {
    UnitId id = 0;
    Blocks blocks{};
    int output_order = 0;  // highest order of the Float64 output derivatives to read after each step
  };
  struct Wave {
    std::vector<Local> units;  // in the order of declaration; without units of other hosts
    std::vector<Wait> waits;   // of all units of the wave
  };
  std::vector<Unit> units;                    // in the order of the specs
  std::vector<Wave> waves;                    // by WaveId; a wave may have no unit on this host
  std::vector<std::vector<Local>> snapshots;  // by SnapshotId
  std::span<Reply> replies;                   // by UnitId; the host writes the replies of its units here
};

// The units of a fleet that one host serves.
//
// All non-const functions are asynchronous: they return at once, and finish() waits for all answers. Objects that
// receive results must stay valid until then. A host in this process may do the work immediately. Errors of units are
// reported by finish() only. A unit serves one request at a time.
class HostedUnits {
 public:
  virtual ~HostedUnits() = default;

  [[nodiscard]] virtual std::span<const UnitTraits> traits() const = 0;  // in the order of the specs
  // Call once, before any function below that uses a wave, a snapshot or signal blocks.
  virtual void connect(const Wiring& wiring) = 0;

  // --- the step path; without allocations
  // Returns true if all work is already done and no unit has a reply or an error; finish() is then not needed.
  [[nodiscard]] virtual bool submit(std::uint32_t wave, const Work& work) = 0;
  virtual void finish(Served& served) = 0;
  virtual void save(std::uint32_t snapshot) = 0;
  virtual void restore(std::uint32_t snapshot, std::span<const Local> units) = 0;
  // Serves the queries of units of this host and ignores the others.
  virtual void differentiate(DerivativeOf what, std::span<const DerivativeQuery> queries) = 0;

  // --- life cycle
  // `done`: set to false if the unit has no configuration mode.
  virtual void configure(Local unit, const describe::SignalSet& set, Columns& values, bool& done) = 0;
  // `done`: set to false if the unit cannot be reset. See unit::Variables.
  virtual void reset(Local unit, bool& done) = 0;
  virtual void enter_initialization(std::span<const Local> units, const unit::Experiment& experiment) = 0;
  virtual void exit_initialization(std::span<const Local> units) = 0;
  virtual void terminate(std::span<const Local> units) = 0;

  // --- values of any variables; they begin at `at`
  virtual void get(Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) = 0;
  virtual void set(Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) = 0;
  // `refusal`: set to the reason if the unit refuses to tell the values; see unit::Variables.
  virtual void try_get(Local unit, const describe::SignalSet& set, Columns& values, std::string& refusal) = 0;

  // --- events; see also Verb::update
  virtual void enter_event_mode(std::span<const Local> units) = 0;
  virtual void leave_event_mode(std::span<const Local> units) = 0;
  // Updates each unit in event mode until it has settled on its own, then leaves event mode unless the unit requests to
  // end the run. `outcomes`: one per unit.
  virtual void settle(std::span<const Local> units, Time t, std::span<EventOutcome> outcomes) = 0;

  // --- states of a snapshot that was saved (deserialise: that is reserved)
  virtual void serialise(std::uint32_t snapshot, Local unit, std::vector<std::uint8_t>& bytes) = 0;
  virtual void deserialise(std::uint32_t snapshot, Local unit, std::span<const std::uint8_t> bytes) = 0;
  // Says that the unit discards steps: if a retry requires a restore, its state is saved before each step from now on.
  // The first discarded step has the same effect. A restore does not undo this.
  virtual void expect_discards(Local unit) = 0;

  // --- statistics of the run so far
  [[nodiscard]] virtual std::span<const Columns> parts(Local unit) const = 0;
  [[nodiscard]] virtual double cost(Local unit) const = 0;  // seconds per step, sampled; 0: unknown
  [[nodiscard]] virtual bool has_shared() const { return false; }
  virtual void trace(Timeline* timeline) = 0;
};

class Host {
 public:
  virtual ~Host() = default;
  // Returns the description of the unit that `spec` would make, without making it. Throws Error (input).
  [[nodiscard]] virtual std::shared_ptr<const describe::Description> describe(const UnitSpec& spec) = 0;
  // Throws Error that names the unit. The host must outlive the units.
  [[nodiscard]] virtual std::unique_ptr<HostedUnits> make(std::span<const UnitSpec> specs) = 0;
};

}  // namespace consort::fleet
