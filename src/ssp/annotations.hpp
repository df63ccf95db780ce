// Run settings in annotations: those of Consort, and those of other tools that have an equivalent here.
#pragma once

#include "base/diagnostic.hpp"
#include "graph/document.hpp"
#include "ssp/document.hpp"
#include "ssp/package.hpp"

namespace consort::ssp {

// Types of Consort's annotations, see docs/ssp.md.
inline constexpr std::string_view run_annotation = "org.consort.run";
inline constexpr std::string_view unit_annotation = "org.consort.unit";
inline constexpr std::string_view system_annotation = "org.consort.system";
inline constexpr std::string_view annotation_namespace = "urn:consort:ssp:1";

struct Annotated {
  const SystemStructure& structure;
  const Package& package;
  std::string shown{};
};

// Applies the annotations of the root file and of its own systems. `document` must be made of `from.structure`.
void apply_annotations(const Annotated& from, graph::Document& document, Diagnostics& diagnostics);

// Annotation of Model.CONNECT and OpenMCx at a connector of a component: the name of its variable if it differs, and
// the value if the connector has no source. Empty: not given.
struct ForeignPort {
  std::string variable{};
  std::string value{};
  bool is_vector = false;  // the connector stands for several variables, which is not supported
};
[[nodiscard]] ForeignPort foreign_port(const Connector& connector);

}  // namespace consort::ssp
