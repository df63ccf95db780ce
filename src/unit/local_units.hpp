// The units of this process, and how one thread serves a list of them: what the fleets of this process have in common.
#pragma once

#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "unit/exchange.hpp"
#include "unit/fleet.hpp"
#include "unit/timeline.hpp"

namespace consort::unit {

// What a wave is asked to do.
struct Work {
  Verb verb = Verb::step;
  const StepRequest* request = nullptr;
  Signals* signals = nullptr;
};

// What came of the units that one thread served.
struct Served {
  bool all_completed = true;
  UnitId failed = 0;  // of those that failed the lowest; where there is an error
  std::exception_ptr error{};

  void fail(UnitId id, std::exception_ptr why) noexcept;
  void add(Served& other) noexcept;  // which is as new afterwards
  // All completed, or an error thrown; as new afterwards.
  bool settle() {
    if (error) [[unlikely]]
      rethrow();
    return std::exchange(all_completed, true);
  }

 private:
  [[noreturn]] void rethrow();
};

// Says which steps have their units' time taken: the first ones and every 64th, since reading the clock must not show.
// Steps are told apart by their time, so that every wave of a chosen one is measured.
class Sampling {
 public:
  bool operator()(Time t) {
    if (t != last_) {
      last_ = t;
      const auto n = steps_++;
      now_ = n % every == 0 || n == 1;
    }
    return now_;
  }

 private:
  static constexpr std::uint64_t every = 64;
  Time last_ = std::numeric_limits<Time>::quiet_NaN();
  std::uint64_t steps_ = 0;
  bool now_ = false;
};

class LocalUnits {
 public:
  // The units and what the ports point at must outlive it.
  LocalUnits(std::span<const std::unique_ptr<Unit>> units, std::span<const Ports> ports);

  [[nodiscard]] std::size_t size() const { return exchanges_.size(); }
  [[nodiscard]] Exchange& operator[](UnitId id) { return exchanges_[id]; }
  [[nodiscard]] const Exchange& operator[](UnitId id) const { return exchanges_[id]; }
  [[nodiscard]] std::span<const StepOutcome> outcomes() const { return outcomes_; }
  [[nodiscard]] double cost(UnitId id) const {
    const auto& c = costs_[id];
    return c.samples == 0 ? 0.0 : c.seconds / static_cast<double>(c.samples);
  }
  [[nodiscard]] double last_time(UnitId id) const { return times_[id]; }  // seconds, from the last call of measure()

  // Serves these units one after another, all of them even when some fail. Several threads may do so at once with units
  // that are not the same.
  void serve(std::span<const UnitId> units, const Work& work, Served& served);
  // The same, with the time that each takes; in the timeline, too, where there is one.
  void measure(std::span<const UnitId> units, const Work& work, Served& served, Timeline* timeline, unsigned track);

  void save(std::span<const UnitId> units, FleetSnapshot& snapshot);
  void restore(const FleetSnapshot& snapshot);

 private:
  void serve_one(UnitId id, const Work& work, Served& served);
  // From the i-th on; `i` is where it is when a unit fails.
  void step_held(std::span<const UnitId> units, const Work& work, Served& served, std::size_t& i);

  std::vector<Exchange> exchanges_;
  std::vector<Rollback*> rollbacks_;  // of each unit
  bool keeps_inputs_ = false;         // some exchange has inputs that go with its unit's state
  std::vector<StepOutcome> outcomes_;
  std::vector<double> times_;
  struct Cost {
    double seconds = 0;
    std::uint64_t samples = 0;
  };
  std::vector<Cost> costs_;  // of sampled steps
};

}  // namespace consort::unit
