// The shared library of an FMU: the binary for this platform, loaded in isolation, unloaded with the last instance.
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
  // Throws Error (input) that names the missing library: "needs libgfortran.so.3, which is not installed". `shown` is
  // the FMU's name in messages. function() looks names up with and without the model identifier as prefix.
  Library(const std::filesystem::path& file, const std::string& shown, std::string model_identifier);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <class F>
  [[nodiscard]] Function<F> function(const char* name) const {
    return {name, reinterpret_cast<F*>(find(name))};
  }

 private:
  [[nodiscard]] void* find(const char* name) const;  // null: not exported

  std::string prefix_;
  void* handle_ = nullptr;
  std::vector<void*> preloaded_;  // needed libraries beside the binary that the loader does not search there
};

// Names of the platforms for which an unpacked FMU has binaries, sorted: "linux64", "x86_64-linux", "win64".
[[nodiscard]] std::vector<std::string> platforms(const std::filesystem::path& folder);

// The binary for this machine. Throws Error (input) if there is no such binary: "has binaries for win32, win64 only".
[[nodiscard]] std::filesystem::path find_binary(const std::filesystem::path& folder, const std::string& shown,
                                                const std::string& model_identifier, describe::FmiVersion version);

// Shared libraries that an ELF file needs (DT_NEEDED); empty if it is not a readable ELF file.
[[nodiscard]] std::vector<std::string> needed_libraries(const std::filesystem::path& file);
// The needed libraries that are neither in the system nor in the file's own folder.
[[nodiscard]] std::vector<std::string> libraries_not_found(const std::filesystem::path& file);
// Names of the functions and objects that an ELF file exports; empty if it is not a readable ELF file.
[[nodiscard]] std::vector<std::string> exported_symbols(const std::filesystem::path& file);
// Empty, or the reason why this machine cannot load the file: "is for 32 bit", "is for aarch64".
[[nodiscard]] std::string platform_mismatch(const std::filesystem::path& file);

}  // namespace consort::fmi
