// Time to turn the archive of an SSP package into a plan.
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/core.h>

#include "graph/compile.hpp"
#include "measure.hpp"
#include "os/archive.hpp"
#include "os/temp_folder.hpp"
#include "ssp/to_system.hpp"

namespace consort::bench {
namespace {

constexpr int signals = 20;  // per component and direction
constexpr double most_seconds = 1.5;

describe::Description component() {
  describe::Description d;
  const auto add = [&](const std::string& name, describe::Causality causality) {
    describe::Variable v;
    v.name = d.arena().store(name);
    v.reference = static_cast<ValueReference>(d.variables.size());
    v.causality = causality;
    d.variables.push_back(v);
    return static_cast<describe::VariableId>(d.variables.size() - 1);
  };
  for (int s = 0; s < signals; ++s) add(fmt::format("u{}", s), describe::Causality::input);
  for (int s = 0; s < signals; ++s)
    d.structure.outputs.push_back({add(fmt::format("y{}", s), describe::Causality::output), true, {}});
  d.finish();
  return d;
}

// Every component is connected to the next twenty, and every connection converts kelvin to degrees Celsius.
std::string structure(int components) {
  std::string connectors = "<ssd:Connectors>";
  for (int s = 0; s < signals; ++s)
    connectors += fmt::format(R"(<ssd:Connector name="u{0}" kind="input"><ssc:Real unit="degC"/></ssd:Connector>)"
                              R"(<ssd:Connector name="y{0}" kind="output"><ssc:Real unit="K"/></ssd:Connector>)",
                              s);
  connectors += "</ssd:Connectors>";
  std::string elements, connections;
  for (int c = 0; c < components; ++c) {
    elements += fmt::format(R"(<ssd:Component name="c{}" source="resources/a.fmu">{}</ssd:Component>)", c, connectors);
    for (int s = 0; s < signals; ++s)
      connections += fmt::format(
          R"(<ssd:Connection startElement="c{}" startConnector="y{}" endElement="c{}" endConnector="u{}"/>)", c, s,
          (c + s + 1) % components, s);
  }
  return fmt::format(R"(<ssd:SystemStructureDescription version="1.0" name="large" )"
                     R"(xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" )"
                     R"(xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"><ssd:System name="root">)"
                     "<ssd:Elements>{}</ssd:Elements><ssd:Connections>{}</ssd:Connections></ssd:System><ssd:Units>"
                     R"(<ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit>)"
                     R"(<ssc:Unit name="K"><ssc:BaseUnit K="1"/></ssc:Unit></ssd:Units>)"
                     "</ssd:SystemStructureDescription>",
                     elements, connections);
}

void measure(int components) {
  const os::TempFolder folder("bench");
  const auto contents = folder.path() / "package";
  std::filesystem::create_directories(contents / "resources");
  std::ofstream(contents / "resources/a.fmu") << "is not opened here";
  std::ofstream(contents / "SystemStructure.ssd") << structure(components);
  const auto file = folder.path() / "large.ssp";
  os::pack(contents, file);
  const auto description = component();
  const graph::Catalogue catalogue = [&](const graph::Component&) -> const describe::Description& {
    return description;
  };
  graph::Document document;
  graph::Plan plan;
  const double read = best_of(3, [&] { document = ssp::read_system(file); });
  const double compiled = best_of(3, [&] { plan = graph::compile(document.system, catalogue); });
  fmt::print("{:>10} {:>11} {:>9.3f} {:>9.3f} {:>9.3f} {:>9}\n", components, plan.connections.size(), read, compiled,
             read + compiled, components == 1000 ? fmt::format("{:.1f}", most_seconds) : std::string("-"));
}

}  // namespace
}  // namespace consort::bench

int main() {
  fmt::print("components connections  reading compiling       all  at most (s)\n");
  for (const int components : {100, 1000, 4000}) consort::bench::measure(components);
  return 0;
}
