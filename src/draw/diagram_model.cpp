#include "draw/diagram_model.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/error.hpp"
#include "draw/text.hpp"
#include "graph/flatten.hpp"
#include "graph/outline.hpp"

namespace consort::draw {

using namespace graph;

namespace {

constexpr std::size_t most_lines_of_a_pair = 6;  // more signals share one line

// Of a unit inside of a group, whose description is not at hand.
std::string note_of(const Component& unit) { return unit.is_native() ? "native model" : "ME"; }

std::string note_of(const PlannedUnit& unit) {
  const auto& d = *unit.description;
  const bool wants_me = unit.component.interface == describe::InterfaceType::model_exchange ||
                        (!unit.component.interface && d.interface(describe::InterfaceType::co_simulation) == nullptr);
  if (d.version == describe::FmiVersion::native) return std::string(describe::name_of(d.version));
  return fmt::format("{} {}", describe::name_of(d.version), wants_me ? "ME" : "CS");
}

// Finds the loop of each wire of the flat system. A wire is part of a loop if its source and a variable that it reaches
// are.
class LoopFinder {
 public:
  LoopFinder(const Flat& flat, const Plan& plan) : flat_(flat) {
    for (std::uint32_t l = 0; l < plan.loops.size(); ++l)
      for (const auto& name : plan.loops[l].variables) loop_of_.emplace(name, l);
  }

  [[nodiscard]] std::uint32_t operator()(std::uint32_t wire) const {
    if (loop_of_.empty()) return no_loop;
    const auto loop = source_loop(flat_.wires[wire].from, 0);
    return loop != no_loop && reaches(flat_.wires[wire].to, loop, 0) ? loop : no_loop;
  }

 private:
  static constexpr int most_levels = 256;

  [[nodiscard]] std::uint32_t loop_at(const graph::Port& port) const {
    std::string name = fmt::format("{}.{}", flat_.units[port.unit].path, port.connector);
    auto found = loop_of_.find(name);
    // An array element belongs to the loop of its array.
    if (found == loop_of_.end() && name.back() == ']') found = loop_of_.find(name.substr(0, name.rfind('[')));
    return found == loop_of_.end() ? no_loop : found->second;
  }

  [[nodiscard]] std::uint32_t source_loop(const graph::Port& port, int level) const {
    if (port.unit != no_unit) return loop_at(port);
    auto driver = flat_.nodes[port.node].driver;
    for (const auto d : flat_.nodes[port.node].element_drivers)
      if (port.indices.empty() || flat_.wires[d].to.indices == port.indices) driver = d;
    return driver == no_source || level > most_levels ? no_loop : source_loop(flat_.wires[driver].from, level + 1);
  }

  [[nodiscard]] bool reaches(const graph::Port& port, std::uint32_t loop, int level) const {
    if (port.unit != no_unit) return loop_at(port) == loop;
    if (level > most_levels) return false;
    const auto& leaving = flat_.nodes[port.node].leaving;
    return std::any_of(leaving.begin(), leaving.end(),
                       [&](std::uint32_t w) { return reaches(flat_.wires[w].to, loop, level + 1); });
  }

  const Flat& flat_;
  std::unordered_map<std::string, std::uint32_t> loop_of_;
};

class Modeller {
 public:
  Modeller(const System& root, const Plan& plan)
      : plan_(&plan), flat_(flatten(root, catalogue())), loops_(flat_, plan), rank_(plan.units.size(), 0) {
    for (std::uint32_t i = 0; i < plan.order.size(); ++i) rank_[plan.order[i]] = i;
    index_wires();
  }
  // The content of a group, which the plan does not have.
  explicit Modeller(const System& group)
      : outlines_(std::in_place, group),
        flat_(flatten(
            outlines_->system(), [this](const Component& c) -> const auto& { return (*outlines_)(c); })),
        loops_(flat_, Plan()) {
    index_wires();
  }
  // The system to give to operator() for the content of a group: that of the wires.
  [[nodiscard]] const System& content() { return outlines_->system(); }

  Block operator()(const System& system, const Sheet* sheet) {
    Block block;
    if (sheet != nullptr && has_places(*sheet)) block.sheet = sheet;
    block.title = system.name;
    block.is_system = true;
    std::unordered_map<std::string_view, std::uint32_t> index;
    for (const auto& component : system.components) {
      index.emplace(component.name, static_cast<std::uint32_t>(block.children.size()));
      block.children.push_back(unit_block(component));
      block.children.back().place = place_of(block.sheet, component.name);
    }
    for (const auto& inner : system.systems) {
      index.emplace(inner.name, static_cast<std::uint32_t>(block.children.size()));
      block.children.push_back(inner.solver.empty() ? (*this)(inner, inner_sheet(sheet, inner.name))
                                                    : group_block(inner, inner_sheet(sheet, inner.name)));
      block.children.back().place = place_of(block.sheet, inner.name);
    }
    block.rank = no_source;
    for (const auto& child : block.children) block.rank = std::min(block.rank, child.rank);
    connect(system, index, block);
    return block;
  }

 private:
  static bool has_places(const Sheet& sheet) {
    return std::any_of(sheet.elements.begin(), sheet.elements.end(), [](const auto& e) { return e.box.has_value(); });
  }
  static const ElementPlace* place_of(const Sheet* sheet, const std::string& element) {
    if (sheet == nullptr) return nullptr;
    for (const auto& place : sheet->elements)
      if (place.name == element) return &place;
    return nullptr;
  }
  static const Sheet* inner_sheet(const Sheet* sheet, const std::string& element) {
    if (sheet == nullptr) return nullptr;
    for (const auto& inner : sheet->systems)
      if (inner.name == element) return &inner;
    return nullptr;
  }

