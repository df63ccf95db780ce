#include "model/layout.hpp"

#include <algorithm>
#include <new>
#include <string>

namespace consort::model {
namespace {

constexpr std::size_t round_up(std::size_t n, std::size_t alignment) {
  return (n + alignment - 1) / alignment * alignment;
}

// A model that is never run, to find the offsets of its members.
class Specimen {
 public:
  explicit Specimen(const Definition& definition)
      : alignment_(definition.alignment), memory_(operator new(definition.size, std::align_val_t(alignment_))) {
    definition.construct(memory_);
  }
  ~Specimen() { operator delete(memory_, std::align_val_t(alignment_)); }
  Specimen(const Specimen&) = delete;
  Specimen& operator=(const Specimen&) = delete;

  [[nodiscard]] void* model() const { return memory_; }

 private:
  std::size_t alignment_;
  void* memory_;
};

bool is_continuous_input(const Variable& v) {
  return v.causality == Causality::input && v.variability == Variability::continuous;
}

// FMI 2.0, 3.2.3 and 4.2.4; FMI 3.0, 2.4.7.4: the modes in which a variable may be set.
Modes settable_modes(const Variable& v) {
  constexpr Modes before = instantiated | initialization;
  if (v.variability == Variability::constant) return 0;
  switch (v.causality) {
    case Causality::input:
      return before | event_mode | step_mode | (is_continuous_input(v) ? continuous_time | intermediate : 0);
    case Causality::parameter: return v.variability == Variability::tunable ? before | event_mode | step_mode : before;
    case Causality::structural_parameter: return configuration;
    default: return v.initial == Initial::exact || v.initial == Initial::approx ? before : Modes{0};
  }
}

Stages needed_stages(const Variable& v) {
  if (v.is_rate) return stage_initialize | stage_derivatives;
  if (v.is_indicator) return stage_initialize | stage_indicators;
  if (v.causality == Causality::input || v.causality == Causality::parameter ||
      v.causality == Causality::structural_parameter || v.variability == Variability::constant) {
    return 0;
  }
  if (v.is_state() || v.causality == Causality::calculated_parameter || v.initial == Initial::exact) {
    return stage_initialize;
  }
  return v.causality == Causality::output ? stage_initialize | stage_outputs : all_stages;
}

}  // namespace

std::size_t element_count(const Definition& definition, const Variable& v, const void* model) {
  if (v.sizes.count == 0) return v.capacity();
  std::size_t n = 1;
  for (const std::string_view name : v.sizes) {
    const Variable* size = std::find_if(definition.variables, definition.variables + definition.variable_count,
                                        [&](const Variable& candidate) { return candidate.member == name; });
    n *= *static_cast<const std::uint64_t*>(size->locate(const_cast<void*>(model)));
  }
  return std::min<std::size_t>(n, v.capacity());
}

std::string rate_unit(std::string_view unit) {
  if (unit.empty()) return {};
  if (unit == "1") return "1/s";
  const std::size_t slash = unit.find('/');
  if (slash == std::string_view::npos) return std::string(unit) + "/s";
  const std::string_view above = unit.substr(0, slash);
  const std::string_view below = unit.substr(slash + 1);
  if (below == "s") return std::string(above) + "/s2";
  if (below == "s2") return std::string(above) + "/s3";
  if (below.front() == '(') return std::string(unit.substr(0, unit.size() - 1)) + ".s)";
  return std::string(above) + "/(" + std::string(below) + ".s)";
}

Layout::Layout(const Definition& definition, Style style) : definition_(definition), style_(style) {
  alignment_ = std::max(definition.alignment, alignof(Head));
  model_offset_ = round_up(sizeof(Head), alignment_);
  slots_.push_back({.offset = offsetof(Head, time), .element_size = sizeof(double)});
  const Specimen specimen(definition);
  for (std::uint32_t i = 0; i < definition.variable_count; ++i) add(i, specimen.model());
  if (style == Style::arrays) find_sizes();
  polynomials_offset_ = round_up(model_offset_ + definition.size, alignof(double));
  signs_offset_ = polynomials_offset_ + polynomial_inputs_.size() * polynomial_order * sizeof(double);
  size_ = signs_offset_ + indicators_.size();
}

void Layout::add(std::uint32_t variable, void* specimen) {
  const Variable& v = definition_.variables[variable];
  Slot slot;
  slot.offset = static_cast<std::uint32_t>(model_offset_) +
                static_cast<std::uint32_t>(static_cast<char*>(v.locate(specimen)) - static_cast<char*>(specimen));
  slot.element_size = v.element_size;
  slot.kind = v.kind;
  slot.settable = settable_modes(v);
  slot.needs = needed_stages(v);
  slot.variable = variable;
  slot.capacity = v.capacity();
  if (v.is_state()) state_capacity_ += v.capacity();

  std::size_t elements = 1;
  if (style_ == Style::scalars) {
    elements = element_count(definition_, v, specimen);
    slot.capacity = 1;
    // FMI versions before 3.0 have no configuration mode: arrays keep their first size.
    if (v.causality == Causality::structural_parameter) slot.settable = 0;
  }
  for (std::size_t element = 0; element < elements; ++element) {
    const auto reference = static_cast<std::uint32_t>(slots_.size());
    if (v.is_state()) states_.push_back(reference);
    if (v.is_indicator) indicators_.push_back(reference);
    if (is_continuous_input(v) && v.kind == Kind::float64 && slot.capacity == 1) {
      slot.polynomial = static_cast<std::uint32_t>(polynomial_inputs_.size());
      polynomial_inputs_.push_back(reference);
    }
    slot.element = static_cast<std::uint32_t>(element);
    slots_.push_back(slot);
    slot.offset += slot.element_size;
  }
}

void Layout::find_sizes() {
  for (Slot& slot : slots_) {
    if (slot.variable == no_offset) continue;
    const Names& sizes = definition_.variables[slot.variable].sizes;
    for (std::size_t i = 0; i < sizes.count; ++i) {
      for (const Slot& other : slots_) {
        if (other.variable != no_offset && definition_.variables[other.variable].member == sizes.first[i]) {
          slot.size_offsets[i] = other.offset;
        }
      }
    }
  }
}

std::uint32_t Layout::rate_of(std::uint32_t state) const {
  // The derivative's slots follow those of its state.
  const std::uint32_t first = state - slots_[state].element;
  std::uint32_t next = first;
  while (slots_[next].variable == slots_[state].variable) ++next;
  return next + slots_[state].element;
}

}  // namespace consort::model
