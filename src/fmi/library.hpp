// The shared library of an FMU: found for this platform, loaded apart from others, unloaded with the last instance.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "describe/description.hpp"
#include "fmi/caller.hpp"

namespace consort::fmi {

class Library {
 public:
  // Throws Error (input) that says what is missing: "needs libgfortran.so.3, which is not installed".
  // `shown` is how messages call the FMU. Function names are looked up plain and with the model identifier as prefix.
  Library(const std::filesystem::path& file, const std::string& shown, std::string model_identifier);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class F>
  [[nodiscard]] Function<F> function(const char* name) const {
    return {name, reinterpret_cast<F*>(find(name))};
  }

 private:
  [[nodiscard]] void* find(const char* name) const;  // null when there is none

  std::string prefix_;
  void* handle_ = nullptr;
  std::vector<void*> preloaded_;  // libraries beside the binary that it needs but does not look for there
};

// Names of the platforms that an unpacked FMU has binaries for, sorted: "linux64", "x86_64-linux", "win64".
[[nodiscard]] std::vector<std::string> platforms(const std::filesystem::path& folder);

// The binary for this machine; throws Error (input): "has binaries for win32, win64 only".
[[nodiscard]] std::filesystem::path find_binary(const std::filesystem::path& folder, const std::string& shown,
                                                const std::string& model_identifier, describe::FmiVersion version);

// Shared libraries that an ELF file asks for (DT_NEEDED); empty when it is not a readable ELF file.
[[nodiscard]] std::vector<std::string> needed_libraries(const std::filesystem::path& file);
// Those of them that neither the system nor the file's own folder has.
[[nodiscard]] std::vector<std::string> libraries_not_found(const std::filesystem::path& file);
// Names of the functions and objects that an ELF file exports; empty when it is not a readable ELF file.
[[nodiscard]] std::vector<std::string> exported_symbols(const std::filesystem::path& file);
// "", or why this machine cannot load the file: "is for 32 bit", "is for aarch64".
[[nodiscard]] std::string platform_mismatch(const std::filesystem::path& file);

}  // namespace consort::fmi
