// An instance of an FMU under test, with the same functions for both interfaces.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/value.hpp"
#include "describe/signals.hpp"
#include "describe/start_values.hpp"
#include "fmi/fmu.hpp"

namespace consort::analyse {

struct SubjectOptions {
  describe::InterfaceType interface = describe::InterfaceType::co_simulation;
  Duration step = 0;
  describe::StartValues starts{};
};

class Subject {
 public:
  // Only instantiates the FMU. `fmu` and `options` must outlive the object. Errors of the FMU are thrown.
  Subject(const fmi::Fmu& fmu, const SubjectOptions& options, std::string name = "probed");

  // Sets start values, enters and exits initialization mode. Call both once in this order, and again after reset() of
  // the instance.
  void enter_initialization();
  void exit_initialization();
  void start() {
    enter_initialization();
    exit_initialization();
  }

  // Steps from the current time. Co-Simulation: one step; Model Exchange: one explicit Euler step with its events.
  // Throws Error (run) if the step is not completed.
  void step(Duration h);
  void steps(int count) {
    for (int i = 0; i < count; ++i) step(options_.step);
  }
  [[nodiscard]] Time time() const { return time_; }
  void set_back(Time t) { time_ = t; }
  // The same across an event. `next_event`: as it was at t.
  void set_back(Time t, std::optional<Time> next_event) {
    time_ = t;
    next_event_ = next_event;
  }
  // Model Exchange: the next event that it has announced, and the number of events in steps so far.
  [[nodiscard]] std::optional<Time> next_event() const { return next_event_; }
  [[nodiscard]] int events() const { return events_; }

  [[nodiscard]] fmi::Instance& instance() { return *instance_; }
  [[nodiscard]] fmi::CoSimulation* co_simulation() { return cs_; }
  [[nodiscard]] fmi::ModelExchange* model_exchange() { return me_; }

  // Outputs of all types.
  [[nodiscard]] Columns outputs();
  // Scalar discrete outputs and local variables that are numbers; without the locals if the FMU refuses to tell them.
  [[nodiscard]] Columns discrete();
  // Scalar continuous variables of type Float64.
  [[nodiscard]] const std::vector<describe::VariableId>& real_inputs() const { return real_inputs_; }
  [[nodiscard]] const std::vector<describe::VariableId>& real_outputs() const { return real_outputs_; }
  [[nodiscard]] double value(describe::VariableId id);
  void set(describe::VariableId id, double value);
  // Adds `by` to all real inputs.
  void shift_inputs(double by);

 private:
  void handle_events();
  void euler(Duration h);

  const describe::Description& description_;
  const SubjectOptions& options_;
  std::unique_ptr<fmi::Instance> instance_;
  fmi::CoSimulation* cs_ = nullptr;
  fmi::ModelExchange* me_ = nullptr;
  describe::SignalSet outputs_, discrete_;
  bool has_tried_discrete_ = false;
  std::vector<describe::VariableId> real_inputs_, real_outputs_;
  Time time_ = 0;
  std::optional<Time> next_event_;
  int events_ = 0;
};

// The largest difference of numbers, relative to max(1, |value|); infinite if texts or Booleans differ. NaN equals NaN.
[[nodiscard]] double difference(const Columns& a, const Columns& b);

}  // namespace consort::analyse
