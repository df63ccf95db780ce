#include "fmi/foreign/wine.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "os/temp_folder.hpp"

extern char** environ;

namespace consort::fmi::foreign {

namespace fs = std::filesystem;

namespace {

constexpr int prefix_format = 2;  // increase it when the content of a prefix changes

bool is_program(const fs::path& path) {
  std::error_code problem;
  return fs::is_regular_file(path, problem) && ::access(path.c_str(), X_OK) == 0;
}

fs::path in_path(const char* name) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    if (candidate.is_absolute() && is_program(candidate)) return candidate;
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return {};
}

fs::path find_wine_program() {
  if (const char* const given = std::getenv("CONSORT_WINE"); given != nullptr && *given != '\0') {
    if (std::string_view(given) == "none") return {};
    require(is_program(given), "CONSORT_WINE is set to '{}', which is not a program; correct or unset the variable",
            given);
    return given;
  }
  // Debian's wine64 and wine packages; their scripts in /usr/bin start these programs.
  for (const char* const place :
       {"/usr/lib/wine/wine64", "/usr/lib/wine/wine", "/opt/wine-stable/bin/wine64", "/opt/wine-stable/bin/wine"})
    if (is_program(place)) return place;
  for (const char* const name : {"wine64", "wine"})
    if (auto found = in_path(name); !found.empty()) return found;
  return {};
}

// The folder of Wine's DLLs for an architecture ("x86_64-windows"); empty if there is none with a kernel.
fs::path find_libraries(const fs::path& program, const char* architecture) {
  std::error_code problem;
  const fs::path bin = fs::canonical(program, problem).parent_path();
  for (const fs::path& place :
       {bin / ".." / "lib" / "wine", bin / ".." / "lib64" / "wine", bin / ".." / "lib" / "x86_64-linux-gnu" / "wine",
        bin / ".." / "x86_64-linux-gnu" / "wine", bin, bin / ".." / "i386-linux-gnu" / "wine",
        fs::path("/usr/lib/x86_64-linux-gnu/wine"), fs::path("/usr/lib/i386-linux-gnu/wine")}) {
    const fs::path folder = (place / architecture).lexically_normal();
    if (fs::exists(folder / "kernel32.dll", problem)) return folder;
  }
  return {};
}

std::string name_of_prefix(const Wine& wine) {
  struct stat status {};
  ::stat(wine.program.c_str(), &status);
  const std::string text =
      fmt::format("{} {} {} {} {} {}", prefix_format, wine.program.string(), wine.libraries.string(),
                  wine.libraries32.string(), status.st_size, status.st_mtime);
  return "prefix-" + sha256_of(text).substr(0, 16);
}

void link_libraries(const fs::path& from, const fs::path& to) {
  if (from.empty()) return;
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from)) fs::create_symlink(entry.path(), to / entry.path().filename());
}

// Wine takes a folder with these files for a complete prefix: "disable" forbids it to update the prefix, which would
// start a dozen programs and copy hundreds of megabytes.
void fill(const fs::path& folder, const Wine& wine) {
  const fs::path windows = folder / "drive_c" / "windows";
  link_libraries(wine.libraries, windows / "system32");
  link_libraries(wine.libraries32, windows / "syswow64");
  fs::create_directories(windows / "temp");
  fs::create_directories(folder / "dosdevices");
  fs::create_symlink("../drive_c", folder / "dosdevices" / "c:");
  fs::create_symlink("/", folder / "dosdevices" / "z:");
  std::ofstream(folder / ".update-timestamp") << "disable\n";
  for (const char* const name : {"system.reg", "user.reg", "userdef.reg"})
    std::ofstream(folder / name) << "WINE REGISTRY Version 2\n\n#arch=win64\n";
}

}  // namespace

std::optional<Wine> find_wine() {
  const fs::path program = find_wine_program();
  if (program.empty()) return std::nullopt;
  Wine wine{program, find_libraries(program, "x86_64-windows"), find_libraries(program, "i386-windows")};
  if (wine.libraries.empty()) return std::nullopt;
  return wine;
}

std::string advice_on_wine() { return "install Wine (as root: apt-get install --no-install-recommends wine64)"; }

