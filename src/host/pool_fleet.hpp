// Units in several threads: every wave is shared out by what its units cost, and waves that are too cheap for that run
// in the caller's thread. The numbers are the same for any number of threads, since a unit is served by one thread at a
// time and sees its own blocks alone.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "host/choice.hpp"
#include "host/crew.hpp"
#include "host/placement.hpp"
#include "unit/fleet.hpp"
#include "unit/local_units.hpp"

namespace consort::host {

class PoolFleet final : public unit::Fleet {
 public:
  // The caller's thread and threads - 1 others; at most as many as there are units. The units and what the ports point
  // at must outlive the fleet. Throws Error (run) when the system gives no more threads.
  PoolFleet(std::span<const std::unique_ptr<unit::Unit>> units, std::span<const unit::Ports> ports, unsigned threads);
  ~PoolFleet() override;

  [[nodiscard]] std::size_t size() const override { return units_.size(); }
  [[nodiscard]] unit::Unit& unit(unit::UnitId id) override { return units_[id].unit(); }
  // The caller's share is done in wait(), so that the caller may do something else between.
  void submit(std::span<const unit::UnitId> units, unit::Verb verb, const unit::StepRequest& request,
              unit::Signals& signals) override;
  bool wait() override;
  [[nodiscard]] std::span<const unit::StepOutcome> outcomes() const override { return units_.outcomes(); }
  void save(std::span<const unit::UnitId> units, unit::FleetSnapshot& snapshot) override;
  void restore(const unit::FleetSnapshot& snapshot) override { units_.restore(snapshot); }
  [[nodiscard]] std::span<const Columns> parts(unit::UnitId id) const override { return units_[id].parts(); }
  [[nodiscard]] unit::ExchangeCounts counts(unit::UnitId id) const override { return units_[id].counts(); }
  void go_on_from(unit::UnitId id, const unit::ExchangeCounts& counts) override { units_[id].go_on_from(counts); }
  [[nodiscard]] double cost(unit::UnitId id) const override { return units_.cost(id); }
  void trace(unit::Timeline* timeline) override {
    timeline_ = timeline;
    see_whether_usual();
  }

  [[nodiscard]] bool has_shared() const override { return shared_waves_ > 0; }
  [[nodiscard]] unsigned threads() const { return crew_.threads(); }
  // How many waves went to several threads so far.
  [[nodiscard]] std::uint64_t shared_waves() const { return shared_waves_; }
  // For tests and measurements: every wave of two units or more goes to several threads, whether that pays or not.
  void always_share(bool always) {
    always_share_ = always;
    see_whether_usual();
  }

 private:
  // A list of units that is submitted again and again.
  struct Wave {
    unit::Verb verb;
    Placement placement;
    Choice choice;
    const unit::UnitId* memory = nullptr;  // where the list was when it was last looked at
    std::size_t size = 0;                  // of the list
    Wave* next = nullptr;                  // what came after it last time
  };
  struct alignas(128) Share {
    unit::Served served;
  };

  void see_whether_usual() { usual_ = timeline_ == nullptr && !always_share_; }
  [[nodiscard]] Wave* expected(std::span<const unit::UnitId> units, unit::Verb verb) const;
  Wave& wave_of(std::span<const unit::UnitId> units, unit::Verb verb);
  [[nodiscard]] bool is_shared(const Wave& wave) const { return wave.choice.way() == Way::together || always_share_; }
  void serve_here(std::span<const unit::UnitId> units, const unit::Work& work);
  void finish();
  void learn(Wave& wave);
  static void serve_share(void* self, unsigned share, unsigned thread);

  unit::LocalUnits units_;
  unit::Sampling sampling_;
  unit::Timeline* timeline_ = nullptr;
  unit::Served served_;  // since the last wait()
  std::vector<std::unique_ptr<Wave>> waves_;
  Wave* last_ = nullptr;  // waves come round in the same order, mostly
  std::vector<Share> shares_;
  std::vector<double> times_;  // room for the times of a wave's units
  bool always_share_ = false;
  bool usual_ = true;  // neither traced nor always shared
  std::uint64_t shared_waves_ = 0;
  // What is under way.
  Wave* present_ = nullptr;  // shared out and not finished
  unit::Work work_;          // of it
  bool measured_ = false;    // the time of each unit is taken
  bool timed_ = false;       // the time of the wave is taken
  unit::Timeline::Clock::time_point begin_{};
  Crew crew_;  // last: its threads end first
};

}  // namespace consort::host
