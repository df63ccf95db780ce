// A system as a block diagram: units as boxes, nested systems as frames, signals from left to right, algebraic loops in
// colours of their own with a legend.
#pragma once

#include <string>

#include "graph/plan.hpp"
#include "graph/sheet.hpp"
#include "graph/system.hpp"

namespace consort::draw {

struct DiagramOptions {
  std::string title = {};  // none: the name of the system
  // Where boxes, connectors and corners of lines are; systems for whose elements it has no places are laid out here.
  // Graphviz does without.
  const graph::Sheet* sheet = nullptr;
};

// `plan` must have been compiled from `system`. The same system gives the same bytes.
// A static picture without scripts, fonts or styles from elsewhere, as large as it needs to be. Signals between two
// elements that have many are drawn as one line that says how many.
[[nodiscard]] std::string diagram_svg(const graph::System& system, const graph::Plan& plan,
                                      const DiagramOptions& options = {});
// For Graphviz.
[[nodiscard]] std::string diagram_dot(const graph::System& system, const graph::Plan& plan,
                                      const DiagramOptions& options = {});

}  // namespace consort::draw
