#include "graph/dependencies.hpp"

#include <algorithm>
#include <map>
#include <queue>

#include <fmt/format.h>

namespace consort::graph {

using describe::VariableId;
using Edges = std::vector<std::vector<std::uint32_t>>;

// --- feed-through of one unit

namespace {

bool is_given(const describe::Variable& v) {
  using describe::Variability;
  return v.causality == describe::Causality::independent || v.variability == Variability::constant ||
         v.variability == Variability::fixed || v.causality == describe::Causality::parameter;
}

}  // namespace

void find_feed_through(PlannedUnit& unit) {
  const auto& d = *unit.description;
  const auto& inputs = unit.inputs.choice();
  const auto& outputs = unit.outputs.choice();
  unit.feed_through.assign(inputs.size(), {});
  std::map<VariableId, std::uint32_t> input_index;
  for (std::uint32_t i = 0; i < inputs.size(); ++i) input_index.emplace(inputs[i], i);
  std::map<VariableId, const describe::Unknown*> declared;
  for (const auto& unknown : d.structure.outputs)
    if (unknown.declared) declared.emplace(unknown.variable, &unknown);
  for (std::uint32_t o = 0; o < outputs.size(); ++o) {
    if (is_given(d[outputs[o]])) continue;
    const auto known = declared.find(outputs[o]);
    if (known == declared.end()) {
      for (auto& followers : unit.feed_through) followers.push_back(o);
      continue;
    }
    for (const auto& dependency : d.structure.of(*known->second)) {
      const auto input = input_index.find(dependency.variable);
      if (input == input_index.end()) continue;
      auto& followers = unit.feed_through[input->second];
      if (followers.empty() || followers.back() != o) followers.push_back(o);
    }
  }
}

// --- strongly connected components

namespace {

// Tarjan's algorithm without recursion: a long chain of units would overflow the call stack.
class Tarjan {
 public:
  explicit Tarjan(const Edges& edges)
      : edges_(edges),
        index_(edges.size(), unseen),
        low_(edges.size(), 0),
        next_(edges.size(), 0),
        component(edges.size()) {
    for (std::uint32_t v = 0; v < edges.size(); ++v)
      if (index_[v] == unseen) visit(v);
  }

 private:
  static constexpr std::uint32_t unseen = no_source;

  void open(std::uint32_t v) {
    index_[v] = low_[v] = count_++;
    stack_.push_back(v);
    on_stack_.resize(edges_.size());
    on_stack_[v] = true;
    path_.push_back(v);
  }

