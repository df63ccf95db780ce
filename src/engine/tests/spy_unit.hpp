// A LambdaUnit that records its calls, and can have capabilities that lambdas lack: slopes and event mode.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "unit/lambda_unit.hpp"

namespace consort::engine {

class SpyUnit final : public unit::Unit, public unit::Events {
 public:
  explicit SpyUnit(std::string name = "spy") : lambdas(std::move(name)) {}

  unit::LambdaUnit lambdas;
  bool takes_slopes = false;
  bool has_events = false;
  bool can_roll_back = true;
  unit::Rollback* other_rollback = nullptr;  // replaces that of the lambdas
  unit::StepDerivatives* differentiates = nullptr;
  bool rejects_cleanly = false;
  std::vector<unit::EventOutcome> event_answers;  // in order; then the last one is repeated, or "done"

  // Calls in order: "init", "set u=1", "slope 0=2", "step", "enter event", "update", "leave event", "terminate"
  std::vector<std::string> calls;
  std::vector<unit::StepRequest> steps;
  unit::Experiment experiment;

  [[nodiscard]] const std::string& name() const override { return lambdas.name(); }
  [[nodiscard]] const describe::Description& description() const override { return lambdas.description(); }
  [[nodiscard]] bool variable_step() const override { return lambdas.variable_step(); }
  [[nodiscard]] unit::StepDerivatives* step_derivatives() override { return differentiates; }
  void enter_initialization(const unit::Experiment& e) override {
    experiment = e;
    calls.emplace_back("init");
    lambdas.enter_initialization(e);
  }
  void exit_initialization() override { lambdas.exit_initialization(); }
  void terminate() override { calls.emplace_back("terminate"); }
  void get(const describe::SignalSet& signals, Columns& values) override { lambdas.get(signals, values); }
  void set(const describe::SignalSet& signals, Columns& values) override {
    for (std::size_t i = 0; i < signals.choice().size(); ++i) {
      const auto place = signals.place(i);
      std::string text = "set " + std::string(description()[signals.choice()[i]].name) + "=";
      with_type(place.type, [&]<class T>() { append_element(text, values.column<T>()[place.first]); });
      calls.push_back(std::move(text));
    }
    lambdas.set(signals, values);
  }
  [[nodiscard]] int input_order() const override { return takes_slopes ? 1 : 0; }
  void set_input_derivatives(std::span<const ValueReference> inputs, std::span<const std::int32_t> orders,
                             std::span<const double> values) override {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::string text = orders[i] == 1 ? "slope " : "derivative ";
      text += std::to_string(inputs[i]) + "=";
      append_element(text, values[i]);
      calls.push_back(std::move(text));
    }
  }
  unit::StepOutcome step(const unit::StepRequest& request) override {
    calls.emplace_back("step");
    steps.push_back(request);
    return lambdas.step(request);
  }
  [[nodiscard]] bool can_reject_steps() const override { return rejects_cleanly; }
  [[nodiscard]] unit::Rollback* rollback() override {
    if (other_rollback != nullptr) return other_rollback;
    return can_roll_back ? lambdas.rollback() : nullptr;
  }

  [[nodiscard]] unit::Events* events() override { return has_events ? this : nullptr; }
  void enter_event_mode() override { calls.emplace_back("enter event"); }
  unit::EventOutcome update() override {
    calls.emplace_back("update");
    if (event_answers.empty()) return {};
    const auto answer = event_answers.front();
    if (event_answers.size() > 1) event_answers.erase(event_answers.begin());
    return answer;
  }
  void leave_event_mode() override { calls.emplace_back("leave event"); }
};

}  // namespace consort::engine
