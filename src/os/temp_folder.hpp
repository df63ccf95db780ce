// Private temporary folders: mode 0700, removed by the destructor. Folders of dead processes are removed at the next
// start.
#pragma once

#include <filesystem>
#include <string_view>

#include <sys/types.h>

namespace consort::os {

// The owner is recorded in the folder as a dangling link (`.consort-owner`): created atomically, never followed, and
// not a regular file, so that code that lists the files of the folder skips it.
class TempFolder {
 public:
  // Makes `consort-<label>-XXXXXX` under $TMPDIR or /tmp, owned by this process. The first call in a process sweeps the
  // folders of dead processes. Throws Error (run) if no folder can be made.
  explicit TempFolder(std::string_view label = "run");
  // Does nothing in a fork of the process that made the folder.
  ~TempFolder();
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&& other) noexcept;
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // The parent folder of all temporary folders.
  [[nodiscard]] static std::filesystem::path root();
  // Removes every Consort folder under root() whose owner is dead; returns their number. Never touches other users'
  // folders, links, folders that others may enter, and folders without a valid owner record (unless they are empty and
  // older than a day). Owners on another machine or in another container cannot be checked; their folders are left
  // alone for 30 days.
  static int sweep();
  // Removes the remaining folders of this process. std::exit() does the same.
  static void remove_live() noexcept;

 private:
  void remove() noexcept;

  std::filesystem::path path_;  // empty after a move
  pid_t owner_ = 0;             // differs in a fork
};

}  // namespace consort::os
