// A grid of dots, two by four per character. Internal to draw/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace consort::draw {

class Braille {
 public:
  Braille(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows), cells_(columns * rows) {}

  [[nodiscard]] std::size_t width() const { return 2 * columns_; }  // in dots
  [[nodiscard]] std::size_t height() const { return 4 * rows_; }

  // Coordinates start in the top left corner; dots outside the grid are ignored. A character has the colour of its last
  // dot.
  void dot(std::ptrdiff_t x, std::ptrdiff_t y, std::size_t colour);
  void line(std::ptrdiff_t x0, std::ptrdiff_t y0, std::ptrdiff_t x1, std::ptrdiff_t y1, std::size_t colour);
  // Returns one row of characters without trailing blanks; with ANSI escape sequences if `colours` is true.
  [[nodiscard]] std::string text(std::size_t row, bool colours) const;

 private:
  struct Cell {
    std::uint8_t dots = 0;
    std::uint8_t colour = 0;  // index in the palette
  };
  std::size_t columns_;
  std::size_t rows_;
  std::vector<Cell> cells_;
};

// The escape sequence that switches to the colour of a curve, and the one that resets it.
[[nodiscard]] std::string ansi_colour(std::size_t curve);
inline constexpr const char* ansi_reset = "\x1b[0m";

}  // namespace consort::draw