fs::path prefix_root() {
  const auto absolute = [](const char* name) -> fs::path {
    const char* const value = std::getenv(name);
    return value != nullptr && *value == '/' ? fs::path(value) : fs::path();
  };
  if (const auto cache = absolute("XDG_CACHE_HOME"); !cache.empty()) return cache / "consort" / "wine";
  if (const auto home = absolute("HOME"); !home.empty()) return home / ".cache" / "consort" / "wine";
  return os::TempFolder::root() / fmt::format("consort-wine-{}", ::geteuid());
}

bool is_prepared(const Wine& wine) {
  std::error_code problem;
  return fs::exists(prefix_root() / name_of_prefix(wine) / ".update-timestamp", problem);
}

fs::path prepare_prefix(const Wine& wine) {
  const fs::path root = prefix_root();
  const fs::path prefix = root / name_of_prefix(wine);
  if (is_prepared(wine)) return prefix;
  // Made under another name and renamed, so that no other process uses half of it.
  std::string made = (root / "new-XXXXXX").string();
  std::error_code problem;
  try {
    fs::create_directories(root);
    fs::permissions(root, fs::perms::owner_all);
    if (::mkdtemp(made.data()) == nullptr)
      throw fs::filesystem_error("mkdtemp", root, std::error_code(errno, std::generic_category()));
    fill(made, wine);
    fs::rename(made, prefix, problem);
    if (problem && !is_prepared(wine)) {  // not because another process was faster: what is there is damaged
      fs::remove_all(prefix);
      fs::rename(made, prefix);
    }
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(made, problem);
    throw run_error(
        "Wine's files for Consort cannot be written to '{}': {}; free some space, or set XDG_CACHE_HOME to a "
        "folder that can be written",
        root.string(), error.code().message());
  }
  if (problem) fs::remove_all(made, problem);
  return prefix;
}

void retire_prefix(const fs::path& prefix) {
  std::string name = (prefix.parent_path() / "retired-XXXXXX").string();
  std::error_code problem;
  if (::mkdtemp(name.data()) != nullptr) fs::rename(prefix, name, problem);  // onto an empty folder
}

bool remove_prefixes() {
  std::error_code problem;
  const auto removed = fs::remove_all(prefix_root(), problem);
  if (problem)
    throw run_error("Wine's files in '{}' cannot be removed: {}; remove the folder yourself", prefix_root().string(),
                    problem.message());
  return removed > 0;
}

std::vector<std::string> wine_environment(const fs::path& prefix) {
  static constexpr auto replaced =
      std::to_array<std::string_view>({"WINEPREFIX", "WINEDEBUG", "WINEARCH", "WINEDLLOVERRIDES", "WINESERVER",
                                       "WINELOADER", "DISPLAY", "WAYLAND_DISPLAY", "TMPDIR", "WINEPATH", "WINETEMP",
                                       "WINETMP", "windir", "ComSpec", "OS", "ProgramData", "ProgramFiles"});
  std::vector<std::string> variables;
  // TMPDIR is left out: with it, Wine 10 of Debian 13 ends with "free(): invalid pointer".
  for (char** v = environ; v != nullptr && *v != nullptr; ++v) {
    const std::string_view variable = *v;
    const std::string_view name = variable.substr(0, variable.find('='));
    bool drop = false;
    for (const auto& r : replaced) drop = drop || name == r;
    if (!drop) variables.emplace_back(variable);
  }
  variables.push_back("WINEPREFIX=" + prefix.string());
  variables.emplace_back("WINEDEBUG=-all");
  // No Mono, Gecko, menus and debugger.
  variables.emplace_back("WINEDLLOVERRIDES=mscoree,mshtml,winemenubuilder.exe,winedbg.exe=");
  // Windows programs see these three without "WINE"; Wine hides the ones of this process, and would take the rest from
  // its registry.
  const char* const users = std::getenv("WINEPATH");  // folders with further DLLs
  variables.push_back(fmt::format("WINEPATH={}{}C:\\windows\\system32;C:\\windows", users == nullptr ? "" : users,
                                  users == nullptr ? "" : ";"));
  variables.emplace_back("WINETEMP=C:\\windows\\temp");
  variables.emplace_back("WINETMP=C:\\windows\\temp");
  variables.emplace_back("windir=C:\\windows");
  variables.emplace_back("ComSpec=C:\\windows\\system32\\cmd.exe");
  variables.emplace_back("OS=Windows_NT");
  variables.emplace_back("ProgramData=C:\\ProgramData");
  variables.emplace_back("ProgramFiles=C:\\Program Files");
  return variables;
}

}  // namespace consort::fmi::foreign
