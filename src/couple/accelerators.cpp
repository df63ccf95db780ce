#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "couple/accelerator.hpp"

namespace consort::couple {

namespace {

constexpr std::array<AcceleratorRow, 7> accelerator_rows{{
    {"iqn-ils", "quasi-Newton: least squares over differences of past iterations, filtered", make_iqn_ils},
    {"anderson", "Anderson mixing: least squares over the last few iterations", make_anderson},
    {"aitken", "relaxation with a factor from the last two iterations", make_aitken},
    {"relaxation", "relaxation with a constant factor", make_relaxation},
    {"fixed-point", "uses each result as the next guess", make_fixed_point},
    {"broyden", "quasi-Newton with a matrix that is updated in every iteration", make_broyden},
    {"newton", "Newton's method with the Jacobian of the interface", make_newton},
}};

}  // namespace

AccelerationSlots::AccelerationSlots(Memory& memory, const std::string& name, std::size_t unknowns,
                                     const AccelerationRoom& room)
    : x_(memory.back.reserve<double>(name + " guesses", unknowns)),
      residual_(memory.back.reserve<double>(name + " residuals", unknowns)),
      numbers_(memory.back.reserve<double>(name + " numbers", room.numbers)),
      tags_(memory.back.reserve<std::uint64_t>(name + " tags", room.tags)),
      counters_(memory.back.reserve<AccelerationCounters>(name + " counters")) {
  memory.back.at(counters_) = {};
}

AccelerationMemory AccelerationSlots::in(Memory& memory) const {
  return {memory.back[x_], memory.back[residual_], memory.back[numbers_], memory.back[tags_],
          memory.back.at(counters_)};
}

void Accelerator::begin(AccelerationMemory& memory, Duration) const {
  ++memory.counters.step;
  memory.counters.pairs = 0;
}

std::span<const AcceleratorRow> accelerators() { return accelerator_rows; }

const AcceleratorRow& find_accelerator(std::string_view name) {
  return find_row(accelerator_rows, name, "method", " for iterations", "iteration.method");
}

}  // namespace consort::couple
