// Draws a system as a block diagram: units are boxes, nested systems are frames, signals run from left to right,
// algebraic loops have separate colours and a legend.
#pragma once

#include <string>

#include "graph/plan.hpp"
#include "graph/sheet.hpp"
#include "graph/system.hpp"

namespace consort::draw {

struct DiagramOptions {
  std::string title = {};  // empty: the name of the system
  // Positions of boxes, connectors and corners of lines; null: no positions. Systems without positions get an automatic
  // layout. Not used for Graphviz.
  const graph::Sheet* sheet = nullptr;
};

// `plan` must have been compiled from `system`. The same system gives the same bytes. The picture is static, contains
// no external scripts, fonts or styles, and is as large as necessary. Many signals between two elements are drawn as
// one line with their number.
[[nodiscard]] std::string diagram_svg(const graph::System& system, const graph::Plan& plan,
                                      const DiagramOptions& options = {});
// The reason why a diagram with the positions of the sheet could not be read, as a clause; empty: it can be read.
[[nodiscard]] std::string why_illegible(const graph::System& system, const graph::Plan& plan,
                                        const graph::Sheet& sheet);
// Returns a graph for Graphviz.
[[nodiscard]] std::string diagram_dot(const graph::System& system, const graph::Plan& plan,
                                      const DiagramOptions& options = {});

}  // namespace consort::draw
