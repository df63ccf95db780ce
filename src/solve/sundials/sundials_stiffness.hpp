// Detects that stability instead of accuracy limits the step of an explicit method. The run would hardly advance, so it
// is ended with a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "solve/problem.hpp"
#include "solve/sundials/sundials_version.hpp"

namespace consort::solve {

// The length of the interval on the negative real axis on which an explicit table is stable.
[[nodiscard]] double stability_interval(const ARKodeButcherTableMem& table);

// Checks every tenth step after the first thousand (like the published DOPRI5). Estimates the largest eigenvalue by one
// step of a power iteration, whose direction is kept. The problem is stiff if the step reaches the end of the stability
// interval in 15 checks without 6 consecutive misses between them.
class StiffnessWatch {
 public:
  StiffnessWatch() = default;  // due() is always false
  StiffnessWatch(std::size_t n, double stability_interval);

  // Counts a step; true if the step must be checked.
  [[nodiscard]] bool due() {
    if (direction_.empty()) return false;
    ++steps_;
    return steps_ >= first_look && steps_ % 10 == 0;
  }

  // Calls rates(y, dy) twice.
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
