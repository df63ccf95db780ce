#include "group/wiring.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/dependencies.hpp"

namespace consort::group {

using describe::VariableId;
using graph::Plan;
using graph::PlannedUnit;

namespace {

const describe::Variable& variable_of(const Plan& plan, MemberId member, VariableId id) {
  return (*plan.units[member].description)[id];
}

std::string path_of(const Plan& plan, MemberId member, VariableId id) {
  return fmt::format("{}.{}", plan.units[member].name, variable_of(plan, member, id).name);
}

// Vertices are whole variables: connected continuous inputs, and outputs that are their sources.
class Builder {
 public:
  explicit Builder(const Plan& plan) : plan_(plan) {}

  Wiring operator()() {
    find_vertices();
    find_edges();
    find_levels();
    place_externals();
    for (std::uint32_t level = 0; level <= last_level_; ++level) place(level);
    connect();
    place_late();
    for (const auto& event : plan_.events) to_.conditions.push_back(part_of(event.when));
    return std::move(to_);
  }

 private:
  struct Vertex {
    MemberId member = 0;
    std::uint32_t index = 0;  // in the inputs or outputs of the planned unit
    bool is_input = false;
    std::uint32_t level = 0;
    std::uint32_t loop = none;
    std::uint32_t slot = none;  // first
  };

  [[nodiscard]] const PlannedUnit& unit(const Vertex& v) const { return plan_.units[v.member]; }
  [[nodiscard]] VariableId id_of(const Vertex& v) const {
    return (v.is_input ? unit(v).inputs : unit(v).outputs).choice()[v.index];
  }
  [[nodiscard]] describe::SignalSet::Place place_of(const Vertex& v) const {
    return (v.is_input ? unit(v).inputs : unit(v).outputs).place(v.index);
  }
  [[nodiscard]] const describe::Variable& variable(const Vertex& v) const {
    return variable_of(plan_, v.member, id_of(v));
  }

  std::uint32_t vertex(MemberId member, std::uint32_t index, bool is_input) {
    const auto [found, is_new] =
        known_.try_emplace(std::tuple(member, index, is_input), static_cast<std::uint32_t>(vertices_.size()));
    if (is_new) vertices_.push_back({member, index, is_input});
    return found->second;
  }

  void find_vertices() {
    for (const auto& sampling : plan_.samplings)
      throw input_error("{}: members of a group cannot be sampled every {} s; put a sampled unit between them",
                        sampling.text, sampling.period);
    for (const auto& c : plan_.connections) {
      const auto& target = variable_of(plan_, c.to, plan_.units[c.to].inputs.choice()[c.input]);
      if (!is_continuous_input(target)) {
        note_sampling(c, target);
        continue;
      }
      if (c.from == graph::no_unit) {
        require_float(plan_.externals[c.output].type, c);
        static_cast<void>(vertex(c.to, c.input, true));
        continue;
      }
      const auto& source = variable_of(plan_, c.from, plan_.units[c.from].outputs.choice()[c.output]);
      if (source.variability != describe::Variability::continuous) {
        if (source.type == Type::Float64) add_edge(c);
        continue;  // other types are passed at events, also to formulas
      }
      require_float(source.type, c);
      add_edge(c);
    }
    for (const auto& f : plan_.formulas)
      if (is_continuous_input(variable_of(plan_, f.unit, plan_.units[f.unit].inputs.choice()[f.variable])))
        static_cast<void>(vertex(f.unit, f.variable, true));
  }

  void add_edge(const graph::ConnectionInfo& c) {
    connections_.emplace_back(vertex(c.from, c.output, false), vertex(c.to, c.input, true));
  }

  void require_float(Type type, const graph::ConnectionInfo& c) const {
    if (type == Type::Float64 || !is_float(type)) return;
    const auto target = path_of(plan_, c.to, plan_.units[c.to].inputs.choice()[c.input]);
    throw input_error(
        "'{}' is a continuous input of a group and takes a {}; in a group, continuous connections are Float64: solve "
        "the units separately (without 'solver' in their system)",
        target, name_of(type));
  }

  void note_sampling(const graph::ConnectionInfo& c, const describe::Variable& target) {
    if (c.from == graph::no_unit) return;
    const auto id = plan_.units[c.from].outputs.choice()[c.output];
    const auto& source = variable_of(plan_, c.from, id);
    if (source.variability != describe::Variability::continuous || !is_float(source.type)) return;
    to_.notes.push_back(
        fmt::format("{} → {}.{}: a discrete input takes the value of a continuous output at events of its unit",
                    path_of(plan_, c.from, id), plan_.units[c.to].name, target.name));
  }

  void find_edges() {
    edges_.resize(vertices_.size());
    for (const auto& [from, to] : connections_) edges_[from].push_back(to);
    for (std::uint32_t v = 0; v < vertices_.size(); ++v) {
      if (!vertices_[v].is_input) continue;
      for (const auto output : unit(vertices_[v]).feed_through[vertices_[v].index]) {
        const auto found = known_.find(std::tuple(vertices_[v].member, output, false));
        if (found == known_.end()) continue;
        edges_[v].push_back(found->second);
      }
    }
  }

