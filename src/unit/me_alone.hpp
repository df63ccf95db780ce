// A Model Exchange instance with a solver that runs alone, as a unit of steps as long as the caller wants, for example
// of the whole run.
//
// The solver takes steps of its own size. Inside a step, the unit stops for its listener at every time of a grid, with
// values from the solver's dense output, so that their number has no influence on the solution and a row costs no more
// than reading it. In return, nothing drives the unit from outside while it runs: inputs are functions of time
// (follow()), and it cannot go back.
//
// A step ends before every event, also of inputs (Why::event); Events::update() handles all of it at once. Stopped
// early by `cancel`, a step ends with Why::terminate.
//
// MeUnit is the unit for systems: its inputs are known for one step, and it goes back.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmi/instance.hpp"
#include "solve/integrate.hpp"
#include "solve/solver.hpp"
#include "unit/me_problem.hpp"
#include "unit/unit.hpp"

namespace consort::unit {

struct MeAloneOptions {
  std::string solver = "cvode";  // by name
  solve::SolverOptions solver_options{};
  Time stop = solve::never;  // a step that ends there up to rounding ends there exactly
  Duration interval = 0;     // of the grid, which begins at the start of the run; 0: no grid
  std::function<void(const solve::EventRecord&)> on_event{};  // after each event
  std::function<void(const solve::Progress&)> progress{};     // after each step of the solver
  const std::atomic<bool>* cancel = nullptr;                  // checked before each of them; null: never
};

class MeAlone final : public Unit, public Rollback, public Events {
 public:
  // A fresh instance. Throws Error (input) for an unknown solver. The description must outlive the unit.
  MeAlone(std::unique_ptr<fmi::ModelExchange> instance, const describe::Description& description,
          MeAloneOptions options);
  // The inputs of the instance from exit_initialization() on; they set it with set(). Call it before. Must outlive the
  // unit.
  void follow(MeInputs& inputs) { inputs_ = &inputs; }
  // Called at each time of the grid inside of a step, except at events; get() returns the values there. Empty: nothing.
  void listen(std::function<void(Time)> on_row) { on_row_ = std::move(on_row); }
  [[nodiscard]] solve::RunReport report() const;

  [[nodiscard]] const std::string& name() const override { return instance_->name(); }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return true; }
  [[nodiscard]] bool responds_without_step() const override { return true; }
  [[nodiscard]] bool handles_events_inside() const override { return true; }

  void enter_initialization(const Experiment& e) override;
  void exit_initialization() override;
  void terminate() override { instance_->terminate(); }
  bool configure(const describe::SignalSet& signals, Columns& values) override;
  [[nodiscard]] bool reset() override;

  void get(const describe::SignalSet& signals, Columns& values) override { get_part(signals, values, {}); }
  void get_part(const describe::SignalSet& signals, Columns& values, const describe::Offsets& at) override;
  // Reads the instance as it is.
  [[nodiscard]] std::string try_get(const describe::SignalSet& signals, Columns& values) override;
  // Sets the instance at once: before and in initialization mode, and for MeInputs.
  void set(const describe::SignalSet& signals, Columns& values) override;
  StepOutcome step(const StepRequest& r) override;

  // Only to save the state at the end of a run, and to start from it instead of initialization. Null if the instance
  // cannot serialise its state.
  [[nodiscard]] Rollback* rollback() override;
  std::unique_ptr<Snapshot> save(std::unique_ptr<Snapshot> reuse) override;
  void restore(const Snapshot& snapshot) override;
  [[nodiscard]] bool can_serialize() const override { return true; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const Snapshot& snapshot) override;
  [[nodiscard]] std::unique_ptr<Snapshot> deserialize(std::span<const std::uint8_t> bytes) override;

  [[nodiscard]] Events* events() override { return this; }
  void enter_event_mode() override;
  EventOutcome update() override;
  void leave_event_mode() override {}

 private:
  void make_problem();
  void start_solver();
  solve::RunEnd integrate();
  void finish_step();
  void read_state(const std::vector<std::uint8_t>& bytes);
  [[nodiscard]] solve::ConstVector states() const {
    return integration_ ? integration_->state() : solve::ConstVector(problem_->ode().y0);
  }

  const describe::Description& description_;
  MeAloneOptions options_;
  std::unique_ptr<fmi::ModelExchange> instance_;
  MeInputs* inputs_ = nullptr;
  std::function<void(Time)> on_row_;
  std::optional<MeProblem> problem_;       // from the end of initialization on
  std::unique_ptr<solve::Solver> solver_;  // from the first step on
  std::optional<solve::Integration> integration_;
  Time t_ = 0;
  Time end_ = 0;        // requested of the last step
  Duration near_ = 0;   // times nearer to the end of that step are the end
  bool stale_ = false;  // the instance is at another point
  bool at_event_ = false;
};

}  // namespace consort::unit
