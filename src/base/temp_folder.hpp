// Private temporary folders: mode 0700, removed by the destructor; those of owners that died are swept at the next start.
#pragma once

#include <filesystem>
#include <string_view>

namespace consort {

class TempFolder {
 public:
  // Makes `consort-<label>-XXXXXX` under $TMPDIR or /tmp, owned by this process. The first call in a process sweeps the
  // folders whose owner no longer runs. Throws Error (run) when none can be made.
  explicit TempFolder(std::string_view label = "run");
  ~TempFolder();
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&& other) noexcept;
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Where the folders are made.
  [[nodiscard]] static std::filesystem::path root();
  // Removes every folder of ours under root() whose owner is dead; returns how many. Never touches what is not ours:
  // other users' folders, links, folders without a valid owner record that are younger than a day.
  static int sweep();

 private:
  std::filesystem::path path_;  // empty after a move
};

}  // namespace consort
