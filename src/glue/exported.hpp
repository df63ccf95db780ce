// What a model's own translation unit contributes to an FMU; the rest of the glue does not know the model's type.
#pragma once

#include <cstddef>

#include "consort/model.hpp"
#include "solve/fixed_step.hpp"

namespace consort::glue {

struct Exported {
  const char* name = "";  // of the model: modelName, modelIdentifier
  const model::Definition* definition = nullptr;
  // One step of the model's solver from context.time on; `work` as in solve/fixed_step.hpp. Null without states.
  void (*step)(void* model, model::Context& context, double h, double* work) = nullptr;
};

namespace detail {

// A model as a system to solve, with everything known while compiling.
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
  Exported exported{name, &model::definition_of<M>, nullptr};
  if constexpr (model::detail::has_states<M>) exported.step = detail::step_model<M>;
  return exported;
}

// The model of this FMU; defined by CONSORT_EXPORT_MODEL.
const Exported& exported_model();

}  // namespace consort::glue

// Once per FMU. The function with a C name is for the tool that writes the model description; the FMU itself does not
// call it, since another FMU's might answer in a process that loads libraries with RTLD_GLOBAL.
#define CONSORT_EXPORT_MODEL(MODEL, NAME)                                                 \
  namespace consort::glue {                                                               \
  static constexpr Exported the_exported_model = export_model<MODEL>(NAME);               \
  const Exported& exported_model() { return the_exported_model; }                         \
  }                                                                                       \
  extern "C" __attribute__((visibility("default"))) const void* consort_exported_model(); \
  extern "C" const void* consort_exported_model() { return &consort::glue::the_exported_model; }
