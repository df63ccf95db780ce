// Names from anywhere, made fit for pictures. Internal to draw/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace consort::draw {

// Valid UTF-8 without control characters, whatever comes in; what is not shown becomes U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);
// printable(), and safe as text and as attribute value in XML and HTML.
[[nodiscard]] std::string escape_xml(std::string_view text);
// Printable text as a JSON string that may stand inside an HTML script element.
[[nodiscard]] std::string json_string(std::string_view text);

// Characters that a terminal would show; wide ones count twice. For printable text.
[[nodiscard]] std::size_t columns_of(std::string_view text);
// At most `most` columns: the middle of what is longer is replaced by "…". For printable text.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t most);
// About how wide a sans-serif font makes it.
[[nodiscard]] double width_in_pixels(std::string_view text, double font_size);

}  // namespace consort::draw
