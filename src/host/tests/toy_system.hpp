// A system of units made of lambdas, connected at random, and the loop that steps it: what the tests of fleets run.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "unit/fleet.hpp"
#include "unit/lambda_unit.hpp"

namespace consort::host {

class ToySystem {
 public:
  using Unit = unit::LambdaUnit;

  // Connects what add() gave it. Every unit needs at least one Float64 output.
  void finish(std::uint32_t seed, std::uint32_t substeps_of_odd_units = 1) {
    for (std::uint32_t u = 0; u < units.size(); ++u) {
      const auto& d = units[u]->description();
      std::vector<describe::VariableId> in;
      std::vector<describe::VariableId> out;
      for (describe::VariableId v = 0; v < d.variables.size(); ++v) {
        if (d[v].causality == describe::Causality::input) in.push_back(v);
        if (d[v].causality == describe::Causality::output) out.push_back(v);
      }
      unit::Ports p;
      p.inputs = &sets_.emplace_back(d, in);
      p.outputs = &sets_.emplace_back(d, out);
      p.substeps = u % 2 == 1 ? substeps_of_odd_units : 1;
      p.first_input = make_room(*p.inputs, signals.inputs);
      p.first_output = make_room(*p.outputs, signals.outputs);
      ports.push_back(p);
      all.push_back(u);
    }
    signals.next_event.assign(units.size(), unit::never);
    std::mt19937 random(seed);
    const auto outputs = static_cast<std::uint32_t>(signals.outputs.column<double>().size());
    for (std::size_t i = 0; i < signals.inputs.column<double>().size(); ++i)
      routes_.push_back(static_cast<std::uint32_t>(random() % outputs));
  }

  Unit& add(std::string name) {
    auto unit = std::make_unique<Unit>(std::move(name));
    Unit& added = *unit;
    units.push_back(std::move(unit));
    return added;
  }

  // Units of one to four inputs and outputs, with states, that take turns in being cheap and dear.
  static std::unique_ptr<ToySystem> random(std::uint32_t seed, std::uint32_t count, std::uint32_t substeps = 1,
                                           int work = 40) {
    auto system = std::make_unique<ToySystem>();
    std::mt19937 random(seed);
    for (std::uint32_t u = 0; u < count; ++u) {
      Unit& unit = system->add("unit" + std::to_string(u));
      std::vector<Unit::Handle<double>> in;
      std::vector<Unit::Handle<double>> out;
      for (auto i = random() % 4 + 1; i > 0; --i) in.push_back(unit.input("u" + std::to_string(i), 0.0));
      for (auto i = random() % 4 + 1; i > 0; --i) out.push_back(unit.output("y" + std::to_string(i), 0.0));
      const auto steps = unit.output("steps", std::int32_t{0});
      const auto text = unit.output("text", std::string("a"));
      const auto x = unit.local("x", 0.1 * (u + 1));
      const int turns = static_cast<int>(random() % static_cast<unsigned>(work)) + 1;
      unit.on_step([=](Unit::Values& v, const unit::StepRequest& r) {
        double sum = 0;
        for (const auto i : in) sum += v[i];
        for (int i = 0; i < turns; ++i) v[x] += r.h * std::sin(v[x] + sum + r.t);
        for (std::size_t i = 0; i < out.size(); ++i) v[out[i]] = v[x] * static_cast<double>(i + 1) - 0.3 * sum;
        v[text] = std::string(1, static_cast<char>('a' + ++v[steps] % 26));
        return completed(r);
      });
    }
    system->finish(seed + 1, substeps);
    return system;
  }

  void route() {
    auto& inputs = signals.inputs.column<double>();
    for (std::size_t i = 0; i < routes_.size(); ++i) inputs[i] = signals.outputs.column<double>()[routes_[i]];
  }

  // Steps all units; what wait() said.
  bool step(unit::Fleet& fleet, Duration h = 0.01) {
    route();
    const unit::StepRequest request{t, h, false};
    fleet.submit(all, unit::Verb::step, request, signals);
    const bool good = fleet.wait();
    t = h * ++steps;
    return good;
  }

  std::vector<std::unique_ptr<unit::Unit>> units;
  std::vector<unit::Ports> ports;
  std::vector<unit::UnitId> all;
  unit::Signals signals;
  Time t = 0;
  int steps = 0;

 private:
  static describe::Offsets make_room(const describe::SignalSet& set, Columns& columns) {
    describe::Offsets at{};
    for (const auto& group : set.groups()) {
      with_type(group.type, [&]<class T>() {
        auto& column = columns.column<T>();
        at[static_cast<std::size_t>(group.type)] = static_cast<std::uint32_t>(column.size());
        column.resize(column.size() + group.elements());
      });
    }
    return at;
  }

  std::deque<describe::SignalSet> sets_;
  std::vector<std::uint32_t> routes_;
};

}  // namespace consort::host
