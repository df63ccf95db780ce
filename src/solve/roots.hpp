// Finds sign changes of root functions on the dense output of a solver's last step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "solve/problem.hpp"
#include "solve/solver.hpp"

namespace consort::solve {

struct RootOptions {
  Duration tolerance = 0;  // width of the final bracket around an event time; 0: limited by rounding only
  bool look_for_dips = true;
};

// Values and signs of the root functions at the end of the searched interval.
struct RootMemory {
  std::vector<double> values{};
  std::vector<std::int8_t> signs{};  // +1 positive, -1 not positive, 0 open
  Time open_until = -never;          // time until which the open signs stay open
};

class RootFinder {
 public:
  RootFinder(const Events& events, RootOptions options);

  // Resets the signs: a function that is zero at the next start() is open.
  void reset();
  // Starts a search at (t, y). Root functions with an entry in `undecided` are open for a moment (ten tolerances). A
  // root function that is zero keeps its earlier sign, or is open if it had no sign. With Events::apart_after_events
  // only those are open that are zero, or that had an earlier event within ten tolerances.
  void start(const Solver& solver, Time t, ConstVector y, std::span<const std::int8_t> undecided = {});
  // Finds the first event after `from` in the solver's last step, which ends at time(). True: the event is at
  // event_time(), crossings() tells which functions crossed, the signs are those after the event, and another search
  // may start there. False: no event. The signs at `samples` (ascending, inside of the step) are compared, too.
  [[nodiscard]] bool search(const Solver& solver, Time from, std::span<const Time> samples = {});

  [[nodiscard]] Time event_time() const { return high_.t; }
  [[nodiscard]] std::span<const std::int8_t> crossings() const { return crossings_; }
  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
  [[nodiscard]] Duration tolerance(Time t, Duration step) const;

  [[nodiscard]] const RootMemory& memory() const { return memory_; }
  void restore(const RootMemory& memory) { memory_ = memory; }

 private:
  struct Point {
    Time t = 0;
    std::vector<double> g{};
  };

  void evaluate(const Solver& solver, Time t, Point& point);
  // Fills crossings_ with the sign changes between the memory and the point; true if there is one.
  bool crossed(const Point& point);
  void take_signs(const Point& point);
  void decide(const Solver& solver, Time to);
  bool find_sample(const Solver& solver, std::span<const Time> samples);
  bool find_dip(const Solver& solver);
  bool follow_dip(const Solver& solver, std::size_t i, double sign);
  [[nodiscard]] Time estimate() const;
  void locate(const Solver& solver);

  const Events& events_;
  RootOptions options_;
  RootMemory memory_;
  std::vector<std::int8_t> crossings_;
  std::uint64_t evaluations_ = 0;
  std::vector<double> y_;
  // The bracket: no event up to low_, an event up to high_.
  Point low_;
  Point high_;
  Point middle_;
  std::vector<double> weights_low_;  // of the values in the secants (Illinois)
  std::vector<double> weights_high_;
  Point end_;
  Point trial_;
  Point dip_[3];
};

}  // namespace consort::solve
