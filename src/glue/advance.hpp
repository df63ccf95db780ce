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
  StepResult advance(const StepRequest& request);

  // The order-th derivative of an input over the next step (FMI 1.0 and 2.0); it ends with that step.
  void set_input_derivative(const model::Slot& input, int order, double value);

 private:
  StepResult run(const StepRequest& request, double parts);
  bool advance_to(double limit, double communication_step);
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
  std::vector<double> work_;
  std::vector<double> before_;  // states at the start of the solver's step
  std::vector<double> indicators_;
  std::vector<double> input_start_;  // of inputs that move
  double input_time_ = 0;
};

}  // namespace consort::glue
