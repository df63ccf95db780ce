// Time to turn the text of a system into a plan, and whether it is proportional to the size of the system.
#include <memory>
#include <string>

#include <fmt/core.h>

#include "graph/compile.hpp"
#include "measure.hpp"
#include "yaml/reader.hpp"

namespace consort::bench {
namespace {

// A node with five inputs and five outputs, with or without feed-through.
describe::Description node(bool through) {
  describe::Description d;
  const auto add = [&](const std::string& name, describe::Causality causality) {
    describe::Variable v;
    v.name = d.arena().store(name);
    v.reference = static_cast<ValueReference>(d.variables.size());
    v.causality = causality;
    d.variables.push_back(v);
    return static_cast<describe::VariableId>(d.variables.size() - 1);
  };
  for (int i = 0; i < 5; ++i) add(fmt::format("u{}", i), describe::Causality::input);
  for (int i = 0; i < 5; ++i)
    d.structure.outputs.push_back({add(fmt::format("y{}", i), describe::Causality::output), !through, {}});
  d.finish();
  return d;
}

// Nodes in a ring, with five connections from each node to the next.
std::string ring(int connections) {
  const int n = connections / 5;
  std::string text = "consort: 1\nunits:\n";
  for (int i = 0; i < n; ++i) text += fmt::format("  n{}: node.fmu\n", i);
  text += "connections:\n";
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 5; ++k) text += fmt::format("  - n{}.y{} -> n{}.u{}\n", i, k, (i + 1) % n, k);
  return text;
}

void measure(int connections) {
  const auto text = ring(connections);
  graph::Document document;
  const double read = best_of(3, [&] { document = yaml::parse_system(text); });
  double compiled[2] = {0, 0};
  for (const bool through : {false, true}) {
    const auto description = node(through);
    const graph::Catalogue catalogue = [&](const graph::Component&) -> const describe::Description& {
      return description;
    };
    compiled[through ? 1 : 0] = best_of(3, [&] { static_cast<void>(graph::compile(document.system, catalogue)); });
  }
  const double each = 1e6 / connections;
  fmt::print("{:>8} {:>10.3f} {:>8.2f} {:>12.3f} {:>8.2f} {:>12.3f} {:>8.2f}\n", connections, read, each * read,
             compiled[0], each * compiled[0], compiled[1], each * compiled[1]);
}

}  // namespace
}  // namespace consort::bench

int main() {
  fmt::print("connections: reading YAML, compiling without feed-through, compiling one large loop (s, µs each)\n");
  for (const int connections : {2'000, 10'000, 50'000}) consort::bench::measure(connections);
  return 0;
}
