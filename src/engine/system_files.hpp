// System files by their ending: one row each in system_files.cpp.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "graph/compile.hpp"
#include "graph/run_settings.hpp"

namespace consort::engine {

struct SystemFileOptions {
  std::string variant{};       // of packages that hold several systems; empty: the default one
  bool allow_outside = false;  // folders and SSD files may refer to files elsewhere; archives never may
  bool look = false;           // to be looked at, not run: what is wrong with a package is told in the notes
};

struct SystemWriteOptions {
  std::string version{};         // of the format, for those that have several; empty: the newest
  graph::Catalogue catalogue{};  // what the units are like, where a format says so
};

struct SystemFormat {
  using Path = std::filesystem::path;
  std::string_view name;
  std::array<std::string_view, 2> endings{};  // ".yaml", the usual one first; empty ones do not count
  std::string_view description;
  graph::Document (*read)(const Path&, const SystemFileOptions&) = nullptr;
  // Returns notes. Null: it can be read only.
  std::vector<std::string> (*write)(const graph::Document&, const Path&, const SystemWriteOptions&) = nullptr;
  // All systems of a file and whatever else is in it, as another version. Null: there is one system, and no version.
  void (*rewrite)(const Path& from, const Path& to, const std::string& version) = nullptr;
  // As read(), of all systems in the file as far as they can be read, with what is wrong; returns the first. Null:
  // reading says what is wrong.
  graph::Document (*check)(const Path&, const SystemFileOptions&, Diagnostics&) = nullptr;
  bool packs = false;  // FMUs and tables are in the file, or beside it in a layout of its own
};

[[nodiscard]] std::span<const SystemFormat> system_formats();
// By its ending; a folder is a package (SSP) when one was unpacked into it. Null when there is none.
[[nodiscard]] const SystemFormat* find_system_format(const std::filesystem::path& file);
// ".yaml, .yml, .ssp, …" of what can be read, or of what can be written.
[[nodiscard]] std::string system_endings();
[[nodiscard]] std::string written_system_endings();

[[nodiscard]] bool is_system_file(const std::filesystem::path& file);
// Throw Error (input) that lists the endings when there is no such format, and what the format's reader or writer
// throws.
[[nodiscard]] graph::Document read_system_file(const std::filesystem::path& file,
                                               const SystemFileOptions& options = {});
[[nodiscard]] graph::Document check_system_file(const std::filesystem::path& file, const SystemFileOptions& options,
                                                Diagnostics& diagnostics);
// The format that `file` would be written in.
[[nodiscard]] const SystemFormat& written_system_format(const std::filesystem::path& file);

}  // namespace consort::engine
