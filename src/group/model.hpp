// What the instances of a group have in common: the compiled system inside, its wiring, and its description as a unit.
#pragma once

#include <memory>
#include <span>

#include "graph/compile.hpp"
#include "graph/plan.hpp"
#include "group/composite.hpp"
#include "group/wiring.hpp"

namespace consort::group {

struct Model {
  graph::Plan plan;  // a member is a unit of it
  Wiring wiring;
  Composite composite;

  [[nodiscard]] const describe::Description& description() const { return composite.description; }
};

// Compiles a system whose units are solved together. The descriptions of the catalogue must outlive the model. Throws
// Error (input) for units that cannot be part of a group, and for everything that graph::compile() refuses. `settings`
// override those of the system.
[[nodiscard]] std::shared_ptr<const Model> make_model(const graph::System& system, const graph::Catalogue& catalogue,
                                                      std::span<const graph::Setting> settings = {});

}  // namespace consort::group