  // The units of the plan are in the order in which flatten() visits their components.
  Catalogue catalogue() {
    return [this, next = std::size_t{0}](const Component&) mutable -> const describe::Description& {
      CONSORT_ASSERT(next < plan_->units.size());
      return *plan_->units[next++].description;
    };
  }

  Block unit_block(const Component& component) {
    Block block;
    block.title = component.name;
    if (plan_ == nullptr) {
      block.note = note_of(component);
      block.rank = static_cast<std::uint32_t>(next_unit_++);
      return block;
    }
    const auto& unit = plan_->units[next_unit_];
    block.note = note_of(unit);
    block.rank = rank_[next_unit_++];
    return block;
  }

  // One unit of the plan, drawn with its members.
  Block group_block(const System& group, const Sheet* sheet) {
    Modeller inside(group);
    Block block = inside(inside.content(), sheet);
    block.title = fmt::format("{} ({})", group.name, group.solver);
    block.rank = rank_.at(next_unit_++);
    return block;
  }

  void index_wires() {
    for (std::uint32_t w = 0; w < flat_.wires.size(); ++w) wires_[flat_.wires[w].system].push_back(w);
  }

  using NetIndex = std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t>;  // by source
  struct Line {
    Endpoint from, to;
    std::uint32_t from_box, to_box;
    std::uint32_t loop;
  };

  void connect(const System& system, const std::unordered_map<std::string_view, std::uint32_t>& index, Block& block) {
    const auto box_of = [&](const Endpoint& end) {
      const auto found = index.find(end.element);
      return found == index.end() ? the_frame : found->second;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Line>> pairs;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
    const auto add = [&](const Endpoint& from, const Endpoint& to, std::uint32_t loop) {
      const std::pair key{box_of(from), box_of(to)};
      auto& lines = pairs[key];
      if (lines.empty()) order.push_back(key);
      lines.push_back({from, to, key.first, key.second, loop});
    };
    for (const auto w : wires_[&system]) {
      const auto& wire = flat_.wires[w];
      if (wire.expression == nullptr) {
        add(wire.connection->from, wire.connection->to, loops_(w));
        continue;
      }
      for (const auto& operand : wire.expression->operands)  // an expression is a line from each of them
        if (operand.port) add(system.endpoint(operand.name), wire.connection->to, no_loop);
    }
    NetIndex nets;
    for (const auto& key : order) {
      const auto& lines = pairs[key];
      const bool between = key.first != the_frame && key.second != the_frame;
      if (between && lines.size() > most_lines_of_a_pair && !are_placed(block, lines)) {
        add_bundle(lines, block, nets);
      } else {
        for (const auto& line : lines) add_line(line, line.from.connector, line.to.connector, 1, block, nets);
      }
    }
  }

  // Lines with given ends or corners are drawn separately.
  static bool are_placed(const Block& block, const std::vector<Line>& lines) {
    for (const auto box : {lines.front().from_box, lines.front().to_box})
      if (const auto* place = block.children[box].place; place != nullptr && !place->connectors.empty()) return true;
    if (block.sheet == nullptr) return false;
    const auto& placed = block.sheet->lines;
    return std::any_of(placed.begin(), placed.end(), [&](const LinePlace& p) {
      return std::any_of(lines.begin(), lines.end(), [&](const Line& l) {
        return (p.from == l.from.text() && p.to == l.to.text()) || (p.to == l.from.text() && p.from == l.to.text());
      });
    });
  }

  static void add_bundle(const std::vector<Line>& lines, Block& block, NetIndex& nets) {
    Line all = lines.front();
    for (const auto& line : lines)
      if (all.loop == no_loop) all.loop = line.loop;
    const auto count = static_cast<std::uint32_t>(lines.size());
    add_line(all, fmt::format("{} to {}", count, block.children[all.to_box].title),
             fmt::format("{} from {}", count, block.children[all.from_box].title), count, block, nets);
  }

  static std::uint32_t port_of(std::vector<BlockPort>& ports, const std::string& name) {
    const auto found = std::find_if(ports.begin(), ports.end(), [&](const BlockPort& p) { return p.name == name; });
    if (found != ports.end()) return static_cast<std::uint32_t>(found - ports.begin());
    ports.push_back({name});
    return static_cast<std::uint32_t>(ports.size() - 1);
  }

  static void add_line(const Line& line, const std::string& from, const std::string& to, std::uint32_t signals,
                       Block& block, NetIndex& nets) {
    auto& sources = line.from_box == the_frame ? block.inputs : block.children[line.from_box].outputs;
    auto& targets = line.to_box == the_frame ? block.outputs : block.children[line.to_box].inputs;
    const Pin source{line.from_box, port_of(sources, from)};
    const Pin target{line.to_box, port_of(targets, to)};
    const auto [known, is_new] = nets.emplace(std::pair{source.box, source.port}, block.nets.size());
    if (is_new) block.nets.push_back({source, {}, signals, no_loop});
    auto& net = block.nets[known->second];
    net.sinks.push_back({target, line.loop});
    if (net.loop == no_loop) net.loop = line.loop;
  }

  const Plan* plan_ = nullptr;
  std::optional<Outlines> outlines_{};
  Flat flat_;
  LoopFinder loops_;
  std::vector<std::uint32_t> rank_;
  std::unordered_map<const System*, std::vector<std::uint32_t>> wires_;
  std::size_t next_unit_ = 0;
};

}  // namespace

Block block_of(const System& system, const Plan& plan, const Sheet* sheet) {
  if (system.solver.empty()) return Modeller(system, plan)(system, sheet);
  Modeller inside(system);
  return inside(inside.content(), sheet);
}

}  // namespace consort::draw
