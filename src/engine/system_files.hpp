// System files by their ending: one row each in system_files.cpp.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "graph/run_settings.hpp"

namespace consort::engine {

struct SystemFileOptions {
  std::string variant{};       // of packages that hold several systems; empty: the default one
  bool allow_outside = false;  // folders and SSD files may refer to files elsewhere; archives never may
  bool look = false;           // to be looked at, not run: what is wrong with a package is told in the notes
};

struct SystemFormat {
  std::string_view ending;  // ".yaml"
  std::string_view description;
  graph::Document (*read)(const std::filesystem::path&, const SystemFileOptions&) = nullptr;
};

[[nodiscard]] std::span<const SystemFormat> system_formats();
[[nodiscard]] const SystemFormat* find_system_format(const std::filesystem::path& file);  // null when there is none
// By its ending; a folder is one when a package (SSP) was unpacked into it.
[[nodiscard]] bool is_system_file(const std::filesystem::path& file);
// Throws Error (input) that lists the endings when there is no such format, and what the format's reader throws.
[[nodiscard]] graph::Document read_system_file(const std::filesystem::path& file,
                                               const SystemFileOptions& options = {});

}  // namespace consort::engine