  // An output has the level of the inputs that it depends on, an input the next one after its sources. Within a level,
  // inputs are set, then loops are solved, then outputs are taken. Inputs that no output depends on come last.
  void find_levels() {
    for (const auto& members : graph::components_in_order(edges_)) {
      std::uint32_t level = 0;
      for (const auto v : members) level = std::max(level, vertices_[v].level);
      if (members.size() > 1) {
        for (const auto v : members) vertices_[v].loop = static_cast<std::uint32_t>(to_.loops.size());
        to_.loops.emplace_back();
        loop_levels_.push_back(level);
      }
      last_level_ = std::max(last_level_, level);
      for (const auto v : members) {
        vertices_[v].level = level;
        for (const auto w : edges_[v])
          vertices_[w].level = std::max(vertices_[w].level, level + (vertices_[w].is_input ? 1U : 0U));
      }
    }
    for (std::uint32_t v = 0; v < vertices_.size(); ++v)
      if (vertices_[v].is_input && edges_[v].empty()) vertices_[v].level = last_level_;
  }

  void place_externals() {
    for (const auto& external : plan_.externals) {
      if (external.type != Type::Float64) continue;
      for (std::uint32_t e = 0; e < external.count; ++e) {
        slot_of_source_.emplace(external.element + e, static_cast<std::uint32_t>(to_.outputs.size()));
        to_.outputs.push_back({});
        to_.sources.push_back(external.element + e);
      }
    }
    to_.externals = static_cast<std::uint32_t>(to_.outputs.size());
  }

  void place(std::uint32_t level) {
    for (auto& batch : batches([&](const Vertex& v) { return v.is_input && v.loop == none && v.level == level; })) {
      to_.steps.push_back({Step::Kind::set, static_cast<std::uint32_t>(to_.sets.size())});
      to_.sets.push_back(std::move(batch));
    }
    for (std::uint32_t l = 0; l < to_.loops.size(); ++l)
      if (loop_levels_[l] == level) place_loop(l);
    for (auto& batch : batches([&](const Vertex& v) { return !v.is_input && v.loop == none && v.level == level; })) {
      to_.steps.push_back({Step::Kind::get, static_cast<std::uint32_t>(to_.gets.size())});
      to_.gets.push_back(std::move(batch));
    }
  }

  void place_loop(std::uint32_t l) {
    auto& loop = to_.loops[l];
    loop.sets = batches([&](const Vertex& v) { return v.is_input && v.loop == l; });
    loop.gets = batches([&](const Vertex& v) { return !v.is_input && v.loop == l; });
    for (const auto& batch : loop.sets) {
      for (std::uint32_t i = 0; i < batch.count; ++i) {
        const auto& slot = to_.inputs[batch.first + i];
        loop.inputs.push_back(batch.first + i);
        loop.variables.push_back(to_.name_of(plan_, slot));
        const auto& v = variable_of(plan_, slot.member, slot.variable);
        loop.nominals.push_back(v.has_nominal && v.nominal > 0 ? v.nominal : 1.0);
      }
    }
    to_.steps.push_back({Step::Kind::solve, l});
  }

  // One batch per member, of the vertices that `take` accepts; gives them slots.
  template <class Take>
  std::vector<Batch> batches(Take&& take) {
    std::map<MemberId, std::vector<std::uint32_t>> of_member;
    for (std::uint32_t v = 0; v < vertices_.size(); ++v)
      if (take(vertices_[v])) of_member[vertices_[v].member].push_back(v);
    std::vector<Batch> all;
    for (auto& [member, some] : of_member) {
      std::sort(some.begin(), some.end(),
                [&](std::uint32_t a, std::uint32_t b) { return vertices_[a].index < vertices_[b].index; });
      auto& names = vertices_[some.front()].is_input ? to_.inputs : to_.outputs;
      Batch batch{member, static_cast<std::uint32_t>(names.size()), 0, {}};
      for (const auto v : some) add_slots(vertices_[v], batch);
      all.push_back(std::move(batch));
    }
    return all;
  }

  void add_slots(Vertex& v, Batch& batch) {
    const auto place = place_of(v);
    const auto id = id_of(v);
    auto& names = v.is_input ? to_.inputs : to_.outputs;
    v.slot = static_cast<std::uint32_t>(names.size());
    batch.count += place.count;
    batch.references.push_back(variable(v).reference);
    for (std::uint32_t e = 0; e < place.count; ++e) {
      names.push_back({v.member, id, e});
      if (v.is_input) continue;
      const auto source = unit(v).first_output[float64] + place.first + e;
      slot_of_source_.emplace(source, v.slot + e);
      to_.sources.push_back(source);
    }
  }

