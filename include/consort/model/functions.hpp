// The optional member functions of a model, called with the arguments that they declare: no argument, the time, or the
// context.
#pragma once

#include "consort/model/context.hpp"

namespace consort::model::detail {

// Defines for one function of a model: whether M has a member of this name, whether it can be called, the call, and a
// pointer to the call.
#define CONSORT_MODEL_FUNCTION(NAME, ARGUMENT)                       \
  template <class M>                                                 \
  inline constexpr bool names_##NAME = requires {                    \
    &M::NAME;                                                        \
  };                                                                 \
  template <class M>                                                 \
  inline constexpr bool has_##NAME = requires(M & m, ARGUMENT c) {   \
    m.NAME(c);                                                       \
  }                                                                  \
  || requires(M & m) { m.NAME(); };                                  \
  template <class M>                                                 \
  void call_##NAME(void* model, [[maybe_unused]] ARGUMENT context) { \
    if constexpr (requires(M & m) { m.NAME(context); }) {            \
      static_cast<M*>(model)->NAME(context);                         \
    } else {                                                         \
      static_cast<M*>(model)->NAME();                                \
    }                                                                \
  }                                                                  \
  template <class M>                                                 \
  constexpr auto pointer_to_##NAME()->void (*)(void*, ARGUMENT) {    \
    if constexpr (has_##NAME<M>) {                                   \
      return call_##NAME<M>;                                         \
    } else {                                                         \
      return nullptr;                                                \
    }                                                                \
  }
CONSORT_MODEL_FUNCTION(instantiate, const Context&)
CONSORT_MODEL_FUNCTION(initialize, const Context&)
CONSORT_MODEL_FUNCTION(derivatives, const Context&)
CONSORT_MODEL_FUNCTION(outputs, const Context&)
CONSORT_MODEL_FUNCTION(indicators, const Context&)
CONSORT_MODEL_FUNCTION(event, Event&)
CONSORT_MODEL_FUNCTION(completed, const Context&)
#undef CONSORT_MODEL_FUNCTION

template <class M>
inline constexpr bool has_directional = requires(const M& m, const M& seed, M& sensitivity, const Context& c) {
  m.directional(seed, sensitivity, c);
};
template <class M>
void call_directional(const void* model, const void* seed, void* sensitivity, const Context& context) {
  static_cast<const M*>(model)->directional(*static_cast<const M*>(seed), *static_cast<M*>(sensitivity), context);
}

}  // namespace consort::model::detail
