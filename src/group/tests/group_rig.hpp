// Groups of native models for tests: a system of names, its model, and an instance of it.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "group/instance.hpp"
#include "group/make_group.hpp"
#include "model/describe_model.hpp"
#include "unit/me_problem.hpp"
#include "unit/native_instance.hpp"

namespace consort::group {

class GroupRig {
 public:
  // Adds a unit of a native model.
  template <class M>
  graph::Component& add(const std::string& name) {
    const std::string source = "model:" + name;
    describe_[source] = std::make_unique<describe::Description>(model::describe_model(model::definition_of<M>, name));
    make_[name] = [](std::string instance) -> std::unique_ptr<fmi::ModelExchange> {
      return std::make_unique<unit::NativeInstance>(model::definition_of<M>, "M",
                                                    unit::NativeOptions{.name = std::move(instance)});
    };
    return system.add(name, source);
  }
  // Adds the input `name` of the group.
  void input(const std::string& name) { system.connectors.push_back({name, describe::Causality::input}); }

  [[nodiscard]] graph::Catalogue catalogue() const {
    return
        [this](const graph::Component& c) -> const describe::Description& { return *describe_.at(c.source.string()); };
  }
  std::shared_ptr<const Model> compile() {
    model = make_model(system, catalogue());
    return model;
  }
  [[nodiscard]] std::vector<std::unique_ptr<fmi::ModelExchange>> members(const std::string& group = "group") const {
    std::vector<std::unique_ptr<fmi::ModelExchange>> all;
    for (const auto& unit : model->plan.units) all.push_back(make_.at(unit.name)(group + "." + unit.name));
    return all;
  }
  std::unique_ptr<GroupInstance> instance() {
    if (!model) compile();
    return std::make_unique<GroupInstance>(model, "group", members());
  }
  // A unit, initialised.
  std::unique_ptr<unit::Unit> unit(const std::string& solver = "bdf", double tolerance = 1e-8) {
    if (!model) compile();
    fleet::UnitSpec spec;
    spec.name = "group";
    spec.solver = solver;
    spec.tolerance = tolerance;
    auto made = make_group(model, spec, members());
    made->enter_initialization({0, {}, tolerance});
    made->exit_initialization();
    return made;
  }

  graph::System system{"group"};
  std::shared_ptr<const Model> model;

 private:
  std::map<std::string, std::unique_ptr<describe::Description>> describe_;
  std::map<std::string, std::function<std::unique_ptr<fmi::ModelExchange>(std::string)>> make_;
};

inline describe::SignalSet signal(const unit::Unit& unit, const std::string& name) {
  const auto id = unit.description().require_variable(name);
  return {unit.description(), std::span(&id, 1)};
}

template <class T = double>
T value(unit::Unit& unit, const std::string& name) {
  const auto set = signal(unit, name);
  Columns columns = set.make_columns();
  unit.get(set, columns);
  return columns.column<T>().at(0);
}

template <class T = double>
void set_value(unit::Unit& unit, const std::string& name, T value) {
  const auto set = signal(unit, name);
  Columns columns = set.make_columns();
  columns.column<T>().at(0) = value;
  unit.set(set, columns);
}

// The text of the error, or "accepted".
inline std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

inline void run(unit::Unit& unit, Time from, Time to, Duration h = 0.01) {
  const auto steps = std::llround((to - from) / h);
  for (std::int64_t i = 0; i < steps; ++i) static_cast<void>(unit.step({from + static_cast<double>(i) * h, h}));
}

}  // namespace consort::group
