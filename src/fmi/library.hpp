// The shared library of an FMU: a binary for this machine, loaded in isolation and unloaded with the last instance, or
// one for another platform, which a program of its own calls (foreign/).
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "describe/description.hpp"
#include "fmi/caller.hpp"

namespace consort::fmi {

struct LibraryOptions {
  std::string shown{};  // the FMU's name in messages
  std::string model_identifier{};
  describe::FmiVersion version = describe::FmiVersion::v2;
  // Of a call into a library that another program runs: exceeding it ends the program.
  std::optional<std::chrono::duration<double>> call_limit{};
};

class Library {
 public:
  virtual ~Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Looks names up with and without the model identifier as prefix.
  template <class F>
  [[nodiscard]] Function<F> function(const char* name) const {
    const Found found = find(name);
    return {name, reinterpret_cast<F*>(found.call), reinterpret_cast<F*>(found.post)};
  }
  // Call it before each function that makes an instance, in the same thread: such a function has no argument by which a
  // library in another program could be found.
  virtual void make_current() const {}
  [[nodiscard]] virtual bool has_own_process() const { return false; }

  // See Function; null: not exported.
  struct Found {
    void* call = nullptr;
    void* post = nullptr;
  };

 protected:
  Library() = default;
  [[nodiscard]] virtual Found find(const char* name) const = 0;
};

// Loads a binary for this machine into this process. Throws Error (input) that names what is missing: "needs
// libgfortran.so.3, which is not installed".
[[nodiscard]] std::shared_ptr<Library> load_library(const std::filesystem::path& file, const LibraryOptions& options);

// Shared libraries that an ELF file needs (DT_NEEDED); empty if it is not a readable ELF file.
[[nodiscard]] std::vector<std::string> needed_libraries(const std::filesystem::path& file);
// The needed libraries that are neither in the system nor in the file's own folder.
[[nodiscard]] std::vector<std::string> libraries_not_found(const std::filesystem::path& file);
// Names of the functions and objects that an ELF file exports; empty if it is not a readable ELF file.
[[nodiscard]] std::vector<std::string> exported_symbols(const std::filesystem::path& file);
// Empty, or the reason why this machine cannot load the file: "is for 32 bit", "is for aarch64".
[[nodiscard]] std::string platform_mismatch(const std::filesystem::path& file);

}  // namespace consort::fmi
