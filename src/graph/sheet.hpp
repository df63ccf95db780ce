// Graphical layout of a system as given by a file. Each system has its own coordinates; y points up, as in SSP. The
// drawing code places everything that has no position here.
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
// If x1 > x2 or y1 > y2, the contents are flipped.
struct Rectangle {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

struct ConnectorPlace {
  std::string name;
  std::optional<Point> edge{};    // on the outline of the element, from 0 to 1 between its corners
  std::optional<Point> inside{};  // within the system that has the connector, in the coordinates of its sheet
};
// A picture of an element. As in SSP, it has its own rotation and ignores that of the box; it is flipped with the box
// only if `flip` is set.
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
  std::string name{};  // element name of the system
  std::optional<Rectangle> bounds{};
  std::vector<ConnectorPlace> connectors{};  // of the system itself
  std::vector<ElementPlace> elements{};
  std::vector<LinePlace> lines{};
  std::vector<NotePlace> notes{};
  std::vector<Sheet> systems{};  // of nested systems
};

}  // namespace consort::graph
