// The fixed parts of the page that plot_html() makes. Internal to draw/.
#pragma once

#include <string_view>

namespace consort::draw {

extern const std::string_view viewer_style;   // CSS
extern const std::string_view viewer_script;  // JavaScript; reads the element with the id "data"

}  // namespace consort::draw
