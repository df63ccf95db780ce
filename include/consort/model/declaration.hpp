// The result of a model's describe(): facts about the model and its variables.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "consort/model/variable.hpp"

namespace consort::model {

enum class Method : std::uint8_t { euler, heun, rk4 };

struct Info {
  std::string_view description = "";
  std::string_view version = "1.0";
  double stop_time = 1;    // of the default experiment, which starts at 0
  double step = 1e-2;      // communication step of the default experiment
  double solver_step = 0;  // longest step of the solver in an exported co-simulation FMU; 0: the communication step
  Method method = Method::rk4;
};

template <std::size_t N>
struct Declaration {
  Info info;
  std::array<Variable, N> variables;
};

// `return declare({.description = "…"}, input<&M::u>("N", "…"), state<&M::x, &M::der_x>("m", "…"));`
template <class... Variables>
constexpr Declaration<sizeof...(Variables)> declare(const Info& info, const Variables&... variables) {
  return {info, {variables...}};
}

namespace detail {

template <class M>
inline constexpr auto declaration_of = M::describe();

template <std::size_t N>
constexpr std::size_t count_states(const std::array<Variable, N>& variables) {
  std::size_t n = 0;
  for (const Variable& v : variables) n += v.is_state() ? 1u : 0u;
  return n;
}

// The derivative of a state is a variable, too. The functions that write a description derive its name and unit from
// the state.
constexpr Variable rate_of(const Variable& state) {
  Variable rate = state;
  rate.member = state.rate_member;
  rate.locate = state.locate_rate;
  rate.rate_member = {};
  rate.locate_rate = nullptr;
  rate.is_continuous_state = false;
  rate.causality = Causality::local;
  rate.initial = Initial::calculated;
  rate.description = {};
  rate.display_unit = {};
  rate.quantity = {};
  rate.min = -std::numeric_limits<double>::infinity();
  rate.max = std::numeric_limits<double>::infinity();
  rate.nominal = 0;
  rate.is_rate = true;
  return rate;
}

template <class M>
constexpr auto expand() {
  constexpr auto& declared = declaration_of<M>.variables;
  std::array<Variable, declared.size() + count_states(declared)> all;
  std::size_t n = 0;
  for (const Variable& v : declared) {
    all[n++] = v;
    if (v.is_state()) all[n++] = rate_of(v);
  }
  return all;
}

// All variables of a model: as declared, each state followed by its derivative.
template <class M>
inline constexpr auto variables_of = expand<M>();

}  // namespace detail
}  // namespace consort::model
