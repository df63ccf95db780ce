// A unit made from lambdas, without a file: for tests and small experiments.
//
//   LambdaUnit unit("gain");
//   const auto u = unit.input("u", 0.0);
//   const auto y = unit.output("y", 0.0);
//   unit.on_step([=](LambdaUnit::Values& v, const StepRequest& r) { v[y] = 2 * v[u]; return completed(r); });
//
// The unit keeps all of its state in its variables (use local variables for internal state), so rollback is exact.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "unit/unit.hpp"

namespace consort::unit {

[[nodiscard]] inline StepOutcome completed(const StepRequest& r) { return {r.t + r.h, Why::completed}; }

class LambdaUnit final : public Unit, public Rollback {
 public:
  // A variable of element type T, as returned by input(), output(), ….
  template <class T>
  struct Handle {
    std::uint32_t index = 0;
  };

  class Values {
   public:
    template <class T>
    T& operator[](Handle<T> h) {
      return columns_.column<T>()[h.index];
    }
    template <class T>
    const T& operator[](Handle<T> h) const {
      return columns_.column<T>()[h.index];
    }

   private:
    friend class LambdaUnit;
    Columns columns_;
  };

  using Step = std::function<StepOutcome(Values&, const StepRequest&)>;

  explicit LambdaUnit(std::string name);

  // Declare all variables before any other call.
  template <class T>
  Handle<T> input(std::string_view name, T start) {
    return declare(name, describe::Causality::input, std::move(start));
  }
  template <class T>
  Handle<T> output(std::string_view name, T start) {
    return declare(name, describe::Causality::output, std::move(start));
  }
  // An output that is declared discrete, as some tools declare all of them.
  template <class T>
  Handle<T> discrete_output(std::string_view name, T start) {
    const auto handle = output(name, std::move(start));
    description_.variables.back().variability = describe::Variability::discrete;
    return handle;
  }
  template <class T>
  Handle<T> parameter(std::string_view name, T start) {
    return declare(name, describe::Causality::parameter, std::move(start));
  }
  template <class T>
  Handle<T> local(std::string_view name, T start) {
    return declare(name, describe::Causality::local, std::move(start));
  }

  void on_step(Step step) { step_ = std::move(step); }
  void on_initialize(std::function<void(Values&)> initialize) { initialize_ = std::move(initialize); }
  void allow_variable_step(bool allow) { variable_step_ = allow; }

  // Unit
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const describe::Description& description() const override;
  [[nodiscard]] bool variable_step() const override { return variable_step_; }
  void enter_initialization(const Experiment& experiment) override;
  void exit_initialization() override;
  void terminate() override {}
  void get(const describe::SignalSet& signals, Columns& values) override;
  void set(const describe::SignalSet& signals, Columns& values) override;
  StepOutcome step(const StepRequest& request) override;
  [[nodiscard]] Rollback* rollback() override { return this; }
  // Rollback
  std::unique_ptr<Snapshot> save(std::unique_ptr<Snapshot> reuse) override;
  void restore(const Snapshot& snapshot) override;
  [[nodiscard]] bool can_serialize() const override { return true; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const Snapshot& snapshot) override;
  [[nodiscard]] std::unique_ptr<Snapshot> deserialize(std::span<const std::uint8_t> bytes) override;

 private:
  template <class T>
  Handle<T> declare(std::string_view name, describe::Causality causality, T start) {
    auto& column = values_.columns_.column<T>();
    const Handle<T> handle{static_cast<std::uint32_t>(column.size())};
    add_variable(name, causality, Value::scalar(start), handle.index);
    column.push_back(std::move(start));
    return handle;
  }
  void add_variable(std::string_view name, describe::Causality causality, Value start, std::uint32_t index);

  std::string name_;
  mutable describe::Description description_;
  mutable bool finished_ = false;
  std::vector<std::uint32_t> places_;  // by variable: index in the column of its type
  Values values_;
  Step step_;
  std::function<void(Values&)> initialize_;
  bool variable_step_ = true;
};

}  // namespace consort::unit
