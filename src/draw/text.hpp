// Makes arbitrary names safe for pictures. Internal to draw/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace consort::draw {

// Returns valid UTF-8 without control characters for any input; unprintable characters become U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);
// printable(), and safe as text and attribute value in XML and HTML.
[[nodiscard]] std::string escape_xml(std::string_view text);
// Returns printable text as a JSON string that is safe inside an HTML script element.
[[nodiscard]] std::string json_string(std::string_view text);

// Returns bytes in base64 (RFC 4648, 4).
[[nodiscard]] std::string base64(std::string_view bytes);

// Returns the number of terminal columns of printable text; wide characters count twice.
[[nodiscard]] std::size_t columns_of(std::string_view text);
// Shortens printable text to at most `most` columns by replacing its middle with "…".
[[nodiscard]] std::string shorten(std::string_view text, std::size_t most);
// Returns the approximate width in a sans-serif font.
[[nodiscard]] double width_in_pixels(std::string_view text, double font_size);

}  // namespace consort::draw
