// Private temporary folders: mode 0700, removed by the destructor; those of owners that died are swept at the next
// start.
#pragma once

#include <filesystem>
#include <string_view>

#include <sys/types.h>

namespace consort::os {

// The owner is recorded in the folder as a link that points nowhere (`.consort-owner`): made in one step, never
// followed, and not a regular file, so that nobody who works with the files of the folder meets it.
class TempFolder {
 public:
  // Makes `consort-<label>-XXXXXX` under $TMPDIR or /tmp, owned by this process. The first call in a process sweeps the
  // folders whose owner no longer runs. Throws Error (run) when none can be made.
  explicit TempFolder(std::string_view label = "run");
  // Does nothing in a fork of the process that made the folder.
  ~TempFolder();
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&& other) noexcept;
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Where the folders are made.
  [[nodiscard]] static std::filesystem::path root();
  // Removes every folder of ours under root() whose owner is dead; returns how many. Never touches what is not ours:
  // other users' folders, links, folders that others may enter, folders without a valid owner record (these only when
  // they are empty and older than a day). Owners on another machine or in another container cannot be asked: their
  // folders are left alone for 30 days.
  static int sweep();
  // Removes the folders that this process made and that still exist; what std::exit() does with them, too.
  static void remove_live() noexcept;

 private:
  void remove() noexcept;

  std::filesystem::path path_;  // empty after a move
  pid_t owner_ = 0;             // a fork has another
};

}  // namespace consort::os
