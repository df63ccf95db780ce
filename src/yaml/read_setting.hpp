// Values of settings, by the rows of their table. Internal to yaml/.
#pragma once

#include <filesystem>

#include "settings/table.hpp"
#include "yaml/view.hpp"

namespace consort::yaml {

// Throws Error (input) with the place for a value of another kind or out of range. Files are relative to `folder`.
void read_setting(const settings::Row& row, const View& view, const std::filesystem::path& folder, RunSettings& run);
// All keys of a mapping that are settings of this section.
void read_section(settings::Section section, const Fields& fields, const std::filesystem::path& folder,
                  RunSettings& run);

}  // namespace consort::yaml
