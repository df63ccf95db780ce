// Location of the files of a system: a package (.ssp), a folder with an unpacked package, or an SSD file with the files
// in its folder. Files outside that folder are never read: references that lead out of it or to other machines are
// errors.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/temp_folder.hpp"

namespace consort::ssp {

class Package {
 public:
  // An archive is unpacked into a private folder that lives as long as the package. `shown`: its name in messages.
  // `outside`: allows references to files outside the folder, but never for an archive. Throws Error (input) if the
  // file does not exist or is not a package.
  static std::shared_ptr<const Package> open(const std::filesystem::path& path, std::string shown,
                                             bool outside = false);
  // Opens an FMU, to resolve parameters and mappings inside it. References out of the archive are errors.
  static std::shared_ptr<const Package> open_archive(const std::filesystem::path& archive, std::string shown);

  // The SSD files at the root: the default one first, the others sorted by name.
  [[nodiscard]] const std::vector<std::string>& structures() const { return structures_; }
  // The name of the SSD file for `variant`, which is a file name, with or without extension, or the name of the system
  // in the file. Empty: the default file. Throws Error (input) with the available names if nothing matches.
  [[nodiscard]] std::string find_structure(std::string_view variant) const;

  struct Place {
    std::filesystem::path path;  // the file, which need not exist
    std::string shown;           // "car.ssp/resources/wheel.fmu"
    std::string inside;          // relative to the root of the package
    std::string fragment{};      // part after '#'
    bool respelled = false;      // the letter case of the existing file differs from that of the URI
  };
  // Resolves a URI. `folder` is the folder of the referring file, relative to the root. Throws Error (input) for a URI
  // that leads out of the package, unless open() allowed it, and for schemes other than "file".
  [[nodiscard]] Place resolve(std::string_view uri, std::string_view folder = {}) const;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  // The file that was unpacked; empty for folders and SSD files.
  [[nodiscard]] const std::filesystem::path& archive() const { return archive_; }
  [[nodiscard]] const std::string& shown() const { return shown_; }
  // A recoverable defect of the package as a whole; empty: none.
  [[nodiscard]] const std::string& remark() const { return remark_; }

 private:
  Package() = default;
  void find_structures();
  void enter_top_folder();

  std::optional<os::TempFolder> unpacked_;
  bool outside_ = false;
  bool is_file_ = false;  // opened from an SSD file, whose name is not part of the names shown for its files
  std::filesystem::path root_;
  std::filesystem::path archive_;
  std::string shown_;
  std::vector<std::string> structures_;
  std::string remark_;
};

// "a%20b" → "a b"; invalid escapes stay unchanged.
[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace consort::ssp
