// Zip archives from anywhere, unpacked into a private folder of ours. Hostile ones end in an Error (input) that names
// the archive and the entry, with nothing written outside the folder and nothing left in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "os/temp_folder.hpp"

namespace consort::os {

// Checked against the archive's directory before anything is written, and again while writing.
struct ArchiveLimits {
  std::uint64_t entries = 100'000;
  std::uint64_t total_bytes = std::uint64_t{16} << 30;  // unpacked
  double ratio = 1000;  // unpacked / packed size of one entry; small entries (below 1 MiB) are not judged
  std::uint64_t path_length = 1024;
};

// Unpacks `archive` into `folder`, which must exist. Refuses absolute paths, `..`, backslash paths that escape, drive
// letters, symbolic links, device entries, duplicate files, entries whose parent is a file, encrypted entries, names
// with control characters, content that differs from the declared size or checksum, and whatever exceeds the limits.
// Backslashes separate as slashes do; a NUL in a name is read as a blank. Permissions of entries are not taken over:
// files get mode 0600, folders 0700. Throws Error (run) when the folder cannot be written to. After any Error what was
// unpacked is removed again; what was in the folder before stays.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& folder,
            const ArchiveLimits& limits = {});

// The names in the archive, in its order; same refusals for unreadable archives.
[[nodiscard]] std::vector<std::string> list_archive(const std::filesystem::path& archive);

// Writes a zip of every regular file below `folder`, paths relative to it, sorted; timestamps fixed, so that equal
// content gives equal bytes. Throws Error (input) when there is none, Error (run) when it cannot be written; an archive
// that was there before stays until the new one is complete.
void pack(const std::filesystem::path& folder, const std::filesystem::path& archive);

}  // namespace consort::os
