// A model's continuous states as one vector; the layout is resolved at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "consort/model/declaration.hpp"

namespace consort::model::detail {

template <class M>
constexpr std::size_t state_variable_count() {
  return count_states(declaration_of<M>.variables);
}

// Indices into variables_of<M> of the states.
template <class M>
constexpr auto find_states() {
  std::array<std::size_t, state_variable_count<M>()> found{};
  std::size_t n = 0;
  for (std::size_t i = 0; i < variables_of<M>.size(); ++i) {
    if (variables_of<M>[i].is_state()) found[n++] = i;
  }
  return found;
}

template <class M>
inline constexpr auto state_indices = find_states<M>();

template <class M>
constexpr bool has_sized_state() {
  for (const std::size_t i : state_indices<M>) {
    if (variables_of<M>[i].sizes.count > 0) return true;
  }
  return false;
}

template <class M>
constexpr std::size_t state_capacity() {
  std::size_t n = 0;
  for (const std::size_t i : state_indices<M>) n += variables_of<M>[i].capacity();
  return n;
}

template <class M>
struct States {
  // False if structural parameters determine the number of states at run time.
  static constexpr bool is_fixed = !has_sized_state<M>();
  static constexpr std::size_t capacity = state_capacity<M>();

  static std::size_t count(const void* model) {
    if constexpr (is_fixed) {
      static_cast<void>(model);
      return capacity;
    } else {
      std::size_t n = 0;
      each([&]<std::size_t I>() { n += elements<I>(model); });
      return n;
    }
  }
  static void read(const void* model, double* to) {
    each([&]<std::size_t I>() {
      const std::size_t n = elements<I>(model);
      std::memcpy(to, variables_of<M>[I].locate(const_cast<void*>(model)), n * sizeof(double));
      to += n;
    });
  }
  static void write(void* model, const double* from) {
    each([&]<std::size_t I>() {
      const std::size_t n = elements<I>(model);
      std::memcpy(variables_of<M>[I].locate(model), from, n * sizeof(double));
      from += n;
    });
  }
  static void read_rates(const void* model, double* to) {
    each([&]<std::size_t I>() {
      const std::size_t n = elements<I>(model);
      std::memcpy(to, variables_of<M>[I].locate_rate(const_cast<void*>(model)), n * sizeof(double));
      to += n;
    });
  }

 private:
  template <class F>
  static void each(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (f.template operator()<state_indices<M>[I]>(), ...); }
    (std::make_index_sequence<state_variable_count<M>()>{});
  }

  // Elements of the I-th variable at the current values of the structural parameters.
  template <std::size_t I>
  static std::size_t elements(const void* model) {
    constexpr const Variable& v = variables_of<M>[I];
    if constexpr (v.sizes.count == 0) {
      static_cast<void>(model);
      return v.capacity();
    } else {
      std::size_t n = 1;
      for (const std::string_view size : v.sizes) n *= size_value(model, size);
      return n;
    }
  }
  static std::size_t size_value(const void* model, std::string_view member) {
    for (const Variable& v : variables_of<M>) {
      if (v.member == member) return *static_cast<const std::uint64_t*>(v.locate(const_cast<void*>(model)));
    }
    return 0;
  }
};

}  // namespace consort::model::detail
