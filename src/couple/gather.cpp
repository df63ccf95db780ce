#include "couple/gather.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace consort::couple {

using graph::Conversion;

namespace {

template <class T>
constexpr bool numeric = std::is_arithmetic_v<T> || std::is_same_v<T, Bool> || std::is_same_v<T, EnumValue>;

template <class T>
double number(const T& element) {
  if constexpr (std::is_same_v<T, Bool>) {
    return element.value ? 1.0 : 0.0;
  } else if constexpr (std::is_same_v<T, EnumValue>) {
    return static_cast<double>(element.value);
  } else {
    return static_cast<double>(element);
  }
}

template <class... Args>
ConversionFailed failed(fmt::format_string<Args...> text, Args&&... args) {
  return {Fault::run, fmt::format(text, std::forward<Args>(args)...)};
}

template <class T>
ConversionFailed misfit(const Conversion& c, T value) {
  return failed(
      "the connection {}: the value {} does not fit into an input of type {}; scale it with a transformation, or check "
      "why the output is so large",
      c.connection, value, name_of(c.to));
}

template <class T>
T rounded(double x, const Conversion& c) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else if constexpr (std::is_same_v<T, Bool>) {
    return Bool(x != 0.0);
  } else {
    using Integer = std::conditional_t<std::is_same_v<T, EnumValue>, std::int64_t, T>;
    const double r = std::nearbyint(x);
    constexpr auto low = static_cast<double>(std::numeric_limits<Integer>::min());
    const double high = std::ldexp(1.0, std::numeric_limits<Integer>::digits);  // the largest value plus 1
    if (!(r >= low && r < high)) throw misfit(c, x);
    return T(static_cast<Integer>(r));
  }
}

// Without scaling, integers keep all digits.
template <class From, class To>
To integer_of(const From& from, const Conversion& c) {
  const auto value = [&] {
    if constexpr (std::is_same_v<From, EnumValue>) {
      return from.value;
    } else {
      return from;
    }
  }();
  using Integer = std::conditional_t<std::is_same_v<To, EnumValue>, std::int64_t, To>;
  if (!std::in_range<Integer>(value)) throw misfit(c, value);
  return To(static_cast<Integer>(value));
}

template <class T>
constexpr bool integer = (std::is_integral_v<T> && !std::is_same_v<T, bool>) || std::is_same_v<T, EnumValue>;

template <class T>
bool equal(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, EnumValue> || std::is_base_of_v<Bool, T>) {
    return a.value == b.value;
  } else {
    return a == b;
  }
}

// Returns false if the mapping leaves the value unchanged.
template <class From, class To>
bool map(const Conversion& c, const From& from, To& to) {
  for (const std::pair<Value, Value>& entry : c.mapping) {
    if (!equal(entry.first.elements<From>().front(), from)) continue;
    to = entry.second.elements<To>().front();
    return true;
  }
  if (c.partial) return false;
  std::string text;
  append_element(text, from);
  throw failed("the connection {}: its mapping has no entry for the value {}; add one", c.connection, text);
}

}  // namespace

void convert(const Conversion& c, const Columns& outputs, Columns& inputs) {
  with_type(c.from, [&]<class From>() {
    with_type(c.to, [&]<class To>() {
      const From& from = outputs.column<From>()[c.source];
      To& to = inputs.column<To>()[c.input];
      if (!c.mapping.empty() && map(c, from, to)) return;
      if constexpr (std::is_same_v<From, To>) {
        if (c.factor == 1.0 && c.offset == 0.0) {
          to = from;
          return;
        }
      }
      if constexpr (integer<From> && integer<To>) {
        if (c.factor == 1.0 && c.offset == 0.0) {
          to = integer_of<From, To>(from, c);
          return;
        }
      }
      if constexpr (numeric<From> && numeric<To>) {
        to = rounded<To>(c.factor * number(from) + c.offset, c);
      } else {
        CONSORT_ASSERT(false);  // compile() rejects such routes
      }
    });
  });
}

