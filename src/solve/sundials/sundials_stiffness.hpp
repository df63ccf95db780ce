// Whether an explicit method is held back by stability instead of accuracy: then it would run for ever, and says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>  // the next header needs it
#include <vector>

#include <arkode/arkode_butcher.h>

#include "base/time.hpp"
#include "solve/problem.hpp"

namespace consort::solve {

// The length of the interval on the negative real axis on which an explicit table is stable.
[[nodiscard]] double stability_interval(const ARKodeButcherTableMem& table);

// Looks at every tenth step, after the first thousand (the published DOPRI5 waits as long): the largest eigenvalue by
// one step of a power iteration, whose direction is kept. Stiff is what is at the end of the stability interval in 15
// looks without 6 others in a row.
class StiffnessWatch {
 public:
  StiffnessWatch() = default;  // never due
  StiffnessWatch(std::size_t n, double stability_interval);

  // Counts a step; true when it is time for a look.
  [[nodiscard]] bool due() {
    if (direction_.empty()) return false;
    ++steps_;
    return steps_ >= first_look && steps_ % 10 == 0;
  }

  // rates(y, dy) is called twice.
  template <class Rates>
  [[nodiscard]] bool stiff(Duration h, ConstVector y, ConstVector atol, double rtol, Rates&& rates) {
    rates(y, Vector(base_));
    prepare(y, atol, rtol);
    rates(ConstVector(moved_), Vector(changed_));
    return judge(h, atol, rtol, y);
  }

 private:
  static constexpr std::uint64_t first_look = 1000;
  void prepare(ConstVector y, ConstVector atol, double rtol);
  bool judge(Duration h, ConstVector atol, double rtol, ConstVector y);

  double interval_ = 0;
  std::uint64_t steps_ = 0;
  int hits_ = 0;
  int misses_ = 0;
  std::vector<double> direction_;  // in units of the tolerances
  std::vector<double> base_;
  std::vector<double> moved_;
  std::vector<double> changed_;
};

}  // namespace consort::solve
