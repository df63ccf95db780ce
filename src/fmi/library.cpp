#include "fmi/library.hpp"

#include <algorithm>
#include <fstream>

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::fmi {

namespace fs = std::filesystem;

// --- loading ---------------------------------------------------------------------------------------------------------

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

// The sanitizers' runtime does not support deep binding. With sanitizers a library is never unloaded: memory that it
// keeps while loaded (a statically linked libstdc++ keeps a reserve for exceptions) would be reported as a leak.
constexpr int deep_bind = sanitized ? 0 : RTLD_DEEPBIND;
void close_library(void* handle) {
  if (!sanitized) dlclose(handle);
}

// With deep binding an FMU sees the data of libstdc++ itself. If the executable holds copies of these data (std::cout,
// by a copy relocation), only its copies are initialised, and an FMU that prints would crash.
bool deep_binding_is_safe(const fs::path& file) {
  const auto needed = needed_libraries(file);
  if (std::find(needed.begin(), needed.end(), "libstdc++.so.6") == needed.end()) return true;
  const void* const cout = dlsym(RTLD_DEFAULT, "_ZSt4cout");
  Dl_info where{};
  if (cout == nullptr || dladdr(cout, &where) == 0 || where.dli_fname == nullptr) return true;
  return std::string_view(where.dli_fname).find("libstdc++") != std::string_view::npos;
}

// An FMU's own copy of a library (SUNDIALS, zlib, …) must have precedence over that of this process. Lazy binding
// accepts missing functions that the FMU never calls.
void* open_library(const fs::path& file) {
  const int binding = deep_bind != 0 && deep_binding_is_safe(file) ? deep_bind : 0;
  return dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL | binding);
}

std::string last_error() {
  const char* text = dlerror();
  return text == nullptr ? "unknown reason" : text;
}

// "libfoo.so.3: cannot open shared object file: No such file or directory" → "libfoo.so.3"
std::string missing_library(const std::string& error) {
  const auto colon = error.find(": cannot open shared object file");
  return colon == std::string::npos ? std::string() : error.substr(0, colon);
}

}  // namespace

std::vector<std::string> libraries_not_found(const fs::path& file) {
  std::vector<std::string> missing;
  for (const auto& name : needed_libraries(file)) {
    if (fs::exists(file.parent_path() / name)) continue;
    // Loading a library runs its code: system libraries are trusted, a path chosen by the FMU is not.
    if (name.find('/') != std::string::npos) {
      if (!fs::exists(name)) missing.push_back(name);
      continue;
    }
    if (void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL))
      dlclose(handle);
    else
      missing.push_back(name);
  }
  return missing;
}

namespace {

class NativeLibrary final : public Library {
 public:
  NativeLibrary(const fs::path& file, const LibraryOptions& options);
  ~NativeLibrary() override;

 protected:
  [[nodiscard]] Found find(const char* name) const override;

 private:
  std::string prefix_;
  void* handle_ = nullptr;
  std::vector<void*> preloaded_;  // needed libraries beside the binary that the loader does not search there
};

NativeLibrary::NativeLibrary(const fs::path& file, const LibraryOptions& options)
    : prefix_(options.model_identifier + "_") {
  const std::string& shown = options.shown;
  const std::string mismatch = platform_mismatch(file);
  require(mismatch.empty(), "{}: its binary {} {}; use an FMU for 64-bit Linux on x86", shown, file.filename().string(),
          mismatch);
  for (int attempt = 0; attempt < 64; ++attempt) {
    handle_ = open_library(file);
    if (handle_ != nullptr) return;
    const std::string error = last_error();
    const std::string name = missing_library(error);
    // The binary needs a library beside it but does not search there: load the library first, then it is found by name.
    const fs::path beside = file.parent_path() / fs::path(name).filename();
    void* const helper = name.empty() || !fs::exists(beside) ? nullptr : open_library(beside);
    if (helper != nullptr) {
      preloaded_.push_back(helper);
      continue;
    }
    for (void* const p : preloaded_) close_library(p);
    if (name.empty())
      throw input_error("{}: its binary cannot be loaded: {}; ask the maker of the FMU for a complete one", shown,
                        error);
    auto missing = libraries_not_found(file);
    if (std::find(missing.begin(), missing.end(), name) == missing.end()) missing.insert(missing.begin(), name);
    throw input_error("{}: its binary needs {}, which {} not installed; install {} and run again", shown,
                      fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are",
                      missing.size() == 1 ? "it" : "them");
  }
  throw input_error(
      "{}: its binary needs too many libraries that are beside it but not found; set LD_LIBRARY_PATH to their folder",
      shown);
}

NativeLibrary::~NativeLibrary() {
  if (handle_ != nullptr) close_library(handle_);
  for (auto p = preloaded_.rbegin(); p != preloaded_.rend(); ++p) close_library(*p);
}

Library::Found NativeLibrary::find(const char* name) const {
  void* const plain = dlsym(handle_, name);
  void* const function = plain != nullptr ? plain : dlsym(handle_, (prefix_ + name).c_str());
  return {function, function};
}

}  // namespace

std::shared_ptr<Library> load_library(const fs::path& file, const LibraryOptions& options) {
  return std::make_shared<NativeLibrary>(file, options);
}

// --- ELF -------------------------------------------------------------------------------------------------------------

