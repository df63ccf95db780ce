// Steps an exported Co-Simulation FMU from one communication point to the next: solver steps, and events between them.
//
// Part of every exported FMU: uses nothing but the standard library.
#pragma once

#include <cstddef>
#include <vector>

#include "glue/exported.hpp"
#include "model/instance.hpp"

namespace consort::glue {

// Called after each step of the solver. Returns the time of the requested early return, or infinity.
using IntermediateUpdate = double(void* environment, double time);

// An event up to this part of a step after the step's end belongs to the step, since counted times are rounded.
inline constexpr double step_slack = 1e-9;

struct StepRequest {
  double t = 0;
  double h = 0;
  bool stop_at_events = false;    // the importer handles events (event mode of FMI 3.0)
  bool may_return_early = false;  // also at events inside the step
  IntermediateUpdate* intermediate = nullptr;
  void* environment = nullptr;
};

struct StepResult {
  double reached = 0;
  bool event = false;  // the step ended at an event that the importer must handle
  bool early = false;
  bool terminate = false;
};

class Stepper {
 public:
  Stepper(const Exported& exported, model::Instance& instance);

  // Handles the first events after initialization. Call only if the importer does not handle events.
  void start();
  // Stores the current signs of the indicators after events were handled; later sign changes are events.
  void note_signs();
  // Passes exceptions of the model on; time and states are then those of the last accepted solver step.
  StepResult advance(const StepRequest& request) {
    const bool is_plain = request.intermediate == nullptr && nothing_happens(request.t, request.h);
    return is_plain ? plain_step(request.t, request.h) : careful_step(request);
  }
  // For importers without intermediate update, event handling and early return.
  StepResult advance(double t, double h) {
    return nothing_happens(t, h) ? plain_step(t, h) : careful_step({.t = t, .h = h});
  }

  // Sets the order-th derivative of an input for the next step (FMI 1.0 and 2.0); it does not apply after that step.
  void set_input_derivative(const model::Slot& input, int order, double value);

 private:
  [[nodiscard]] bool nothing_happens(double t, double h) const {
    const model::Head& head = instance_.head();
    return is_plain_ && h <= longest_ && !head.has_polynomials && head.next_event > t + h * (1 + step_slack);
  }
  // The common case, optimised for speed.
  StepResult plain_step(double t, double h) {
    instance_.context().time = t;
    try {
      if (exported_.step != nullptr) exported_.step(instance_.model(), instance_.context(), h, work_.data());
      instance_.arrive(t + h);
      if (instance_.definition().completed != nullptr) instance_.completed(h);
    } catch (...) {
      undo_plain_step(t);
      throw;
    }
    return {t + h, false, false, false};
  }
  void undo_plain_step(double t);
  StepResult careful_step(const StepRequest& request);
  StepResult run(const StepRequest& request, double parts);
  bool advance_to(double limit, double length, double communication_step);
  bool step_over(double length);
  double locate_event(double t, double length);
  void go_back(double t);
  bool signs_differ();
  void handle_events();
  void solve(double length);
  void move_inputs(double t);
  void begin_polynomials();

  const Exported& exported_;
  model::Instance& instance_;
  double longest_;  // step of the solver; may be infinite
  bool is_plain_;   // the model has no event indicators
  std::vector<double> work_;
  std::vector<double> before_;  // states at the start of the solver's step
  std::vector<double> indicators_;
  std::vector<double> input_start_;  // of inputs with derivatives
  double input_time_ = 0;
};

}  // namespace consort::glue
