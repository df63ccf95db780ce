// One instance of a model: its memory, and the evaluation of stale values.
//
// The memory is one block; a state is saved and restored exactly by copying the block. Values are read and written
// through the slots of the layout. Call refresh() before reading and touch() after writing.
//
// Part of every exported FMU: uses only the standard library. Exceptions of the model (consort::model::Failure) pass
// through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "model/layout.hpp"

namespace consort::model {

struct EventOutcome {
  bool again = false;  // another event iteration is needed
  bool terminate = false;
  bool states_changed = false;
  double next_time = 0;  // infinity: no time event
};

class Instance {
 public:
  // Makes the model with its start values and calls its instantiate(). Both arguments must outlive the instance.
  Instance(const Layout& layout, const Host& host);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const Definition& definition() const { return definition_; }
  [[nodiscard]] Head& head() { return *static_cast<Head*>(static_cast<void*>(memory_.get())); }
  [[nodiscard]] const Head& head() const { return *static_cast<const Head*>(static_cast<const void*>(memory_.get())); }
  [[nodiscard]] void* model() { return memory_.get() + layout_.model_offset(); }
  [[nodiscard]] const void* model() const { return memory_.get() + layout_.model_offset(); }
  [[nodiscard]] std::byte* memory() { return memory_.get(); }
  [[nodiscard]] Context& context() { return context_; }

  // --- values
  [[nodiscard]] std::byte* at(const Slot& slot) { return memory_.get() + slot.offset; }
  [[nodiscard]] std::size_t element_count(const Slot& slot) const;
  // Call after writing a value: computed values become stale.
  void touch() { head().stale = all_stages; }
  // Computes the stale values of the stages `needs`. Does nothing before initialization.
  void refresh(Stages needs) {
    if ((head().stale & needs) != 0) compute(needs);
  }

  // --- life
  void reset();  // to the state after construction
  // Checks the chosen sizes of arrays; throws Failure if they do not fit.
  void leave_configuration();
  void enter_initialization(double start_time, double stop_time);
  void leave_initialization(Mode next);

  // --- continuous time
  void set_time(double time);
  // As set_time(), for the end of a step. The outputs are computed at once because they are always read then.
  void arrive(double time) {
    head().time = context_.time = time;
    head().stale = all_stages;
    if (definition_.outputs == nullptr) return;
    definition_.outputs(model(), context_);
    head().stale = stage_derivatives | stage_indicators;
  }
  [[nodiscard]] std::size_t state_count() const { return definition().state_count(model()); }
  void read_states(double* to) const { definition().read_states(model(), to); }
  void write_states(const double* from);
  void read_rates(double* to);
  void read_nominals(double* to) const;
  void read_indicators(double* to);
  // One event iteration: calls the model's event(). Throws Failure if the model requests an event in the past.
  EventOutcome update_event();
  // Call after each completed solver step; `step` is the communication step, 0 without one.
  void completed(double step);

  // --- derivatives
  // sensitivity[i] = sum over j of d unknown[i] / d known[j] * seed[j], over all elements of the slots in order.
  void directional(const std::vector<const Slot*>& unknowns, const std::vector<const Slot*>& knowns, const double* seed,
                   double* sensitivity);
  // d output / dt of all elements, for the current state derivatives and constant inputs.
  void time_derivative(const Slot& output, double* to);

  // --- states: `memory_size()` bytes
  [[nodiscard]] std::size_t memory_size() const { return layout_.size(); }
  void save(std::byte* to) const;
  void restore(const std::byte* from);

 private:
  struct Free {
    std::size_t alignment;
    void operator()(std::byte* memory) const { operator delete(memory, std::align_val_t(alignment)); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  [[nodiscard]] Memory allocate() const;
  void construct();
  void compute(Stages needs);
  void initialize();
  // Computes all values in `memory`, a copy of the instance's memory.
  void evaluate(std::byte* memory);
  void analytic(const std::vector<const Slot*>& unknowns, const std::vector<const Slot*>& knowns, const double* seed,
                double* sensitivity);
  void by_differences(const std::vector<const Slot*>& unknowns, const std::vector<const Slot*>& knowns,
                      const double* seed, double* sensitivity);
  [[nodiscard]] bool is_analytic(const std::vector<const Slot*>& unknowns,
                                 const std::vector<const Slot*>& knowns) const;
  std::byte* scratch();

  const Layout& layout_;
  const Definition& definition_;
  Memory memory_;
  Memory scratch_;  // allocated on first use
  Context context_;
  std::vector<double> states_before_;
};

}  // namespace consort::model
