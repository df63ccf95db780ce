// Where units run: what a fleet asks of its hosts. A new host implements both classes and joins the table of
// host/hosts.cpp and the conformance suite of fleets.
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

// A unit by its place among those of its host.
using Local = std::uint32_t;

// Which unit waits for which within a step: its inputs take what the other one computes in the same step.
struct Wait {
  UnitId unit = 0;
  UnitId source = 0;
};

// All that was declared before the run, as far as one host has to know.
struct Wiring {
  struct Unit {
    UnitId id = 0;
    Blocks blocks{};
    int output_order = 0;  // derivatives of its Float64 outputs that are wanted after each step
  };
  struct Wave {
    std::vector<Local> units;  // in the order in which they were declared; those of other hosts are left out
    std::vector<Wait> waits;   // of all of the wave's units
  };
  std::vector<Unit> units;                    // in the order of the specs
  std::vector<Wave> waves;                    // by WaveId; may be empty here
  std::vector<std::vector<Local>> snapshots;  // by SnapshotId
  std::span<Reply> replies;                   // by UnitId; where a host puts what its units have to tell
};

// The units of a fleet that one host serves.
//
// Everything but what is marked const leaves at once and is answered later: finish() waits for all answers, and what
// results are put into stays in place until then. A host that is in this process may do the work right away. No
// function throws what a unit threw: it comes out of finish(). A unit is asked for one thing at a time.
class HostedUnits {
 public:
  virtual ~HostedUnits() = default;

  [[nodiscard]] virtual std::span<const UnitTraits> traits() const = 0;  // in the order of the specs
  // Once, before everything below that names a wave, a snapshot or blocks of signals.
  virtual void connect(const Wiring& wiring) = 0;

  // --- the step path: allocates nothing
  // True where all of it is done already and nobody has anything to tell: finish() need not be called for it.
  [[nodiscard]] virtual bool submit(std::uint32_t wave, const Work& work) = 0;
  virtual void finish(Served& served) = 0;
  virtual void save(std::uint32_t snapshot) = 0;
  virtual void restore(std::uint32_t snapshot, std::span<const Local> units) = 0;
  // Of those queries whose unit is one of this host's.
  virtual void differentiate(DerivativeOf what, std::span<const DerivativeQuery> queries) = 0;

  // --- life
  // `done`: false where the unit has no configuration mode.
  virtual void configure(Local unit, const describe::SignalSet& set, Columns& values, bool& done) = 0;
  virtual void enter_initialization(std::span<const Local> units, const unit::Experiment& experiment) = 0;
  virtual void exit_initialization(std::span<const Local> units) = 0;
  virtual void terminate(std::span<const Local> units) = 0;

  // --- values, of any variables; they begin at `at`
  virtual void get(Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) = 0;
  virtual void set(Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) = 0;

  // --- events; Verb::update is the third verb
  virtual void enter_event_mode(std::span<const Local> units) = 0;
  virtual void leave_event_mode(std::span<const Local> units) = 0;
  // Units in event mode update until each is settled by itself, and leave it unless they ask to end the run.
  // `outcomes`: one per unit.
  virtual void settle(std::span<const Local> units, Time t, std::span<EventOutcome> outcomes) = 0;

  // --- states, of a snapshot that was saved (or is to be, for deserialise)
  virtual void serialise(std::uint32_t snapshot, Local unit, std::vector<std::uint8_t>& bytes) = 0;
  virtual void deserialise(std::uint32_t snapshot, Local unit, std::span<const std::uint8_t> bytes) = 0;
  // The unit is known to discard steps: its state is saved before each of them where that is what it takes to try
  // another one. A unit that discards a step is known from then on. It stays so whatever is restored.
  virtual void expect_discards(Local unit) = 0;

  // --- what is known of the run so far
  [[nodiscard]] virtual std::span<const Columns> parts(Local unit) const = 0;
  [[nodiscard]] virtual double cost(Local unit) const = 0;  // s per step, sampled; 0: not known
  [[nodiscard]] virtual bool has_shared() const { return false; }
  virtual void trace(Timeline* timeline) = 0;
};

class Host {
 public:
  virtual ~Host() = default;
  // What a unit made from this would offer, without making it. Throws Error (input).
  [[nodiscard]] virtual std::shared_ptr<const describe::Description> describe(const UnitSpec& spec) = 0;
  // Throws Error that names the unit. The host must outlive them.
  [[nodiscard]] virtual std::unique_ptr<HostedUnits> make(std::span<const UnitSpec> specs) = 0;
};

}  // namespace consort::fleet
