// Reads and writes system files by their ending; each format is a row in system_files.cpp.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "graph/compile.hpp"
#include "graph/document.hpp"

namespace consort::engine {

struct SystemFileOptions {
  std::string variant{};       // for packages with several systems; empty: the default one
  bool allow_outside = false;  // folders and SSD files may refer to files elsewhere; archives never may
  bool look = false;           // for inspection, not for a run: problems of a package become notes
  bool allow_changed = false;  // files that a result was made from may have changed since
};

struct SystemWriteOptions {
  std::string version{};         // of the format, if it has several; empty: the newest
  graph::Catalogue catalogue{};  // descriptions of units, if the format contains them
};

struct SystemFormat {
  using Path = std::filesystem::path;
  std::string_view name;
  std::array<std::string_view, 2> endings{};  // ".yaml", the preferred one first; empty ones are unused
  std::string_view description;
  graph::Document (*read)(const Path&, const SystemFileOptions&) = nullptr;
  // Returns notes. Null: the format is read-only.
  std::vector<std::string> (*write)(const graph::Document&, const Path&, const SystemWriteOptions&) = nullptr;
  // Converts all systems and other contents of a file to another version. Null: the format has one system per file and
  // no versions.
  void (*rewrite)(const Path& from, const Path& to, const std::string& version) = nullptr;
  // Like read(), for all systems in the file as far as they can be read; reports problems and returns the first system.
  // Null: read() reports problems.
  graph::Document (*check)(const Path&, const SystemFileOptions&, Diagnostics&) = nullptr;
  bool packs = false;  // FMUs and tables are in the file, or beside it in a layout of the format
};

[[nodiscard]] std::span<const SystemFormat> system_formats();
// By the file's ending; a folder that contains an unpacked package (SSP) is a package. Null if there is no such format.
[[nodiscard]] const SystemFormat* find_system_format(const std::filesystem::path& file);
// ".yaml, .yml, .ssp, …": of formats that can be read, or written.
[[nodiscard]] std::string system_endings();
[[nodiscard]] std::string written_system_endings();

[[nodiscard]] bool is_system_file(const std::filesystem::path& file);
// Throw Error (input) that lists the endings if there is no such format, and errors of the format's reader or writer.
[[nodiscard]] graph::Document read_system_file(const std::filesystem::path& file,
                                               const SystemFileOptions& options = {});
[[nodiscard]] graph::Document check_system_file(const std::filesystem::path& file, const SystemFileOptions& options,
                                                Diagnostics& diagnostics);
// The format for writing `file`. Throws Error (input) if there is none.
[[nodiscard]] const SystemFormat& written_system_format(const std::filesystem::path& file);

}  // namespace consort::engine
