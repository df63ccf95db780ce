// What a diagram shows, before anything has a place: boxes in boxes, their ports, and the nets between them. Internal
// to draw/.
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
inline constexpr std::uint32_t the_frame = std::numeric_limits<std::uint32_t>::max();  // a Pin of the box around

// A point of a line; lines run along the axes unless somebody placed them.
struct Corner {
  double x = 0;
  double y = 0;
};

enum class Side : std::uint8_t { left, right, top, bottom };

struct BlockPort {
  std::string name;
  double y = 0;  // from the top of the box, once it is laid out

  // Where boxes have places. Elsewhere inputs are at the left edge and outputs at the right one.
  double x = 0;
  std::optional<Side> side{};
  std::optional<Corner> inside{};  // where lines inside of a system end, when that is not at the edge
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
  const graph::Sheet* sheet = nullptr;         // of a system whose elements have places
  const graph::ElementPlace* place = nullptr;  // on the sheet of the box around

  // Filled by lay_out(): relative to the box around.
  double x = 0, y = 0, width = 0, height = 0;
  double scale = 1;  // of all that is inside, where the box is too small for it
  std::vector<Wiring> wires;
  struct Note {
    Corner corner{};
    double width = 0, height = 0;
    std::string text{};
  };
  std::vector<Note> notes;
};

// `sheet` may be null, and has to outlive the result.
[[nodiscard]] Block block_of(const graph::System& system, const graph::Plan& plan, const graph::Sheet* sheet = nullptr);

// Pixels of the longest label of some ports.
[[nodiscard]] double widest(const std::vector<BlockPort>& ports);

// Sizes and places of everything inside.
void lay_out(Block& block);

// The two halves of lay_out() for a system whose elements have places: how large it would like to be, once all inside
// have been asked; and everything inside, once its size is settled.
void measure_placed(Block& block);
void arrange_placed(Block& block, bool outermost);

// Shared by both ways.
void place_ports(std::vector<BlockPort>& ports, double top, double height);
[[nodiscard]] std::string pin_text(const Block& frame, const Pin& pin, bool sink);

}  // namespace consort::draw
