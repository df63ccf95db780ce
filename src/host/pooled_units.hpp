// Units in several threads: every wave is shared out by what its units cost, and waves that are too cheap for that run
// in the caller's thread. The numbers are the same for any number of threads, since a unit is served by one thread at a
// time and sees its own blocks alone.
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
  // The caller's thread and threads - 1 others; at most as many as there are units. Throws Error (run) when the system
  // gives no more threads.
  PooledUnits(std::span<const fleet::UnitSpec> specs, const fleet::UnitFactory& factory, unsigned threads);
  ~PooledUnits() override;

  void connect(const fleet::Wiring& wiring) override;
  // The caller's share is done in finish(), so that the caller may do something else between.
  [[nodiscard]] bool submit(std::uint32_t wave, const fleet::Work& work) override;
  void finish(fleet::Served& served) override;
  void trace(fleet::Timeline* timeline) override {
    LocalUnits::trace(timeline);
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
  // A wave as one verb sees it: what an evaluation costs says nothing about a step.
  struct Course {
    Placement placement;
    Choice choice;
  };
  struct Wave {
    std::vector<fleet::Local> units;
    std::array<std::unique_ptr<Course>, fleet::verb_count> courses;  // of waves of two units or more
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
  std::vector<double> times_;  // room for the times of a wave's units
  bool always_share_ = false;
  bool usual_ = true;  // neither traced nor always shared
  std::uint64_t shared_waves_ = 0;
  // What is under way.
  Course* present_ = nullptr;  // shared out and not finished
  fleet::Work work_;           // of it
  bool measured_ = false;      // the time of each unit is taken
  bool timed_ = false;         // the time of the wave is taken
  fleet::Timeline::Clock::time_point begin_{};
  Crew crew_;  // last: its threads end first
};

}  // namespace consort::host