namespace {

// Bounds-checked reads from an untrusted ELF file.
class ElfFile {
 public:
  explicit ElfFile(const fs::path& file) {
    std::error_code problem;
    if (!fs::is_regular_file(file, problem)) return;  // a folder has a size, but no bytes
    const auto size = fs::file_size(file, problem);
    if (problem) return;
    bytes_.resize(size);
    std::ifstream in(file, std::ios::binary);
    in.read(bytes_.data(), static_cast<std::streamsize>(size));
    bytes_.resize(static_cast<std::size_t>(in.gcount()));
  }
  template <class T>
  [[nodiscard]] const T* at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T) || offset % alignof(T) != 0) return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }
  [[nodiscard]] std::string text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto last = begin + static_cast<std::ptrdiff_t>(std::min(longest_name, bytes_.size() - offset));
    return {begin, std::find(begin, last, '\0')};
  }
  // Adds the text at `offset`. False if the total length of the names exceeds the file size, which indicates a hostile
  // file.
  [[nodiscard]] bool add_name(std::vector<std::string>& names, std::uint64_t offset) {
    names.push_back(text(offset));
    named_ += names.back().size() + 1;
    return named_ <= bytes_.size();
  }
  [[nodiscard]] bool is_elf() const {
    return bytes_.size() >= EI_NIDENT && std::string_view(bytes_.data(), SELFMAG) == ELFMAG;
  }
  [[nodiscard]] int bits() const { return bytes_[EI_CLASS] == ELFCLASS64 ? 64 : 32; }

  // True if the file contains all mapped segments; otherwise loading it would cause a bus error.
  [[nodiscard]] bool is_complete() const {
    const auto* header = at<Elf64_Ehdr>(0);
    for (unsigned i = 0; header != nullptr && i < header->e_phnum; ++i) {
      const auto* segment = at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
      if (segment == nullptr) return false;
      if (segment->p_type != PT_LOAD && segment->p_type != PT_DYNAMIC) continue;
      if (segment->p_offset > bytes_.size() || bytes_.size() - segment->p_offset < segment->p_filesz) return false;
    }
    return header != nullptr;
  }

  // The file offset of a virtual address; ~0 if it is in no segment.
  [[nodiscard]] std::uint64_t file_offset(std::uint64_t address) const {
    const auto* header = at<Elf64_Ehdr>(0);
    for (unsigned i = 0; header != nullptr && i < header->e_phnum; ++i) {
      const auto* segment = at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
      if (segment == nullptr) break;
      if (segment->p_type == PT_LOAD && address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz) {
        return address - segment->p_vaddr + segment->p_offset;
      }
    }
    return ~std::uint64_t{0};
  }

 private:
  static constexpr std::size_t longest_name = 4096;
  std::vector<char> bytes_;
  std::size_t named_ = 0;
};

}  // namespace

std::vector<std::string> needed_libraries(const fs::path& file) {
  ElfFile elf(file);
  std::vector<std::string> names;
  if (!elf.is_elf() || elf.bits() != 64) return names;
  const auto* header = elf.at<Elf64_Ehdr>(0);
  for (unsigned i = 0; header != nullptr && i < header->e_phnum; ++i) {
    const auto* segment = elf.at<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
    if (segment == nullptr) break;
    if (segment->p_type != PT_DYNAMIC) continue;
    std::uint64_t strings = ~std::uint64_t{0};
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t o = segment->p_offset; const auto* entry = elf.at<Elf64_Dyn>(o); o += sizeof(Elf64_Dyn)) {
      if (entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED) offsets.push_back(entry->d_un.d_val);
      if (entry->d_tag == DT_STRTAB) strings = elf.file_offset(entry->d_un.d_ptr);
    }
    if (strings == ~std::uint64_t{0}) break;
    for (const auto offset : offsets) {
      if (!elf.add_name(names, strings + offset)) break;
    }
    break;
  }
  return names;
}

std::vector<std::string> exported_symbols(const fs::path& file) {
  ElfFile elf(file);
  std::vector<std::string> names;
  if (!elf.is_elf() || elf.bits() != 64) return names;
  const auto* header = elf.at<Elf64_Ehdr>(0);
  for (unsigned i = 0; header != nullptr && i < header->e_shnum; ++i) {
    const auto* section = elf.at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
    if (section == nullptr) break;
    if (section->sh_type != SHT_DYNSYM) continue;
    const auto* strings = elf.at<Elf64_Shdr>(header->e_shoff + section->sh_link * sizeof(Elf64_Shdr));
    if (strings == nullptr) break;
    for (std::uint64_t n = 0; n < section->sh_size / sizeof(Elf64_Sym); ++n) {
      const auto* symbol = elf.at<Elf64_Sym>(section->sh_offset + n * sizeof(Elf64_Sym));
      if (symbol == nullptr) break;
      if (symbol->st_shndx != SHN_UNDEF && !elf.add_name(names, strings->sh_offset + symbol->st_name)) break;
    }
    break;  // only one such section is valid; more could exhaust memory
  }
  return names;
}

std::string platform_mismatch(const fs::path& file) {
  const ElfFile elf(file);
  if (!elf.is_elf()) return "is not a shared library for Linux";
  if (elf.bits() != 64) return "is for 32-bit systems";
  const auto* header = elf.at<Elf64_Ehdr>(0);
  if (header == nullptr) return "is cut short";
  if (header->e_machine == EM_AARCH64) return "is for ARM (aarch64)";
  if (header->e_machine != EM_X86_64)
    return fmt::format("is for another kind of processor (ELF machine {})", header->e_machine);
  if (!elf.is_complete()) return "is cut short";
  return {};
}

}  // namespace consort::fmi
