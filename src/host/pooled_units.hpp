// Units in several threads. A wave is distributed by the cost of its units; waves that are too cheap run in the thread
// of the caller. Results do not depend on the number of threads, because one thread at a time serves a unit and a unit
// sees only its own blocks.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "fleet/local_units.hpp"
#include "fleet/sampling.hpp"
#include "host/choice.hpp"
#include "host/crew.hpp"
#include "host/placement.hpp"

namespace consort::host {

class PooledUnits final : public fleet::LocalUnits {
 public:
  // Uses the thread of the caller and threads - 1 others, but at most one thread per unit. Throws Error (run) if the
  // system cannot start the threads.
  PooledUnits(std::span<const fleet::UnitSpec> specs, const fleet::UnitFactory& factory, unsigned threads);
  ~PooledUnits() override;

  void connect(const fleet::Wiring& wiring) override;
  // The share of the caller is done in finish(), so that the caller can do other work in between.
  [[nodiscard]] bool submit(std::uint32_t wave, const fleet::Work& work) override;
  void finish(fleet::Served& served) override;
  void trace(fleet::Timeline* timeline) override {
    LocalUnits::trace(timeline);
    see_whether_usual();
  }

  [[nodiscard]] bool has_shared() const override { return shared_waves_ > 0; }
  [[nodiscard]] unsigned threads() const { return crew_.threads(); }
  // Number of waves distributed over several threads so far.
  [[nodiscard]] std::uint64_t shared_waves() const { return shared_waves_; }
  // For tests and measurements: distributes every wave of two or more units, even if that is slower.
  void always_share(bool always) {
    always_share_ = always;
    see_whether_usual();
  }

 private:
  // Placement and choice of a wave for one verb: the cost of an evaluation says nothing about a step.
  struct Course {
    Placement placement;
    Choice choice;
  };
  struct Wave {
    std::vector<fleet::Local> units;
    std::array<std::unique_ptr<Course>, fleet::verb_count> courses;  // null for waves of one unit
  };
  struct alignas(128) Share {
    fleet::Served served;
  };

  void see_whether_usual() { usual_ = timeline() == nullptr && !always_share_; }
  [[nodiscard]] bool is_shared(const Course& course) const {
    return course.choice.way() == Way::together || always_share_;
  }
  void submit_unusual(Wave& wave, const fleet::Work& work, bool sample);
  void serve_here(std::span<const fleet::Local> units, const fleet::Work& work);
  void finish_present();
  void learn(Course& course);
  static void serve_share(void* self, unsigned share, unsigned thread);

  std::vector<Wave> waves_;
  fleet::Sampling sampling_;
  std::vector<Share> shares_;
  std::vector<double> times_;  // scratch: times of the units of a wave
  bool always_share_ = false;
  bool usual_ = true;  // no timeline and not always shared
  std::uint64_t shared_waves_ = 0;
  // The wave in progress:
  Course* present_ = nullptr;  // distributed and not finished; null: no such wave
  fleet::Work work_;           // request of that wave
  bool measured_ = false;      // measure the time of each unit
  bool timed_ = false;         // measure the time of the wave
  fleet::Timeline::Clock::time_point begin_{};
  Crew crew_;  // last member: its threads must end first
};

}  // namespace consort::host
