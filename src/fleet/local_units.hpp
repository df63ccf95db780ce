// Units in the engine process. Derived classes decide which thread serves which unit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fleet/exchange.hpp"
#include "fleet/host.hpp"
#include "fleet/return_check.hpp"
#include "fleet/timeline.hpp"

namespace consort::fleet {

class LocalUnits : public HostedUnits {
 public:
  LocalUnits(std::span<const UnitSpec> specs, const UnitFactory& factory);

  [[nodiscard]] std::span<const UnitTraits> traits() const override { return traits_; }
  void connect(const Wiring& wiring) override;

  void save(std::uint32_t snapshot) override;
  void restore(std::uint32_t snapshot, std::span<const Local> units) override;
  void differentiate(DerivativeOf what, std::span<const DerivativeQuery> queries) override;

  void configure(Local unit, const describe::SignalSet& set, Columns& values, bool& done) override;
  void reset(Local unit, bool& done) override;
  void enter_initialization(std::span<const Local> units, const unit::Experiment& experiment) override;
  void exit_initialization(std::span<const Local> units) override;
  void terminate(std::span<const Local> units) override;
  void get(Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) override;
  void set(Local unit, const describe::SignalSet& set, Columns& values, const describe::Offsets& at) override;
  void try_get(Local unit, const describe::SignalSet& set, Columns& values, std::string& refusal) override;

  void enter_event_mode(std::span<const Local> units) override;
  void leave_event_mode(std::span<const Local> units) override;
  void settle(std::span<const Local> units, Time t, std::span<EventOutcome> outcomes) override;

  void serialise(std::uint32_t snapshot, Local unit, std::vector<std::uint8_t>& bytes) override;
  void deserialise(std::uint32_t snapshot, Local unit, std::span<const std::uint8_t> bytes) override;
  void expect_discards(Local unit) override;

  [[nodiscard]] std::span<const Columns> parts(Local unit) const override { return exchanges_[unit].parts(); }
  [[nodiscard]] double cost(Local unit) const override {
    const auto& c = costs_[unit];
    return c.samples == 0 ? 0.0 : c.seconds / static_cast<double>(c.samples);
  }
  void trace(Timeline* timeline) override { timeline_ = timeline; }

 protected:
  [[nodiscard]] std::size_t size() const { return units_.size(); }
  [[nodiscard]] double last_time(Local unit) const { return times_[unit]; }  // seconds in the last measure()
  [[nodiscard]] Timeline* timeline() const { return timeline_; }

  // Serves these units one after another; continues with the next one if one fails. Several threads may call it at once
  // with different units.
  void serve(std::span<const Local> units, const Work& work, Served& served);
  // The same, and measures the time of each unit. Also records it in the timeline, if there is one.
  void measure(std::span<const Local> units, const Work& work, Served& served, unsigned track);

  Served served_;  // used by the thread that runs the fleet

 private:
  struct Snapshot {
    std::vector<std::unique_ptr<unit::Snapshot>> states;  // by unit; null: the unit is not in the snapshot
    std::vector<Exchange::Memory> memories;               // by unit; used if the exchange has a memory
    std::vector<ReturnCheck::Memory> seen;                // by unit; used if the unit is checked
    std::vector<Local> units;
  };
  // A unit whose returns are checked: a unit without a check is trusted or was not saved yet.
  struct Checked {
    std::unique_ptr<ReturnCheck> check;
    Time t = 0;                // of the unit
    bool at_snapshot = false;  // no step since the save or the return
    std::uint32_t snapshot = 0;
  };
  struct Cost {
    double seconds = 0;
    std::uint64_t samples = 0;
  };

  void serve_one(Local unit, const Work& work, Served& served);
  bool step_checked(Checked& checked, Local unit, const Work& work);
  bool step_again(Checked& checked, Local unit, const Work& work, Time announced, bool quiet);
  void bring_back(Snapshot& snapshot, Local unit);
  void step_held(std::span<const Local> units, const Work& work, Served& served, std::size_t& i);
  // Calls `work` for each unit and stores exceptions in served_.
  template <class Do>
  void for_each(std::span<const Local> units, Do&& work);
  template <class Do>
  void for_one(Local unit, Do&& work) {
    for_each(std::span(&unit, 1), [&](Local) { work(); });
  }
  [[nodiscard]] UnitId id_of(Local unit) const { return ids_.empty() ? unit : ids_[unit]; }

  std::vector<std::unique_ptr<unit::Unit>> units_;
  std::vector<UnitTraits> traits_;
  std::vector<unit::Rollback*> rollbacks_;  // by unit; null: no rollback
  std::vector<Exchange> exchanges_;
  std::vector<UnitId> ids_;      // from connect() on
  std::vector<Local> local_of_;  // by id; no_local for units of other hosts
  std::span<Reply> replies_;     // by id
  std::vector<Snapshot> snapshots_;
  std::vector<Checked> checked_;  // by unit; empty until a unit that is not trusted is saved
  std::vector<double> times_;
  std::vector<Cost> costs_;  // of sampled steps
  Timeline* timeline_ = nullptr;
};

}  // namespace consort::fleet
