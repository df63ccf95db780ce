// Expressions of connections: what their names stand for, and what they are compiled to.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "describe/measure.hpp"
#include "expr/compile.hpp"
#include "graph/links.hpp"

namespace consort::graph {

// A source that was traced back from a connector of a system, with the unit of measure of its value there.
struct TracedSource {
  Source source;
  std::optional<describe::Measure> measure;
};

struct FormulaSetup {
  const Flat& flat;
  const FlatExpression& expression;
  const std::vector<describe::StartValues>& starts;
  // The source behind a connector that is no parameter. Throws Error (input) if there is none.
  std::function<TracedSource(const Port&)> trace;
  std::optional<describe::Measure> target{};  // of the value that the expression gives
  expr::Expected expected = expr::Expected::number;
};

// Throws Error (input); see expr::compile().
[[nodiscard]] std::shared_ptr<const FormulaLink> make_formula(const FormulaSetup& setup);

}  // namespace consort::graph
