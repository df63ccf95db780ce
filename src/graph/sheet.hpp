// Where somebody put the elements of a system on paper. Coordinates are the system's own, y points up, as SSP has it.
// Whatever is missing is placed by who draws it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace consort::graph {

struct Point {
  double x = 0;
  double y = 0;
};
// Corners that lie the other way round turn what is inside over.
struct Rectangle {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

struct ConnectorPlace {
  std::string name;
  std::optional<Point> edge{};    // of its element, from 0 to 1 between the corners
  std::optional<Point> inside{};  // of its system, in the coordinates of that system's sheet
};
// A picture of an element. It is turned and turned over as SSP says: its own rotation counts, not the box's, and the
// box's flipping when `flip` is set.
struct Icon {
  std::filesystem::path file{};
  double rotation = 0;  // degrees, counter-clockwise
  bool flip = false;
  bool fixed_aspect_ratio = false;
};
struct ElementPlace {
  std::string name;
  std::optional<Rectangle> box{};
  double rotation = 0;  // of the box around its middle, degrees, counter-clockwise
  std::optional<Icon> icon{};
  std::vector<ConnectorPlace> connectors{};
};
struct LinePlace {
  std::string from;  // "wheel.x"
  std::string to;
  std::vector<Point> corners{};  // between the two ends
};
struct NotePlace {
  Rectangle box{};
  std::string text;
};

struct Sheet {
  std::string name{};  // of the element that the system is
  std::optional<Rectangle> bounds{};
  std::vector<ConnectorPlace> connectors{};  // of the system itself
  std::vector<ElementPlace> elements{};
  std::vector<LinePlace> lines{};
  std::vector<NotePlace> notes{};
  std::vector<Sheet> systems{};  // inside
};

}  // namespace consort::graph
