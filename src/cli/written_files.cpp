#include "cli/written_files.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/core.h>
#include <unistd.h>

#include "base/error.hpp"

namespace consort::cli {

namespace {

namespace fs = std::filesystem;

bool is_same(const std::string& a, const std::string& b) {
  std::error_code none;
  if (fs::equivalent(a, b, none)) return true;
  const auto place = [&](const std::string& file) { return fs::weakly_canonical(file, none); };
  return place(a) == place(b);
}

// False for devices (/dev/null, /dev/full), which several options may write to.
bool is_file(const std::string& name) {
  std::error_code none;
  return !name.empty() && name != "-" && !fs::is_character_file(name, none) && !fs::is_fifo(name, none);
}

void require_writable(const WrittenFile& one) {
  const fs::path path = one.file;
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code none;
  const bool exists = fs::exists(path, none);
  require(::access(exists ? path.c_str() : folder.c_str(), W_OK) == 0 && !fs::is_directory(path, none),
          "{}: cannot be written; choose another {}", one.file, one.option);
}

}  // namespace

void check_written_files(const std::vector<WrittenFile>& written, const std::vector<std::string>& read) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto& one = written[i];
    if (!is_file(one.file)) continue;
    for (const auto& input : read)
      require(input.empty() || !is_same(one.file, input),
              "{}: this file is read by this run, and {} would replace it; choose another file for the option",
              one.file, one.option);
    for (std::size_t k = 0; k < i; ++k)
      require(!is_file(written[k].file) || !is_same(one.file, written[k].file),
              "{}: both {} and {} write this file; choose another file for one of them", one.file, written[k].option,
              one.option);
    require_writable(one);
  }
}

void write_file(const std::string& file, std::string_view text, std::string_view what) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw run_error("{}: {} cannot be written; check the folder and the disk", file, what);
  fmt::print(stderr, "wrote {}\n", file);
}

}  // namespace consort::cli
