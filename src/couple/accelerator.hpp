// Methods for fixed points x = G(x) with few evaluations of G: one evaluation costs a step of all units.
//
// An accelerator receives each pair x, G(x) and proposes the next x. Its memory (from pair to pair and from step to
// step) is in slots of the run's memory, so that it is restored when a step is rejected. The calls of a step do not
// allocate:
//
//   accelerator.begin(memory, h);
//   for (;;) { …evaluate…; accelerator.observe(memory, iterate); if (converged) break;
//              accelerator.next(memory, iterate, x); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "couple/memory.hpp"

namespace consort::couple {

// Memory available to every accelerator; each method defines the meaning of the fields. A view of slots in the run's
// memory, created for every step.
struct AccelerationCounters {
  std::uint64_t step = 0;     // counted from 1
  std::uint64_t columns = 0;  // columns added so far
  std::uint32_t pairs = 0;    // in the present step
  std::uint32_t has_matrix = 0;
  double factor = 1;  // Aitken: the relaxation factor; Newton: the step size of the matrix
};
struct AccelerationMemory {
  std::span<double> x, residual;  // of the last pair
  std::span<double> numbers;      // columns or a matrix
  std::span<std::uint64_t> tags;  // per column: the step in which it was added
  AccelerationCounters& counters;
};
// Memory needed in addition to x and residual.
struct AccelerationRoom {
  std::size_t numbers = 0;
  std::size_t tags = 0;
};

// The slots of one problem.
class AccelerationSlots {
 public:
  AccelerationSlots() = default;
  // Reserves slots in the arena `back` (restored with a rejected step); their names begin with `name`.
  AccelerationSlots(Memory& memory, const std::string& name, std::size_t unknowns, const AccelerationRoom& room);
  [[nodiscard]] AccelerationMemory in(Memory& memory) const;

 private:
  Slot<double> x_, residual_, numbers_;
  Slot<std::uint64_t> tags_;
  Slot<AccelerationCounters> counters_;
};

struct Iterate {
  std::span<const double> x;
  std::span<const double> image;  // G(x)
  std::span<const double> scale;  // typical magnitude of each unknown, > 0
};

struct AccelerationOptions {
  double relaxation = 0;    // of the first iteration or of all; 0: the method's default
  std::uint32_t depth = 0;  // maximum number of columns of differences; 0: the method's default
  std::uint32_t reuse = 0;  // number of past steps whose columns are used
  double filter = 1e-6;     // columns whose part independent of newer columns is relatively smaller are left out
  // Writes ∂G/∂x at the last x, column by column. Only for methods that need it.
  std::function<void(std::span<double> jacobian)> jacobian{};
};

class Accelerator {
 public:
  virtual ~Accelerator() = default;
  // Memory for n unknowns.
  [[nodiscard]] virtual AccelerationRoom room(std::size_t) const { return {}; }
  // Starts the problem of a step of size h; it is close to the previous problem, but another one.
  virtual void begin(AccelerationMemory& memory, Duration h) const;
  virtual void observe(AccelerationMemory& memory, const Iterate& iterate) = 0;
  // Proposes x; the last observed pair is `iterate`.
  virtual void next(AccelerationMemory& memory, const Iterate& iterate, std::span<double> x) = 0;
};

// Rows of the table in accelerators.cpp.
struct AcceleratorRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Accelerator> (*make)(const AccelerationOptions&) = nullptr;
};
[[nodiscard]] std::span<const AcceleratorRow> accelerators();
// Throws Error (input) that lists the available methods.
[[nodiscard]] const AcceleratorRow& find_accelerator(std::string_view name);

[[nodiscard]] std::unique_ptr<Accelerator> make_fixed_point(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_relaxation(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_aitken(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_anderson(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_iqn_ils(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_broyden(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_newton(const AccelerationOptions& options);

}  // namespace consort::couple
