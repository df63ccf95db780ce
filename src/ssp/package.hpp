// Where the files of a system are: a package (.ssp), the folder that one was unpacked into, or an SSD file with what
// lies beside it. Nothing outside that folder is ever touched: references that lead out of it, or to other machines,
// are refused.
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
  // Throws Error (input) when there is no such file, or it is no package. An archive is unpacked into a private folder
  // that lives as long as the package. `shown` is what messages call it.
  // `outside`: an SSD file or folder of the user's own may refer to files that are not below its folder; an archive
  // never may.
  static std::shared_ptr<const Package> open(const std::filesystem::path& path, std::string shown,
                                             bool outside = false);
  // What parameters and mappings inside of an FMU are resolved against; the same refusals.
  static std::shared_ptr<const Package> open_archive(const std::filesystem::path& archive, std::string shown);

  // The SSD files at the root, the default one first, then by name.
  [[nodiscard]] const std::vector<std::string>& structures() const { return structures_; }
  // The name of the SSD file that `variant` means: its file name, with or without ending, or the name that it gives its
  // system; the default one when `variant` is empty. Throws Error (input) with the names that there are.
  [[nodiscard]] std::string find_structure(std::string_view variant) const;

  struct Place {
    std::filesystem::path path;  // of the file that is meant, which may not exist
    std::string shown;           // "car.ssp/resources/wheel.fmu"
    std::string inside;          // relative to the root of the package
    std::string fragment{};      // behind '#'
    bool respelled = false;      // the file is there, but in other letter case than the URI has it
  };
  // What a URI means, relative to the folder (below the root) of the file that has it. Throws Error (input) for a URI
  // that leads out of the package (unless it may), and for schemes other than "file".
  [[nodiscard]] Place resolve(std::string_view uri, std::string_view folder = {}) const;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] const std::string& shown() const { return shown_; }
  // What is wrong with the package as a whole but could be dealt with; empty: nothing.
  [[nodiscard]] const std::string& remark() const { return remark_; }

 private:
  Package() = default;
  void find_structures();
  void enter_top_folder();

  std::optional<os::TempFolder> unpacked_;
  bool outside_ = false;
  bool is_file_ = false;  // an SSD file, whose name is not part of what its files are called
  std::filesystem::path root_;
  std::string shown_;
  std::vector<std::string> structures_;
  std::string remark_;
};

// "a%20b" → "a b"; what is no valid escape stays.
[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace consort::ssp
