// Pictures of elements, embedded into drawings.
#pragma once

#include <filesystem>
#include <string>

namespace consort::draw {

// The file as a data URI: PNG, JPEG or SVG, by what it begins with, and at most 256 KiB so that a drawing stays small.
// Empty for anything else, and for what cannot be read: a drawing does without icons that it cannot show.
[[nodiscard]] std::string icon_uri(const std::filesystem::path& file);

}  // namespace consort::draw
