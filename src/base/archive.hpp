// Zip archives from anywhere, unpacked into a private folder of ours. Hostile ones end in an Error (input) that names
// the archive and the entry, with nothing written outside the folder and the folder removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/temp_folder.hpp"

namespace consort {

// Checked against the archive's directory before anything is written, and again while writing.
struct ArchiveLimits {
  std::uint64_t entries = 100'000;
  std::uint64_t total_bytes = std::uint64_t{16} << 30;  // unpacked
  double ratio = 1000;  // unpacked / packed size of one entry; small entries (below 1 MiB) are not judged
  std::uint64_t path_length = 1024;
};

// Unpacks `archive` into `folder`, which must exist. Refuses absolute paths, `..`, backslash paths that escape, drive
// letters, symbolic links, device entries, duplicate entries, entries whose parent is a file, encrypted entries, names
// with NUL or control characters, and whatever exceeds the limits. Permissions of entries are not taken over, except
// that nothing unpacked is executable by others.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& folder, const ArchiveLimits& limits = {});

// The names in the archive, in its order; same refusals for unreadable archives.
[[nodiscard]] std::vector<std::string> list_archive(const std::filesystem::path& archive);

// Writes a zip of every regular file below `folder`, paths relative to it, sorted; timestamps fixed, so that equal
// content gives equal bytes.
void pack(const std::filesystem::path& folder, const std::filesystem::path& archive);

}  // namespace consort
