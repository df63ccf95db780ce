#include "model/instance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace consort::model {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double read_double(const std::byte* from) {
  double value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void write_double(std::byte* to, double value) { std::memcpy(to, &value, sizeof value); }

}  // namespace

Instance::Instance(const Layout& layout, const Host& host)
    : layout_(layout),
      definition_(layout.definition()),
      memory_(allocate()),
      scratch_(nullptr, Free{layout.alignment()}) {
  context_.host = &host;
  construct();
  if (definition().instantiate != nullptr) definition().instantiate(model(), context_);
}

Instance::Memory Instance::allocate() const {
  auto* memory = static_cast<std::byte*>(operator new(layout_.size(), std::align_val_t(layout_.alignment())));
  return {memory, Free{layout_.alignment()}};
}

void Instance::construct() {
  std::memset(memory_.get(), 0, layout_.size());  // including padding: equal states have equal bytes
  new (memory_.get()) Head();
  head().next_event = never;
  head().stop_time = never;
  definition().construct(model());
  states_before_.assign(layout_.state_capacity(), 0.0);
}

void Instance::reset() {
  construct();
  context_.time = 0;
  if (definition().instantiate != nullptr) definition().instantiate(model(), context_);
}

std::size_t Instance::element_count(const Slot& slot) const {
  if (slot.size_offsets[0] == no_offset) return slot.capacity;
  std::size_t n = 1;
  for (const std::uint32_t offset : slot.size_offsets) {
    if (offset == no_offset) continue;
    std::uint64_t size;
    std::memcpy(&size, memory_.get() + offset, sizeof size);
    n *= size;
  }
  return n;
}

// --- modes

void Instance::leave_configuration() {
  for (const Slot& slot : layout_.slots()) {
    if (slot.size_offsets[0] == no_offset) continue;
    const Variable& v = definition().variables[slot.variable];
    for (const std::uint32_t offset : slot.size_offsets) {
      if (offset == no_offset) continue;
      std::uint64_t size;
      std::memcpy(&size, memory_.get() + offset, sizeof size);
      if (size == 0 || size > slot.capacity || element_count(slot) > slot.capacity) {
        char text[256];
        std::snprintf(text, sizeof text, "the array '%.*s' cannot have the chosen size: it has 1 to %u elements",
                      static_cast<int>(v.name.size()), v.name.data(), slot.capacity);
        throw Failure(text);
      }
    }
  }
}

void Instance::enter_initialization(double start_time, double stop_time) {
  head().start_time = head().time = start_time;
  head().stop_time = stop_time;
  head().mode = initialization;
  touch();
}

void Instance::leave_initialization(Mode next) {
  refresh(stage_initialize);
  head().mode = next;
  touch();
}

void Instance::compute(Stages needs) {
  Head& h = head();
  if ((h.mode & (instantiated | configuration)) != 0) return;
  context_.time = h.time;
  if (h.mode == initialization) initialize();
  const unsigned todo = h.stale & needs;
  if ((todo & stage_derivatives) != 0 && definition_.derivatives != nullptr) definition_.derivatives(model(), context_);
  if ((todo & stage_outputs) != 0 && definition_.outputs != nullptr) definition_.outputs(model(), context_);
  if ((todo & stage_indicators) != 0 && definition_.indicators != nullptr) definition_.indicators(model(), context_);
  h.stale = static_cast<Stages>(h.stale & ~(needs | stage_initialize));
}

void Instance::initialize() {
  if ((head().stale & stage_initialize) != 0 && definition_.initialize != nullptr) {
    definition_.initialize(model(), context_);
  }
}

// --- continuous time

void Instance::set_time(double time) {
  head().time = time;
  touch();
}

void Instance::write_states(const double* from) {
  definition().write_states(model(), from);
  touch();
}

void Instance::read_rates(double* to) {
  refresh(stage_derivatives | stage_initialize);
  definition().read_rates(model(), to);
}

void Instance::read_nominals(double* to) const {
  for (const std::uint32_t reference : layout_.states()) {
    const Slot& slot = layout_.slots()[reference];
    const double nominal = definition().variables[slot.variable].nominal;
    const std::size_t n = element_count(slot);
    for (std::size_t i = 0; i < n; ++i) *to++ = nominal > 0 ? nominal : 1.0;
  }
}

void Instance::read_indicators(double* to) {
  refresh(stage_indicators | stage_initialize);
  for (const std::uint32_t reference : layout_.indicators()) *to++ = read_double(at(layout_.slots()[reference]));
}

EventOutcome Instance::update_event() {
  Head& h = head();
  EventOutcome outcome;
  outcome.next_time = never;
  if (definition().event == nullptr) return outcome;
  read_states(states_before_.data());
  Event event;
  static_cast<Context&>(event) = context_;
  event.time = context_.time = h.time;
  definition().event(model(), event);
  touch();
  if (event.next_time <= h.time && !event.again) {
    throw Failure("event() requests a next event that is not after the current time");
  }
  h.next_event = event.next_time;
  h.terminate = event.terminate;
  outcome = {event.again, event.terminate, false, event.next_time};
  std::size_t i = 0;
  for (const std::uint32_t reference : layout_.states()) {
    const Slot& slot = layout_.slots()[reference];
    const std::size_t bytes = element_count(slot) * sizeof(double);
    outcome.states_changed |= std::memcmp(at(slot), states_before_.data() + i, bytes) != 0;
    i += element_count(slot);
  }
  return outcome;
}

void Instance::completed(double step) {
  if (definition().completed == nullptr) return;
  context_.time = head().time;
  context_.step = step;
  definition().completed(model(), context_);
  context_.step = 0;
}

