// A system of randomly connected units of test_units.hpp and the loop that steps it, for tests of fleets.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fleet/fleet.hpp"
#include "host/tests/test_units.hpp"

namespace consort::host {

class ToySystem {
 public:
  // Every Float64 input is connected to a Float64 output; there must be at least one. Units with odd ids have
  // sub-steps.
  explicit ToySystem(std::vector<fleet::UnitSpec> units, std::uint32_t seed = 1,
                     std::uint32_t substeps_of_odd_units = 1, bool keep_parts = false)
      : specs(std::move(units)) {
    for (fleet::UnitId u = 0; u < specs.size(); ++u) {
      const auto& d = prototypes_.emplace_back(make_test_unit(specs[u]))->description();
      std::vector<describe::VariableId> in;
      std::vector<describe::VariableId> out;
      for (describe::VariableId v = 0; v < d.variables.size(); ++v) {
        if (d[v].causality == describe::Causality::input) in.push_back(v);
        if (d[v].causality == describe::Causality::output) out.push_back(v);
      }
      fleet::Blocks b;
      b.inputs = &sets_.emplace_back(d, in);
      b.outputs = &sets_.emplace_back(d, out);
      b.substeps = u % 2 == 1 ? substeps_of_odd_units : 1;
      b.keep_parts = keep_parts;
      b.first_input = make_room(*b.inputs, signals.inputs);
      b.first_output = make_room(*b.outputs, signals.outputs);
      blocks.push_back(b);
      all.push_back(u);
    }
    signals.next_event.assign(specs.size(), fleet::never);
    signals.order.assign(specs.size(), 0);
    signals.derivatives.assign(fleet::highest_order * signals.inputs.column<double>().size(), 0.0);
    signals.output_derivatives.assign(fleet::highest_order * signals.outputs.column<double>().size(), 0.0);
    std::mt19937 random(seed);
    const auto outputs = static_cast<std::uint32_t>(signals.outputs.column<double>().size());
    for (std::size_t i = 0; i < signals.inputs.column<double>().size(); ++i)
      routes_.push_back(static_cast<std::uint32_t>(random() % outputs));
  }

  // Makes a system of toy units from a seed.
  static std::unique_ptr<ToySystem> random(std::uint32_t seed, std::uint32_t count, std::uint32_t substeps = 1,
                                           int work = 40) {
    std::vector<fleet::UnitSpec> units;
    for (std::uint32_t u = 0; u < count; ++u)
      units.push_back({.name = "unit" + std::to_string(u),
                       .model = "toy " + std::to_string(seed) + " " + std::to_string(u) + " " + std::to_string(work)});
    return std::make_unique<ToySystem>(std::move(units), seed + 1, substeps);
  }

  // Call after all other declarations: declares one wave and one snapshot of all units, and connects the fleet.
  void connect(fleet::Fleet& fleet) {
    wave = fleet.declare_wave(all);
    snapshot = fleet.reserve_snapshot(all);
    fleet.connect(blocks);
  }

  void route() {
    auto& inputs = signals.inputs.column<double>();
    for (std::size_t i = 0; i < routes_.size(); ++i) inputs[i] = signals.outputs.column<double>()[routes_[i]];
  }

  // Steps all units. Returns the result of wait().
  bool step(fleet::Fleet& fleet, Duration h = 0.01) {
    route();
    const unit::StepRequest request{t, h, false};
    fleet.submit(wave, fleet::Verb::step, request, signals);
    t = h * ++steps;
    return fleet.wait();
  }

  [[nodiscard]] const describe::Description& description(fleet::UnitId id) const {
    return prototypes_[id]->description();
  }

  std::vector<fleet::UnitSpec> specs;
  std::vector<fleet::Blocks> blocks;
  std::vector<fleet::UnitId> all;
  fleet::Signals signals;
  fleet::WaveId wave;
  fleet::SnapshotId snapshot;
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

  std::vector<std::unique_ptr<unit::Unit>> prototypes_;  // for their descriptions
  std::deque<describe::SignalSet> sets_;
  std::vector<std::uint32_t> routes_;
};

}  // namespace consort::host
