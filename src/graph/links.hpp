// Wires traced from the variable that drives to the variable that is driven, conversions composed on the way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/flatten.hpp"

namespace consort::graph {

struct Link {
  Elements from;                       // `unit` is none: external
  std::uint32_t external = no_source;  // the root's connector (a node of Flat) then
  std::uint64_t external_element = 0;  // of it, counted from 1; 0: all of it
  Elements to;
  double factor = 1;
  double offset = 0;
  std::vector<std::pair<std::string, std::string>> mapping;  // after factor and offset
  bool partial = false;                                      // of the mapping
  bool transformed = false;                                  // somebody said how values are to be converted
  std::string where;
};

// An output connector of the root and the variable behind it.
struct OuterLink {
  std::uint32_t node = no_source;
  Link link;              // without `to`
  std::string element{};  // "[2]": of the connector, when it is driven element by element
};

struct Links {
  std::vector<Link> links;
  std::vector<OuterLink> outer;
  std::vector<ParameterRoute> parameters;  // what other units calculate, to fixed parameters
  std::vector<std::string> notes;
};

// `starts` per unit, for the sizes of arrays. A fixed parameter that is connected to a constant gets its value there
// and is no link; one that is connected to what is calculated before the run is a ParameterRoute. Throws Error (input).
[[nodiscard]] Links trace(const Flat& flat, std::vector<describe::StartValues>& starts);

// Whether a value of one type can be taken as another; `transformed`: somebody said how.
[[nodiscard]] bool converts(Type from, Type to, bool transformed);

// The variable, or the elements of one ("x[2]", "A[1,2]"), that a connector's name stands for; throws Error (input)
// with the nearest names. `context` begins the message.
[[nodiscard]] Elements find_elements(const Flat& flat, UnitId unit, std::string_view connector,
                                     const describe::StartValues& starts, std::string_view context);

// Settings of all levels applied: inner ones first, then those of the enclosing systems, then `last`. Lenient ones that
// could not be applied are told in `notes`.
[[nodiscard]] std::vector<describe::StartValues> resolve_settings(const Flat& flat, const System& root,
                                                                  std::span<const Setting> last,
                                                                  std::vector<std::string>& notes);

}  // namespace consort::graph