  void connect() {
    to_.routes.resize(to_.inputs.size());
    for (const auto& v : vertices_) {
      if (!v.is_input) continue;
      const auto place = place_of(v);
      const auto first = unit(v).first_input[float64] + place.first;
      for (std::uint32_t e = 0; e < place.count; ++e) {
        if (add_formula(first + e, v.slot + e, variable(v).negated)) continue;
        const auto source = plan_.sources[float64][first + e];
        const auto slot = source == graph::no_source ? slot_of_source_.end() : slot_of_source_.find(source);
        if (slot == slot_of_source_.end()) continue;
        const auto scaling = plan_.scaling_of(first + e);
        // FMI 1.0: a negated alias has the opposite value of its reference.
        const double in = variable(v).negated ? -1 : 1;
        auto& route = to_.routes[v.slot + e];
        route = {slot->second, in * sign(slot->second) * scaling.factor, in * scaling.offset};
        to_.links.push_back({route.source, v.slot + e, route.factor});
      }
    }
    to_.links_to.resize(to_.inputs.size());
    to_.links_from.resize(to_.outputs.size());
    for (std::uint32_t l = 0; l < to_.links.size(); ++l) {
      to_.links_to[to_.links[l].input].push_back(l);
      to_.links_from[to_.links[l].output].push_back(l);
    }
  }

  FormulaPart part_of(const graph::Formula& formula) {
    FormulaPart part;
    part.formula = &formula;
    part.first_relation = to_.relations;
    to_.relations += static_cast<std::uint32_t>(formula.program->relations().size());
    for (const auto& o : formula.operands) {
      const auto output = o.type == Type::Float64 ? slot_of_source_.find(o.source) : slot_of_source_.end();
      const bool is_slot = output != slot_of_source_.end();
      const double from = is_slot ? sign(output->second) : 1;
      part.operands.push_back({is_slot ? output->second : none, o.type, o.source, from * o.factor, o.offset});
    }
    return part;
  }

  // Outputs that conditions read and that no input takes.
  void place_late() {
    std::map<MemberId, std::vector<std::uint32_t>> wanted;  // indices of outputs
    for (const auto& event : plan_.events) {
      for (const auto& o : event.when.operands) {
        if (o.type != Type::Float64 || o.unit == graph::no_unit || slot_of_source_.contains(o.source)) continue;
        const auto& outputs = plan_.units[o.unit].outputs;
        for (std::uint32_t i = 0; i < outputs.choice().size(); ++i) {
          const auto place = outputs.place(i);
          const auto first = plan_.units[o.unit].first_output[float64] + place.first;
          if (place.type == Type::Float64 && o.source >= first && o.source < first + place.count)
            wanted[o.unit].push_back(i);
        }
      }
    }
    for (auto& [member, some] : wanted) {
      std::sort(some.begin(), some.end());
      some.erase(std::unique(some.begin(), some.end()), some.end());
      Batch batch{member, static_cast<std::uint32_t>(to_.outputs.size()), 0, {}};
      for (const auto i : some) {
        Vertex v{member, i};
        add_slots(v, batch);
      }
      to_.late.push_back(std::move(batch));
    }
    to_.links_from.resize(to_.outputs.size());
  }

  // False if the element of the plan's inputs has no formula.
  bool add_formula(std::uint32_t element, std::uint32_t slot, bool is_negated) {
    const auto found = std::find_if(plan_.formulas.begin(), plan_.formulas.end(), [&](const graph::Formula& f) {
      return f.to == Type::Float64 && f.input == element;
    });
    if (found == plan_.formulas.end()) return false;
    FormulaPart part = part_of(*found);
    part.input = slot;
    part.sign = is_negated ? -1 : 1;
    for (const auto& used : found->program->operands()) {
      const auto output = part.operands[used.slot].output;
      part.links.push_back(output == none ? none : static_cast<std::uint32_t>(to_.links.size()));
      if (output != none) to_.links.push_back({output, slot, 0});
    }
    to_.routes[slot].formula = static_cast<std::uint32_t>(to_.formulas.size());
    to_.formulas.push_back(std::move(part));
    return true;
  }

  [[nodiscard]] double sign(std::uint32_t output) const {
    const auto& slot = to_.outputs[output];
    return slot.member != none && variable_of(plan_, slot.member, slot.variable).negated ? -1 : 1;
  }

  const Plan& plan_;
  Wiring to_;
  std::vector<Vertex> vertices_;
  std::map<std::tuple<MemberId, std::uint32_t, bool>, std::uint32_t> known_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> connections_;
  std::vector<std::vector<std::uint32_t>> edges_;
  std::vector<std::uint32_t> loop_levels_;
  std::uint32_t last_level_ = 0;
  std::map<std::uint32_t, std::uint32_t> slot_of_source_;
};

}  // namespace

bool is_continuous_input(const describe::Variable& variable) {
  return variable.type == Type::Float64 && variable.causality == describe::Causality::input &&
         variable.variability == describe::Variability::continuous;
}

std::string Wiring::name_of(const Plan& plan, const SlotName& slot) const {
  if (slot.member == none) return "an input of the group";
  const auto& d = *plan.units[slot.member].description;
  return fmt::format("{}.{}", plan.units[slot.member].name, describe::element_name(d, d[slot.variable], slot.element));
}

Wiring make_wiring(const Plan& plan) { return Builder(plan)(); }

}  // namespace consort::group
