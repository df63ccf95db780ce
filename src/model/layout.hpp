// The places of a model's variables in an instance's memory. A value reference is an index, so access needs no look-up.
//
// Reference 0 is the time; the variables follow in the order of their declaration. Scalar layouts (FMI 1.0 and 2.0)
// number the elements of arrays one by one; the others number variables.
//
// Part of every exported FMU: uses only the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "consort/model.hpp"

namespace consort::model {

// The states of an instance, as bits so that a rule may name several.
enum Mode : std::uint16_t {
  instantiated = 1,
  configuration = 2,
  initialization = 4,
  event_mode = 8,
  continuous_time = 16,  // Model Exchange
  step_mode = 32,        // Co-Simulation
  intermediate = 64,     // inside the intermediate update of FMI 3.0
  terminated = 128,
  failed = 256,
};
using Modes = std::uint16_t;
inline constexpr Modes running_modes = event_mode | continuous_time | step_mode;

// The computations that a value needs before it is read, as bits.
enum Stage : std::uint8_t { stage_derivatives = 1, stage_outputs = 2, stage_indicators = 4, stage_initialize = 8 };
using Stages = std::uint8_t;
inline constexpr Stages all_stages = 15;

inline constexpr std::uint32_t no_offset = 0xFFFFFFFF;

// The front of an instance's memory. Time and stale stages belong to the saved state.
struct Head {
  double time = 0;
  double next_event = 0;
  double start_time = 0;
  double stop_time = 0;
  Modes mode = instantiated;
  Stages stale = all_stages;
  bool has_polynomials = false;  // inputs vary during the next step
  bool terminate = false;        // the model has asked to end the simulation
};

// One cache line; its address is found by a shift.
struct alignas(64) Slot {
  std::uint32_t offset = 0;  // of the first element, in the instance's memory
  std::uint32_t element_size = 0;
  std::uint32_t capacity = 1;  // maximum number of elements
  Modes settable = 0;          // when it may be set
  Stages needs = 0;
  Kind kind = Kind::float64;
  std::uint32_t size_offsets[2] = {no_offset, no_offset};  // of the structural parameters
  std::uint32_t polynomial = no_offset;                    // index of a continuous input's polynomial
  std::uint32_t variable = no_offset;                      // into Definition::variables; no_offset: the time
  std::uint32_t element = 0;                               // index in the variable, in a scalar layout
};

inline constexpr std::uint32_t polynomial_order = 3;  // highest accepted derivative of an input

class Layout {
 public:
  enum class Style : std::uint8_t { arrays, scalars };

  // `definition` must outlive the layout and all objects made with it.
  Layout(const Definition& definition, Style style);
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  [[nodiscard]] const Definition& definition() const { return definition_; }
  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }
  [[nodiscard]] const Slot* find(std::uint32_t reference) const {
    return reference < slots_.size() ? &slots_[reference] : nullptr;
  }
  // References of the continuous states, element by element in a scalar layout.
  [[nodiscard]] const std::vector<std::uint32_t>& states() const { return states_; }
  [[nodiscard]] const std::vector<std::uint32_t>& indicators() const { return indicators_; }
  [[nodiscard]] const std::vector<std::uint32_t>& polynomial_inputs() const { return polynomial_inputs_; }
  // The reference of the derivative of a state; it follows the state.
  [[nodiscard]] std::uint32_t rate_of(std::uint32_t state) const;
  [[nodiscard]] std::size_t state_capacity() const { return state_capacity_; }
  [[nodiscard]] Style style() const { return style_; }

  // The memory: Head, the model's struct, the inputs' polynomials, the signs of the indicators.
  [[nodiscard]] std::size_t model_offset() const { return model_offset_; }
  [[nodiscard]] std::size_t polynomials_offset() const { return polynomials_offset_; }
  [[nodiscard]] std::size_t signs_offset() const { return signs_offset_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t alignment() const { return alignment_; }

 private:
  void add(std::uint32_t variable, void* specimen);
  void find_sizes();

  const Definition& definition_;
  Style style_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> states_;
  std::vector<std::uint32_t> indicators_;
  std::vector<std::uint32_t> polynomial_inputs_;
  std::size_t state_capacity_ = 0;
  std::size_t model_offset_ = 0;
  std::size_t polynomials_offset_ = 0;
  std::size_t signs_offset_ = 0;
  std::size_t size_ = 0;
  std::size_t alignment_ = 1;
};

// Number of elements of a variable in a model's struct, at the current values of its structural parameters.
[[nodiscard]] std::size_t element_count(const Definition& definition, const Variable& v, const void* model);

// The unit of the derivative of a state; empty if the state has no unit.
[[nodiscard]] std::string rate_unit(std::string_view unit);

}  // namespace consort::model
