// Only takes many steps with a co-simulation binary of FMI 2.0, to count its instructions.
//
//   consort_step_driver LIBRARY GUID STEPS
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

#include "fmi/headers/fmi2/fmi2FunctionTypes.h"

namespace {

template <class F>
F* function(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) std::exit(3);
  return reinterpret_cast<F*>(symbol);
}

void ignore(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...) {}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 3;
  const fmi2CallbackFunctions callbacks{ignore, std::calloc, std::free, nullptr, nullptr};
  fmi2Component c = function<fmi2InstantiateTYPE>(library, "fmi2Instantiate")("node", fmi2CoSimulation, argv[2], "",
                                                                              &callbacks, fmi2False, fmi2False);
  if (c == nullptr) return 4;
  function<fmi2SetupExperimentTYPE>(library, "fmi2SetupExperiment")(c, fmi2False, 0, 0, fmi2False, 0);
  function<fmi2EnterInitializationModeTYPE>(library, "fmi2EnterInitializationMode")(c);
  function<fmi2ExitInitializationModeTYPE>(library, "fmi2ExitInitializationMode")(c);
  auto* const set = function<fmi2SetRealTYPE>(library, "fmi2SetReal");
  auto* const step = function<fmi2DoStepTYPE>(library, "fmi2DoStep");
  auto* const get = function<fmi2GetRealTYPE>(library, "fmi2GetReal");

  const fmi2ValueReference inputs[] = {1, 2};
  const fmi2ValueReference outputs[] = {5, 6};
  double u[] = {1, 2};
  double y[] = {0, 0};
  const int steps = std::atoi(argv[3]);
  for (int i = 0; i < steps; ++i) {
    if (set(c, inputs, 2, u) != fmi2OK || step(c, i * 0.01, 0.01, fmi2True) != fmi2OK ||
        get(c, outputs, 2, y) != fmi2OK) {
      return 5;
    }
    u[0] = y[0];
  }
  std::printf("%.17g\n", y[0]);
  function<fmi2FreeInstanceTYPE>(library, "fmi2FreeInstance")(c);
  return 0;
}
