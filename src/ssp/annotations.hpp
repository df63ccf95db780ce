// What annotations say about a run: our own, and those of other tools as far as they have a meaning here.
#pragma once

#include "base/diagnostic.hpp"
#include "graph/run_settings.hpp"
#include "ssp/document.hpp"
#include "ssp/package.hpp"

namespace consort::ssp {

// Types of our annotations, see docs/ssp.md.
inline constexpr std::string_view run_annotation = "org.consort.run";
inline constexpr std::string_view unit_annotation = "org.consort.unit";
inline constexpr std::string_view annotation_namespace = "urn:consort:ssp:1";

struct Annotated {
  const SystemStructure& structure;
  const Package& package;
  std::string shown{};
};

// Fills in what the annotations of the root file and of its own systems say; `document` is made of `from.structure`.
void apply_annotations(const Annotated& from, graph::Document& document, Diagnostics& diagnostics);

// What Model.CONNECT and OpenMCx say about a connector of a component: the name of its variable when that is another,
// and the value that it has when nothing drives it. Empty where they say nothing.
struct ForeignPort {
  std::string variable{};
  std::string value{};
  bool is_vector = false;  // it stands for several variables, which is not understood
};
[[nodiscard]] ForeignPort foreign_port(const Connector& connector);

}  // namespace consort::ssp
