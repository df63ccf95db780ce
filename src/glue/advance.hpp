// How an exported Co-Simulation FMU gets from one communication point to the next: solver steps, events on the way.
//
// Part of every exported FMU: uses nothing but the standard library.
#pragma once

#include <cstddef>
#include <vector>

#include "glue/exported.hpp"
#include "model/instance.hpp"

namespace consort::glue {

// Called after each step of the solver. Returns the time at which the importer wants to go back early, or infinity.
using IntermediateUpdate = double(void* environment, double time);

// An event this much (of a step) after the end of a step belongs to it: counted times are rounded.
inline constexpr double step_slack = 1e-9;

struct StepRequest {
  double t = 0;
  double h = 0;
  bool stop_at_events = false;    // the importer handles events (event mode of FMI 3.0) …
  bool may_return_early = false;  // … also inside the step
  IntermediateUpdate* intermediate = nullptr;
  void* environment = nullptr;
};

struct StepResult {
  double reached = 0;
  bool event = false;  // it stands at an event that the importer has to handle
  bool early = false;
  bool terminate = false;
};

class Stepper {
 public:
  Stepper(const Exported& exported, model::Instance& instance);

  // The first events, after initialization; only for who does not handle events.
  void start();
  // The events are handled: where the indicators are now is where they count from.
  void note_signs();
  // Throws what the model throws; time and states are then those of the last good step of the solver.
  StepResult advance(const StepRequest& request) {
    const bool is_plain = request.intermediate == nullptr && nothing_happens(request.t, request.h);
    return is_plain ? plain_step(request.t, request.h) : careful_step(request);
  }
  // For importers that have no wishes.
  StepResult advance(double t, double h) {
    return nothing_happens(t, h) ? plain_step(t, h) : careful_step({.t = t, .h = h});
  }

  // The order-th derivative of an input over the next step (FMI 1.0 and 2.0); it ends with that step.
  void set_input_derivative(const model::Slot& input, int order, double value);

 private:
  [[nodiscard]] bool nothing_happens(double t, double h) const {
    const model::Head& head = instance_.head();
    return is_plain_ && h <= longest_ && !head.has_polynomials && head.next_event > t + h * (1 + step_slack);
  }
  // The common case, and the one whose cost counts.
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
  std::vector<double> input_start_;  // of inputs that move
  double input_time_ = 0;
};

}  // namespace consort::glue
