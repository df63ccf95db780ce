#include "draw/braille.hpp"

#include <array>
#include <cstdlib>

#include <fmt/core.h>

#include "draw/palette.hpp"

namespace consort::draw {

void Braille::dot(std::ptrdiff_t x, std::ptrdiff_t y, std::size_t colour) {
  if (x < 0 || y < 0 || x >= static_cast<std::ptrdiff_t>(width()) || y >= static_cast<std::ptrdiff_t>(height())) return;
  // The bits of the Unicode Braille patterns, by column and row.
  static constexpr std::array<std::array<std::uint8_t, 4>, 2> bits{
      {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
  const auto ux = static_cast<std::size_t>(x);
  const auto uy = static_cast<std::size_t>(y);
  Cell& cell = cells_[uy / 4 * columns_ + ux / 2];
  cell.dots = static_cast<std::uint8_t>(cell.dots | bits[ux % 2][uy % 4]);
  cell.colour = static_cast<std::uint8_t>(colour_of(colour));
}

// Bresenham's line algorithm.
void Braille::line(std::ptrdiff_t x0, std::ptrdiff_t y0, std::ptrdiff_t x1, std::ptrdiff_t y1, std::size_t colour) {
  const std::ptrdiff_t dx = std::abs(x1 - x0);
  const std::ptrdiff_t dy = -std::abs(y1 - y0);
  const std::ptrdiff_t right = x0 < x1 ? 1 : -1;
  const std::ptrdiff_t down = y0 < y1 ? 1 : -1;
  std::ptrdiff_t error = dx + dy;
  for (;;) {
    dot(x0, y0, colour);
    if (x0 == x1 && y0 == y1) return;
    const std::ptrdiff_t twice = 2 * error;
    if (twice >= dy) {
      error += dy;
      x0 += right;
    }
    if (twice <= dx) {
      error += dx;
      y0 += down;
    }
  }
}

std::string Braille::text(std::size_t row, bool colours) const {
  std::string out;
  std::size_t end = columns_;
  while (end > 0 && cells_[row * columns_ + end - 1].dots == 0) --end;
  int current = -1;
  for (std::size_t column = 0; column < end; ++column) {
    const Cell cell = cells_[row * columns_ + column];
    if (cell.dots == 0) {
      out += ' ';
      continue;
    }
    if (colours && current != cell.colour) {
      out += ansi_colour(cell.colour);
      current = cell.colour;
    }
    // U+2800 + dots in UTF-8
    out += '\xE2';
    out += static_cast<char>(0xA0U | (cell.dots >> 6U));
    out += static_cast<char>(0x80U | (cell.dots & 0x3FU));
  }
  if (current >= 0) out += ansi_reset;
  return out;
}

std::string ansi_colour(std::size_t curve) { return fmt::format("\x1b[38;5;{}m", terminal_palette[colour_of(curve)]); }

}  // namespace consort::draw
