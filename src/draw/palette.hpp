// Colours that are distinguishable with any kind of colour vision (Okabe and Ito), without yellow, which is invisible
// on white.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace consort::draw {

inline constexpr std::array<std::string_view, 7> palette{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                         "#E69F00", "#56B4E9", "#4D4D4D"};
// The same for a dark background.
inline constexpr std::array<std::string_view, 7> dark_palette{"#4DA6E0", "#F28C4B", "#2EC4A0", "#E39CC3",
                                                              "#F2B632", "#86CDF5", "#C4C4C4"};
// The closest of the 256 terminal colours.
inline constexpr std::array<int, 7> terminal_palette{32, 202, 36, 175, 214, 117, 250};

// After the last colour, the colours repeat with another dash pattern.
inline constexpr std::array<std::string_view, 4> dashes{"", "6 3", "2 2.5", "8 3 2 3"};

[[nodiscard]] constexpr std::size_t colour_of(std::size_t curve) { return curve % palette.size(); }
[[nodiscard]] constexpr std::string_view dash_of(std::size_t curve) {
  return dashes[curve / palette.size() % dashes.size()];
}

}  // namespace consort::draw
