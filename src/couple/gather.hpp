// Copies values along routes from outputs of units to inputs of other units.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
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
  // Routes into `units` for which `take(source unit or no_unit, target unit)` is true.
  template <class Take>
  Gather(const graph::Plan& plan, const Owners& owners, std::span<const graph::UnitId> units, Take&& take) {
    for (const auto u : units) {
      add(plan, u, [&](Type type, std::uint32_t source) { return take(owners.of(type, source), u); });
    }
  }

  // Throws ConversionFailed if a mapping has no entry for a value, or if a number does not fit the input's type.
  void operator()(const Columns& outputs, Columns& inputs) const {
    const double* const from = outputs.column<double>().data();
    double* const to = inputs.column<double>().data();
    for (const auto& copy : reals_) to[copy.input] = from[copy.source];
    for (const auto& s : scalings_) to[s.input] = s.factor * to[s.input] + s.offset;
    if (!others_.empty() || !conversions_.empty()) [[unlikely]]
      gather_others(outputs, inputs);
  }

  // The same for derivatives of one order; only Float64. Offsets do not apply.
  void derivatives(const double* outputs, double* inputs) const {
    for (const auto& copy : reals_) inputs[copy.input] = outputs[copy.source];
    for (const auto& s : scalings_) inputs[s.input] *= s.factor;
  }

  [[nodiscard]] bool empty() const { return reals_.empty() && others_.empty() && conversions_.empty(); }
  struct Copy {
    std::uint32_t input = 0;
    std::uint32_t source = 0;
  };
  [[nodiscard]] std::span<const Copy> reals() const { return reals_; }

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
  void gather_others(const Columns& outputs, Columns& inputs) const;

  struct Other {
    Type type;
    Copy copy;
  };
  std::vector<Copy> reals_;
  std::vector<graph::Scaling> scalings_;
  std::vector<Other> others_;
  std::vector<const graph::Conversion*> conversions_;  // point into the plan
};

// Converts one element; throws ConversionFailed (run) if it does not fit.
void convert(const graph::Conversion& conversion, const Columns& outputs, Columns& inputs);

}  // namespace consort::couple
