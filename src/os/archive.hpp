// Unpacks untrusted zip archives into a private folder. A hostile archive causes an Error (input) that names the
// archive and the entry; nothing is written outside the folder, and nothing is left in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "os/temp_folder.hpp"

namespace consort::os {

// Checked against the archive's directory before unpacking, and again while writing.
struct ArchiveLimits {
  std::uint64_t entries = 100'000;
  std::uint64_t total_bytes = std::uint64_t{16} << 30;  // unpacked
  double ratio = 1000;  // unpacked / packed size of one entry; not checked for entries below 1 MiB
  std::uint64_t path_length = 1024;
};

// Unpacks `archive` into `folder`, which must exist. Refuses absolute paths, `..`, backslash paths that escape, drive
// letters, symbolic links, device entries, duplicate files, entries whose parent is a file, encrypted entries, names
// with control characters, content that differs from the declared size or checksum, and anything that exceeds the
// limits. A backslash separates like a slash; a NUL in a name is read as a blank. Permissions of entries are ignored:
// files get mode 0600, folders 0700. Throws Error (run) if the folder cannot be written to. After any Error the
// unpacked files are removed; earlier content of the folder stays.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& folder,
            const ArchiveLimits& limits = {});

// The names in the archive, in its order. Refuses unreadable archives like unpack().
[[nodiscard]] std::vector<std::string> list_archive(const std::filesystem::path& archive);

// Writes a zip of every regular file below `folder`, with relative paths, sorted. Timestamps are fixed, so equal
// content gives equal bytes. Throws Error (input) if there is no file, Error (run) if the archive cannot be written. An
// existing archive is replaced only when the new one is complete.
void pack(const std::filesystem::path& folder, const std::filesystem::path& archive);

}  // namespace consort::os
