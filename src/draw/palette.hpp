// Colours that people with any kind of colour vision tell apart (Okabe and Ito), without the yellow, which white hides.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace consort::draw {

inline constexpr std::array<std::string_view, 7> palette{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                         "#E69F00", "#56B4E9", "#4D4D4D"};
// The same on a dark ground.
inline constexpr std::array<std::string_view, 7> dark_palette{"#4DA6E0", "#F28C4B", "#2EC4A0", "#E39CC3",
                                                              "#F2B632", "#86CDF5", "#C4C4C4"};
// The same among the 256 colours of terminals.
inline constexpr std::array<int, 7> terminal_palette{32, 202, 36, 175, 214, 117, 250};

// When the colours are used up they come again with another pattern of dashes.
inline constexpr std::array<std::string_view, 4> dashes{"", "6 3", "2 2.5", "8 3 2 3"};

[[nodiscard]] constexpr std::size_t colour_of(std::size_t curve) { return curve % palette.size(); }
[[nodiscard]] constexpr std::string_view dash_of(std::size_t curve) {
  return dashes[curve / palette.size() % dashes.size()];
}

}  // namespace consort::draw
