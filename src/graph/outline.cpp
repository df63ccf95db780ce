#include "graph/outline.hpp"

#include <set>

#include "base/error.hpp"
#include "graph/flatten.hpp"

namespace consort::graph {

namespace {

void strip(System& system) {
  system.settings.clear();
  system.kind = System::Kind::plain;
  for (auto& c : system.connectors) c.unit.clear();
  for (auto& c : system.connections) c.transformation = {};
  for (auto& c : system.components) {
    c.settings.clear();
    for (auto& connector : c.connectors) connector.unit.clear();
  }
  for (auto& inner : system.systems) strip(inner);
}

class Outliner {
 public:
  explicit Outliner(const Component& component) : component_(component) {}

  std::unique_ptr<describe::Description> operator()(const System& owner) {
    for (const auto& c : component_.connectors) add(c.name, c.causality, c.dimensions);
    for (const auto& c : owner.connections) {
      if (c.from.element == component_.name) add_end(c.from.connector, describe::Causality::output);
      if (c.to.element == component_.name) add_end(c.to.connector, describe::Causality::input);
    }
    d_->finish();
    return std::move(d_);
  }

 private:
  void add_end(const std::string& name, describe::Causality causality) {
    if (known_.contains(std::string(split_indices(name).first))) return;
    add(name, causality, {});
  }

  void add(const std::string& name, describe::Causality causality, const std::vector<std::uint64_t>& dimensions) {
    using describe::Causality;
    if (!known_.insert(name).second) return;
    describe::Variable v;
    v.name = d_->arena().store(name);
    v.reference = static_cast<ValueReference>(d_->variables.size());
    // A connected parameter counts as an input; every other kind except inputs counts as an output.
    const bool into = causality == Causality::input || causality == Causality::parameter ||
                      causality == Causality::structural_parameter;
    v.causality = into ? Causality::input : Causality::output;
    v.initial = into ? describe::Initial::exact : describe::Initial::calculated;
    v.dimensions = {static_cast<std::uint32_t>(d_->dimensions.size()), static_cast<std::uint32_t>(dimensions.size())};
    for (const auto size : dimensions) d_->dimensions.push_back({size, 0, false});
    const auto id = static_cast<describe::VariableId>(d_->variables.size());
    d_->variables.push_back(v);
    if (into) return;
    d_->structure.outputs.push_back({id, true, {}});
  }

  const Component& component_;
  std::unique_ptr<describe::Description> d_ = std::make_unique<describe::Description>();
  std::set<std::string> known_;
};

}  // namespace

Outlines::Outlines(const System& system) : original_(system) { find_owners(system); }

const System& Outlines::system() {
  if (!plain_) {
    auto plain = std::make_unique<System>(original_);
    strip(*plain);
    plain_ = std::move(plain);
    find_owners(*plain_);
  }
  return *plain_;
}

void Outlines::find_owners(const System& system) {
  for (const auto& component : system.components) owners_.emplace(&component, &system);
  for (const auto& inner : system.systems) find_owners(inner);
}

const describe::Description& Outlines::operator()(const Component& component) {
  auto& known = known_[&component];
  if (!known) {
    const auto owner = owners_.find(&component);
    require(owner != owners_.end(), "'{}' is not a unit of the system", component.name);
    known = Outliner(component)(*owner->second);
  }
  return *known;
}

}  // namespace consort::graph
