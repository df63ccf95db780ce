// What a diagram shows, before anything has a place: boxes in boxes, their ports, and the nets between them. Internal
// to draw/.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "graph/plan.hpp"
#include "graph/system.hpp"

namespace consort::draw {

inline constexpr std::uint32_t no_loop = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t the_frame = std::numeric_limits<std::uint32_t>::max();  // a Pin of the box around

struct BlockPort {
  std::string name;
  double y = 0;  // from the top of the box, once it is laid out
};

// A port of a child, or of the box around (then inputs are sources and outputs are sinks).
struct Pin {
  std::uint32_t box = the_frame;
  std::uint32_t port = 0;
};

// From one source to all its sinks.
struct Net {
  Pin source;
  struct Sink {
    Pin pin;
    std::uint32_t loop = no_loop;
  };
  std::vector<Sink> sinks;
  std::uint32_t signals = 1;  // that the line stands for
  std::uint32_t loop = no_loop;
};

// A point of a line that runs along the axes.
struct Corner {
  double x = 0;
  double y = 0;
};
struct Wiring {  // of one sink: corners in the coordinates of the box around
  std::vector<Corner> corners;
  std::uint32_t loop = no_loop;
  std::uint32_t signals = 1;
  std::string tip;  // "wheel.x → chassis.x_w"
};

struct Block {
  std::string title;
  std::string note;        // what it is: "FMI 2.0, Co-Simulation"
  std::uint32_t rank = 0;  // in the order in which units are stepped
  bool is_system = false;
  std::vector<BlockPort> inputs;
  std::vector<BlockPort> outputs;
  std::vector<Block> children;
  std::vector<Net> nets;

  // Filled by lay_out(): relative to the box around.
  double x = 0, y = 0, width = 0, height = 0;
  std::vector<Wiring> wires;
};

[[nodiscard]] Block block_of(const graph::System& system, const graph::Plan& plan);

// Sizes and places of everything inside.
void lay_out(Block& block);

}  // namespace consort::draw
