// The part of an FMU that depends on the model's type; it is made in the model's translation unit.
#pragma once

#include <cstddef>

#include "consort/model.hpp"
#include "solve/fixed_step.hpp"

namespace consort::glue {

struct Exported {
  const char* name = "";  // of the model: modelName, modelIdentifier
  const model::Definition* definition = nullptr;
  // One step of the model's solver from context.time; `work` as in solve/fixed_step.hpp. Null: no states.
  void (*step)(void* model, model::Context& context, double h, double* work) = nullptr;
  // True after a function of the model has thrown. Only for code outside of the FMU (see export_outside).
  const bool* failed = nullptr;
};

namespace detail {

// A model as a system for the fixed-step solvers, resolved at compile time.
template <class M>
struct ModelSystem {
  void* model;
  model::Context& context;

  [[nodiscard]] std::size_t size() const { return model::detail::States<M>::count(model); }
  void read(double* x) const { model::detail::States<M>::read(model, x); }
  void write(const double* x) { model::detail::States<M>::write(model, x); }
  void rates(double t, double* dx) {
    context.time = t;
    model::detail::call_derivatives<M>(model, context);
    model::detail::States<M>::read_rates(model, dx);
  }
};

template <class M>
void step_model(void* model, model::Context& context, double h, double* work) {
  constexpr auto method = static_cast<solve::FixedStep>(model::detail::declaration_of<M>.info.method);
  ModelSystem<M> system{model, context};
  const double t = context.time;
  if constexpr (method == solve::FixedStep::euler) {
    solve::euler_step(system, t, h, work);
  } else if constexpr (method == solve::FixedStep::heun) {
    solve::heun_step(system, t, h, work);
  } else {
    solve::rk4_step(system, t, h, work);
  }
}

}  // namespace detail

template <class M>
constexpr Exported export_model(const char* name) {
  Exported exported{name, &model::definition_of<M>, nullptr, nullptr};
  if constexpr (model::detail::has_states<M>) exported.step = detail::step_model<M>;
  return exported;
}

namespace detail {

inline bool model_has_failed = false;

template <auto Function>
struct Quiet;
template <class... Arguments, void (*Function)(Arguments...)>
struct Quiet<Function> {
  static void call(Arguments... arguments) {
    try {
      Function(arguments...);
    } catch (...) {
      model_has_failed = true;
    }
  }
};

template <bool Exists, auto Function>
constexpr decltype(Function) quiet() {
  if constexpr (Exists) {
    return Quiet<Function>::call;
  } else {
    return nullptr;
  }
}

template <class M>
constexpr model::Definition quiet_definition() {
  constexpr const model::Definition& d = model::definition_of<M>;
  model::Definition q = d;
  q.instantiate = quiet<model::detail::has_instantiate<M>, d.instantiate>();
  q.initialize = quiet<model::detail::has_initialize<M>, d.initialize>();
  q.derivatives = quiet<model::detail::has_derivatives<M>, d.derivatives>();
  q.outputs = quiet<model::detail::has_outputs<M>, d.outputs>();
  q.indicators = quiet<model::detail::has_indicators<M>, d.indicators>();
  q.event = quiet<model::detail::has_event<M>, d.event>();
  q.completed = quiet<model::detail::has_completed<M>, d.completed>();
  q.directional = quiet<model::detail::has_directional<M>, d.directional>();
  return q;
}
template <class M>
inline constexpr model::Definition quiet_definition_of = quiet_definition<M>();

}  // namespace detail

// The model for programs that load the FMU. Exceptions do not leave the FMU, since it has its own C++ library.
template <class M>
constexpr Exported export_outside(const char* name) {
  return {name, &detail::quiet_definition_of<M>, nullptr, &detail::model_has_failed};
}

// The model of this FMU. Defined by CONSORT_EXPORT_MODEL.
const Exported& exported_model();

}  // namespace consort::glue

namespace __gnu_cxx {
void __freeres();  // NOLINT: the name that libstdc++ gives
}

// The tool loads the binary for Linux only; that for Windows exports the functions of FMI and no others.
#ifdef _WIN32
#define CONSORT_FOR_THE_TOOL
#else
#define CONSORT_FOR_THE_TOOL __attribute__((visibility("default")))
#endif

// Use once per FMU. The FMU's own copy of the C++ library keeps reserve memory for exceptions; the destructor function
// frees it when the FMU is unloaded. The function with a C name is for the tool that writes the model description. The
// FMU itself does not call it, because in a process that loads libraries with RTLD_GLOBAL the function of another FMU
// might be called.
#define CONSORT_EXPORT_MODEL(MODEL, NAME)                                                 \
  namespace consort::glue {                                                               \
  static constexpr Exported the_exported_model = export_model<MODEL>(NAME);               \
  static constexpr Exported the_model_outside = export_outside<MODEL>(NAME);              \
  const Exported& exported_model() { return the_exported_model; }                         \
  __attribute__((destructor)) static void give_back_reserve() { __gnu_cxx::__freeres(); } \
  }                                                                                       \
  extern "C" CONSORT_FOR_THE_TOOL const void* consort_exported_model();                   \
  extern "C" const void* consort_exported_model() { return &consort::glue::the_model_outside; }
