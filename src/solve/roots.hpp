// Finds where root functions change their sign, on the dense output of a solver's last step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.hpp"
#include "solve/problem.hpp"
#include "solve/solver.hpp"

namespace consort::solve {

struct RootOptions {
  Duration tolerance = 0;  // width of the bracket that an event time is narrowed down to; 0: what rounding allows
  bool look_for_dips = true;
};

// What is known of the root functions at the end of what has been searched.
struct RootMemory {
  std::vector<double> values{};
  std::vector<std::int8_t> signs{};  // +1 positive, -1 not positive, 0 open
  Time open_until = -never;          // where those that are open show their sign
};

class RootFinder {
 public:
  RootFinder(const Events& events, RootOptions options);

  // Forgets the signs: what is zero at the next start() is open.
  void reset();
  // From (t, y) on. Root functions with an entry in `undecided` are open for a moment (ten tolerances); one that is
  // zero keeps the sign that it had, or is open when it had none.
  void start(const Solver& solver, Time t, ConstVector y, std::span<const std::int8_t> undecided = {});
  // The first event after `from` in the solver's last step, which ends at time(). True: it stands at event_time() and
  // crossings() tells which; signs are those after it, and another search may start there. False: there is none.
  [[nodiscard]] bool search(const Solver& solver, Time from);

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
  // Fills crossings_ for what changed between the signs in memory and the point.
  bool crossed(const Point& point);
  void decide(const Solver& solver, Time to);
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
  // Brackets: no event up to low_, one up to high_.
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