// --- derivatives

std::byte* Instance::scratch() {
  if (scratch_ == nullptr) scratch_ = allocate();
  std::memcpy(scratch_.get(), memory_.get(), layout_.size());
  return scratch_.get();
}

void Instance::evaluate(std::byte* memory) {
  void* const copy = memory + layout_.model_offset();
  context_.time = read_double(memory + offsetof(Head, time));
  if (head().mode == initialization && definition().initialize != nullptr) definition().initialize(copy, context_);
  if (definition().derivatives != nullptr) definition().derivatives(copy, context_);
  if (definition().outputs != nullptr) definition().outputs(copy, context_);
  if (definition().indicators != nullptr) definition().indicators(copy, context_);
}

bool Instance::is_analytic(const std::vector<const Slot*>& unknowns, const std::vector<const Slot*>& knowns) const {
  if (definition().directional == nullptr || head().mode == initialization) return false;
  const auto variable = [&](const Slot* s) {
    return s->variable == no_offset ? nullptr : &definition().variables[s->variable];
  };
  return std::all_of(knowns.begin(), knowns.end(),
                     [&](const Slot* s) {
                       const Variable* v = variable(s);
                       return v != nullptr && (v->causality == Causality::input || v->is_state());
                     }) &&
         std::all_of(unknowns.begin(), unknowns.end(), [&](const Slot* s) {
           const Variable* v = variable(s);
           return v != nullptr && (v->causality == Causality::output || v->is_rate);
         });
}

void Instance::directional(const std::vector<const Slot*>& unknowns, const std::vector<const Slot*>& knowns,
                           const double* seed, double* sensitivity) {
  for (const auto* slots : {&unknowns, &knowns}) {
    for (const Slot* slot : *slots) {
      if (slot->kind != Kind::float64) throw Failure("directional derivatives exist only for Float64 (Real) variables");
    }
  }
  if (is_analytic(unknowns, knowns)) {
    analytic(unknowns, knowns, seed, sensitivity);
  } else {
    by_differences(unknowns, knowns, seed, sensitivity);
  }
}

void Instance::analytic(const std::vector<const Slot*>& unknowns, const std::vector<const Slot*>& knowns,
                        const double* seed, double* sensitivity) {
  refresh(all_stages);
  std::byte* const from = scratch();
  const Memory to = allocate();
  std::memset(from, 0, layout_.size());
  std::memset(to.get(), 0, layout_.size());
  for (const Slot* known : knowns) {
    const std::size_t n = element_count(*known);
    std::memcpy(from + known->offset, seed, n * sizeof(double));
    seed += n;
  }
  context_.time = head().time;
  definition().directional(model(), from + layout_.model_offset(), to.get() + layout_.model_offset(), context_);
  for (const Slot* unknown : unknowns) {
    // The sensitivity of a state that is also an output is its seed, regardless of the model's directional().
    const bool is_state = definition().variables[unknown->variable].is_state();
    const std::size_t n = element_count(*unknown);
    std::memcpy(sensitivity, (is_state ? from : to.get()) + unknown->offset, n * sizeof(double));
    sensitivity += n;
  }
}

void Instance::by_differences(const std::vector<const Slot*>& unknowns, const std::vector<const Slot*>& knowns,
                              const double* seed, double* sensitivity) {
  // The cube root of epsilon is the relative step that balances truncation and rounding of central differences.
  const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
  double largest = 0;
  const double* s = seed;
  for (const Slot* known : knowns) {
    const std::size_t n = element_count(*known);
    for (std::size_t i = 0; i < n; ++i, ++s) {
      const double value = read_double(at(*known) + i * sizeof(double));
      largest = std::max(largest, std::abs(*s) / std::max(1.0, std::abs(value)));
    }
  }
  const double step = largest == 0 ? 1.0 : relative / largest;
  for (const double direction : {1.0, -1.0}) {
    std::byte* const copy = scratch();
    s = seed;
    for (const Slot* known : knowns) {
      const std::size_t n = element_count(*known);
      for (std::size_t i = 0; i < n; ++i, ++s) {
        std::byte* const place = copy + known->offset + i * sizeof(double);
        write_double(place, read_double(place) + direction * step * *s);
      }
    }
    evaluate(copy);
    double* to = sensitivity;
    for (const Slot* unknown : unknowns) {
      const std::size_t n = element_count(*unknown);
      for (std::size_t i = 0; i < n; ++i, ++to) {
        const double value = read_double(copy + unknown->offset + i * sizeof(double));
        *to = direction > 0 ? value : (*to - value) / (2 * step);
      }
    }
  }
}

void Instance::time_derivative(const Slot& output, double* to) {
  refresh(all_stages);
  std::vector<const Slot*> knowns{&layout_.slots()[0]};
  std::vector<double> seed{1.0};
  for (const std::uint32_t reference : layout_.states()) {
    const Slot& state = layout_.slots()[reference];
    const std::byte* rate = at(layout_.slots()[layout_.rate_of(reference)]);
    const std::size_t n = element_count(state);
    if (state.variable == output.variable && state.element == output.element) {
      std::memcpy(to, rate, n * sizeof(double));
      return;
    }
    knowns.push_back(&state);
    for (std::size_t i = 0; i < n; ++i) seed.push_back(read_double(rate + i * sizeof(double)));
  }
  by_differences({&output}, knowns, seed.data(), to);
}

// --- states

void Instance::save(std::byte* to) const { std::memcpy(to, memory_.get(), layout_.size()); }

void Instance::restore(const std::byte* from) {
  std::memcpy(memory_.get(), from, layout_.size());
  context_.time = head().time;
}

}  // namespace consort::model
