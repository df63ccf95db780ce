// System files by their ending: one row each in system_files.cpp.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "graph/run_settings.hpp"

namespace consort::engine {

struct SystemFormat {
  std::string_view ending;  // ".yaml"
  std::string_view description;
  graph::Document (*read)(const std::filesystem::path&) = nullptr;
};

[[nodiscard]] std::span<const SystemFormat> system_formats();
[[nodiscard]] bool is_system_file(const std::filesystem::path& file);
// Throws Error (input) that lists the endings when there is no such format, and what the format's reader throws.
[[nodiscard]] graph::Document read_system_file(const std::filesystem::path& file);

}  // namespace consort::engine
