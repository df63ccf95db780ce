// The test models in every form, for the conformance suite: FMUs of all versions and the native model.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../../../models/bouncing_ball.hpp"
#include "../../../models/one_mass.hpp"
#include "../../../models/stair.hpp"
#include "../../../models/van_der_pol.hpp"
#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "unit/me_unit.hpp"
#include "unit/model_unit.hpp"

namespace consort::unit {

// A unit with functions that tests use often.
struct Adapted {
  std::unique_ptr<fmi::Fmu> fmu;  // null for native models
  std::unique_ptr<Unit> unit;

  void initialize(Time start = 0, double tolerance = 1e-8) const {
    unit->enter_initialization({start, {}, tolerance});
    unit->exit_initialization();
  }
  [[nodiscard]] describe::SignalSet signals(std::initializer_list<const char*> names) const {
    std::vector<describe::VariableId> choice;
    for (const auto* const name : names) choice.push_back(unit->description().require_variable(name));
    return {unit->description(), choice};
  }
  [[nodiscard]] ValueReference reference(const char* name) const {
    return unit->description()[unit->description().require_variable(name)].reference;
  }
  template <class T = double>
  [[nodiscard]] T value(const char* name) const {
    const auto set = signals({name});
    Columns values = set.make_columns();
    unit->get(set, values);
    return values.column<T>().at(0);
  }
  template <class T = double>
  void set_value(const char* name, T value) const {
    const auto set = signals({name});
    Columns values = set.make_columns();
    values.column<T>().at(0) = value;
    unit->set(set, values);
  }
  void set_derivatives(const char* name, const std::vector<double>& derivatives) const {
    const std::vector<ValueReference> references(derivatives.size(), reference(name));
    std::vector<std::int32_t> orders;
    for (std::size_t k = 1; k <= derivatives.size(); ++k) orders.push_back(static_cast<std::int32_t>(k));
    unit->set_input_derivatives(references, orders, derivatives);
  }
};

inline Adapted adapt_fmu(const std::string& file, MeUnitOptions options = {}) {
  Adapted result;
  result.fmu = std::make_unique<fmi::Fmu>(fmi::Fmu::open(std::filesystem::path(places::fmus()) / file));
  result.unit = make_me_unit(*result.fmu, {.name = "adapted"}, std::move(options));
  return result;
}

template <class M>
Adapted adapt_model(std::string_view name, MeUnitOptions options = {}) {
  return {nullptr, make_model_unit<M>(name, {.name = "adapted"}, std::move(options))};
}

// `shape`: "fmi1/me", "fmi2", "fmi3" or "native".
template <class M>
Adapted adapt(const std::string& shape, const std::string& model, MeUnitOptions options = {}) {
  if (shape == "native") return adapt_model<M>(model, std::move(options));
  return adapt_fmu(shape + "/" + model + ".fmu", std::move(options));
}

}  // namespace consort::unit