  void visit(std::uint32_t root) {
    open(root);
    while (!path_.empty()) {
      const std::uint32_t v = path_.back();
      if (next_[v] < edges_[v].size()) {
        const std::uint32_t w = edges_[v][next_[v]++];
        if (index_[w] == unseen) {
          open(w);
        } else if (on_stack_[w]) {
          low_[v] = std::min(low_[v], index_[w]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) low_[path_.back()] = std::min(low_[path_.back()], low_[v]);
      if (low_[v] == index_[v]) close(v);
    }
  }

  void close(std::uint32_t v) {
    for (std::uint32_t w = no_source; w != v;) {
      w = stack_.back();
      stack_.pop_back();
      on_stack_[w] = false;
      component[w] = components;
    }
    ++components;
  }

  const Edges& edges_;
  std::vector<std::uint32_t> index_, low_;
  std::vector<std::size_t> next_;
  std::vector<std::uint32_t> stack_, path_;
  std::vector<bool> on_stack_;
  std::uint32_t count_ = 0;

 public:
  std::vector<std::uint32_t> component;  // numbered in reverse topological order
  std::uint32_t components = 0;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> components_in_order(const Edges& edges) {
  const Tarjan tarjan(edges);
  std::vector<std::vector<std::uint32_t>> members(tarjan.components);
  for (std::uint32_t v = 0; v < edges.size(); ++v) members[tarjan.component[v]].push_back(v);
  // Kahn's algorithm, the smallest vertex first: if the graph leaves a choice, the order of declaration decides.
  std::vector<std::uint32_t> waiting(tarjan.components, 0);
  for (std::uint32_t v = 0; v < edges.size(); ++v)
    for (const auto w : edges[v])
      if (tarjan.component[v] != tarjan.component[w]) ++waiting[tarjan.component[w]];
  using Ready = std::pair<std::uint32_t, std::uint32_t>;  // smallest vertex, component
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (std::uint32_t c = 0; c < tarjan.components; ++c)
    if (waiting[c] == 0) ready.emplace(members[c].front(), c);
  std::vector<std::vector<std::uint32_t>> ordered;
  ordered.reserve(tarjan.components);
  while (!ready.empty()) {
    const auto c = ready.top().second;
    ready.pop();
    for (const auto v : members[c]) {
      for (const auto w : edges[v]) {
        const auto other = tarjan.component[w];
        if (other != c && --waiting[other] == 0) ready.emplace(members[other].front(), other);
      }
    }
    ordered.push_back(std::move(members[c]));
  }
  return ordered;
}

// --- signals

namespace {

// Vertices: every driven input and every output of every unit, plus hubs. Inputs that feed the same outputs share one
// hub, so that a unit without declared dependencies does not need inputs × outputs edges.
class SignalGraph {
 public:
  explicit SignalGraph(const Plan& plan) : plan_(plan) {
    for (UnitId u = 0; u < plan.units.size(); ++u) {
      first_input_.push_back(add(plan.units[u].inputs.choice().size(), u, true));
      first_output_.push_back(add(plan.units[u].outputs.choice().size(), u, false));
    }
    edges.resize(owner.size());
    for (UnitId u = 0; u < plan.units.size(); ++u) add_feed_through(u);
    for (const auto& c : plan.connections) {
      if (c.from != no_unit) edges[first_output_[c.from] + c.output].push_back(first_input_[c.to] + c.input);
    }
  }

  [[nodiscard]] std::uint32_t input_of(std::uint32_t vertex) const { return vertex - first_input_[owner[vertex]]; }
  [[nodiscard]] std::string name(std::uint32_t vertex) const {
    const auto& unit = plan_.units[owner[vertex]];
    const auto id = is_input[vertex] ? unit.inputs.choice()[input_of(vertex)]
                                     : unit.outputs.choice()[vertex - first_output_[owner[vertex]]];
    return fmt::format("{}.{}", unit.name, (*unit.description)[id].name);
  }

  std::vector<std::vector<std::uint32_t>> edges;
  std::vector<UnitId> owner;  // no_unit for hubs
  std::vector<bool> is_input;

 private:
  std::uint32_t add(std::size_t count, UnitId unit, bool input) {
    const auto first = static_cast<std::uint32_t>(owner.size());
    owner.insert(owner.end(), count, unit);
    is_input.insert(is_input.end(), count, input);
    return first;
  }

  void add_feed_through(UnitId u) {
    const auto& unit = plan_.units[u];
    std::map<std::vector<std::uint32_t>, std::uint32_t> hubs;
    for (std::uint32_t i = 0; i < unit.feed_through.size(); ++i) {
      const auto& followers = unit.feed_through[i];
      auto& from = edges[first_input_[u] + i];
      if (followers.size() <= 2) {
        for (const auto o : followers) from.push_back(first_output_[u] + o);
        continue;
      }
      const auto [hub, is_new] = hubs.emplace(followers, static_cast<std::uint32_t>(edges.size()));
      from.push_back(hub->second);
      if (!is_new) continue;
      std::vector<std::uint32_t> to;
      for (const auto o : followers) to.push_back(first_output_[u] + o);
      edges.push_back(std::move(to));
      owner.push_back(no_unit);
      is_input.push_back(false);
    }
  }

  const Plan& plan_;
  std::vector<std::uint32_t> first_input_, first_output_;
};

// Lists the variables of a loop in the order of a walk through it. `component` holds the component of each vertex.
class LoopWalk {
 public:
  LoopWalk(const SignalGraph& graph, const std::vector<std::uint32_t>& component)
      : graph_(graph), component_(component), seen_(graph.edges.size(), false) {}

  std::vector<std::string> operator()(const std::vector<std::uint32_t>& members) {
    std::vector<std::string> names;
    for (const auto begin : members) {
      for (auto v = begin; v != no_source && !seen_[v]; v = next(v)) {
        seen_[v] = true;
        if (graph_.owner[v] != no_unit) names.push_back(graph_.name(v));
      }
    }
    return names;
  }

 private:
  [[nodiscard]] std::uint32_t next(std::uint32_t v) const {
    for (const auto w : graph_.edges[v])
      if (component_[w] == component_[v] && !seen_[w]) return w;
    return no_source;
  }

  const SignalGraph& graph_;
  const std::vector<std::uint32_t>& component_;
  std::vector<bool> seen_;
};

Loop make_loop(const SignalGraph& graph, const std::vector<std::uint32_t>& members, LoopWalk& walk) {
  Loop loop;
  for (const auto v : members) {
    if (graph.owner[v] == no_unit) continue;
    loop.units.push_back(graph.owner[v]);
    if (graph.is_input[v]) loop.inputs.push_back({graph.owner[v], graph.input_of(v)});
  }
  std::sort(loop.units.begin(), loop.units.end());
  loop.units.erase(std::unique(loop.units.begin(), loop.units.end()), loop.units.end());
  loop.variables = walk(members);
  return loop;
}

void find_evaluation(Plan& plan, const SignalGraph& graph) {
  const auto components = components_in_order(graph.edges);
  std::vector<std::uint32_t> level(graph.edges.size(), 0), component(graph.edges.size(), 0);
  for (std::uint32_t c = 0; c < components.size(); ++c)
    for (const auto v : components[c]) component[v] = c;
  LoopWalk walk(graph, component);
  struct Item {
    std::uint32_t level;
    Evaluation evaluation;
  };
  std::vector<Item> items;
  std::vector<std::uint32_t> last_level(plan.units.size(), no_source);
  for (const auto& members : components) {
    std::uint32_t here = 0;
    for (const auto v : members) here = std::max(here, level[v]);
    if (members.size() > 1) {
      items.push_back({here, {no_unit, static_cast<std::uint32_t>(plan.loops.size())}});
      plan.loops.push_back(make_loop(graph, members, walk));
    } else if (const auto v = members.front(); graph.owner[v] != no_unit && !graph.is_input[v]) {
      items.push_back({here, {graph.owner[v], no_source}});
    }
    for (const auto v : members)
      for (const auto w : graph.edges[v]) level[w] = std::max(level[w], here + (graph.is_input[w] ? 1U : 0U));
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.level < b.level; });
  for (const auto& item : items) {
    const UnitId u = item.evaluation.unit;
    if (u != no_unit && std::exchange(last_level[u], item.level) == item.level) continue;
    plan.evaluation.push_back(item.evaluation);
  }
}

// --- units

Edges unit_edges(const Plan& plan, bool feed_through_only) {
  Edges edges(plan.units.size());
  for (const auto& c : plan.connections) {
    if (c.from == no_unit || c.from == c.to) continue;
    if (feed_through_only && plan.units[c.to].feed_through[c.input].empty()) continue;
    edges[c.from].push_back(c.to);
  }
  for (auto& e : edges) {
    std::sort(e.begin(), e.end());
    e.erase(std::unique(e.begin(), e.end()), e.end());
  }
  return edges;
}

// Sources come before the units they drive. Within a cycle of connections, feed-through decides, then declaration.
void find_order(Plan& plan) {
  const Edges direct = unit_edges(plan, true);
  for (const auto& members : components_in_order(unit_edges(plan, false))) {
    if (members.size() == 1) {
      plan.order.push_back(members.front());
      continue;
    }
    std::map<UnitId, std::uint32_t> local;
    for (std::uint32_t i = 0; i < members.size(); ++i) local.emplace(members[i], i);
    Edges inner(members.size());
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      for (const auto w : direct[members[i]])
        if (const auto found = local.find(w); found != local.end()) inner[i].push_back(found->second);
    }
    for (const auto& group : components_in_order(inner))
      for (const auto i : group) plan.order.push_back(members[i]);
  }
}

}  // namespace

void find_loops_and_order(Plan& plan) {
  find_evaluation(plan, SignalGraph(plan));
  find_order(plan);
}

}  // namespace consort::graph
