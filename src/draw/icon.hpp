// Embeds pictures of elements into drawings.
#pragma once

#include <filesystem>
#include <string>

namespace consort::draw {

// Returns the file as a data URI: PNG, JPEG or SVG, detected from its first bytes, and at most 256 KiB so that drawings
// stay small. Returns an empty string for other or unreadable files; the drawing then has no icon.
[[nodiscard]] std::string icon_uri(const std::filesystem::path& file);

}  // namespace consort::draw
