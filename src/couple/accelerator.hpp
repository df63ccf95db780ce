// Fixed points x = G(x) where G costs a step of all units: methods that need few evaluations.
//
// An accelerator is told each pair of x and G(x) and says what to try next. What it remembers from one pair, and from
// one step of the run, to the next is in slots of the run's memory, so that a step that is taken back is forgotten with
// it. Steps follow each other as
//
//   accelerator.begin(memory, h);
//   for (;;) { …evaluate…; accelerator.observe(memory, iterate); if (converged) break; accelerator.next(memory,
//   iterate, x); }
//
// and allocate nothing.
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

// What every accelerator may remember; what the fields mean is the accelerator's business. A view of slots in the
// memory of a run, made anew for every step.
struct AccelerationCounters {
  std::uint64_t step = 0;     // counted from 1
  std::uint64_t columns = 0;  // ever added
  std::uint32_t pairs = 0;    // in this step
  std::uint32_t has_matrix = 0;
  double factor = 1;  // Aitken's; the step size that a matrix belongs to
};
struct AccelerationMemory {
  std::span<double> x, residual;  // of the last pair
  std::span<double> numbers;      // columns or a matrix
  std::span<std::uint64_t> tags;  // per column: the step that it comes from
  AccelerationCounters& counters;
};
// How much room it takes beside x and residual.
struct AccelerationRoom {
  std::size_t numbers = 0;
  std::size_t tags = 0;
};

// Where the memory of one problem is.
class AccelerationSlots {
 public:
  AccelerationSlots() = default;
  // In the arena that goes back with a rejected step, under this name.
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
  std::span<const double> scale;  // what is large for each unknown, greater than 0
};

struct AccelerationOptions {
  double relaxation = 0;    // of the first iteration or of all; 0: as the method likes it
  std::uint32_t depth = 0;  // columns of differences at most; 0: as the method likes it
  std::uint32_t reuse = 0;  // past steps whose columns count
  double filter = 1e-6;     // a column that is nearer than this to those before it, relative to its size, is left out
  // ∂G/∂x at the last x, column after column. For methods that want it.
  std::function<void(std::span<double> jacobian)> jacobian{};
};

class Accelerator {
 public:
  virtual ~Accelerator() = default;
  // For n unknowns.
  [[nodiscard]] virtual AccelerationRoom room(std::size_t) const { return {}; }
  // A new problem, that of a step of size h: what came before it is near, but not of it.
  virtual void begin(AccelerationMemory& memory, Duration h) const;
  virtual void observe(AccelerationMemory& memory, const Iterate& iterate) = 0;
  // What to try after the pair that was observed last.
  virtual void next(AccelerationMemory& memory, const Iterate& iterate, std::span<double> x) = 0;
};

// Rows of the table in accelerators.cpp.
struct AcceleratorRow {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Accelerator> (*make)(const AccelerationOptions&) = nullptr;
};
[[nodiscard]] std::span<const AcceleratorRow> accelerators();
// Throws Error (input) that lists those available.
[[nodiscard]] const AcceleratorRow& find_accelerator(std::string_view name);

[[nodiscard]] std::unique_ptr<Accelerator> make_fixed_point(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_relaxation(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_aitken(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_anderson(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_iqn_ils(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_broyden(const AccelerationOptions& options);
[[nodiscard]] std::unique_ptr<Accelerator> make_newton(const AccelerationOptions& options);

}  // namespace consort::couple
