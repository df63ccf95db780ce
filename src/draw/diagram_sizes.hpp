// Sizes in pixels, shared by layout and drawing of diagrams. Internal to draw/.
#pragma once

#include <string>
#include <string_view>

#include "draw/text.hpp"

namespace consort::draw::sizes {

inline constexpr double port_font = 10;
inline constexpr double title_font = 12;
inline constexpr double port_pitch = 15;
inline constexpr double title_height = 36;  // of a unit: its name and kind
inline constexpr double frame_top = 26;     // of a system: its name
inline constexpr double frame_padding = 16;
inline constexpr double gap = 22;  // between boxes of a layer
inline constexpr double lane_pitch = 8;
inline constexpr double track_pitch = 8;
inline constexpr double channel_margin = 14;

inline std::string port_label(std::string_view name) { return shorten(printable(name), 22); }
inline std::string box_label(std::string_view name) { return shorten(printable(name), 36); }

}  // namespace consort::draw::sizes
