// The inputs of a Model Exchange instance between two communication points. Continuous Float64 inputs follow
// polynomials that are evaluated during the integration. All other variables that may change during the run (discrete
// inputs, continuous inputs of other types, tunable parameters) are held and change in event mode.
//
// Values are stored per value reference; aliases of one reference share an entry. Call order in a step: take() and
// take_derivatives(), external_event_needed(), integrate, end_step().
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "describe/signals.hpp"
#include "fmi/instance.hpp"
#include "unit/me_problem.hpp"

namespace consort::unit {

// Number of elements of a variable; `structural` holds the changed values of structural parameters.
[[nodiscard]] std::uint64_t element_count(const describe::Description& description, const describe::Variable& variable,
                                          const std::map<ValueReference, std::uint64_t>& structural);

class PolynomialInputs final : public MeInputs {
 public:
  static constexpr int highest_order = 3;

  // Both must outlive the inputs.
  PolynomialInputs(fmi::ModelExchange& instance, const describe::Description& description);

  // After initialization: lays out the variables. `structural` holds the changed values of structural parameters.
  void lay_out(const std::map<ValueReference, std::uint64_t>& structural);
  // Takes note of values that were set before lay_out().
  void remember(const describe::SignalSet& signals, Columns& values);
  // Call after lay_out(): reads all values from the instance. If it refuses to tell a value, the value is the
  // remembered one, else that of the description.
  void read_back(Time t);

  // The part that is saved with the unit.
  struct State {
    Time base = 0;                                                      // time at which the polynomials begin
    std::array<std::vector<double>, highest_order + 1> coefficients{};  // by order; one entry per element
    std::vector<double> before{};  // the values that the integration used up to `base`
    std::vector<double> slopes{};  // at the end of the last step
    Columns held{};
    bool held_changed = false;

    template <class Archive>
    void fields(Archive& archive);
  };
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] State& state() { return state_; }
  void restore(const State& state) {
    state_ = state;
    in_event_ = false;
  }

  // Takes new values for the next step. Throws Error (input) for a variable that cannot be set during the run.
  void take(const describe::SignalSet& signals, Columns& values);
  // Takes all input derivatives for the next step; derivatives that are not listed are 0.
  void take_derivatives(std::span<const ValueReference> references, std::span<const std::int32_t> orders,
                        std::span<const double> values);

  // FMI 2.0, 3.1: a discrete input or a parameter that changes, or a continuous input that jumps, is an external event.
  // A change below `rtol` times the value is not a jump; the error control of the solver covers it.
  [[nodiscard]] bool held_changed() const { return state_.held_changed; }
  [[nodiscard]] bool external_event_needed(double rtol) const;
  // How often held values were passed to the instance so far. Not part of the state.
  [[nodiscard]] std::uint64_t held_passed() const { return held_passed_; }
  // From this call until set_all(), the instance gets the previous inputs.
  void begin_event() { in_event_ = true; }

  // The step has reached t; the polynomials end at t.
  void end_step(Time t);

  // --- shifted inputs, for derivatives; a direction has one entry per element

  [[nodiscard]] std::size_t elements() const { return state_.before.size(); }
  // Adds the seeds of these references to a direction. Throws Error (input) if a reference is not a continuous input.
  void add_seed(std::span<const ValueReference> references, std::span<const double> seed,
                std::span<double> direction) const;
  [[nodiscard]] std::span<const double> values() const { return state_.coefficients[0]; }
  // Calls f(variable, first element, number of elements) for every continuous input; for aliases, once per variable.
  template <class F>
  void for_each_continuous(F&& f) const {
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i].way == Way::polynomial) f(description_.variables[i], slots_[i].first, slots_[i].count);
  }
  // Sets the inputs of the instance to the current values, or to those of the last step at t, plus `amount` times the
  // direction.
  void set_present(std::span<const double> direction, double amount);
  void set_in_last_step(Time t, std::span<const double> direction, double amount);

  // --- MeInputs
  void set_continuous(Time t, bool after) override;
  void set_all(Time t) override;
  [[nodiscard]] Time next_event_after(Time) const override { return solve::never; }

 private:
  enum class Way : std::uint8_t { none, polynomial, held };
  struct Slot {
    Way way = Way::none;
    std::uint32_t first = 0;  // index of the first element in the polynomial vectors or in the held column
    std::uint32_t count = 0;
  };
  using Coefficients = std::array<std::vector<double>, highest_order + 1>;
  void add(std::size_t variable, std::uint32_t count);
  [[nodiscard]] const Slot& polynomial(ValueReference reference) const;
  void take_held(const Slot& slot, const describe::SignalSet::Place& from, const Columns& values);
  void evaluate(const Coefficients& coefficients, Duration s);
  void send();
  template <class T>
  void read(std::span<const ValueReference> references, std::span<T> to);

  fmi::ModelExchange& instance_;
  const describe::Description& description_;
  std::vector<Slot> slots_;  // per variable
  std::vector<ValueReference> references_;
  std::vector<Type> held_types_;  // types that occur
  std::array<std::vector<ValueReference>, type_count> held_references_;
  std::map<std::pair<Type, ValueReference>, Value> remembered_;
  State state_;
  bool in_event_ = false;
  std::uint64_t held_passed_ = 0;
  std::vector<double> present_;  // scratch
  Coefficients last_;            // of the last step
  Time last_base_ = 0;
};

template <class Archive>
void PolynomialInputs::State::fields(Archive& archive) {
  archive(base, before, slopes, held_changed);
  for (auto& c : coefficients) archive(c);
  for_each_type([&]<class T>() {
    if constexpr (std::is_same_v<T, Binary>) {
      for (auto& element : held.column<T>()) {
        std::string text(element.begin(), element.end());
        archive(text);
        element.assign(text.begin(), text.end());
      }
    } else if constexpr (std::is_same_v<T, std::string>) {
      for (auto& element : held.column<T>()) archive(element);
    } else {
      archive(held.column<T>());
    }
  });
}

}  // namespace consort::unit
