// A model without its C++ type: variables and functions, as used by the code that runs the model.
#pragma once

#include <cstddef>
#include <new>
#include <string_view>

#include "consort/model/check.hpp"
#include "consort/model/context.hpp"
#include "consort/model/declaration.hpp"
#include "consort/model/functions.hpp"
#include "consort/model/states.hpp"
#include "consort/model/variable.hpp"

namespace consort::model {

// `model` always points to the model's struct. A function that the model does not have is null.
struct Definition {
  Info info;
  const Variable* variables = nullptr;  // as declared; each state is followed by its derivative
  std::size_t variable_count = 0;
  std::size_t size = 0;  // of the struct
  std::size_t alignment = 1;
  void (*construct)(void* model) = nullptr;
  void (*instantiate)(void* model, const Context&) = nullptr;
  void (*initialize)(void* model, const Context&) = nullptr;
  void (*derivatives)(void* model, const Context&) = nullptr;
  void (*outputs)(void* model, const Context&) = nullptr;
  void (*indicators)(void* model, const Context&) = nullptr;
  void (*event)(void* model, Event&) = nullptr;
  void (*completed)(void* model, const Context&) = nullptr;
  // Computes outputs and derivatives in `sensitivity` from the inputs and states in `seed`. Both are structs of the
  // model's type; their other members are zero.
  void (*directional)(const void* model, const void* seed, void* sensitivity, const Context&) = nullptr;
  // The continuous states and their derivatives as vectors of state_count() elements.
  std::size_t (*state_count)(const void* model) = nullptr;
  void (*read_states)(const void* model, double* to) = nullptr;
  void (*write_states)(void* model, const double* from) = nullptr;
  void (*read_rates)(const void* model, double* to) = nullptr;
};

namespace detail {

template <class M>
constexpr Definition define() {
  static_assert(Checked<M>::is_fine);
  Definition d;
  d.info = declaration_of<M>.info;
  d.variables = variables_of<M>.data();
  d.variable_count = variables_of<M>.size();
  d.size = sizeof(M);
  d.alignment = alignof(M);
  d.construct = [](void* model) { new (model) M(); };
  d.instantiate = pointer_to_instantiate<M>();
  d.initialize = pointer_to_initialize<M>();
  d.derivatives = pointer_to_derivatives<M>();
  d.outputs = pointer_to_outputs<M>();
  d.indicators = pointer_to_indicators<M>();
  d.event = pointer_to_event<M>();
  d.completed = pointer_to_completed<M>();
  if constexpr (has_directional<M>) d.directional = call_directional<M>;
  d.state_count = States<M>::count;
  d.read_states = States<M>::read;
  d.write_states = States<M>::write;
  d.read_rates = States<M>::read_rates;
  return d;
}

}  // namespace detail

// The definition of a model. Its use reports mistakes in the model's declaration as compile errors.
template <class M>
inline constexpr Definition definition_of = detail::define<M>();

}  // namespace consort::model
