// Any bytes as a model description of one version must give an Error or a description that satisfies its invariants and
// whose rules can be checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "base/xml.hpp"
#include "describe/check.hpp"
#include "describe/signals.hpp"
#include "fmi/companions.hpp"
#include "fmi/fmu.hpp"

namespace consort::fuzz {

inline void check_variable(const describe::Description& d, describe::VariableId id) {
  const auto& v = d[id];
  CONSORT_ASSERT(d.find(v.name) != describe::no_variable);
  CONSORT_ASSERT(d.find(v.reference, v.type) != describe::no_variable);
  CONSORT_ASSERT(v.derivative_of == describe::no_variable || v.derivative_of < d.variables.size());
  CONSORT_ASSERT(v.previous == describe::no_variable || v.previous < d.variables.size());
  CONSORT_ASSERT(d.start(v) == nullptr || d.start(v)->type() == v.type);
  CONSORT_ASSERT(std::size_t{v.dimensions.begin} + v.dimensions.count <= d.dimensions.size());
  CONSORT_ASSERT(std::size_t{v.clocks.begin} + v.clocks.count <= d.clocks.size());
  CONSORT_ASSERT(d.unit_name(v).size() <= 1U << 20);
  CONSORT_ASSERT(d.display_unit(v) == nullptr || v.unit < d.units.size());
  const std::uint64_t elements = d.element_count(v);
  CONSORT_ASSERT(describe::element_name(d, v, elements / 2).size() >= v.name.size());
}

inline void check_unknowns(const describe::Description& d, const std::vector<describe::Unknown>& unknowns) {
  for (const auto& u : unknowns) {
    CONSORT_ASSERT(u.variable < d.variables.size());
    CONSORT_ASSERT(std::size_t{u.dependencies.begin} + u.dependencies.count <= d.structure.dependencies.size());
    for (const auto& dependency : d.structure.of(u)) CONSORT_ASSERT(dependency.variable < d.variables.size());
  }
}

inline void read_anything(const std::uint8_t* data, std::size_t size, describe::FmiVersion version) {
  try {
    std::string text(reinterpret_cast<const char*>(data), size);
    const XmlDocument document = XmlDocument::parse(std::move(text), "fuzz.xml", {.bytes = 1U << 20, .depth = 64});
    // The fuzz target determines the version, the input everything else.
    auto root = document.root();
    root.set_name("fmiModelDescription");
    root.remove_attribute("fmiVersion");
    root.append_attribute("fmiVersion") = version == describe::FmiVersion::v1   ? "1.0"
                                          : version == describe::FmiVersion::v2 ? "2.0"
                                                                                : "3.0";
    Diagnostics diagnostics;
    describe::Description d = fmi::read_description(document, diagnostics);
    fmi::read_terminals(document, d, diagnostics);
    fmi::read_build_description(document, d, diagnostics);
    describe::check(d, diagnostics);
    for (std::size_t i = 0; i < d.variables.size(); ++i) check_variable(d, static_cast<describe::VariableId>(i));
    for (const auto* list : {&d.structure.outputs, &d.structure.derivatives, &d.structure.clocked_states,
                             &d.structure.initial_unknowns, &d.structure.event_indicators}) {
      check_unknowns(d, *list);
    }
    for (const auto& one : diagnostics.all()) CONSORT_ASSERT(!one.text().empty());
  } catch (const Error& error) {
    CONSORT_ASSERT(error.fault() == Fault::input);
  }
}

}  // namespace consort::fuzz