Gather::Owners::Owners(const graph::Plan& plan) {
  for (std::size_t t = 0; t < type_count; ++t) owners_[t].assign(plan.output_count[t], graph::no_unit);
  for (graph::UnitId u = 0; u < plan.units.size(); ++u) {
    for (const auto& group : plan.units[u].outputs.groups()) {
      const auto t = static_cast<std::size_t>(group.type);
      std::fill_n(owners_[t].begin() + plan.units[u].first_output[t], group.elements(), u);
    }
  }
}

void Gather::add_scaling(const graph::Plan& plan, std::uint32_t input) {
  const auto scaling = plan.scaling_of(input);
  if (scaling.factor != 1 || scaling.offset != 0) scalings_.push_back(scaling);
}

std::span<const Conversion> Gather::conversions_of(const graph::Plan& plan, graph::UnitId unit) {
  struct ByUnit {
    bool operator()(const Conversion& c, graph::UnitId u) const { return c.unit < u; }
    bool operator()(graph::UnitId u, const Conversion& c) const { return u < c.unit; }
  };
  const auto [begin, end] = std::equal_range(plan.conversions.begin(), plan.conversions.end(), unit, ByUnit{});
  return {begin, end};
}

void Gather::gather_others(const Columns& outputs, Columns& inputs, Time t) const {
  for (const auto& other : others_) {
    with_type(other.type,
              [&]<class T>() { inputs.column<T>()[other.copy.input] = outputs.column<T>()[other.copy.source]; });
  }
  for (const auto* c : conversions_) convert(*c, outputs, inputs);
  for (const auto* f : formulas_) {
    const double value = evaluate(*f, outputs, t);
    if (f->to == Type::Float64)
      inputs.column<double>()[f->input] = value;
    else
      put_number(*f, value, f->to, f->input, inputs);
  }
}

void put_number(const graph::Formula& f, double value, Type type, std::uint32_t element, Columns& columns) {
  Conversion c;
  c.to = type;
  c.connection = f.text;
  with_type(type, [&]<class T>() {
    if constexpr (numeric<T>) columns.column<T>()[element] = rounded<T>(value, c);
  });
}

double number_at(const Columns& columns, Type type, std::uint32_t element) {
  if (type == Type::Float64) [[likely]]
    return columns.column<double>()[element];
  return with_type(type, [&]<class T>() -> double {
    if constexpr (numeric<T>)
      return number(columns.column<T>()[element]);
    else
      return 0;
  });
}

void read_operands(const graph::Formula& formula, const Columns& outputs, FormulaSlots& slots) {
  for (std::size_t i = 0; i < formula.operands.size(); ++i) {
    const auto& o = formula.operands[i];
    slots[i] = o.factor * number_at(outputs, o.type, o.source) + o.offset;
  }
}

double value_of(const graph::Formula& f, const Columns& outputs, Time t) {
  FormulaSlots slots;
  read_operands(f, outputs, slots);
  return f.factor * f.program->evaluate(slots, t) + f.offset;
}

double evaluate(const graph::Formula& f, const Columns& outputs, Time t) {
  const double value = value_of(f, outputs, t);
  if (std::isfinite(value)) [[likely]]
    return value;
  FormulaSlots slots;
  read_operands(f, outputs, slots);
  throw failed("{} has no value at t = {} s: {}", f.text, t, f.program->explain(slots, t));
}

void Gather::differentiate_formulas(const Columns& values, const double* outputs, double* inputs, Time t,
                                    int order) const {
  CONSORT_ASSERT(order == 1);
  for (const auto* f : formulas_) {
    if (f->to != Type::Float64) continue;
    FormulaSlots slots, gradient;
    read_operands(*f, values, slots);
    double value = 0, sum = 0;
    const auto used = f->program->operands();
    f->program->gradient(slots, t, value, std::span(gradient).first(used.size()), sum);
    for (std::size_t k = 0; k < used.size(); ++k) {
      const auto& o = f->operands[used[k].slot];
      if (o.type == Type::Float64) sum += gradient[k] * o.factor * outputs[o.source];
    }
    inputs[f->input] = f->factor * sum;
  }
}

}  // namespace consort::couple
