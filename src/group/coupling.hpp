// Evaluates the continuous connections of a group: u = c(y, w), in the order of the wiring, at the point to which the
// members were moved.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "couple/gather.hpp"
#include "graph/plan.hpp"
#include "group/derivatives.hpp"
#include "group/loop.hpp"
#include "group/member.hpp"
#include "group/wiring.hpp"

namespace consort::group {

class Coupling {
 public:
  // Part of the state of a run.
  struct State {
    std::vector<double> y, u;
    std::vector<double> held;       // outcomes of the relations of formulas
    std::vector<double> overrides;  // by slot of u; NaN: none. Empty if the group has no events of its own
    std::vector<std::vector<double>> loops;

    template <class Archive>
    void fields(Archive& archive) {
      archive(y, u, held, overrides);
      for (auto& loop : loops) archive(loop);
    }
  };

  // All arguments must outlive this object.
  Coupling(const graph::Plan& plan, const Wiring& wiring, std::span<Member> members, MemberDerivatives& derivatives);
  Coupling(const Coupling&) = delete;
  Coupling& operator=(const Coupling&) = delete;

  // Values of the group's inputs, by slot of y.
  [[nodiscard]] std::span<double> externals() { return std::span(state_.y).first(wiring_.externals); }
  [[nodiscard]] std::span<const double> outputs() const { return state_.y; }
  [[nodiscard]] std::span<const double> inputs() const { return state_.u; }
  [[nodiscard]] const State& state() const { return state_; }
  void restore(const State& state);

  // Takes outputs, gives inputs and solves loops. Does not allocate. All members are in a mode in which continuous
  // inputs may be set and outputs be read.
  void operator()(Time t);
  // The same for some members only, by index of the member.
  void some(Time t, std::span<const std::uint8_t> takes_part);

  [[nodiscard]] std::span<const LoopSolver> loops() const { return loops_; }

  // --- formulas

  // The plan's outputs, for operands that change only at events. It must outlive this object.
  void set_outputs(const Columns& outputs) { discrete_ = &outputs; }
  // Relations are evaluated anew at every point, as at events; otherwise they are held.
  void hold_relations(bool hold) { holds_ = hold; }
  // One indicator per relation that is located in continuous time, at the present point.
  [[nodiscard]] std::size_t indicator_count() const { return located_.size(); }
  void indicators(Time t, std::span<double> values);
  // ∂u/∂y by link of the wiring, at the present point.
  [[nodiscard]] std::span<const double> gains(Time t);
  // The outcomes of the conditions' relations follow the present point; for events.
  void refresh_conditions(Time t);
  // Inputs that an event set take this value instead of their source's, until it is released (NaN).
  void override_input(std::uint32_t input, double value);
  // The reason why a formula has no finite value at the present point; empty: all have.
  [[nodiscard]] std::string explain(Time t) const;

 private:
  // A step with what its call needs.
  struct Call {
    Step step;
    const Batch* batch = nullptr;
    fmi::ModelExchange* instance = nullptr;
    bool copies = false;     // of a set: values are taken as they are
    bool evaluates = false;  // of a get: see Member::lags
  };

  void find_calls();
  void find_overrides();
  void solve(std::uint32_t index, Time t);
  void get(const Batch& batch, Time t);
  void set(const Batch& batch);
  void route(const Batch& batch);
  void evaluate_loop(const LoopPart& loop, std::span<const double> u, std::span<double> image);
  [[nodiscard]] bool loop_jacobian(const LoopPart& loop, std::span<double> jacobian);
  [[nodiscard]] double routed(std::uint32_t input) {
    const auto& r = wiring_.routes[input];
    if (!state_.overrides.empty() && !std::isnan(state_.overrides[input])) [[unlikely]]
      return state_.overrides[input];
    if (r.formula != none) [[unlikely]]
      return value_of(wiring_.formulas[r.formula]);
    return r.source == none ? state_.u[input] : r.factor * state_.y[r.source] + r.offset;
  }
  double value_of(const FormulaPart& part);
  void read_operands(const FormulaPart& part, couple::FormulaSlots& slots) const;
  [[nodiscard]] std::span<double> held(const FormulaPart& part) {
    return std::span(state_.held).subspan(part.first_relation, part.formula->program->relations().size());
  }

  const graph::Plan& plan_;
  const Wiring& wiring_;
  std::span<Member> members_;
  MemberDerivatives& derivatives_;
  State state_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> sources_;  // by slot of u
  bool is_overridden_ = false;
  std::vector<LoopSolver> loops_;
  std::vector<std::vector<double>> guesses_;  // by loop
  std::vector<double> column_;                // scratch of a Jacobian
  const Columns* discrete_ = nullptr;
  bool holds_ = false;
  std::vector<std::uint32_t> located_;  // relations of all formulas
  std::vector<double> gains_, relation_values_;
  Time t_ = 0;
};

}  // namespace consort::group
