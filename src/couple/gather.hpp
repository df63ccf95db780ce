// Copies values along routes from outputs of units to inputs of other units.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "graph/plan.hpp"

namespace consort::couple {

// A value does not fit its input. A caller that knows the time adds it to the error.
class ConversionFailed : public Error {
 public:
  using Error::Error;
};

// Routes into some inputs, from one set of outputs (present ones, or those before the step).
class Gather {
 public:
  // Maps an element of the outputs to its unit; no_unit for external signals.
  class Owners {
   public:
    explicit Owners(const graph::Plan& plan);
    [[nodiscard]] graph::UnitId of(Type type, std::uint32_t source) const {
      return owners_[static_cast<std::size_t>(type)][source];
    }

   private:
    std::array<std::vector<graph::UnitId>, type_count> owners_;
  };

  Gather() = default;
  // Routes into `units` for which `take(source unit or no_unit, target unit)` is true. Formulas are taken if that is
  // true for all of their operands, or, with `by_any`, for one of them.
  template <class Take>
  Gather(const graph::Plan& plan, const Owners& owners, std::span<const graph::UnitId> units, Take&& take,
         bool by_any = false) {
    for (const auto u : units) {
      add(plan, u, [&](Type type, std::uint32_t source) { return take(owners.of(type, source), u); });
      for (const auto& f : plan.formulas)
        if (f.unit == u) add(f, by_any, [&](const graph::Formula::Operand& o) { return take(o.unit, u); });
    }
  }

  // `t`: the present time, for formulas. Throws ConversionFailed if a mapping has no entry for a value, if a number
  // does not fit the input's type, or if a formula has no finite value.
  void operator()(const Columns& outputs, Columns& inputs, Time t) const {
    const double* const from = outputs.column<double>().data();
    double* const to = inputs.column<double>().data();
    for (const auto& copy : reals_) to[copy.input] = from[copy.source];
    for (const auto& s : scalings_) to[s.input] = s.factor * to[s.input] + s.offset;
    if (!others_.empty() || !conversions_.empty() || !formulas_.empty()) [[unlikely]]
      gather_others(outputs, inputs, t);
  }

  // The same for the first derivatives with respect to time of Float64 values, or, without formulas, those of a higher
  // order. `values`: the outputs themselves.
  void derivatives(const Columns& values, const double* outputs, double* inputs, Time t, int order) const {
    for (const auto& copy : reals_) inputs[copy.input] = outputs[copy.source];
    for (const auto& s : scalings_) inputs[s.input] *= s.factor;
    if (!formulas_.empty()) [[unlikely]]
      differentiate_formulas(values, outputs, inputs, t, order);
  }

  [[nodiscard]] bool empty() const {
    return reals_.empty() && others_.empty() && conversions_.empty() && formulas_.empty();
  }
  // The Float64 inputs that are written.
  [[nodiscard]] std::span<const std::uint32_t> real_inputs() const { return real_inputs_; }

 private:
  template <class Accept>
  void add(const graph::Plan& plan, graph::UnitId unit, Accept&& accept) {
    const auto& u = plan.units[unit];
    for (const auto& group : u.inputs.groups()) {
      const auto type = static_cast<std::size_t>(group.type);
      for (std::uint32_t e = 0; e < group.elements(); ++e) {
        const auto input = u.first_input[type] + e;
        const auto source = plan.sources[type][input];
        if (source == graph::no_source || !accept(group.type, source)) continue;
        if (group.type != Type::Float64) {
          others_.push_back({group.type, {input, source}});
          continue;
        }
        reals_.push_back({input, source});
        real_inputs_.push_back(input);
        add_scaling(plan, input);
      }
    }
    add_conversions(plan, unit, accept);
  }
  void add_scaling(const graph::Plan& plan, std::uint32_t input);
  template <class Accept>
  void add_conversions(const graph::Plan& plan, graph::UnitId unit, Accept&& accept) {
    for (const auto& c : conversions_of(plan, unit))
      if (accept(c.from, c.source)) conversions_.push_back(&c);
  }
  static std::span<const graph::Conversion> conversions_of(const graph::Plan& plan, graph::UnitId unit);
  template <class Accept>
  void add(const graph::Formula& f, bool by_any, Accept&& accept) {
    const auto accepted = std::count_if(f.operands.begin(), f.operands.end(), accept);
    if (by_any ? accepted == 0 : static_cast<std::size_t>(accepted) != f.operands.size()) return;
    formulas_.push_back(&f);
    if (f.to == Type::Float64) real_inputs_.push_back(f.input);
  }
  void gather_others(const Columns& outputs, Columns& inputs, Time t) const;
  void differentiate_formulas(const Columns& values, const double* outputs, double* inputs, Time t, int order) const;

  struct Copy {
    std::uint32_t input = 0;
    std::uint32_t source = 0;
  };
  struct Other {
    Type type;
    Copy copy;
  };
  std::vector<Copy> reals_;
  std::vector<graph::Scaling> scalings_;
  std::vector<Other> others_;
  std::vector<const graph::Conversion*> conversions_;  // point into the plan
  std::vector<const graph::Formula*> formulas_;        // likewise
  std::vector<std::uint32_t> real_inputs_;
};

// Converts one element; throws ConversionFailed (run) if it does not fit.
void convert(const graph::Conversion& conversion, const Columns& outputs, Columns& inputs);

// The values that a formula reads, by slot of its program.
using FormulaSlots = std::array<double, graph::Formula::most_operands>;
void read_operands(const graph::Formula& formula, const Columns& outputs, FormulaSlots& slots);
// Stores the value of a formula as an element of this type. Throws ConversionFailed (run) if it does not fit.
void put_number(const graph::Formula& formula, double value, Type type, std::uint32_t element, Columns& columns);
// An element as a number; 0 if its type has none.
[[nodiscard]] double number_at(const Columns& columns, Type type, std::uint32_t element);
[[nodiscard]] double value_of(const graph::Formula& formula, const Columns& outputs, Time t);
// Throws ConversionFailed (run) with the reason if the value is not finite.
[[nodiscard]] double evaluate(const graph::Formula& formula, const Columns& outputs, Time t);

}  // namespace consort::couple
