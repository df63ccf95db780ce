// One instance of a model: its memory, and what has to be computed when.
//
// The memory is one block that is copied as a whole to save and restore a state, exactly. Values are read and written
// through the slots of the layout; whoever writes calls touch() afterwards, whoever reads calls refresh() before.
//
// Part of every exported FMU: uses nothing but the standard library. Failures of the model pass through as exceptions
// (consort::model::Failure).
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
  double next_time = 0;  // infinite when there is none
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
  // Something that others are computed from has been written.
  void touch() { head().stale = all_stages; }
  // Computes what `needs` names as far as it is stale; nothing before initialization.
  void refresh(Stages needs) {
    if ((head().stale & needs) != 0) compute(needs);
  }

  // --- life
  void reset();  // as newly made
  // Sizes of arrays are chosen; throws Failure when they do not fit.
  void leave_configuration();
  void enter_initialization(double start_time, double stop_time);
  void leave_initialization(Mode next);

  // --- continuous time
  void set_time(double time);
  // As set_time() at the end of a step, after which outputs are what everybody reads: computed at once.
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
  // One event iteration: the model's event(). Throws Failure when the model asks for an event that is already past.
  EventOutcome update_event();
  // The solver has completed a step; `step` is the communication step, where there is one.
  void completed(double step);

  // --- derivatives
  // sensitivity[i] = sum over j of d unknown[i] / d known[j] * seed[j], with all elements of the slots in order.
  void directional(const std::vector<const Slot*>& unknowns, const std::vector<const Slot*>& knowns, const double* seed,
                   double* sensitivity);
  // d output / dt of all elements, along the present derivatives of the states, with inputs held.
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
  // Computes everything in `memory`, a copy of the instance's.
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
  Memory scratch_;  // made when first needed
  Context context_;
  std::vector<double> states_before_;
};

}  // namespace consort::model
