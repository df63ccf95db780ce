// The content of a diagram before layout: nested boxes, their ports, and the nets between them. Internal to draw/.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "graph/plan.hpp"
#include "graph/sheet.hpp"
#include "graph/system.hpp"

namespace consort::draw {

inline constexpr std::uint32_t no_loop = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t the_frame = std::numeric_limits<std::uint32_t>::max();  // Pin::box: the enclosing box

// A point of a line. Lines are parallel to the axes unless their corners are given.
struct Corner {
  double x = 0;
  double y = 0;
};

enum class Side : std::uint8_t { left, right, top, bottom };

struct BlockPort {
  std::string name;
  double y = 0;  // from the top of the box, after layout

  // Only for boxes with given positions. Otherwise inputs are at the left edge and outputs at the right edge.
  double x = 0;
  std::optional<Side> side{};
  std::optional<Corner> inside{};  // end of the lines inside a system, if not at the edge
};

// A port of a child, or of the enclosing box (then inputs are sources and outputs are sinks).
struct Pin {
  std::uint32_t box = the_frame;
  std::uint32_t port = 0;
};

// A connection from one source to all its sinks.
struct Net {
  Pin source;
  struct Sink {
    Pin pin;
    std::uint32_t loop = no_loop;
  };
  std::vector<Sink> sinks;
  std::uint32_t signals = 1;  // number of signals that the line represents
  std::uint32_t loop = no_loop;
};

struct Wiring {  // the line to one sink; corners in the coordinates of the enclosing box
  std::vector<Corner> corners;
  std::uint32_t loop = no_loop;
  std::uint32_t signals = 1;
  std::string tip;  // "wheel.x → chassis.x_w"
};

struct Block {
  std::string title;
  std::string note;        // kind of the unit: "FMI 2.0, Co-Simulation"
  std::uint32_t rank = 0;  // position in the stepping order
  bool is_system = false;
  std::vector<BlockPort> inputs;
  std::vector<BlockPort> outputs;
  std::vector<Block> children;
  std::vector<Net> nets;
  const graph::Sheet* sheet = nullptr;         // of a system whose elements have positions; else null
  const graph::ElementPlace* place = nullptr;  // position on the sheet of the enclosing box; else null

  // Filled by lay_out(), relative to the enclosing box:
  double x = 0, y = 0, width = 0, height = 0;
  double scale = 1;  // scale of the content, if the box is too small for it
  std::vector<Wiring> wires;
  struct Note {
    Corner corner{};
    double width = 0, height = 0;
    std::string text{};
  };
  std::vector<Note> notes;
};

// `sheet` may be null (automatic layout) and must outlive the result.
[[nodiscard]] Block block_of(const graph::System& system, const graph::Plan& plan, const graph::Sheet* sheet = nullptr);

// Returns the width of the longest port label in pixels.
[[nodiscard]] double widest(const std::vector<BlockPort>& ports);

// Computes sizes and positions of the whole content.
void lay_out(Block& block);

// The two parts of lay_out() for a system whose elements have given positions: measure_placed() computes the preferred
// size after its content was measured; arrange_placed() arranges the content after the size was fixed.
void measure_placed(Block& block);
void arrange_placed(Block& block, bool outermost);

// The reason why a diagram cannot be read after lay_out(), as a clause: boxes overlap or are too small. Empty: it can
// be.
[[nodiscard]] std::string why_illegible(const Block& frame, double scale = 1);

// Shared by both kinds of layout.
void place_ports(std::vector<BlockPort>& ports, double top, double height);
[[nodiscard]] std::string pin_text(const Block& frame, const Pin& pin, bool sink);

}  // namespace consort::draw
