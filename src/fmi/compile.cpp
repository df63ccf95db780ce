#include "fmi/compile.hpp"

#include <cstdlib>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fmi/embedded_headers.hpp"
#include "fmi/library.hpp"
#include "os/child_process.hpp"
#include "os/temp_folder.hpp"

namespace consort::fmi {

namespace fs = std::filesystem;

namespace {

// A path below `root`. Paths from an FMU are untrusted.
fs::path inside(const fs::path& root, const std::string& name, const std::string& shown) {
  fs::path path = (root / name).lexically_normal();
  const fs::path relative = path.lexically_relative(root.lexically_normal());
  require(!relative.empty() && *relative.begin() != "..",
          "{}: the source '{}' lies outside its sources folder; it is not compiled", shown, name);
  return path;
}

const describe::BuildConfiguration& configuration_for(const describe::Description& description,
                                                      const describe::Interface& interface, const std::string& shown) {
  const describe::BuildConfiguration* found = nullptr;
  for (const auto& c : description.build_configurations) {
    if (c.model_identifier != interface.model_identifier) continue;
    const bool for_us = c.platform == "x86_64-linux" || c.platform == "linux64";
    if (for_us) return c;
    if (c.platform.empty() && found == nullptr) found = &c;
  }
  require(found != nullptr,
          "{}: has no build configuration for '{}' on this platform, so it cannot be compiled; ask for an FMU with a "
          "Linux binary",
          shown, interface.model_identifier);
  return *found;
}

void write_headers(const fs::path& folder, describe::FmiVersion version) {
  const std::string_view wanted = version == describe::FmiVersion::v1   ? "fmi1/"
                                  : version == describe::FmiVersion::v2 ? "fmi2/"
                                                                        : "fmi3/";
  for (const auto& header : embedded_headers()) {
    if (!header.path.starts_with(wanted)) continue;
    std::ofstream(folder / header.path.substr(wanted.size())) << header.text;
  }
}

bool is_cxx(const describe::SourceFileSet& set, const std::string& file) {
  return set.language.starts_with("C++") || file.ends_with(".cpp") || file.ends_with(".cc") || file.ends_with(".cxx");
}

// Runs a program without a shell; returns its exit status, with stdout and stderr in `output`.
bool run(const std::vector<std::string>& command, std::string& output) {
  const auto outcome = os::run_in_child([&] {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    std::vector<char*> arguments;
    for (const auto& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    return 127;
  });
  output = outcome.standard_error;
  if (!outcome.timed_out && outcome.exit_status == 127)
    output = command.front() + " is not installed; install a C compiler (package build-essential)";
  return outcome.succeeded();
}

std::string compiler(bool cxx) {
  const char* const chosen = std::getenv(cxx ? "CXX" : "CC");
  return chosen != nullptr && *chosen != 0 ? chosen : cxx ? "c++" : "cc";
}

// An optional definition without a value is left to the sources.
void add_definitions(std::vector<std::string>& command, const describe::SourceFileSet& set) {
  for (const auto& d : set.definitions) {
    if (d.optional && d.value.empty()) continue;
    command.push_back(d.value.empty() ? "-D" + d.name : fmt::format("-D{}={}", d.name, d.value));
  }
}

}  // namespace

void compile_if_needed(const fs::path& folder, const std::string& shown, const describe::Description& description,
                       const describe::Interface& interface) {
  const bool third = description.version == describe::FmiVersion::v3;
  const fs::path binaries = folder / "binaries" / (third ? "x86_64-linux" : "linux64");
  const fs::path binary = binaries / (interface.model_identifier + ".so");
  if (fs::exists(binary)) return;
  require(interface.model_identifier.find('/') == std::string::npos, "{}: '{}' is not a valid model identifier", shown,
          interface.model_identifier);
  const auto& configuration = configuration_for(description, interface, shown);

  const fs::path sources = folder / "sources";
  const os::TempFolder work("compile");
  write_headers(work.path(), description.version);
  std::vector<std::string> objects;
  bool any_cxx = false;
  for (const auto& set : configuration.source_file_sets) {
    for (const auto& file : set.files) {
      const bool cxx = is_cxx(set, file);
      any_cxx = any_cxx || cxx;
      const std::string object = (work.path() / fmt::format("{}.o", objects.size())).string();
      std::vector<std::string> command{compiler(cxx),
                                       "-O2",
                                       "-fPIC",
                                       "-w",
                                       "-c",
                                       inside(sources, file, shown).string(),
                                       "-o",
                                       object,
                                       "-I" + sources.string(),
                                       "-I" + work.path().string()};
      // The standard's prefix is for static linking; a shared library exports plain names (FMI 3.0, 2.1.6).
      if (third) command.insert(command.end(), {"-DFMI3_OVERRIDE_FUNCTION_PREFIX", "-DFMI3_ACTUAL_FUNCTION_PREFIX="});
      for (const auto& include : set.include_directories)
        command.push_back("-I" + inside(sources, include, shown).string());
      add_definitions(command, set);
      std::string output;
      const bool compiled = run(command, output);
      require(compiled, "{}: compiling {} failed: {}; export the FMU with a binary for 64-bit Linux instead", shown,
              file, trim(output.substr(0, 1000)));
      objects.push_back(object);
    }
  }
  require(!objects.empty(), "{}: its build configuration lists no source files", shown);

  // The link exports all names, since with a prefix the sources do not mark them for export. -Bsymbolic binds the
  // library's own references to itself.
  std::vector<std::string> link{compiler(any_cxx), "-shared", "-Wl,-Bsymbolic", "-o",
                                (work.path() / "model.so").string()};
  link.insert(link.end(), objects.begin(), objects.end());
  for (const auto& library : configuration.libraries) link.push_back("-l" + library.name);
  link.emplace_back("-lm");
  std::string output;
  const bool linked = run(link, output);
  require(linked, "{}: linking its binary failed: {}; export the FMU with a binary for 64-bit Linux instead", shown,
          trim(output.substr(0, 1000)));
  fs::create_directories(binaries);
  fs::copy_file(work.path() / "model.so", binary);
}

}  // namespace consort::fmi
