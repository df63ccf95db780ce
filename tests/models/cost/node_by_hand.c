/* The model Node as a hand-written FMI 2.0 FMU in C, the reference for the cost of the exported one. It checks value
   references and the order of calls and uses the same Runge-Kutta method, but contains nothing else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/headers/fmi2/fmi2Functions.h"

enum { vr_time, vr_u1, vr_u2, vr_x, vr_der_x, vr_y1, vr_y2, vr_a };

typedef struct {
  double time, u1, u2, x, a, stop;
  int stepping;
} Node;

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging) {
  (void)name, (void)guid, (void)resources, (void)functions, (void)visible, (void)logging;
  Node* node = type == fmi2CoSimulation ? calloc(1, sizeof *node) : NULL;
  if (node == NULL) return NULL;
  node->x = node->a = 1;
  node->stop = HUGE_VAL;
  return node;
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
  (void)tolerance_defined, (void)tolerance;
  Node* node = c;
  node->time = start;
  if (stop_defined) node->stop = stop;
  return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c != NULL ? fmi2OK : fmi2Error; }

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  ((Node*)c)->stepping = 1;
  return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[]) {
  Node* node = c;
  if (node == NULL) return fmi2Error;
  for (size_t i = 0; i < nvr; ++i) {
    switch (vr[i]) {
      case vr_u1: node->u1 = value[i]; break;
      case vr_u2: node->u2 = value[i]; break;
      case vr_x:
        if (node->stepping) return fmi2Error;
        node->x = value[i];
        break;
      case vr_a:
        if (node->stepping) return fmi2Error;
        node->a = value[i];
        break;
      default: return fmi2Error;
    }
  }
  return fmi2OK;
}

static double rate(const Node* node, double x) { return node->a * (0.5 * (node->u1 + node->u2) - x); }

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[]) {
  const Node* node = c;
  if (node == NULL) return fmi2Error;
  for (size_t i = 0; i < nvr; ++i) {
    switch (vr[i]) {
      case vr_time: value[i] = node->time; break;
      case vr_u1: value[i] = node->u1; break;
      case vr_u2: value[i] = node->u2; break;
      case vr_x: value[i] = node->x; break;
      case vr_der_x: value[i] = rate(node, node->x); break;
      case vr_y1: value[i] = node->x; break;
      case vr_y2: value[i] = -node->x; break;
      case vr_a: value[i] = node->a; break;
      default: return fmi2Error;
    }
  }
  return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_rollback) {
  (void)no_rollback;
  Node* node = c;
  if (node == NULL || !node->stepping || !(h > 0)) return fmi2Error;
  if (fabs(t - node->time) > 1e-9 * fmax(1, fabs(node->time))) return fmi2Error;
  if (t + h > node->stop + 1e-9 * fmax(1, fabs(node->stop))) return fmi2Error;
  const double x = node->x;
  const double k1 = rate(node, x);
  const double k2 = rate(node, x + h / 2 * k1);
  const double k3 = rate(node, x + h / 2 * k2);
  const double k4 = rate(node, x + h * k3);
  node->x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  node->time = t + h;
  return fmi2OK;
}
