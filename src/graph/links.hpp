// Traces wires from the driving variable to the driven variable and composes the conversions on the way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "expr/program.hpp"
#include "graph/flatten.hpp"

namespace consort::graph {

// The source of a value: a variable of a unit, or a connector of the root.
struct Source {
  Elements from;                       // `unit` is no_unit: external
  std::uint32_t external = no_source;  // the root's connector (index into Flat::nodes) if external
  std::uint64_t external_element = 0;  // element of that connector, counted from 1; 0: all of it
  double factor = 1;
  double offset = 0;
};

// An expression whose names are resolved; the sources are in the order of the program's slots.
struct FormulaLink {
  expr::Program program;
  std::vector<Source> sources;
  std::string text;  // for messages
};

struct Link {
  Elements from;                       // `unit` is no_unit: external
  std::uint32_t external = no_source;  // the root's connector (index into Flat::nodes) if external
  std::uint64_t external_element = 0;  // element of that connector, counted from 1; 0: all of it
  Elements to;
  double factor = 1;
  double offset = 0;
  std::vector<std::pair<std::string, std::string>> mapping;  // after factor and offset
  bool partial = false;                                      // Mapping::partial
  bool transformed = false;                                  // a connection gives a transformation or a mapping
  std::string unit{};                                        // of measure, of the value at the end
  std::string where;
  std::shared_ptr<const FormulaLink> formula{};  // instead of `from` and `external`
  Duration sample = 0;                           // see Connection
};

// An output connector of the root and the variable behind it.
struct OuterLink {
  std::uint32_t node = no_source;
  Link link;              // without `to`
  std::string element{};  // "[2]": the element, if the connector is driven element by element
};

struct EventLink {
  std::string name;
  std::shared_ptr<const FormulaLink> when;
  struct Action {
    EventAction::Kind kind = EventAction::Kind::set;
    Elements target{};
    bool is_state = false;
    std::shared_ptr<const FormulaLink> value{};
    std::string text{};  // of `stop`
  };
  std::vector<Action> actions;
};

struct Links {
  std::vector<Link> links;
  std::vector<EventLink> events;
  std::vector<OuterLink> outer;
  std::vector<ParameterRoute> parameters;  // from values that other units calculate to fixed parameters
  std::vector<std::string> notes;
};

// `starts` (one per unit) give the sizes of arrays. If a fixed parameter is connected to a constant, its value is added
// to `starts` and there is no link. If it is connected to a value that is calculated before the run, it becomes a
// ParameterRoute. Throws Error (input).
[[nodiscard]] Links trace(const Flat& flat, std::vector<describe::StartValues>& starts);

// True if a value of type `from` can be converted to type `to`. `transformed`: the connection gives a transformation or
// a mapping.
[[nodiscard]] bool converts(Type from, Type to, bool transformed);

// The variable, or the element of an array ("x[2]", "A[1,2]"), that a connector's name means. Throws Error (input) with
// the nearest names; `context` begins the message.
[[nodiscard]] Elements find_elements(const Flat& flat, UnitId unit, std::string_view connector,
                                     const describe::StartValues& starts, std::string_view context);

}  // namespace consort::graph
